// All solutions: in the plane by the search of plane_search.h, one contact in space by the exact one-contact solver; and the solver `enumerate`,
// which takes the first one.
#include "cornet/enumerate.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "contact/one_contact_all.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "linalg/sparse.h"
#include "solvers/plane_search.h"
#include "solvers/register.h"

namespace cornet {
namespace {

/// One contact in space: every solution the exact one-contact solver proves.
void enumerate_in_space(const LocalProblem& problem, const EnumerationOptions& options, Enumeration& out) {
  const Mat<3> W = Eigen::MatrixXd(to_columns(problem.W));
  const Vec<3> q(problem.q[0], problem.q[1], problem.q[2]);
  const OneContactSolutions all = all_solutions(W, q, problem.mu[0]);
  out.branches = all.cases;
  out.complete = all.complete;
  if (!all.complete) out.message = "this contact is singular in a way that the case analysis does not cover";
  std::vector<Vec<3>> velocities;
  for (const Vec<3>& r : all.r) {
    const Vec<3> u = W * r + q;
    const double same = options.distinct * (1e-300 + q.norm());
    if (std::any_of(velocities.begin(), velocities.end(), [&](const Vec<3>& other) { return (u - other).norm() <= same; })) continue;
    EnumeratedSolution solution;
    solution.x.r = {r[0], r[1], r[2]};
    solution.unique_reactions = all.unique_reactions || u.norm() > same;
    velocities.push_back(u);
    out.solutions.push_back(std::move(solution));
    if (!options.all) break;
  }
}

void enumerate_in_the_plane(const LocalProblem& problem, const EnumerationOptions& options, Enumeration& out) {
  plane::PlaneSearch search(problem, options);
  search.run();
  out.branches = search.branches;
  out.complete = !search.stopped() && search.undecided == 0;
  out.margin = plane::kMargin;
  if (search.stopped()) {
    out.message =
        !options.all && !search.found.empty() ? "stopped at the first solution, as asked" : "stopped before all cases were decided";
  } else if (search.undecided > 0) {
    out.message = fmt::format("{} of the cases could not be decided: within rounding of a solution without being one", search.undecided);
  }
  for (const plane::Found& f : search.found) {
    EnumeratedSolution solution;
    solution.x.r = f.r;
    solution.isolated = f.isolated;
    solution.reaction_spread = search.reaction_spread(f.u);
    for (const double s : solution.reaction_spread) solution.unique_reactions &= s == 0;
    out.solutions.push_back(std::move(solution));
  }
}

/// The enumeration of a local problem without bilateral part; reactions only.
Enumeration enumerate_local(const LocalProblem& problem, const EnumerationOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Enumeration out;
  if (problem.contacts() == 0) {
    out.solutions.emplace_back();
    out.complete = true;
    out.branches = 1;
  } else if (problem.dim == 3) {
    enumerate_in_space(problem, options, out);
  } else {
    enumerate_in_the_plane(problem, options, out);
  }
  out.time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

struct EnumerateOptions {
  bool all = true;

  void visit(OptionVisitor& v) {
    v.flag("all", all, "look for every solution, not only for the first: the statistics say how many there are");
  }
};

class EnumerateSolver : public Solver {
 public:
  explicit EnumerateSolver(const EnumerateOptions& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    if (const std::string why = why_not_enumerable(problem); !why.empty()) {
      monitor.set_message(why);
      return Termination::unsupported;
    }
    std::optional<Termination> stop;
    EnumerationOptions options;
    options.all = options_.all;
    options.time_limit = monitor.time_left();
    options.tolerance = std::max(options.tolerance, monitor.tolerance());
    options.callback = [&](long, int solutions) {
      stop = monitor.step(solutions > 0 ? 0 : 1);
      return !stop;
    };
    const Enumeration all = enumerate_local(std::get<LocalProblem>(problem), options);
    monitor.count("branches", static_cast<double>(all.branches));
    monitor.count("solutions", static_cast<double>(all.solutions.size()));
    monitor.count("complete", all.complete ? 1 : 0);
    if (all.impossible()) {
      monitor.set_message(fmt::format("every case of take-off, stick and slide contradicts itself; {} looked at", all.branches));
      return Termination::no_solution;
    }
    if (all.solutions.empty()) {
      monitor.set_message(all.message);
      return stop ? *stop : monitor.expired().value_or(Termination::stalled);
    }
    if (all.solutions.size() > 1)
      monitor.set_message(
          fmt::format("one of {} solutions{}, the nearest to the start", all.solutions.size(), all.complete ? "" : " found"));
    take_nearest(all, x.r);
    return Termination::converged;
  }

 private:
  static void take_nearest(const Enumeration& all, std::vector<double>& r) {
    const std::vector<double>* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const EnumeratedSolution& s : all.solutions) {
      double distance = 0;
      for (std::size_t i = 0; i < r.size(); ++i) distance += (s.x.r[i] - r[i]) * (s.x.r[i] - r[i]);
      if (distance < least || !best) {
        least = distance;
        best = &s.x.r;
      }
    }
    if (best) r = std::vector<double>(*best);
  }

  EnumerateOptions options_;
};

}  // namespace

std::string why_not_enumerable(const Problem& problem) {
  const int nc = contacts(problem);
  if (dimension(problem) == 2 && nc > kEnumerableContacts)
    return fmt::format("enumeration takes up to {} contacts in the plane, this problem has {}", kEnumerableContacts, nc);
  if (dimension(problem) == 3 && nc > 1) return fmt::format("enumeration takes one contact in space, this problem has {}", nc);
  return {};
}

Enumeration enumerate_solutions(const Problem& problem, const EnumerationOptions& options) {
  validate(problem);
  if (const std::string why = why_not_enumerable(problem); !why.empty()) throw InvalidOption(why);
  std::optional<Reduction> reduction;
  const auto* local = std::get_if<LocalProblem>(&problem);
  if (!local) reduction.emplace(std::get<GlobalProblem>(problem));
  Enumeration out = enumerate_local(local ? condense(*local) : reduction->local(), options);
  for (EnumeratedSolution& solution : out.solutions) {
    if (reduction) {
      solution.x = reduction->expand(solution.x);
    } else {
      solution.x.u = velocities(*local, solution.x.r);
      solution.x.lambda = multipliers(*local, solution.x.r);
    }
    solution.certificate = certify(problem, solution.x);
  }
  return out;
}

SolverInfo enumerate() {
  SolverInfo info;
  info.id = "enumerate";
  info.title = "Enumeration of all cases";
  info.family = "plane";
  info.summary =
      "Depth-first search over take-off, stick and slide of every contact, each case decided by linear programming; finds every "
      "solution or proves that there is none. One contact in space by the exact one-contact solver.";
  info.use_when = "up to 15 contacts in the plane, or one in space: to know all solutions, or that none exists (exit code 4)";
  info.fails_when =
      "larger problems are refused; the time grows exponentially in the worst case; cases within rounding of being possible are "
      "reported as undecided";
  info.reference = "examples: Cadoux (2009), §5.3; Acary, Cadoux, Lemaréchal, Malick (2011), §4.5; conflicts: Dutertre, de Moura (2006)";
  info.max_iterations = 1000000000;
  info.memory = {.dense = 30};
  return registered<EnumerateOptions>(info, {}, [](const EnumerateOptions& o) { return std::make_unique<EnumerateSolver>(o); });
}

}  // namespace cornet
