// The projected gradient (convex/projected_gradient.h) against closed forms: one contact on an orthant, a disk, a cylinder and a cone.
#include "convex/projected_gradient.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace cornet {
namespace {

template <int D>
LocalSystem<D> one_contact(const Mat<D>& W, const Vec<D>& q, double mu = 1) {
  LocalProblem problem;
  problem.dim = D;
  problem.W = test::sparse(W);
  problem.q = test::list(q);
  problem.mu = {mu};
  return LocalSystem<D>(problem);
}

template <int D, class Law>
Vec<D> minimise(const LocalSystem<D>& system, const Law& law, ProjectedGradientOptions options = {}, Vec<D> start = Vec<D>::Zero()) {
  ProjectedGradient<D, Law> method(options);
  method.prepare(system);
  std::vector<double> r = test::list(start);
  Monitor monitor({1e-13, 10, 100000});
  EXPECT_EQ(method.run(system, law, r, monitor), Termination::converged);
  EXPECT_LE(monitor.best_error(), 1e-13);
  return test::vec(r);
}

TEST(ProjectedGradient, NormalProblemKeepsTheGivenFriction) {
  Mat<3> W;
  W << 2, 0.5, 0, 0.5, 3, 0, 0, 0, 1;
  const auto system = one_contact<3>(W, Vec<3>(-4, 7, 7));
  const std::vector<double> given = {9, 2, -1};
  // 2 r_N + 0.5·2 − 4 = 0.
  EXPECT_LT((minimise(system, NormalLaw<3>{given.data()}, {}, Vec<3>(0, 2, -1)) - Vec<3>(1.5, 2, -1)).norm(), 1e-12);
  const std::vector<double> pushing = {9, 10, -1};
  // The friction alone opens the contact.
  EXPECT_LT((minimise(system, NormalLaw<3>{pushing.data()}) - Vec<3>(0, 10, -1)).norm(), 1e-12);
}

TEST(ProjectedGradient, TangentProblemInsideAndOnTheDisk) {
  const auto system = one_contact<3>(Mat<3>(Vec<3>(1, 2, 2).asDiagonal()), Vec<3>(-1, -6, 8));
  const std::vector<double> given = {4, 0, 0}, wide = {6}, narrow = {2.5}, none = {0}, rough = {test::kInfinity};
  // Free minimum r_T = (3, −4) of length 5; on a smaller disk the same direction since W_TT is a multiple of the identity.
  EXPECT_LT((minimise(system, TangentLaw<3>{given.data(), wide.data()}) - Vec<3>(4, 3, -4)).norm(), 1e-12);
  EXPECT_LT((minimise(system, TangentLaw<3>{given.data(), narrow.data()}) - Vec<3>(4, 1.5, -2)).norm(), 1e-12);
  EXPECT_LT((minimise(system, TangentLaw<3>{given.data(), none.data()}) - Vec<3>(4, 0, 0)).norm(), 1e-12);
  EXPECT_LT((minimise(system, TangentLaw<3>{given.data(), rough.data()}) - Vec<3>(4, 3, -4)).norm(), 1e-12);
}

TEST(ProjectedGradient, CylinderInThePlane) {
  Mat<2> W;
  W << 2, 1, 1, 2;
  const auto system = one_contact<2>(W, Vec<2>(-4, -5));
  const std::vector<double> wide = {3}, narrow = {1};
  // Free minimum (1, 2); with |r_T| ≤ 1: 2 r_N + 1 − 4 = 0.
  EXPECT_LT((minimise(system, CylinderLaw<2>{wide.data()}) - Vec<2>(1, 2)).norm(), 1e-12);
  EXPECT_LT((minimise(system, CylinderLaw<2>{narrow.data()}) - Vec<2>(1.5, 1)).norm(), 1e-12);
}

TEST(ProjectedGradient, ConeIsTheProjectionWhenWIsTheIdentity) {
  const std::vector<double> s = {0.5};
  for (double mu : {0.0, 0.3, 1.0, 4.0, test::kInfinity})
    for (const Vec<3>& q : {Vec<3>(-2, 3, 1), Vec<3>(1, 3, 1), Vec<3>(9, 1, 1), Vec<3>(-9, 0.1, 0)}) {
      const auto system = one_contact<3>(Mat<3>::Identity(), q, mu);
      const Vec<3> expected = CoulombCone<3>{mu}.project(-(q + Vec<3>(0.5, 0, 0)));
      EXPECT_LT((minimise(system, ConeLaw<3>{system.mu.data(), s.data()}) - expected).norm(), 1e-12) << mu << " " << q.transpose();
    }
}

TEST(ProjectedGradient, AllStepRulesAgree) {
  Mat<3> W;
  W << 4, 1, 0.5, 1, 3, -0.5, 0.5, -0.5, 2;
  const auto system = one_contact<3>(W, Vec<3>(-3, 2, 1), 0.4);
  const std::vector<double> s = {0};
  const Vec<3> reference = minimise(system, ConeLaw<3>{system.mu.data(), s.data()});
  for (FirstStep first : {FirstStep::grown, FirstStep::spectral})
    for (long memory : {1L, 10L, 64L}) {
      ProjectedGradientOptions options;
      options.first_step = first;
      options.memory = memory;
      EXPECT_LT((minimise(system, ConeLaw<3>{system.mu.data(), s.data()}, options) - reference).norm(), 1e-11);
    }
}

TEST(ProjectedGradient, UnboundedProgramEndsWithoutConvergence) {
  // W = 0 and a descent direction inside the cone: θ has no minimum.
  const auto system = one_contact<3>(Mat<3>::Zero(), Vec<3>(-1, 0, 0));
  const std::vector<double> s = {0};
  ProjectedGradient<3, ConeLaw<3>> method({});
  method.prepare(system);
  std::vector<double> r(3, 0.0);
  Monitor monitor({1e-8, 1, 500});
  EXPECT_NE(method.run(system, ConeLaw<3>{system.mu.data(), s.data()}, r, monitor), Termination::converged);
}

TEST(RelativeAsymmetry, CountsBothTrianglesAndMissingBlocks) {
  EXPECT_EQ(relative_asymmetry(one_contact<3>(Mat<3>::Identity(), Vec<3>::Ones()).W), 0);
  EXPECT_EQ(relative_asymmetry(one_contact<3>(Mat<3>::Zero(), Vec<3>::Ones()).W), 0);
  LocalProblem problem;
  problem.dim = 2;
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(4, 4);
  W(0, 3) = 2;  // its block is stored, the transposed one is not
  problem.W = test::sparse(W);
  problem.q = {1, 1, 1, 1};
  problem.mu = {1, 1};
  EXPECT_DOUBLE_EQ(relative_asymmetry(LocalSystem<2>(problem).W), (W - W.transpose()).norm() / W.norm());
  W(3, 0) = 1.5;
  problem.W = test::sparse(W);
  EXPECT_DOUBLE_EQ(relative_asymmetry(LocalSystem<2>(problem).W), (W - W.transpose()).norm() / W.norm());
}

}  // namespace
}  // namespace cornet
