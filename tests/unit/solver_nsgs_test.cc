// nsgs with focus: the answer that plain sweeps find where it is unique, fewer one-contact problems where clusters are undecided, exact extremes of friction.
#include <gtest/gtest.h>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

Result sweep(const Problem& problem, const char* focus, double tolerance) {
  RunOptions options;
  options.solver = "nsgs-ac";
  options.tolerance = tolerance;
  options.time_limit = 60;
  options.options["focus"] = focus;
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
  const Result result = sweep(problem, "10", 1e-10);
  ASSERT_TRUE(result.solved()) << result.message;
  for (std::size_t a = 0; a < problem.mu.size(); ++a) {
    if (problem.mu[a] != 0) continue;
    EXPECT_EQ(result.x.r[3 * a + 1], 0.0);
    EXPECT_EQ(result.x.r[3 * a + 2], 0.0);
  }
}

}  // namespace
}  // namespace cornet
