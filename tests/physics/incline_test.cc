// A block on a slope, one step from rest: sticks iff tan θ ≤ μ and the slope then carries the weight; else it slides with acceleration
// g (sin θ − μ cos θ). Tried with μ just beside tan θ, and with μ = 0 and ∞.
#include <gtest/gtest.h>

#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::VectorXd;
constexpr double kGravity = 9.81, kStep = 0.01;

// The velocity down the slope: mean over the contacts of the first tangential component.
double descent(const Result& result, int dim) {
  const VectorXd u = test::vec(result.x.u);
  double sum = 0;
  for (int k = 0; k < u.size() / dim; ++k) sum += u[dim * k + 1];
  return sum * dim / static_cast<double>(u.size());
}

// How close to tan θ the friction is set. On the four contacts of the cube, whose reactions are not unique, splitting and projection
// methods need a number of iterations of the order of 1/margin, so there only the Newton method is tried at 1e-6.
double margin(const std::string& solver, int dim) { return dim == 2 || solver.rfind("nsn", 0) == 0 ? 1e-6 : 1e-3; }

class Incline : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Incline, testing::Values(2, 3));

TEST_P(Incline, SticksBelowTheLimit) {
  const int dim = GetParam();
  for (const std::string& solver : test::three_solvers())
    for (const double angle : {0.05, 0.4, 0.7}) {
      const GlobalProblem p = samples::block_on_incline(dim, angle, std::tan(angle) + margin(solver, dim));
      const Result result = test::solve_with(p, solver, 1e-10);
      ASSERT_TRUE(result.solved()) << solver << " " << angle << " " << to_string(result.status) << " " << result.certificate.error;
      EXPECT_LT(test::vec(result.x.u).norm(), 1e-9) << solver << " " << angle;
      // The cube's reactions are not unique: single contacts may lie on the border of the cone, where stick and slide meet.
      if (dim == 2) {
        EXPECT_EQ(result.certificate.stick, 1) << solver << " " << angle;
      }
      // The reaction is the weight times h, straight up.
      const VectorXd force = test::dense(p.H) * test::vec(result.x.r);
      for (int c = 0; c < dim; ++c) EXPECT_NEAR(force[c], c == dim - 1 ? kGravity * kStep : 0.0, 1e-9) << solver << " " << angle;
    }
}

TEST_P(Incline, SlidesAboveTheLimit) {
  const int dim = GetParam();
  for (const std::string& solver : test::three_solvers())
    for (const double angle : {0.05, 0.4, 0.7})
      for (const double mu : {std::tan(angle) - margin(solver, dim), 0.5 * std::tan(angle), 0.0}) {
        const Result result = test::solve_with(samples::block_on_incline(dim, angle, mu), solver, 1e-10);
        ASSERT_TRUE(result.solved()) << solver << " " << angle << " " << mu << " " << to_string(result.status);
        const double expected = kStep * kGravity * (std::sin(angle) - mu * std::cos(angle));
        EXPECT_GT(expected, 4e-8);
        EXPECT_NEAR(descent(result, dim), expected, 1e-9) << solver << " " << angle << " " << mu;
        EXPECT_GT(result.certificate.slide, 0);
        EXPECT_EQ(result.certificate.stick, 0) << solver << " " << angle << " " << mu;
      }
}

TEST_P(Incline, NothingSlidesWithoutLimit) {
  const int dim = GetParam();
  for (const std::string& solver : test::three_solvers()) {
    const Result result = test::solve_with(samples::block_on_incline(dim, 0.7, test::kInfinity), solver, 1e-10);
    ASSERT_TRUE(result.solved()) << solver;
    EXPECT_LT(test::vec(result.x.u).norm(), 1e-9);
  }
}

// Steeper than its own diagonal a cube on a rough slope tips: it turns about the lower edge, whose contacts stay, and the upper ones open.
TEST(Incline, TipsOverTheLowerEdge) {
  const double angle = 1.0;
  for (const std::string& solver : test::three_solvers()) {
    const GlobalProblem p = samples::block_on_incline(3, angle, 3);
    const Result result = test::solve_with(p, solver, 1e-9);
    ASSERT_TRUE(result.solved()) << solver << " " << to_string(result.status) << " " << result.certificate.error;
    EXPECT_EQ(result.certificate.take_off, 2);
    // ω about the edge: the moment h·m·g·(sin θ − cos θ)/2 over the inertia 2/3 m of a unit cube about an edge.
    const double expected = kStep * kGravity * (std::sin(angle) - std::cos(angle)) / 2 / (2.0 / 3.0);
    EXPECT_NEAR(std::abs(result.x.v[4]), expected, 1e-8) << solver;
  }
}

}  // namespace
}  // namespace cornet
