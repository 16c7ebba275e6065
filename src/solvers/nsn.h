// Nonsmooth Newton on all contacts at once: one algorithm for every residual function of contact/residuals.h and every line search.
//
//   G(r) = F(r, u),  u = W r + q      F: AC (63), JM (61), natural map (51), FB (79), HSW (66), XSW (65)
//   (∂F/∂r + ∂F/∂u W) d = −G,   r ← r + t d                                                            [survey Algorithm 4]
//
//   none              t = 1
//   goldstein_price   m₂ θ'(0) ≤ (θ(t) − θ(0))/t ≤ m₁ θ'(0)  for the merit θ(t) = ½‖G(r + t d)‖²                       [Algorithm 5]
//   armijo            (θ(t) − θ(0))/t ≤ m₁ θ'(0), t halved until it holds                                           [Algorithm 6]
//
// The merit is ½‖G‖², smooth where G is, in place of ½‖G‖ (113). When a line search runs out of trials the last step is taken, as in the
// survey. Ten trials by default, not more: a step cut down to nothing at a kink repeats itself, a short one walks on.
// ρ by default: (110) for AC, NM and FB, (111) for JM, HSW and XSW. The survey takes (111) for AC too; measured on the real problems at 1e-4
// (110) solves 51 of 57 instead of 44 without line search and 55 instead of 54 with Goldstein–Price: (111) cycles on the Rover contacts.
// Hybrid start: a number of extragradient steps (vi.h, rule upk) before the first Newton step.
//
// Quadratic convergence near a solution where the generalised Jacobian is regular: full-rank W (flexible bodies) above all. Far from it, or
// with rank-deficient W, the Jacobian may be singular: the step is then regularised (newton_system.h) and counted in the statistics. Plain
// Newton may cycle; a line search may end at a stationary point of the merit that is no solution. Both end as `stalled`.
//
// Cycles: after every 100 iterations without a better error the run goes back to its best point and leaves it by one damped step
// (A + B W + δ) d = −G, δ = 1e-3, 1e-2 … 10 in turn (statistics: cycles_left). Without it, whether a plain Newton method leaves its cycle hangs on
// the last digits of W.
//
// References: Alart, Curnier (1991); Bonnans et al. (2003) ch. 3; Qi, Sun (1993); seed 004 §5.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "contact/residuals.h"
#include "linalg/newton_system.h"
#include "solvers/register.h"
#include "solvers/vi.h"

namespace cornet {

enum class LineSearch { none, goldstein_price, armijo };

struct NsnOptions {
  ResidualFunction function = ResidualFunction::alart_curnier;  // set by the id
  LineSearch search = LineSearch::none;                         // set by the id
  bool hybrid = false;                                          // set by the id
  RhoRule rho_rule = RhoRule::split;
  double rho = 1;
  double m1 = 0.01;
  double m2 = 0.99;
  double extrapolation = 2;
  long line_search_steps = 10;
  long start_iterations = 100;
  long patience = 1000;

  void visit(OptionVisitor& v) {
    visit_rho(v, rho_rule, rho);
    if (search != LineSearch::none) {
      v.real("m1", m1, {0, 0.5, true, true}, "line search: least decrease, as a part of the slope");
      v.integer("line_search_steps", line_search_steps, {1, 1000}, "line search: trials per iteration; then the last step is taken");
    }
    if (search == LineSearch::goldstein_price) {
      v.real("m2", m2, {0.5, 1, true, true}, "Goldstein–Price: most decrease, as a part of the slope");
      v.real("extrapolation", extrapolation, {1, 10, true, false}, "Goldstein–Price: factor a > 1 by which a too short step grows");
    }
    if (hybrid) v.integer("start_iterations", start_iterations, {0, 1e6}, "extragradient steps before the first Newton step");
    v.integer("patience", patience, {1, 1e6}, "iterations without a better error after which the run ends as stalled");
  }
};

template <int D>
class Nsn {
 public:
  explicit Nsn(const NsnOptions& options) : options_(options), start_(extragradient()) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (options_.hybrid) hybrid_start(system, r, monitor);
    prepare(system, r);
    Termination end = Termination::converged;
    long best_at = monitor.iterations();
    while (true) {
      const double error = natural_map_error(system, r_.data(), u_.data());
      if (error < monitor.best_error()) best_at = monitor.iterations();
      monitor.offer(error, r_.data(), r.size());
      if (error <= monitor.tolerance()) break;
      if (!std::isfinite(error)) {
        end = Termination::diverged;
        break;
      }
      if (monitor.iterations() - best_at > options_.patience) {
        end = Termination::stalled;
        break;
      }
      const long waited = monitor.iterations() - best_at;
      const bool leave = waited > 0 && waited % kCycle == 0;
      if (leave) {
        r_ = Eigen::Map<const Eigen::VectorXd>(monitor.best().data(), r_.size());
        system.W.times(r_.data(), system.q.data(), u_.data());
        monitor.count("cycles_left");
      }
      linearise(system);
      if (leave) damping_ = damping_ < kLargest ? 10 * damping_ : kSmallest;
      if (!(leave ? newton_.solve_damped(system.W, A_, B_, minus_G_, damping_, 0, d_, Wd_)
                  : newton_.solve(system.W, A_, B_, minus_G_, d_, Wd_))) {
        end = Termination::breakdown;
        break;
      }
      const double t = options_.search == LineSearch::none ? 1.0 : line_search(system, monitor);
      // u from r itself, so that rounding does not pile up.
      r_ += t * d_;
      system.W.times(r_.data(), system.q.data(), u_.data());
      if (const auto stop = monitor.step(error)) {
        end = *stop;
        break;
      }
    }
    Eigen::Map<Eigen::VectorXd>(r.data(), r_.size()) = r_;
    monitor.count("factorisations", static_cast<double>(newton_.factorisations()));
    if (newton_.regularised() > 0) monitor.count("regularised_steps", static_cast<double>(newton_.regularised()));
    return end;
  }

 private:
  static constexpr long kCycle = 100;  // iterations without a better error after which one damped step leaves the cycle
  static constexpr double kSmallest = 1e-3, kLargest = 10;  // its damping, in turn
  double damping_ = 0;                                      // of the last one; each run starts anew

  static ViOptions extragradient() {
    ViOptions options;
    options.extragradient = true;
    options.rule = StepRule::upk;
    return options;
  }

  // The best of the first extragradient steps; the clock and the interruption stay those of the caller.
  void hybrid_start(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (options_.start_iterations == 0) return;
    Monitor inner(Limits{monitor.tolerance(), std::numeric_limits<double>::infinity(), options_.start_iterations}, nullptr,
                  [&](const HistoryEntry&) { return !monitor.expired(); });
    start_.run(system, CoulombLaw<D>{system.mu.data()}, r, inner);
    if (inner.best().size() == r.size()) r = inner.best();
    monitor.count("start_iterations", static_cast<double>(inner.iterations()));
  }

  void prepare(const LocalSystem<D>& system, const std::vector<double>& r) {
    const auto m = static_cast<Eigen::Index>(system.size());
    r_ = Eigen::Map<const Eigen::VectorXd>(r.data(), m);
    for (auto* a : {&u_, &minus_G_, &d_, &Wd_}) a->resize(m);
    A_.resize(system.contacts());
    B_.resize(system.contacts());
    rho_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) rho_[a] = choose_rho<D>(options_.rho_rule, options_.rho, system.W.diagonal(a));
    newton_.analyse(system.W);
    damping_ = kSmallest / 10;
    system.W.times(r_.data(), system.q.data(), u_.data());
  }

  // −G, ∂F/∂r and ∂F/∂u at (r, u).
  void linearise(const LocalSystem<D>& system) {
    for (int a = 0; a < system.contacts(); ++a) {
      const auto j = residual<D>(options_.function, contact<D>(r_.data(), a), contact<D>(u_.data(), a), system.mu[a], rho_[a]);
      contact<D>(minus_G_.data(), a) = -j.F;
      A_[a] = j.dr;
      B_[a] = j.du;
    }
  }

  double merit(const LocalSystem<D>& system, double t) const {
    double sum = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      const Vec<D> r = contact<D>(r_.data(), a) + t * contact<D>(d_.data(), a),
                   u = contact<D>(u_.data(), a) + t * contact<D>(Wd_.data(), a);
      sum += residual_value<D>(options_.function, r, u, system.mu[a], rho_[a]).squaredNorm();
    }
    return 0.5 * sum;
  }

  // Algorithms 5 and 6: the step length along d.
  double line_search(const LocalSystem<D>& system, Monitor& monitor) const {
    double slope = 0;
    for (int a = 0; a < system.contacts(); ++a)
      slope -= contact<D>(minus_G_.data(), a).dot(A_[a] * contact<D>(d_.data(), a) + B_[a] * contact<D>(Wd_.data(), a));
    if (!(slope < 0)) return 1;
    const double start = 0.5 * minus_G_.squaredNorm();
    double t = 1, left = 0, right = 0;
    for (long k = 0; k < options_.line_search_steps; ++k) {
      const double difference = (merit(system, t) - start) / t;
      if (!(difference <= options_.m1 * slope)) right = t;
      else if (options_.search == LineSearch::goldstein_price && difference < options_.m2 * slope) left = t;
      else return t;
      t = right == 0 ? options_.extrapolation * t : 0.5 * (left + right);
    }
    monitor.count("line_search_failures");
    return t;
  }

  NsnOptions options_;
  ViProjection<D, CoulombLaw<D>> start_;
  NewtonSystem<D> newton_;
  Eigen::VectorXd r_, u_, minus_G_, d_, Wd_;
  std::vector<Mat<D>> A_, B_;
  std::vector<RhoPair> rho_;
};

}  // namespace cornet
