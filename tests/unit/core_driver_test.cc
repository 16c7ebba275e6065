// solve(): who may say solved, limits, interruption, options, warm start, trivial problems, determinism.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cornet/error.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::contains;
using test::message_of;

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  // The finite methods of the plane refuse space and need no start: tests/unit/solver_plane_test.cc. aclm-newton solves these problems at its
  // first convex program, before any iteration: tests/unit/solver_aclm_newton_test.cc.
  for (const SolverInfo& info : solvers())
    if (info.family != "plane" && info.id != "aclm-newton") ids.push_back(info.id);
  return ids;
}

RunOptions with(const std::string& solver, double tolerance = 1e-8) {
  RunOptions options;
  options.solver = solver;
  options.tolerance = tolerance;
  options.time_limit = 30;
  return options;
}

// Small, with open, sticking and sliding contacts; no solver does it in one iteration.
Problem lively() { return samples::sphere_lattice(2, 2, 2, 0.4, 5); }

// Full rank and one known solution: what every solver should be able to do.
LocalProblem easy(int dim, Iterate& solution) { return samples::random_local(dim, 4, 4 * dim + 8, 0.2, 0.6, 0, 3, solution); }

class EverySolver : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Driver, EverySolver, testing::ValuesIn(all_ids()), [](const auto& test_case) {
  std::string id = test_case.param;
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
});

TEST_P(EverySolver, SolvedIffTheCertificateSaysSo) {
  Iterate known;
  const std::vector<Problem> problems = {lively(),
                                         Problem(samples::box_stack(3, 0.5)),
                                         Problem(samples::jointed_cubes(0.3)),
                                         Problem(samples::disk_packing(3, 3, 0.5, 2)),
                                         Problem(easy(2, known)),
                                         Problem(easy(3, known))};
  int solved = 0;
  for (const Problem& problem : problems)
    for (const double tolerance : {1e-1, 1e-4, 1e-10})
      for (const long iterations : {1L, 7L, 2000L}) {
        RunOptions options = with(GetParam(), tolerance);
        options.max_iterations = iterations;
        const Result result = solve(problem, options);
        const double error = certify(problem, result.x).error;
        EXPECT_EQ(result.solved(), error <= tolerance) << name(problem) << " error " << error << " status " << to_string(result.status);
        EXPECT_EQ(result.certificate.error, error) << name(problem);
        EXPECT_LE(result.iterations, iterations);
        EXPECT_FALSE(result.message.empty());
        solved += result.solved();
      }
  EXPECT_GT(solved, 6);
}

TEST_P(EverySolver, IterationLimit) {
  RunOptions options = with(GetParam(), 1e-13);
  options.max_iterations = 1;
  const Result result = solve(lively(), options);
  EXPECT_EQ(result.status, Status::iteration_limit) << to_string(result.status);
  EXPECT_EQ(result.termination, Termination::iteration_limit);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_GT(result.certificate.error, 1e-13);
  EXPECT_EQ(result.x.r.size(), 3u * static_cast<std::size_t>(contacts(lively())));
}

TEST_P(EverySolver, TimeLimit) {
  RunOptions options = with(GetParam(), 1e-13);
  options.time_limit = 1e-9;
  const Result result = solve(Problem(samples::brick_wall(3, 2, 0.6)), options);
  EXPECT_EQ(result.status, Status::time_limit) << to_string(result.status);
  EXPECT_TRUE(std::isfinite(result.certificate.error));
}

TEST_P(EverySolver, InterruptedByFlag) {
  std::atomic<bool> stop = true;
  RunOptions options = with(GetParam(), 1e-13);
  options.interrupt = &stop;
  const Result result = solve(lively(), options);
  EXPECT_EQ(result.status, Status::interrupted) << to_string(result.status);
  EXPECT_LE(result.iterations, 1);
  EXPECT_TRUE(std::isfinite(result.certificate.error));
}

TEST_P(EverySolver, InterruptedByCallback) {
  RunOptions options = with(GetParam(), 1e-13);
  std::vector<HistoryEntry> seen;
  options.callback = [&](const HistoryEntry& entry) {
    seen.push_back(entry);
    return seen.size() < 2;
  };
  const Result result = solve(lively(), options);
  EXPECT_EQ(result.status, Status::interrupted) << to_string(result.status);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].iteration, 1);
  EXPECT_EQ(seen[1].iteration, 2);
  EXPECT_GE(seen[1].time, seen[0].time);
  EXPECT_EQ(result.iterations, 2);
}

// Stopped early, the answer is the best point met: never worse than no reactions at all or than the guess.
TEST_P(EverySolver, InterruptedKeepsTheBestPoint) {
  const Problem problem = lively();
  const Iterate nothing = test::reactions(std::vector<double>(3u * static_cast<std::size_t>(contacts(problem)), 0.0));
  const double start = certify(problem, nothing).error;
  for (const long iterations : {1L, 3L, 10L}) {
    RunOptions options = with(GetParam(), 1e-13);
    options.max_iterations = iterations;
    EXPECT_LE(solve(problem, options).certificate.error, start * (1 + 1e-12)) << iterations;
  }
}

TEST_P(EverySolver, HistoryHasOneEntryPerIteration) {
  RunOptions options = with(GetParam(), 1e-13);
  options.max_iterations = 5;
  EXPECT_TRUE(solve(lively(), options).history.empty());
  options.keep_history = true;
  const Result result = solve(lively(), options);
  ASSERT_EQ(static_cast<long>(result.history.size()), result.iterations);
  for (std::size_t k = 0; k < result.history.size(); ++k) EXPECT_EQ(result.history[k].iteration, static_cast<long>(k + 1));
}

TEST_P(EverySolver, WarmStartFromTheSolution) {
  if (find_solver(GetParam()).family == "convex relaxation") GTEST_SKIP() << "solves another problem on purpose";
  for (const int dim : {2, 3}) {
    Iterate known;
    const LocalProblem problem = easy(dim, known);
    const Result result = solve(problem, with(GetParam(), 1e-8), known);
    EXPECT_TRUE(result.solved()) << to_string(result.status);
    EXPECT_LE(result.iterations, 1);
  }
}

TEST_P(EverySolver, WarmStartFromItsOwnAnswer) {
  const Problem problem = lively();
  const Result cold = solve(problem, with(GetParam(), 1e-6));
  if (!cold.solved()) GTEST_SKIP() << "not solved: " << to_string(cold.status);
  EXPECT_GT(cold.iterations, 1);
  const Result warm = solve(problem, with(GetParam(), 1e-6), cold.x);
  EXPECT_TRUE(warm.solved());
  EXPECT_LE(warm.iterations, 1);
}

TEST_P(EverySolver, NoContact) {
  for (const int dim : {2, 3}) {
    const Result local = solve(test::make_local(dim, Eigen::MatrixXd(0, 0), {}, {}), with(GetParam()));
    EXPECT_EQ(local.status, Status::solved);
    EXPECT_TRUE(local.x.r.empty());
    const Result global =
        solve(test::make_global(dim, 2 * Eigen::MatrixXd::Identity(2, 2), Eigen::MatrixXd(2, 0), {2, 4}, {}, {}), with(GetParam()));
    EXPECT_EQ(global.status, Status::solved);
    ASSERT_EQ(global.x.v.size(), 2u);
    EXPECT_NEAR(global.x.v[0], 1, 1e-14);
    EXPECT_NEAR(global.x.v[1], 2, 1e-14);
  }
}

TEST_P(EverySolver, ZeroFreeVelocity) {
  for (const int dim : {2, 3}) {
    Iterate known;
    LocalProblem problem = easy(dim, known);
    problem.q.assign(problem.q.size(), 0.0);
    const Result result = solve(problem, with(GetParam()));
    EXPECT_EQ(result.status, Status::solved);
    EXPECT_FALSE(result.certificate.relative);
    EXPECT_LT(test::vec(result.x.r).norm(), 1e-8);
  }
}

TEST_P(EverySolver, TwoRunsAreBitIdentical) {
  for (const Problem& problem : {lively(), Problem(samples::disk_packing(4, 3, 0.4, 3)), Problem(samples::spinning_disks(2, 0.3))}) {
    const RunOptions options = with(GetParam(), 1e-9);
    const Result first = solve(problem, options), second = solve(problem, options);
    EXPECT_EQ(first.iterations, second.iterations);
    EXPECT_EQ(first.status, second.status);
    for (const auto& [a, b] : {std::pair(first.x.r, second.x.r), std::pair(first.x.u, second.x.u), std::pair(first.x.v, second.x.v)}) {
      ASSERT_EQ(a.size(), b.size());
      EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0) << name(problem);
    }
  }
}

TEST_P(EverySolver, TheAnswerIsComplete) {
  const GlobalProblem problem = samples::jointed_cubes(0.3);
  const Result result = solve(problem, with(GetParam(), 1e-6));
  EXPECT_EQ(result.x.r.size(), static_cast<std::size_t>(problem.size()));
  EXPECT_EQ(result.x.u.size(), static_cast<std::size_t>(problem.size()));
  EXPECT_EQ(result.x.v.size(), static_cast<std::size_t>(problem.dofs()));
  EXPECT_EQ(result.x.lambda.size(), problem.b.size());
  EXPECT_LT(result.certificate.dynamics, 1e-10);
  EXPECT_EQ(result.solver, GetParam());
  EXPECT_EQ(result.tolerance, 1e-6);
  EXPECT_GE(result.time, 0);
  EXPECT_FALSE(result.provenance.version.empty());
  EXPECT_FALSE(result.provenance.compiler.empty());
  // Every option with the value that was used.
  const SolverInfo& info = find_solver(GetParam());
  EXPECT_EQ(result.provenance.options.size(), info.options.size());
  for (const OptionInfo& option : info.options) EXPECT_TRUE(result.provenance.options.count(option.name)) << option.name;
}

TEST_P(EverySolver, BilateralBlocksOfALocalProblem) {
  if (find_solver(GetParam()).family == "convex relaxation") GTEST_SKIP() << "solves another problem on purpose";
  test::Random random(9);
  const int m = 6, p = 2;
  const Eigen::MatrixXd a = test::random_matrix(m, m, random), v = test::random_matrix(m, p, random);
  LocalProblem problem = test::make_local(3, a * a.transpose() + Eigen::MatrixXd::Identity(m, m), test::random_list(m, random), {0.4, 0.7});
  // W − V R⁻¹ Vᵀ stays positive definite with a negative definite R.
  problem.V = test::sparse(v);
  problem.R = test::sparse(-3 * Eigen::MatrixXd::Identity(p, p));
  problem.s = {0.3, -0.2};
  const Result result = solve(problem, with(GetParam(), 1e-8));
  EXPECT_TRUE(result.solved()) << to_string(result.status) << " " << result.certificate.error;
  ASSERT_EQ(result.x.lambda.size(), 2u);
  const Eigen::VectorXd r = test::vec(result.x.r), lambda = test::vec(result.x.lambda);
  EXPECT_LT((v.transpose() * r - 3 * lambda + test::vec(problem.s)).norm(), 1e-12);
}

// Every option outside its range is refused with name, value and range, before anything runs.
TEST_P(EverySolver, OptionsOutOfRange) {
  const SolverInfo& info = find_solver(GetParam());
  for (const OptionInfo& option : info.options) {
    std::string bad;
    if (option.type == "integer" || option.type == "real") {
      // "[0, 2]", "(0, inf)": one below the lower end, where there is one, else above the upper end.
      const double lower = std::stod(option.range.substr(1)), upper = std::stod(option.range.substr(option.range.find(',') + 1));
      if (std::isfinite(lower)) bad = std::to_string(static_cast<long>(lower) - 1);
      else if (std::isfinite(upper)) bad = std::to_string(static_cast<long>(upper) + 1);
      else bad = "nan";
    } else {
      bad = "perhaps-not";
    }
    RunOptions options = with(GetParam());
    options.options[option.name] = bad;
    const std::string message = message_of<InvalidOption>([&] { solve(lively(), options); });
    EXPECT_TRUE(contains(message, option.name)) << message;
    EXPECT_TRUE(contains(message, bad)) << message;
    if (option.type == "integer" || option.type == "real") {
      EXPECT_TRUE(contains(message, option.range)) << message << " without " << option.range;
    }
    for (const std::string& choice : option.choices) EXPECT_TRUE(contains(message, choice)) << message << " without " << choice;
    for (const char* text : {"12abc", "", "nan"}) {
      if (option.type == "flag" || option.type == "choice") break;
      options.options[option.name] = text;
      EXPECT_THROW(solve(lively(), options), InvalidOption) << option.name << "=" << text;
    }
  }
}

TEST_P(EverySolver, DefaultsCanBeGivenBack) {
  const Result first = solve(lively(), with(GetParam(), 1e-6));
  RunOptions options = with(GetParam(), 1e-6);
  options.options = first.provenance.options;
  const Result second = solve(lively(), options);
  EXPECT_EQ(first.x.r, second.x.r);
  EXPECT_EQ(first.provenance.options, second.provenance.options);
}

TEST_P(EverySolver, UnknownOptionNamesTheNearest) {
  const SolverInfo& info = find_solver(GetParam());
  if (info.options.empty()) GTEST_SKIP() << "has no options";
  const std::string known = info.options.front().name;
  RunOptions options = with(GetParam());
  options.options[known + "x"] = "1";
  const std::string message = message_of<InvalidOption>([&] { solve(lively(), options); });
  EXPECT_TRUE(contains(message, known + "x")) << message;
  EXPECT_TRUE(contains(message, GetParam())) << message;
  // The name itself, not only as the beginning of the wrong one.
  std::string rest = message;
  for (std::size_t at; (at = rest.find(known + "x")) != std::string::npos;) rest.erase(at, known.size() + 1);
  EXPECT_TRUE(contains(rest, known)) << message;
}

TEST(Driver, DefaultSolverExists) {
  EXPECT_NO_THROW(find_solver(kDefaultSolver));
  EXPECT_EQ(RunOptions{}.solver, kDefaultSolver);
  EXPECT_EQ(solve(lively()).solver, kDefaultSolver);
}

TEST(Driver, UnknownSolverNamesTheNearest) {
  const std::string message = message_of<InvalidOption>([&] { solve(lively(), with("nsgs-axact")); });
  EXPECT_TRUE(contains(message, "nsgs-axact")) << message;
  EXPECT_TRUE(contains(message, "nsgs-exact")) << message;
  EXPECT_TRUE(contains(message_of<InvalidOption>([&] { find_solver("fp-vi-up"); }), "fp-vi-upk"));
  EXPECT_THROW(solve(lively(), with("")), InvalidOption);
}

TEST(Driver, RunOptionsOutOfRange) {
  for (const double tolerance : {0.0, -1e-8, 1.5, test::kNan, test::kInfinity})
    EXPECT_TRUE(contains(message_of<InvalidOption>([&] { solve(lively(), with(kDefaultSolver, tolerance)); }), "tolerance")) << tolerance;
  for (const double limit : {-1.0, test::kNan}) {
    RunOptions options = with(kDefaultSolver);
    options.time_limit = limit;
    EXPECT_TRUE(contains(message_of<InvalidOption>([&] { solve(lively(), options); }), "time_limit")) << limit;
  }
  RunOptions options = with(kDefaultSolver);
  options.max_iterations = -1;
  EXPECT_TRUE(contains(message_of<InvalidOption>([&] { solve(lively(), options); }), "max_iterations"));
  options = with(kDefaultSolver);
  options.threads = 0;
  EXPECT_TRUE(contains(message_of<InvalidOption>([&] { solve(lively(), options); }), "threads"));
}

TEST(Driver, InvalidProblemIsRefused) {
  LocalProblem problem = test::make_local(3, Eigen::MatrixXd::Identity(3, 3), {-1, 0, 0}, {-0.5});
  EXPECT_TRUE(contains(message_of<InvalidProblem>([&] { solve(problem); }), "mu"));
}

TEST(Driver, GuessOfWrongLengthIsRefused) {
  const std::string message = message_of<InvalidProblem>([&] { solve(lively(), with(kDefaultSolver), test::reactions({1, 2})); });
  EXPECT_TRUE(contains(message, "2")) << message;
}

TEST(Driver, GuessThatIsNotFiniteIsRefused) {
  Iterate guess = test::reactions(std::vector<double>(3u * static_cast<std::size_t>(contacts(lively())), 0.0));
  guess.r[3] = test::kNan;
  EXPECT_THROW(solve(lively(), with(kDefaultSolver), guess), InvalidProblem);
}

// A guess with only r, and with a u that lies, gives the same run.
TEST(Driver, OnlyTheReactionsOfAGuessCount) {
  Iterate guess = solve(lively(), with(kDefaultSolver, 1e-2)).x;
  const Result plain = solve(lively(), with(kDefaultSolver), test::reactions(guess.r));
  guess.u.assign(guess.u.size(), 1e6);
  guess.v.assign(guess.v.size(), -1e6);
  EXPECT_EQ(solve(lively(), with(kDefaultSolver), guess).x.r, plain.x.r);
}

TEST(Driver, StatusesAreSpeltAsInJson) {
  const std::vector<std::pair<Status, const char*>> statuses = {{Status::solved, "solved"},
                                                                {Status::inaccurate, "inaccurate"},
                                                                {Status::iteration_limit, "iteration_limit"},
                                                                {Status::time_limit, "time_limit"},
                                                                {Status::stalled, "stalled"},
                                                                {Status::diverged, "diverged"},
                                                                {Status::numerical_error, "numerical_error"},
                                                                {Status::no_solution, "no_solution"},
                                                                {Status::unsupported, "unsupported"},
                                                                {Status::interrupted, "interrupted"}};
  for (const auto& [status, text] : statuses) EXPECT_STREQ(to_string(status), text);
  const std::vector<std::pair<Termination, const char*>> terminations = {
      {Termination::converged, "converged"},     {Termination::iteration_limit, "iteration_limit"},
      {Termination::time_limit, "time_limit"},   {Termination::stalled, "stalled"},
      {Termination::diverged, "diverged"},       {Termination::breakdown, "breakdown"},
      {Termination::interrupted, "interrupted"}, {Termination::unsupported, "unsupported"}};
  for (const auto& [termination, text] : terminations) EXPECT_STREQ(to_string(termination), text);
}

TEST(Registry, RowsAreComplete) {
  ASSERT_GE(solvers().size(), 6u);
  for (const SolverInfo& info : solvers()) {
    for (const std::string& text : {info.title, info.family, info.summary, info.use_when, info.fails_when, info.reference})
      EXPECT_FALSE(text.empty()) << info.id;
    EXPECT_EQ(&find_solver(info.id), &info);
    EXPECT_GT(info.max_iterations, 0);
    for (const OptionInfo& option : info.options) {
      EXPECT_FALSE(option.what.empty()) << info.id << " " << option.name;
      EXPECT_FALSE(option.range.empty() && option.type != "flag") << info.id << " " << option.name;
    }
  }
  for (const char* id : {"nsgs-ac", "nsgs-exact", "nsgs-fp-vi-upk", "fp-vi-upk", "eg-vi-upk", "nsn-ac-gp"})
    EXPECT_NO_THROW(find_solver(id)) << id;
}

}  // namespace
}  // namespace cornet
