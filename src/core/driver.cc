// solve(): validate → reduce if needed → solver → certify → status. The only place that writes Status::solved.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/components.h"
#include "core/memory.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

// The solver aims a little below the tolerance so that rounding in its own error cannot turn "converged" into "inaccurate".
constexpr double kAim = 0.99;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void check(const RunOptions& options) {
  if (!(options.tolerance > 0 && options.tolerance <= 1))
    throw InvalidOption(fmt::format("option 'tolerance': found {}, expected a value in (0, 1]", options.tolerance));
  if (!(options.time_limit > 0))
    throw InvalidOption(fmt::format("option 'time_limit': found {}, expected seconds > 0", options.time_limit));
  if (options.max_iterations < 0)
    throw InvalidOption(
        fmt::format("option 'max_iterations': found {}, expected a number ≥ 0 (0: the solver's default)", options.max_iterations));
  if (!(options.memory_limit >= 0))
    throw InvalidOption(fmt::format("option 'memory_limit': found {}, expected bytes ≥ 0 (0: no limit)", options.memory_limit));
  if (options.threads < 1) throw InvalidOption(fmt::format("option 'threads': found {}, expected a number ≥ 1", options.threads));
}

// The guess of the caller, or zero. A guess of the wrong length is an error of the caller, not a reason to start from zero silently.
std::vector<double> start_reactions(const Problem& problem, const Iterate& guess) {
  const std::size_t m = static_cast<std::size_t>(contacts(problem)) * dimension(problem);
  if (guess.r.empty()) return std::vector<double>(m, 0.0);
  if (guess.r.size() != m)
    throw InvalidProblem(fmt::format("guess r: found {} numbers, expected {} (dimension × contacts)", guess.r.size(), m));
  for (double x : guess.r)
    if (!std::isfinite(x)) throw InvalidProblem("guess r: found a number that is not finite, expected finite reactions");
  return guess.r;
}

Status status_of(Termination termination, double error, double tolerance) {
  if (error <= tolerance) return Status::solved;
  switch (termination) {
    case Termination::converged: return Status::inaccurate;
    case Termination::iteration_limit: return Status::iteration_limit;
    case Termination::time_limit: return Status::time_limit;
    case Termination::stalled: return Status::stalled;
    case Termination::diverged: return Status::diverged;
    case Termination::breakdown: return Status::numerical_error;
    case Termination::interrupted: return Status::interrupted;
    case Termination::unsupported: return Status::unsupported;
    case Termination::no_solution: return Status::no_solution;
  }
  return Status::numerical_error;
}

std::string describe_outcome(const Result& result, const std::string& solver_message) {
  const std::string numbers = fmt::format("certified error {:.2e}, tolerance {:.0e}", result.certificate.error, result.tolerance);
  std::string text;
  switch (result.status) {
    case Status::solved: text = fmt::format("solved: {}", numbers); break;
    case Status::inaccurate: text = fmt::format("the solver stopped as converged, but the certificate disagrees: {}", numbers); break;
    case Status::iteration_limit: text = fmt::format("iteration limit reached after {} iterations: {}", result.iterations, numbers); break;
    case Status::time_limit: text = fmt::format("time limit reached: {}", numbers); break;
    case Status::stalled: text = fmt::format("no more progress: {}", numbers); break;
    case Status::diverged: text = fmt::format("the iterates diverged: {}", numbers); break;
    case Status::numerical_error: text = fmt::format("the linear algebra of the solver broke down: {}", numbers); break;
    case Status::no_solution: text = "this problem has no solution"; break;
    case Status::unsupported: text = "the solver cannot take this problem"; break;
    case Status::interrupted: text = fmt::format("interrupted: best point so far has {}", numbers); break;
  }
  return solver_message.empty() ? text : text + " (" + solver_message + ")";
}

// Looks whether a solution must exist; without a verdict the result says why.
void add_existence(Result& result, const Problem& problem, const RunOptions& options) {
  const auto start = Clock::now();
  try {
    ExistenceOptions how;
    how.time_limit = options.time_limit;
    how.interrupt = options.interrupt;
    if (options.memory_limit > 0) require_memory(estimate_existence_memory(problem), options.memory_limit, "existence");
    result.existence = check_existence(problem, how);
  } catch (const InvalidProblem&) {
    throw;
  } catch (const Error& error) {
    result.message += fmt::format("; {}", error.what());
  }
  result.statistics["existence_time"] = seconds_since(start);
  if (!result.existence) return;
  switch (result.existence->verdict) {
    case Verdict::guaranteed_robust:
    case Verdict::guaranteed:
      if (!result.solved()) result.message += "; a solution is guaranteed to exist";
      break;
    case Verdict::not_guaranteed:
      if (!result.solved()) result.message += "; the existence criterion fails, there may be no solution";
      break;
    case Verdict::impossible:
      if (result.solved()) break;  // a certified answer is an answer
      result.status = Status::no_solution;
      result.message = "proved: this problem has no solution (" + result.existence->reason + ")";
      break;
  }
}

// Velocities and multipliers of given reactions. The parts of a global problem are made where the solver did not need them.
Iterate completed(const Problem& problem, const std::vector<double>& r, std::optional<Components>& components) {
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    if (!components) components.emplace(*global);
    return expanded(*components, r);
  }
  const auto& local = std::get<LocalProblem>(problem);
  Iterate x;
  x.r = r;
  x.u = velocities(local, r);
  x.lambda = multipliers(local, r);
  return x;
}

bool all_finite(const std::vector<double>& a) {
  for (double x : a)
    if (!std::isfinite(x)) return false;
  return true;
}

}  // namespace

const char* const kDefaultSolver = "auto";

const char* to_string(Status status) {
  switch (status) {
    case Status::solved: return "solved";
    case Status::inaccurate: return "inaccurate";
    case Status::iteration_limit: return "iteration_limit";
    case Status::time_limit: return "time_limit";
    case Status::stalled: return "stalled";
    case Status::diverged: return "diverged";
    case Status::numerical_error: return "numerical_error";
    case Status::no_solution: return "no_solution";
    case Status::unsupported: return "unsupported";
    case Status::interrupted: return "interrupted";
  }
  return "unknown";
}

const char* version() { return CORNET_VERSION; }

const char* compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

struct [[gnu::visibility("hidden")]] Session::Impl {
  RunOptions options;
  const SolverInfo& info;
  std::unique_ptr<Solver> solver;

  Result solve(const Problem& problem, const Iterate& guess);
  const Problem& given_to_solver(const Problem& problem, std::optional<Components>& components, Problem& reduced) const;
  void look_further(const Problem& problem, Monitor& monitor, Result& result);
};

Session::Session(RunOptions options) {
  check(options);
  const SolverInfo& info = find_solver(options.solver);
  auto solver = info.make(options.options);
  impl_.reset(new Impl{std::move(options), info, std::move(solver)});
}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result Session::solve(const Problem& problem, const Iterate& guess) { return impl_->solve(problem, guess); }

Result solve(const Problem& problem, const RunOptions& options, const Iterate& guess) { return Session(options).solve(problem, guess); }

// What the solver works on: the problem itself, or its reduction to the contacts.
const Problem& Session::Impl::given_to_solver(const Problem& problem, std::optional<Components>& components, Problem& reduced) const {
  const auto* global = std::get_if<GlobalProblem>(&problem);
  if (global && std::find(info.forms.begin(), info.forms.end(), "global") == info.forms.end()) {
    components.emplace(*global);
    return reduced = local_problem(*global, *components);
  }
  if (const auto* local = std::get_if<LocalProblem>(&problem); local && local->V) return reduced = condense(*local);
  return problem;
}

// The certificate counts other rounding than the solver does: other answers of the solver may have less. The best one stays.
void Session::Impl::look_further(const Problem& problem, Monitor& monitor, Result& result) {
  const auto start = Clock::now();
  const double first = result.certificate.error;
  std::optional<Components> components;
  Problem reduced;
  const auto confirm = [&](const std::vector<double>& r) {
    Iterate x = completed(problem, r, components);
    Certificate certificate = certify(problem, x);
    if (certificate.error < result.certificate.error) {
      result.x = std::move(x);
      result.certificate = std::move(certificate);
    }
    return result.certificate.error <= options.tolerance;
  };
  try {
    const StopGuard guard([&monitor] { return monitor.expired() ? 0.0 : monitor.time_left(); });
    solver->propose(given_to_solver(problem, components, reduced), confirm, monitor);
  } catch (const Stopped&) {  // the answer so far stays
  }
  if (result.certificate.error < first) result.statistics["first_error"] = first;
  result.time += seconds_since(start);
}

Result Session::Impl::solve(const Problem& problem, const Iterate& guess) {
  validate(problem);
  check_memory(problem, options);

  Result result;
  result.solver = info.id;
  result.tolerance = options.tolerance;
  result.provenance = {version(), compiler(), options.threads, info.used_options(options.options)};

  if (options.existence == ExistenceCheck::always) {
    add_existence(result, problem, options);
    if (result.status == Status::no_solution) {
      result.termination = Termination::no_solution;
      result.x.r = start_reactions(problem, guess);
      try {
        result.certificate = certify(problem, result.x);
      } catch (const InvalidProblem&) {  // joints that contradict each other: there is no u to measure
        result.certificate.error = result.certificate.natural_map = std::numeric_limits<double>::infinity();
      }
      return result;
    }
    result.message.clear();
  }

  const auto before_reduction = Clock::now();
  std::optional<Components> components;
  Problem reduced;
  const Problem& given = given_to_solver(problem, components, reduced);
  result.statistics["reduce_time"] = seconds_since(before_reduction);

  Iterate x;
  x.r = start_reactions(problem, guess);
  Monitor monitor({kAim * options.tolerance, options.time_limit, options.max_iterations > 0 ? options.max_iterations : info.max_iterations},
                  options.interrupt, options.callback, options.keep_history);
  const auto before_solve = Clock::now();
  try {
    const StopGuard guard([&monitor] { return monitor.expired() ? 0.0 : monitor.time_left(); });
    result.termination = solver->solve(given, x, monitor);
  } catch (const Stopped&) {
    result.termination = monitor.expired().value_or(Termination::time_limit);
    x.r = start_reactions(problem, guess);
  }
  result.time = seconds_since(before_solve);
  // It may have been stopped in the middle of a factorisation, which is of no use to the next problem.
  if (result.termination == Termination::time_limit || result.termination == Termination::interrupted) solver = info.make(options.options);

  // Not converged: the best point seen is worth more than the last one.
  if (result.termination != Termination::converged && !monitor.best().empty()) x.r = monitor.best();
  if (!all_finite(x.r)) x.r.assign(x.r.size(), 0.0);

  reduced = {};  // memory: the certificate has matrices of its own
  const auto before_certificate = Clock::now();
  result.x = completed(problem, x.r, components);
  components.reset();
  result.certificate = certify(problem, result.x);
  result.statistics["certify_time"] = seconds_since(before_certificate);
  const bool ended = result.termination == Termination::converged || result.termination == Termination::stalled;
  if (info.proposes && ended && result.certificate.error > options.tolerance) look_further(problem, monitor, result);
  result.iterations = monitor.iterations();
  result.history = monitor.history();
  result.stages = monitor.stages();
  for (const auto& [name, value] : monitor.counters()) result.statistics[name] = value;
  result.status = status_of(result.termination, result.certificate.error, options.tolerance);
  if (options.quality) {
    const auto before_quality = Clock::now();
    result.quality = assess(problem, result.x);
    result.statistics["quality_time"] = seconds_since(before_quality);
  }
  result.message = describe_outcome(result, monitor.message());
  const bool failed = !result.solved() && result.status != Status::interrupted && result.status != Status::unsupported;
  if (options.existence == ExistenceCheck::on_failure && failed) add_existence(result, problem, options);
  if (options.existence == ExistenceCheck::always && failed && result.existence)
    result.message += result.existence->verdict == Verdict::not_guaranteed ? "; the existence criterion fails, there may be no solution"
                                                                           : "; a solution is guaranteed to exist";
  return result;
}

}  // namespace cornet
