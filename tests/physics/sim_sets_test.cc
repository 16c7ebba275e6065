// The test sets lie in the ranges of Table 5 of the survey, every problem of them: nothing is sorted out. The largest two take minutes and are
// made by hand (docs/scene.md has the figures).
#include <gtest/gtest.h>

#include <set>

#include "cornet/error.h"
#include "support/sets.h"

namespace cornet::sim {
namespace {

TEST(TestSets, LieInTheRangesOfTheSurvey) {
  for (const TestSet& s : test_sets()) {
    if (s.large) continue;
    const int count = s.dofs_max > 1000 ? 2 : 10;
    const int made = generate(
        s.name, count, 1, [&](const GlobalProblem& p, const Iterate&, int) { return in_range(s, p); }, false);
    EXPECT_EQ(made, count) << s.name;
  }
}

TEST(TestSets, OtherSeedsLieInTheRangesToo) {
  for (const TestSet& s : test_sets())
    for (const std::uint64_t seed : {2, 3})
      if (s.dofs_max <= 300)
        generate(
            s.name, 5, seed, [&](const GlobalProblem& p, const Iterate&, int) { return in_range(s, p); }, false);
}

TEST(TestSets, AnswersAreCertified) {
  for (const TestSet& s : test_sets())
    if (s.dofs_max <= 700) certified_answers(s, 2);
}

TEST(TestSets, AreTheFifteenOfTheSurvey) {
  std::set<std::string> names;
  int problems = 0;
  for (const TestSet& s : test_sets()) {
    names.insert(s.name);
    problems += s.problems;
  }
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(problems, 2368);
}

TEST(TestSets, SameSeedSameProblemsAnotherSeedOthers) {
  for (const char* name : {"Bridge_PR", "BoxesStack", "KaplasTower", "Chain"}) {
    std::vector<double> first, again, other;
    const auto collect = [](std::vector<double>& out) {
      return [&out](const GlobalProblem& p, const Iterate&, int) {
        out.insert(out.end(), p.f.begin(), p.f.end());
        return true;
      };
    };
    generate(name, 3, 1, collect(first), false);
    generate(name, 3, 1, collect(again), false);
    generate(name, 3, 2, collect(other), false);
    EXPECT_EQ(first, again) << name;
    EXPECT_NE(first, other) << name;
  }
  EXPECT_THROW(generate("Nothing", 1, 1, {}), InvalidOption);
}

}  // namespace
}  // namespace cornet::sim
