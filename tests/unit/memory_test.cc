// The estimate of memory against what a solve really takes, and the limit that refuses before it starts.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "cornet/cornet_c.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORNET_MEASURES_MEMORY 0  // sanitizers have memory of their own
#else
#define CORNET_MEASURES_MEMORY 1
#endif

namespace cornet {
namespace {

double resident() {
  double size = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;  // 0 when it cannot be read
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Peak memory of a solve beyond what the process had, in a process of its own.
double measured(const Problem& problem, const RunOptions& options) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a child has one thread
    ::mallopt(M_MMAP_THRESHOLD, 1 << 18);  // what is freed goes back at once
    const double before = resident();
    solve(problem, options);
    rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    const double used = 1024.0 * static_cast<double>(usage.ru_maxrss) - before;
    ::_exit(::write(ends[1], &used, sizeof used) == sizeof used ? 0 : 1);
  }
  double used = -1;
  ::close(ends[1]);
  if (::read(ends[0], &used, sizeof used) != sizeof used) used = -1;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return used;
}

struct Case {
  const char* name;
  Problem problem;
};

std::vector<Case> cases() {
  const GlobalProblem spheres = samples::spheres_with_contacts(2000, 0.4, 1);
  return {{"spheres, global", spheres}, {"spheres, local", reduce(spheres).local()}, {"wall, global", samples::brick_wall(6, 6, 0.5)}};
}

TEST(Memory, a_solve_takes_no_more_than_estimated) {
  if (!CORNET_MEASURES_MEMORY) GTEST_SKIP() << "SKIPPED: sanitizers have memory of their own";
  for (const Case& c : cases())
    for (const char* id : {"nsgs-ac", "spg", "admm", "nsn-ac", "newton-ipm", "auto", "ppa-nsn-ac", "tresca-nsgs-fp-vi-upk"}) {
      RunOptions options;
      options.solver = id;
      options.tolerance = 1e-9;
      options.time_limit = 0.4;
      const MemoryEstimate estimate = estimate_memory(c.problem, options);
      const double real = measured(c.problem, options);
      std::printf("%-18s %-22s estimate %8.1f MB, measured %8.1f MB\n", c.name, id, estimate.total() / 1e6, real / 1e6);
      EXPECT_GT(real, 0);
      EXPECT_LE(real, estimate.total() + 4e6) << c.name << " " << id;  // 4 MB: pages of the program itself, touched for the first time
      EXPECT_LE(estimate.total(), 20 * real + 64e6) << c.name << " " << id;
    }
}

TEST(Memory, the_limit_refuses_and_says_how_much) {
  const Problem problem = samples::spheres_with_contacts(2000, 0.4, 1);
  RunOptions options;
  options.memory_limit = 1e6;
  try {
    solve(problem, options);
    FAIL() << "a megabyte is not enough";
  } catch (const MemoryLimit& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("auto: found a need of up to "), std::string::npos) << text;
    EXPECT_NE(text.find("expected at most 1.0 MB (memory limit)"), std::string::npos) << text;
  }
  options.memory_limit = -1;
  EXPECT_THROW(solve(problem, options), InvalidOption);
}

TEST(Memory, enough_is_enough) {
  const Problem problem = samples::box_stack(8, 0.5);
  RunOptions options;
  options.memory_limit = 1.01 * estimate_memory(problem, options).total();
  EXPECT_TRUE(solve(problem, options).solved());
  options.memory_limit = 0.5 * estimate_memory(problem, options).total();
  EXPECT_THROW(solve(problem, options), MemoryLimit);
}

TEST(Memory, every_solver_has_an_estimate_in_both_forms) {
  for (const samples::Sample& sample : samples::bundled())
    for (const SolverInfo& info : solvers()) {
      RunOptions options;
      options.solver = info.id;
      const MemoryEstimate estimate = estimate_memory(sample.problem, options);
      EXPECT_GE(estimate.total(), 0) << sample.name << " " << info.id;
      EXPECT_LT(estimate.total(), 1e9) << sample.name << " " << info.id;
    }
}

TEST(Memory, the_c_interface) {
  cornet_problem* problem = nullptr;
  cornet_options* options = nullptr;
  cornet_result* result = nullptr;
  const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-1, 0.1, 0}, mu[] = {0.5};
  ASSERT_EQ(cornet_local_new(3, 1, &problem), CORNET_OK);
  ASSERT_EQ(cornet_problem_set_dense(problem, "W", 3, 3, CORNET_BY_ROWS, W), CORNET_OK) << cornet_last_error();
  ASSERT_EQ(cornet_problem_set_vector(problem, "q", 3, q), CORNET_OK);
  ASSERT_EQ(cornet_problem_set_vector(problem, "mu", 1, mu), CORNET_OK);
  ASSERT_EQ(cornet_options_new(&options), CORNET_OK);
  EXPECT_EQ(cornet_options_set(options, "memory_limit", "-1"), CORNET_INVALID_OPTION);
  ASSERT_EQ(cornet_options_set_real(options, "memory_limit", 10), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_solve(problem, options, nullptr, &result), CORNET_OUT_OF_MEMORY);
  EXPECT_NE(std::string(cornet_last_error()).find("memory limit"), std::string::npos) << cornet_last_error();
  ASSERT_EQ(cornet_options_set_real(options, "memory_limit", 1e9), CORNET_OK);
  EXPECT_EQ(cornet_solve(problem, options, nullptr, &result), CORNET_OK) << cornet_last_error();
  cornet_result_free(result);
  cornet_options_free(options);
  cornet_problem_free(problem);
}

TEST(Memory, existence) {
  for (const samples::Sample& sample : samples::bundled()) EXPECT_LT(estimate_existence_memory(sample.problem), 1e9) << sample.name;
  EXPECT_THROW(require_memory(2e9, 1e9, "x"), MemoryLimit);
  EXPECT_NO_THROW(require_memory(2e9, 0, "x"));
}

}  // namespace
}  // namespace cornet
