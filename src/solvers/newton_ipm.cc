// newton-ipm (newton_ipm.h) as a solver of both forms.
#include "solvers/newton_ipm.h"

#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/reduce.h"

namespace cornet {
namespace {

class NewtonIpmSolver : public Solver {
 public:
  explicit NewtonIpmSolver(const NewtonIpmOptions& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    const Termination end = with_dimension(dimension(problem), [&]<int D>() {
      auto& algorithm = std::get<std::optional<NewtonIpm<D>>>(algorithms_);
      if (!algorithm) algorithm.emplace(options_);
      return algorithm->run(problem, x.r, monitor);
    });
    const bool failed = end == Termination::stalled || end == Termination::breakdown || end == Termination::diverged;
    return failed && impossible(problem, monitor) ? Termination::no_solution : end;
  }

 private:
  NewtonIpmOptions options_;
  std::tuple<std::optional<NewtonIpm<2>>, std::optional<NewtonIpm<3>>> algorithms_;
};

}  // namespace

bool impossible(const Problem& problem, Monitor& monitor) {
  try {
    ExistenceOptions options;
    options.time_limit = std::max(monitor.time_left(), 0.0);
    const Existence existence = check_existence(problem, options);
    monitor.count("existence_time", existence.time);
    if (existence.verdict != Verdict::impossible || !existence.certificate.verified) return false;
    monitor.set_message(existence.sentence);
    return true;
  } catch (const Error&) {  // no verdict: the failure stays what it was
    return false;
  }
}

SolverInfo newton_ipm() {
  SolverInfo info;
  info.id = "newton-ipm";
  info.title = "Interior point on the exact law, then nonsmooth Newton";
  info.family = "interior point";
  info.summary =
      "Primal–dual interior point with the friction term linearised and smoothed inside the cones; where the central path folds it is "
      "traced by "
      "its length; nonsmooth Newton ends the run. Uses the contact graph or, in global form, the graph of bodies.";
  info.use_when = "tight tolerances, rank-deficient W; the number of factorisations hardly depends on the size";
  info.fails_when = "very many folds of the central path (strong friction in jammed piles); loose tolerances are cheaper elsewhere";
  info.reference = "docs/universal.md; Nesterov, Todd (1997); Mehrotra (1992); Allgower, Georg (2003)";
  info.forms = {"local", "global"};
  info.max_iterations = 2000;
  info.memory = {.factors = 3, .contacts_with_W = NewtonIpm<3>::kPolishContacts};
  return registered<NewtonIpmOptions>(std::move(info), NewtonIpmOptions{},
                                      [](const NewtonIpmOptions& o) { return std::make_unique<NewtonIpmSolver>(o); });
}

}  // namespace cornet
