// Sizes beyond 32 bits are refused before memory is asked for: reduction, samples, the C interface.
#include <gtest/gtest.h>

#include "cornet/cornet_c.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

namespace cornet {
namespace {

// Contacts on one body in the plane: W is full.
GlobalProblem one_body(int contacts) {
  GlobalProblem p;
  p.dim = 2;
  p.mu.assign(static_cast<std::size_t>(contacts), 0.5);
  p.M.rows = p.M.cols = 3;
  p.M.storage = Storage::csc;
  p.M.p = {0, 1, 2, 3};
  p.M.i = {0, 1, 2};
  p.M.x = {1, 1, 1};
  p.H.rows = 3;
  p.H.cols = 2 * contacts;
  p.H.storage = Storage::csc;
  p.H.p.push_back(0);
  for (int j = 0; j < p.H.cols; ++j) {
    p.H.i.push_back(j % 2);
    p.H.x.push_back(1);
    p.H.p.push_back(j + 1);
  }
  p.f.assign(3, -1.0);
  p.w.assign(static_cast<std::size_t>(p.H.cols), 0.0);
  return p;
}

TEST(Overflow, entries_of_w) {
  const GlobalProblem p = one_body(23200);  // 46 400² > 2³¹
  try {
    reduce(p).local();
    FAIL() << "W has more entries than an int can count";
  } catch (const MissingFeature& error) {
    EXPECT_NE(std::string(error.what()).find("indices of 32 bits"), std::string::npos) << error.what();
  }
  RunOptions options;
  options.solver = "nsgs-ac";
  EXPECT_THROW(solve(p, options), MissingFeature);
  options.memory_limit = 1e9;
  EXPECT_THROW(solve(p, options), MemoryLimit) << "the limit is looked at first, and needs no W either";
  options = {};
  options.solver = "spg";
  options.max_iterations = 3;
  EXPECT_NO_THROW(solve(p, options)) << "needs no W";
}

TEST(Overflow, samples) {
  Iterate solution;
  EXPECT_THROW(samples::sphere_lattice(2000, 2000, 2000, 0.5, 1), InvalidOption);
  EXPECT_THROW(samples::spheres_with_contacts(2000000000, 0.5, 1), InvalidOption);
  EXPECT_THROW(samples::disk_packing(100000, 100000, 0.5, 1), InvalidOption);
  EXPECT_THROW(samples::random_local(3, 1000000000, 10, 0.1, 0.9, 0, 1, solution), InvalidOption);
  EXPECT_THROW(samples::random_local(3, 20000, 10, 0.1, 0.9, 0, 1, solution), InvalidOption);
}

TEST(Overflow, the_c_interface) {
  cornet_problem* problem = nullptr;
  for (const std::int64_t contacts : {std::int64_t{800000000}, std::int64_t{1} << 31, std::int64_t{1} << 40, std::int64_t{-1}}) {
    EXPECT_EQ(cornet_local_new(3, contacts, &problem), CORNET_INVALID_ARGUMENT) << contacts;
    EXPECT_EQ(cornet_global_new(3, contacts, 6, &problem), CORNET_INVALID_ARGUMENT) << contacts;
    EXPECT_EQ(problem, nullptr);
  }
  EXPECT_EQ(cornet_global_new(3, 1, std::int64_t{1} << 31, &problem), CORNET_INVALID_ARGUMENT);
  ASSERT_EQ(cornet_local_new(3, 1, &problem), CORNET_OK);
  const double one = 1;
  const std::int64_t starts[] = {0, 1}, columns[] = {0};
  EXPECT_EQ(cornet_problem_set_csr64(problem, "W", std::int64_t{1} << 32, 3, 1, starts, columns, &one), CORNET_INVALID_ARGUMENT);
  EXPECT_EQ(cornet_problem_set_csr64(problem, "W", 3, 3, std::int64_t{1} << 32, starts, columns, &one), CORNET_INVALID_ARGUMENT);
  EXPECT_EQ(cornet_problem_set_vector(problem, "q", std::int64_t{1} << 32, &one), CORNET_INVALID_ARGUMENT);
  EXPECT_EQ(cornet_problem_set_dense(problem, "W", std::int64_t{1} << 32, std::int64_t{1} << 32, 0, &one), CORNET_INVALID_ARGUMENT);
  cornet_problem_free(problem);
}

}  // namespace
}  // namespace cornet
