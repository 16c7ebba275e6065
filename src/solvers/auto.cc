// auto (auto.h): the stages and when each is taken.
#include "solvers/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/cone.h"
#include "core/rounding.h"
#include "cornet/enumerate.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "linalg/stop.h"
#include "solvers/few_contacts.h"

namespace cornet {
namespace {

// A model of the time of a sweep of Gauss–Seidel, as IpmForms has one of the interior point; only their ratio matters. The clock itself decides
// nothing before the fall-back: equal input gives equal bits.
constexpr double kSweepBlock = 2.3e-9;  // seconds per block of W
constexpr double kSweepContact = 3e-8;  // seconds per contact: its own problem
constexpr long kFocus = 10;             // sweeps over the contacts that moved most, after every one over all
constexpr long kSmooth = 25;            // gradients after every 100 of them

constexpr int kSteps = 15;            // iterations of the predictor–corrector
constexpr int kFirstOrder = 15;       // iterations of newton-ipm that sweeps and spg after it may cost each: together half of a traced path
constexpr int kFirstOrderLarge = 75;  // the same where a walk, some hundred steps, would be long
constexpr double kPolishStep = 0.5;   // a step of the polish, in iterations of the interior point
constexpr double kPolish = 5 * kPolishStep;  // a polish, in iterations of the interior point
constexpr double kFewSweeps = 60;            // not worth an analysis: it costs as much on small problems
constexpr double kLargeW = 2 * kFewSweeps;   // sweeps as long as the interior point on bodies from which W is not made first:
constexpr int kLargeWContacts = 200;         // W and eight sweeps take half of that time; and contacts
constexpr double kAnalysis = 1.2e-7, kAnalysisPower = 1.6;  // its seconds on large ones, of contacts (walls and piles of 700 to 54 000)
constexpr double kOpen = 2;           // a polish on the contacts leaves the open ones out: so much faster it may be than predicted with all
constexpr double kFewContacts = 300;  // up to here polish_at holds; the chance that all statuses are right falls with their number
constexpr long kQuick = 600;          // iterations of spg between sweeps, while they promise the tolerance within that number
constexpr long kQuickLook = 64;       // when that is looked at first, then at twice as many
constexpr double kQuickShare = 0.5, kGradientOfBodies = 5e-8;  // without W as many as half of the interior point takes; seconds per contact
constexpr double kLong = 0.3;                      // seconds of the interior point from which sweeps and gradients take turns before it,
constexpr double kShortTurn = 0.5, kLongTurn = 1;  // as multiples of that time: on large piles the predictor–corrector often loses the path
constexpr double kFirstWalk = 30;                  // the walk before the interior point, in iterations of that
constexpr double kTurn = 50;                       // the first turn of the walk and its companions, in iterations of the interior point
constexpr double kReach = 30;         // error of sweeps and gradients, against the tolerance, up to which they take turns with the walk
constexpr double kNoise = 1e-8;       // rounding of the velocities that the certificate does not count
constexpr std::size_t kNoisy = 8;     // answers kept for the certificate to judge that have more
constexpr double kWellWithin = 1e-2;  // the tolerance, for the last Newton steps,
constexpr long kLastSteps = 3;        // so many at most
constexpr double kFurther = 10, kFurtherAtLeast = 0.01;  // time for answers with less rounding: so many times what the first took, seconds
constexpr double kWalkSlices = 2;                        // of the fall-back for the walk, each round
constexpr double kFirstSlice = 0.2;                      // seconds for a method of the fall-back in its first round, at least

PolishOptions polish_options(long attempts, long patience) {
  PolishOptions options;
  options.until_floor = false;
  options.attempts = attempts;
  options.patience = patience;
  return options;
}

NsgsOptions sweep_options() {
  NsgsOptions options;
  options.focus = kFocus;
  options.gradients = kSmooth;
  return options;
}

bool guessed(const std::vector<double>& r) {
  return std::any_of(r.begin(), r.end(), [](double x) { return x != 0; });
}

// What rounding of u does to the error: reactions that cancel up to it prove nothing. A large μ multiplies the rounding of u_T in û = u + μ‖u_T‖ n, but û
// leaves K* by no more than u_N does, so the law of a contact is missed by at most 2‖r‖ + max(0, −u_N). Open contacts do not count.
template <class Operator>
double rounding_of_law(const Operator& op, const double* r, const double* u, std::vector<double>& work) {
  constexpr int D = Operator::kDim;
  op.sizes(r, work);
  double sum = 0;
  for (int a = 0; a < op.contacts(); ++a) {
    const CoulombCone<D> cone{op.mu()[a]};
    const Vec<D> reaction = contact<D>(r, a), velocity = contact<D>(u, a);
    if (cone.project(reaction - cone.shifted(velocity)).isZero(0)) continue;
    const Vec<D> size = std::numeric_limits<double>::epsilon() * contact<D>(work.data(), a);
    const double slip = tangent_norm<D>(size);
    const bool rough = std::isinf(cone.mu);
    double noise = std::hypot(size[0] + (rough ? 0.0 : cone.mu * slip), slip);
    if (!rough) noise = std::min(noise, 2 * reaction.norm() + std::max(0.0, -velocity[0]) + size[0]);
    sum += noise * noise;
  }
  return std::sqrt(sum) / op.norm_q();
}

}  // namespace

template <int D>
Auto<D>::Auto(const AutoOptions& options) : options_(options), sweeps_(sweep_options()) {}

template <int D>
Auto<D>::Newton::Newton()
    : quick_polish(polish_options(1, 4)), long_polish(polish_options(3, 16)), interior(NewtonIpmOptions{}), walk(ProxNewtonOptions{}) {}

template <int D>
Termination Auto<D>::run(const Problem& problem, std::vector<double>& r, Monitor& monitor) {
  noisy_.clear();
  analysed_ = false;
  bodies_ = nullptr;  // an exception may have ended the run before
  r_ = r;
  End end;
  if (const auto* local = std::get_if<LocalProblem>(&problem)) {
    end = on_contacts(problem, *local, monitor);
  } else {
    const auto& global = std::get<GlobalProblem>(problem);
    end = on_bodies(global, monitor);
    if (!end) end = with_W(global, problem, monitor);
  }
  converged_ = end == Termination::converged;
  report(monitor);
  r = r_;
  return end.value_or(Termination::stalled);
}

template <int D>
typename Auto<D>::End Auto<D>::with_W(const GlobalProblem& global, const Problem& problem, Monitor& monitor) {
  report(monitor);
  const double start = monitor.elapsed();
  try {
    const Reduction reduction(global);
    const LocalProblem& contacts = reduction.local();
    monitor.add_stage({"reduction", "W = Hᵀ M⁻¹ H", monitor.elapsed() - start, 0, 0});
    return on_contacts(problem, contacts, monitor);
  } catch (const MissingFeature& too_large) {
    if (monitor.best().empty()) throw;
    monitor.set_message(too_large.what());  // with what was found without it
    return Termination::stalled;
  }
}

template <int D>
typename Auto<D>::End Auto<D>::on_bodies(const GlobalProblem& problem, Monitor& monitor) {
  const double sweep = (kSweepBlock * IpmForms<D>::blocks_per_contact(problem) + kSweepContact) * problem.contacts();
  const auto too_long = [&](double iteration) { return kSteps * iteration > kLargeW * sweep; };
  if (problem.contacts() < kLargeWContacts || too_long(IpmForms<D>::least_seconds_on_bodies(problem))) return std::nullopt;
  const double start = monitor.elapsed();
  try {
    newton().forms.set(problem);
  } catch (const Stopped&) {  // no time for it: sweeps need less
    return monitor.expired();
  }
  analysed_ = true;
  monitor.count("analysis_time", monitor.elapsed() - start);
  const GlobalOperator<D>& bodies = newton().forms.bodies()->delassus();
  if (!bodies.rigid() || too_long(newton().forms.seconds())) return std::nullopt;
  if (nothing_to_do(bodies.q(), problem.mu, r_, monitor)) return Termination::converged;
  bodies_ = &bodies;
  iteration_seconds_ = newton().forms.seconds();
  u_.resize(r_.size());
  error_ = measured(r_).error;
  monitor.offer(error_, r_.data(), r_.size());
  End end;
  if (error_ <= monitor.tolerance()) end = Termination::converged;  // the guess is a solution
  if (!end) end = quick_gradients(bodies, monitor);
  if (!end) end = interior(nullptr, monitor);
  bodies_ = nullptr;
  return end;
}

template <int D>
typename Auto<D>::End Auto<D>::on_contacts(const Problem& problem, const LocalProblem& local, Monitor& monitor) {
  if (nothing_to_do(local.q, local.mu, r_, monitor)) return Termination::converged;
  if (const End end = few_contacts(local, monitor)) return end;
  const LocalSystem<D> system(local);
  system_ = &system;
  u_.resize(system.size());
  polish_at_ = options_.polish_at * std::min(1.0, std::pow(kFewContacts / system.contacts(), 1.5));
  iteration_seconds_ = 0;
  if (guessed(r_)) error_ = error_of(system, r_);  // else it is known
  monitor.offer(error_, r_.data(), r_.size());
  End end;
  if (error_ <= monitor.tolerance()) end = Termination::converged;  // the guess is a solution
  if (!end) end = sweeps(problem, system, monitor);
  if (!end) end = first_walk(system, monitor);
  if (!end) end = interior(&system, monitor);
  const bool large = kSteps * iteration_seconds_ >= kLong;
  if (!end)
    end = first_order(system, (large ? kFirstOrderLarge : kFirstOrder) * iteration_seconds_, "the interior point lost the central path",
                      monitor);
  if (!end && impossible(problem, monitor)) end = Termination::no_solution;
  if (!end) end = turns(system, monitor);
  if (!end) end = path(system, monitor);
  if (!end && options_.fall_back) end = fall_back(local, system, monitor);
  if (end == Termination::converged) into_cones(system, monitor);
  return end;
}

// Sweeps leave a contact before it is exact and Newton steps end near the cones, so that a small reaction may be off its cone by a part of itself
// that the error does not count. On the cones the point is as good, after Newton perhaps some steps later; if not, it stays as it is.
template <int D>
void Auto<D>::into_cones(const LocalSystem<D>& system, Monitor& monitor) {
  if (projected(system, monitor) || !pending_ || pending_->method != "nsn-polish") return;
  stage("nsn-polish", "onto the cones", kWellWithin * monitor.tolerance(), monitor.time_left(), kLastSteps, monitor,
        [&](std::vector<double>& r, Monitor& inner) { newton().quick_polish.run(system, r, inner); });
  projected(system, monitor);
}

template <int D>
bool Auto<D>::projected(const LocalSystem<D>& system, const Monitor& monitor) {
  work_ = r_;
  for (int a = 0; a < system.contacts(); ++a)
    contact<D>(work_.data(), a) = CoulombCone<D>{system.mu[a]}.project(contact<D>(work_.data(), a));
  if (work_ == r_) return true;
  const double error = error_of(system, work_);
  if (error > monitor.tolerance()) return false;
  r_.swap(work_);
  error_ = error;
  if (pending_) pending_->error = error;
  return true;
}

// Without reactions u = q: what nothing touches is known before W is looked at.
template <int D>
bool Auto<D>::nothing_to_do(const std::vector<double>& q, const std::vector<double>& mu, const std::vector<double>& r, Monitor& monitor) {
  if (guessed(r)) return false;
  error_ = natural_map_error<D>(mu, error_unit(q), r.data(), q.data());
  if (!(error_ <= monitor.tolerance())) return false;
  monitor.offer(error_, r.data(), r.size());
  return true;
}

template <int D>
typename Auto<D>::End Auto<D>::few_contacts(const LocalProblem& problem, Monitor& monitor) {
  if (!FewContacts<D>::takes(problem)) return std::nullopt;
  const double start = monitor.elapsed();
  FewContacts<D> few(problem);
  const End end = few.run(kNoise, r_, monitor);
  const long steps = few.sweeps() + few.newton_steps();
  if (end == Termination::converged || steps > 0)
    pending_ = Stage{few.newton_steps() > 0 ? "nsn-ac" : "nsgs-ac", "few contacts", monitor.elapsed() - start, steps, few.error()};
  return end;
}

template <int D>
double Auto<D>::error_of(const LocalSystem<D>& system, const std::vector<double>& r) {
  system.W.times(r.data(), system.q.data(), u_.data());
  return natural_map_error(system, r.data(), u_.data());
}

template <int D>
typename Auto<D>::Measured Auto<D>::measured(const std::vector<double>& r) {
  const auto by = [&](const auto& op) -> Measured {
    op.velocities(r.data(), u_.data());
    return {operator_error(op, r.data(), u_.data()), rounding_of_law(op, r.data(), u_.data(), work_)};
  };
  return bodies_ ? by(*bodies_) : by(ExplicitOperator<D>(*system_));
}

template <int D>
double Auto<D>::sweep_seconds(const LocalSystem<D>& system) const {
  return kSweepBlock * static_cast<double>(system.W.blocks()) + kSweepContact * system.contacts();
}

template <int D>
template <class Method>
typename Auto<D>::End Auto<D>::stage(const std::string& id, const char* reason, double tolerance, double seconds, long iterations,
                                     Monitor& monitor, Method&& method, const GoOn& go_on) {
  const double start = monitor.elapsed();
  End stopped;
  Monitor inner({tolerance, std::min(seconds, monitor.time_left()), iterations}, nullptr, [&](const HistoryEntry& entry) {
    if (!stopped) stopped = monitor.step(std::isfinite(entry.own_residual) ? entry.own_residual : error_);
    return !stopped && (!go_on || go_on(entry));
  });
  std::vector<double> r = r_;
  try {
    method(r, inner);
  } catch (const Stopped&) {  // in the middle of a factorisation, or before one that is too long: the points offered so far count
    if (!stopped) stopped = monitor.expired().value_or(Termination::time_limit);
  }
  for (const auto& [name, value] : inner.counters()) monitor.count(name.c_str(), value);
  if (inner.best().size() == r_.size() && inner.best_error() < error_) {
    // Runaway reactions may cancel to any velocity; what the certificate would call noise is no gain.
    const Measured now = measured(inner.best());
    const double error = now.rounding > kNoise ? std::max(now.rounding, now.error) : now.error;
    if (now.error <= monitor.tolerance() && error > monitor.tolerance() && noisy_.size() < kNoisy) noisy_.push_back(inner.best());
    if (error < error_) {
      r_ = inner.best();
      error_ = error;
      monitor.offer(error_, r_.data(), r_.size());
    }
  }
  last_iterations_ = inner.iterations();
  if (pending_ && pending_->method != id) report(monitor);
  if (!pending_) pending_ = Stage{id, reason, 0, 0, 0};
  pending_->time += monitor.elapsed() - start;
  pending_->iterations += last_iterations_;
  pending_->error = error_;
  if (error_ <= monitor.tolerance()) return Termination::converged;
  if (!stopped) stopped = monitor.expired();
  return stopped;
}

template <int D>
void Auto<D>::report(Monitor& monitor) {
  if (pending_) monitor.add_stage(std::move(*pending_));
  pending_.reset();
}

template <int D>
typename Auto<D>::End Auto<D>::polish(Polish<D>& polish, const LocalSystem<D>& system, const char* reason, Monitor& monitor) {
  const double before = error_;
  const auto end =
      stage("nsn-polish", reason, monitor.tolerance(), monitor.time_left(), 200, monitor, [&](std::vector<double>& r, Monitor& inner) {
        if (auto* bodies = newton().polish_form()) polish.run(*bodies, r, inner);
        else polish.run(system, r, inner);
      });
  polish_at_ = std::min(polish_at_, 0.1 * std::min(before, error_));
  return end;
}

template <int D>
typename Auto<D>::End Auto<D>::sweeps(const Problem& problem, const LocalSystem<D>& system, Monitor& monitor) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double analysis = kAnalysis * std::pow(system.contacts(), kAnalysisPower);
  double spent = 0;
  bool descended = false;
  for (long count = options_.first_sweeps, chunk = 0;; ++chunk, count = chunk < 2 ? count : 2 * count) {
    const double before = error_;
    const auto end = stage("nsgs-ac", "cheap, and fast enough so far", monitor.tolerance(), monitor.time_left(), count, monitor,
                           [&](std::vector<double>& r, Monitor& inner) { sweeps_.run(system, r, inner); });
    if (end) return end;
    const double seconds = sweep_seconds(system) * std::max(sweeps_.sweeps(), 1.0);
    spent += seconds;
    pace_ = std::max(sweeps_.sweeps(), 1.0) / static_cast<double>(std::max(last_iterations_, 1L));
    if (chunk == 0) continue;
    // Seconds to a smaller error by sweeps that contract like the last chunk.
    const double digits = error_ < before ? std::log(before / error_) / seconds : 0;
    const auto seconds_to = [&](double goal) { return digits > 0 ? std::max(0.0, std::log(error_ / goal)) / digits : infinity; };
    const double by_sweeps = seconds_to(monitor.tolerance());
    if (by_sweeps <= kFewSweeps * sweep_seconds(system) || spent + by_sweeps <= analysis) continue;
    try {
      analyse(problem, system, monitor);
    } catch (const Stopped&) {  // no time for it: sweeps to the end
      if (const auto over = monitor.expired()) return over;
      newton().forms.clear();
      iteration_seconds_ = infinity;
    }
    const double by_interior = kSteps * iteration_seconds_, by_polish = kPolish * iteration_seconds_;
    if (by_sweeps <= std::min(by_interior, error_ <= polish_at_ ? by_polish : infinity) && spent < by_interior) continue;
    const auto polished = [&](const char* reason) -> End {
      if (error_ > polish_at_) return std::nullopt;
      const auto done = polish(newton().quick_polish, system, reason, monitor);
      spent += kPolishStep * iteration_seconds_ * static_cast<double>(last_iterations_);
      return done;
    };
    if (const auto done = polished("the statuses of the contacts may be right")) return done;
    if (!std::exchange(descended, true)) {
      if (const auto done = quick_gradients(ExplicitOperator<D>(system), monitor)) return done;
      spent += kGradient * sweep_seconds(system) * static_cast<double>(last_iterations_);
      if (const auto done = polished("a better point than before")) return done;
    }
    const double left = options_.sweep_share * by_interior - spent;
    if (std::min(by_sweeps, seconds_to(polish_at_) + by_polish) <= left) continue;
    swept_ = descended_ = r_;  // not what follows: the interior point may end near a false solution, which neither leaves
    near_ = error_;
    if (by_interior < kLong) return std::nullopt;
    for (double turn = kShortTurn * by_interior; turn <= kLongTurn * by_interior; turn *= 2)
      if (const auto done = first_order(system, turn, "a large problem, factorisations are dear", monitor)) return done;
    return std::nullopt;
  }
}

template <int D>
void Auto<D>::analyse(const Problem& problem, const LocalSystem<D>& system, Monitor& monitor) {
  if (iteration_seconds_ > 0) return;
  const double start = monitor.elapsed();
  if (analysed_) newton().forms.add(system);
  else newton().forms.set(problem, system);
  iteration_seconds_ = newton().forms.seconds();
  monitor.count("analysis_time", monitor.elapsed() - start);
}

template <int D>
GlobalIpmMatrix<D>* Auto<D>::Newton::polish_form() {
  auto* bodies = forms.bodies();
  return bodies && bodies->delassus().rigid() && kOpen * forms.seconds() <= forms.seconds_on_contacts() ? bodies : nullptr;
}

template <int D>
typename InteriorPoint<D>::Finish Auto<D>::finish(const LocalSystem<D>* system, Monitor& monitor) {
  return [this, system, &monitor](double, std::vector<double>& r) {
    auto* bodies = newton().polish_form();
    return bodies ? newton().quick_polish.ends(*bodies, r, 100, monitor) : newton().quick_polish.ends(*system, r, 100, monitor);
  };
}

template <int D>
typename Auto<D>::End Auto<D>::interior(const LocalSystem<D>* system, Monitor& monitor) {
  const char* reason = bodies_                   ? "W is large; on the graph of bodies"
                       : newton().forms.bodies() ? "sweeps are slow; on the graph of bodies"
                                                 : "sweeps are slow";
  return stage("newton-ipm", reason, monitor.tolerance(), monitor.time_left(), 1000, monitor, [&](std::vector<double>& r, Monitor& inner) {
    newton().interior.steps(newton().forms.matrix(), r, finish(system, inner), inner);
  });
}

template <int D>
typename Auto<D>::End Auto<D>::first_order(const LocalSystem<D>& system, double seconds, const char* reason, Monitor& monitor) {
  const auto turn = [&](const char* id, double sweeps, auto&& method, std::vector<double>& own) {
    const auto count = static_cast<long>(std::min(1e9, 1 + seconds / (sweeps * sweep_seconds(system))));
    return stage(id, reason, monitor.tolerance(), monitor.time_left(), count, monitor, [&](std::vector<double>& r, Monitor& inner) {
      r = own;
      method.run(system, r, inner);
      inner.offer(error_of(system, r), r.data(), r.size());
      own = r;
      near_ = std::min(near_, inner.best_error());
    });
  };
  End end = turn("nsgs-ac", pace_, sweeps_, swept_);
  if (!end) end = turn("spg", kGradient, Spg<ExplicitOperator<D>>(), descended_);
  if (!end && error_ <= polish_at_) end = polish(newton().quick_polish, system, "a better point than before", monitor);
  return end;
}

template <int D>
template <class Operator>
typename Auto<D>::End Auto<D>::quick_gradients(const Operator& op, Monitor& monitor) {
  double before = error_, best = error_;
  const double gradient = bodies_ ? kGradientOfBodies * op.contacts() : kGradient * sweep_seconds(*system_);
  const long most = std::min(kQuick, static_cast<long>(kQuickShare * kSteps * iteration_seconds_ / gradient));
  long last = 0, next = kQuickLook;
  const auto promising = [&](const HistoryEntry& now) {
    best = std::min(best, now.own_residual);
    if (now.iteration < next) return true;
    const double digits = std::log(before / best) / static_cast<double>(next - last);
    const bool soon = digits > 0 && std::log(best / monitor.tolerance()) / digits <= static_cast<double>(most - next);
    before = best;
    last = std::exchange(next, 2 * next);
    return soon;
  };
  return stage(
      "spg", bodies_ ? "W is large; on the bodies" : "sweeps are slow, and no factorisation is needed", monitor.tolerance(),
      monitor.time_left(), most, monitor, [&](std::vector<double>& r, Monitor& inner) { Spg<Operator>().run(op, r, inner); }, promising);
}

template <int D>
typename Auto<D>::End Auto<D>::walk(const LocalSystem<D>& system, const char* reason, double iterations, Termination& how,
                                    Monitor& monitor) {
  return stage("prox-newton", reason, monitor.tolerance(), monitor.time_left(), 1000000, monitor,
               [&](std::vector<double>& r, Monitor& inner) {
                 how = newton().walk.go_on(system, r, static_cast<long>(iterations / kPolishStep), inner);
               });
}

template <int D>
typename Auto<D>::End Auto<D>::first_walk(const LocalSystem<D>& system, Monitor& monitor) {
  walked_.reset();
  if (!(error_ <= options_.polish_at)) return std::nullopt;
  Termination how = Termination::stalled;
  newton().walk.prepare(system, newton().forms.bodies());
  const End end = walk(system, "nearly all statuses may be right", kFirstWalk, how, monitor);
  walked_ = error_;
  return end;
}

template <int D>
typename Auto<D>::End Auto<D>::turns(const LocalSystem<D>& system, Monitor& monitor) {
  if (!walked_ || error_ < *walked_)
    newton().walk.prepare(system, newton().forms.bodies());  // the first walk, or a better start; else where it was
  for (double turn = kTurn;; turn *= 2) {
    Termination how = Termination::stalled;
    End end = walk(system, "robust where statuses are undecided", turn, how, monitor);
    if (end || how != Termination::iteration_limit) return end;
    if (near_ > kReach * monitor.tolerance()) continue;
    end = first_order(system, turn * iteration_seconds_, "near the tolerance, in turns with prox-newton", monitor);
    if (end) return end;
  }
}

template <int D>
typename Auto<D>::End Auto<D>::path(const LocalSystem<D>& system, Monitor& monitor) {
  return stage(
      "central path", "traced, with folds", monitor.tolerance(), monitor.time_left(), 5000, monitor,
      [&](std::vector<double>& r, Monitor& inner) { newton().interior.path(newton().forms.matrix(), r, finish(&system, inner), inner); });
}

// First Newton, the convex problems and sweeps from zero, which cost little: the best point known may be near a false solution, from which
// nothing gets away.
// Then the proximal point iteration, the most robust of the classical methods, from the best point and from zero, with long slices; without line
// search it goes other ways. In the plane the methods that look at cases come last, because their time grows with the number of cases.
template <int D>
auto Auto<D>::other_methods(const LocalProblem& problem) -> std::vector<Other> {
  std::vector<Other> methods = {{"nsn-nm", true, 1},   {"nsn-jm", true, 1},         {"nsn-ac-a", true, 1},      {"aclm-newton", true, 1},
                                {"nsgs-ac", true, 1},  {"ppa-nsn-ac-gp", false, 4}, {"ppa-nsn-ac-gp", true, 8}, {"ppa-nsn-ac", true, 8},
                                {"psor-ac", false, 1}, {"spg", false, 1},           {"nsn-ac-hybrid", true, 1}, {"nsn-hsw", true, 1},
                                {"nsn-xsw", true, 1},  {"eg-vi-upk", false, 1},     {"admm", false, 1}};
  if (D == 2) methods.push_back({"lemke", true, 4});
  if (why_not_enumerable(problem).empty()) methods.push_back({"enumerate", true, 4});
  return methods;
}

template <int D>
typename Auto<D>::End Auto<D>::other(const Other& method, const char* reason, double seconds, const LocalProblem& problem, Termination& how,
                                     Monitor& monitor) {
  const SolverInfo& info = find_solver(method.id);
  const auto solver = info.make({});
  return stage(info.id, reason, monitor.tolerance(), seconds, info.max_iterations, monitor, [&](std::vector<double>& r, Monitor& inner) {
    Iterate x;
    x.r = method.from_zero ? std::vector<double>(r.size(), 0.0) : r;
    how = solver->solve(problem, x, inner);
    if (how == Termination::converged) inner.offer(error_of(*system_, x.r), x.r.data(), x.r.size());  // not all of them do
    if (how == Termination::no_solution) monitor.set_message(inner.message());
  });
}

// In rounds: each method gets a slice of time, twice as long in the next round; one that ends by itself without success is out.
template <int D>
typename Auto<D>::End Auto<D>::fall_back(const LocalProblem& problem, const LocalSystem<D>& system, Monitor& monitor) {
  if (const auto end = polish(newton().long_polish, system, "from the best point, with more patience", monitor)) return end;
  std::vector<Other> methods = other_methods(problem);
  for (double slice = std::max(kFirstSlice, 20 * kSteps * iteration_seconds_); !methods.empty(); slice *= 2) {
    if (std::isfinite(slice)) {  // else there was no time for an analysis, and none for a walk
      Termination how = Termination::stalled;
      if (const auto end = walk(system, "restarted, in turns with all others", kWalkSlices * slice / iteration_seconds_, how, monitor))
        return end;
    }
    for (auto method = methods.begin(); method != methods.end();) {
      Termination how = Termination::stalled;
      const double before = error_;
      const auto end = other(*method, "everything before has failed", method->slices * slice, problem, how, monitor);
      if (how == Termination::no_solution) return how;
      if (end) return end;
      if (error_ < 0.5 * before)
        if (const auto done = polish(newton().long_polish, system, "a better point than before", monitor)) return done;
      method = how == Termination::time_limit ? method + 1 : methods.erase(method);
    }
  }
  return std::nullopt;
}

// A run that has not converged has tried the others.
template <int D>
bool Auto<D>::judged(const Solver::Confirm& confirm) {
  return std::any_of(noisy_.begin(), noisy_.end(), confirm) || !converged_;
}

// Each of the others once, from zero, for at most kFurther times what the first answer took. Where reactions are not unique, or one of them is
// nothing but rounding at a contact with a huge μ, they end elsewhere.
template <int D>
void Auto<D>::propose(const LocalProblem& problem, const Solver::Confirm& confirm, Monitor& monitor) {
  const LocalSystem<D> system(problem);
  system_ = &system;
  u_.resize(system.size());
  const double until = std::max(kFurtherAtLeast, kFurther * monitor.elapsed()) + monitor.elapsed();
  for (const Other& method : other_methods(problem)) {
    if (monitor.elapsed() >= until) break;
    r_.assign(system.size(), 0.0);
    error_ = std::numeric_limits<double>::infinity();
    Termination how = Termination::stalled;
    const auto end = other(method, "the certificate counts rounding", until - monitor.elapsed(), problem, how, monitor);
    if (end == Termination::converged && (projected(system, monitor), confirm(r_))) break;
    if (end && end != Termination::converged) break;
  }
  report(monitor);
}

template class Auto<2>;
template class Auto<3>;

namespace {

class AutoSolver : public Solver {
 public:
  explicit AutoSolver(const AutoOptions& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    return with_dimension(dimension(problem), [&]<int D>() {
      auto& algorithm = std::get<std::optional<Auto<D>>>(algorithms_);
      if (!algorithm) algorithm.emplace(options_);
      return algorithm->run(problem, x.r, monitor);
    });
  }

  void propose(const Problem& problem, const Confirm& confirm, Monitor& monitor) override {
    with_dimension(dimension(problem), [&]<int D>() {
      auto& algorithm = *std::get<std::optional<Auto<D>>>(algorithms_);
      if (algorithm.judged(confirm)) return;
      if (const auto* local = std::get_if<LocalProblem>(&problem)) return algorithm.propose(*local, confirm, monitor);
      algorithm.propose(Reduction(std::get<GlobalProblem>(problem)).local(), confirm, monitor);
    });
  }

 private:
  AutoOptions options_;
  std::tuple<std::optional<Auto<2>>, std::optional<Auto<3>>> algorithms_;
};

}  // namespace

SolverInfo automatic() {
  SolverInfo info;
  info.id = "auto";
  info.title = "The automatic solver: cheap sweeps, Newton, interior point, and everything else";
  info.family = "automatic";
  info.summary =
      "Gauss–Seidel while it converges fast, nonsmooth Newton as soon as it can finish, the interior point with a traced central path "
      "where sweeps are "
      "slow, then the other methods until the time is over. Nothing to tune.";
  info.use_when = "always, unless a method is to be studied by itself";
  info.fails_when = "never faster than a method that happens to fit a problem from its first iteration";
  info.reference = "docs/universal.md";
  info.forms = {"local", "global"};
  info.proposes = true;
  info.max_iterations = 1000000000;
  info.memory = {.factors = 4, .contacts_with_W = MemoryNeeds::kAlways};
  return registered<AutoOptions>(std::move(info), AutoOptions{}, [](const AutoOptions& o) { return std::make_unique<AutoSolver>(o); });
}

}  // namespace cornet
