// Monitor: limits, interruption, history, best point, counters.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cornet/solver.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

TEST(Monitor, CountsAndStopsAtTheIterationLimit) {
  Limits limits;
  limits.max_iterations = 3;
  Monitor monitor(limits);
  EXPECT_FALSE(monitor.step(1));
  EXPECT_FALSE(monitor.step(1));
  EXPECT_EQ(monitor.step(1), Termination::iteration_limit);
  EXPECT_EQ(monitor.iterations(), 3);
}

TEST(Monitor, TimeLimit) {
  Limits limits;
  limits.time_limit = 0.01;
  Monitor monitor(limits);
  EXPECT_FALSE(monitor.expired());
  std::this_thread::sleep_for(std::chrono::milliseconds(15));
  EXPECT_EQ(monitor.expired(), Termination::time_limit);
  EXPECT_EQ(monitor.step(1), Termination::time_limit);
  EXPECT_GE(monitor.elapsed(), 0.01);
}

TEST(Monitor, Interrupt) {
  std::atomic<bool> stop = false;
  Monitor monitor(Limits{}, &stop);
  EXPECT_FALSE(monitor.step(1));
  EXPECT_FALSE(monitor.expired());
  stop = true;
  EXPECT_EQ(monitor.expired(), Termination::interrupted);
  EXPECT_EQ(monitor.step(1), Termination::interrupted);
}

TEST(Monitor, CallbackSeesEveryIterationAndMayStop) {
  std::vector<HistoryEntry> seen;
  Monitor monitor(Limits{}, nullptr, [&](const HistoryEntry& entry) {
    seen.push_back(entry);
    return entry.own_residual > 0.3;
  });
  EXPECT_FALSE(monitor.step(0.5));
  EXPECT_EQ(monitor.step(0.25), Termination::interrupted);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].iteration, 2);
  EXPECT_EQ(seen[1].own_residual, 0.25);
}

TEST(Monitor, HistoryOnlyWhenAsked) {
  Monitor silent(Limits{});
  silent.step(1);
  EXPECT_TRUE(silent.history().empty());
  Monitor monitor(Limits{}, nullptr, {}, true);
  monitor.step(0.5);
  monitor.step(0.25);
  ASSERT_EQ(monitor.history().size(), 2u);
  EXPECT_EQ(monitor.history()[0].iteration, 1);
  EXPECT_EQ(monitor.history()[1].own_residual, 0.25);
}

TEST(Monitor, KeepsTheBestPoint) {
  Monitor monitor(Limits{});
  const std::vector<double> a = {1, 2}, b = {3, 4}, c = {5, 6};
  EXPECT_TRUE(monitor.best().empty());
  monitor.offer(0.5, a.data(), a.size());
  monitor.offer(0.1, b.data(), b.size());
  monitor.offer(0.3, c.data(), c.size());
  EXPECT_EQ(monitor.best_error(), 0.1);
  EXPECT_EQ(monitor.best(), b);
}

TEST(Monitor, ANotANumberIsNeverTheBest) {
  Monitor monitor(Limits{});
  const std::vector<double> a = {1, 2}, b = {3, 4};
  monitor.offer(test::kNan, a.data(), a.size());
  EXPECT_FALSE(std::isnan(monitor.best_error()));
  monitor.offer(0.1, b.data(), b.size());
  monitor.offer(test::kNan, a.data(), a.size());
  EXPECT_EQ(monitor.best(), b);
}

TEST(Monitor, Counters) {
  Monitor monitor(Limits{});
  monitor.count("products");
  monitor.count("products", 4);
  monitor.count("factorisations");
  EXPECT_EQ(monitor.counters().at("products"), 5);
  EXPECT_EQ(monitor.counters().at("factorisations"), 1);
}

TEST(Monitor, Message) {
  Monitor monitor(Limits{});
  EXPECT_TRUE(monitor.message().empty());
  monitor.set_message("W is not symmetric");
  EXPECT_EQ(monitor.message(), "W is not symmetric");
}

}  // namespace
}  // namespace cornet
