// The time limit, generously: timings are benchmarks (bench/time_limit_bench.cc has the figures). Here every family is stopped in the middle of
// what takes seconds, and what it leaves behind is in order.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

constexpr double kGenerous = 5;  // seconds, on a machine that does other things

TEST(TimeLimit, every_family_stops_and_keeps_its_best_point) {
  const GlobalProblem global = samples::spheres_with_contacts(4000, 0.5, 1);
  const Problem problems[] = {global, reduce(global).local()};
  for (const Problem& problem : problems)
    for (const char* id :
         {"auto", "newton-ipm", "nsn-ac", "prox-newton", "ppa-nsn-ac", "admm", "aclm-newton", "nsgs-ac", "tresca-fp-vi-upk"}) {
      RunOptions options;
      options.solver = id;
      options.tolerance = 1e-14;
      options.time_limit = 0.1;
      options.max_iterations = 1000000000;
      const Result result = solve(problem, options);
      EXPECT_LT(result.time, options.time_limit + kGenerous) << id;
      EXPECT_EQ(result.x.r.size(), static_cast<std::size_t>(global.size())) << id;
      EXPECT_TRUE(std::isfinite(result.certificate.error)) << id;
    }
}

TEST(TimeLimit, a_session_that_was_stopped_solves_the_next_problem) {
  const Problem large = samples::spheres_with_contacts(4000, 0.5, 1), small = samples::box_stack(6, 0.5);
  for (const char* id : {"auto", "newton-ipm", "nsn-ac-gp"}) {
    RunOptions options;
    options.solver = id;
    options.time_limit = 0.05;
    Session session(options);
    const Result stopped = session.solve(large);
    EXPECT_EQ(stopped.status, Status::time_limit) << id << " " << stopped.message;
    RunOptions plain = options;
    plain.time_limit = 100;
    Session patient(plain);
    EXPECT_EQ(session.solve(small).x.r.size(), patient.solve(small).x.r.size()) << id;
  }
}

TEST(TimeLimit, interruption_reaches_into_a_factorisation) {
  const Problem large = samples::spheres_with_contacts(4000, 0.5, 1);
  const std::atomic<bool> stop{true};
  RunOptions options;
  options.solver = "newton-ipm";
  options.interrupt = &stop;
  const Result result = solve(large, options);
  EXPECT_EQ(result.status, Status::interrupted) << result.message;
  EXPECT_LT(result.time, kGenerous);
}

TEST(Stop, guards_nest_and_end) {
  EXPECT_NO_THROW(poll(1e12)) << "nobody asks";
  {
    const StopGuard outer([] { return 0.0; });
    EXPECT_THROW(poll(1e12), Stopped);
    {
      const StopGuard inner([] { return 1.0; });
      EXPECT_NO_THROW(poll(1e12));
      EXPECT_NO_THROW(poll_before(0.5));
      EXPECT_THROW(poll_before(2), Stopped) << "no time for two seconds";
    }
    EXPECT_THROW(poll(1e12), Stopped);
    EXPECT_NO_THROW(poll(1)) << "little work is not worth a question";
  }
  EXPECT_NO_THROW(poll(1e12));
}

}  // namespace
}  // namespace cornet
