// Plane problems of the papers with several solutions or none.
#pragma once

#include "support/fixtures.h"

namespace cornet::test {

/// A rod that leans on the ground at angle θ, its upper end driven sideways with u₀ (Painlevé). g = −1 presses it down, g = +1 lifts it.
inline GlobalProblem painleve_rod(double g, double theta, double u0, double mu) {
  Eigen::MatrixXd M(1, 1), H(1, 2);
  M << 1;
  H << std::sin(theta), std::cos(theta);
  return make_global(2, M, H, {g * std::sin(theta)}, {0, u0}, {mu});
}

/// A bead between two walls whose normals are at angle `a` above the horizontal, pulled out of the corner with a unit impulse. Wedged as well if
/// tan(a) < mu.
inline GlobalProblem bead_in_corner(double a, double mu) {
  Eigen::MatrixXd H(2, 4);
  H << std::cos(a), -std::sin(a), -std::cos(a), std::sin(a), std::sin(a), std::cos(a), std::sin(a), std::cos(a);
  return make_global(2, Eigen::MatrixXd::Identity(2, 2), H, {0, 1}, {0, 0, 0, 0}, {mu, mu});
}

}  // namespace cornet::test
