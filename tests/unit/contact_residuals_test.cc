// Residual functions and ρ rules against numbers computed by hand.
#include "contact/residuals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cornet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(JeanMoreau, RadiusIsThatOfTheReaction) {
  // y = 2 − 1 = 1, radius 0.5·2 = 1, z_T = (3, 4): F_T = z_T + ρ_T u_T − z_T/5.
  const auto at = jean_moreau<3>({2, 3, 4}, {1, 0, 0}, 0.5, 1, 1);
  EXPECT_LT((at.F - Vec<3>(1, 2.4, 3.2)).norm(), 1e-15);
  Mat<3> dr, du;
  dr << 0, 0, 0, -0.3, 0.872, 0.096, -0.4, 0.096, 0.928;
  du << 1, 0, 0, 0, 0.128, -0.096, 0, -0.096, 0.072;
  EXPECT_LT((at.dr - dr).norm(), 1e-15);
  EXPECT_LT((at.du - du).norm(), 1e-15);
}

TEST(JeanMoreau, NoFrictionWithoutReaction) {
  const auto at = jean_moreau<3>({0, 1, 2}, {-1, 3, 4}, 0.5, 2, 1);
  EXPECT_EQ(at.F, Vec<3>(-2, 1, 2));
  Mat<3> dr = Mat<3>::Identity(), du = Mat<3>::Zero();
  dr(0, 0) = 0;
  du(0, 0) = 2;
  EXPECT_EQ(at.dr, dr);
  EXPECT_EQ(at.du, du);
}

TEST(NaturalMap, InsideTheConeIsTheShiftedVelocity) {
  // û = (0.1 + 0.5·0.5, 0.3, 0.4).
  const auto at = natural_map<3>({10, 0, 0}, {0.1, 0.3, 0.4}, 0.5, 2);
  EXPECT_LT((at.F - Vec<3>(0.7, 0.6, 0.8)).norm(), 1e-14);
  Mat<3> du;
  du << 2, 0.6, 0.8, 0, 2, 0, 0, 0, 2;
  EXPECT_LT((at.du - du).norm(), 1e-15);
  EXPECT_EQ(at.dr, (Mat<3>(Mat<3>::Zero())));
}

TEST(NaturalMap, WithStepOneIsTheErrorOfTheProject) {
  for (const double mu : {0.0, 0.3, 2.0, kInf}) {
    const Vec<3> r(1, 2, -1), u(0.5, -0.2, 0.7);
    EXPECT_LT((natural_map<3>(r, u, mu, 1).F - CoulombCone<3>{mu}.natural_map(r, u)).norm(), 1e-15);
  }
}

TEST(FischerBurmeister, ScalarValues) {
  EXPECT_DOUBLE_EQ(ScalarFischerBurmeister(3, 4).value, 2);
  EXPECT_DOUBLE_EQ(ScalarFischerBurmeister(-3, -4).value, -12);
  EXPECT_DOUBLE_EQ(ScalarFischerBurmeister(3, 4).da, 0.4);
  EXPECT_DOUBLE_EQ(ScalarFischerBurmeister(1e-30, 1).value, 1e-30);
  EXPECT_DOUBLE_EQ(ScalarFischerBurmeister(0, 0).da, 1 - std::sqrt(0.5));
}

TEST(FischerBurmeister, OnTheAxisItIsScalar) {
  const auto at = lorentz_fischer_burmeister<3>({3, 0, 0}, {4, 0, 0});
  EXPECT_LT((at.F - Vec<3>(2, 0, 0)).norm(), 1e-15);
  EXPECT_LT((at.dr - 0.4 * Mat<3>::Identity()).norm(), 1e-15);
  EXPECT_LT((at.du - 0.2 * Mat<3>::Identity()).norm(), 1e-15);
}

TEST(FischerBurmeister, RegionsWithoutCone) {
  EXPECT_LT((fischer_burmeister<3>({3, 5, 6}, {2, 7, 8}, 0, 2).F - Vec<3>(2, 5, 6)).norm(), 1e-15);
  EXPECT_LT((fischer_burmeister<3>({3, 5, 6}, {2, 7, 8}, kInf, 2).F - Vec<3>(2, 14, 16)).norm(), 1e-15);
}

TEST(HueberStadlerWohlmuth, SlideHasNoQuotient) {
  // y = 2, radius 1, z_T = (3, 4): ‖z_T‖ r_T − z_T.
  const auto at = hueber_stadler_wohlmuth<3>({2, 3, 4}, {0, 0, 0}, 0.5, 1, 1);
  EXPECT_LT((at.F - Vec<3>(0, 12, 16)).norm(), 1e-14);
  EXPECT_EQ((hueber_stadler_wohlmuth<3>({1, 2, 3}, {2, 2, 3}, 0.5, 1, 1).F), Vec<3>(1, 2, 3));
}

TEST(XuewenSohWanji, SenseOfSlidingAlongTheSecondAxis) {
  // The printed function has a zero here: u_T and r_T both along the second axis, same sense.
  EXPECT_GT((xuewen_soh_wanji<3>({1, 0, 0.5}, {0, 0, 1}, 0.5, 1, 1).F.norm()), 0.4);
  EXPECT_EQ((xuewen_soh_wanji<3>({1, 0, 0.5}, {0, 0, -1}, 0.5, 1, 1).F.norm()), 0);
  EXPECT_EQ((xuewen_soh_wanji<2>({1, 0.5}, {0, 1}, 0.5, 1, 1).F), Vec<2>(0, 0.5));
  EXPECT_EQ((xuewen_soh_wanji<2>({1, 0.5}, {0, -1}, 0.5, 1, 1).F), Vec<2>(0, 0));
}

TEST(RhoRules, OfADiagonalBlock) {
  Mat<3> W = Mat<3>::Zero();
  W.diagonal() = Vec<3>(4, 2, 5);
  EXPECT_EQ((choose_rho<3>(RhoRule::fixed, 3, W).tangent), 3);
  EXPECT_DOUBLE_EQ((choose_rho<3>(RhoRule::norm, 3, W).normal), 1 / std::sqrt(45));
  EXPECT_DOUBLE_EQ((choose_rho<3>(RhoRule::spectral, 3, W).normal), 0.2);
  EXPECT_DOUBLE_EQ((choose_rho<3>(RhoRule::split, 3, W).normal), 0.25);
  EXPECT_DOUBLE_EQ((choose_rho<3>(RhoRule::split, 3, W).tangent), 0.2);
  EXPECT_DOUBLE_EQ((choose_rho<3>(RhoRule::split_condition, 3, W).tangent), 0.08);
  EXPECT_EQ((choose_rho<2>(RhoRule::split_condition, 3, Mat<2>::Zero()).tangent), 1);
  EXPECT_EQ((choose_rho<2>(RhoRule::norm, 3, Mat<2>::Zero()).normal), 1);
}

}  // namespace
}  // namespace cornet
