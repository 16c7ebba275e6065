// All sets but the two largest: ranges of more problems and another seed, certified answers.
#include "support/sets.h"

namespace cornet::sim {
namespace {

TEST(TestSets, OtherSeedsAndLargerRunsLieInTheRanges) {
  for (const TestSet& s : test_sets())
    for (const std::uint64_t seed : {1, 2, 7})
      if (!s.large)
        generate(
            s.name, 15, seed, [&](const GlobalProblem& p, const Iterate&, int) { return in_range(s, p); }, false);
}

TEST(TestSets, AnswersOfTheLargerOnesAreCertified) {
  for (const TestSet& s : test_sets())
    if (!s.large && s.dofs_max > 700) certified_answers(s, 2);
}

}  // namespace
}  // namespace cornet::sim
