#include "sim/step_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "cornet/certificate.h"
#include "cornet/reduce.h"

namespace cornet::sim {
namespace {

constexpr double kLoose = 1e-6;                                            // tolerance from which first-order methods go first
constexpr int kMany = 300;                                                 // contacts above which they are run
constexpr long kLegs[] = {2000, 4000, 8000, 16000, 32000, 64000, 128000};  // iterations: sweeps and gradients in turn

constexpr std::size_t kPolish = 0;       // the leg after which Newton may end a cycle of the sweeps, in a tenth to a half of its time
constexpr std::size_t kInterior = 1;     // the leg after which the interior point is tried
constexpr int kInteriorContacts = 1000;  // up to here; beyond, its factorisations take longer than the next legs

constexpr double kRunaway = 1e3;  // reactions of an unsolved step are that much larger than their scale at most

// Slow and steady, of another family than most; and what follows when that was the first choice.
constexpr const char* kRetry = "ppa-nsn-ac-gp";
constexpr const char* kRetryOther = "nsgs-ac";

double norm(const std::vector<double>& a) { return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0)); }

// Where there is no solution, iterates can run away to huge reactions at a slightly smaller error, and a simulation that went on with them would
// explode. The scale of reactions in a step: those before it, the momenta, and what it takes to follow imposed velocities.
double largest_reaction(const GlobalProblem& problem, const Iterate& guess) {
  double mass = 0;
  for (double m : problem.M.x) mass = std::max(mass, std::abs(m));
  return kRunaway * std::max({norm(guess.r), norm(problem.f), mass * norm(problem.w)});
}

// The reactions of the step before as an answer.
void go_on_as_before(const GlobalProblem& problem, const Iterate& guess, Result& result) {
  Iterate before;
  before.r = guess.r.empty() ? std::vector<double>(result.x.r.size(), 0.0) : guess.r;
  result.x = Reduction(problem).expand(before);
  result.certificate = certify(problem, result.x);
}

}  // namespace

StepSolver::StepSolver(const Scene& scene) {
  common_.tolerance = scene.tolerance;
  common_.time_limit = std::numeric_limits<double>::infinity();
  const OptionTexts given{scene.solver_options.begin(), scene.solver_options.end()};
  if (!scene.solver.empty()) {
    add(scene.solver, scene.max_iterations, given);
  } else {
    if (scene.tolerance >= kLoose) {
      for (std::size_t k = 0; k < std::size(kLegs); ++k) {
        if (k % 2 == 0) add("nsgs-ac", kLegs[k], {{"focus", "10"}, {"gradients", "25"}});
        else add("spg", kLegs[k]);
        parts_.back().least_contacts = kMany + 1;
        if (k == kPolish) {
          add("nsn-polish", 0, {{"until_floor", "false"}});
          parts_.back().least_contacts = kMany + 1;
        }
        if (k != kInterior) continue;
        add("newton-ipm", 0, {{"path_steps", "0"}});
        parts_.back().least_contacts = kMany + 1;
        parts_.back().most_contacts = kInteriorContacts;
      }
    }
    add("auto", scene.max_iterations, {{"fall_back", "false"}});
    add("nsn-polish", 0, {{"until_floor", "false"}, {"patience", "16"}});
    if (scene.tolerance < kLoose) {
      add("nsn-polish", 0, {{"until_floor", "true"}, {"attempts", "1"}, {"patience", "2"}});
      last_ = std::move(parts_.back());
      parts_.pop_back();
    }
  }
  if (scene.on_failure == FailurePolicy::retry)
    add(!scene.retry_solver.empty() ? scene.retry_solver : scene.solver == kRetry ? kRetryOther : kRetry, 0, {}, true);
}

void StepSolver::add(const std::string& solver, long iterations, OptionTexts options, bool retry) {
  Part part;
  part.options = common_;
  part.options.solver = solver;
  part.options.max_iterations = iterations;
  part.options.options = std::move(options);
  part.retry = retry;
  part.session.emplace(part.options);  // a wrong name or option is an error now, not at the first failure
  parts_.push_back(std::move(part));
}

Result StepSolver::solve(const Problem& problem, const Iterate& guess, std::string& message) {
  Result best;
  best.certificate.error = std::numeric_limits<double>::infinity();
  long iterations = 0;
  std::string words;
  bool said = true;
  const Iterate* start = &guess;
  for (Part& part : parts_) {
    const int n = contacts(problem);
    if (n < part.least_contacts || n > part.most_contacts) continue;
    if (!part.session) part.session.emplace(part.options);
    Result result = part.session->solve(problem, *start);
    iterations += result.iterations;
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", result.solver, result.message);
    const bool second = part.retry && result.solved();  // solved, but worth a word
    const bool final = result.status == Status::interrupted || result.status == Status::no_solution;
    if (final || start == &guess || result.certificate.error < best.certificate.error) best = std::move(result);
    start = &best.x;
    said = !best.solved() || second;
    if (final || best.solved()) break;
  }
  if (const auto* global = std::get_if<GlobalProblem>(&problem);
      global && !best.solved() && norm(best.x.r) > largest_reaction(*global, guess))
    go_on_as_before(*global, guess, best);
  if (last_ && best.solved() && iterations > 0 && contacts(problem) <= kMany) polish(problem, best, iterations);
  best.iterations = iterations;
  message = said ? words : "";
  return best;
}

void StepSolver::polish(const Problem& problem, Result& best, long& iterations) {
  if (!last_->session) last_->session.emplace(last_->options);
  Result result = last_->session->solve(problem, best.x);
  iterations += result.iterations;
  if (!(result.certificate.error < best.certificate.error)) return;
  result.solver = best.solver;
  best = std::move(result);
}

void StepSolver::restart() {
  for (Part& part : parts_) part.session.reset();
  if (last_) last_->session.reset();
}

template <class Change>
void StepSolver::change_options(Change&& change) {
  const auto set = [&](Part& part) {
    change(part.options);
    part.session.reset();
  };
  for (Part& part : parts_) set(part);
  if (last_) set(*last_);
}

void StepSolver::set_interrupt(const std::atomic<bool>* flag) {
  change_options([&](RunOptions& options) { options.interrupt = flag; });
}

void StepSolver::set_memory_limit(double bytes) {
  change_options([&](RunOptions& options) { options.memory_limit = bytes; });
}

}  // namespace cornet::sim
