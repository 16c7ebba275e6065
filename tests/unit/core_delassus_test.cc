// The matrix-free product u = Hᵀ A (H r + f) + w equals W r + q of the reduction, and so do its diagonal blocks: rigid bodies with full,
// diagonal and unsymmetric mass, flexible bodies, joints, both dimensions.
#include "core/delassus.h"

#include <gtest/gtest.h>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A body of `size` degrees of freedom like a chain of springs: tridiagonal, with a skew part on request.
MatrixXd chain(int size, double skew) {
  MatrixXd m = MatrixXd::Zero(size, size);
  for (int k = 0; k < size; ++k) {
    m(k, k) = 4 + 0.01 * k;
    if (k > 0) {
      m(k, k - 1) = -1 + skew;
      m(k - 1, k) = -1 - skew;
    }
  }
  return m;
}

GlobalProblem blocks(int dim, const std::vector<MatrixXd>& masses, int contacts, double density, std::uint64_t seed) {
  test::Random random(seed);
  int n = 0;
  for (const auto& m : masses) n += static_cast<int>(m.rows());
  MatrixXd mass = MatrixXd::Zero(n, n);
  int at = 0;
  for (const auto& m : masses) {
    mass.block(at, at, m.rows(), m.cols()) = m;
    at += static_cast<int>(m.rows());
  }
  const int m = dim * contacts;
  return test::make_global(dim, mass, test::random_matrix(n, m, random, density), test::random_list(n, random),
                           test::random_list(m, random), std::vector<double>(static_cast<std::size_t>(contacts), 0.5));
}

// Sums in extended precision are those of double precision to rounding; sizes bound |W| |r| + |q| and belong to products of the same numbers.
template <int D>
void check_sums(const GlobalOperator<D>& op, const ExplicitOperator<D>& stored, const MatrixXd& W, const VectorXd& q) {
  test::Random random(6);
  const std::vector<double> r = test::random_list(static_cast<int>(op.size()), random, -1, 1);
  std::vector<long double> exact, exact_stored;
  std::vector<double> sizes, sizes_stored;
  op.exact_velocities(r.data(), exact);
  stored.exact_velocities(r.data(), exact_stored);
  op.sizes(r.data(), sizes);
  stored.sizes(r.data(), sizes_stored);
  const VectorXd u = W * test::vec(r) + q, bound = W.cwiseAbs() * test::vec(r).cwiseAbs() + q.cwiseAbs();
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_NEAR(static_cast<double>(exact[i]), u[k], 1e-13 * (bound.norm() + 1));
    EXPECT_NEAR(static_cast<double>(exact_stored[i]), u[k], 1e-14 * (bound.norm() + 1));
    EXPECT_NEAR(sizes_stored[i], bound[k], 1e-13 * bound.norm());
    EXPECT_GE(sizes[i], bound[k] * (1 - 1e-12) - 1e-13 * bound.norm());
  }
  EXPECT_LE(test::vec(sizes).norm(), 100 * bound.norm());
}

void check(const GlobalProblem& problem) {
  const LocalProblem local = reduce(problem).local();
  const MatrixXd W = test::dense(local.W);
  const VectorXd q = test::vec(local.q);
  with_dimension(problem.dim, [&]<int D>() {
    const GlobalOperator<D> op(problem);
    const LocalSystem<D> system(local);
    const ExplicitOperator<D> stored(system);
    ASSERT_EQ(op.contacts(), local.contacts());
    EXPECT_NEAR(op.norm_q(), stored.norm_q(), 1e-13 * stored.norm_q()) << problem.name;
    test::Random random(5);
    for (int trial = 0; trial < 3; ++trial) {
      const std::vector<double> r = test::random_list(static_cast<int>(op.size()), random, -1, 1);
      std::vector<double> u(r.size(), 1e300), v(r.size(), 1e300);
      op.velocities(r.data(), u.data());
      stored.velocities(r.data(), v.data());
      const double scale = W.norm() * test::vec(r).norm() + q.norm();
      EXPECT_LT((test::vec(u) - W * test::vec(r) - q).norm(), 1e-13 * scale) << problem.name;
      EXPECT_LT((test::vec(v) - W * test::vec(r) - q).norm(), 1e-14 * scale) << problem.name;
    }
    if (op.rigid()) check_sums(op, stored, W, q);
    for (int a = 0; a < op.contacts(); ++a) {
      EXPECT_LT((op.diagonal(a) - W.block(a * D, a * D, D, D)).norm(), 1e-13 * W.norm()) << problem.name;
      EXPECT_EQ(stored.diagonal(a), (W.block<D, D>(a * D, a * D))) << problem.name;
    }
    EXPECT_GE(op.norm_bound(), (1 - 1e-12) * W.jacobiSvd().singularValues()[0]) << problem.name;
  });
}

TEST(Delassus, RigidBodies) {
  for (const GlobalProblem& p : {samples::box_stack(4, 0.5), samples::sphere_lattice(3, 2, 2, 0.4, 5), samples::disk_packing(4, 3, 0.2, 6),
                                 samples::brick_wall(2, 2, 0.6), samples::ball_row(4, 0.3), samples::block_on_incline(2, 0.3, 0.5)})
    check(p);
}

TEST(Delassus, UnsymmetricMass) { check(samples::spinning_disks(3, 0.4)); }

TEST(Delassus, Joints) { check(samples::jointed_cubes(0.3)); }

TEST(Delassus, FlexibleBodies) {
  for (const int dim : {2, 3})
    for (const double skew : {0.0, 0.3})
      for (const int contacts : {2, 60}) {
        check(blocks(dim, {chain(20, skew), chain(4, skew), chain(1, 0)}, contacts, 0.2, 3));  // dense factors
        check(blocks(dim, {chain(200, skew), chain(6, skew)}, contacts, 0.05, 4));             // sparse factors
      }
}

// One degree of freedom per component: neighbours form bodies.
TEST(Delassus, DiagonalMass) {
  for (const int dim : {2, 3}) {
    const MatrixXd mass = MatrixXd::Identity(12, 12);
    test::Random random(8);
    check(test::make_global(dim, mass, test::random_matrix(12, 5 * dim, random, 0.5), test::random_list(12, random),
                            test::random_list(5 * dim, random), std::vector<double>(5, 0.3)));
    const GlobalOperator<3> op(test::make_global(3, mass, MatrixXd::Ones(12, 3), std::vector<double>(12, 0.0), {0, 0, 0}, {0.3}));
    EXPECT_EQ(op.bodies(), 2);
  }
}

// An inertia that couples the first and the third axis leaves a component with a gap, in which the second one stands: one body all the same. A row of
// such bodies stays a row of bodies, and a joint keeps what it joins apart.
TEST(Delassus, InertiaWithAGap) {
  MatrixXd body = MatrixXd::Identity(6, 6);
  body(3, 5) = body(5, 3) = 0.4;
  MatrixXd mass = MatrixXd::Zero(18, 18);
  for (int k = 0; k < 3; ++k) mass.block<6, 6>(6 * k, 6 * k) = body;
  test::Random random(9);
  GlobalProblem problem = test::make_global(3, mass, test::random_matrix(18, 21, random, 0.6), test::random_list(18, random),
                                            test::random_list(21, random), std::vector<double>(7, 0.3));
  check(problem);
  EXPECT_EQ(GlobalOperator<3>(problem).bodies(), 3);
  EXPECT_TRUE(GlobalOperator<3>(problem).rigid());
  MatrixXd joint = MatrixXd::Zero(18, 1);
  joint(7, 0) = 1, joint(16, 0) = -1;
  problem.G = test::sparse(joint);
  problem.b = {0.1};
  check(problem);
  EXPECT_FALSE(GlobalOperator<3>(problem).rigid());
}

TEST(Delassus, ContactsThatTouchNothing) {
  MatrixXd h = MatrixXd::Zero(2, 4);
  h.leftCols(2).setIdentity();
  check(test::make_global(2, MatrixXd::Identity(2, 2), h, {-1, 0.1}, {0, 0, 0.5, 0}, {0.5, 0.5}));
}

TEST(Delassus, ReductionIsSymmetricToTheLastBit) {
  for (const GlobalProblem& p : {samples::brick_wall(2, 3, 0.6), samples::sphere_lattice(3, 3, 2, 0.4, 5),
                                 samples::disk_packing(5, 3, 0.2, 6), blocks(3, {chain(20, 0), chain(200, 0)}, 8, 0.1, 3)}) {
    const MatrixXd W = test::dense(reduce(p).local().W);
    EXPECT_EQ(W, MatrixXd(W.transpose())) << p.name;
  }
}

}  // namespace
}  // namespace cornet
