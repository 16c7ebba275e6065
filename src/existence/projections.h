// A quick search for v with Bv ∈ int K*, which proves Ker(H) ∩ K = {0}, for local problems (B = W) before the interior-point method, whose
// normal equations would have the pattern of W²: alternating projections between K* + e_N and the range of B, with one factorisation,
//
//   u = B(BᵀB)⁻¹Bᵀ y,   y ← P_{K* + e_N}(u),   y₀ = e_N
//
// For a symmetric B = W, (W + ε)⁻¹y takes the place of (BᵀB)⁻¹Bᵀy: the same up to ε, and W has far fewer entries than W². Nothing is concluded
// when the search fails.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "convex/conic_qp.h"
#include "linalg/supernodal.h"

namespace cornet {

/// (BᵀB)⁻¹Bᵀ up to rounding; for a symmetric positive semi-definite B, (B + ε)⁻¹ without the part in the kernel.
class LeastSquares {
 public:
  LeastSquares(const SparseRows& B, bool symmetric) : B_(B), symmetric_(symmetric) {
    const SparseColumns columns = B;
    SparseColumns S = SparseColumns(symmetric ? columns : SparseColumns(columns.transpose() * columns)).triangularView<Eigen::Lower>();
    for (int j = 0; j < S.cols(); ++j) {
      double& d = S.coeffRef(j, j);
      d = d > 0 ? d * (1 + (symmetric ? 1e-9 : 1e-13)) : 1.0;
    }
    S.makeCompressed();
    factor_.analyse(S);
    usable_ = factor_.factorise(S);
  }

  bool usable() const { return usable_; }

  /// The v with Bv closest to y.
  Eigen::VectorXd solve(const Eigen::VectorXd& y) const {
    Eigen::VectorXd v = y;
    if (symmetric_) {
      factor_.solve(v.data());
      v = B_ * v;  // once more without the part of y in the kernel, which ε makes huge
    } else {
      v = B_.transpose() * y;
    }
    factor_.solve(v.data());
    return v;
  }

 private:
  const SparseRows& B_;
  bool symmetric_, usable_ = false;
  SupernodalCholesky factor_;
};

/// B is symmetric positive semi-definite, all μ < ∞. `inside`: least depth u_N − μ‖u_T‖ against the largest velocity that counts.
inline std::optional<Eigen::VectorXd> search_opening_velocity(const SparseRows& B, int dim, const std::vector<double>& mu, double inside) {
  constexpr int kRounds = 10;
  const LeastSquares least_squares(B, true);
  if (!least_squares.usable()) return std::nullopt;

  Eigen::VectorXd y = Eigen::VectorXd::Zero(B.rows()), v(B.cols());
  for (Eigen::Index a = 0; a < y.size(); a += dim) y[a] = 1;
  for (int round = 0; round < kRounds; ++round) {
    v = least_squares.solve(y);
    const Eigen::VectorXd u = B * v;
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (Eigen::Index a = 0; a < u.size(); a += dim) {
      const double m = mu[static_cast<std::size_t>(a / dim)];
      const double t = m == 0 ? 0.0 : dim == 2 ? std::abs(u[a + 1]) : std::hypot(u[a + 1], u[a + 2]);
      least = std::min(least, u[a] - m * t);
      largest = std::max({largest, std::abs(u[a]), t});
      // Projection on { u_N − 1 ≥ μ‖u_T‖ }.
      const double n = u[a] - 1;
      double scale_n = n, scale_t = 1;
      if (n < m * t) {
        const double along = std::max(0.0, (m * n + t) / (1 + m * m));  // ‖u_T‖ of the projection
        scale_n = m * along;
        scale_t = t > 0 ? along / t : 1.0;
      }
      y[a] = 1 + scale_n;
      for (int i = 1; i < dim; ++i) y[a + i] = scale_t * u[a + i];
    }
    if (least > inside * largest) return v;
  }
  return std::nullopt;
}

}  // namespace cornet
