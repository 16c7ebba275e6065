// Nonsmooth Gauss–Seidel with relaxation: contact after contact, the one-contact problem with all other reactions frozen (survey Algorithm 7).
//
//   for α in the chosen order:   W̄ = W^αα/ω,   q̄ = u^α − W̄ r^α,   r^α ← solution of  u = W̄ r + q̄,  K ∋ r ⊥ u + g(u) ∈ K*
//
// ω = 1 is Gauss–Seidel (NSGS), other values PSOR (117)–(119). The one-contact solver is named by the id: ac, jm – nonsmooth Newton on the
// Alart–Curnier or Jean–Moreau function, -gp with Goldstein–Price line search; exact – closed form (quartic in space); fp-vi-upk –
// self-adaptive projection; fp-ds-one – a single projection. Contacts that open or stick are settled in closed form first (not for
// fp-ds-one). When an iterative one gives up on a contact, the exact solution is used and counted as local_fallbacks.
//
// u = W r + q is kept up to date column by column (block_matrix.h): a contact that does not move costs nothing, and the full error needs no
// product, only projections. Stopping (survey §8.1): the change of a sweep ‖r_k+1 − r_k‖ / ‖r_k‖ (132) says when the full error is worth
// computing; the switch adapts itself to the ratio of the two errors seen last. A fresh u confirms before the run ends.
//
// ω can adapt itself: every ten sweeps the mean contraction of the sweep change is compared with the one before; ω goes on in the direction
// that contracted better, turns around otherwise, and falls back to 1 with the best point when the error grows tenfold.
//
// Busy contacts (option focus): where the statuses of a few clusters are open, most contacts move little, and most of a sweep is spent on them. The
// contacts whose reaction moved by more than 0.7 of the root mean square in a sweep are swept again, with ω = 1.3, until their steps are within five
// times those of the others, at most `focus` times; then come all again. From 0.5 to 1, 3 to 8 and 5 to 20 all do. docs/universal.md has what it brings.
// Sweeps may cycle: after 500 iterations without a point better by a tenth they go on with ω = 0.7 everywhere, after as many more without, again as
// before, and wait half as long again from then on.
//
// Smoothing (option gradients): sweeps leave an error that differs from contact to contact, and some spectral gradients (spg.h) take two thirds of it
// away, on small and large piles, near the solution and far from it. They go on from the point of the sweeps after every 100 iterations, where the
// error is within four times the tolerance already after 20, and where the iterations end. They also break cycles of the sweeps.
//
// Cost per sweep: the columns of W of the contacts that move, plus nc small problems. Converges fast at loose tolerances and on full-rank
// problems; slow, or cycling, on strongly hyperstatic ones (rank of W much below m) with large μ.
//
// References: Mitsopoulou, Doudoumis (1987, 1988); Jourdan, Alart, Jean (1998); seed 004 §6.1, §6.3, §8.1.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "contact/alart_curnier.h"
#include "contact/one_contact.h"
#include "contact/residuals.h"
#include "solvers/register.h"
#include "solvers/spg.h"

namespace cornet {

enum class LocalMethod { ac, ac_gp, jm, jm_gp, exact, fp_ds_one, fp_vi_upk };
enum class LocalToleranceRule { fixed, adaptive };
enum class ContactOrder { given, shuffled_once, shuffled_each_sweep };
enum class ErrorRule { adaptive, full };
enum class OmegaRule { fixed, adaptive };

struct NsgsOptions {
  LocalMethod method = LocalMethod::ac;  // set by the id
  bool relaxed = false;                  // set by the id: ω may differ from 1
  double omega = 1;
  OmegaRule omega_rule = OmegaRule::fixed;
  LocalToleranceRule local_tolerance_rule = LocalToleranceRule::adaptive;
  double local_tolerance = 1e-14;
  long local_iterations = 30;
  RhoRule rho_rule = RhoRule::split;
  double rho = 1;
  ContactOrder order = ContactOrder::given;
  long seed = 1;
  ErrorRule error_rule = ErrorRule::adaptive;
  long focus = 0;
  long gradients = 0;

  void visit(OptionVisitor& v) {
    if (relaxed) {
      v.real("omega", omega, {0, 2, true, true}, "relaxation ω; below 1 damps, above 1 over-relaxes");
      v.choice("omega_rule", omega_rule, {"fixed", "adaptive"}, "fixed: ω as given; adaptive: ω starts there and follows the contraction");
    }
    if (method != LocalMethod::exact && method != LocalMethod::fp_ds_one) {
      v.choice("local_tolerance_rule", local_tolerance_rule, {"fixed", "adaptive"},
               "fixed: local_tolerance always; adaptive: a tenth of the contact's own error before the solve, not below local_tolerance");
      v.real("local_tolerance", local_tolerance, {0, 1, true, false}, "relative tolerance of the one-contact solver");
      v.integer("local_iterations", local_iterations, {1, 1e6}, "its iteration limit");
      if (method != LocalMethod::fp_vi_upk) visit_rho(v, rho_rule, rho);
    }
    v.choice("order", order, {"given", "shuffled_once", "shuffled_each_sweep"}, "order of the contacts in a sweep");
    v.integer("seed", seed, {0, 1e15}, "seed of the shuffles");
    v.choice("error_rule", error_rule, {"adaptive", "full"},
             "adaptive: the full error when the sweep change suggests it; full: after every sweep");
    if (!relaxed) {
      v.integer("focus", focus, {0, 1e6}, "further sweeps over the contacts that moved most, after every sweep over all");
      v.integer("gradients", gradients, {0, 1e6}, "spectral gradients that smooth the point of the sweeps, after every 100 of them");
    }
  }
};

template <int D>
class Nsgs {
 public:
  explicit Nsgs(const NsgsOptions& options) : options_(options) {}

  /// What the last run cost, in sweeps over all contacts.
  double sweeps() const {
    return moved_.empty() ? 0.0
                          : static_cast<double>(visits_) / static_cast<double>(moved_.size()) + kGradient * static_cast<double>(descents_);
  }

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    const Termination end = iterate(system, r, monitor);
    monitor.count("contact_solves", static_cast<double>(visits_));
    return end;
  }

 private:
  Termination iterate(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    refresh(system, r, monitor);
    double error = full_error(system, r, monitor);
    double switch_at = monitor.tolerance();  // sweep changes below it make the full error worth computing
    long next_check = 8;                     // … and it is computed at growing intervals anyway
    long smoothed = 0;                       // iteration of the last gradients
    while (error > monitor.tolerance()) {
      if (options_.order == ContactOrder::shuffled_each_sweep) shuffle();
      const double change = sweep(system, order_, r, monitor);
      if (options_.focus > 0) sweep_busy(system, r, monitor);
      const long k = monitor.iterations() + 1;
      if (k % kRefreshEvery == 0) refresh(system, r, monitor);
      if (change <= switch_at || k >= next_check || options_.error_rule == ErrorRule::full) {
        error = full_error(system, r, monitor);
        if (change <= switch_at) switch_at = 0.9 * change * std::min(1.0, std::max(0.1, monitor.tolerance() / error));
        next_check = k + std::max(8L, options_.focus > 0 ? std::min(kLook, k / 10) : k / 10);
        if (options_.focus > 0) change_pace(error, k);
      }
      if (k - smoothed >= (error <= kNear * monitor.tolerance() ? kSmoothNear : kSmoothEvery)) {
        error = smooth(system, r, monitor, error);
        smoothed = k;
      }
      if (options_.omega_rule == OmegaRule::adaptive) adapt_omega(system, r, change, error, monitor);
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) {
        error = full_error(system, r, monitor);  // the last point may be the best one
        if (*stop == Termination::iteration_limit && k - smoothed >= (error <= kNear * monitor.tolerance() ? 1 : kSmoothNear))
          error = smooth(system, r, monitor, error);
        return error <= monitor.tolerance() ? Termination::converged : *stop;
      }
      if (change == 0) return full_error(system, r, monitor) <= monitor.tolerance() ? Termination::converged : Termination::stalled;
    }
    return Termination::converged;
  }

  static constexpr long kRefreshEvery = 100;
  static constexpr long kOmegaWindow = 10;
  static constexpr double kBusy = 0.7, kCalm = 5, kBusyOmega = 1.3, kCautious = 0.7;
  static constexpr long kLook = 50, kPatience = 500;           // iterations
  static constexpr long kSmoothEvery = 100, kSmoothNear = 20;  // iterations
  static constexpr double kNear = 4;                           // times the tolerance

  void prepare(const LocalSystem<D>& system) {
    omega_ = options_.omega;
    busy_omega_ = kBusyOmega;
    gain_ = std::numeric_limits<double>::infinity();
    gained_ = 0;
    patience_ = kPatience;
    omega_factor_ = 1.1;
    window_start_ = window_rate_ = std::numeric_limits<double>::quiet_NaN();
    u_.resize(system.size());
    rho_.resize(system.contacts());
    vi_rho_.resize(system.contacts());
    inverse_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) {
      rho_[a] = choose_rho<D>(options_.rho_rule, options_.rho, system.W.diagonal(a));
      vi_rho_[a] = std::min(rho_[a].normal, rho_[a].tangent);
      bool regular = false;
      system.W.diagonal(a).computeInverseWithCheck(inverse_[a], regular, 0.0);
      if (!regular || !inverse_[a].allFinite()) inverse_[a].setConstant(std::numeric_limits<double>::quiet_NaN());  // no stick candidate
    }
    moved_.resize(system.contacts());
    visits_ = descents_ = 0;
    order_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) order_[a] = a;
    if (options_.order != ContactOrder::given)
      random_ = std::make_unique<std::mt19937_64>(options_.seed);  // costly to seed: only when used
    if (options_.order == ContactOrder::shuffled_once) shuffle();
  }

  // Fisher–Yates with our own mapping, so that the order is the same with every standard library.
  void shuffle() {
    for (std::size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[(*random_)() % k]);
  }

  // One pass over these contacts, u = W r + q kept up to date; returns ‖change of r‖ / ‖r‖.
  double sweep(const LocalSystem<D>& system, const std::vector<int>& order, std::vector<double>& r, Monitor& monitor) {
    double change = 0, norm = 0;
    long fallbacks = 0;
    visits_ += static_cast<long>(order.size());
    for (int a : order) {
      auto r_a = contact<D>(r.data(), a);
      const Vec<D> old = r_a;
      const Vec<D> now = solve_contact(system.W.diagonal(a), contact<D>(u_.data(), a), system.mu[a], a, old, fallbacks);
      norm += squared_norm<D>(now);
      const Vec<D> step = now - old;
      moved_[a] = squared_norm<D>(step);
      if (is_zero<D>(step)) continue;
      r_a = now;
      change += moved_[a];
      fresh_ = false;
      system.W.add_column(a, step, u_.data());
    }
    if (fallbacks > 0) monitor.count("local_fallbacks", static_cast<double>(fallbacks));
    return norm > 0 ? std::sqrt(change / norm) : std::sqrt(change);
  }

  // The further passes over the contacts that moved most in the last sweep (see the top of this file).
  void sweep_busy(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    double sum = 0, others = 0;
    for (double squared : moved_) sum += squared;
    const double mean = sum / static_cast<double>(moved_.size());
    busy_.clear();
    for (int a : order_) {
      if (moved_[a] > kBusy * kBusy * mean) busy_.push_back(a);
      else others += moved_[a];
    }
    if (busy_.size() == order_.size()) return;
    const double enough = kCalm * kCalm * others / static_cast<double>(order_.size() - busy_.size());
    const double omega = std::exchange(omega_, busy_omega_);
    for (long pass = 0; pass < options_.focus && !busy_.empty(); ++pass) {
      sweep(system, busy_, r, monitor);
      double moved = 0;
      for (int a : busy_) moved += moved_[a];
      if (moved <= enough * static_cast<double>(busy_.size())) break;
    }
    omega_ = omega;
  }

  // Spectral gradients from r, whose error this is; r becomes their best point, or stays. Returns its error.
  double smooth(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor, double error) {
    if (options_.gradients == 0 || error <= monitor.tolerance()) return error;
    Monitor inner({monitor.tolerance(), monitor.time_left(), options_.gradients}, nullptr,
                  [&](const HistoryEntry&) { return !monitor.expired(); });
    gradients_.run(system, r, inner);
    descents_ += inner.iterations();
    monitor.count("gradients", static_cast<double>(inner.iterations()));
    if (inner.best().size() == r.size()) r = inner.best();
    refresh(system, r, monitor);
    return full_error(system, r, monitor);
  }

  // Out of a cycle (see the top of this file), k: iterations so far.
  void change_pace(double error, long k) {
    if (error < 0.9 * gain_) {
      gain_ = error;
      gained_ = k;
    } else if (k - gained_ > patience_) {
      const bool cautious = omega_ != kCautious;
      omega_ = cautious ? kCautious : options_.omega;
      busy_omega_ = cautious ? kCautious : kBusyOmega;
      if (!cautious) patience_ += patience_ / 2;
      gained_ = k;
    }
  }

  // The new reaction of contact a with velocity u and reaction r.
  Vec<D> solve_contact(const Mat<D>& W_aa, const Vec<D>& u, double mu, int a, const Vec<D>& r, long& fallbacks) {
    if (options_.method == LocalMethod::fp_ds_one) {
      const CoulombCone<D> cone{mu};
      return cone.project(r - (omega_ * vi_rho_[a]) * cone.shifted(u));
    }
    Vec<D> now = r;
    if (opens_or_sticks(W_aa, u, mu, inverse_[a], now)) return now;
    if (omega_ == 1) return iterate_or_exact(W_aa, u, mu, a, r, fallbacks);
    return iterate_or_exact(Mat<D>(W_aa / omega_), u, mu, a, r, fallbacks);
  }

  Vec<D> iterate_or_exact(const Mat<D>& W, const Vec<D>& u, double mu, int a, const Vec<D>& r, long& fallbacks) {
    const Vec<D> q = u - W * r;
    Vec<D> now = r;
    if (solve_one(W, q, mu, a, now)) return now;
    ++fallbacks;
    now = r;
    solve_exact<D>(W, q, mu, now);
    return now;
  }

  // The two cases without iteration: take-off (q̄_N ≥ 0) and stick (−W̄⁻¹q̄ = r − ωW⁻¹u strictly inside K, W⁻¹ kept between sweeps).
  bool opens_or_sticks(const Mat<D>& W, const Vec<D>& u, double mu, const Mat<D>& inverse, Vec<D>& r) const {
    if (!(mu < std::numeric_limits<double>::infinity())) return false;
    double rest = omega_ * u[0];
    for (int i = 0; i < D; ++i) rest -= W(0, i) * r[i];
    if (rest >= 0) {
      r.setZero();
      return true;
    }
    const Vec<D> sticking = r - omega_ * (inverse * u);
    double tangent = 0;
    for (int i = 1; i < D; ++i) tangent += sticking[i] * sticking[i];
    if (!(sticking[0] > 0) || !(tangent < mu * mu * sticking[0] * sticking[0])) return false;
    r = sticking;
    return true;
  }

  // The one-contact solver of the id; false when it gives up.
  bool solve_one(const Mat<D>& W, const Vec<D>& q, double mu, int a, Vec<D>& r) {
    const int limit = static_cast<int>(options_.local_iterations);
    const double tolerance = options_.local_tolerance;
    const double reduction = options_.local_tolerance_rule == LocalToleranceRule::adaptive ? 0.1 : 0.0;
    const RhoPair rho{rho_[a].normal * omega_, rho_[a].tangent * omega_};
    switch (options_.method) {
      case LocalMethod::ac: return newton_ac<D>(W, q, mu, rho, tolerance, limit, false, r, reduction).converged;
      case LocalMethod::ac_gp: return newton_ac<D>(W, q, mu, rho, tolerance, limit, true, r, reduction).converged;
      case LocalMethod::jm: return newton_jm<D>(W, q, mu, rho, tolerance, limit, false, r, reduction).converged;
      case LocalMethod::jm_gp: return newton_jm<D>(W, q, mu, rho, tolerance, limit, true, r, reduction).converged;
      case LocalMethod::fp_vi_upk: return vi_fixed_point<D>(W, q, mu, vi_rho_[a], tolerance, limit, r, reduction).converged;
      case LocalMethod::exact:
      case LocalMethod::fp_ds_one: break;
    }
    solve_exact<D>(W, q, mu, r);
    return true;
  }

  // The self-adaptive ω (see the top of this file).
  void adapt_omega(const LocalSystem<D>& system, std::vector<double>& r, double change, double error, Monitor& monitor) {
    if (error > 10 * monitor.best_error()) {
      r = monitor.best();
      refresh(system, r, monitor);
      omega_ = 1;
      omega_factor_ = 1 / 1.05;
      window_start_ = window_rate_ = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    if ((monitor.iterations() + 1) % kOmegaWindow != 0 || !(change > 0)) return;
    const double rate = change / window_start_;  // NaN in the first window
    if (rate > window_rate_) omega_factor_ = 1 / omega_factor_;
    if (std::isfinite(rate)) omega_ = std::clamp(omega_ * omega_factor_, 0.5, 1.8);
    window_rate_ = rate;
    window_start_ = change;
  }

  // u = W r + q from scratch.
  void refresh(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    fresh_ = true;
    monitor.count("products");
  }

  double full_error(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    double error = natural_map_error(system, r.data(), u_.data());
    if (error <= monitor.tolerance() && !fresh_) {  // rounding piles up in u, after reactions of 1e15 more than u itself
      refresh(system, r, monitor);
      error = natural_map_error(system, r.data(), u_.data());
    }
    monitor.offer(error, r.data(), r.size());
    return error;
  }

  NsgsOptions options_;
  double omega_ = 1;
  double omega_factor_ = 1.1;
  double window_start_ = 0;
  double window_rate_ = 0;
  std::vector<double> u_;
  bool fresh_ = false;  // u_ is W r + q of these r, not kept up to date
  std::vector<RhoPair> rho_;
  std::vector<double> vi_rho_;
  std::vector<Mat<D>> inverse_;
  double busy_omega_ = kBusyOmega;
  double gain_ = 0;                 // the error that has to fall by a tenth
  long gained_ = 0, patience_ = 0;  // iterations
  std::vector<int> order_, busy_;
  std::vector<double> moved_;  // squared, at the last visit
  long visits_ = 0;            // one-contact problems of the run,
  long descents_ = 0;          // its gradients
  std::unique_ptr<std::mt19937_64> random_;
  Spg<ExplicitOperator<D>> gradients_;
};

}  // namespace cornet
