// nsgs with focus and gradients: the answer that plain sweeps find where it is unique, less work where clusters are undecided, exact extremes of friction.
#include <gtest/gtest.h>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

Result sweep(const Problem& problem, const char* focus, double tolerance, const char* gradients = "0") {
  RunOptions options;
  options.solver = "nsgs-ac";
  options.tolerance = tolerance;
  options.time_limit = 60;
  options.options["focus"] = focus;
  options.options["gradients"] = gradients;
  return solve(problem, options);
}

double contact_solves(const Result& result) { return result.statistics.at("contact_solves"); }

TEST(Focus, CountsOneContactProblems) {
  const Problem problem = samples::disk_packing(6, 4, 0.3, 1);
  const Result plain = sweep(problem, "0", 1e-6);
  ASSERT_TRUE(plain.solved()) << plain.message;
  EXPECT_EQ(contact_solves(plain), static_cast<double>(plain.iterations) * contacts(problem));
  const Result focused = sweep(problem, "10", 1e-6);
  ASSERT_TRUE(focused.solved()) << focused.message;
  EXPECT_GT(contact_solves(focused), static_cast<double>(focused.iterations) * contacts(problem));
  EXPECT_LE(contact_solves(focused), static_cast<double>(focused.iterations) * contacts(problem) * 11);
}

TEST(Focus, FindsTheUniqueVelocities) {
  for (const int dim : {2, 3}) {
    SCOPED_TRACE(dim);
    Iterate known;
    const LocalProblem problem = samples::random_local(dim, 20, 60, 0.1, 0.4, 0.0, 7, known);
    const Result plain = sweep(problem, "0", 1e-12), focused = sweep(problem, "10", 1e-12);
    ASSERT_TRUE(plain.solved() && focused.solved()) << plain.message << "\n" << focused.message;
    EXPECT_LE((test::vec(plain.x.u) - test::vec(focused.x.u)).norm(), 1e-9 * test::vec(problem.q).norm());
  }
}

TEST(Focus, TakesFewerContactsWhereClustersAreUndecided) {
  double plain_solves = 0, focused_solves = 0;
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const Problem problem = samples::sphere_lattice(7, 7, 6, 0.5, seed);
    const Result plain = sweep(problem, "0", 1e-5), focused = sweep(problem, "10", 1e-5);
    ASSERT_TRUE(plain.solved() && focused.solved()) << plain.message << "\n" << focused.message;
    plain_solves += contact_solves(plain);
    focused_solves += contact_solves(focused);
  }
  EXPECT_LT(focused_solves, 0.7 * plain_solves);
}

TEST(Focus, KeepsExtremeFrictionExact) {
  Iterate known;
  const LocalProblem problem = samples::random_local(3, 12, 40, 0, test::kInfinity, 0.02, 3, known);
  for (const char* gradients : {"0", "25"}) {
    SCOPED_TRACE(gradients);
    const Result result = sweep(problem, "10", 1e-10, gradients);
    ASSERT_TRUE(result.solved()) << result.message;
    for (std::size_t a = 0; a < problem.mu.size(); ++a) {
      if (problem.mu[a] != 0) continue;
      EXPECT_EQ(result.x.r[3 * a + 1], 0.0);
      EXPECT_EQ(result.x.r[3 * a + 2], 0.0);
    }
  }
}

TEST(Smoothing, FindsTheUniqueVelocities) {
  Iterate known;
  const GlobalProblem row = samples::ball_row(20, 0.2);
  for (const LocalProblem& problem : {samples::random_local(3, 20, 60, 0.2, 1.0, 0.3, 7, known), reduce(row).local()}) {
    const Result plain = sweep(problem, "0", 1e-12), smoothed = sweep(problem, "0", 1e-12, "25");
    ASSERT_TRUE(plain.solved() && smoothed.solved()) << plain.message << "\n" << smoothed.message;
    EXPECT_EQ(plain.statistics.count("gradients"), 0U);
    ASSERT_EQ(smoothed.statistics.count("gradients"), 1U);
    EXPECT_LE((test::vec(plain.x.u) - test::vec(smoothed.x.u)).norm(), 1e-9 * test::vec(problem.q).norm());
  }
}

TEST(Smoothing, TakesLessWorkOnPiles) {
  double plain_solves = 0, smoothed_solves = 0;  // a gradient as a sweep, which it is cheaper than
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const Problem problem = samples::sphere_lattice(7, 7, 6, 0.5, seed);
    const Result plain = sweep(problem, "10", 1e-5), smoothed = sweep(problem, "10", 1e-5, "25");
    ASSERT_TRUE(plain.solved() && smoothed.solved()) << plain.message << "\n" << smoothed.message;
    plain_solves += contact_solves(plain);
    smoothed_solves += contact_solves(smoothed) + smoothed.statistics.at("gradients") * contacts(problem);
  }
  EXPECT_LT(smoothed_solves, 0.8 * plain_solves);
}

TEST(Smoothing, StopsWithTheIterations) {
  const Problem problem = samples::sphere_lattice(7, 7, 6, 0.5, 1);
  RunOptions options;
  options.solver = "nsgs-ac";
  options.tolerance = 1e-12;
  options.max_iterations = 30;
  const Result plain = solve(problem, options);
  options.options["gradients"] = "25";
  const Result smoothed = solve(problem, options);
  EXPECT_FALSE(plain.solved() || smoothed.solved());
  EXPECT_EQ(smoothed.iterations, 30);
  EXPECT_EQ(smoothed.statistics.at("gradients"), 25.0);
  EXPECT_LT(smoothed.certificate.error, 0.7 * plain.certificate.error);
}

}  // namespace
}  // namespace cornet
