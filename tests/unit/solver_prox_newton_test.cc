// prox-newton: its step on bodies against the dense equations, certified answers where descents end, and how it stops.
#include "solvers/prox_newton.h"

#include <gtest/gtest.h>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result run(const Problem& problem, double tolerance, const OptionTexts& options = {}, long max_iterations = 0, double time_limit = 60) {
  RunOptions how;
  how.solver = "prox-newton";
  how.tolerance = tolerance;
  how.options = options;
  how.max_iterations = max_iterations;
  how.time_limit = time_limit;
  return solve(problem, how);
}

// (A + B W) d = c on bodies and dense, with take-off (B = 0) and stick (A = 0 but for its damping) among the blocks.
template <int D>
void expect_step_of_dense(const GlobalProblem& problem, double shift) {
  test::Random random(11);
  const MatrixXd W = test::dense(Reduction(problem).local().W);
  GlobalIpmMatrix<D> bodies(problem);
  const int nc = bodies.contacts(), m = nc * D;
  std::vector<Mat<D>> A(static_cast<std::size_t>(nc), Mat<D>::Zero()), B = A;
  MatrixXd full = MatrixXd::Zero(m, m), weights = full;
  for (int a = 0; a < nc; ++a) {
    const auto k = static_cast<std::size_t>(a);
    if (a % 3 == 0) A[k].setIdentity();
    if (a % 3 == 1) B[k] = 0.7 * Mat<D>::Identity();
    if (a % 3 == 2)
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) A[k](i, j) = random.uniform(0, 1), B[k](i, j) = random.uniform(0, 1) + (i == j);
    const Mat<D> block = A[k] + B[k] * W.block<D, D>(a * D, a * D);
    A[k] += shift * block.cwiseAbs().maxCoeff() * Mat<D>::Identity();
    full.block<D, D>(a * D, a * D) = A[k];
    weights.block<D, D>(a * D, a * D) = B[k];
  }
  full += weights * W;
  VectorXd c(m), d(m);
  for (double& x : c) x = random.uniform(-1, 1);
  ASSERT_TRUE(bodies.newton_step(A, B, c, d));
  EXPECT_LE((full * d - c).norm(), 1e-9 * c.norm() / shift);
  EXPECT_LE((d - full.fullPivLu().solve(c)).norm(), 1e-7 * d.norm());
}

TEST(ProxNewton, StepOnBodiesEqualsTheDenseOne) {
  for (const double shift : {1e-3, 0.1, 3.0}) {
    SCOPED_TRACE(shift);
    expect_step_of_dense<3>(samples::sphere_lattice(3, 3, 2, 0.5, 1), shift);
    expect_step_of_dense<3>(samples::box_stack(3, 0.5), shift);
    expect_step_of_dense<2>(samples::disk_packing(5, 4, 0.5, 1), shift);
  }
}

// Walls with strong friction, where a search for a smaller ‖G‖ ends in local minima: growth = 1 must fail somewhere, or the walk is no news.
TEST(ProxNewton, SolvesWhereDescentsEnd) {
  int lost = 0;
  for (const int columns : {3, 4})
    for (const double mu : {0.7, 0.9, 1.2}) {
      SCOPED_TRACE(testing::Message() << columns << " columns, μ = " << mu);
      const Problem problem = samples::brick_wall(columns, 4, mu);
      const Result result = run(problem, 1e-8);
      EXPECT_TRUE(result.solved()) << result.certificate.error;
      const Result descent =
          run(problem, 1e-8, {{"growth", "1"}, {"rise", "1"}, {"polish", "false"}, {"rounds", "0"}, {"patience", "200"}});
      lost += !descent.solved();
    }
  EXPECT_GT(lost, 0);
}

TEST(ProxNewton, MixedFrictionIsExact) {
  const GlobalProblem problem = test::with_mixed_friction(samples::sphere_lattice(3, 3, 3, 0.3, 2));
  const Result result = run(problem, 1e-10);
  ASSERT_TRUE(result.solved());
  for (std::size_t a = 0; a < problem.mu.size(); a += 5)
    for (std::size_t i = 1; i < 3; ++i) EXPECT_NEAR(result.x.r[a * 3 + i], 0, 1e-10);
}

TEST(ProxNewton, EqualInputGivesEqualBits) {
  const Problem problem = samples::brick_wall(4, 3, 0.9);
  EXPECT_EQ(run(problem, 1e-10).x.r, run(problem, 1e-10).x.r);
}

// In parts of a few steps: no more factorisations than were allowed, and the state is kept between them.
TEST(ProxNewton, GoesOnWhereItStopped) {
  const LocalProblem problem = Reduction(samples::brick_wall(4, 4, 0.9)).local();
  const LocalSystem<3> system(problem);
  std::vector<double> parts(problem.q.size(), 0.0);
  ProxNewton<3> walk{ProxNewtonOptions{}};
  walk.prepare(system);
  Termination how = Termination::iteration_limit;
  double steps = 0;
  long calls = 0;
  for (; how == Termination::iteration_limit && calls < 1000; ++calls) {
    Monitor monitor({1e-8, 60, 100000});
    how = walk.go_on(system, parts, 10, monitor);
    const double taken = monitor.counters().at("factorisations");
    EXPECT_LE(taken, 10);
    steps += taken;
  }
  EXPECT_EQ(how, Termination::converged);
  EXPECT_GT(calls, 1);
  Iterate answer;
  answer.r = parts;
  EXPECT_LE(certify(problem, answer).error, 1e-8);
  EXPECT_GE(steps, 10 * (calls - 1));
}

// The walk that counts changes of case begins at a near guess itself, without gradients.
TEST(ProxNewton, CountsCasesFromANearGuess) {
  for (const double mu : {0.5, 0.7, 0.9}) {
    SCOPED_TRACE(mu);
    const LocalProblem problem = Reduction(samples::brick_wall(4, 4, mu)).local();
    RunOptions sweeps;
    sweeps.solver = "nsgs-ac";
    sweeps.max_iterations = 500;
    sweeps.tolerance = 1e-12;
    const Result near = solve(Problem(problem), sweeps);
    ASSERT_LE(near.certificate.error, 1e-2);
    const LocalSystem<3> system(problem);
    std::vector<double> r = near.x.r;
    ProxNewton<3> walk{ProxNewtonOptions{}};
    walk.prepare(system);
    Monitor monitor({1e-8, 60, 100000});
    EXPECT_EQ(walk.go_on(system, r, 200, monitor), Termination::converged);
    EXPECT_EQ(monitor.counters().at("gradients"), 0);
    Iterate answer;
    answer.r = r;
    EXPECT_LE(certify(problem, answer).error, 1e-8);
  }
}

TEST(ProxNewton, LimitsHold) {
  const Problem problem = samples::brick_wall(5, 4, 0.9);
  for (const long limit : {7L, 330L}) {  // in the gradients and in the first walk
    const Result steps = run(problem, 1e-16, {}, limit);
    EXPECT_EQ(steps.status, Status::iteration_limit);
    EXPECT_EQ(steps.iterations, limit);
  }
  const Result time = run(problem, 1e-16, {{"rounds", "1000000"}}, 0, 0.2);
  EXPECT_FALSE(time.solved());
  EXPECT_LT(time.time, 0.4);
  const Result stalled = run(problem, 1e-17, {{"rounds", "0"}, {"patience", "20"}});
  EXPECT_EQ(stalled.status, Status::stalled);
}

}  // namespace
}  // namespace cornet
