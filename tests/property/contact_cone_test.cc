// Laws of the projections on K and K*: 100 000 seeded points per law, dimension and call, μ from 0 to ∞.
#include "contact/cone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace cornet {
namespace {

constexpr int kPoints = 100000;
constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Points around every face of the cone: a normal direction, a scale from 1e-12 to 1e12, one in eight with a vanishing part.
class Points {
 public:
  explicit Points(unsigned seed) : engine_(seed) {}

  double mu() {
    constexpr double kMu[] = {0, 1e-300, 1e-8, 0.1, 0.3, 0.7, 1, 3, 10, 1e8, 1e300, std::numeric_limits<double>::infinity()};
    return kMu[engine_() % 12];
  }

  template <int D>
  Vec<D> point() {
    Vec<D> z;
    for (int i = 0; i < D; ++i) z[i] = normal_(engine_);
    const unsigned long kind = engine_() % 8;
    if (kind == 0) z[0] = 0;
    if (kind == 1) z.template tail<D - 1>().setZero();
    return z;
  }

  double scale() { return std::pow(10.0, 24 * uniform_(engine_) - 12); }
  double uniform() { return uniform_(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

template <int D>
void check_idempotent_and_inside() {
  Points points(1);
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const Vec<D> z = points.point<D>() * points.scale(), p = cone.project(z), d = cone.project_dual(z);
    ASSERT_TRUE(p.allFinite() && d.allFinite());
    ASSERT_LE((cone.project(p) - p).norm(), 4 * kEps * p.norm()) << "μ = " << cone.mu << ", z = " << z.transpose();
    ASSERT_LE((cone.project_dual(d) - d).norm(), 4 * kEps * d.norm()) << "μ = " << cone.mu << ", z = " << z.transpose();
    ASSERT_TRUE(cone.contains(p, 4 * kEps * p.norm()));
    ASSERT_TRUE(cone.contains_dual(d, 4 * kEps * d.norm()));
    // Strictly inside: unchanged to the last bit.
    Vec<D> inside = p;
    if (cone.mu > 0) inside.template tail<D - 1>() *= 0.999;
    ASSERT_EQ(cone.project(inside), inside) << "μ = " << cone.mu;
  }
}

template <int D>
void check_non_expansive() {
  Points points(2);
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const double scale = points.scale();
    const Vec<D> x = points.point<D>() * scale;
    const Vec<D> y = k % 2 == 0 ? Vec<D>(points.point<D>() * scale) : Vec<D>(x + 1e-6 * scale * points.point<D>());
    const double rounding = 8 * kEps * (x.norm() + y.norm());
    ASSERT_LE((cone.project(x) - cone.project(y)).norm(), (x - y).norm() + rounding);
    ASSERT_LE((cone.project_dual(x) - cone.project_dual(y)).norm(), (x - y).norm() + rounding);
  }
}

/// z = P_K(z) − P_K*(−z), the two parts orthogonal.
template <int D>
void check_moreau() {
  Points points(3);
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const Vec<D> z = points.point<D>() * points.scale(), p = cone.project(z), d = cone.project_dual(-z);
    ASSERT_LE((z - (p - d)).norm(), 8 * kEps * z.norm()) << "μ = " << cone.mu << ", z = " << z.transpose();
    ASSERT_LE(std::abs(p.dot(d)), 8 * kEps * z.squaredNorm());
  }
}

template <int D>
void check_homogeneous() {
  Points points(4);
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const Vec<D> z = points.point<D>();
    const double factor = points.scale();
    const Vec<D> p = cone.project(z), q = cone.project(factor * z);
    ASSERT_LE((q - factor * p).norm(), 8 * kEps * factor * z.norm());
    const double power = std::ldexp(1.0, k % 32);
    ASSERT_EQ(cone.project(power * z), power * p) << "a power of two is exact";
  }
}

/// The projection is the nearest point: no point of K is closer, tried along random directions of K.
template <int D>
void check_nearest() {
  Points points(5);
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const Vec<D> z = points.point<D>(), p = cone.project(z), other = cone.project(points.point<D>());
    ASSERT_LE((z - p).dot(other - p), 8 * kEps * (1 + z.norm()) * (z.norm() + other.norm()));
  }
}

/// The natural map vanishes at the three kinds of solutions and, in size, only there.
template <int D>
void check_natural_map() {
  Points points(6);
  for (int k = 0; k < kPoints; ++k) {
    const double mu = std::min(points.mu(), 10.0);
    const CoulombCone<D> cone{mu};
    Vec<D> direction = points.point<D>(), r = Vec<D>::Zero(), u = Vec<D>::Zero();
    direction[0] = 0;
    if (direction.norm() == 0) continue;
    direction.normalize();
    const double r_n = points.uniform(), slip = points.uniform();
    if (k % 3 == 0) {
      u = slip * direction;
      u[0] = points.uniform();
    } else {
      r[0] = r_n;
      r += mu * r_n * (k % 3 == 1 ? points.uniform() : 1.0) * direction;
      if (k % 3 == 2) u = -slip * direction;
    }
    ASSERT_LE(cone.natural_map(r, u).norm(), 8 * kEps * (1 + mu)) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
    // Pull the normal reaction: no solution any more unless it was take-off.
    if (k % 3 != 0 && r_n > 0.1) {
      u[0] += 0.05;
      ASSERT_GT(cone.natural_map(r, u).norm(), 0.01 / (1 + mu * mu));
    }
  }
}

/// At points away from the kinks the Jacobian is the derivative; on them, one of the limits of derivatives.
template <int D>
void check_jacobian() {
  Points points(7);
  constexpr double kStep = 1e-6;
  int smooth = 0;
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{points.mu()};
    const Vec<D> z = points.point<D>();
    const Mat<D> J = cone.project_jacobian(z);
    Mat<D> difference;
    bool same_face = true;
    for (int i = 0; i < D; ++i) {
      const Vec<D> step = 1e2 * kStep * Vec<D>::Unit(i), small = kStep * Vec<D>::Unit(i);
      same_face = same_face && (cone.project_jacobian(z + step) - J).norm() < 0.1 && (cone.project_jacobian(z - step) - J).norm() < 0.1;
      difference.col(i) = (cone.project(z + small) - cone.project(z - small)) / (2 * kStep);
    }
    // Far from the axis, where the curvature 1/‖z_T‖² of the boundary face blows up.
    if (same_face && tangent_norm<D>(z) > 0.05) {
      ++smooth;
      ASSERT_LE((J - difference).norm(), 1e-8) << "μ = " << cone.mu << ", z = " << z.transpose() << "\n" << J << "\n\n" << difference;
    }
  }
  EXPECT_GT(smooth, kPoints * 3 / 5);
}

/// On the border of K, of the polar cone and at the tip some nearby smooth point has the Jacobian that is returned.
template <int D>
void check_jacobian_limits() {
  Points points(8);
  constexpr double kStep = 1e-7;
  constexpr double kMu[] = {0, 0.1, 0.3, 1, 3, 10, std::numeric_limits<double>::infinity()};
  for (int k = 0; k < kPoints; ++k) {
    const CoulombCone<D> cone{kMu[k % 7]};
    Vec<D> z = cone.project(points.point<D>());
    if (k % 3 == 1) z = -cone.project_dual(-points.point<D>());
    if (k % 100 == 2) z.setZero();
    // The boundary face turns with 1/‖z_T‖: too fast there for the step below.
    const double t = tangent_norm<D>(z);
    if (t > 0 && t < 0.01) continue;
    const Mat<D> J = cone.project_jacobian(z);
    double nearest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 20000 && nearest > 1e-4; ++trial) {
      nearest = std::min(nearest, (cone.project_jacobian(z + kStep * points.point<D>()) - J).norm());
    }
    ASSERT_LE(nearest, 1e-4) << "μ = " << cone.mu << ", z = " << z.transpose() << "\n" << J;
  }
}

TEST(ContactConeLaws, IdempotentAndInside) { check_idempotent_and_inside<2>(), check_idempotent_and_inside<3>(); }
TEST(ContactConeLaws, NonExpansive) { check_non_expansive<2>(), check_non_expansive<3>(); }
TEST(ContactConeLaws, MoreauDecomposition) { check_moreau<2>(), check_moreau<3>(); }
TEST(ContactConeLaws, PositivelyHomogeneous) { check_homogeneous<2>(), check_homogeneous<3>(); }
TEST(ContactConeLaws, NearestPoint) { check_nearest<2>(), check_nearest<3>(); }
TEST(ContactConeLaws, NaturalMapVanishesExactlyAtSolutions) { check_natural_map<2>(), check_natural_map<3>(); }
TEST(ContactConeLaws, JacobianIsTheDerivative) { check_jacobian<2>(), check_jacobian<3>(); }
TEST(ContactConeLaws, JacobianOnKinksIsALimit) { check_jacobian_limits<2>(), check_jacobian_limits<3>(); }

}  // namespace
}  // namespace cornet
