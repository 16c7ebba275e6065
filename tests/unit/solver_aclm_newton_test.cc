// aclm-newton: the derivative of the convex solution against finite differences, the random instances of seed 001 (tables 1 and 2) and its
// bad example (§5.4), where φ has a local minimum that solves nothing; starts, engines, outer iterations; what it refuses.
#include <gtest/gtest.h>

#include <atomic>
#include <numbers>

#include "convex/active_set.h"
#include "cornet/convex.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

Result run(const Problem& problem, const OptionTexts& options = {}, double tolerance = 1e-8, const Iterate& guess = {}) {
  RunOptions run_options;
  run_options.solver = "aclm-newton";
  run_options.tolerance = tolerance;
  run_options.options = options;
  run_options.time_limit = 60;
  run_options.keep_history = true;
  return solve(problem, run_options, guess);
}

double statistic(const Result& result, const char* name) {
  const auto it = result.statistics.find(name);
  return it == result.statistics.end() ? 0.0 : it->second;
}

// r(s) by projected gradients to high accuracy, then located.
template <int D>
struct Solved {
  LocalSystem<D> system;
  std::vector<double> shift, r;
  ActiveSet<D> active;

  Solved(const LocalProblem& problem, const std::vector<double>& s) : system(problem), r(system.size(), 0.0) {
    for (std::size_t a = 0; a < s.size(); ++a) shift.push_back(problem.mu[a] < test::kInfinity ? problem.mu[a] * s[a] : 0.0);
    ConvexQuestion question;
    question.s = s;
    ConvexOptions options;
    options.tolerance = 1e-11;
    const ConvexResult result = solve_convex(problem, question, options);
    EXPECT_EQ(result.status, ConvexStatus::optimal) << result.message;
    r = result.x.r;
    active.prepare(system);
    active.polish(system, shift.data(), r, 20);
    EXPECT_LT(active.natural_map(system, r), 1e-12);
  }
  Eigen::VectorXd velocities() const {
    Eigen::VectorXd u(static_cast<Eigen::Index>(system.size()));
    for (int a = 0; a < system.contacts(); ++a) u.segment<D>(a * D) = active.velocity(a);
    return u;
  }
};

template <int D>
void derivative_is_right(int contacts, int rank, double mu_max, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Iterate known;
  const LocalProblem problem = samples::random_local(D, contacts, rank, 0.2, mu_max, 0, seed, known);
  test::Random random(seed + 7);
  std::vector<double> s, ds;
  for (int a = 0; a < contacts; ++a) {
    s.push_back(test::vec(known.u).segment(a * D + 1, D - 1).norm() + random.uniform(0.1, 0.5));
    ds.push_back(random.uniform(-1, 1));
  }
  Solved<D> at(problem, s);
  std::vector<double> d_shift;
  for (int a = 0; a < contacts; ++a) {
    const double mu = problem.mu[static_cast<std::size_t>(a)];
    d_shift.push_back(mu < test::kInfinity ? mu * ds[static_cast<std::size_t>(a)] : 0.0);
  }
  Eigen::VectorXd du;
  ASSERT_TRUE(at.active.derivative(at.system, d_shift, du));
  const double h = 1e-5;
  std::vector<double> forward = s, backward = s;
  for (int a = 0; a < contacts; ++a) {
    forward[static_cast<std::size_t>(a)] += h * ds[static_cast<std::size_t>(a)];
    backward[static_cast<std::size_t>(a)] -= h * ds[static_cast<std::size_t>(a)];
  }
  const Eigen::VectorXd difference = (Solved<D>(problem, forward).velocities() - Solved<D>(problem, backward).velocities()) / (2 * h);
  EXPECT_LT((du - difference).norm(), 1e-5 * (1 + difference.norm()));
  EXPECT_GT(difference.norm(), 0.01);

  // The Newton step solves F + F' ds = s + ds with that derivative.
  std::vector<double> step(s.size()), dr;
  ASSERT_TRUE(at.active.newton_step(at.system, s, std::vector<char>(s.size(), 0), step, dr));
  for (int a = 0; a < contacts; ++a) {
    const double mu = problem.mu[static_cast<std::size_t>(a)];
    d_shift[static_cast<std::size_t>(a)] = mu < test::kInfinity ? mu * step[static_cast<std::size_t>(a)] : 0.0;
  }
  ASSERT_TRUE(at.active.derivative(at.system, d_shift, du));
  for (int a = 0; a < contacts; ++a) {
    const auto k = static_cast<std::size_t>(a);
    if (!ActiveSet<D>::matters(problem.mu[k])) continue;
    const double F = at.active.slip(a);
    const double change = F > 1e-9 ? at.active.velocity(a).tail(D - 1).dot(du.segment(a * D + 1, D - 1)) / F : 0.0;
    EXPECT_NEAR(F + change, s[k] + step[k], 1e-7 * (1 + s[k]));
  }
}

TEST(AclmNewton, DerivativeAgainstFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    derivative_is_right<2>(8, 16, 1, seed);
    derivative_is_right<3>(8, 24, 1, seed);
    derivative_is_right<3>(9, 27, test::kInfinity, seed + 20);
  }
  for (std::uint64_t seed = 11; seed <= 13; ++seed) derivative_is_right<3>(8, 20, 0.8, seed);  // W of deficient rank
}

// n contacts, 4 n degrees of freedom, sparse random data (seed 001 §5.2).
GlobalProblem random_instance(int dim, int n, double mu_min, double mu_max, std::uint64_t seed) {
  test::Random random(seed);
  const int dofs = 4 * n;
  const auto normal = [&] {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    return radius * std::cos(2 * std::numbers::pi * random.unit());
  };
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(dofs, dofs), H = Eigen::MatrixXd::Zero(dofs, dim * n);
  for (int i = 0; i < dofs; ++i) M(i, i) = std::exp(random.uniform(-1, 1));
  for (int k = 0; k < dofs; ++k) {  // random plane rotations leave M sparse and positive definite
    const int i = random.index(dofs), j = random.index(dofs);
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    if (i == j) continue;
    Eigen::JacobiRotation<double> rotation(std::cos(angle), std::sin(angle));
    M.applyOnTheLeft(i, j, rotation.adjoint());
    M.applyOnTheRight(i, j, rotation);
  }
  M = (0.5 * (M + M.transpose())).eval();
  for (int j = 0; j < dim * n; ++j)
    for (int i = 0; i < dofs; ++i)
      if (random.unit() < 0.2) H(i, j) = normal();
  std::vector<double> f, w, mu;
  for (int i = 0; i < dofs; ++i) f.push_back(normal());
  for (int a = 0; a < n; ++a) {
    for (int i = 0; i < dim; ++i) w.push_back(i == 0 ? normal() : 0.0);
    mu.push_back(random.uniform(mu_min, mu_max));
  }
  return test::make_global(dim, M, H, f, w, mu);
}

TEST(AclmNewton, RandomInstancesOfTables1And2) {
  for (int dim : {2, 3})
    for (int n : {10, 20, 30, 40, 50, 60}) {
      SCOPED_TRACE(std::to_string(dim) + "D, n = " + std::to_string(n));
      const Result result = run(random_instance(dim, n, n <= 30 ? 0.5 : 0.2, n <= 30 ? 2 : 3, static_cast<std::uint64_t>(n)), {}, 1e-12);
      EXPECT_EQ(result.status, Status::solved) << result.message;
      EXPECT_GT(statistic(result, "phi_initial"), 1);
      EXPECT_LE(statistic(result, "phi_final"), dim == 2 ? 1e-24 : 1e-8);
      EXPECT_LE(result.iterations, 20);
      // φ never grows: it is the own residual of the history.
      for (std::size_t k = 1; k < result.history.size(); ++k) EXPECT_LT(result.history[k].own_residual, result.history[k - 1].own_residual);
    }
}

// Seed 001 §5.4 with the normal first: M (t, n) = (2 −3; −3 5), f = (1, 0).
GlobalProblem bad_boy() {
  Eigen::MatrixXd M(2, 2);
  M << 5, -3, -3, 2;
  return test::make_global(2, M, Eigen::MatrixXd::Identity(2, 2), {0, 1}, {0, 0}, {1.0});
}

TEST(AclmNewton, BadBoyFailsFromTheLeftAndSaysSo) {
  for (const char* s : {"0", "0.5", "1.9"}) {
    SCOPED_TRACE(s);
    const Result result = run(bad_boy(), {{"start", "value"}, {"start_value", s}});
    EXPECT_EQ(result.status, Status::stalled);
    EXPECT_EQ(result.termination, Termination::stalled);
    EXPECT_NEAR(statistic(result, "phi_final"), 0.5, 1e-12);
    EXPECT_TRUE(test::contains(result.message, "local minimum of φ")) << result.message;
    EXPECT_TRUE(test::contains(result.message, "0.5")) << result.message;
  }
}

TEST(AclmNewton, BadBoySucceedsFromTheRight) {
  for (const char* s : {"2.1", "4", "9"}) {
    const Result result = run(bad_boy(), {{"start", "value"}, {"start_value", s}});
    EXPECT_EQ(result.status, Status::solved);
    EXPECT_LE(statistic(result, "phi_final"), 1e-24);
    EXPECT_NEAR(result.x.v[1], 5, 1e-12);
    EXPECT_NEAR(result.x.v[0], 3, 1e-12);
  }
}

TEST(AclmNewton, BadBoyLandscape) {
  // φ(s) = ½ (s − ‖ũ_T(s)‖)²: 1/2 at 0, 9/2 at the kink 2, 0 at 5.
  for (const auto& [s, phi] : {std::pair{0.0, 0.5}, {1.0, 2.0}, {2.0, 4.5}, {3.0, 2.0}, {5.0, 0.0}}) {
    ConvexQuestion question;
    question.s = {s};
    ConvexOptions options;
    options.tolerance = 1e-12;
    const ConvexResult result = solve_convex(bad_boy(), question, options);
    ASSERT_EQ(result.status, ConvexStatus::optimal);
    const double difference = s - std::abs(result.x.u[1]);
    EXPECT_NEAR(0.5 * difference * difference, phi, 1e-5) << s;
  }
}

TEST(AclmNewton, EveryEngineOuterIterationAndStartSolvesAnEasyProblem) {
  const Problem problem = samples::jointed_cubes(0.4);
  for (const char* engine : {"interior-point", "projected-gradient", "accelerated-gradient"})
    for (const char* outer : {"newton", "fixed_point", "anderson"})
      for (const char* start : {"automatic", "zero", "feasible"}) {
        const Result result = run(problem, {{"engine", engine}, {"outer", outer}, {"start", start}});
        EXPECT_EQ(result.status, Status::solved) << engine << " " << outer << " " << start << ": " << result.message;
      }
  const Result faceted = run(problem, {{"engine", "faceted"}}, 1e-5);
  EXPECT_EQ(faceted.status, Status::solved) << faceted.message;
  for (const char* flag : {"predict", "polish", "warm_start"}) {
    const Result result = run(problem, {{flag, "false"}}, 1e-6);
    EXPECT_EQ(result.status, Status::solved) << flag << ": " << result.message;
  }
}

TEST(AclmNewton, GuessIsUsedAndChoosesTheSolution) {
  const Problem problem = samples::box_stack(5, 0.4);
  const Result cold = run(problem);
  ASSERT_TRUE(cold.solved()) << cold.message;
  const Result again = run(problem, {}, 1e-7, cold.x);
  EXPECT_TRUE(again.solved());
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(statistic(again, "engine_calls"), 0);
  Iterate near = cold.x;
  for (double& x : near.r) x *= 1.001;
  const Result warm = run(problem, {}, 1e-8, near);
  EXPECT_TRUE(warm.solved());
  EXPECT_LT(statistic(warm, "phi_initial"), 0.1 * statistic(cold, "phi_initial"));
}

TEST(AclmNewton, FrictionZeroAndInfinityNeedOneConvexProblem) {
  Iterate known;
  for (double mu : {0.0, test::kInfinity}) {
    const GlobalProblem problem = samples::box_stack(4, mu);
    const Result result = run(problem);
    EXPECT_EQ(result.status, Status::solved) << result.message;
    EXPECT_EQ(result.iterations, 0);
  }
  const LocalProblem mixed = samples::random_local(3, 12, 36, 0, test::kInfinity, 0, 5, known);
  EXPECT_EQ(run(mixed).status, Status::solved);
}

TEST(AclmNewton, StartAtAFeasiblePointWhenZeroIsNot) {
  // One contact whose normal velocity cannot be changed (W_NN = 0) unless it slides: q_N < 0 is feasible only with μ s ≥ −q_N + μ|u_T|.
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(2, 2);
  W(1, 1) = 1;
  const LocalProblem problem = test::make_local(2, W, {-1, 3}, {0.5});
  const Result result = run(problem);
  EXPECT_GE(statistic(result, "infeasible_steps"), 1);
  EXPECT_GT(statistic(result, "phi_initial"), 0);
  EXPECT_NE(result.status, Status::solved);  // Coulomb's law asks for u_N ≥ 0, which no reaction gives
}

TEST(AclmNewton, ObeysTheLimits) {
  const Problem problem = samples::brick_wall(4, 4, 0.8);
  for (const char* engine : {"interior-point", "projected-gradient", "accelerated-gradient", "faceted"})
    for (const char* outer : {"newton", "anderson"}) {
      SCOPED_TRACE(std::string(engine) + " " + outer);
      RunOptions options;
      options.solver = "aclm-newton";
      options.options = {{"engine", engine}, {"outer", outer}};
      options.tolerance = 1e-12;
      options.time_limit = 0.05;
      const Result timed = solve(problem, options);
      EXPECT_EQ(timed.status, Status::time_limit);
      EXPECT_LT(timed.time, 2);
      const std::atomic<bool> interrupt{true};
      options.time_limit = 100;
      options.interrupt = &interrupt;
      EXPECT_EQ(solve(problem, options).status, Status::interrupted);
      options.interrupt = nullptr;
      options.max_iterations = 1;
      options.time_limit = 0.5;
      EXPECT_LE(solve(problem, options).iterations, 1);
    }
}

TEST(AclmNewton, RefusesUnsymmetricMatrices) {
  const Result result = run(samples::spinning_disks(3, 0.3));
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_TRUE(test::contains(result.message, "symmetric")) << result.message;
}

TEST(AclmNewton, SaysWhenNoFeasiblePointExists) {
  // A frictionless contact that closes and cannot be moved.
  const LocalProblem problem = test::make_local(2, Eigen::MatrixXd::Zero(2, 2), {-1, 0}, {0.0});
  const Result result = run(problem);
  EXPECT_EQ(result.status, Status::stalled);
  EXPECT_TRUE(test::contains(result.message, "infeasible")) << result.message;
}

}  // namespace
}  // namespace cornet
