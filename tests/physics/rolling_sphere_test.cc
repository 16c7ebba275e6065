// A homogeneous sphere thrown along the floor without spin: it slides, friction spins it up, and from time 2v₀/(7 μ g) on it rolls with
// 5/7 v₀.
// The angular momentum about the contact line is conserved by the discrete system too, so 5/7 holds to the tolerance, the time to O(h).
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace cornet {
namespace {

TEST(RollingSphere, RollsAtFiveSevenths) {
  const double g = 9.81, mass = 2, radius = 0.1, mu = 0.2, v0 = 2, direction = 0.6;
  // Frame (z, x, y) at the lowest point; the lever arm (0, 0, −R) gives (0, −R, 0) and (R, 0, 0) for the tangents.
  Eigen::MatrixXd h_matrix = Eigen::MatrixXd::Zero(6, 3), mass_matrix = Eigen::MatrixXd::Identity(6, 6) * mass;
  h_matrix(2, 0) = h_matrix(0, 1) = h_matrix(1, 2) = 1;
  h_matrix(4, 1) = -radius;
  h_matrix(3, 2) = radius;
  mass_matrix.bottomRightCorner(3, 3) *= 0.4 * radius * radius;
  const double rolling_time = 2 * v0 / (7 * mu * g);
  for (const std::string& solver : test::three_solvers())
    for (const double h : {0.01, 0.004}) {
      Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
      v[0] = v0 * std::cos(direction);
      v[1] = v0 * std::sin(direction);
      double last_slide = 0;
      Iterate guess;
      for (int step = 1; step * h < 2 * rolling_time; ++step) {
        Eigen::VectorXd f = mass_matrix * v;
        f[2] -= h * mass * g;
        const Result result =
            test::solve_with(test::make_global(3, mass_matrix, h_matrix, test::list(f), {0, 0, 0}, {mu}), solver, 1e-11, guess);
        ASSERT_TRUE(result.solved()) << solver << " step " << step << " " << to_string(result.status);
        guess.r = result.x.r;
        v = test::vec(result.x.v);
        const double slip = std::hypot(result.x.u[1], result.x.u[2]);
        if (slip > 1e-7) {
          last_slide = step * h;
          // Coulomb's limit is reached and opposes the motion.
          EXPECT_NEAR(std::hypot(result.x.r[1], result.x.r[2]), mu * result.x.r[0], 1e-9);
          EXPECT_LT(result.x.r[1] * result.x.u[1] + result.x.r[2] * result.x.u[2], 0);
        }
      }
      EXPECT_NEAR(last_slide, rolling_time, h) << solver << " h " << h;
      EXPECT_NEAR(std::hypot(v[0], v[1]), 5.0 / 7.0 * v0, 1e-7) << solver << " h " << h;
      EXPECT_NEAR(std::atan2(v[1], v[0]), direction, 1e-7) << solver;  // no swerve
      // Rolling: the lowest point is at rest.
      EXPECT_NEAR(v[0] - radius * v[4], 0, 1e-7);
      EXPECT_NEAR(v[1] + radius * v[3], 0, 1e-7);
    }
}

}  // namespace
}  // namespace cornet
