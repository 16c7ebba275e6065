// spg, apgd and admm against answers known exactly, in both forms; and as parts of other solvers.
#include <gtest/gtest.h>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "solvers/admm.h"
#include "solvers/apgd.h"
#include "solvers/spg.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

Result run(const std::string& id, const Problem& problem, double tolerance, const OptionTexts& options = {}, const Iterate& guess = {}) {
  RunOptions how;
  how.solver = id;
  how.tolerance = tolerance;
  how.time_limit = 60;
  how.options = options;
  return solve(problem, how, guess);
}

class FirstOrder : public testing::TestWithParam<const char*> {};

// Full rank, so that the reactions are unique: the known solution comes out, W symmetric or not, in both dimensions.
TEST_P(FirstOrder, FindsTheKnownSolution) {
  for (const int dim : {2, 3})
    for (const double asymmetry : {0.0, 0.1})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Iterate known;
        const LocalProblem p = samples::random_local(dim, 6, 6 * dim, 0.1, 0.6, asymmetry, seed, known);
        const Result result = run(GetParam(), p, 1e-10);
        ASSERT_EQ(result.status, Status::solved) << dim << ' ' << asymmetry << ' ' << seed << ' ' << result.message;
        // u is unique even where r is not to be told from a neighbour.
        EXPECT_LT((test::vec(result.x.u) - test::vec(known.u)).norm(), 1e-6 * (1 + test::vec(known.u).norm())) << dim << ' ' << seed;
      }
}

TEST_P(FirstOrder, FrictionZeroAndInfinity) {
  for (const int dim : {2, 3}) {
    Iterate known;
    const LocalProblem mixed = samples::random_local(dim, 9, 9 * dim, 0, test::kInfinity, 0, 4, known);
    EXPECT_EQ(run(GetParam(), mixed, 1e-9).status, Status::solved) << dim;
    LocalProblem p = samples::random_local(dim, 5, 5 * dim, 0, 0, 0, 5, known);
    const Result without = run(GetParam(), p, 1e-10);
    ASSERT_EQ(without.status, Status::solved) << dim;
    // The answer of admm is in K up to the tolerance only.
    const double off = std::string(GetParam()) == "admm" ? 1e-8 : 0.0;
    for (int a = 0; a < p.contacts(); ++a)
      for (int i = 1; i < dim; ++i) EXPECT_LE(std::abs(without.x.r[static_cast<std::size_t>(a * dim + i)]), off);
    p.mu.assign(p.mu.size(), test::kInfinity);
    const Result stuck = run(GetParam(), p, 1e-10);
    ASSERT_EQ(stuck.status, Status::solved) << dim;
    for (int a = 0; a < p.contacts(); ++a)
      for (int i = 1; i < dim; ++i) EXPECT_LT(std::abs(stuck.x.u[static_cast<std::size_t>(a * dim + i)]), 1e-8);
  }
}

// A block on a slope slides with g (sin − μ cos) h, or stays.
TEST_P(FirstOrder, BlockOnAnIncline) {
  for (const int dim : {2, 3}) {
    const Result slides = run(GetParam(), samples::block_on_incline(dim, 0.5, 0.3), 1e-10);
    ASSERT_EQ(slides.status, Status::solved);
    EXPECT_NEAR(slides.x.u[1], samples::kGravity * samples::kStep * (std::sin(0.5) - 0.3 * std::cos(0.5)), 1e-8);
    const Result sticks = run(GetParam(), samples::block_on_incline(dim, 0.25, 0.3), 1e-10);
    ASSERT_EQ(sticks.status, Status::solved);
    EXPECT_NEAR(sticks.x.u[1], 0, 1e-8);
  }
}

TEST_P(FirstOrder, GlobalFormGivesTheSameVelocities) {
  for (const GlobalProblem& p : {samples::jointed_cubes(0.3), samples::spinning_disks(3, 0.4), samples::sphere_lattice(3, 3, 2, 0.3, 5),
                                 samples::disk_packing(5, 4, 0.3, 6), samples::box_stack(3, 0.5)}) {
    const Result global = run(GetParam(), p, 1e-8), local = run(GetParam(), reduce(p).local(), 1e-8);
    ASSERT_EQ(global.status, Status::solved) << p.name << ' ' << global.message;
    ASSERT_EQ(local.status, Status::solved) << p.name << ' ' << local.message;
    EXPECT_EQ(global.x.v.size(), p.f.size());
    EXPECT_LT(global.certificate.dynamics, 1e-9) << p.name;
  }
}

TEST_P(FirstOrder, AWarmStartAtTheSolutionTakesNoIteration) {
  const Problem p = samples::sphere_lattice(3, 3, 2, 0.3, 5);
  const Result first = run(GetParam(), p, 1e-7);
  ASSERT_EQ(first.status, Status::solved);
  Iterate guess;
  guess.r = first.x.r;
  EXPECT_LE(run(GetParam(), p, 1e-6, {}, guess).iterations, 1);
}

// A contact that nothing can move, pressed against its wall: no solution, and no pretence of one.
TEST_P(FirstOrder, WithoutSolutionItSaysSo) {
  LocalProblem p = test::make_local(3, Eigen::MatrixXd::Zero(3, 3), {-1, 0, 0}, {0.5});
  RunOptions how;
  how.solver = GetParam();
  how.max_iterations = 3000;
  how.existence = ExistenceCheck::never;
  const Result result = solve(Problem(p), how);
  EXPECT_FALSE(result.solved());
  for (double x : result.x.r) EXPECT_TRUE(std::isfinite(x));
}

INSTANTIATE_TEST_SUITE_P(All, FirstOrder, testing::Values("spg", "apgd", "admm"));

TEST(Admm, AndersonAndPenaltyLeadToTheSameAnswer) {
  const Problem p = samples::box_stack(4, 0.5);
  for (const OptionTexts& options : {OptionTexts{{"anderson", "5"}}, OptionTexts{{"kappa", "10"}}, OptionTexts{{"refactor", "inf"}}})
    EXPECT_EQ(run("admm", p, 1e-8, options).status, Status::solved);
}

TEST(Admm, CondensesToTheSmallerForm) {
  EXPECT_EQ(run("admm", samples::brick_wall(3, 3, 0.5), 1e-4).statistics.count("condensed_to_dofs"), 1u);  // m = 9 n
  EXPECT_EQ(run("admm", samples::jointed_cubes(0.5), 1e-4).statistics.count("condensed_to_dofs"), 0u);
}

// As a part of another solver: any operator, r as a start, a monitor of the caller.
TEST(FirstOrderParts, RunOnAnOperator) {
  const GlobalProblem p = samples::sphere_lattice(3, 3, 2, 0.3, 5);
  const GlobalOperator<3> op(p);
  std::vector<double> r(op.size(), 0.0);
  Monitor rough({1e-3});
  EXPECT_EQ(Spg<GlobalOperator<3>>().run(op, r, rough), Termination::converged);
  EXPECT_LE(rough.best_error(), 1e-3);
  Monitor fine({1e-7});
  EXPECT_EQ(Admm<GlobalOperator<3>>().run(op, r, fine), Termination::converged);
  Monitor finer({1e-8});
  EXPECT_EQ(Apgd<GlobalOperator<3>>().run(op, r, finer), Termination::converged);
  Iterate x;
  x.r = r;
  EXPECT_LE(certify(p, reduce(p).expand(x)).error, 1.01e-8);
}

}  // namespace
}  // namespace cornet
