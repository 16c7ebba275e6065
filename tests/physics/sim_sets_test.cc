// The test sets lie in the ranges of Table 5 of the survey. The largest two are made in the benchmark.
#include <gtest/gtest.h>

#include "cornet/error.h"
#include "cornet/sim_sets.h"

namespace cornet::sim {
namespace {

TEST(TestSets, ProblemsLieInTheRangesOfTheSurvey) {
  for (const TestSet& s : test_sets()) {
    if (s.large) continue;
    const int count = s.dofs_max > 1000 ? 2 : 5;
    const int made = generate(s.name, count, 1, [&](const GlobalProblem& p, const Iterate&, int) {
      validate(p);
      EXPECT_GE(p.dofs(), s.dofs_min) << s.name;
      EXPECT_LE(p.dofs(), s.dofs_max) << s.name;
      EXPECT_GE(p.contacts(), s.contacts_min) << s.name;
      EXPECT_LE(p.contacts(), s.contacts_max) << s.name;
      for (double mu : p.mu) EXPECT_EQ(mu, s.mu) << s.name;
      return true;
    });
    EXPECT_EQ(made, count) << s.name;
  }
  EXPECT_EQ(test_sets().size(), 15u);
}

TEST(TestSets, SameSeedSameProblemsAnotherSeedOthers) {
  std::vector<double> first, again, other;
  const auto collect = [](std::vector<double>& out) {
    return [&out](const GlobalProblem& p, const Iterate&, int) {
      out.insert(out.end(), p.f.begin(), p.f.end());
      return true;
    };
  };
  generate("Bridge_PR", 3, 1, collect(first));
  generate("Bridge_PR", 3, 1, collect(again));
  generate("Bridge_PR", 3, 2, collect(other));
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_THROW(generate("Nothing", 1, 1, {}), InvalidOption);
}

}  // namespace
}  // namespace cornet::sim
