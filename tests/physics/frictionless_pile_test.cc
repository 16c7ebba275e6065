// Without friction the problem is a quadratic program: min ½ vᵀM v − fᵀv, H_Nᵀ v + w_N ≥ 0. Its dual is a least-squares problem with
// nonnegative unknowns, solved here by Lawson and Hanson's active-set method, which shares nothing with the library. v is unique.
#include <gtest/gtest.h>

#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// min ‖C x − d‖, x ≥ 0 (C. Lawson, R. Hanson, Solving Least Squares Problems, 1974, ch. 23).
VectorXd nonnegative_least_squares(const MatrixXd& c, const VectorXd& d) {
  const auto n = c.cols();
  VectorXd x = VectorXd::Zero(n);
  std::vector<bool> passive(static_cast<std::size_t>(n), false);
  const double tolerance = 1e-12 * c.norm() * d.norm();
  for (int outer = 0; outer < 10 * n; ++outer) {
    const VectorXd gradient = c.transpose() * (d - c * x);
    Eigen::Index best = -1;
    for (Eigen::Index k = 0; k < n; ++k)
      if (!passive[static_cast<std::size_t>(k)] && gradient[k] > tolerance && (best < 0 || gradient[k] > gradient[best])) best = k;
    if (best < 0) break;
    passive[static_cast<std::size_t>(best)] = true;
    while (true) {
      std::vector<Eigen::Index> columns;
      for (Eigen::Index k = 0; k < n; ++k)
        if (passive[static_cast<std::size_t>(k)]) columns.push_back(k);
      MatrixXd part(c.rows(), static_cast<Eigen::Index>(columns.size()));
      for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = c.col(columns[k]);
      const VectorXd s = part.completeOrthogonalDecomposition().solve(d);
      // Walk from x to s until a passive variable meets zero.
      double alpha = 1;
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (s[static_cast<Eigen::Index>(k)] <= 0)
          alpha = std::min(alpha, x[columns[k]] / (x[columns[k]] - s[static_cast<Eigen::Index>(k)]));
      for (std::size_t k = 0; k < columns.size(); ++k) x[columns[k]] += alpha * (s[static_cast<Eigen::Index>(k)] - x[columns[k]]);
      if (alpha == 1) break;
      for (const Eigen::Index k : columns)
        if (x[k] <= 1e-14) {
          x[k] = 0;
          passive[static_cast<std::size_t>(k)] = false;
        }
    }
  }
  return x;
}

// The minimiser v of the quadratic program.
VectorXd reference_velocity(const GlobalProblem& p) {
  const int nc = p.contacts();
  const MatrixXd m = test::dense(p.M), h = test::dense(p.H);
  MatrixXd normal(p.dofs(), nc);
  VectorXd gap(nc);
  for (int k = 0; k < nc; ++k) {
    normal.col(k) = h.col(p.dim * k);
    gap[k] = p.w[static_cast<std::size_t>(p.dim * k)];
  }
  EXPECT_EQ(gap.norm(), 0);  // so that the dual is a pure least-squares problem
  const Eigen::LLT<MatrixXd> cholesky(m);
  const MatrixXd c = cholesky.matrixL().solve(normal);
  const VectorXd d = -cholesky.matrixL().solve(test::vec(p.f));
  const VectorXd x = nonnegative_least_squares(c, d);
  VectorXd v = cholesky.solve(normal * x + test::vec(p.f));
  const VectorXd u = normal.transpose() * v;
  // The reference proves itself: x ≥ 0, u ≥ 0, x·u = 0.
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_GE(u.minCoeff(), -1e-9 * v.norm());
  EXPECT_LT(x.cwiseProduct(u).cwiseAbs().maxCoeff(), 1e-9 * v.norm() * x.norm());
  return v;
}

TEST(FrictionlessPile, AgreesWithAnIndependentQuadraticProgram) {
  for (const GlobalProblem& p : {samples::sphere_lattice(3, 3, 3, 0, 2), samples::sphere_lattice(4, 2, 3, 0, 9),
                                 samples::disk_packing(6, 5, 0, 3), samples::box_stack(5, 0), samples::brick_wall(3, 2, 0)}) {
    const VectorXd expected = reference_velocity(p);
    for (const std::string& solver : test::three_solvers()) {
      const Result result = test::solve_with(p, solver, 1e-9);
      ASSERT_TRUE(result.solved()) << p.name << " " << solver << " " << to_string(result.status) << " " << result.certificate.error;
      EXPECT_LT((test::vec(result.x.v) - expected).norm(), 1e-6 * expected.norm()) << p.name << " " << solver;
      // No friction, no tangential reaction: exactly.
      for (int k = 0; k < p.contacts(); ++k)
        for (int c = 1; c < p.dim; ++c) EXPECT_NEAR(result.x.r[static_cast<std::size_t>(p.dim * k + c)], 0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace cornet
