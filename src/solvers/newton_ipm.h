// Interior point on the exact friction problem: predictor–corrector first, the traced central path where that fails, nonsmooth Newton for the
// last digits.
//
//   F(x, y) = 0,   x ∘ y = σ τ e,   τ = xᵀy/nc → 0                                       (ipm_system.h has F, the scaling and the linear algebra)
//
// 1. Predictor–corrector (Mehrotra) from a central start, or from a guess with an error below 0.3 that is moved onto the centre: affine step
//    (σ = 0), σ = (1 − α_aff)³, then the step with the second-order terms of x ∘ y and of the shift s(y). One step length for x and y, since F
//    couples them: 0.9 of the way to the boundary, cut until the point keeps √(det x det y) ≥ 0.01 τ in every contact. One factorisation per
//    iteration, 11 to 12 iterations on average to 1e-6.
// 2. A long step may leave the branch of the path, or a few contacts are far off the centre: the steps die. After a step below 0.1 every
//    contact is moved back to the centre at ten times the complementarity (IpmSystem::recentre), which changes x and y little, and the steps go
//    on, after every other recentring with 0.8 of ∇s in the matrix: closer to a monotone problem, with longer steps; what is left out
//    of ∇s the corrector makes up for. It ends when six recentrings have not halved the error. Of the 204 problems of the data set with up to
//    3000 contacts the plain steps solve 178 to 1e-4 and 172 to 1e-8, with recentrings it is 201 and 194.
// 3. The central path of a problem with friction may fold back. Then the path itself is followed from the start (central_path.h). This is the
//    globalisation: slower, 30 to 150 factorisations, but it follows folds.
// 4. At the error `handover` the statuses of the contacts are sharp, and the polish (polish.h) ends the run in a few steps; where it does not,
//    the interior point goes on and it is tried again at a tenth of the error.
//
// The matrix A + T P² is regular off the folds, so nothing is regularised; pivots that rounding makes tiny are replaced and the solve refined
// (linalg/contact_lu.h).
//
// No solution: reactions grow without bound while F stays. When they exceed 1e8 times their natural size, or everything stalls, the existence criterion decides,
// and a verified certificate of impossibility ends the run (no_solution).
//
// References: Nesterov, Todd (1997); Mehrotra (1992); Acary, Armand, Nguyen (interior point with the norm of the sliding velocity).
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "cornet/reduce.h"
#include "solvers/central_path.h"
#include "solvers/polish.h"

namespace cornet {

struct NewtonIpmOptions {
  double handover = 1e-6;
  bool polish = true;
  double boundary = 0.9;
  double boundary_many = 0.75;
  double centrality = 1e-2;
  double short_step = 0.1;
  double shift_share = 0.8;
  long recentrings = 20;
  long path_steps = 600;

  void visit(OptionVisitor& v) {
    v.flag("polish", polish, "end with nonsmooth Newton from `handover` on");
    v.real("handover", handover, {0, 1, true, true}, "error at which the polish is tried first");
    v.real("boundary", boundary, {0, 1, true, true}, "share of the way to the boundary of the cones that a step may take");
    v.real("boundary_many", boundary_many, {0, 1, true, true}, "the same for more than 1000 contacts");
    v.real("centrality", centrality, {0, 1, true, true}, "least √(det x det y) of a contact after a step, as a part of τ");
    v.real("short_step", short_step, {0, 1, false, true}, "a step below it ends the predictor–corrector or has the point recentred");
    v.real("shift_share", shift_share, {0, 1}, "share of the derivative of the shift after every other recentring");
    v.integer("recentrings", recentrings, {0, 1e6}, "how often the point may be recentred");
    v.integer("path_steps", path_steps, {0, 1e6}, "factorisations for tracing the central path; 0: never trace it");
  }
};

template <int D>
class InteriorPoint {
 public:
  using Point = typename IpmSystem<D>::Point;
  using Vector = Eigen::VectorXd;
  /// Tries to end a run from a near solution r with the given error: true when r now meets the tolerance.
  using Finish = std::function<bool(double error, std::vector<double>& r)>;

  explicit InteriorPoint(const NewtonIpmOptions& options) : options_(options) {}

  /// Predictor–corrector, then the traced path where that stalls.
  Termination run(IpmMatrix<D>& matrix, std::vector<double>& r, const Finish& finish, Monitor& monitor) {
    const Termination end = steps(matrix, r, finish, monitor);
    return end == Termination::stalled && options_.path_steps > 0 ? path(matrix, r, finish, monitor) : end;
  }

  /// The predictor–corrector alone.
  Termination steps(IpmMatrix<D>& matrix, std::vector<double>& r, const Finish& finish, Monitor& monitor) {
    begin(matrix);
    const double guessed = error_of(matrix, r, monitor);
    if (guessed <= monitor.tolerance()) return Termination::converged;
    const auto done = [&](double error, bool dying) { return finished(error, dying, r, finish, monitor); };
    const Termination end =
        predictor_corrector(start(r, guessed), matrix.contacts() > kMany ? options_.boundary_many : options_.boundary, done, monitor);
    // The error has units (r and u are added), `handover` has not: where the steps die near a solution, the statuses may be right already.
    if (end != Termination::stalled || !finish || !(lowest_ <= kNear)) return end;
    r = system_.reactions();
    return finish(lowest_, r) ? Termination::converged : end;
  }

  /// The traced path alone.
  Termination path(IpmMatrix<D>& matrix, std::vector<double>& r, const Finish& finish, Monitor& monitor) {
    begin(matrix);
    const Termination end = path_.run(
        system_, system_.start(), options_.path_steps, [&](double error) { return finished(error, false, r, finish, monitor); }, monitor);
    monitor.count("path_turns", static_cast<double>(path_.turns()));
    return end;
  }

 private:
  static constexpr int kMany = 1000;       // contacts from which on long steps lose the path
  static constexpr int kSteps = 100;       // iterations of the predictor–corrector
  static constexpr double kRecentre = 10;  // growth of the complementarity when the point is recentred
  static constexpr long kInVain = 6;       // recentrings without half the error that end the steps
  static constexpr double kDying = 1e-3;   // error at which the polish is tried where steps die
  static constexpr double kNear = 1e-2;    // error at which a stalled run is worth a last polish
  static constexpr double kUseful = 0.3;   // error of a guess that is worth a start
  static constexpr long kPatience = 150;   // iterations without a tenth less error; a path with many turns needs some tens

  void begin(IpmMatrix<D>& matrix) {
    system_.prepare(matrix);
    next_finish_ = options_.handover;
    lowest_ = tried_ = std::numeric_limits<double>::infinity();
    without_gain_ = 0;
  }

  static double error_of(const IpmMatrix<D>& matrix, const std::vector<double>& r, Monitor& monitor) {
    std::vector<double> u(r.size());
    matrix.velocities(r.data(), u.data());
    const double error = natural_map_error<D>(matrix.mu(), matrix.norm_q(), r.data(), u.data());
    monitor.offer(error, r.data(), r.size());
    return error;
  }

  // From a guess: τ of the cold start times the root of its error, so that what is wrong in it can still change.
  Point start(const std::vector<double>& r, double error) {
    Point cold = system_.start();
    const bool guessed = std::any_of(r.begin(), r.end(), [](double x) { return x != 0; });
    return guessed && error < kUseful ? system_.near(r, std::sqrt(error) * system_.complementarity(cold)) : cold;
  }

  // After every iteration: done, out of time, or nothing.
  std::optional<Termination> finished(double error, bool dying, std::vector<double>& r, const Finish& finish, Monitor& monitor) {
    if (error < 0.9 * lowest_) {
      lowest_ = error;
      without_gain_ = 0;
    }
    monitor.offer(error, system_.reactions().data(), r.size());
    r = system_.reactions();
    if (error <= monitor.tolerance()) return Termination::converged;
    if (finish && (error <= next_finish_ || (dying && error <= kDying && error < 0.5 * tried_))) {
      next_finish_ = std::min(next_finish_, 0.1 * error);
      tried_ = error;
      if (finish(error, r)) return Termination::converged;
    }
    if (++without_gain_ > kPatience) return Termination::stalled;
    return monitor.step(error);
  }

  template <class Finished>
  Termination predictor_corrector(Point p, double boundary, Finished&& finished, Monitor& monitor) {
    double half = std::numeric_limits<double>::infinity();  // of the error at the last recentring that had brought something
    long recentred = 0, in_vain = 0;
    double alpha = 1;
    for (int k = 0; k < kSteps; ++k) {
      system_.residual(p, F_);
      const bool dying = alpha < options_.short_step;
      if (const auto end = finished(system_.error(p), dying)) return *end;
      if (dying) {
        if (lowest_ > half) ++in_vain;
        else half = 0.5 * lowest_;
        if (recentred >= options_.recentrings || in_vain >= kInVain) return Termination::stalled;
        ++recentred;
        monitor.count("recentrings");
        system_.recentre(p, kRecentre * system_.complementarity(p));
        system_.residual(p, F_);
      }
      if (!system_.linearise(p, recentred % 2 == 0 ? 1 : options_.shift_share)) return Termination::breakdown;
      const double tau = system_.complementarity(p);
      // Predictor.
      system_.lambda_squared(lambda2_);
      system_.direction(-F_, -lambda2_, affine_);
      const double reach = system_.largest_step(p, affine_, 1);
      // Corrector.
      const double sigma = std::max(std::pow(1 - reach, 3), 1e-4);
      system_.second_order(affine_, c_);
      c_ = -lambda2_ - c_;
      for (int a = 0; a < system_.contacts(); ++a) {
        c_[a * D] += sigma * tau;
        F_[a * D] += system_.shift_remainder(p, affine_, reach, a);
      }
      system_.direction(-F_, c_, step_);
      alpha = std::min(1.0, boundary * system_.largest_step(p, step_, 1 / boundary));
      for (int cut = 0; cut < 12 && !system_.central(p, step_, alpha, options_.centrality); ++cut) alpha *= 0.8;
      if (!std::isfinite(alpha)) return Termination::stalled;
      p.x += alpha * step_.x;
      p.y += alpha * step_.y;
    }
    return Termination::stalled;
  }

  NewtonIpmOptions options_;
  IpmSystem<D> system_;
  CentralPath<D> path_;
  Vector F_, c_, lambda2_;
  Point affine_, step_;
  double next_finish_ = 0, lowest_ = 0;
  double tried_ = 0;  // error at the last polish
  long without_gain_ = 0;
};

/// Interior point and polish on a problem in either form.
template <int D>
class NewtonIpm {
 public:
  static constexpr int kPolishContacts = 3000;

  explicit NewtonIpm(const NewtonIpmOptions& options)
      : options_(options), interior_(options), polish_(PolishOptions{.until_floor = false}) {}

  /// On the graph of contacts or of bodies, whichever is predicted to be faster. W is not made for rigid bodies where it has more numbers than the factors on the
  /// bodies, nor for a global problem above kPolishContacts that has fewer degrees of freedom than contact unknowns; flexible bodies then go without
  /// the polish, and the interior point goes to the tolerance by itself.
  Termination run(const Problem& problem, std::vector<double>& r, Monitor& monitor) {
    const auto* global = std::get_if<GlobalProblem>(&problem);
    const bool on_bodies = global && global->dofs() < global->size();
    if (on_bodies) {
      forms_.set(*global);
      GlobalIpmMatrix<D>& bodies = *forms_.bodies();
      const bool rigid = bodies.delassus().rigid();
      const double blocks = IpmForms<D>::blocks_per_contact(*global) * global->contacts();
      if (global->contacts() > kPolishContacts ||
          (rigid && forms_.seconds() <= IpmForms<D>::least_seconds_on_contacts(blocks, global->contacts())))
        return interior_.run(bodies, r, rigid ? polish_of(bodies, monitor) : Finish(), monitor);
    }
    std::optional<LocalSystem<D>> system;
    if (global) system.emplace(Reduction(*global).local());
    else system.emplace(std::get<LocalProblem>(problem));
    if (on_bodies) forms_.add(*system);
    else forms_.set(problem, *system);
    return interior_.run(forms_.matrix(), r, polish_of(*system, monitor), monitor);
  }

 private:
  static constexpr long kPolishSteps = 100;

  using Finish = typename InteriorPoint<D>::Finish;

  // `form`: a LocalSystem, or the matrix on bodies.
  template <class Form>
  Finish polish_of(Form& form, Monitor& monitor) {
    if (!options_.polish) return {};
    return [this, &form, &monitor](double, std::vector<double>& r) { return polish_.ends(form, r, kPolishSteps, monitor); };
  }

  NewtonIpmOptions options_;
  IpmForms<D> forms_;
  InteriorPoint<D> interior_;
  Polish<D> polish_;
};

/// Whether a verified certificate says that the problem has no solution; its sentence becomes the monitor's message.
bool impossible(const Problem& problem, Monitor& monitor);

}  // namespace cornet
