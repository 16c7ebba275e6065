// A ball dropped on the floor with Newton's restitution e in w: successive rebound heights have the ratio e² to O(h).
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace cornet {
namespace {

// Heights of the first `count` rebounds. Sphere in space, rotation left out (the impact is central): dofs (x, y, z), frame (z, x, y).
std::vector<double> rebounds(const std::string& solver, double e, double h, int count) {
  const double g = 9.81, mass = 0.7, mu = 0.5;
  Eigen::Matrix3d frame;
  frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  double z = 1, velocity = 0, top = 0;
  std::vector<double> heights;
  bool bounced = false;
  for (int step = 0; step < 1000000 && static_cast<int>(heights.size()) < count; ++step) {
    const double before = velocity;
    velocity -= h * g;
    // The contact takes part in steps that would end below the floor.
    if (z + h * velocity <= 0) {
      const GlobalProblem p =
          test::make_global(3, mass * Eigen::Matrix3d::Identity(), frame, {0, 0, mass * velocity}, {e * std::min(0.0, before), 0, 0}, {mu});
      const Result result = test::solve_with(p, solver, 1e-12);
      EXPECT_TRUE(result.solved()) << solver;
      if (!result.solved()) return heights;
      EXPECT_NEAR(result.x.v[2], -e * before, 1e-9 * (h + std::abs(before)));
      velocity = result.x.v[2];
      if (bounced) heights.push_back(top);
      bounced = true;
      top = 0;
    }
    z += h * velocity;
    top = std::max(top, z);
  }
  return heights;
}

TEST(BouncingBall, HeightsShrinkByTheSquareOfTheRestitution) {
  const double e = 0.8;
  for (const std::string& solver : test::three_solvers())
    for (const double h : {1e-3, 2.5e-4}) {
      const std::vector<double> heights = rebounds(solver, e, h, 4);
      ASSERT_EQ(heights.size(), 4u);
      EXPECT_NEAR(heights[0], e * e, 10 * h) << solver << " h " << h;  // dropped from 1 m
      for (std::size_t k = 1; k < heights.size(); ++k) EXPECT_NEAR(heights[k] / heights[k - 1], e * e, 20 * h) << solver << " h " << h;
    }
}

TEST(BouncingBall, PlasticImpactStaysDown) {
  for (const std::string& solver : test::three_solvers()) {
    const std::vector<double> heights = rebounds(solver, 0, 1e-3, 2);
    ASSERT_EQ(heights.size(), 2u);
    for (const double height : heights) EXPECT_LT(height, 0.01);
  }
}

}  // namespace
}  // namespace cornet
