// nsn-polish: a rough answer to the last digit on hyperstatic, unsymmetric, plane and extreme-friction problems, in few factorisations and
// without drift along the kernel; which of 1e-12 and the floor of rounding it reached; how it gives up.
#include "solvers/polish.h"

#include <gtest/gtest.h>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

Result run(const Problem& problem, const Iterate& guess, double tolerance = 1e-8, const OptionTexts& options = {}) {
  RunOptions run_options;
  run_options.solver = "nsn-polish";
  run_options.tolerance = tolerance;
  run_options.options = options;
  return solve(problem, run_options, guess);
}

// An answer of Gauss–Seidel at the tolerance.
Iterate rough(const Problem& problem, double tolerance) {
  RunOptions options;
  options.solver = "nsgs-ac";
  options.tolerance = tolerance;
  const Result result = solve(problem, options);
  EXPECT_TRUE(result.solved()) << result.message;
  return result.x;
}

double statistic(const Result& result, const char* name) { return result.statistics.at(name); }

TEST(Polish, BringsRoughAnswersToTheLastDigit) {
  const std::pair<const char*, Problem> problems[] = {
      {"box stack", samples::box_stack(4, 0.5)},      {"spheres", samples::sphere_lattice(4, 4, 4, 0.3, 1)},
      {"disks", samples::disk_packing(8, 6, 0.4, 2)}, {"spinning disks", samples::spinning_disks(3, 0.5)},
      {"joint", samples::jointed_cubes(0.4)},         {"balls", samples::ball_row(8, 0.2)}};
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    const Iterate start = rough(problem, 1e-5);
    const Result result = run(problem, start);
    EXPECT_TRUE(result.solved()) << result.message;
    EXPECT_LE(result.certificate.error, 1e-12) << result.message;
    EXPECT_EQ(statistic(result, "polish_reached"), static_cast<double>(PolishReached::digits));
    EXPECT_LE(statistic(result, "factorisations"),
              name == std::string("spheres") ? 20 : 8);  // its worst contact sticks on the edge of the cone
    // The reactions are not unique, but stay near those given: no drift along the kernel.
    EXPECT_LE((test::vec(result.x.r) - test::vec(start.r)).norm(), 1e-2 * test::vec(start.r).norm());
  }
}

// The same on the graph of bodies, where there is no W: from an error of 1e-5 to the tolerance in as few steps, with the same velocities.
template <int D>
void expect_same_on_bodies(const GlobalProblem& problem) {
  const LocalProblem local = reduce(problem).local();
  const LocalSystem<D> system(local);
  const Iterate start = rough(problem, 1e-5);
  PolishOptions options;
  options.until_floor = false;
  std::vector<double> on_contacts = start.r, on_bodies = start.r;
  Monitor first({1e-10, 10, 20}), second({1e-10, 10, 20});
  Polish<D> polish(options);
  EXPECT_EQ(polish.run(system, on_contacts, first), Termination::converged);
  const std::vector<double> u(polish.velocities(), polish.velocities() + on_contacts.size());
  GlobalIpmMatrix<D> bodies(problem);
  EXPECT_EQ(polish.run(bodies, on_bodies, second), Termination::converged);
  EXPECT_LE(certify(Problem(problem), Reduction(problem).expand(test::reactions(on_bodies))).error, 1.01e-10);
  EXPECT_LE(second.iterations(), first.iterations() + 2);
  EXPECT_LE((test::vec(u) - Eigen::Map<const Eigen::VectorXd>(polish.velocities(), static_cast<Eigen::Index>(u.size()))).norm(),
            1e-5 * test::vec(local.q).norm());  // the root of the tolerance: contacts that touch without force
}

TEST(Polish, OnBodiesAsOnContacts) {
  expect_same_on_bodies<3>(samples::box_stack(4, 0.5));
  expect_same_on_bodies<3>(samples::brick_wall(3, 3, 0.5));
  expect_same_on_bodies<2>(samples::disk_packing(8, 6, 0.4, 2));
  expect_same_on_bodies<3>(samples::spinning_disks(3, 0.5));  // unsymmetric M
}

TEST(Polish, KeepsExtremeFrictionExact) {
  for (const double mu_max : {0.0, 2.0, test::kInfinity})
    for (const int dim : {2, 3}) {
      SCOPED_TRACE(testing::Message() << "mu up to " << mu_max << ", d = " << dim);
      Iterate known;
      const LocalProblem problem = samples::random_local(dim, 12, 12, 0, mu_max, 0.05, 3, known);
      test::Random random(11);
      Iterate start;
      for (const double x : known.r) start.r.push_back(x + 1e-6 * random.uniform(-1, 1));
      const Result result = run(problem, start);
      EXPECT_LE(result.certificate.error, 1e-12) << result.message;
      for (std::size_t a = 0; a < problem.mu.size(); ++a) {
        if (problem.mu[a] != 0) continue;
        for (int i = 1; i < dim; ++i) EXPECT_EQ(result.x.r[a * static_cast<std::size_t>(dim) + static_cast<std::size_t>(i)], 0.0);
      }
    }
}

// A body without rotation, clamped between two walls: u = Hᵀ v, M = I. The squeeze c in both normal reactions moves nothing.
LocalProblem clamped_body() {
  Eigen::MatrixXd H(2, 4);
  H << 1, 0, -1, 0,  //
      0, 1, 0, 1;
  LocalProblem problem;
  problem.dim = 2;
  problem.W = test::sparse(H.transpose() * H);
  problem.q = test::list(H.transpose() * Eigen::Vector2d(-1.0 / 3, -0.1));
  problem.mu = {0.3, 0.3};
  return problem;
}

Iterate squeezed(double c) {
  Iterate start;
  start.r = {c + 0.33, 0.05, c, 0.049};
  return start;
}

TEST(Polish, KeepsTheSqueeze) {
  const Result result = run(clamped_body(), squeezed(10));
  EXPECT_LE(result.certificate.error, 1e-12);
  EXPECT_NEAR(result.x.r[2], 10, 0.01);
  EXPECT_NEAR(result.x.r[0] - result.x.r[2], 1.0 / 3, 1e-12);
  EXPECT_NE(result.message.find("polished to 1e-12"), std::string::npos) << result.message;
}

TEST(Polish, NamesTheFloorOfRounding) {
  const Result result = run(clamped_body(), squeezed(1e9), 1e-5);
  EXPECT_TRUE(result.solved()) << result.message;
  EXPECT_EQ(statistic(result, "polish_reached"), static_cast<double>(PolishReached::floor));
  EXPECT_NE(result.message.find("floor of rounding"), std::string::npos) << result.message;
  EXPECT_GT(result.certificate.error, 1e-12);
  EXPECT_LE(result.certificate.error, statistic(result, "rounding_floor"));
  EXPECT_LE(statistic(result, "rounding_floor"), 1e-5);
}

TEST(Polish, StopsAtTheToleranceWhenAsked) {
  const Problem problem = samples::box_stack(4, 0.5);
  const Iterate start = rough(problem, 1e-4);
  const Result early = run(problem, start, 1e-5, {{"until_floor", "false"}}), late = run(problem, start, 1e-5);
  EXPECT_TRUE(early.solved() && late.solved());
  EXPECT_LE(early.iterations, late.iterations);
  EXPECT_LE(late.certificate.error, 1e-12);
  // The tolerance counts, not 1e-12, when it is smaller.
  const Result tight = run(problem, start, 1e-14);
  EXPECT_LE(tight.certificate.error, std::max(1e-14, 30 * statistic(tight, "rounding_floor"))) << tight.message;
}

TEST(Polish, GivesUpSoonWithTheBestPoint) {
  // Nothing holds the contact: u_N = −1 whatever r is.
  LocalProblem problem;
  problem.dim = 3;
  problem.W = test::sparse(Eigen::Matrix3d::Zero());
  problem.q = {-1, 0.5, 0};
  problem.mu = {0.5};
  Iterate start;
  start.r = {1, 0, 0};
  const Result result = run(problem, start);
  EXPECT_FALSE(result.solved());
  EXPECT_TRUE(result.status == Status::stalled || result.status == Status::numerical_error) << result.message;
  EXPECT_LE(result.iterations, 30);
  EXPECT_LE(result.certificate.error, certify(problem, start).error);
  EXPECT_EQ(statistic(result, "polish_reached"), static_cast<double>(PolishReached::neither));
}

TEST(Polish, FarStartsNeverEndWorse) {
  const Problem problem = samples::brick_wall(4, 4, 0.9);
  Iterate zero;
  zero.r.assign(static_cast<std::size_t>(contacts(problem)) * 3, 0.0);
  const Result result = run(problem, zero);
  EXPECT_LE(result.certificate.error, certify(problem, zero).error);
  EXPECT_LE(result.iterations, 100);
}

}  // namespace
}  // namespace cornet
