// The Alart–Curnier function and its Jacobian region by region, against numbers computed by hand.
#include "contact/alart_curnier.h"

#include <gtest/gtest.h>

#include <limits>

namespace cornet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <int D>
void expect_value(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t, const Vec<D>& expected) {
  const ContactJacobian<D> at = alart_curnier<D>(r, u, mu, rho_n, rho_t);
  EXPECT_LT((at.F - expected).norm(), 1e-15);
  EXPECT_LT((alart_curnier_value<D>(r, u, mu, rho_n, rho_t) - expected).norm(), 1e-15);
}

TEST(AlartCurnier, RegionTakeOff) {
  expect_value<3>({1, 2, 3}, {2, 5, 7}, 0.5, 1, 1, {1, 2, 3});
  const auto at = alart_curnier<3>({1, 2, 3}, {2, 5, 7}, 0.5, 1, 1);
  EXPECT_EQ(at.dr, (Mat<3>(Mat<3>::Identity())));
  EXPECT_EQ(at.du, (Mat<3>(Mat<3>::Zero())));
}

TEST(AlartCurnier, RegionStick) {
  // y = 1.5, z_T = (−0.5, 0.4), ‖z_T‖ = 0.64 ≤ 0.75.
  expect_value<3>({2, 0.1, 0.2}, {0.5, 0.3, -0.1}, 0.5, 1, 2, {0.5, 0.6, -0.2});
  const auto at = alart_curnier<3>({2, 0.1, 0.2}, {0.5, 0.3, -0.1}, 0.5, 1, 2);
  Mat<3> du = 2 * Mat<3>::Identity();
  du(0, 0) = 1;
  EXPECT_EQ(at.dr, (Mat<3>(Mat<3>::Zero())));
  EXPECT_EQ(at.du, du);
}

TEST(AlartCurnier, RegionSlideInSpace) {
  // y = 2, radius 1, z_T = (3, 4): F_T = z_T·(1 − 1/5).
  expect_value<3>({2, 3, 4}, {0, 0, 0}, 0.5, 1, 1, {0, 2.4, 3.2});
  const auto at = alart_curnier<3>({2, 3, 4}, {0, 0, 0}, 0.5, 3, 2);
  Mat<3> dr, du;
  dr << 0, 0, 0, -0.3, 0.872, 0.096, -0.4, 0.096, 0.928;
  du << 3, 0, 0, 0.9, 0.256, -0.192, 1.2, -0.192, 0.144;
  EXPECT_LT((at.dr - dr).norm(), 1e-15);
  EXPECT_LT((at.du - du).norm(), 1e-15);
}

TEST(AlartCurnier, RegionSlideInThePlane) {
  // y = 2 − 1 = 1, radius 0.5, z_T = −4: F_T = −3 + 0.5.
  expect_value<2>({2, -3}, {1, 1}, 0.5, 1, 1, {1, -2.5});
  const auto at = alart_curnier<2>({2, -3}, {1, 1}, 0.5, 1, 1);
  Mat<2> dr, du;
  dr << 0, 0, 0.5, 1;
  du << 1, 0, -0.5, 0;
  EXPECT_EQ(at.dr, dr);
  EXPECT_EQ(at.du, du);
}

TEST(AlartCurnier, RegionFrictionless) {
  for (const Vec<3>& u : {Vec<3>(1, 3, 4), Vec<3>(1, 0, 0)}) {
    expect_value<3>({2, 0, 0}, u, 0, 1, 1, {1, 0, 0});
    const auto at = alart_curnier<3>({2, 0, 0}, u, 0, 1, 1);
    Mat<3> dr = Mat<3>::Identity(), du = Mat<3>::Zero();
    dr(0, 0) = 0;
    du(0, 0) = 1;
    EXPECT_EQ(at.dr, dr);
    EXPECT_EQ(at.du, du);
  }
}

TEST(AlartCurnier, RegionInfiniteFriction) {
  // Tangential part ρ_T u_T whether the contact is closed or open.
  expect_value<3>({2, 5, 6}, {1, 3, 4}, kInf, 1, 2, {1, 6, 8});
  expect_value<3>({0, 5, 6}, {1, 3, 4}, kInf, 1, 2, {0, 6, 8});
  const auto at = alart_curnier<3>({0, 5, 6}, {1, 3, 4}, kInf, 1, 2);
  Mat<3> dr = Mat<3>::Zero(), du = 2 * Mat<3>::Identity();
  dr(0, 0) = 1;
  du(0, 0) = 0;
  EXPECT_EQ(at.dr, dr);
  EXPECT_EQ(at.du, du);
}

TEST(AlartCurnier, RegionApexTakesOff) {
  const auto at = alart_curnier<3>(Vec<3>::Zero(), Vec<3>::Zero(), 0.5, 1, 1);
  EXPECT_EQ(at.F, Vec<3>(0, 0, 0));
  EXPECT_EQ(at.dr, (Mat<3>(Mat<3>::Identity())));
}

TEST(RhoSplit, InverseOfNormalAndLargestTangentialEigenvalue) {
  Mat<3> W;
  W << 4, 1, 1, 1, 3, 1.5, 1, 0.5, 3;  // the symmetric part of W_TT has eigenvalues 2 and 4
  EXPECT_DOUBLE_EQ(rho_split<3>(W).normal, 0.25);
  EXPECT_DOUBLE_EQ(rho_split<3>(W).tangent, 0.25);
  Mat<2> plane;
  plane << 2, 1, 1, 5;
  EXPECT_DOUBLE_EQ(rho_split<2>(plane).tangent, 0.2);
}

TEST(RhoSplit, FallsBackToOneForZeroBlocks) {
  EXPECT_EQ(rho_split<3>(Mat<3>::Zero()).normal, 1);
  EXPECT_EQ(rho_split<3>(Mat<3>::Zero()).tangent, 1);
  EXPECT_EQ(rho_split<2>(-Mat<2>::Identity()).normal, 1);
  EXPECT_EQ(rho_split<3>(1e-320 * Mat<3>::Identity()).tangent, 1);
}

}  // namespace
}  // namespace cornet
