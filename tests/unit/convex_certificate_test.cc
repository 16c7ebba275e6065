// certify_convex and certify_infeasible on hand-made points: values by hand, what they must refuse; and the refusals of solve_convex.
#include <gtest/gtest.h>

#include "cornet/convex.h"
#include "cornet/error.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::contains;
using test::kInfinity;
using test::message_of;

LocalProblem identity(double mu, const std::vector<double>& q) { return test::make_local(3, Eigen::MatrixXd::Identity(3, 3), q, {mu}); }

TEST(ConvexCertificate, OptimalPointHasNoGap) {
  // W = I, q = (−1, 2, 0), μ = ½: r = P_K(−q) = (1.6, −0.8, 0), ũ = (0.6, 1.2, 0) on the boundary of K*.
  const ConvexCertificate c = certify_convex(identity(0.5, {-1, 2, 0}), {}, test::reactions({1.6, -0.8, 0}));
  EXPECT_NEAR(c.gap, 0, 1e-15);
  EXPECT_NEAR(c.dual_objective, 1.6, 1e-15);
  EXPECT_NEAR(c.primal_objective, 1.6, 1e-15);
  EXPECT_NEAR(c.natural_map, 0, 1e-15);
  EXPECT_NEAR(c.dual_violation, 0, 1e-15);
  EXPECT_TRUE(c.verified);
}

TEST(ConvexCertificate, EachViolationIsSeen) {
  const LocalProblem problem = identity(0.5, {-1, 2, 0});
  // r = 0 is feasible, but the contact would close.
  ConvexCertificate c = certify_convex(problem, {}, test::reactions({0, 0, 0}));
  EXPECT_EQ(c.gap, 0);
  EXPECT_EQ(c.cone_violation, 0);
  EXPECT_NEAR(c.dual_violation, std::sqrt(1.6 * 1.6 + 0.8 * 0.8) / std::sqrt(5), 1e-14);
  EXPECT_FALSE(c.verified);
  // r = −q makes ũ = 0, but leaves the cone.
  c = certify_convex(problem, {}, test::reactions({1, -2, 0}));
  EXPECT_EQ(c.dual_violation, 0);
  EXPECT_NEAR(c.cone_violation, std::sqrt(0.6 * 0.6 + 1.2 * 1.2) / std::sqrt(5), 1e-14);
  EXPECT_FALSE(c.verified);
  // Twice the answer: inside both cones, with a gap.
  c = certify_convex(problem, {}, test::reactions({3.2, -1.6, 0}));
  EXPECT_GT(c.gap, 0.1);
  EXPECT_FALSE(c.verified);
}

TEST(ConvexCertificate, SupportOfDisksAndCylinders) {
  ConvexQuestion question;
  question.radius = {1};
  question.normal = {4};
  const LocalProblem problem = identity(0.5, {-2, 3, 0});
  question.set = ConvexSet::cylinder;
  ConvexCertificate c = certify_convex(problem, question, test::reactions({2, -1, 0}));
  EXPECT_NEAR(c.gap, 0, 1e-15);
  EXPECT_NEAR(c.primal_objective, 0.5 * 5 + 2, 1e-15);  // ½ rᵀWr + radius ‖ũ_T‖, ũ = (0, 2, 0)
  EXPECT_TRUE(c.verified);
  question.set = ConvexSet::disk;
  c = certify_convex(problem, question, test::reactions({4, -1, 0}));
  EXPECT_NEAR(c.gap, 0, 1e-15);
  EXPECT_TRUE(c.verified);
  c = certify_convex(problem, question, test::reactions({3, -1, 0}));
  EXPECT_GT(c.cone_violation, 0.1);
  question.radius.clear();  // μ · normal = 2
  EXPECT_TRUE(certify_convex(problem, question, test::reactions({4, -2, 0})).verified);
  question.set = ConvexSet::half_line;
  EXPECT_TRUE(certify_convex(problem, question, test::reactions({2, 0, 0})).verified);
}

TEST(ConvexCertificate, FrictionInfinityHasNoShift) {
  ConvexQuestion question;
  question.s = {7};
  EXPECT_TRUE(certify_convex(identity(kInfinity, {-1, 2, 0}), question, test::reactions({1, -2, 0})).verified);
  EXPECT_FALSE(certify_convex(identity(2, {-1, 2, 0}), question, test::reactions({1, -2, 0})).verified);
}

TEST(ConvexCertificate, GlobalFormIsTheSame) {
  Eigen::MatrixXd M = 2 * Eigen::MatrixXd::Identity(3, 3);
  const GlobalProblem global = test::make_global(3, M, std::sqrt(2.0) * Eigen::MatrixXd::Identity(3, 3), {1, 0, -1}, {-2, 2, 1}, {0.5});
  // W = I, q = H M⁻¹ f + w.
  std::vector<double> q = {-2 + std::sqrt(0.5), 2, 1 - std::sqrt(0.5)};
  const Iterate x = test::reactions({1.2, -0.4, 0.1});
  const ConvexCertificate a = certify_convex(global, {}, x), b = certify_convex(identity(0.5, q), {}, x);
  EXPECT_NEAR(a.gap, b.gap, 1e-12);
  EXPECT_NEAR(a.dual_objective, b.dual_objective, 1e-12);
  EXPECT_NEAR(a.dual_violation, b.dual_violation, 1e-12);
}

TEST(ConvexCertificate, UnitsOfMassMakeNoSystemSingular) {
  // With M, f and r in another unit of mass the velocities are the same, joints or not, and an energy is that many times larger.
  test::Random random(15);
  const int n = 8, m = 9;
  const Eigen::MatrixXd a = test::random_matrix(n, n, random), mass = a * a.transpose() + Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd h = test::random_matrix(n, m, random, 0.6), g = test::random_matrix(n, 2, random);
  const Eigen::VectorXd f = test::vec(test::random_list(n, random)), r = test::vec(test::random_list(m, random, 0, 1));
  const std::vector<double> w = test::random_list(m, random), b = test::random_list(2, random);
  const auto in_unit = [&](double unit) {
    GlobalProblem p = test::make_global(3, unit * mass, h, test::list(unit * f), w, {0, 0.7, 1});
    p.G = test::sparse(g);
    p.b = b;
    return certify_convex(p, {}, test::reactions(test::list(unit * r)));
  };
  const ConvexCertificate expected = in_unit(1);
  for (const double unit : {0x1p-50, 0x1p-40, 0x1p+40}) {
    const ConvexCertificate c = in_unit(unit);
    EXPECT_NEAR(c.dual_objective / unit, expected.dual_objective, 1e-12 * std::abs(expected.dual_objective)) << unit;
    EXPECT_NEAR(c.dual_violation, expected.dual_violation, 1e-12 * expected.dual_violation) << unit;
  }
}

TEST(ConvexCertificate, RayOfAnInfeasibleProblem) {
  // The normal velocity −1 cannot be changed.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(3, 3);
  W(0, 0) = 0;
  const LocalProblem problem = test::make_local(3, W, {-1, 0, 0}, {0.5});
  ConvexCertificate c = certify_infeasible(problem, {}, test::reactions({5, 0, 0}));
  EXPECT_TRUE(c.verified);
  EXPECT_EQ(c.ray, (std::vector<double>{1, 0, 0}));
  EXPECT_NEAR(c.ray_descent, 1, 1e-15);
  EXPECT_EQ(c.ray_residual, 0);
  EXPECT_FALSE(certify_infeasible(problem, {}, test::reactions({5, 1, 0})).verified);   // W r ≠ 0
  EXPECT_FALSE(certify_infeasible(problem, {}, test::reactions({-5, 0, 0})).verified);  // not in K
  EXPECT_FALSE(certify_infeasible(problem, {}, test::reactions({0, 0, 0})).verified);
  ConvexQuestion question;
  question.s = {3};  // now ũ_N = ½: no descent
  EXPECT_FALSE(certify_infeasible(problem, question, test::reactions({5, 0, 0})).verified);
  question = {};
  question.set = ConvexSet::disk;  // bounded: X∞ = {0}
  question.radius = {1};
  EXPECT_FALSE(certify_infeasible(problem, question, test::reactions({5, 0, 0})).verified);
}

TEST(SolveConvex, RefusesWhatDoesNotFit) {
  const Problem problem = identity(0.5, {-1, 0, 0});
  ConvexQuestion question;
  const auto message = [&] { return message_of<InvalidProblem>([&] { solve_convex(problem, question); }); };
  question.s = {1, 2};
  EXPECT_TRUE(contains(message(), "s: found 2 numbers, expected 1")) << message();
  question.s = {-1};
  EXPECT_TRUE(contains(message(), "s: found -1")) << message();
  question.s = {kInfinity};
  EXPECT_TRUE(contains(message(), "s: found inf")) << message();
  question.s.clear();
  question.radius = {test::kNan};
  EXPECT_TRUE(contains(message(), "radius")) << message();
  question.radius = {kInfinity};
  EXPECT_EQ(solve_convex(problem, question).status, ConvexStatus::optimal);
  question.normal = {kInfinity};
  EXPECT_TRUE(contains(message(), "normal")) << message();
  question = {};
  EXPECT_TRUE(contains(message_of<InvalidProblem>([&] { solve_convex(problem, question, {}, test::reactions({1, 2})); }), "guess r"));

  ConvexOptions options;
  const auto option_message = [&] { return message_of<InvalidOption>([&] { solve_convex(problem, question, options); }); };
  options.engine = "simplex";
  EXPECT_TRUE(contains(option_message(), "engine 'simplex' is unknown")) << option_message();
  options = {};
  options.tolerance = 0;
  EXPECT_TRUE(contains(option_message(), "tolerance")) << option_message();
  options = {};
  options.options = {{"facets", "8"}};
  EXPECT_TRUE(contains(option_message(), "facets")) << option_message();
}

TEST(SolveConvex, EmptyProblemAndZeroData) {
  LocalProblem empty = test::make_local(3, Eigen::MatrixXd::Zero(0, 0), {}, {});
  for (const EngineInfo& engine : convex_engines()) {
    ConvexOptions options;
    options.engine = engine.id;
    EXPECT_EQ(solve_convex(empty, {}, options).status, ConvexStatus::optimal) << engine.id;
    EXPECT_EQ(solve_convex(identity(0.5, {0, 0, 0}), {}, options).status, ConvexStatus::optimal) << engine.id;
    const LocalProblem weightless = test::make_local(3, Eigen::MatrixXd::Zero(3, 3), {1, 0.1, 0}, {0.5});
    EXPECT_EQ(solve_convex(weightless, {}, options).status, ConvexStatus::optimal) << engine.id;
  }
}

TEST(SolveConvex, InterruptionAndLimits) {
  const std::atomic<bool> stop{true};
  for (const EngineInfo& engine : convex_engines()) {
    ConvexOptions options;
    options.engine = engine.id;
    options.interrupt = &stop;
    const ConvexResult result = solve_convex(samples::box_stack(4, 0.5), {}, options);
    EXPECT_TRUE(result.status == ConvexStatus::interrupted || result.certificate.verified) << engine.id << " " << result.message;
  }
  ConvexOptions options;
  options.engine = "accelerated-gradient";
  options.max_iterations = 3;
  const ConvexResult result = solve_convex(samples::box_stack(4, 0.5), {}, options);
  EXPECT_EQ(result.status, ConvexStatus::iteration_limit);
  EXPECT_EQ(result.iterations, 3);
}

TEST(SolveConvex, UnsymmetricMatricesAreRefused) {
  Iterate known;
  const Problem problem = samples::random_local(3, 5, 15, 0.2, 0.8, 0.3, 3, known);
  for (const EngineInfo& engine : convex_engines()) {
    ConvexOptions options;
    options.engine = engine.id;
    const ConvexResult result = solve_convex(problem, {}, options);
    EXPECT_EQ(result.status, ConvexStatus::unsupported) << engine.id;
    EXPECT_TRUE(contains(result.message, "symmetric")) << result.message;
  }
}

}  // namespace
}  // namespace cornet
