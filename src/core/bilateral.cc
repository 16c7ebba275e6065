// Local problems with bilateral constraints: u = W r + V λ + q, Vᵀ r + R λ + s = 0, hence λ = −R⁻¹(Vᵀ r + s).
#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "cornet/error.h"
#include "cornet/reduce.h"
#include "linalg/sparse.h"

namespace cornet {
namespace {

using Dense = Eigen::MatrixXd;

Eigen::PartialPivLU<Dense> factorise_r(const LocalProblem& problem) {
  const Dense R(to_columns(*problem.R));
  Eigen::PartialPivLU<Dense> lu(R);
  // A probe with a known answer shows singularity whatever the units are.
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(R.cols());
  if (!((lu.solve(R * ones) - ones).lpNorm<Eigen::Infinity>() < 1e-2))
    throw InvalidProblem("R: found a singular matrix, expected a regular one (bilateral constraints of a local problem)");
  return lu;
}

}  // namespace

LocalProblem condense(const LocalProblem& problem) {
  if (!problem.V || problem.V->cols == 0) return problem;
  const auto lu = factorise_r(problem);
  const SparseColumns V = to_columns(*problem.V);
  LocalProblem result = problem;
  const Dense full(to_columns(problem.W)), X = lu.solve(Dense(V.transpose()));
  Dense W = full - V * X;
  // Where the constraints take all freedom nothing is left but rounding, which is not positive semi-definite.
  // Rounding of the solve goes from one entry of X to the others: a product of lengths bounds it, with the constraints in units of their own.
  const double rounding = std::numeric_limits<double>::epsilon() * (8 + 1 / std::max(lu.rcond(), 1e-6));
  const Eigen::VectorXd unit = Dense(to_columns(*problem.R)).cwiseAbs().rowwise().maxCoeff().cwiseSqrt();
  const Eigen::VectorXd of_v = (Dense(V) * unit.cwiseInverse().asDiagonal()).rowwise().norm();
  const Eigen::VectorXd of_x = (unit.asDiagonal() * X).colwise().norm();
  const Dense noise = rounding * (full.cwiseAbs() + of_v * of_x.transpose());
  W = (W.array().abs() > noise.array()).select(W, 0);
  result.W = from_columns(SparseColumns(W.sparseView(0, 0)));
  const Eigen::VectorXd correction = V * lu.solve(Eigen::VectorXd(as_vector(problem.s)));
  result.q = to_std(as_vector(problem.q) - correction);
  result.V.reset();
  result.R.reset();
  result.s.clear();
  return result;
}

std::vector<double> multipliers(const LocalProblem& problem, const std::vector<double>& r) {
  if (!problem.V || problem.V->cols == 0) return {};
  const Eigen::VectorXd rhs = to_columns(*problem.V).transpose() * as_vector(r) + as_vector(problem.s);
  return to_std(-factorise_r(problem).solve(rhs));
}

std::vector<double> velocities(const LocalProblem& problem, const std::vector<double>& r) {
  Eigen::VectorXd u = to_columns(problem.W) * as_vector(r) + as_vector(problem.q);
  if (problem.V) u += to_columns(*problem.V) * as_vector(multipliers(problem, r));
  return to_std(u);
}

}  // namespace cornet
