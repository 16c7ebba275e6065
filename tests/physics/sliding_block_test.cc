// A block thrown along a horizontal plane: it stops after time v₀/(μ g) and distance v₀²/(2 μ g), to O(h), and stays there.
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace cornet {
namespace {

struct Stop {
  double time = 0;
  double distance = 0;
};

// Point mass in the plane, dofs (x, y); contact frame (y, x).
Stop simulate(const std::string& solver, double v0, double mu, double h) {
  const double g = 9.81, mass = 3;
  Eigen::Matrix2d mass_matrix = mass * Eigen::Matrix2d::Identity(), frame;
  frame << 0, 1, 1, 0;
  Eigen::Vector2d v(v0, 0);
  Stop stop;
  Iterate guess;
  int still = 0;
  for (int step = 1; still < 5; ++step) {
    const Eigen::Vector2d f = mass * (v + h * Eigen::Vector2d(0, -g));
    const GlobalProblem p = test::make_global(2, mass_matrix, frame, {f[0], f[1]}, {0, 0}, {mu});
    const Result result = test::solve_with(p, solver, 1e-12, guess);
    EXPECT_TRUE(result.solved()) << solver << " step " << step;
    if (!result.solved() || step > 100000) return stop;
    guess.r = result.x.r;
    v = test::vec(result.x.v);
    EXPECT_NEAR(v[1], 0, 1e-10);
    stop.distance += h * v[0];
    if (std::abs(v[0]) > 1e-9) stop.time = step * h;
    else ++still;
  }
  return stop;
}

TEST(SlidingBlock, StopsWhereAndWhenItShould) {
  const double v0 = 2, mu = 0.3, g = 9.81;
  const double time = v0 / (mu * g), distance = v0 * v0 / (2 * mu * g);
  for (const std::string& solver : test::three_solvers()) {
    double previous = 0;
    for (const double h : {0.01, 0.005}) {
      const Stop stop = simulate(solver, v0, mu, h);
      EXPECT_LE(std::abs(stop.time - time), h) << solver << " h " << h;
      // The implicit scheme uses the velocity at the end of each step: short by v₀h/2, and by h² for the last step.
      EXPECT_NEAR(stop.distance, distance - v0 * h / 2, mu * g * h * h) << solver << " h " << h;
      const double error = std::abs(stop.distance - distance);
      if (previous > 0) {
        EXPECT_NEAR(error / previous, 0.5, 0.05) << "not first order";
      }
      previous = error;
    }
  }
}

}  // namespace
}  // namespace cornet
