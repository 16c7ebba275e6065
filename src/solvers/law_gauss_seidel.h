// Gauss–Seidel for any law of laws.h: contact after contact, the one-contact problem with all other reactions frozen.
//
//   for α = 1 … nc:   q̄^α = q^α + Σ_{β≠α} W^αβ r^β,   r^α ← solution of  r = P_X(r − ρ F(W^αα r + q̄^α))
//
// The one-contact problem is solved by the self-adaptive projection (fp-vi-upk, survey Algorithms 1 and 3, rule (101)) down to a fraction
// of its error before. Without iteration: r = 0 where the law allows it, F = 0 (stick) for the laws with F(u) = u + constant, and the
// normal law, whose one-contact problem is max(0, r_N − u_N/W_NN): this is the projected Gauss–Seidel of the survey (pgs).
//
// ρ never falls below 0.6/‖W^αα‖_F, which is short enough for every law whose F is u plus a constant or a part of it (all but Coulomb's):
// at the level of rounding the ratio of (101) is noise and would let ρ collapse.
//
// u = W r + q is kept up to date by block columns as in nsgs.h; a fresh one confirms before the run ends. Converges for the convex laws
// with symmetric semidefinite W; slow when the rank of W is far below m.
//
// References: Jourdan, Alart, Jean (1998); seed 004 §6.1 and Table 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>

#include "contact/laws.h"
#include "solvers/register.h"

namespace cornet {

struct LawGaussSeidelOptions {
  double local_reduction = 0.1;
  long local_iterations = 50;

  void visit(OptionVisitor& v) {
    v.real("local_reduction", local_reduction, {0, 1, false, true}, "the one-contact projection stops at this share of its first error");
    v.integer("local_iterations", local_iterations, {1, 1e6}, "its iteration limit");
  }
};

/// Laws whose F(u) is u plus a constant: F = 0 is then one linear system per contact.
template <class Law>
inline constexpr bool kShiftsByConstant = false;
template <int D>
inline constexpr bool kShiftsByConstant<ConeLaw<D>> = true;
template <int D>
inline constexpr bool kShiftsByConstant<CylinderLaw<D>> = true;

template <int D, class Law>
class LawGaussSeidel {
 public:
  explicit LawGaussSeidel(const LawGaussSeidelOptions& options) : options_(options) {}

  /// Once per matrix; the step lengths of the contacts then carry over from one run to the next.
  void prepare(const LocalSystem<D>& system) {
    u_.resize(system.size());
    rho_.resize(system.contacts());
    shortest_.resize(system.contacts());
    inverse_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) {
      const Mat<D>& W = system.W.diagonal(a);
      const double size = W.norm();
      rho_[a] = size > 0 && 1 / size < kLongest ? 1 / size : 1.0;
      shortest_[a] = 0.6 * rho_[a];
      bool regular = false;
      W.computeInverseWithCheck(inverse_[a], regular, 0.0);
      if (!regular || !inverse_[a].allFinite()) inverse_[a].setConstant(std::numeric_limits<double>::quiet_NaN());  // no stick candidate
    }
  }

  Termination run(const LocalSystem<D>& system, const Law& law, std::vector<double>& r, Monitor& monitor) {
    refresh(system, r, monitor);
    double error = full_error(system, law, r, monitor);
    while (error > monitor.tolerance()) {
      const bool moved = sweep(system, law, r);
      if ((monitor.iterations() + 1) % kRefreshEvery == 0) refresh(system, r, monitor);
      error = full_error(system, law, r, monitor);
      // Rounding piles up in u: only a fresh one may end the run.
      if (error <= monitor.tolerance()) refresh(system, r, monitor), error = full_error(system, law, r, monitor);
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) return *stop;
      if (!moved) return Termination::stalled;
    }
    return Termination::converged;
  }

 private:
  static constexpr long kRefreshEvery = 100;
  static constexpr double kLongest = 1e100;

  // One pass over the contacts, u = W r + q kept up to date. False when no contact moved.
  bool sweep(const LocalSystem<D>& system, const Law& law, std::vector<double>& r) {
    bool moved = false;
    for (int a = 0; a < system.contacts(); ++a) {
      auto r_a = contact<D>(r.data(), a);
      const Vec<D> old = r_a;
      const Vec<D> now = solve_contact(law, a, system.W.diagonal(a), contact<D>(u_.data(), a), old);
      const Vec<D> step = now - old;
      if ((step.array() == 0).all()) continue;
      r_a = now;
      moved = true;
      system.W.add_column(a, step, u_.data());
    }
    return moved;
  }

  Vec<D> solve_contact(const Law& law, int a, const Mat<D>& W, const Vec<D>& u, const Vec<D>& r) {
    if constexpr (std::is_same_v<Law, NormalLaw<D>>) {
      Vec<D> next = r;
      next[0] -= u[0] / (W(0, 0) > 0 ? W(0, 0) : 1.0);
      return law.project(a, next);
    }
    const Vec<D> q = u - W * r;
    // F(q̄) in the dual cone, or with −F(q̄) normal to X at 0: r = 0.
    if ((law.project(a, -rho_[a] * law.shifted(a, q)).array() == 0).all()) return Vec<D>::Zero();
    if constexpr (kShiftsByConstant<Law>) {
      Vec<D> sticking = r - inverse_[a] * law.shifted(a, u);
      if (law.project(a, sticking) == sticking) return sticking;
    }
    return fixed_point(law, a, W, q, r);
  }

  // r ← P_X(r − ρF) until ‖r − P_X(r − ρF)‖/ρ is a fraction of what it was.
  Vec<D> fixed_point(const Law& law, int a, const Mat<D>& W, const Vec<D>& q, Vec<D> r) {
    constexpr double kL = 0.9, kLMin = 0.3, kNu = 2.0 / 3.0;
    double& rho = rho_[a];
    Vec<D> F = law.shifted(a, W * r + q);
    double target = 0;
    for (long k = 0; k < options_.local_iterations; ++k) {
      Vec<D> next, next_F;
      double ratio = 0, moved = 0;
      for (;; rho = std::max(kNu * rho, shortest_[a])) {
        next = law.project(a, r - rho * F);
        next_F = law.shifted(a, W * next + q);
        moved = (r - next).norm();
        ratio = moved > 0 ? rho * (F - next_F).norm() / moved : 0.0;
        if (ratio <= kL || rho <= shortest_[a]) break;
      }
      const double residual = moved / rho;
      r = next;
      F = next_F;
      if (ratio < kLMin && rho < kLongest) rho /= kNu;
      if (k == 0) target = std::max(options_.local_reduction * residual, 1e-15 * q.norm());
      else if (residual <= target) break;
      if (moved == 0) break;
    }
    return r;
  }

  // u = W r + q from scratch.
  void refresh(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    monitor.count("products");
  }

  double full_error(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r, Monitor& monitor) {
    const double error = law_error(system, law, r.data(), u_.data());
    if (error < 0.9 * monitor.best_error() || error <= monitor.tolerance()) monitor.offer(error, r.data(), r.size());
    return error;
  }

  LawGaussSeidelOptions options_;
  std::vector<double> u_;
  std::vector<double> rho_, shortest_;
  std::vector<Mat<D>> inverse_;
};

}  // namespace cornet
