// newton-ipm: the same certified answer on contacts and on bodies, the traced central path where the predictor–corrector dies, and how it ends
// without a solution.
#include "solvers/newton_ipm.h"

#include <gtest/gtest.h>

#include <chrono>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::kInfinity;
using test::with_mixed_friction;

Result run(const Problem& problem, double tolerance = 1e-10, const OptionTexts& options = {}, long max_iterations = 0,
           double time_limit = 60) {
  RunOptions how;
  how.solver = "newton-ipm";
  how.tolerance = tolerance;
  how.options = options;
  how.max_iterations = max_iterations;
  how.time_limit = time_limit;
  return solve(problem, how);
}

bool all_finite(const std::vector<double>& a) {
  for (const double x : a)
    if (!std::isfinite(x)) return false;
  return true;
}

struct Case {
  std::string name;
  GlobalProblem problem;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const double mu : {0.0, 0.3, 0.8, kInfinity}) {
    const std::string tag = " mu " + std::to_string(mu);
    out.push_back({"box stack" + tag, samples::box_stack(4, mu)});
    out.push_back({"spheres" + tag, samples::sphere_lattice(3, 3, 3, mu, 2)});
    out.push_back({"disks" + tag, samples::disk_packing(6, 4, mu, 3)});
    out.push_back({"spinning disks" + tag, samples::spinning_disks(3, mu)});
    out.push_back({"joint" + tag, samples::jointed_cubes(mu)});
    out.push_back({"block in the plane" + tag, samples::block_on_incline(2, 0.4, mu)});
  }
  out.push_back({"spheres mixed", with_mixed_friction(samples::sphere_lattice(3, 3, 3, 0, 2))});
  out.push_back({"disks mixed", with_mixed_friction(samples::disk_packing(6, 4, 0, 3))});
  out.push_back({"spinning disks mixed", with_mixed_friction(samples::spinning_disks(3, 0))});
  out.push_back({"joint mixed", with_mixed_friction(samples::jointed_cubes(0))});
  out.push_back({"box stack mixed", with_mixed_friction(samples::box_stack(4, 0))});
  out.push_back({"balls", samples::ball_row(8, 0.2)});
  return out;
}

TEST(NewtonIpm, BothFormsGiveTheSameCertifiedAnswer) {
  int on_bodies = 0, on_contacts = 0;
  for (const auto& [name, problem] : cases()) {
    SCOPED_TRACE(name);
    (problem.dofs() < problem.size() ? on_bodies : on_contacts)++;
    const Result global = run(problem);
    const Problem reduced = Reduction(problem).local();
    const Result local = run(reduced);
    EXPECT_TRUE(global.solved()) << global.message;
    EXPECT_TRUE(local.solved()) << local.message;
    EXPECT_LE(global.iterations, 60);
    EXPECT_LE(local.iterations, 60);
    ASSERT_EQ(global.x.u.size(), local.x.u.size());
    const VectorXd u = test::vec(global.x.u), v = test::vec(local.x.u);
    // Where the statuses leave the velocities free, two certified answers may differ.
    const double apart = (u - v).norm() / (1 + u.norm());
    EXPECT_TRUE(apart <= 1e-6 || !assess(problem, global.x).velocities_unique) << apart;
    for (std::size_t a = 0; a < problem.mu.size(); ++a)
      for (int i = 1; i < problem.dim; ++i) {
        const std::size_t k = a * static_cast<std::size_t>(problem.dim) + static_cast<std::size_t>(i);
        if (problem.mu[a] != 0) continue;
        EXPECT_EQ(global.x.r[k], 0.0);
        EXPECT_EQ(local.x.r[k], 0.0);
      }
  }
  EXPECT_GE(on_bodies, 5);
  EXPECT_GE(on_contacts, 5);
}

TEST(NewtonIpm, InteriorPointAloneComesNear) {
  for (const auto& [name, problem] : cases()) {
    SCOPED_TRACE(name);
    const Result result = run(problem, 1e-6, {{"polish", "false"}});
    EXPECT_TRUE(result.solved()) << result.message;
    EXPECT_EQ(result.statistics.count("polish_steps"), 0u);
  }
}

TEST(NewtonIpm, TwelveDigitsOnWellPosedProblems) {
  for (const Problem& problem : {Problem(samples::box_stack(3, 0.5)), Problem(samples::disk_packing(5, 4, 0.3, 1)),
                                 Problem(samples::spinning_disks(2, 0.4)), Problem(samples::jointed_cubes(0.4))}) {
    const Result result = run(problem, 1e-12);
    EXPECT_TRUE(result.solved()) << result.message;
  }
}

TEST(NewtonIpm, KnownRandomProblems) {
  for (const int dim : {2, 3})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", seed " << seed);
      Iterate known;
      const LocalProblem problem =
          samples::random_local(dim, 15, seed % 2 ? 15 * dim : 20, 0, seed % 3 ? 0.9 : kInfinity, seed % 2 ? 0 : 0.05, seed, known);
      const Result result = run(problem, 1e-9);
      EXPECT_TRUE(result.solved()) << result.message;
    }
}

TEST(NewtonIpm, TinyFrictionBesideOrdinary) {
  for (const double tiny : {1e-4, 1e-9, 1e-13}) {
    SCOPED_TRACE(tiny);
    for (GlobalProblem problem :
         {samples::sphere_lattice(3, 3, 3, 0.3, 2), samples::disk_packing(6, 4, 0.3, 3), samples::box_stack(4, 0.3)}) {
      for (std::size_t a = 0; a < problem.mu.size(); a += 2) problem.mu[a] = tiny;
      const Result global = run(problem, 1e-8), local = run(Reduction(problem).local(), 1e-8);
      EXPECT_TRUE(global.solved()) << global.message;
      EXPECT_TRUE(local.solved()) << local.message;
      EXPECT_LE(std::max(global.iterations, local.iterations), 150);
    }
  }
}

TEST(NewtonIpm, UnitsDoNotMatter) {
  // The error adds r and u, so its value at a given point of the run depends on the units; the way to the solution must not.
  const LocalProblem base = Reduction(samples::box_stack(5, 0.6)).local();
  for (const double unit : {1e-6, 1e-5, 1e-3, 1.0, 1e3, 1e6}) {
    SCOPED_TRACE(unit);
    LocalProblem problem = base;
    for (double& x : problem.W.x) x *= unit;
    const Result result = run(problem, 1e-8);
    EXPECT_TRUE(result.solved()) << result.message;
    EXPECT_LE(result.iterations, 30);
    EXPECT_EQ(result.statistics.count("path_turns"), 0u);
  }
}

// jointed_cubes with strong friction at every second contact: the steps of a plain predictor–corrector die.
GlobalProblem with_folds() {
  GlobalProblem problem = samples::jointed_cubes(0.3);
  for (std::size_t a = 1; a < problem.mu.size(); a += 2) problem.mu[a] = 10;
  return problem;
}

TEST(NewtonIpm, RecentresWhereStepsDie) {
  const GlobalProblem problem = with_folds();
  const Result lost = run(problem, 1e-9, {{"path_steps", "0"}, {"recentrings", "0"}});
  EXPECT_EQ(lost.status, Status::stalled) << lost.message;
  EXPECT_EQ(lost.statistics.count("recentrings"), 0u);
  for (const Problem& form : {Problem(problem), Problem(Reduction(problem).local())}) {
    const Result result = run(form, 1e-9, {{"path_steps", "0"}});
    EXPECT_TRUE(result.solved()) << result.message;
    EXPECT_GE(result.statistics.at("recentrings"), 1);
    EXPECT_LE(result.iterations, 60);
  }
}

TEST(NewtonIpm, AGuessShortensTheRun) {
  GlobalProblem problem = samples::sphere_lattice(5, 5, 3, 0.4, 1);
  RunOptions options;
  options.solver = "newton-ipm";
  options.tolerance = 1e-9;
  const Result before = solve(problem, options);
  ASSERT_TRUE(before.solved()) << before.message;
  test::Random random(7);
  for (double& f : problem.f) f *= 1 + 1e-2 * random.uniform(-1, 1);
  const Result cold = solve(problem, options), warm = solve(problem, options, before.x);
  EXPECT_TRUE(cold.solved() && warm.solved()) << cold.message << " / " << warm.message;
  EXPECT_LE(4 * warm.iterations, 3 * cold.iterations);
  // A guess that is worth nothing is not used.
  Iterate absurd;
  absurd.r.assign(before.x.r.size(), 1e3);
  EXPECT_EQ(solve(problem, options, absurd).iterations, cold.iterations);
}

// Central path

TEST(CentralPath, SolvesWhereThePredictorCorrectorIsStopped) {
  for (const auto& [name, problem] : cases()) {
    SCOPED_TRACE(name);
    for (const Problem& form : {Problem(problem), Problem(Reduction(problem).local())}) {
      // 0.999: only full steps count, the first other one ends the predictor–corrector.
      const Result traced = run(form, 1e-9, {{"short_step", "0.999"}, {"recentrings", "0"}});
      EXPECT_TRUE(traced.solved()) << traced.message;
      const Result stopped = run(form, 1e-9, {{"short_step", "0.999"}, {"recentrings", "0"}, {"path_steps", "0"}});
      EXPECT_NE(stopped.solved(), traced.statistics.count("path_turns") > 0);
    }
  }
}

TEST(CentralPath, FollowsFolds) {
  const GlobalProblem problem = with_folds();
  for (const Problem& form : {Problem(problem), Problem(Reduction(problem).local())}) {
    const Result traced = run(form, 1e-9, {{"recentrings", "0"}});
    EXPECT_TRUE(traced.solved()) << traced.message;
    ASSERT_EQ(traced.statistics.count("path_turns"), 1u);
    EXPECT_GE(traced.statistics.at("path_turns"), 1);
    EXPECT_LE(traced.iterations, 200);
  }
}

TEST(CentralPath, StepsAreLimited) {
  const Problem problem = samples::sphere_lattice(3, 3, 3, 0.5, 2);
  const OptionTexts dead = {{"short_step", "0.999"}, {"recentrings", "0"}, {"path_steps", "3"}, {"polish", "false"}};
  const Result result = run(problem, 1e-9, dead);
  EXPECT_EQ(result.status, Status::stalled) << result.message;
  ASSERT_EQ(result.statistics.count("path_turns"), 1u);
  EXPECT_LE(result.iterations, 3 + 6);
  EXPECT_TRUE(all_finite(result.x.r));
}

// No solution

// A ball between the ground and a plane that comes down.
GlobalProblem crushed_ball(double mu) {
  MatrixXd H = MatrixXd::Zero(2, 4);
  H << 1, 0, -1, 0, 0, 1, 0, 1;
  return test::make_global(2, MatrixXd::Identity(2, 2), H, {0, -0.1}, {0, 0, -1, 0}, {mu, mu});
}

TEST(NewtonIpm, ImpossibleProblemsEndWithTheCertificate) {
  GlobalProblem pressed = samples::sphere_lattice(3, 3, 2, 0.4, 1);
  std::fill(pressed.w.begin(), pressed.w.end(), 0.0);
  for (std::size_t k = 0; k < pressed.w.size(); k += 3) pressed.w[k] = -1;  // floor and walls all come nearer
  const LocalProblem nothing_yields = test::make_local(3, Eigen::Matrix3d::Zero(), {-1, 0.5, 0}, {0.5});
  const std::pair<const char*, Problem> problems[] = {{"crushed ball", crushed_ball(0.3)},
                                                      {"crushed ball, no friction", crushed_ball(0)},
                                                      {"crushed ball, no sliding", crushed_ball(kInfinity)},
                                                      {"pressed spheres", pressed},
                                                      {"W = 0", nothing_yields}};
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    const Result result = run(problem, 1e-8);
    EXPECT_EQ(result.status, Status::no_solution) << result.message;
    EXPECT_EQ(result.termination, Termination::no_solution);
    EXPECT_GT(result.message.size(), 30u);
    EXPECT_TRUE(all_finite(result.x.r));
    EXPECT_LE(result.iterations, 700);
    EXPECT_LT(result.time, 5);
  }
}

// Limits

TEST(NewtonIpm, LimitsAndInterruption) {
  const Problem problem = samples::sphere_lattice(6, 6, 6, 0.5, 2);
  const Result few = run(problem, 1e-12, {}, 3);
  EXPECT_EQ(few.status, Status::iteration_limit) << few.message;
  EXPECT_EQ(few.iterations, 3);
  EXPECT_TRUE(all_finite(few.x.r));
  const Result soon = run(problem, 1e-12, {}, 0, 1e-3);
  EXPECT_EQ(soon.status, Status::time_limit) << soon.message;
  EXPECT_LT(soon.time, 1);

  RunOptions options;
  options.solver = "newton-ipm";
  options.tolerance = 1e-12;
  options.callback = [](const HistoryEntry& entry) { return entry.iteration < 4; };
  const Result stopped = solve(problem, options);
  EXPECT_EQ(stopped.status, Status::interrupted) << stopped.message;
  EXPECT_LE(stopped.iterations, 4);
  std::atomic<bool> flag{true};
  options.callback = {};
  options.interrupt = &flag;
  EXPECT_EQ(solve(problem, options).status, Status::interrupted);
}

TEST(NewtonIpm, SessionsAnswerLikeFreshSolves) {
  RunOptions options;
  options.solver = "newton-ipm";
  options.tolerance = 1e-10;
  Session session(options);
  // Other sizes, forms and dimensions in between.
  const Problem problems[] = {samples::box_stack(3, 0.5), Reduction(samples::sphere_lattice(3, 3, 2, 0.4, 1)).local(),
                              samples::disk_packing(5, 4, 0.3, 1), samples::box_stack(3, 0.2), samples::box_stack(3, 0.5)};
  for (const Problem& problem : problems) {
    const Result kept = session.solve(problem), fresh = solve(problem, options);
    EXPECT_TRUE(kept.solved() && fresh.solved()) << kept.message << " / " << fresh.message;
    EXPECT_EQ(kept.iterations, fresh.iterations);
    EXPECT_LE((test::vec(kept.x.u) - test::vec(fresh.x.u)).norm(), 1e-9 * (1 + test::vec(fresh.x.u).norm()));
  }
}

}  // namespace
}  // namespace cornet
