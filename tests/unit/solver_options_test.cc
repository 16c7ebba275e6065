// Options that change a method, not only its limits: every choice still solves the exact problem, and the seeded ones are repeatable.
#include <gtest/gtest.h>

#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

namespace cornet {
namespace {

struct Case {
  const char* solver;
  OptionTexts options;
};

Result run(const Problem& problem, const Case& c, double tolerance = 1e-6) {
  RunOptions options;
  options.solver = c.solver;
  options.options = c.options;
  options.tolerance = tolerance;
  options.time_limit = 60;
  return solve(problem, options);
}

std::string text(const Case& c) {
  std::string out = c.solver;
  for (const auto& [name, value] : c.options) out += " " + name + "=" + value;
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* id : {"fp-vi-upk", "fp-vi-upts", "eg-vi-upk", "eg-vi-upts"})
    for (const char* metric : {"identity", "contact", "diagonal", "block"}) all.push_back({id, {{"metric", metric}}});
  for (const char* correction : {"plain", "optimal"}) all.push_back({"eg-vi-upk", {{"correction", correction}}});
  for (const char* order : {"given", "shuffled_once", "shuffled_each_sweep"}) all.push_back({"nsgs-ac", {{"order", order}, {"seed", "7"}}});
  for (const char* rule : {"fixed", "adaptive"}) {
    all.push_back({"nsgs-ac", {{"local_tolerance_rule", rule}}});
    for (const char* omega : {"0.7", "1", "1.3"}) all.push_back({"psor-ac", {{"omega", omega}, {"omega_rule", rule}}});
  }
  all.push_back({"nsgs-ac", {{"error_rule", "full"}}});
  for (const char* rule : {"error", "adaptive"}) all.push_back({"ppa-nsn-ac-gp", {{"alpha_rule", rule}}});
  for (const char* rule : {"norm", "spectral", "split", "split_condition"}) all.push_back({"nsn-fb-gp", {{"rho_rule", rule}}});
  for (const char* rule : {"fixed", "norm", "spectral", "split", "split_condition"}) all.push_back({"nsgs-ac", {{"rho_rule", rule}}});
  return all;
}

TEST(SolverOptions, EveryChoiceSolvesTheExactProblem) {
  const std::vector<Problem> problems = {reduce(samples::ball_row(6, 0.2)).local(), reduce(samples::disk_packing(4, 3, 0.3, 2)).local(),
                                         reduce(samples::spinning_disks(3, 0.3)).local()};
  for (const Problem& problem : problems)
    for (const Case& c : cases()) {
      const Result result = run(problem, c);
      EXPECT_TRUE(result.solved()) << text(c) << " on " << name(problem) << ": " << result.message;
    }
}

TEST(SolverOptions, OneSeedOneRun) {
  const Problem problem = reduce(samples::box_stack(4, 0.6)).local();
  for (const char* order : {"shuffled_once", "shuffled_each_sweep"}) {
    const Case seven{"nsgs-ac", {{"order", order}, {"seed", "7"}}}, eight{"nsgs-ac", {{"order", order}, {"seed", "8"}}};
    const Result a = run(problem, seven), b = run(problem, seven), c = run(problem, eight);
    EXPECT_EQ(a.x.r, b.x.r) << order;
    EXPECT_EQ(a.iterations, b.iterations) << order;
    EXPECT_NE(a.x.r, c.x.r) << order << ": the seed changes nothing";
  }
}

}  // namespace
}  // namespace cornet
