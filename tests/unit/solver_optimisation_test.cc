// Panagiotopoulos, Tresca, ACLM, the relaxation and the proximal point as solvers: they solve small problems, refuse what they cannot take,
// obey limits and interruption, and report what they did.
#include <gtest/gtest.h>

#include <atomic>

#include "cornet/error.h"
#include "cornet/samples.h"
#include "solvers/inner.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

const std::vector<std::string>& exact_ids() {
  static const std::vector<std::string> ids = {
      "pana-pgs-fp-vi-upk", "pana-pgs-eg-vi-upk", "pana-pgs-convexqp-pg", "pana-convexqp-pg",    "tresca-nsgs-fp-vi-upk",
      "tresca-fp-vi-upk",   "tresca-eg-vi-upk",   "tresca-convexqp-pg",   "aclm-nsgs-fp-vi-upk", "aclm-fp-vi-upk",
      "aclm-eg-vi-upk",     "aclm-convexqp-pg",   "ppa-nsn-ac",           "ppa-nsn-ac-gp",       "ppa-nsgs-ac"};
  return ids;
}

bool is_gradient(const std::string& id) { return id.find("convexqp-pg") != std::string::npos; }

Result run(const Problem& problem, const std::string& id, double tolerance = 1e-6, const OptionTexts& texts = {}) {
  RunOptions options;
  options.solver = id;
  options.tolerance = tolerance;
  options.time_limit = 20;
  options.options = texts;
  return solve(problem, options);
}

TEST(OptimisationSolvers, SolveSmallProblems) {
  Iterate known;
  LocalProblem weightless = samples::random_local(3, 3, 6, 0.1, 0.8, 0, 9, known);
  weightless.q.assign(weightless.q.size(), 0.0);
  const std::vector<std::pair<std::string, Problem>> problems = {
      {"stick in the plane", samples::block_on_incline(2, 0.3, 0.5)},
      {"slide in the plane", samples::block_on_incline(2, 0.5, 0.3)},
      {"slide in space", samples::block_on_incline(3, 0.5, 0.3)},
      {"no friction", samples::sphere_lattice(3, 3, 2, 0, 4)},
      {"spheres", samples::sphere_lattice(3, 3, 2, 0.3, 4)},
      {"plane, all frictions", samples::random_local(2, 10, 20, 0, test::kInfinity, 0, 7, known)},
      {"space, all frictions", samples::random_local(3, 10, 30, 0, test::kInfinity, 0, 8, known)},
      {"space, q = 0", weightless},
  };
  for (const auto& [name, problem] : problems)
    for (const std::string& id : exact_ids()) {
      const Result result = run(problem, id);
      // The alternation has no promise where frictions are large.
      if (name.find("all frictions") != std::string::npos && (id.starts_with("pana") || id.starts_with("tresca"))) {
        EXPECT_EQ(result.solved(), result.certificate.error <= 1e-6);
        continue;
      }
      EXPECT_TRUE(result.solved()) << id << " on " << name << ": " << result.message;
    }
}

TEST(OptimisationSolvers, UnsymmetricMatrix) {
  Iterate known;
  const Problem strongly = samples::random_local(3, 6, 18, 0.1, 0.5, 0.3, 3, known);
  for (const std::string& id : exact_ids()) {
    const Result result = run(strongly, id, 1e-4);
    if (!is_gradient(id)) {
      EXPECT_NE(result.status, Status::unsupported) << id;
      continue;
    }
    EXPECT_EQ(result.status, Status::unsupported) << id;
    EXPECT_NE(result.message.find("symmetric"), std::string::npos) << result.message;
    EXPECT_NE(run(strongly, id, 1e-4, {{"asymmetry", "2"}}).status, Status::unsupported) << id;
  }
  for (const SolverInfo& info : solvers()) EXPECT_EQ(info.needs_symmetry, is_gradient(info.id) || info.id == "aclm-newton") << info.id;
}

TEST(OptimisationSolvers, UnsymmetricMatrixIsSolvedExactly) {
  const Problem spinning = samples::spinning_disks(2, 0.3);
  for (const char* id : {"aclm-nsgs-fp-vi-upk", "aclm-fp-vi-upk", "aclm-eg-vi-upk", "tresca-fp-vi-upk", "tresca-nsgs-fp-vi-upk",
                         "ppa-nsn-ac", "ppa-nsgs-ac"})
    EXPECT_TRUE(run(spinning, id, 1e-8).solved()) << id;
}

TEST(OptimisationSolvers, InnerRunsObeyTheOuterLimits) {
  const Problem problem = samples::brick_wall(4, 4, 0.8);
  std::atomic<bool> interrupt = true;
  for (const std::string& id : exact_ids()) {
    RunOptions options;
    options.solver = id;
    options.tolerance = 1e-12;
    options.time_limit = 0.05;
    const Result timed = solve(problem, options);
    EXPECT_LT(timed.time, 1) << id;
    options.time_limit = 100;
    options.interrupt = &interrupt;
    const Result interrupted = solve(problem, options);
    EXPECT_EQ(interrupted.status, Status::interrupted) << id;
    EXPECT_LT(interrupted.time, 1) << id;
    options.interrupt = nullptr;
    options.max_iterations = 2;
    options.time_limit = 2;
    EXPECT_LE(solve(problem, options).iterations, 2) << id;
  }
}

TEST(OptimisationSolvers, CountInnerIterations) {
  const Problem problem = samples::sphere_lattice(3, 3, 2, 0.3, 4);
  for (const std::string& id : exact_ids()) {
    const Result result = run(problem, id);
    ASSERT_TRUE(result.statistics.count("inner_iterations")) << id;
    EXPECT_GE(result.statistics.at("inner_iterations"), 1) << id;
  }
}

TEST(OptimisationSolvers, WarmStartFromTheAnswerNeedsNoStep) {
  const Problem problem = samples::sphere_lattice(3, 3, 2, 0.3, 4);
  for (const std::string& id : exact_ids()) {
    RunOptions options;
    options.solver = id;
    options.tolerance = 1e-6;
    const Result first = solve(problem, options);
    options.tolerance = 1e-5;
    EXPECT_EQ(solve(problem, options, first.x).iterations, 0) << id;
  }
}

TEST(ProximalPoint, BothRulesAndRelaxation) {
  const Problem problem = samples::box_stack(4, 0.5);
  for (const char* id : {"ppa-nsn-ac", "ppa-nsn-ac-gp", "ppa-nsgs-ac"})
    for (const OptionTexts& texts : std::vector<OptionTexts>{{{"alpha_rule", "error"}},
                                                             {{"alpha_rule", "error"}, {"sigma", "10"}, {"nu", "0.5"}},
                                                             {{"alpha_rule", "adaptive"}, {"alpha", "100"}},
                                                             {{"omega", "0.8"}},
                                                             {{"omega", "1.5"}}})
      EXPECT_TRUE(run(problem, id, 1e-6, texts).solved()) << id << " " << texts.begin()->first << " " << texts.begin()->second;
  EXPECT_THROW(run(problem, "ppa-nsn-ac", 1e-6, {{"omega", "2"}}), InvalidOption);
  EXPECT_THROW(run(problem, "ppa-nsn-ac", 1e-6, {{"sigma", "0"}}), InvalidOption);
  EXPECT_THROW(run(problem, "ppa-nsn-ac", 1e-6, {{"alpha_rule", "other"}}), InvalidOption);
}

TEST(ProximalPoint, ShiftOfTheDiagonal) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(6, 6);
  W.block<3, 3>(0, 3).setOnes();
  BlockMatrix<3> blocks(test::sparse(W));
  blocks.shift_diagonal(2);
  std::vector<double> r = {1, 2, 3, 4, 5, 6}, zero(6, 0.0), u(6);
  blocks.times(r.data(), zero.data(), u.data());
  EXPECT_EQ(test::vec(u), Eigen::VectorXd((W + 2 * Eigen::MatrixXd::Identity(6, 6)) * test::vec(r)));
  EXPECT_EQ(blocks.diagonal(1), Mat<3>(2 * Mat<3>::Identity()));
}

TEST(Relaxation, IsExactWhereNothingSlides) {
  const Result result = run(samples::block_on_incline(3, 0.3, 0.8), "soclcp-nsgs-pli");
  EXPECT_TRUE(result.solved()) << result.message;
}

TEST(Relaxation, ReportsBothErrorsAndThatItIsAnotherProblem) {
  const Result result = run(samples::block_on_incline(3, 0.5, 0.3), "soclcp-nsgs-pli");
  EXPECT_EQ(result.termination, Termination::converged);
  EXPECT_EQ(result.status, Status::inaccurate);
  EXPECT_LE(result.statistics.at("relaxation_error"), 1e-6);
  EXPECT_GT(result.statistics.at("coulomb_error"), 1e-3);
  EXPECT_NEAR(result.statistics.at("coulomb_error"), result.certificate.error, 1e-9);
  EXPECT_NE(result.message.find("relaxation"), std::string::npos);
  EXPECT_NE(result.message.find("another problem"), std::string::npos);
}

TEST(StallWatch, LooksAtWindowsNotAtTheBestOfAll) {
  StallWatch watch(10);
  EXPECT_FALSE(watch.stalled(1e-3));  // a lucky start
  for (int k = 1; k < 10; ++k) EXPECT_FALSE(watch.stalled(10.0));
  bool over = false;
  for (int k = 0; k < 10; ++k) over = watch.stalled(10.0 - k);
  EXPECT_TRUE(over);  // one window without reaching the lucky value
  for (int k = 0; k < 10; ++k) over = watch.stalled(1.0 - 0.01 * k);
  EXPECT_FALSE(over);  // steady decrease since
  for (int k = 0; k < 10; ++k) over = watch.stalled(0.95);
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace cornet
