// The frictionless problem by a method that shares nothing with the solvers.
#pragma once

#include <Eigen/Core>

#include "cornet/problem.h"

namespace cornet::reproduction {

/// min ½ vᵀM v − fᵀv,  H_Nᵀ v ≥ 0, for w_N = 0. Its dual, with M = L Lᵀ, is the nonnegative least-squares problem
/// min ‖L⁻¹H_N x + L⁻¹f‖, x ≥ 0, solved by the active-set method of Lawson and Hanson (1974). v is unique, x need not be.
struct QuadraticProgram {
  Eigen::VectorXd v;  ///< n
  Eigen::VectorXd x;  ///< nc, normal impulses
  Eigen::VectorXd u;  ///< nc, normal velocities
  double kkt = 0;     ///< largest of the violations of x ≥ 0, u ≥ 0, x·u = 0, relative to ‖M⁻¹f‖ and ‖x‖
};

QuadraticProgram frictionless_reference(const GlobalProblem& problem);

}  // namespace cornet::reproduction
