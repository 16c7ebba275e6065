// Nonnegative least squares by active sets: see active_set.h.
#include "reproduce/active_set.h"

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "cornet/error.h"
#include "reproduce/harness.h"

namespace cornet::reproduction {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// min ‖C x − d‖, x ≥ 0. Unknowns are free (may be positive) or held at zero; the one with the largest gradient becomes free until none
// pulls.
VectorXd nonnegative_least_squares(const MatrixXd& c, const VectorXd& d) {
  VectorXd x = VectorXd::Zero(c.cols());
  std::vector<Index> free;
  const double tolerance = 1e-12 * c.norm() * d.norm();
  for (Index round = 0; round < 10 * c.cols(); ++round) {
    const VectorXd pull = c.transpose() * (d - c * x);
    Index next = -1;
    for (Index k = 0; k < c.cols(); ++k)
      if (std::find(free.begin(), free.end(), k) == free.end() && pull[k] > tolerance && (next < 0 || pull[k] > pull[next])) next = k;
    if (next < 0) break;
    free.push_back(next);
    while (!free.empty()) {
      const VectorXd best = c(Eigen::all, free).completeOrthogonalDecomposition().solve(d);
      // From x towards the best point of the free unknowns, as far as they stay nonnegative.
      double reach = 1;
      for (std::size_t k = 0; k < free.size(); ++k)
        if (const double b = best[static_cast<Index>(k)]; b <= 0) reach = std::min(reach, x[free[k]] / (x[free[k]] - b));
      for (std::size_t k = 0; k < free.size(); ++k) x[free[k]] += reach * (best[static_cast<Index>(k)] - x[free[k]]);
      if (reach == 1) break;
      for (const Index k : free)
        if (x[k] <= 1e-14) x[k] = 0;
      std::erase_if(free, [&](Index k) { return x[k] == 0; });
    }
  }
  return x;
}

}  // namespace

QuadraticProgram frictionless_reference(const GlobalProblem& problem) {
  const int nc = problem.contacts();
  const MatrixXd h = dense(problem.H);
  MatrixXd normal(problem.dofs(), nc);
  for (int k = 0; k < nc; ++k) {
    normal.col(k) = h.col(problem.dim * k);
    if (problem.w[static_cast<std::size_t>(problem.dim * k)] != 0)
      throw InvalidProblem("frictionless reference: found w_N ≠ 0, expected 0");
  }
  const Eigen::LLT<MatrixXd> cholesky(dense(problem.M));
  const VectorXd f = vec(problem.f);
  QuadraticProgram out;
  out.x = nonnegative_least_squares(cholesky.matrixL().solve(normal), -cholesky.matrixL().solve(f));
  out.v = cholesky.solve(normal * out.x + f);
  out.u = normal.transpose() * out.v;
  const double speed = cholesky.solve(f).norm(), force = out.x.norm();  // the free velocity gives the scale
  out.kkt = std::max({-out.x.minCoeff(), -out.u.minCoeff() / speed, out.x.cwiseProduct(out.u).cwiseAbs().maxCoeff() / (speed * force)});
  return out;
}

}  // namespace cornet::reproduction
