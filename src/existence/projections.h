// Two quick searches for an answer to "is Ker(H) ∩ K = {0}?", before the interior-point method. Exactly one of the two has an answer:
//
//   v  with  Bv ∈ int K*       then Ker(H) ∩ K = {0}          B = Hᵀ
//   r ≠ 0, r ∈ K, Bᵀr = 0      then it is not
//
// v: alternating projections between K* + e_N and the range of B. r: the part of e_N that is orthogonal to the range, on fewer and fewer
// contacts: those whose reaction comes out far from K are dropped, since the reactions that keep each other in balance (a row of grains
// between two walls) usually are a part of the system only. One factorisation of BᵀB, or of its restriction, gives the projections
// u = B(BᵀB)⁻¹Bᵀy and r = y − u.
//
// Quick where it works: loose packings and piles on the ground on the first side, packings squeezed between walls on the second. Nothing is
// concluded when it does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "convex/conic_qp.h"
#include "linalg/supernodal.h"

namespace cornet {

/// Projections on the range of B and its complement.
class RangeProjection {
 public:
  explicit RangeProjection(SparseRows B) : B_(std::move(B)) {
    const SparseColumns columns = B_;
    S_ = SparseColumns(columns.transpose() * columns).triangularView<Eigen::Lower>();
    for (int j = 0; j < S_.cols(); ++j) {
      double& d = S_.coeffRef(j, j);
      d = d > 0 ? d * (1 + 1e-13) : 1.0;
    }
    S_.makeCompressed();
    factor_.analyse(S_);
    usable_ = factor_.factorise(S_);
    for (Eigen::Index e = 0; e < B_.nonZeros(); ++e) largest_entry_ = std::max(largest_entry_, std::abs(B_.valuePtr()[e]));
  }

  bool usable() const { return usable_; }
  double largest_entry() const { return largest_entry_; }
  const SparseRows& B() const { return B_; }

  /// v and u = Bv closest to y.
  void apply(const Eigen::VectorXd& y, Eigen::VectorXd& v, Eigen::VectorXd& u) const {
    v.setZero(B_.cols());
    u.setZero(B_.rows());
    for (int pass = 0; pass < 2; ++pass) {
      Eigen::VectorXd step = B_.transpose() * (y - u);
      factor_.solve(step.data());
      v += step;
      u.noalias() = B_ * v;
    }
  }

 private:
  SparseRows B_;
  SparseColumns S_;
  SupernodalCholesky factor_;
  bool usable_ = false;
  double largest_entry_ = 0;
};

class KernelSearch {
 public:
  struct Answer {
    Eigen::VectorXd v;  ///< with Bv inside K*, or empty
    Eigen::VectorXd r;  ///< in K and orthogonal to the range, or empty
  };

  /// `inside`: least depth against the largest velocity that counts; `accuracy`: largest violation of r against its largest component.
  KernelSearch(const SparseRows& B, int dim, const std::vector<double>& mu, double inside, double accuracy)
      : B_(B), dim_(dim), mu_(mu), inside_(inside), accuracy_(accuracy) {}

  /// Reactions are looked for only `with_reactions`.
  std::optional<Answer> run(bool with_reactions) const {
    const RangeProjection whole(B_);
    if (!whole.usable()) return std::nullopt;
    if (auto v = search_velocity(whole)) return Answer{std::move(*v), {}};
    if (!with_reactions) return std::nullopt;
    std::vector<int> contacts(mu_.size());
    std::iota(contacts.begin(), contacts.end(), 0);
    Eigen::VectorXd r;
    if (alternate(whole, contacts, r)) return Answer{{}, spread(contacts, r)};
    for (int restriction = 0; restriction < kRestrictions; ++restriction) {
      if (!drop_worst(contacts, r)) return std::nullopt;
      const RangeProjection part(rows_of(contacts));
      if (!part.usable()) return std::nullopt;
      if (alternate(part, contacts, r)) return Answer{{}, spread(contacts, r)};
    }
    return std::nullopt;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr int kVelocityRounds = 12;
  static constexpr int kReactionRounds = 2;
  static constexpr int kRestrictions = 12;
  static constexpr double kWorst = 0.3;         // of the largest violation: what is dropped
  static constexpr double kMostViolated = 0.2;  // share of contacts outside K with which the search goes on

  double tail(const double* x) const { return dim_ == 2 ? std::abs(x[1]) : std::hypot(x[1], x[2]); }

  Eigen::VectorXd normals(std::size_t count) const {
    Eigen::VectorXd e = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count) * dim_);
    for (Eigen::Index i = 0; i < e.size(); i += dim_) e[i] = 1;
    return e;
  }

  std::optional<Eigen::VectorXd> search_velocity(const RangeProjection& whole) const {
    Eigen::VectorXd target = normals(mu_.size()), v, u;
    for (int round = 0; round < kVelocityRounds; ++round) {
      whole.apply(target, v, u);
      if (inside_dual_cone(u)) return v;
      for (Eigen::Index a = 0; a < u.size(); a += dim_) {
        const double mu = mu_[static_cast<std::size_t>(a / dim_)];
        project(u.data() + a, mu == 0 ? kInfinity : 1 / mu, 1, target.data() + a);
      }
    }
    return std::nullopt;
  }

  // r ← P_ker e_N, then P_ker P_K r; true when it is in K.
  bool alternate(const RangeProjection& part, const std::vector<int>& contacts, Eigen::VectorXd& r) const {
    Eigen::VectorXd y = normals(contacts.size()), v, u;
    for (int round = 0; round < kReactionRounds; ++round) {
      part.apply(y, v, u);
      r = y - u;
      if (in_cone(part, contacts, r)) return true;
      for (std::size_t a = 0; a < contacts.size(); ++a)
        project(r.data() + a * dim_, mu_[static_cast<std::size_t>(contacts[a])], 0, y.data() + a * dim_);
    }
    return false;
  }

  double violation(const double* r, int contact) const {
    return std::max(-r[0], tail(r) - mu_[static_cast<std::size_t>(contact)] * std::max(r[0], 0.0));
  }

  // Drops the contacts farthest outside K. False when that leads nowhere: too many are outside.
  bool drop_worst(std::vector<int>& contacts, const Eigen::VectorXd& r) const {
    const double size = r.lpNorm<Eigen::Infinity>();
    std::vector<double> by(contacts.size());
    for (std::size_t a = 0; a < contacts.size(); ++a) by[a] = violation(r.data() + a * dim_, contacts[a]);
    const double worst = *std::max_element(by.begin(), by.end());
    const auto outside = std::count_if(by.begin(), by.end(), [&](double x) { return x > accuracy_ * size; });
    if (static_cast<double>(outside) > kMostViolated * static_cast<double>(contacts.size())) return false;
    std::vector<int> kept;
    for (std::size_t a = 0; a < contacts.size(); ++a)
      if (by[a] <= kWorst * worst) kept.push_back(contacts[a]);
    if (kept.empty() || kept.size() == contacts.size()) return false;
    contacts = std::move(kept);
    return true;
  }

  SparseRows rows_of(const std::vector<int>& contacts) const {
    std::vector<int> column(static_cast<std::size_t>(B_.cols()), -1);
    std::vector<Eigen::Triplet<double>> entries;
    int columns = 0;
    for (std::size_t a = 0; a < contacts.size(); ++a)
      for (int i = 0; i < dim_; ++i)
        for (SparseRows::InnerIterator e(B_, contacts[a] * dim_ + i); e; ++e) {
          int& j = column[static_cast<std::size_t>(e.col())];
          if (j < 0) j = columns++;
          entries.emplace_back(static_cast<int>(a) * dim_ + i, j, e.value());
        }
    SparseRows out(static_cast<int>(contacts.size()) * dim_, columns);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  Eigen::VectorXd spread(const std::vector<int>& contacts, const Eigen::VectorXd& r) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(B_.rows());
    for (std::size_t a = 0; a < contacts.size(); ++a)
      out.segment(static_cast<Eigen::Index>(contacts[a]) * dim_, dim_) = r.segment(static_cast<Eigen::Index>(a) * dim_, dim_);
    return out;
  }

  bool inside_dual_cone(const Eigen::VectorXd& u) const {
    double least = kInfinity, largest = 0;
    for (Eigen::Index a = 0; a < u.size(); a += dim_) {
      const double mu = mu_[static_cast<std::size_t>(a / dim_)];
      const double t = mu == 0 ? 0.0 : tail(u.data() + a);
      least = std::min(least, u[a] - mu * t);
      largest = std::max({largest, std::abs(u[a]), t});
    }
    return least > inside_ * largest;
  }

  bool in_cone(const RangeProjection& part, const std::vector<int>& contacts, const Eigen::VectorXd& r) const {
    const double size = r.lpNorm<Eigen::Infinity>();
    if (!(size > 1e-3)) return false;  // e is in the range up to rounding: there is no kernel to speak of
    for (std::size_t a = 0; a < contacts.size(); ++a)
      if (violation(r.data() + a * dim_, contacts[a]) > accuracy_ * size) return false;
    return (part.B().transpose() * r).lpNorm<Eigen::Infinity>() <= accuracy_ * size * part.largest_entry();
  }

  // Projection of x on K_μ + shift e_N. μ = ∞ is the dual of a frictionless contact, u_N ≥ shift.
  void project(const double* x, double mu, double shift, double* out) const {
    const double n = x[0] - shift, t = tail(x);
    if (mu == kInfinity) {
      out[0] = std::max(n, 0.0) + shift;
      for (int i = 1; i < dim_; ++i) out[i] = x[i];
    } else if (t <= mu * n) {
      for (int i = 0; i < dim_; ++i) out[i] = x[i];
    } else if (mu * t <= -n) {
      out[0] = shift;
      for (int i = 1; i < dim_; ++i) out[i] = 0;
    } else {
      const double scale = (n + mu * t) / (1 + mu * mu);
      out[0] = scale + shift;
      for (int i = 1; i < dim_; ++i) out[i] = scale * mu * x[i] / t;
    }
  }

  const SparseRows& B_;
  int dim_;
  const std::vector<double>& mu_;
  double inside_, accuracy_;
};

}  // namespace cornet
