// enumerate and lemke on plane problems with closed forms: several solutions, one, none, families.
#include <gtest/gtest.h>

#include "cornet/enumerate.h"
#include "cornet/error.h"
#include "cornet/samples.h"
#include "linalg/bounded_simplex.h"
#include "support/fixtures.h"
#include "support/plane_problems.h"

namespace cornet {
namespace {

using test::bead_in_corner;
using test::kInfinity;
using test::painleve_rod;

constexpr double kFlat = 0.3, kSteep = 0.7, kMu = 0.5;  // tan 0.3 < 0.5 < tan 0.7

void expect_sound(const Enumeration& e) {
  for (const EnumeratedSolution& s : e.solutions) EXPECT_LE(s.certificate.error, 1e-10);
}

TEST(Enumerate, PainleveLiftedHasTwoSolutions) {
  const Enumeration e = enumerate_solutions(painleve_rod(1, kFlat, 1, kMu));
  ASSERT_TRUE(e.complete) << e.message;
  ASSERT_EQ(e.solutions.size(), 2u);
  expect_sound(e);
  EXPECT_EQ(e.solutions[0].certificate.take_off, 1);
  EXPECT_EQ(e.solutions[1].certificate.slide, 1);
  EXPECT_NEAR(e.solutions[1].x.r[0], std::tan(kFlat) / (kMu - std::tan(kFlat)), 1e-12);
  EXPECT_EQ(e.solutions[1].x.v.size(), 1u);
  EXPECT_TRUE(e.solutions[0].isolated && e.solutions[1].isolated && e.solutions[1].unique_reactions);
}

TEST(Enumerate, PainleveLiftedAndSteepTakesOff) {
  const Enumeration e = enumerate_solutions(painleve_rod(1, kSteep, 1, kMu));
  ASSERT_TRUE(e.complete);
  ASSERT_EQ(e.solutions.size(), 1u);
  EXPECT_EQ(e.solutions[0].x.r, (std::vector<double>{0, 0}));
}

TEST(Enumerate, PainlevePressedSlides) {
  const Enumeration right = enumerate_solutions(painleve_rod(-1, kSteep, 1, kMu)),
                    left = enumerate_solutions(painleve_rod(-1, kFlat, -1, kMu));
  ASSERT_EQ(right.solutions.size(), 1u);
  ASSERT_EQ(left.solutions.size(), 1u);
  EXPECT_TRUE(right.complete && left.complete);
  EXPECT_NEAR(right.solutions[0].x.r[0], std::tan(kSteep) / (std::tan(kSteep) - kMu), 1e-12);
  EXPECT_NEAR(left.solutions[0].x.r[0], std::tan(kFlat) / (std::tan(kFlat) + kMu), 1e-12);
}

TEST(Enumerate, PainlevePressedAndFlatIsImpossible) {
  for (const double mu : {kMu, std::tan(kFlat), 2.0}) {
    const Problem problem = painleve_rod(-1, kFlat, 1, mu);
    EXPECT_TRUE(enumerate_solutions(problem).impossible()) << mu;
    const Result result = test::solve_with(problem, "enumerate", 1e-8);
    EXPECT_EQ(result.status, Status::no_solution) << result.message;
    EXPECT_EQ(result.termination, Termination::no_solution);
    // Lemke cannot prove it, and says so.
    const Result ray = test::solve_with(problem, "lemke", 1e-8);
    EXPECT_EQ(ray.status, Status::stalled);
    EXPECT_TRUE(test::contains(ray.message, "does not prove")) << ray.message;
  }
}

TEST(Enumerate, BeadIsPulledOutOrWedged) {
  const Enumeration e = enumerate_solutions(bead_in_corner(0.2, 0.5));
  ASSERT_TRUE(e.complete);
  ASSERT_EQ(e.solutions.size(), 2u);
  expect_sound(e);
  EXPECT_EQ(e.solutions[0].certificate.take_off, 2);
  EXPECT_TRUE(e.solutions[0].unique_reactions);
  EXPECT_EQ(e.solutions[1].certificate.stick, 2);
  EXPECT_FALSE(e.solutions[1].unique_reactions);
  EXPECT_EQ(e.solutions[1].reaction_spread[0], kInfinity);  // wedged: the walls may press as hard as they like
  EXPECT_EQ(enumerate_solutions(bead_in_corner(0.6, 0.5)).solutions.size(), 1u);
}

TEST(Enumerate, ExtremeFriction) {
  const Enumeration rough = enumerate_solutions(bead_in_corner(0.2, kInfinity)), smooth = enumerate_solutions(bead_in_corner(0.2, 0));
  ASSERT_EQ(rough.solutions.size(), 1u);
  ASSERT_EQ(smooth.solutions.size(), 1u);
  EXPECT_TRUE(rough.complete && smooth.complete);
  for (const double u : rough.solutions[0].x.u) EXPECT_NEAR(u, 0, 1e-12);
  EXPECT_EQ(smooth.solutions[0].x.r, std::vector<double>(4, 0.0));
}

// A contact that sticks is found whatever the angle of its cone, near an edge, too. (From μ = 1e7 on the rounding of u_T alone is 1e-9 of û.)
TEST(Enumerate, ConesOfEveryAngle) {
  Eigen::Matrix2d W;
  W << 0.00113, 0.01798, 0.01798, 0.554;
  for (double mu = 1e-12; mu < 5e6; mu *= 10)
    for (const double share : {0.97, -0.5, 0.0}) {
      SCOPED_TRACE(mu);
      SCOPED_TRACE(share);
      const Eigen::Vector2d r = Eigen::Vector2d(1, share * mu) / std::max(1.0, mu), q = -W * r;
      const Enumeration e = enumerate_solutions(test::make_local(2, W, {q[0], q[1]}, {mu}));
      ASSERT_FALSE(e.solutions.empty()) << e.message;
      EXPECT_LE(e.solutions[0].certificate.error, 1e-9);
    }
}

// Two cases contradict each other through coefficients that count as zero; the reason one of them gives must not exclude a third (the draw 400289
// of the numerical fuzzing).
TEST(Enumerate, SmallCoefficientsAreReasonsToo) {
  Eigen::Matrix2d W;
  W << 0.0011296231101706566, 0.017981770125267939, 0.017981770125267939, 0.55397706414853276;
  const Enumeration e =
      enumerate_solutions(test::make_local(2, W, {-0.0011203428841141103, -0.017834043836864578}, {4.7106464398595322e-10}));
  ASSERT_EQ(e.solutions.size(), 1u) << e.message;
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(e.solutions[0].certificate.stick, 1);
}

TEST(Enumerate, CrushedBallHasNone) {
  // Fixed ground below, a plane that comes down above, one degree of freedom: u_N0 = v, u_N1 = −v − 1.
  Eigen::MatrixXd W(4, 4);
  W << 1, 0, -1, 0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 0;
  for (const double mu : {0.0, 0.5, kInfinity}) {
    const Enumeration e = enumerate_solutions(test::make_local(2, W, {0, 0, -1, 0}, {mu, mu}));
    EXPECT_TRUE(e.impossible()) << mu << " " << e.message;
  }
}

TEST(Enumerate, GrazingContactsDoNotMultiplyTheSearch) {
  // Fourteen contacts with q = 0 beside a loaded one: r = 0, u = 0 belongs to all four cases of each.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(30, 30);
  std::vector<double> q(30, 0.0);
  q[0] = -1;
  q[1] = 0.2;
  const Enumeration e = enumerate_solutions(test::make_local(2, W, q, std::vector<double>(15, 0.5)));
  ASSERT_EQ(e.solutions.size(), 1u);
  EXPECT_TRUE(e.complete);
  EXPECT_LT(e.branches, 100);
  EXPECT_NEAR(e.solutions[0].x.r[0], 1, 1e-12);
}

TEST(Enumerate, ZeroDataAndNoContacts) {
  const Enumeration zero =
      enumerate_solutions(test::make_local(2, Eigen::MatrixXd::Zero(4, 4), std::vector<double>(4, 0.0), {0.3, kInfinity}));
  ASSERT_EQ(zero.solutions.size(), 1u);
  EXPECT_TRUE(zero.complete);
  EXPECT_FALSE(zero.solutions[0].unique_reactions);
  const Enumeration none = enumerate_solutions(test::make_local(2, Eigen::MatrixXd(0, 0), {}, {}));
  EXPECT_EQ(none.solutions.size(), 1u);
  EXPECT_TRUE(none.complete);
}

TEST(Enumerate, ContinuumOfVelocitiesIsNotIsolated) {
  // u_N0 = 0 whatever happens, so r_N0 ≥ 0 is free; it drags the open contact 1 along.
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(4, 4);
  W(3, 0) = 1;
  const Enumeration e = enumerate_solutions(test::make_local(2, W, {0, 0, 1, 0}, {0, 0.5}));
  ASSERT_FALSE(e.solutions.empty());
  EXPECT_FALSE(std::all_of(e.solutions.begin(), e.solutions.end(), [](const auto& s) { return s.isolated; }));
}

TEST(Enumerate, FirstOnlyStopsEarlyAndIsNotComplete) {
  EnumerationOptions options;
  options.all = false;
  const Enumeration e = enumerate_solutions(bead_in_corner(0.2, 0.5), options);
  EXPECT_EQ(e.solutions.size(), 1u);
  EXPECT_FALSE(e.complete);
  EXPECT_FALSE(e.impossible());
}

TEST(Enumerate, StopsWhenAsked) {
  Iterate known;
  const Problem problem = samples::random_local(2, 15, 30, 0.2, 3, 0, 1, known);
  EnumerationOptions options;
  options.callback = [](long branches, int) { return branches < 20; };
  const Enumeration e = enumerate_solutions(problem, options);
  EXPECT_FALSE(e.complete);
  EXPECT_LT(e.branches, 50);
  EXPECT_FALSE(e.message.empty());
  RunOptions run;
  run.solver = "enumerate";
  run.max_iterations = 5;
  EXPECT_EQ(solve(problem, run).status, Status::iteration_limit);
}

TEST(Enumerate, RefusesLargeProblems) {
  Iterate known;
  const Problem large = samples::random_local(2, 16, 32, 0.2, 1, 0, 1, known), space = samples::random_local(3, 2, 6, 0.2, 1, 0, 1, known);
  for (const Problem* problem : {&large, &space}) {
    EXPECT_FALSE(why_not_enumerable(*problem).empty());
    EXPECT_THROW(enumerate_solutions(*problem), InvalidOption);
    EXPECT_EQ(test::solve_with(*problem, "enumerate", 1e-8).termination, Termination::unsupported);
  }
}

TEST(Enumerate, TheSolverReturnsTheSolutionNearTheStart) {
  const Problem problem = bead_in_corner(0.2, 0.5);
  EXPECT_EQ(test::solve_with(problem, "enumerate", 1e-8).certificate.take_off, 2);
  EXPECT_EQ(test::solve_with(problem, "enumerate", 1e-8, test::reactions({2, -1, 2, -1})).certificate.stick, 2);
}

TEST(Enumerate, OneContactInSpace) {
  // The lifted rod in space: rank one, coupling stronger than W_NN.
  const Eigen::Vector3d h(std::sin(kFlat), std::cos(kFlat), 0);
  const Eigen::MatrixXd W = h * h.transpose();
  const Eigen::Vector3d lifted = h * std::sin(kFlat) + Eigen::Vector3d(0, 1, 0), pressed = -h * std::sin(kFlat) + Eigen::Vector3d(0, 1, 0);
  const Enumeration two = enumerate_solutions(test::make_local(3, W, test::list(lifted), {kMu}));
  ASSERT_TRUE(two.complete) << two.message;
  ASSERT_EQ(two.solutions.size(), 2u);
  expect_sound(two);
  const Enumeration none = enumerate_solutions(test::make_local(3, W, test::list(pressed), {kMu}));
  EXPECT_TRUE(none.impossible()) << none.message;
  EXPECT_EQ(test::solve_with(Problem(test::make_local(3, W, test::list(pressed), {kMu})), "enumerate", 1e-8).status, Status::no_solution);
}

TEST(Lemke, RefusesSpaceAndLargeProblems) {
  Iterate known;
  EXPECT_EQ(test::solve_with(samples::random_local(3, 2, 6, 0.2, 1, 0, 1, known), "lemke", 1e-8).termination, Termination::unsupported);
  LocalProblem large;
  large.dim = 2;
  large.mu.assign(401, 0.5);
  large.q.assign(802, 1.0);
  large.W.rows = large.W.cols = 802;
  large.W.p.assign(803, 0);
  EXPECT_EQ(test::solve_with(large, "lemke", 1e-8).termination, Termination::unsupported);
}

TEST(Lemke, DegenerateMechanicsToMachinePrecision) {
  for (const double mu : {0.0, 0.3, 1.0}) {
    const Result result = test::solve_with(samples::disk_packing(6, 6, mu, 2), "lemke", 1e-12);
    EXPECT_TRUE(result.solved()) << mu << ": " << result.message;
  }
}

TEST(Lemke, PrincipalPivotsSolveWeakCoupling) {
  Iterate known;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunOptions options;
    options.solver = "lemke";
    options.options["rule"] = "principal";
    options.tolerance = 1e-12;
    const Result result = solve(samples::random_local(2, 10, 200, 0.05, 0.2, 0, seed, known), options);
    EXPECT_TRUE(result.solved() || result.status == Status::stalled) << result.message;
    solved += result.solved();
  }
  EXPECT_GE(solved, 18);
}

// What the driver asks of every solver, for the two that the tests of all solvers leave out.
class PlaneSolver : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Plane, PlaneSolver, testing::Values("enumerate", "lemke"));

TEST_P(PlaneSolver, LimitsInterruptionAndHistory) {
  const Problem problem = samples::disk_packing(3, 2, 0.4, 5);
  RunOptions options;
  options.solver = GetParam();
  options.tolerance = 1e-13;
  options.max_iterations = 3;
  options.keep_history = true;
  const Result limited = solve(problem, options);
  EXPECT_EQ(limited.status, Status::iteration_limit) << limited.message;
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_EQ(limited.history.size(), 3u);
  options.max_iterations = 0;
  options.time_limit = 1e-9;
  EXPECT_EQ(solve(problem, options).status, Status::time_limit);
  options.time_limit = 60;
  std::atomic<bool> stop{true};
  options.interrupt = &stop;
  EXPECT_EQ(solve(problem, options).status, Status::interrupted);
  options.interrupt = nullptr;
  int calls = 0;
  options.callback = [&](const HistoryEntry&) { return ++calls < 2; };
  EXPECT_EQ(solve(problem, options).status, Status::interrupted);
  EXPECT_EQ(calls, 2);
}

TEST_P(PlaneSolver, StorageDecidesNothingAndRunsRepeat) {
  Iterate known;
  const LocalProblem problem = samples::random_local(2, 7, 9, 0, kInfinity, 0.1, 8, known);
  const Result plain = test::solve_with(problem, GetParam(), 1e-10);
  EXPECT_TRUE(plain.solved()) << plain.message;
  EXPECT_EQ(test::solve_with(problem, GetParam(), 1e-10).x.r, plain.x.r);
  for (const Storage storage : {Storage::csr, Storage::triplet}) {
    LocalProblem other = problem;
    other.W = test::sparse(test::dense(problem.W), storage);
    EXPECT_EQ(test::solve_with(other, GetParam(), 1e-10).x.r, plain.x.r);
  }
}

TEST_P(PlaneSolver, NothingToDo) {
  EXPECT_TRUE(test::solve_with(test::make_local(2, Eigen::MatrixXd(0, 0), {}, {}), GetParam(), 1e-8).solved());
  const Result zero =
      test::solve_with(test::make_local(2, Eigen::MatrixXd::Identity(4, 4), std::vector<double>(4, 0.0), {0.3, 0.0}), GetParam(), 1e-8);
  EXPECT_TRUE(zero.solved());
  EXPECT_EQ(zero.x.r, std::vector<double>(4, 0.0));
}

TEST(BoundedSimplex, PointsFarAwayProveNothing) {
  for (const double largest : {1e5, 1e7}) {
    BoundedSimplex lp(Eigen::MatrixXd::Ones(1, 2));
    for (const int k : {0, 1}) {
      lp.set_lower(k, 0);
      lp.set_upper(k, largest);
    }
    ASSERT_TRUE(lp.feasible(1e-8));
    EXPECT_EQ(lp.maximize(2, 1e-8), largest < 1e6 ? 2 * largest : kInfinity);
    lp.set_lower(2, 3 * largest);
    EXPECT_EQ(lp.feasible(1e-8), largest > 1e6);
  }
}

TEST(BoundedSimplex, FeasibleConflictAndExtremes) {
  // y0 = x0 + x1, y1 = x0 − x1 with 0 ≤ x ≤ 1.
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, 1, -1;
  BoundedSimplex lp(A);
  for (const int k : {0, 1}) {
    lp.set_lower(k, 0);
    lp.set_upper(k, 1);
  }
  ASSERT_TRUE(lp.feasible(1e-12));
  EXPECT_DOUBLE_EQ(lp.maximize(2, 1e-12), 2);
  EXPECT_DOUBLE_EQ(lp.minimize(3, 1e-12), -1);
  lp.set_lower(2, 1.5);
  ASSERT_TRUE(lp.feasible(1e-12));
  EXPECT_NEAR(lp.maximize(3, 1e-12), 0.5, 1e-15);
  lp.set_lower(3, 0.75);
  ASSERT_FALSE(lp.feasible(1e-12));
  // x0 ≤ 1, y0 ≥ 1.5 and y1 ≥ 0.75 contradict each other: 2 x0 ≥ 2.25. No other bound is to blame.
  EXPECT_EQ(lp.conflict().size(), 3u);
  for (const auto& bound : lp.conflict())
    EXPECT_TRUE((bound.variable == 0 && bound.upper) || (bound.variable >= 2 && !bound.upper)) << bound.variable;
  lp.set_lower(3, -kInfinity);
  lp.set_upper(0, kInfinity);
  ASSERT_TRUE(lp.feasible(1e-12));
  EXPECT_EQ(lp.maximize(2, 1e-12), kInfinity);
  EXPECT_TRUE(lp.can_exceed(2, 1e6, 1e-12));
  EXPECT_FALSE(lp.can_fall_below(2, 1.4, 1e-12));
}

}  // namespace
}  // namespace cornet
