// CoulombCone region by region, against numbers computed by hand.
#include "contact/cone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cornet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <int D>
void expect_near(const Vec<D>& a, const Vec<D>& b, double tolerance = 1e-15) {
  for (int i = 0; i < D; ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << "component " << i;
}

TEST(ContactCone, RegionInsideIsUnchanged) {
  EXPECT_EQ((CoulombCone<3>{2}.project({3, 3, 4})), Vec<3>(3, 3, 4));
  EXPECT_EQ((CoulombCone<2>{0.5}.project({3, -1})), Vec<2>(3, -1));
  EXPECT_EQ((CoulombCone<3>{0.5}.project_dual({3, 3, 4})), Vec<3>(3, 3, 4));
  EXPECT_TRUE((CoulombCone<3>{2}.contains({3, 3, 4})));
  EXPECT_TRUE((CoulombCone<3>{0.5}.contains_dual({3, 3, 4})));
}

TEST(ContactCone, RegionPolarGoesToZero) {
  EXPECT_EQ((CoulombCone<3>{2}.project({-11, 3, 4})), Vec<3>(0, 0, 0));
  EXPECT_EQ((CoulombCone<3>{2}.project({-10, 3, 4})), Vec<3>(0, 0, 0));
  EXPECT_EQ((CoulombCone<2>{0.5}.project({-1, 2})), Vec<2>(0, 0));
  EXPECT_EQ((CoulombCone<3>{2}.project_dual({-2.5, 3, 4})), Vec<3>(0, 0, 0));
}

TEST(ContactCone, RegionOutsideGoesToTheBoundary) {
  // (1 + 0.5·5)/1.25 = 2.8, times (1, 0.5·(0.6, 0.8)).
  expect_near<3>(CoulombCone<3>{0.5}.project({1, 3, 4}), {2.8, 0.84, 1.12});
  // (−1 + 2·5)/5 = 1.8, times (1, 2·(0.6, 0.8)); the dual of μ = 1/2 is the cone of μ = 2.
  expect_near<3>(CoulombCone<3>{2}.project({-1, 3, 4}), {1.8, 2.16, 2.88});
  expect_near<3>(CoulombCone<3>{0.5}.project_dual({-1, 3, 4}), {1.8, 2.16, 2.88});
  // (0 + 1·3)/2 = 1.5.
  expect_near<2>(CoulombCone<2>{1}.project({0, -3}), {1.5, -1.5});
}

TEST(ContactCone, RegionBoundaryIsUnchanged) {
  EXPECT_EQ((CoulombCone<3>{2}.project({2.5, 3, 4})), Vec<3>(2.5, 3, 4));
  EXPECT_EQ((CoulombCone<2>{0.5}.project({4, 2})), Vec<2>(4, 2));
  EXPECT_TRUE((CoulombCone<2>{0.5}.contains({4, 2})));
}

TEST(ContactCone, RegionApexIsUnchanged) {
  for (const double mu : {0.0, 1e-300, 0.5, 7.0, 1e300, kInf}) {
    EXPECT_EQ((CoulombCone<3>{mu}.project(Vec<3>::Zero())), Vec<3>(0, 0, 0));
    EXPECT_EQ((CoulombCone<2>{mu}.project_dual(Vec<2>::Zero())), Vec<2>(0, 0));
    EXPECT_TRUE((CoulombCone<3>{mu}.contains(Vec<3>::Zero())));
    EXPECT_TRUE((CoulombCone<3>{mu}.contains_dual(Vec<3>::Zero())));
  }
}

TEST(ContactCone, RegionFrictionlessIsAHalfLine) {
  const CoulombCone<3> cone{0};
  EXPECT_EQ(cone.project({2, 3, 4}), Vec<3>(2, 0, 0));
  EXPECT_EQ(cone.project({-2, 3, 4}), Vec<3>(0, 0, 0));
  EXPECT_EQ(cone.project({-2, 0, 0}), Vec<3>(0, 0, 0));
  EXPECT_EQ(cone.project_dual({2, 3, 4}), Vec<3>(2, 3, 4));
  EXPECT_EQ(cone.project_dual({-2, 3, 4}), Vec<3>(0, 3, 4));
  EXPECT_TRUE(cone.contains({2, 0, 0}));
  EXPECT_FALSE(cone.contains({2, 1e-12, 0}));
  EXPECT_FALSE(cone.contains({-2, 0, 0}));
  EXPECT_TRUE(cone.contains_dual({0, 3, 4}));
  EXPECT_EQ(cone.shifted({1, 3, 4}), Vec<3>(1, 3, 4));
}

TEST(ContactCone, RegionInfiniteFrictionIsAHalfSpace) {
  const CoulombCone<3> cone{kInf};
  EXPECT_EQ(cone.project({2, 3, 4}), Vec<3>(2, 3, 4));
  EXPECT_EQ(cone.project({-2, 3, 4}), Vec<3>(0, 3, 4));
  EXPECT_EQ(cone.project({-2, 0, 0}), Vec<3>(0, 0, 0));
  EXPECT_EQ(cone.project_dual({2, 3, 4}), Vec<3>(2, 0, 0));
  EXPECT_EQ(cone.project_dual({-2, 3, 4}), Vec<3>(0, 0, 0));
  EXPECT_TRUE(cone.contains({0, 3, 4}));
  EXPECT_FALSE(cone.contains({-1e-12, 3, 4}));
  EXPECT_FALSE(cone.contains_dual({1, 0, 1e-12}));
  EXPECT_EQ(cone.shifted({1, 3, 4}), Vec<3>(1, 3, 4));
}

TEST(ContactCone, ExtremeCoefficientsDoNotOverflow) {
  expect_near<3>(CoulombCone<3>{1e300}.project({-1, 3, 4}), {0, 3, 4});
  EXPECT_NEAR((CoulombCone<3>{1e300}.project({-1, 3, 4})[0] / 5e-300), 1, 1e-15);
  expect_near<3>(CoulombCone<3>{1e-300}.project({1, 3, 4}), {1, 0, 0});
  EXPECT_NEAR((CoulombCone<3>{1e-300}.project({1, 3, 4})[2] / 8e-301), 1, 1e-15);
  expect_near<3>(CoulombCone<3>{0.5}.project({1e290, 3e290, 4e290}) * 1e-290, {2.8, 0.84, 1.12});
  expect_near<3>(CoulombCone<3>{0.5}.project({1e-290, 3e-290, 4e-290}) * 1e290, {2.8, 0.84, 1.12});
}

TEST(ContactCone, ToleranceIsADistance) {
  // The distance of (0, 2) to the cone of μ = 1 is √2.
  EXPECT_FALSE((CoulombCone<2>{1}.contains({0, 2}, 1.41)));
  EXPECT_TRUE((CoulombCone<2>{1}.contains({0, 2}, 1.42)));
  EXPECT_FALSE((CoulombCone<2>{1}.contains_dual({-3, 0}, 2.99)));
  EXPECT_TRUE((CoulombCone<2>{1}.contains_dual({-3, 0}, 3.01)));
}

TEST(ContactCone, ShiftAddsSlip) { EXPECT_EQ((CoulombCone<3>{0.5}.shifted({1, 3, 4})), Vec<3>(3.5, 3, 4)); }

TEST(ContactCone, NaturalMapVanishesAtSolutions) {
  const CoulombCone<3> cone{0.5};
  expect_near<3>(cone.natural_map({2, 0.6, 0.8}, {0, -1.2, -1.6}), {0, 0, 0});
  expect_near<3>(cone.natural_map({2, 0.1, 0.2}, {0, 0, 0}), {0, 0, 0});
  expect_near<3>(cone.natural_map({0, 0, 0}, {1, 3, 4}), {0, 0, 0});
}

TEST(ContactCone, NaturalMapElsewhere) {
  // û = (3.5, 3, 4), r − û = (−1.5, −3, −4), projected on 0.8·(1, 0.5·(−0.6, −0.8)).
  expect_near<3>(CoulombCone<3>{0.5}.natural_map({2, 0, 0}, {1, 3, 4}), {1.2, 0.24, 0.32});
  EXPECT_EQ((CoulombCone<3>{0}.natural_map({2, 5, 6}, {3, 7, 8})), Vec<3>(2, 5, 6));
  EXPECT_EQ((CoulombCone<3>{kInf}.natural_map({2, 5, 6}, {3, 7, 8})), Vec<3>(2, 7, 8));
  EXPECT_EQ((CoulombCone<3>{kInf}.natural_map({4, 5, 6}, {3, 7, 8})), Vec<3>(3, 7, 8));
}

TEST(ContactCone, JacobianByRegion) {
  const CoulombCone<3> cone{0.5};
  EXPECT_EQ(cone.project_jacobian({3, 1, 0}), (Mat<3>(Mat<3>::Identity())));
  EXPECT_EQ(cone.project_jacobian({-3, 3, 4}), (Mat<3>(Mat<3>::Zero())));
  // 1/(1+μ²) = 0.8; radius over ‖z_T‖ = 1.4/5 = 0.28.
  Mat<3> J;
  J << 0.8, 0.24, 0.32, 0.24, 0.2512, -0.0384, 0.32, -0.0384, 0.2288;
  EXPECT_LT((cone.project_jacobian({1, 3, 4}) - J).norm(), 1e-15);
}

TEST(ContactCone, JacobianOfTheExtremes) {
  Mat<3> normal = Mat<3>::Zero(), tangent = Mat<3>::Identity();
  normal(0, 0) = 1;
  tangent(0, 0) = 0;
  EXPECT_EQ((CoulombCone<3>{0}.project_jacobian({1, 0, 0})), normal);
  EXPECT_EQ((CoulombCone<3>{0}.project_jacobian({1, 3, 4})), normal);
  EXPECT_EQ((CoulombCone<3>{0}.project_jacobian({-1, 3, 4})), (Mat<3>(Mat<3>::Zero())));
  EXPECT_EQ((CoulombCone<3>{kInf}.project_jacobian({1, 3, 4})), (Mat<3>(Mat<3>::Identity())));
  EXPECT_EQ((CoulombCone<3>{kInf}.project_jacobian({-1, 0, 0})), tangent);
}

}  // namespace
}  // namespace cornet
