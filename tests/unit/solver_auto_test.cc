// auto: certified answers on every sample, an honest word on bad input, stages that tell its path, warm starts that cost sweeps and one polish,
// limits that are kept, sessions that change nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "support/fixtures.h"
#include "support/sanitizer.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using test::kInfinity;
using test::vec;

RunOptions how(double tolerance = 1e-8, double time_limit = 20) {
  RunOptions options;
  options.solver = "auto";
  options.tolerance = tolerance;
  options.time_limit = time_limit;
  return options;
}

bool all_finite(const std::vector<double>& a) {
  for (const double x : a)
    if (!std::isfinite(x)) return false;
  return true;
}

// The message and the path, for a test that fails.
std::string told(const Result& result) {
  std::string text = result.message + "\n";
  for (const Stage& s : result.stages)
    text += fmt::format("  {:14} {:9.3g} s {:6} iterations, error {:.2e} ({})\n", s.method, s.time, s.iterations, s.error, s.reason);
  return text;
}

// What holds for every input: finite numbers, `solved` exactly when the certificate says so, and never worse than r = 0.
void expect_honest(const Problem& problem, const Result& result) {
  EXPECT_EQ(result.solved(), result.certificate.error <= result.tolerance) << told(result);
  EXPECT_TRUE(all_finite(result.x.r));
  EXPECT_TRUE(all_finite(result.x.u));
  EXPECT_TRUE(std::isfinite(result.certificate.error));
  EXPECT_FALSE(result.message.empty());
  const Certificate again = certify(problem, test::reactions(result.x.r));
  EXPECT_LE(std::abs(again.error - result.certificate.error), 1e-3 * again.error + 1e-13);
  const Certificate zero = certify(problem, test::reactions(std::vector<double>(result.x.r.size(), 0.0)));
  EXPECT_LE(result.certificate.error, zero.error * (1 + 1e-12));
}

template <class P>
P with_mixed_friction(P problem) {
  const double values[] = {0, 0.3, kInfinity, 1, 1e-9, 100};
  for (std::size_t a = 0; a < problem.mu.size(); ++a) problem.mu[a] = values[a % 6];
  return problem;
}

// Every contact `copies` times.
LocalProblem repeated(const LocalProblem& problem, int copies) {
  const MatrixXd W = test::dense(problem.W);
  const int d = problem.dim, m = problem.size();
  MatrixXd big(m * copies, m * copies);
  std::vector<double> q, mu;
  for (int a = 0; a < problem.contacts(); ++a)
    for (int k = 0; k < copies; ++k) {
      q.insert(q.end(), problem.q.begin() + a * d, problem.q.begin() + (a + 1) * d);
      mu.push_back(problem.mu[static_cast<std::size_t>(a)]);
    }
  for (int a = 0; a < problem.contacts(); ++a)
    for (int b = 0; b < problem.contacts(); ++b)
      for (int k = 0; k < copies; ++k)
        for (int l = 0; l < copies; ++l) big.block((a * copies + k) * d, (b * copies + l) * d, d, d) = W.block(a * d, b * d, d, d);
  return test::make_local(d, big, q, mu);
}

// A ball between the ground and a plane that comes down.
GlobalProblem crushed_ball(double mu) {
  MatrixXd H = MatrixXd::Zero(2, 4);
  H << 1, 0, -1, 0, 0, 1, 0, 1;
  return test::make_global(2, MatrixXd::Identity(2, 2), H, {0, -0.1}, {0, 0, -1, 0}, {mu, mu});
}

TEST(Auto, SolvesEverySample) {
  for (const auto& sample : samples::bundled()) {
    SCOPED_TRACE(sample.name);
    const Result result = solve(sample.problem, how());
    EXPECT_TRUE(result.solved()) << told(result);
    expect_honest(sample.problem, result);
  }
}

TEST(Auto, SolvesHyperstaticStrongFriction) {
  for (const double mu : {0.8, 0.9, 1.2}) {
    SCOPED_TRACE(mu);
    const Problem problem = samples::brick_wall(3, 3, mu);
    const Result result = solve(problem, how());
    EXPECT_TRUE(result.solved()) << told(result);
  }
}

TEST(Auto, TwelveDigitsOnWellPosedProblems) {
  const std::pair<const char*, Problem> problems[] = {{"box stack", samples::box_stack(4, 0.5)},
                                                      {"spheres", samples::sphere_lattice(4, 4, 4, 0.3, 1)},
                                                      {"disks", samples::disk_packing(8, 6, 0.4, 2)},
                                                      {"spinning disks", samples::spinning_disks(3, 0.5)},
                                                      {"joint", samples::jointed_cubes(0.4)},
                                                      {"balls", samples::ball_row(8, 0.2)},
                                                      {"block", samples::block_on_incline(3, 0.4, 0.3)},
                                                      {"no friction", samples::sphere_lattice(3, 3, 3, 0, 1)},
                                                      {"no sliding", samples::box_stack(4, kInfinity)}};
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    const Result result = solve(problem, how(1e-12));
    EXPECT_TRUE(result.solved()) << told(result);
  }
}

// Bad input

TEST(Auto, MixedFriction) {
  for (const Problem& problem :
       {Problem(with_mixed_friction(samples::sphere_lattice(3, 3, 3, 0, 2))),
        Problem(with_mixed_friction(samples::disk_packing(6, 4, 0, 3))), Problem(with_mixed_friction(samples::box_stack(4, 0))),
        Problem(with_mixed_friction(samples::jointed_cubes(0))), Problem(with_mixed_friction(samples::spinning_disks(3, 0)))}) {
    const Result result = solve(problem, how());
    EXPECT_TRUE(result.solved()) << told(result);
    expect_honest(problem, result);
    const auto& mu = std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, problem);
    const int d = dimension(problem);
    for (std::size_t a = 0; a < mu.size(); ++a)
      for (int i = 1; i < d && mu[a] == 0; ++i) EXPECT_EQ(result.x.r[a * static_cast<std::size_t>(d) + static_cast<std::size_t>(i)], 0.0);
  }
}

TEST(Auto, FrictionOfABillion) {
  // Rounding of u_T times μ: an error of about 1e-7 can be reached, 1e-8 perhaps.
  GlobalProblem problem = samples::sphere_lattice(3, 3, 3, 0.3, 2);
  for (std::size_t a = 0; a < problem.mu.size(); a += 6) problem.mu[a] = 1e9;
  const Result result = solve(problem, how(1e-8, 0.5));
  expect_honest(problem, result);
  EXPECT_LE(result.certificate.error, 1e-5) << told(result);
}

TEST(Auto, NoSolution) {
  GlobalProblem pressed = samples::sphere_lattice(3, 3, 2, 0.4, 1);
  for (std::size_t k = 0; k < pressed.w.size(); k += 3) pressed.w[k] = -1;  // floor and walls all come nearer
  const std::pair<const char*, Problem> problems[] = {{"crushed ball", crushed_ball(0.3)},
                                                      {"crushed ball, no friction", crushed_ball(0)},
                                                      {"crushed ball, no sliding", crushed_ball(kInfinity)},
                                                      {"pressed spheres", pressed},
                                                      {"W = 0", test::make_local(3, MatrixXd::Zero(3, 3), {-1, 0.5, 0}, {0.5})}};
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    const Result result = solve(problem, how());
    EXPECT_EQ(result.status, Status::no_solution) << told(result);
    EXPECT_GT(result.message.size(), 30u);
    EXPECT_LT(result.time, 5);
    expect_honest(problem, result);
  }
}

TEST(Auto, ContradictoryButNotProvablyImpossible) {
  // One point on two walls that slide apart, no sliding allowed: no solution, and no certificate of the criterion either.
  MatrixXd H(2, 4);
  H << 1, 0, 1, 0, 0, 1, 0, 1;
  const GlobalProblem apart = test::make_global(2, MatrixXd::Identity(2, 2), H, {0, 0}, {0, 1, 0, -1}, {kInfinity, kInfinity});
  const Result result = solve(apart, how(1e-8, 1));
  EXPECT_FALSE(result.solved());
  expect_honest(apart, result);
  // Random w: whatever there is.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    GlobalProblem problem = samples::box_stack(2, 0.6);
    test::Random random(seed);
    for (double& x : problem.w) x = random.uniform(-1, 1);
    const Result any = solve(problem, how(1e-8, 0.5));
    expect_honest(problem, any);
  }
}

TEST(Auto, ZeroMatrix) {
  // u = q whatever r is.
  const LocalProblem open = test::make_local(3, MatrixXd::Zero(6, 6), {1, 0.5, 0, 0, 0, 0}, {0.5, 0.5});
  const Result opened = solve(open, how());
  EXPECT_TRUE(opened.solved()) << told(opened);
  expect_honest(open, opened);
  // Sliding at u_N = 0 under no pressure.
  const LocalProblem grazing = test::make_local(3, MatrixXd::Zero(3, 3), {0, 1, 0}, {0.5});
  const Result grazed = solve(grazing, how(1e-8, 2));
  EXPECT_TRUE(grazed.solved()) << told(grazed);
  expect_honest(grazing, grazed);
  // The same where no friction may slide: no r gives u_T = 0.
  const LocalProblem glued = test::make_local(3, MatrixXd::Zero(3, 3), {0, 1, 0}, {kInfinity});
  const Result stuck = solve(glued, how(1e-8, 1));
  EXPECT_FALSE(stuck.solved());
  expect_honest(glued, stuck);
}

TEST(Auto, NothingToDo) {
  const LocalProblem none = test::make_local(3, MatrixXd::Zero(0, 0), {}, {});
  EXPECT_TRUE(solve(none, how()).solved());
  const LocalProblem resting = test::make_local(3, MatrixXd::Identity(6, 6), std::vector<double>(6, 0.0), {0.5, kInfinity});
  const Result result = solve(resting, how());
  EXPECT_TRUE(result.solved()) << told(result);
  expect_honest(resting, result);
  const LocalProblem apart = test::make_local(2, MatrixXd::Identity(4, 4), {2, 1, 3, 0}, {0.5, 3});
  const Result untouched = solve(apart, how());
  EXPECT_TRUE(untouched.solved()) << told(untouched);
  EXPECT_EQ(untouched.iterations, 0);
  EXPECT_EQ(untouched.x.r, std::vector<double>(4, 0.0));
  const LocalProblem pressed =
      test::make_local(2, MatrixXd::Identity(4, 4), {2, 1, 3, 0}, {0.5, kInfinity});  // rough: u_T = 0 although nothing touches
  const Result held = solve(pressed, how());
  EXPECT_TRUE(held.solved()) << told(held);
  expect_honest(pressed, held);
}

TEST(Auto, DuplicatedContacts) {
  for (const int copies : {2, 7})
    for (const double mu : {0.0, 0.5, kInfinity}) {
      SCOPED_TRACE(testing::Message() << copies << " copies, mu " << mu);
      const LocalProblem once = Reduction(samples::box_stack(2, mu)).local();
      const Problem problem = repeated(once, copies);
      const Result result = solve(problem, how());
      EXPECT_TRUE(result.solved()) << told(result);
      expect_honest(problem, result);
      const Result single = solve(once, how(1e-10));
      // The same velocity in every copy.
      for (int a = 0; a < once.contacts(); ++a)
        for (int k = 0; k < copies; ++k)
          for (int i = 0; i < 3; ++i)
            EXPECT_NEAR(result.x.u[static_cast<std::size_t>((a * copies + k) * 3 + i)], single.x.u[static_cast<std::size_t>(a * 3 + i)],
                        1e-6);
    }
}

TEST(Auto, OneContactAThousandTimes) {
  const LocalProblem once = test::make_local(3, MatrixXd::Identity(3, 3), {-1, 1, 0.2}, {0.5});
  const Problem problem = repeated(once, 1000);
  const Result result = solve(problem, how());
  EXPECT_TRUE(result.solved()) << told(result);
  expect_honest(problem, result);
  EXPECT_LT(result.time, 10);
}

TEST(Auto, ScaledByTwelveOrders) {
  const LocalProblem base = Reduction(samples::box_stack(3, 0.5)).local();
  for (const double s : {1e-12, 1e-6, 1.0, 1e6, 1e12})
    for (const double t : {1e-12, 1.0, 1e12}) {
      SCOPED_TRACE(testing::Message() << "W × " << s << ", q × " << t);
      LocalProblem problem = base;
      for (double& x : problem.W.x) x *= s;
      for (double& x : problem.q) x *= t;
      const Result result = solve(problem, how(1e-8, 1));
      expect_honest(problem, result);
      // r ~ q/W: rounding of r alone is eps/s of ‖q‖. Where that is below the tolerance the answer must be found.
      EXPECT_TRUE(result.solved() || s < 1e-6) << told(result);
    }
}

// The squares of the loads are infinite in double precision: an error divided by them would be zero, and anything a solution.
TEST(Auto, LoadsWhoseSquaresOverflow) {
  for (const double factor : {1e160, 1e200, 1e300}) {
    SCOPED_TRACE(factor);
    LocalProblem problem = Reduction(samples::sphere_lattice(2, 2, 2, 0.5, 1)).local();
    Iterate x;
    x.r.assign(problem.q.size(), 0.0);
    ASSERT_GT(certify(problem, x).error, 0.1);
    for (double& q : problem.q) q *= factor;
    EXPECT_GT(certify(problem, x).error, 0.1);
    RunOptions how;
    how.tolerance = 1e-8;
    how.time_limit = 2;
    const Result result = solve(Problem(problem), how);
    for (const double r : result.x.r) EXPECT_TRUE(std::isfinite(r));
    EXPECT_FALSE(result.solved());  // nothing can be measured
  }
}

TEST(Auto, ContactsOfVeryDifferentMass) {
  GlobalProblem problem = samples::box_stack(4, 0.5);
  MatrixXd M = test::dense(problem.M);
  M.block(6, 6, 6, 6) *= 1e8;
  M.block(12, 12, 6, 6) *= 1e-6;
  problem.M = test::sparse(M);
  const Result result = solve(problem, how(1e-8, 5));
  expect_honest(problem, result);
  EXPECT_TRUE(result.solved()) << told(result);
}

// Stages

TEST(Auto, StagesTellThePath) {
  const std::pair<const char*, Problem> problems[] = {{"box stack", samples::box_stack(5, 0.5)},
                                                      {"wall", samples::brick_wall(3, 3, 0.9)},
                                                      {"spheres", samples::sphere_lattice(4, 4, 4, 0.5, 3)},
                                                      {"local", Reduction(samples::disk_packing(8, 6, 0.5, 3)).local()}};
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    const Result result = solve(problem, how(1e-10));
    ASSERT_TRUE(result.solved()) << told(result);
    ASSERT_FALSE(result.stages.empty());
    double total = 0, last = kInfinity;
    for (const Stage& stage : result.stages) {
      EXPECT_FALSE(stage.method.empty());
      EXPECT_FALSE(stage.reason.empty());
      EXPECT_GE(stage.time, 0);
      EXPECT_GE(stage.iterations, 0);
      total += stage.time;
      if (stage.method == "reduction") continue;
      EXPECT_LE(stage.error, last) << stage.method;
      last = stage.error;
    }
    EXPECT_LE(total, result.time + 1e-6);
    EXPECT_GT(total, 0);
    EXPECT_NEAR(last, result.certificate.error, 0.1 * result.certificate.error + 1e-14);
  }
}

bool has_stage(const Result& result, const std::string& method) {
  return std::any_of(result.stages.begin(), result.stages.end(), [&](const Stage& s) { return s.method == method; });
}

// A wall, whose W has 80 blocks per contact, is solved without W, and to the velocities of its local form, where they are unique.
TEST(Auto, WallsAreSolvedOnTheBodies) {
  for (const double mu : {0.5, 0.8}) {
    SCOPED_TRACE(mu);
    const GlobalProblem wall = samples::brick_wall(4, 4, mu);
    const Result result = solve(wall, how()), local = solve(reduce(wall).local(), how());
    EXPECT_TRUE(result.solved()) << told(result);
    EXPECT_TRUE(local.solved()) << told(local);
    EXPECT_FALSE(has_stage(result, "reduction")) << told(result);
    EXPECT_TRUE(has_stage(result, "newton-ipm")) << told(result);
    expect_honest(wall, result);
    // The answer as guess costs nothing, and still no W.
    const Result again = solve(wall, how(), result.x);
    EXPECT_TRUE(again.solved()) << told(again);
    EXPECT_EQ(again.iterations, 0) << told(again);
    EXPECT_FALSE(has_stage(again, "reduction")) << told(again);
    // Forces that change by little: from the last reactions.
    GlobalProblem next = wall;
    for (std::size_t k = 0; k < next.f.size(); ++k) next.f[k] *= 1 + 1e-4 * std::sin(static_cast<double>(k));
    const Result warm = solve(next, how(), result.x);
    EXPECT_TRUE(warm.solved()) << told(warm);
  }
}

// Spheres, whose W is small, and walls of a few bricks go the way with W; elastic or jointed bodies too.
TEST(Auto, OnlyLargeWsAreLeftOut) {
  for (const Problem& problem :
       {Problem(samples::sphere_lattice(5, 5, 4, 0.4, 1)), Problem(samples::jointed_cubes(0.4)), Problem(samples::brick_wall(2, 2, 0.5))}) {
    const Result result = solve(problem, how());
    EXPECT_TRUE(result.solved()) << told(result);
    EXPECT_TRUE(has_stage(result, "reduction")) << told(result);
  }
}

// Where the interior point on the bodies does not end the run, as on some walls with strong friction, W is made and the best point goes on.
TEST(Auto, WallsThatTheBodiesDoNotEndGoOnWithW) {
  int with_W = 0;
  for (const double mu : {0.9, 1.2, 2.0}) {
    const GlobalProblem wall = samples::brick_wall(4, 4, mu);
    const Result result = solve(wall, how());
    EXPECT_TRUE(result.solved()) << told(result);
    expect_honest(wall, result);
    double error = kInfinity;
    for (const Stage& stage : result.stages) {
      if (stage.method == "reduction") continue;
      EXPECT_LE(stage.error, error * (1 + 1e-9)) << told(result);  // W rounds otherwise
      error = stage.error;
    }
    with_W += has_stage(result, "reduction");
  }
  EXPECT_GE(with_W, 1);
}

TEST(Auto, StagesOfAFailureEndAtTheBestError) {
  RunOptions options = how(1e-16, 10 * test::kSlower);
  options.options = {{"fall_back", "false"}};
  const Result result = solve(samples::box_stack(3, 0.5), options);
  ASSERT_FALSE(result.stages.empty());
  EXPECT_FALSE(result.solved());
  EXPECT_NEAR(result.stages.back().error, result.certificate.error, 1e-14) << told(result);
}

// Warm start

TEST(Auto, RestingPileCostsSweepsAndAtMostOnePolishPerStep) {
  GlobalProblem pile = samples::sphere_lattice(5, 5, 5, 0.2, 3);
  Session session(how());
  Result before = session.solve(pile);
  ASSERT_TRUE(before.solved()) << told(before);
  const std::vector<double> f = pile.f;
  int cheap_steps = 0;
  double warm = 0, cold = 0;
  constexpr int kSteps = 10;
  for (int k = 1; k <= kSteps; ++k) {
    for (std::size_t i = 0; i < f.size(); ++i) pile.f[i] = f[i] * (1 + 1e-3 * std::sin(k + 0.1 * static_cast<double>(i)));
    const Result now = session.solve(pile, before.x), fresh = solve(pile, how());
    EXPECT_TRUE(now.solved()) << told(now);
    bool cheap = true;
    int polishes = 0;
    for (const Stage& stage : now.stages) {
      polishes += stage.method == "nsn-polish";
      cheap = cheap && (stage.method == "reduction" || stage.method == "nsgs-ac" || stage.method == "nsn-polish");
    }
    cheap_steps += cheap && polishes <= 1;
    for (const Stage& stage : now.stages)
      if (stage.method != "nsgs-ac") warm += static_cast<double>(stage.iterations);
    for (const Stage& stage : fresh.stages)
      if (stage.method != "nsgs-ac") cold += static_cast<double>(stage.iterations);
    EXPECT_TRUE(fresh.solved()) << told(fresh);
    // Other solutions exist; the warm one stays on its branch.
    EXPECT_LE((vec(now.x.u) - vec(before.x.u)).norm(), 0.1 * (1 + vec(before.x.u).norm()));
    before = now;
  }
  EXPECT_GE(cheap_steps, kSteps - 1);
  EXPECT_LE(2 * warm, cold);  // factorisations
}

TEST(Auto, TheAnswerAsGuessCostsNothing) {
  const Problem problem = samples::box_stack(5, 0.5);
  const Result first = solve(problem, how(1e-10));
  const Result again = solve(problem, how(1e-10), first.x);
  EXPECT_TRUE(again.solved());
  EXPECT_LE(again.iterations, 2);
  EXPECT_LE((vec(again.x.r) - vec(first.x.r)).norm(), 1e-9 * vec(first.x.r).norm());
}

TEST(Auto, ABadGuessDoesNoHarm) {
  const Problem problem = samples::box_stack(4, 0.5);
  test::Random random(3);
  const std::size_t m = static_cast<std::size_t>(contacts(problem)) * 3;
  for (const double size : {1.0, 1e8, 1e150}) {
    Iterate guess;
    for (std::size_t k = 0; k < m; ++k) guess.r.push_back(size * random.uniform(-1, 1));
    const Result result = solve(problem, how(), guess);
    EXPECT_TRUE(result.solved()) << size << ": " << told(result);
  }
}

TEST(Auto, SessionsAnswerLikeFreshSolves) {
  Session session(how(1e-10));
  // Sizes, forms and dimensions in turn; the velocities of each are unique.
  const Problem problems[] = {samples::box_stack(3, 0.5),          Reduction(samples::block_on_incline(3, 0.4, 0.3)).local(),
                              samples::disk_packing(5, 4, 0.1, 1), crushed_ball(0.3),
                              samples::spinning_disks(3, 0.3),     samples::box_stack(3, 0.2),
                              samples::box_stack(3, 0.5)};
  for (const Problem& problem : problems) {
    const Result kept = session.solve(problem), fresh = solve(problem, how(1e-10));
    EXPECT_EQ(kept.status, fresh.status) << kept.message << " / " << told(fresh);
    if (!kept.solved()) continue;
    EXPECT_LE((vec(kept.x.u) - vec(fresh.x.u)).norm(), 1e-7 * (1 + vec(fresh.x.u).norm()));
  }
}

// Limits

TEST(Auto, KeepsTheTimeLimit) {
  // 1e-16 is out of reach: everything is tried until the time is over.
  const std::pair<const char*, Problem> problems[] = {{"wall", samples::brick_wall(4, 4, 0.9)},
                                                      {"spheres", samples::sphere_lattice(7, 7, 7, 0.5, 1)}};
  for (const auto& [name, problem] : problems)
    for (const double limit : {0.05, 0.6}) {
      SCOPED_TRACE(testing::Message() << name << ", " << limit << " s");
      const Result result = solve(problem, how(1e-16, limit));
      EXPECT_EQ(result.status, Status::time_limit) << told(result);
      EXPECT_LT(result.time, limit + 0.2 * test::kSlower);
      expect_honest(problem, result);
    }
}

TEST(Auto, InterruptionAndIterationLimit) {
  const Problem problem = samples::sphere_lattice(5, 5, 5, 0.5, 1);
  RunOptions options = how(1e-12);
  options.max_iterations = 5;
  const Result few = solve(problem, options);
  EXPECT_EQ(few.status, Status::iteration_limit) << told(few);
  EXPECT_LE(few.iterations, 5);
  expect_honest(problem, few);

  options.max_iterations = 0;
  options.callback = [](const HistoryEntry& entry) { return entry.iteration < 7; };
  const Result stopped = solve(problem, options);
  EXPECT_EQ(stopped.status, Status::interrupted) << told(stopped);
  EXPECT_LE(stopped.iterations, 7);
  expect_honest(problem, stopped);

  std::atomic<bool> flag{true};
  options.callback = {};
  options.interrupt = &flag;
  const Result flagged = solve(problem, options);
  EXPECT_EQ(flagged.status, Status::interrupted) << told(flagged);
  expect_honest(problem, flagged);
}

TEST(Auto, WithoutFallBackItEndsAfterTheInteriorPoint) {
  RunOptions options = how(1e-16, 10 * test::kSlower);
  options.options = {{"fall_back", "false"}};
  const Problem problem = samples::brick_wall(3, 3, 0.9);
  const Result result = solve(problem, options);
  EXPECT_FALSE(result.solved());
  EXPECT_LT(result.time, 8 * test::kSlower);
  ASSERT_FALSE(result.stages.empty());
  for (const Stage& stage : result.stages) EXPECT_NE(stage.reason, "everything before has failed") << told(result);
  expect_honest(problem, result);
}

}  // namespace
}  // namespace cornet
