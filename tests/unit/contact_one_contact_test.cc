// One contact: problems solved by hand, for the exact solver, nonsmooth Newton and projections.
#include "contact/one_contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

namespace {
int allocations = 0;
}  // namespace

// Counted so that a test can say that the kernels do not allocate.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cornet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// All three solvers reach `expected` from `start`.
template <int D>
void expect_solution(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& expected, const Vec<D>& start = Vec<D>::Zero()) {
  EXPECT_LT(local_error<D>(W, q, mu, expected), 1e-15);
  Vec<D> r = start;
  LocalOutcome out = solve_exact<D>(W, q, mu, r);
  EXPECT_TRUE(out.converged);
  EXPECT_LT(out.error, 1e-14);
  EXPECT_LT((r - expected).norm(), 1e-14 * (1 + expected.norm())) << "exact gives " << r.transpose();
  for (const bool line_search : {false, true}) {
    r = start;
    out = newton_ac<D>(W, q, mu, rho_split<D>(W), 1e-13, 50, line_search, r);
    EXPECT_TRUE(out.converged);
    EXPECT_LE(out.error, 1e-13);
    EXPECT_LT((r - expected).norm(), 1e-12 * (1 + expected.norm())) << "newton_ac gives " << r.transpose();
  }
  r = start;
  double rho = 0;
  out = vi_fixed_point<D>(W, q, mu, rho, 1e-10, 5000, r);
  EXPECT_TRUE(out.converged);
  EXPECT_GT(rho, 0);
  EXPECT_LT((r - expected).norm(), 1e-8 * (1 + expected.norm())) << "vi_fixed_point gives " << r.transpose();
}

Mat<2> coupled() {
  Mat<2> W;
  W << 2, 1, 1, 2;
  return W;
}

TEST(OneContact, RegionTakeOff) {
  expect_solution<3>(Mat<3>::Identity(), {1, 3, 4}, 0.5, {0, 0, 0}, {1, 0.1, 0});
  expect_solution<2>(coupled(), {0, 4}, 0.5, {0, 0}, {1, 0.1});
}

TEST(OneContact, RegionStick) {
  expect_solution<3>(Mat<3>::Identity(), {-1, 0.1, 0.2}, 0.5, {1, -0.1, -0.2});
  expect_solution<2>(coupled(), {-3, 0}, 0.75, {2, -1});
}

TEST(OneContact, RegionBoundaryBetweenStickAndSlide) {
  expect_solution<3>(Mat<3>::Identity(), {-1, 0.3, 0.4}, 0.5, {1, -0.3, -0.4});
  expect_solution<2>(coupled(), {-3, 0}, 0.5, {2, -1});
}

TEST(OneContact, RegionSlide) {
  expect_solution<3>(Mat<3>::Identity(), {-1, 3, 4}, 0.5, {1, -0.3, -0.4});
  // r_N = 3/(2 − 1/4), r_T = −r_N/4, u_T = 6/7.
  expect_solution<2>(coupled(), {-3, 0}, 0.25, {12.0 / 7, -3.0 / 7});
}

TEST(OneContact, RegionSlideWithAnisotropicMobility) {
  // Built from r = (2, 0.6, 0.8), u_T = −2 r_T, μ = 1/2.
  Mat<3> W;
  W << 3, 0.5, -0.25, 0.5, 2, 0.5, -0.25, 0.5, 4;
  const Vec<3> r(2, 0.6, 0.8), u(0, -1.2, -1.6);
  expect_solution<3>(W, u - W * r, 0.5, r);
}

TEST(OneContact, RegionApex) {
  expect_solution<3>(Mat<3>::Identity(), {0, 0, 0}, 0.5, {0, 0, 0});
  expect_solution<3>(Mat<3>::Identity(), {0, 3, 4}, 0.5, {0, 0, 0});
}

TEST(OneContact, FrictionlessIgnoresTheTangent) {
  expect_solution<2>(coupled(), {-3, 5}, 0, {1.5, 0}, {1, 1});
  expect_solution<3>(2 * Mat<3>::Identity(), {-3, 5, 6}, 0, {1.5, 0, 0});
  expect_solution<3>(2 * Mat<3>::Identity(), {3, 5, 6}, 0, {0, 0, 0});
}

TEST(OneContact, InfiniteFrictionHoldsTheTangentAlways) {
  expect_solution<2>(coupled(), {-3, 0}, kInf, {2, -1});
  // Open, but u_T = 0 still: r_T = −1, u_N = 3 − 1.
  expect_solution<2>(coupled(), {3, 2}, kInf, {0, -1});
  expect_solution<3>(2 * Mat<3>::Identity(), {1, 4, -6}, kInf, {0, -2, 3});
}

TEST(OneContact, SeveralSolutionsTheNearestWins) {
  // W = [1 −2; −2 5], μ = 1, q = (1, −4): take-off 0, slide (1, 1) with u_T = −1, stick (3, 2).
  Mat<2> W;
  W << 1, -2, -2, 5;
  const Vec<2> q(1, -4), solutions[] = {{0, 0}, {1, 1}, {3, 2}}, starts[] = {{0.1, -0.2}, {1.2, 0.9}, {4, 2}};
  Mat<3> W3 = 3 * Mat<3>::Identity();
  W3.topLeftCorner<2, 2>() = W;
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT((local_error<2>(W, q, 1, solutions[i])), 1e-15);
    Vec<2> r = starts[i];
    EXPECT_TRUE((solve_exact<2>(W, q, 1, r).converged));
    EXPECT_LT((r - solutions[i]).norm(), 1e-13) << r.transpose();
    Vec<3> r3(starts[i][0], starts[i][1], 0.1);
    EXPECT_TRUE((solve_exact<3>(W3, {q[0], q[1], 0}, 1, r3).converged));
    EXPECT_LT((r3 - Vec<3>(solutions[i][0], solutions[i][1], 0)).norm(), 1e-13) << r3.transpose();
  }
}

TEST(OneContact, NoNormalMobilityButSkewCoupling) {
  Mat<2> W;
  W << 0, 1, -1, 1;
  Vec<2> r(0, 0);
  EXPECT_TRUE((solve_exact<2>(W, {-1, 0}, 2, r).converged));
  EXPECT_LT((r - Vec<2>(1, 1)).norm(), 1e-14);
  Mat<3> W3 = Mat<3>::Identity();
  W3.topLeftCorner<2, 2>() = W;
  Vec<3> r3(0, 0, 0);
  EXPECT_TRUE((solve_exact<3>(W3, {-1, 0, 0}, 2, r3).converged));
  EXPECT_LT((r3 - Vec<3>(1, 1, 0)).norm(), 1e-12);
}

TEST(OneContact, RankOneMobility) {
  // u = h (h·r) + q with h = (1, 1, 0): r_N + r_T = 1 on the axis.
  Mat<3> W;
  W << 1, 1, 0, 1, 1, 0, 0, 0, 0;
  Vec<3> r(0, 0, 0);
  const LocalOutcome out = solve_exact<3>(W, {-1, -1, 0}, 0.5, r);
  EXPECT_TRUE(out.converged);
  EXPECT_LT((local_error<3>(W, {-1, -1, 0}, 0.5, r)), 1e-14);
}

TEST(OneContact, ImpossibleProblemIsReported) {
  Vec<3> r(1, 0, 0);
  const LocalOutcome out = solve_exact<3>(Mat<3>::Zero(), {-1, 0, 0}, 0.5, r);
  EXPECT_FALSE(out.converged);
  EXPECT_TRUE(r.allFinite());
  EXPECT_GE(out.error, 1);
  Vec<2> open(1, 0);
  EXPECT_FALSE((solve_exact<2>(Mat<2>::Zero(), {-1, 0}, 0, open).converged));
}

TEST(OneContact, ErrorIsTheVelocityThatShouldVanish) {
  // Stick region: ‖u‖/‖q‖ with u = (1, 0, 0), q = (−2, 0, 0), whatever the scale of W.
  EXPECT_DOUBLE_EQ((local_error<3>(Mat<3>::Identity(), {-2, 0, 0}, 0.5, {3, 0, 0})), 0.5);
  EXPECT_DOUBLE_EQ((local_error<3>(1e-9 * Mat<3>::Identity(), {-2, 0, 0}, 0.5, {3e9, 0, 0})), 0.5);
  EXPECT_DOUBLE_EQ((local_error<3>(Mat<3>::Identity(), {-2, 0, 0}, 0.5, {0, 0, 0})), 1);
}

TEST(OneContact, OneProjection) {
  // u = (−1, 3, 4) at r = 0; r − û = −(−1 + 2.5, 3, 4)·0.5 = (−0.75, −1.5, −2), projected on 0.4·(1, −0.3, −0.4).
  const Vec<3> r = one_projection<3>(Mat<3>::Identity(), {-1, 3, 4}, 0.5, 0.5, Vec<3>::Zero());
  EXPECT_LT((r - Vec<3>(0.4, -0.12, -0.16)).norm(), 1e-15);
}

TEST(OneContact, NewtonReturnsTheBestPointWhenItMayNotIterate) {
  Vec<3> r(1, 0, 0);
  const LocalOutcome out = newton_ac<3>(Mat<3>::Identity(), {-1, 3, 4}, 0.5, {1, 1}, 1e-12, 0, false, r);
  EXPECT_FALSE(out.converged);
  EXPECT_EQ(out.iterations, 0);
  EXPECT_EQ(r, Vec<3>(1, 0, 0));
}

TEST(OneContact, NothingAllocates) {
  Mat<3> strong;
  strong << 1, -2, 0, -2, 5, 0, 0, 0, 3;
  const int before = allocations;
  double sum = 0;
  for (const double mu : {0.0, 0.5, 1.0, kInf}) {
    for (const Mat<3>& W : {Mat<3>(Mat<3>::Identity()), strong, Mat<3>(Mat<3>::Zero())}) {
      for (const Vec<3>& q : {Vec<3>(1, -4, 0), Vec<3>(-1, 3, 4)}) {
        Vec<3> r(1, 0, 0);
        double rho = 1;
        sum += solve_exact<3>(W, q, mu, r).error + newton_ac<3>(W, q, mu, rho_split<3>(W), 1e-12, 20, true, r).error;
        sum += vi_fixed_point<3>(W, q, mu, rho, 1e-12, 20, r).error + one_projection<3>(W, q, mu, 1.0, r)[0] + local_error<3>(W, q, mu, r);
      }
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GE(sum, 0);
}

TEST(OneContact, StepLengthCarriesOver) {
  const Mat<3> W = 100 * Mat<3>::Identity();
  double rho = 1;
  Vec<3> r(0, 0, 0);
  EXPECT_TRUE((vi_fixed_point<3>(W, {-1, 3, 4}, 0.5, rho, 1e-10, 500, r).converged));
  EXPECT_LT(rho, 0.05);
  EXPECT_GT(rho, 0.0005);
}

}  // namespace
}  // namespace cornet
