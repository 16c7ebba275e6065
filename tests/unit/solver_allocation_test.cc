// The main loops of the first-order solvers allocate nothing: a run of 300 iterations allocates as often as one of 100.
#include <gtest/gtest.h>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "cornet/solver.h"
#include "support/allocations.h"

namespace {

using namespace cornet;

#if CORNET_COUNTS_ALLOCATIONS
long allocations_of(const char* id, const Problem& problem, long iterations) {
  const auto solver = find_solver(id).make({});
  Iterate x;
  x.r.assign(static_cast<std::size_t>(contacts(problem)) * dimension(problem), 0.0);
  Limits limits;
  limits.tolerance = 0;  // never met: the run ends at the iteration limit
  limits.max_iterations = iterations;
  Monitor monitor(limits);
  const long before = allocations.load();
  solver->solve(problem, x, monitor);
  const long after = allocations.load();
  EXPECT_EQ(monitor.iterations(), iterations) << id;
  return after - before;
}
#endif

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, MainLoopAllocatesNothing) {
#if CORNET_COUNTS_ALLOCATIONS
  const Problem space = reduce(samples::box_stack(12, 0.6)).local();
  const Problem plane = reduce(samples::disk_packing(8, 6, 0.3, 3)).local();
  for (const Problem* problem : {&space, &plane}) {
    const long few = allocations_of(GetParam(), *problem, 100);
    EXPECT_GT(few, 0) << "the counter counts nothing";
    EXPECT_EQ(few, allocations_of(GetParam(), *problem, 300));
  }
#else
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
}

// Matrix-free: bodies, a mechanism with joints, bodies in the plane.
class GlobalAllocation : public testing::TestWithParam<const char*> {};

TEST_P(GlobalAllocation, MainLoopAllocatesNothing) {
#if CORNET_COUNTS_ALLOCATIONS
  const std::vector<Problem> problems = {samples::box_stack(12, 0.6), samples::jointed_cubes(0.5), samples::disk_packing(8, 6, 0.3, 3)};
  for (const Problem& problem : problems) {
    const long few = allocations_of(GetParam(), problem, 100);
    EXPECT_GT(few, 0) << "the counter counts nothing";
    EXPECT_EQ(few, allocations_of(GetParam(), problem, 300)) << name(problem);
  }
#else
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
}

INSTANTIATE_TEST_SUITE_P(FirstOrder, GlobalAllocation, testing::Values("spg", "apgd", "admm"));

INSTANTIATE_TEST_SUITE_P(FirstOrder, Allocation,
                         testing::Values("nsgs-ac", "nsgs-ac-gp", "nsgs-jm", "nsgs-jm-gp", "nsgs-exact", "nsgs-fp-ds-one", "nsgs-fp-vi-upk",
                                         "psor-ac", "fp-ds", "fp-vi-upk", "fp-vi-upts", "eg-vi-upk", "eg-vi-upts", "spg", "apgd", "admm"));

}  // namespace
