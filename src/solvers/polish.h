// From a near solution to the last digit: nonsmooth Newton on the Alart–Curnier function for matrices W of any rank.
//
//   G(r) = F(r, W r + q),   F: (63), ρ_N = 1/W_NN, ρ_T = 1/λmax(W_TT)
//   (J + δ) d = −G,   J = ∂F/∂r + ∂F/∂u W,   δ = min(error, 1e-3), at least 1e-10;   up to 3 corrections with J itself;   r ← r + d
//
// Rigid packings are hyperstatic: reactions are not unique and J is singular at every solution. In the rows of sticking contacts J is ρ W, so
// that δ is a proximal term δ/ρ ‖d‖²/2: it keeps the step out of the kernel, where r would drift. −G has a part of size error² outside the
// range of J; with δ of the size of the error the step carries no more than error of it, and convergence stays quadratic (the rule of
// Levenberg–Marquardt methods under an error bound, Yamashita and Fukushima 2001, here on J itself, which keeps the sparsity of W).
//
// Full steps, no line search: near a solution the statuses of a few contacts are wrong, and the error must be allowed to rise while they
// change. Measured on the problems at hand, a line search lost a tenth of the answers at 1e-4 (docs/families/nonsmooth-newton.md). What keeps
// it safe is the memory: the best point is returned, and an attempt ends after `patience` steps without gain. It is then tried again from
// the best point with other statuses at the contacts in doubt, which another ρ decides differently.
//
// Status memory: below 1e-7 a contact whose status has changed three times in an attempt has no status of its own: it sits on the boundary
// between two, and each branch throws it into the other. It then gets the equations of both, which its solution satisfies:
//
//   take-off and contact    ρ u + r = 0  (r_T = 0 alone where it never stuck)
//   stick and slide         ρ (u + n (n·r)/ρ_T) = 0 with the outward normal n of the cone at r: u = 0 and r on the boundary. For symmetric W
//                           the kernel of W + n nᵀ/ρ_T is that of both equations, so that reactions can move along the kernel of W into K.
//
// u = W r + q for G is summed in extended precision, so that the last steps are not lost where ‖W‖‖r‖ ≫ ‖q‖.
//
// Ends at the tolerance, or with until_floor at 1e-12 or the floor of rounding (core/rounding.h), whichever is larger, as long as the steps gain.
// Fails from answers worse than about 1e-4 and where the statuses of many contacts are undecided: it then returns the best point as
// `stalled`, after few factorisations, for another method to go on.
//
// References: Alart, Curnier (1991); Yamashita, Fukushima (2001); seed 004 (63), (111).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "contact/residuals.h"
#include "core/rounding.h"
#include "linalg/newton_system.h"
#include "solvers/ipm_matrix.h"
#include "solvers/register.h"

namespace cornet {

struct PolishOptions {
  bool until_floor = true;
  long patience = 8;
  long attempts = 3;
  double largest_damping = 1e-3;

  void visit(OptionVisitor& v) {
    v.flag("until_floor", until_floor, "go on below the tolerance to 1e-12 or the floor of rounding, as long as the steps gain");
    v.integer("patience", patience, {0, 1000}, "steps without half the error after which an attempt ends");
    v.integer("attempts", attempts, {1, 5}, "attempts with different ρ, each from the best point so far");
    v.real("largest_damping", largest_damping, {0, 1, true, false}, "largest δ, relative to the diagonal blocks of J");
  }
};

/// What a polish came to.
enum class PolishReached { neither, floor, digits };

template <int D>
class Polish {
 public:
  explicit Polish(const PolishOptions& options) : options_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    newton_.analyse(system.W);
    const auto step = [&](double damping) {
      const bool done = newton_.solve_damped(system.W, A_, B_, minus_G_, damping, kRefinements, d_, Wd_);
      factorisations_ = newton_.factorisations();
      return done;
    };
    return run(ExplicitOperator<D>(system), step, r, monitor);
  }

  /// Rigid bodies of a global problem: every step on their graph, without W.
  Termination run(GlobalIpmMatrix<D>& bodies, std::vector<double>& r, Monitor& monitor) {
    const auto step = [&](double damping) {
      ++factorisations_;
      return bodies.solve_damped(A_, B_, minus_G_, damping, kRefinements, d_);
    };
    return run(bodies.delassus(), step, r, monitor);
  }

  /// The polish as the end of another method's run: from r, within the limits of that run and `steps` steps; what it finds is offered to
  /// `monitor`. True: r meets the tolerance.
  template <class Form>
  bool ends(Form& form, std::vector<double>& r, long steps, Monitor& monitor) {
    Monitor inner({monitor.tolerance(), monitor.time_left(), steps}, nullptr, [&](const HistoryEntry&) { return !monitor.expired(); });
    const Termination how = run(form, r, inner);
    monitor.count("polish_steps", static_cast<double>(inner.iterations()));
    monitor.offer(best_, r.data(), r.size());
    return how == Termination::converged;
  }

  PolishReached reached() const { return reached_; }
  double error() const { return best_; }                       ///< of the point returned
  double floor() const { return floor_; }                      ///< of rounding there
  const double* velocities() const { return best_u_.data(); }  ///< u of the point returned

 private:
  static constexpr double kDigits = 1e-12;  // an answer better than this is as good as exact
  static constexpr double kSmallestDamping = 1e-10;
  static constexpr double kNearFloor = 30;  // errors up to this multiple of the floor are made of rounding
  static constexpr double kLost = 1e6;      // growth of the error that ends an attempt,
  static constexpr double kClose = 1e-4;    // from here at least: from below 100 the next step often comes back
  static constexpr int kRefinements = 3;
  static constexpr double kSure = 1e-7;                      // error below which changing statuses mean doubt
  static constexpr int kDoubt = 3;                           // as many changes of status
  static constexpr double kScales[] = {1, 0.1, 10, 0.3, 3};  // of ρ, one attempt each

  // `step(δ)` solves (J + δ) d = −G from A_, B_ and minus_G_.
  template <class Operator, class Step>
  Termination run(const Operator& op, Step&& step, std::vector<double>& r, Monitor& monitor) {
    prepare(op, r, monitor);
    std::optional<Termination> stop;
    for (long k = 0; k < options_.attempts && !finished(monitor) && !stop; ++k) {
      const double before = best_;
      stop = descend(op, step, kScales[k], monitor);
      // Below the tolerance other statuses are not worth a try: rounding decides them.
      if (best_ <= monitor.tolerance() && k > 0 && !(best_ < 0.5 * before)) break;
    }
    Eigen::Map<Eigen::VectorXd>(r.data(), best_r_.size()) = best_r_;
    report(monitor);
    if (best_ <= monitor.tolerance()) return Termination::converged;
    return stop.value_or(Termination::stalled);
  }

  template <class Operator>
  void prepare(const Operator& op, const std::vector<double>& r, Monitor& monitor) {
    const auto m = static_cast<Eigen::Index>(op.size());
    r_ = Eigen::Map<const Eigen::VectorXd>(r.data(), m);
    for (auto* a : {&u_, &exact_u_, &minus_G_, &d_, &Wd_}) a->resize(m);
    A_.resize(op.contacts());
    B_.resize(op.contacts());
    rho_.resize(op.contacts());
    factorisations_ = 0;
    best_ = std::numeric_limits<double>::infinity();
    best_r_ = r_;
    target_ = std::min(kDigits, monitor.tolerance());
    measure(op, monitor);
    floor_ = rounding_floor(op, r_.data(), sum_work_);
  }

  bool finished(const Monitor& monitor) const { return best_ <= target_ || (!options_.until_floor && best_ <= monitor.tolerance()); }

  // Error of r_, which becomes the best point if it is one. Judged with u in double precision, as everywhere.
  template <class Operator>
  double measure(const Operator& op, Monitor& monitor) {
    op.velocities(r_.data(), u_.data());
    const double error = natural_map_error<D>(op.mu(), op.norm_q(), r_.data(), u_.data());
    if (error < best_) {
      best_ = error;
      best_r_ = r_;
      best_u_ = u_;
      monitor.offer(error, r_.data(), op.size());
    }
    return error;
  }

  // Newton steps from the best point until finished, lost, or without gain for too long.
  template <class Operator, class Step>
  std::optional<Termination> descend(const Operator& op, Step&& step, double scale, Monitor& monitor) {
    for (int a = 0; a < op.contacts(); ++a) {
      const RhoPair rho = choose_rho<D>(RhoRule::split, 1, op.diagonal(a));
      rho_[a] = {scale * rho.normal, scale * rho.tangent};
    }
    r_ = best_r_;
    last_.assign(op.contacts(), 0);
    met_.assign(op.contacts(), 0);
    changes_.assign(op.contacts(), 0);
    double error = best_;
    const double start = best_;
    for (long without_gain = 0; !finished(monitor) && without_gain <= options_.patience;) {
      linearise(op, error);
      if (!step(std::max(kSmallestDamping, std::min(error, options_.largest_damping)))) break;
      r_ += d_;
      for (int a = 0; a < op.contacts(); ++a)  // exactly: elimination with other rows leaves rounding
        if (op.mu()[a] == 0) contact<D>(r_.data(), a).template tail<D - 1>().setZero();
      const double half = 0.5 * best_;
      error = measure(op, monitor);
      without_gain = error < half ? 0 : without_gain + 1;
      if (const auto stop = monitor.step(error)) return stop;
      if (!(error < kLost * std::max(kClose, start))) break;
      // Near the floor a step that gains nothing is the last one.
      if (without_gain > 0 && best_ <= kNearFloor * rounding_floor(op, best_r_.data(), sum_work_)) break;
    }
    floor_ = rounding_floor(op, best_r_.data(), sum_work_);
    return {};
  }

  // −G, ∂F/∂r and ∂F/∂u at r_, with u in extended precision.
  template <class Operator>
  void linearise(const Operator& op, double error) {
    op.exact_velocities(r_.data(), sum_);
    for (std::size_t k = 0; k < op.size(); ++k) exact_u_[static_cast<Eigen::Index>(k)] = static_cast<double>(sum_[k]);
    for (int a = 0; a < op.contacts(); ++a) {
      const Vec<D> r = contact<D>(r_.data(), a), u = contact<D>(exact_u_.data(), a);
      auto j = alart_curnier<D>(r, u, op.mu()[a], rho_[a].normal, rho_[a].tangent);
      const ContactCase status = case_of(j);
      if (last_[a] != 0 && status != last_[a]) ++changes_[a];
      last_[a] = status;
      met_[a] |= status;
      if (changes_[a] >= kDoubt && error < kSure) j = both(r, u, op.mu()[a], rho_[a], met_[a]);
      contact<D>(minus_G_.data(), a) = -j.F;
      A_[a] = j.dr;
      B_[a] = j.du;
    }
  }

  // The equations of a contact between the statuses it has met.
  static ContactJacobian<D> both(const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho, int met) {
    ContactJacobian<D> j;
    Vec<D> of_r = Vec<D>::Zero(), of_u = Vec<D>::Constant(rho.tangent);
    of_u[0] = rho.normal;
    if (met & kTakesOff) {
      const bool rough = !(mu < std::numeric_limits<double>::infinity()), stuck = mu > 0 && (met & kSticks);
      of_r[0] = 1;
      for (int i = 1; i < D; ++i) {
        of_r[i] = rough ? 0 : 1;
        if (!rough && !stuck) of_u[i] = 0;
      }
    }
    j.dr = of_r.asDiagonal();
    j.du = of_u.asDiagonal();
    j.F = of_u.cwiseProduct(u) + of_r.cwiseProduct(r);
    const double t = tangent_norm<D>(r);
    if ((met & kTakesOff) || !(t > 0)) return j;
    Vec<D> n;
    const double length = std::sqrt(1 + mu * mu);
    n[0] = -mu / length;
    for (int i = 1; i < D; ++i) n[i] = r[i] / (t * length);
    const double outside = n.dot(r);
    if (outside < -kSure * r.norm()) return j;  // well inside: it sticks
    const Vec<D> direction = of_u.cwiseProduct(n) / rho.tangent;
    j.F += direction * outside;
    j.dr += direction * n.transpose();
    return j;
  }

  void report(Monitor& monitor) {
    // Where the floor lies above the target, a smaller error is luck of one order of summation.
    reached_ = std::max(best_, floor_) <= target_ ? PolishReached::digits
               : best_ <= kNearFloor * floor_     ? PolishReached::floor
                                                  : PolishReached::neither;
    monitor.count("factorisations", static_cast<double>(factorisations_));
    monitor.count("polish_reached", static_cast<double>(reached_));
    monitor.count("rounding_floor", floor_);
    switch (reached_) {
      case PolishReached::digits: monitor.set_message(fmt::format("polished to {:.0e}", target_)); break;
      case PolishReached::floor: monitor.set_message(fmt::format("polished to the floor of rounding, about {:.0e} here", floor_)); break;
      case PolishReached::neither:
        monitor.set_message(fmt::format("the polish ended at {:.1e}, above the floor of rounding {:.0e}", best_, floor_));
        break;
    }
  }

  PolishOptions options_;
  NewtonSystem<D> newton_;
  Eigen::VectorXd r_, u_, exact_u_, minus_G_, d_, Wd_, best_r_, best_u_;
  std::vector<long double> sum_;
  std::vector<double> sum_work_;
  std::vector<Mat<D>> A_, B_;
  std::vector<RhoPair> rho_;
  std::vector<int> last_, met_, changes_;  // case of each contact in the step before, those it had in this attempt, how often they changed
  long factorisations_ = 0;
  double best_ = 0, floor_ = 0, target_ = 0;
  PolishReached reached_ = PolishReached::neither;
};

}  // namespace cornet
