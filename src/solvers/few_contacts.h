// Gauss–Seidel for a few contacts, before anything is prepared: for problems that are solved in less time than it takes to allocate the storage of
// other methods (one contact: 0.8 µs).
//
//   for every contact α:   r^α ← law of one contact with W^αα and q̄ = u^α − W^αα r^α (contact/one_contact.h),   u ← u + W(:, α) Δr^α
//
// Everything but W stands in storage of fixed size. Sweeps go on while the last one promises the tolerance within some ten; the first is never the
// last one. Then some steps of Newton on the function of Alart and Curnier with a dense J = ∂F/∂r + ∂F/∂u W follow, while J is regular: with a
// singular one (hyperstatic contacts) they would solve the problem too, but by an answer that leaves some contacts unloaded. Where that is
// not enough, other methods are as quick. A point counts only on the cones, with u = W r + q from scratch, and with less rounding than
// the certificate begins to count.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "contact/one_contact.h"
#include "contact/residuals.h"
#include "cornet/problem.h"
#include "linalg/columns.h"
#include "solvers/register.h"

namespace cornet {

template <int D>
class FewContacts {
 public:
  static constexpr int kSize = 60;  // unknowns, most: D times contacts

  /// Whether the storage holds the problem.
  static bool takes(const LocalProblem& problem) { return problem.size() <= kSize; }

  /// `problem` has no bilateral part and outlives the object.
  explicit FewContacts(const LocalProblem& problem) : problem_(problem), W_(problem.W), norm_q_(error_unit(problem.q)) {}

  /// From r; `noise` is the rounding that an answer may have, relative to ‖q‖. converged: r solves the problem. Else r is as it was: what other
  /// methods make of a point on the way depends on it more than it helps them. error() is that of r.
  std::optional<Termination> run(double noise, std::vector<double>& r, Monitor& monitor) {
    prepare(r);
    const std::optional<Termination> end = iterate(noise, r, monitor);
    if (end == Termination::converged) return end;
    if (end) {
      refresh(r);
      monitor.offer(error_of(r), r.data(), r.size());
    }
    std::copy_n(start_r_.begin(), r.size(), r.begin());
    if (end) monitor.offer(error_, r.data(), r.size());
    return end;
  }

  double error() const { return error_; }
  long sweeps() const { return sweeps_; }
  long newton_steps() const { return newton_steps_; }

 private:
  static constexpr int kSteps = 30;      // of both kinds
  static constexpr int kFewSweeps = 10;  // that take as long as Newton's method, about
  static constexpr int kPatience = 3;    // its steps without half the error
  static constexpr int kContacts = kSize / D;
  static constexpr double kSingular = 1e-9;  // pivot against the largest one: J has rows of the size of 1
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kSize, kSize>;
  using DenseVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kSize, 1>;

  std::optional<Termination> iterate(double noise, std::vector<double>& r, Monitor& monitor) {
    const auto solved = [&](double error) {
      if (!(error <= monitor.tolerance())) return false;
      error = proved(noise, r);
      if (error <= monitor.tolerance()) error_ = error;
      return error <= monitor.tolerance();
    };
    error_ = error_of(r);
    double before = error_, least = error_;
    if (solved(before)) return Termination::converged;
    bool sweeping = true;
    int in_vain = 0;
    while (sweeps_ + newton_steps_ < kSteps) {
      if (sweeping) {
        for (int a = 0; a < problem_.contacts(); ++a) visit(a, r);
        ++sweeps_;
      } else {
        if (!newton_step(r)) break;
        ++newton_steps_;
      }
      const double error = error_of(r);
      if (!std::isfinite(error)) break;
      const auto stop = monitor.step(error);
      if (solved(error)) return Termination::converged;
      if (stop) return stop;
      const double last = std::exchange(before, error);
      if (!sweeping) {
        in_vain = error < 0.5 * least ? 0 : in_vain + 1;
        least = std::min(least, error);
        if (in_vain == kPatience) break;
        continue;
      }
      least = std::min(least, error);
      sweeping = sweeps_ == 1 || std::log(error / monitor.tolerance()) <= kFewSweeps * std::log(last / error);
    }
    return {};
  }

  void prepare(const std::vector<double>& r) {
    for (int a = 0; a < problem_.contacts(); ++a) block_[a].setZero();
    for (int j = 0; j < problem_.size(); ++j)
      for (int k = W_.start[j]; k < W_.start[j + 1]; ++k)
        if (W_.row[k] / D == j / D) block_[j / D](W_.row[k] % D, j % D) += W_.value[k];
    for (int a = 0; a < problem_.contacts(); ++a) rho_[a].normal = 0;  // not yet known
    refresh(r);
    std::copy(r.begin(), r.end(), start_r_.begin());
    sweeps_ = newton_steps_ = 0;
  }

  void visit(int a, std::vector<double>& r) {
    const double mu = problem_.mu[a];
    Vec<D> old, q;
    for (int i = 0; i < D; ++i) old[i] = r[a * D + i], q[i] = u_[a * D + i];
    if (q[0] >= 0 && mu < std::numeric_limits<double>::infinity() && is_zero<D>(old)) return;  // open
    q -= block_[a] * old;
    if (rho_[a].normal == 0) rho_[a] = rho_split<D>(block_[a]);
    Vec<D> now = old;
    if (!newton_ac<D>(block_[a], q, mu, rho_[a], kLocalTolerance, kLocalIterations, false, now, kReduction).converged) {
      now = old;
      solve_exact<D>(block_[a], q, mu, now);
    }
    for (int i = 0; i < D; ++i) {
      const double step = now[i] - old[i];
      r[a * D + i] = now[i];
      if (step == 0) continue;
      for (int k = W_.start[a * D + i]; k < W_.start[a * D + i + 1]; ++k) u_[W_.row[k]] += W_.value[k] * step;
    }
  }

  // r ← r − J⁻¹ F; false: J is singular.
  bool newton_step(std::vector<double>& r) {
    const int n = problem_.contacts() * D;
    Dense J(n, n);
    DenseVector F(n);
    J.setZero();
    for (int j = 0; j < n; ++j)
      for (int k = W_.start[j]; k < W_.start[j + 1]; ++k) J(W_.row[k], j) += W_.value[k];
    for (int a = 0; a < problem_.contacts(); ++a) {
      if (rho_[a].normal == 0) rho_[a] = rho_split<D>(block_[a]);
      const auto at = alart_curnier<D>(contact<D>(r.data(), a), contact<D>(u_.data(), a), problem_.mu[a], rho_[a].normal, rho_[a].tangent);
      F.template segment<D>(a * D) = at.F;
      J.template middleRows<D>(a * D) = (at.du * J.template middleRows<D>(a * D)).eval();
      J.template block<D, D>(a * D, a * D) += at.dr;
    }
    const Eigen::PartialPivLU<Dense> factors(J);
    const auto pivots = factors.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) return false;
    const DenseVector step = factors.solve(F);
    for (int i = 0; i < n; ++i) r[i] -= step[i];
    refresh(r);
    return true;
  }

  double error_of(const std::vector<double>& r) const { return natural_map_error<D>(problem_.mu, norm_q_, r.data(), u_.data()); }

  // u = W r + q from scratch, and |W| |r| + |q|.
  void refresh(const std::vector<double>& r) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      u_[i] = problem_.q[i];
      size_[i] = std::abs(u_[i]);
    }
    for (std::size_t j = 0; j < r.size(); ++j)
      for (int k = r[j] != 0 ? W_.start[j] : W_.start[j + 1]; k < W_.start[j + 1]; ++k) {
        u_[W_.row[k]] += W_.value[k] * r[j];
        size_[W_.row[k]] += std::abs(W_.value[k] * r[j]);
      }
  }

  // The error of r, moved onto the cones; infinite where its velocities have too much rounding to prove anything.
  double proved(double noise, std::vector<double>& r) {
    double steepest = 1;
    for (int a = 0; a < problem_.contacts(); ++a) {
      const double mu = problem_.mu[a];
      Eigen::Map<Vec<D>> reaction(r.data() + a * D);
      reaction = CoulombCone<D>{mu}.project(reaction);
      if (mu < std::numeric_limits<double>::infinity()) steepest = std::max(steepest, 1 + mu);
    }
    refresh(r);
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += size_[i] * size_[i];
    if (!(std::numeric_limits<double>::epsilon() * steepest * std::sqrt(sum) <= noise * norm_q_))
      return std::numeric_limits<double>::infinity();
    return error_of(r);
  }

  static constexpr double kLocalTolerance = 1e-14, kReduction = 0.1;  // of the one-contact problem; of its error, at least
  static constexpr int kLocalIterations = 30;

  const LocalProblem& problem_;
  const Columns W_;
  const double norm_q_;
  // Deliberately without initial values: clearing all of it would take as long as solving a problem of one contact.
  std::array<double, kSize> u_, size_, start_r_;
  std::array<Mat<D>, kContacts> block_;
  std::array<RhoPair, kContacts> rho_;
  double error_ = 0;
  long sweeps_ = 0, newton_steps_ = 0;
};

}  // namespace cornet
