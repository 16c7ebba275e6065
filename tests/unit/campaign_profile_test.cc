// Performance profiles on a fixture whose curves are known, and what else is read off records.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cornet/error.h"
#include "cornet/profile.h"

using namespace cornet;
using namespace cornet::campaign;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Dolan–Moré by hand: A is best on problems 0 and 1, B on 2, nobody solves 3; ratios A: 1, 1, 3; B: 2, 4, 1.
Costs fixture() { return {{"A", "B"}, {1, 2, 1, 4, 6, 2, kInf, kInf}}; }

Record record(const std::string& problem, const std::string& solver, const std::string& family, bool solved, double time,
              long iterations = 10) {
  Record r;
  r.key = problem + solver + std::to_string(time);
  r.problem = r.problem_hash = problem;
  r.set = "set";
  r.solver = r.label = solver;
  r.family = family;
  r.tolerance = 1e-4;
  r.status = solved ? "solved" : "iteration_limit";
  r.time = time;
  r.iterations = iterations;
  r.number_of_contacts = 10;
  r.provenance.time_limit = 10;
  return r;
}

TEST(Profile, FixtureHasTheKnownCurves) {
  const auto curves = performance_profile(fixture());
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].tau, (std::vector<double>{1, 3}));
  EXPECT_EQ(curves[0].rho, (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(curves[1].tau, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(curves[1].rho, (std::vector<double>{0.25, 0.5, 0.75}));
  EXPECT_EQ(curves[0].at(0.99), 0);
  EXPECT_EQ(curves[0].at(1), 0.5);
  EXPECT_EQ(curves[0].at(2.999), 0.5);
  EXPECT_EQ(curves[0].at(3), 0.75);
  EXPECT_EQ(curves[1].at(1e9), 0.75);
}

TEST(Profile, TiesCountForEach) {
  const auto curves = performance_profile({{"A", "B"}, {5, 5}});
  EXPECT_EQ(curves[0].at(1), 1);
  EXPECT_EQ(curves[1].at(1), 1);
}

TEST(Profile, ASolverThatSolvesNothingHasAnEmptyCurve) {
  const auto curves = performance_profile({{"A", "B"}, {5, kInf, 2, kInf}});
  EXPECT_TRUE(curves[1].tau.empty());
  EXPECT_EQ(curves[1].at(1e12), 0);
}

TEST(Profile, CostsMustBePositive) {
  EXPECT_THROW(performance_profile({{"A"}, {0}}), InvalidOption);
  EXPECT_THROW(performance_profile({{"A"}, {std::nan("")}}), InvalidOption);
}

TEST(Profile, ShiftedGeometricMean) {
  EXPECT_NEAR(shifted_geometric_mean({1, 100}, 0), 10, 1e-12);
  EXPECT_NEAR(shifted_geometric_mean({0, 8}, 1), 2, 1e-12);  // √(1·9) − 1
  EXPECT_TRUE(std::isnan(shifted_geometric_mean({}, 1)));
}

TEST(Evaluate, CountsFailuresWinsAndFamilies) {
  std::vector<Record> records = {record("p", "a", "f", true, 1),  record("p", "b", "f", true, 2),  record("p", "c", "g", true, 4),
                                 record("q", "a", "f", false, 9), record("q", "b", "f", true, 3),  record("q", "c", "g", true, 1.5),
                                 record("r", "a", "f", false, 9), record("r", "b", "f", false, 9), record("r", "c", "g", false, 9)};
  records[3].claimed = true;
  const Evaluation e = evaluate(records);
  EXPECT_EQ(e.instances, 3);
  EXPECT_EQ(e.unsolved, 1);
  ASSERT_EQ(e.solvers.size(), 3u);
  EXPECT_EQ(e.solvers[0].solved, 1);
  EXPECT_NEAR(e.solvers[0].failure_rate(), 2.0 / 3, 1e-15);
  EXPECT_EQ(e.solvers[0].wins, 1);
  EXPECT_EQ(e.solvers[0].false_claims, 1);
  EXPECT_EQ(e.solvers[2].wins, 1);
  // 1, 10, 10 s with a shift of 1 ms: failed runs count with the limit.
  EXPECT_NEAR(e.solvers[0].mean, std::cbrt(1.001 * 10.001 * 10.001) - 0.001, 1e-12);
  ASSERT_EQ(e.families.size(), 2u);
  EXPECT_EQ(e.families[0].name, "f");
  EXPECT_EQ(e.families[0].solved, 2);
  EXPECT_EQ(e.family_curves[0].at(1), 1.0 / 3);
  EXPECT_EQ(e.family_curves[0].at(2), 2.0 / 3);
  ASSERT_EQ(e.sets.size(), 1u);
  EXPECT_EQ(e.sets[0].solvers[1].solved, 2);
}

TEST(Evaluate, OnlyInstancesWithAllSolversCountAndLaterRecordsReplaceEarlierOnes) {
  std::vector<Record> records = {record("p", "a", "f", true, 1), record("p", "b", "f", true, 2), record("q", "a", "f", true, 1),
                                 record("p", "a", "f", true, 8)};
  const Evaluation e = evaluate(records);
  EXPECT_EQ(e.instances, 1);
  EXPECT_EQ(e.incomplete, 1);
  EXPECT_EQ(e.superseded, 1);
  EXPECT_EQ(e.curves[0].at(3.99), 0);
  EXPECT_EQ(e.curves[0].at(4), 1);
}

TEST(Evaluate, SelectionsByNameAndTolerance) {
  std::vector<Record> records = {record("p", "nsgs-ac", "f", true, 1), record("p", "nsgs-jm", "f", true, 2),
                                 record("p", "nsn", "g", true, 3)};
  records[2].tolerance = 1e-8;
  Selection selection;
  selection.solvers = {"nsgs-*"};
  EXPECT_EQ(evaluate(records, selection).solvers.size(), 2u);
  selection = {};
  selection.tolerances = {1e-8};
  EXPECT_EQ(evaluate(records, selection).solvers[0].name, "nsn");
  selection.solvers = {"none"};
  EXPECT_THROW(evaluate(records, selection), InvalidOption);
  selection = {};  // two tolerances, no instance in common
  EXPECT_THROW(evaluate(records, selection), InvalidOption);
}

TEST(Evaluate, ASolverThatDoesNotCountProductsIsLeftOut) {
  std::vector<Record> records = {record("p", "a", "f", true, 1), record("p", "b", "f", true, 2)};
  records[0].products = 7;
  Selection selection;
  selection.by = Measure::products;
  const Evaluation e = evaluate(records, selection);
  ASSERT_EQ(e.solvers.size(), 1u);
  EXPECT_EQ(e.solvers[0].name, "a");
  ASSERT_EQ(e.notes.size(), 1u);
  EXPECT_NE(e.notes[0].find("b is left out"), std::string::npos);
}

TEST(Evaluate, ZeroSolvedProblemsAndASingleSolver) {
  const Evaluation e = evaluate({record("p", "a", "f", false, 1)});
  EXPECT_EQ(e.unsolved, 1);
  EXPECT_TRUE(e.curves[0].tau.empty());
  const Insight insight = learn({record("p", "a", "f", false, 1)});
  EXPECT_TRUE(insight.explanations.empty());
  ASSERT_FALSE(insight.advice.empty());
  EXPECT_EQ(insight.advice[0].solver, "");
}

TEST(Growth, ExponentOfAPowerLaw) {
  std::vector<Record> records;
  for (int n : {10, 20, 40, 80}) {
    records.push_back(record(std::to_string(n), "a", "f", true, 3e-6 * std::pow(n, 1.5)));
    records.back().number_of_contacts = n;
  }
  const auto fitted = growth(records);
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_NEAR(fitted[0].exponent, 1.5, 1e-12);
  EXPECT_NEAR(fitted[0].factor, 3e-6, 1e-15);
  EXPECT_TRUE(std::isnan(growth({records[0], records[1]})[0].exponent));  // two sizes say nothing
}

// The family that wins is decided by the share of sliding contacts alone; the friction coefficient is noise.
TEST(Learn, FindsTheVariableThatDecides) {
  std::vector<Record> records;
  for (int k = 0; k < 60; ++k) {
    const bool slides = k % 3 == 0;
    for (const char* solver : {"a", "b"}) {
      Record r = record("p" + std::to_string(k), solver, solver, true, (solver[0] == 'a') == slides ? 1 : 2);
      r.slide = slides ? 8 : 1;
      r.stick = slides ? 2 : 9;
      r.mu_min = r.mu_max = 0.1 * (1 + k * 7 % 10);
      records.push_back(r);
    }
  }
  const Insight insight = learn(records);
  ASSERT_GE(insight.explanations.size(), 3u);
  double sliding = -1, friction = -1;
  for (const Explanation& e : insight.explanations) {
    if (e.variable.starts_with("sliding")) sliding = e.explained;
    if (e.variable.starts_with("friction")) friction = e.explained;
  }
  EXPECT_GT(sliding, 0.9);
  EXPECT_LT(std::abs(friction), 0.1);
  EXPECT_GE(insight.explanations[0].explained, insight.explanations[1].explained);
}

TEST(Learn, AdvicePrefersWhoSolvesMoreThenWhoIsFaster) {
  std::vector<Record> records;
  for (int k = 0; k < 5; ++k) {
    const std::string p = std::to_string(k);
    records.push_back(record(p, "fast", "f", k < 3, 0.001));
    records.push_back(record(p, "safe", "g", true, 1));
    records.push_back(record(p, "slow", "h", true, 2));
  }
  for (const auto& advice : learn(records).advice) {
    EXPECT_EQ(advice.solver, "safe");
    EXPECT_EQ(advice.solved, 5);
    EXPECT_EQ(advice.alternative, "slow");
  }
}

}  // namespace
