// The programs of the existence criterion (existence.cc): what they are about, how they are set up, what a point of theirs proves.
//
//   max t ≤ 1:  Hᵀv + w − t e_N ∈ K*        multipliers: r ∈ K with H r = 0        depth of v: min_α (u_N − μ‖u_T‖), u = Hᵀv + w
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "convex/conic_qp.h"
#include "cornet/problem.h"
#include "existence/projections.h"
#include "linalg/sparse.h"

namespace cornet::existence {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Vector = Eigen::VectorXd;

// Hᵀ (or W), w (or q), μ, G: what the criterion is about.
struct Kinematics {
  int dim = 3;
  SparseRows B;  // m×n: Hᵀ, or W for a local problem
  Vector w;
  std::vector<double> mu;
  SparseRows GT;  // p×n
  Vector b;
  bool local = false;

  int contacts() const { return static_cast<int>(mu.size()); }
};

inline Kinematics kinematics_of(const Problem& problem) {
  Kinematics k;
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    k.dim = global->dim;
    k.B = SparseColumns(to_columns(global->H)).transpose();
    k.w = as_vector(global->w);
    k.mu = global->mu;
    if (global->G) {
      k.GT = SparseColumns(to_columns(*global->G)).transpose();
      k.b = as_vector(global->b);
    }
  } else {
    const LocalProblem local = condense(std::get<LocalProblem>(problem));
    k.dim = local.dim;
    k.B = to_columns(local.W);
    k.w = as_vector(local.q);
    k.mu = local.mu;
    k.local = true;
  }
  k.B.makeCompressed();
  if (k.GT.rows() == 0) k.GT.resize(0, k.B.cols());
  return k;
}

inline double largest_contact(const Vector& w, int dim) {
  double out = 0;
  for (Eigen::Index a = 0; a + dim <= w.size(); a += dim) out = std::max(out, w.segment(a, dim).norm());
  return out;
}

// The pivots of a symmetric matrix scaled to unit diagonal, smallest one; −1 when the diagonal is not positive or the factorisation fails.
// The factor is left for solves with the scaled matrix.
struct ScaledFactor {
  Eigen::SimplicialLDLT<SparseColumns> factor;
  Vector scale;
  double least_pivot = -1;

  // NOLINTNEXTLINE(performance-unnecessary-value-param): scaled in place below
  explicit ScaledFactor(SparseColumns a) : scale(a.rows()) {
    for (int j = 0; j < a.cols(); ++j) {
      const double d = a.coeff(j, j);
      if (!(d > 0)) return;
      scale[j] = 1 / std::sqrt(d);
    }
    for (int j = 0; j < a.outerSize(); ++j)
      for (SparseColumns::InnerIterator e(a, j); e; ++e) e.valueRef() *= scale[e.row()] * scale[j];
    factor.compute(a);
    if (factor.info() == Eigen::Success) least_pivot = a.rows() > 0 ? factor.vectorD().minCoeff() : 1.0;
  }
  Vector solve(const Vector& rhs) const { return scale.cwiseProduct(factor.solve(Vector(scale.cwiseProduct(rhs)))); }
};

// Least squares for [A; C] x = (f, g) by conjugate gradients on the normal equations, until the residual is so small against (f, g); true when it is.
inline bool least_squares(const SparseRows& A, const Vector& f, const SparseRows& C, const Vector& g, Vector& x, double enough = 1e-11) {
  x.setZero(A.cols());
  Vector rest = f, rest_c = g;
  const double start = std::hypot(rest.norm(), rest_c.norm());
  if (start == 0) return true;
  const auto transposed = [&](const Vector& y, const Vector& z) {
    Vector out = A.transpose() * y;
    if (C.rows() > 0) out += C.transpose() * z;
    return out;
  };
  Vector gradient = transposed(rest, rest_c), p = gradient;
  double gamma = gradient.squaredNorm();
  for (int i = 0; i < 200 && gamma > 0; ++i) {
    const Vector q = A * p, q_c = C * p;
    const double alpha = gamma / (q.squaredNorm() + q_c.squaredNorm());
    x += alpha * p;
    rest -= alpha * q;
    rest_c -= alpha * q_c;
    if (std::hypot(rest.norm(), rest_c.norm()) <= enough * start) return true;
    gradient = transposed(rest, rest_c);
    const double next = gradient.squaredNorm();
    p = gradient + (next / gamma) * p;
    gamma = next;
  }
  return false;
}

inline double tail_norm(const double* u, int dim) { return dim == 2 ? std::abs(u[1]) : std::hypot(u[1], u[2]); }

// (A), or (A') with `normal_only`; unknowns v and, last, t.
struct MarginProgram {
  ConicQp qp;
  int contact_rows = 0;
};

inline MarginProgram margin_program(const Kinematics& k, const Vector& w, const Vector& bilateral, bool normal_only) {
  MarginProgram out;
  const int n = static_cast<int>(k.B.cols());
  std::vector<Eigen::Triplet<double>> a;
  a.reserve(static_cast<std::size_t>(k.B.nonZeros()) * (k.dim == 2 ? 2 : 1) + static_cast<std::size_t>(k.B.rows()));
  std::vector<double> b;
  // The row under construction: adds −factor (B_i v + w_i).
  const auto add = [&](int i, double factor) {
    for (SparseRows::InnerIterator e(k.B, i); e; ++e)
      a.emplace_back(static_cast<int>(b.size()) - 1, static_cast<int>(e.col()), -factor * e.value());
    b.back() += factor * w[i];
  };
  const auto start_row = [&](bool with_t) {
    b.push_back(0);
    if (with_t) a.emplace_back(static_cast<int>(b.size()) - 1, n, 1.0);
  };
  for (int c = 0; c < k.contacts(); ++c) {
    const int i = c * k.dim;
    const double mu = normal_only ? 0.0 : k.mu[c];
    if (mu == 0 || mu == kInfinity) {
      start_row(true);
      add(i, 1);
      out.qp.cones.push_back({ConeKind::half_line, 1});
      for (int j = 1; j < k.dim && mu > 0; ++j) {
        start_row(false);
        add(i + j, 1);
        out.qp.cones.push_back({ConeKind::zero, 1});
      }
    } else if (k.dim == 2) {
      for (const double sign : {1.0, -1.0}) {
        start_row(true);
        add(i, 1);
        add(i + 1, sign * mu);
        out.qp.cones.push_back({ConeKind::half_line, 1});
      }
    } else {
      for (int j = 0; j < k.dim; ++j) {
        start_row(j == 0);
        add(i + j, j == 0 ? 1 : mu);
      }
      out.qp.cones.push_back({ConeKind::lorentz, k.dim});
    }
  }
  out.contact_rows = static_cast<int>(b.size());
  for (int i = 0; i < k.GT.rows(); ++i) {
    b.push_back(bilateral[i]);
    for (SparseRows::InnerIterator e(k.GT, i); e; ++e)
      a.emplace_back(static_cast<int>(b.size()) - 1, static_cast<int>(e.col()), -e.value());
    out.qp.cones.push_back({ConeKind::zero, 1});
  }
  start_row(true);  // t ≤ 1
  b.back() = 1;
  out.qp.cones.push_back({ConeKind::half_line, 1});
  out.qp.b = Eigen::Map<const Vector>(b.data(), static_cast<Eigen::Index>(b.size()));
  out.qp.A.resize(static_cast<int>(b.size()), n + 1);
  out.qp.A.setFromTriplets(a.begin(), a.end());
  out.qp.P.resize(n + 1, n + 1);
  out.qp.c = -Vector::Unit(n + 1, n);
  return out;
}

// r (and λ) from the multipliers of a program, scaled to ‖(r, λ)‖ = 1.
inline void reactions_of(const Kinematics& k, const MarginProgram& program, const Vector& z, bool normal_only, Vector& r, Vector& lambda) {
  r.setZero(k.w.size());
  int row = 0;
  for (int c = 0; c < k.contacts(); ++c) {
    double* x = r.data() + static_cast<std::ptrdiff_t>(c) * k.dim;
    const double mu = normal_only ? 0.0 : k.mu[c];
    if (mu == 0 || mu == kInfinity) {
      x[0] = z[row++];
      for (int j = 1; j < k.dim && mu > 0; ++j) x[j] = z[row++];
    } else if (k.dim == 2) {
      x[0] = z[row] + z[row + 1];
      x[1] = mu * (z[row] - z[row + 1]);
      row += 2;
    } else {
      x[0] = z[row];
      for (int j = 1; j < k.dim; ++j) x[j] = mu * z[row + j];
      row += k.dim;
    }
  }
  lambda = z.segment(program.contact_rows, k.GT.rows());
  const double size = std::hypot(r.norm(), lambda.norm());
  if (size > 0) {
    r /= size;
    lambda /= size;
  }
}

// min_α (u_N − μ‖u_T‖), and how far the equalities are from holding.
struct Depth {
  double least = kInfinity;
  double equality = 0;
  double largest = 0;  // ‖u‖ of the fastest contact
  double noise = 0;    // what rounding can do to u
};

inline Depth depth_of(const Kinematics& k, const Vector& v, const Vector& w, const Vector& bilateral, bool normal_only) {
  Depth d;
  const Vector u = k.B * v + w;
  for (int i = 0; i < k.B.rows(); ++i) {
    double size = std::abs(w[i]);
    for (SparseRows::InnerIterator e(k.B, i); e; ++e) size += std::abs(e.value() * v[e.col()]);
    d.noise = std::max(d.noise, 1e-15 * size);
  }
  for (int c = 0; c < k.contacts(); ++c) {
    const double* x = u.data() + static_cast<std::ptrdiff_t>(c) * k.dim;
    const double mu = normal_only ? 0.0 : k.mu[c];
    const double tail = mu == 0 ? 0.0 : tail_norm(x, k.dim);
    d.largest = std::max({d.largest, std::abs(x[0]), tail});
    d.least = std::min(d.least, mu == kInfinity || mu == 0 ? x[0] : x[0] - mu * tail);
    if (mu == kInfinity) d.equality = std::max(d.equality, tail);
  }
  if (k.GT.rows() > 0) d.equality = std::max(d.equality, (k.GT * v + bilateral).lpNorm<Eigen::Infinity>());
  return d;
}

}  // namespace cornet::existence
