// A nonmonotone walk of proximal Newton steps: the method that does not stop at what stops a descent.
//
//   G(r) = F(r, W r + q),   F: Alart–Curnier (63), ρ_N = 1/W_NN, ρ_T = 1/λmax(W_TT);   θ = ‖G(r)‖
//   (J + Δ) d = −G(r),   J = ∂F/∂r + ∂F/∂u W,   Δ^α = δ w^α max|J^αα|,   w^α = 1, or ‖G^α‖ against its root mean square, within 1e-3 … 100
//
// Two rules accept a step and set the next δ; c counts the contacts that it moves to another case (take-off, stick, slide), θ* is the least θ so far:
//
//   by merit   θ(r + d) < min(5 θ(r), 20 θ*)               r ← r + d, and δ ← 0.1 δ where θ was halved, else ½ … 0.7 δ;  else δ ← 2 δ
//   by cases   c ≤ 4 C and θ(r + d) < 1000 θ*, C = nc/10   r ← r + d, and δ ← 2 δ where c > C, 0.7 δ where c ≤ C/2, half of it where c = 0;  else δ ← 4 δ
//   δ > 10     the bound is in the way: θ* ← 3 θ(r), δ ← 0.01
//
// One step is one Newton step on the problem with the proximal term δ/(2ρ)‖r − r_k‖²: a proximal point iteration that never solves its inner
// problem, and whose weight the steps choose themselves. Two properties make it robust where the statuses of many contacts are undecided
// (hyperstatic packings, strong friction, unsymmetric W):
//
// * G is piecewise smooth and θ has many local minima that are no solutions. A descent ends in one: on RockPile_tob1, demanding a smaller θ
//   stops after 9 steps, 1.2 θ needs 3200 steps and 5 θ some 340 to reach 1e-8. Above 10 θ the walk may run away; the bound 20 θ* holds it.
// * A large δ is safe and slow, a small one fast and unsafe. The factors keep δ at the edge, with as many failures as successes: it wanders
//   between 1e-5 and 1 over the run, and what a small δ breaks the next large ones mend.
//
// * Damping where the residual is: most contacts have their status for good, and a few clusters have not. A weight w^α in proportion to ‖G^α‖
//   lets the former take Newton steps while the latter are held. From six starts each, mean number of steps to 1e-8 with w = 1 and with these
//   weights: RockPile_tob1 2288 and 280, Capsules (150 contacts) 738 and 52, KaplasTower (283) 1047 and 700, two walls 1133 and 872, 431 and
//   202; weights like ‖G^α‖^½ are mostly between them, like ‖G^α‖^-½ worse than w = 1, like ‖G^α‖² stop. On some problems w = 1 is faster.
//
// * Counting cases: between two changes of case the equations are all but linear, so that c says how far the linear model was left, and θ does not
//   need to. Near a solution this keeps the walk near: from points of 500 sweeps (the 30 problems with 50 to 800 contacts on which a walk by
//   merit from gradients was slowest, to 1e-8) it takes 28 steps in the geometric mean and solves all 30 within 2 s, by merit with weights 59 and
//   29 of 30. C from nc/20 to nc/5, the bound from 300 to 1000 and other factors of δ change this by a third at most; without the bound three are
//   lost, with weights as well eight. Small δ where c is small is what moves it on: in the kernel of J, at hyperstatic contacts, a step is G/δ.
//
// A walk by merit starts from 300 iterations of spg, since far from a solution it may stay there. How long it takes is a matter of luck – of two starts
// one often needs ten times as many steps – so two walks take turns, one by merit with weights from zero, one by cases without from the guess as it
// is; the latter first where the error is below 1e-2. One that gains nothing for long is
// caught at a false solution (error 1e-8 … 1e-6, no solution near) and starts again from zero, with twice the gradients. Each time the error
// has fallen to a tenth, below 1e-4, the polish (polish.h) tries to end the run. Cost: one factorisation per step, 20 to 4000 of them. There is
// no proof of convergence; restarts without a gain end as stalled. Gradients count as iterations; the statistics have both apart.
//
// References: Rockafellar (1976) for the proximal point; Alart, Curnier (1991); seed 004 §5 and (63). The walk is ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "contact/residuals.h"
#include "linalg/newton_system.h"
#include "linalg/stop.h"
#include "solvers/ipm_matrix.h"
#include "solvers/polish.h"
#include "solvers/register.h"
#include "solvers/spg.h"

namespace cornet {

struct ProxNewtonOptions {
  double growth = 5;
  double rise = 20;
  double changes = 0.1;
  double far = 1000;
  double damping = 1e-3;
  bool polish = true;
  long gradients = 300;
  long patience = 1000;
  long rounds = 4;

  void visit(OptionVisitor& v) {
    v.real("growth", growth, {1, 1e6, false, true}, "walk by merit: growth of ‖G‖ that a step may have");
    v.real("rise", rise, {1, 1e6, false, true}, "the same against the least ‖G‖ so far");
    v.real("changes", changes, {0, 1, true, false},
           "walk by cases: share of the contacts that a step should move between take-off, stick and slide");
    v.real("far", far, {1, 1e9, false, true}, "growth of ‖G‖ against the least so far that such a step may have");
    v.real("damping", damping, {0, 1e3, true, true}, "δ of the first step, relative to the diagonal blocks of J");
    v.flag("polish", polish, "try nsn-polish each time the error has fallen to a tenth, below 1e-4");
    v.integer("gradients", gradients, {0, 1e9},
              "iterations of spg before a walk from zero; twice as many before every restart, at most 32 times as many");
    v.integer("patience", patience, {1, 1e9}, "steps without half the error after which a walk starts again");
    v.integer("rounds", rounds, {0, 1e9}, "restarts in a row without half the error after which the run ends as stalled");
  }
};

template <int D>
class ProxNewton {
 public:
  explicit ProxNewton(const ProxNewtonOptions& options) : options_(options), polish_(polish_options()) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    return go_on(system, r, std::numeric_limits<long>::max(), monitor);
  }

  /// The same in parts: prepare(), then go_on() for some steps at a time until it returns something else than iteration_limit. The walks start from
  /// the first r; later ones are only written. `bodies`, when it is there, makes the steps on the graph of bodies of a global problem instead of that
  /// of the contacts that touch, where it is predicted to be faster. What has ended as stalled may be asked again and goes on with more restarts.
  void prepare(const LocalSystem<D>& system, GlobalIpmMatrix<D>* bodies = nullptr) {
    const auto m = static_cast<Eigen::Index>(system.size());
    for (auto* a : {&u_, &minus_G_, &d_, &Wd_, &trial_}) a->resize(m);
    A_.resize(system.contacts());
    damped_.resize(system.contacts());
    B_.resize(system.contacts());
    cases_.resize(system.contacts());
    rho_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) rho_[a] = choose_rho<D>(RhoRule::split, 1, system.W.diagonal(a));
    newton_.analyse(system.W);
    bodies_ = bodies;
    form_chosen_ = !bodies;
    polish_at_ = kPolishAt;
    turn_ = steps_ = idle_ = 0;
    lowest_ = std::numeric_limits<double>::infinity();
  }

  Termination go_on(const LocalSystem<D>& system, std::vector<double>& r, long steps, Monitor& monitor) {
    const long before = steps_;
    const End end = both_walks(system, r, steps, monitor);
    lowest_ = std::min(lowest_, monitor.best_error());
    if (monitor.best().size() == r.size()) r = monitor.best();
    monitor.count("factorisations", static_cast<double>(steps_ - before));
    return end.value_or(Termination::stalled);
  }

 private:
  static constexpr double kSmallest = 1e-10, kLargest = 10, kAgain = 1e-2;  // of δ
  static constexpr double kTooMany = 4;                                     // times the wanted changes of case: the step is refused
  static constexpr double kLeastWeight = 1e-3, kMostWeight = 100;
  static constexpr double kPolishAt = 1e-4;
  static constexpr double kNear = 1e-2;        // error of a guess from which the walk by cases goes first
  static constexpr double kMostCoupled = 0.8;  // share of the contacts that touch up to which their graph may be the cheaper one
  static constexpr long kPolishSteps = 50;
  static constexpr long kTurn = 200;      // steps of the first turn of a walk
  static constexpr long kGradients = 32;  // most gradients before a restart, as a multiple of those before the first walk

  static PolishOptions polish_options() {
    PolishOptions options;
    options.until_floor = false;
    options.attempts = 1;
    options.patience = 4;
    return options;
  }

  using End = std::optional<Termination>;

  struct Walk {
    Eigen::VectorXd r;
    bool weighted = false;
    double damping = 0, shrink = 0.7, merit = 0, least = 0, error = 0, half = 0;
    long idle = 0;  // steps without half the error
  };

  // Two walks in turns that grow: with weights from zero, without from the guess, or where there is none from zero with more gradients. A guess
  // that may be near a solution goes first.
  End both_walks(const LocalSystem<D>& system, const std::vector<double>& guess, long steps, Monitor& monitor) {
    const std::vector<double> zero(guess.size(), 0.0);
    if (turn_ == 0) {
      guess_ = guess;
      gradients_ = options_.gradients;
      turn_ = kTurn;
      system.W.times(guess.data(), system.q.data(), u_.data());
      first_ = next_ = natural_map_error(system, guess.data(), u_.data()) <= kNear ? 1 : 0;
      walks_[0] = walks_[1] = Walk{};
      walks_[0].weighted = true;
      lowest_ = reached_ = std::numeric_limits<double>::infinity();
    }
    while (steps > 0) {
      Walk& walk = walks_[next_];
      const long before = steps_;
      if (walk.r.size() == 0) {
        const auto& start = walk.weighted ? zero : guess_;
        const long gradients = walk.weighted ? gradients_ : guess_ == zero ? 10 * gradients_ : 0;
        if (auto end = begin(system, start, gradients, 0.7, walk, monitor)) return end;
      }
      if (auto end = go_on(system, walk, std::min(turn_, steps), monitor)) return end;
      steps -= steps_ - before;
      next_ = 1 - next_;
      if (next_ == first_) turn_ *= 2;
      if (walk.idle <= options_.patience) continue;
      lowest_ = std::min(lowest_, monitor.best_error());
      idle_ = lowest_ < 0.5 * reached_ ? 0 : idle_ + 1;
      reached_ = lowest_;
      if (idle_ > options_.rounds) {
        idle_ = 0;  // whoever asks again gets as many more
        return {};
      }
      gradients_ = std::min(2 * gradients_, kGradients * options_.gradients);
      if (auto end = begin(system, zero, gradients_, walk.shrink == 0.7 ? 0.5 : 0.7, walk, monitor)) return end;
    }
    return Termination::iteration_limit;
  }

  // A walk from the best of some spectral gradients.
  End begin(const LocalSystem<D>& system, const std::vector<double>& start, long gradients, double shrink, Walk& walk, Monitor& monitor) {
    End stopped;
    Monitor inner({monitor.tolerance(), monitor.time_left(), gradients}, nullptr, [&](const HistoryEntry& entry) {
      stopped = monitor.step(entry.own_residual);
      return !stopped;
    });
    std::vector<double> r = start;
    if (gradients > 0) Spg<ExplicitOperator<D>>().run(system, r, inner);
    if (inner.best().size() == r.size()) r = inner.best();
    monitor.count("gradients", static_cast<double>(inner.iterations()));
    const bool weighted = walk.weighted;
    walk = Walk{};
    walk.r = Eigen::Map<const Eigen::VectorXd>(r.data(), u_.size());
    walk.damping = options_.damping;
    walk.shrink = shrink;
    walk.weighted = weighted;
    walk.merit = walk.least = linearise(system, walk.r);
    walk.error = natural_map_error(system, walk.r.data(), u_.data());
    walk.half = 0.5 * walk.error;
    monitor.offer(walk.error, r.data(), r.size());
    if (walk.error <= monitor.tolerance()) return Termination::converged;
    return stopped;
  }

  End go_on(const LocalSystem<D>& system, Walk& w, long steps, Monitor& monitor) {
    linearise(system, w.r);
    for (; steps > 0 && w.idle <= options_.patience; --steps, ++w.idle) {
      if (options_.polish && w.error <= polish_at_) {
        polish_at_ = 0.1 * w.error;
        polished_.assign(w.r.data(), w.r.data() + w.r.size());
        if (polish_.ends(system, polished_, kPolishSteps, monitor)) return Termination::converged;
      }
      const bool regular = step(system, w);
      trial_ = w.r + d_;
      const Trial trial = regular ? try_point(system, trial_) : Trial{};
      const Verdict verdict = w.weighted ? by_merit(w, trial) : by_cases(w, trial, system.contacts());
      w.damping = std::max(kSmallest, w.damping * verdict.factor);
      if (verdict.accepted) {
        w.r.swap(trial_);
        w.merit = linearise(system, w.r);
        w.least = std::min(w.least, w.merit);
        w.error = natural_map_error(system, w.r.data(), u_.data());
        monitor.offer(w.error, w.r.data(), system.size());
      } else if (w.damping > kLargest) {
        w.least = 3 * w.merit;
        w.damping = kAgain;
        monitor.count("ways_out");
      }
      if (w.error <= monitor.tolerance()) return Termination::converged;
      if (w.error <= w.half) w.half = 0.5 * w.error, w.idle = 0;
      if (const auto stop = monitor.step(w.error)) return stop;
    }
    return {};
  }

  // What a point would be: ‖G‖ there, and how many contacts are in another case than at the point of the walk.
  struct Trial {
    double merit = std::numeric_limits<double>::infinity();
    long changes = std::numeric_limits<long>::max();
  };

  // Of a rule on a step: whether it is accepted, and the factor of δ.
  struct Verdict {
    bool accepted;
    double factor;
  };

  Verdict by_merit(const Walk& w, const Trial& trial) const {
    if (!(trial.merit < std::min(options_.growth * w.merit, options_.rise * w.least))) return {false, 2};
    return {true, trial.merit < 0.5 * w.merit ? 0.1 : w.shrink};
  }

  Verdict by_cases(const Walk& w, const Trial& trial, int contacts) const {
    const double wanted = std::max(1.0, options_.changes * contacts), changes = static_cast<double>(trial.changes);
    if (!(changes <= kTooMany * wanted && trial.merit < options_.far * w.least)) return {false, 4};
    if (changes > wanted) return {true, 2};
    if (changes == 0) return {true, w.shrink * w.shrink};
    return {true, 2 * changes <= wanted ? w.shrink : 1};
  }

  // Open contacts are left out of a step on the contacts: where there are many, that may be the faster form.
  void choose_form(const LocalSystem<D>& system) {
    const auto coupled = std::count_if(B_.begin(), B_.end(), [](const Mat<D>& B) { return !B.isZero(0); });
    if (coupled == 0) return;
    form_chosen_ = true;
    if (static_cast<double>(coupled) > kMostCoupled * system.contacts()) return;
    try {
      if (newton_.seconds(system.W, B_) <= bodies_->step_seconds()) bodies_ = nullptr;
    } catch (const Stopped&) {  // no time for another analysis: as before
    }
  }

  bool step(const LocalSystem<D>& system, const Walk& w) {
    ++steps_;
    const double typical = minus_G_.norm() / std::sqrt(static_cast<double>(system.contacts()));
    for (int a = 0; a < system.contacts(); ++a) {
      const double weight = w.weighted ? std::clamp(contact<D>(minus_G_.data(), a).norm() / typical, kLeastWeight, kMostWeight) : 1;
      const double size = (A_[a] + B_[a] * system.W.diagonal(a)).cwiseAbs().maxCoeff();
      damped_[a] = A_[a];
      damped_[a].diagonal().array() += std::max(kSmallest, weight * w.damping) * (size > 0 ? size : 1);
    }
    if (!form_chosen_) choose_form(system);
    return bodies_ ? bodies_->newton_step(damped_, B_, minus_G_, d_) : newton_.solve_damped(system.W, damped_, B_, minus_G_, 0, 0, d_, Wd_);
  }

  // −G, ∂F/∂r, ∂F/∂u and u at r; returns ‖G‖.
  double linearise(const LocalSystem<D>& system, const Eigen::VectorXd& r) {
    system.W.times(r.data(), system.q.data(), u_.data());
    for (int a = 0; a < system.contacts(); ++a) {
      const auto j = alart_curnier<D>(contact<D>(r.data(), a), contact<D>(u_.data(), a), system.mu[a], rho_[a].normal, rho_[a].tangent);
      contact<D>(minus_G_.data(), a) = -j.F;
      A_[a] = j.dr;
      B_[a] = j.du;
      cases_[a] = case_of(j);
    }
    return minus_G_.norm();
  }

  Trial try_point(const LocalSystem<D>& system, const Eigen::VectorXd& r) {
    system.W.times(r.data(), system.q.data(), u_.data());
    double sum = 0;
    long changes = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      const auto j = alart_curnier<D>(contact<D>(r.data(), a), contact<D>(u_.data(), a), system.mu[a], rho_[a].normal, rho_[a].tangent);
      sum += j.F.squaredNorm();
      if (case_of(j) != cases_[a]) ++changes;
    }
    return {std::sqrt(sum), changes};
  }

  ProxNewtonOptions options_;
  NewtonSystem<D> newton_;
  Polish<D> polish_;
  Eigen::VectorXd u_, minus_G_, d_, Wd_, trial_;
  std::vector<double> guess_, polished_;
  std::vector<Mat<D>> A_, B_, damped_;  // damped_: A + Δ
  std::vector<RhoPair> rho_;
  std::vector<ContactCase> cases_;  // of the contacts at the point that was linearised
  GlobalIpmMatrix<D>* bodies_ = nullptr;
  bool form_chosen_ = false;
  Walk walks_[2];
  int next_ = 0;        // walk
  int first_ = 0;       // the one that began
  long turn_ = 0;       // steps of its turn; 0: nothing begun
  long gradients_ = 0;  // before the last restart
  long idle_ = 0;       // restarts in a row without half the error
  long steps_ = 0;
  double reached_ = 0, lowest_ = 0;  // least error at the last restart, and now
  double polish_at_ = 0;             // error below which the polish is tried next
};

}  // namespace cornet
