// Laws of the Alart–Curnier function: zeros, derivative, limits on kinks; 100 000 seeded points per law and dimension.
#include "contact/alart_curnier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/contact_points.h"

namespace cornet {
namespace {

constexpr int kPoints = 100000;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMu[] = {0, 1e-8, 0.1, 0.5, 1, 10, kInf};

using test::Numbers;

;

/// F and natural map vanish at the same points: at constructed solutions, and jointly nowhere near perturbed ones.
template <int D>
void check_zeros() {
  Numbers numbers(1);
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[1 + k % 5], rho_n = std::pow(10, 4 * numbers.uniform() - 2), rho_t = std::pow(10, 4 * numbers.uniform() - 2);
    Vec<D> e = numbers.vector<D>(), r = Vec<D>::Zero(), u = Vec<D>::Zero();
    e[0] = 0;
    e.normalize();
    if (k % 3 == 0) {
      u = e * numbers.uniform();
      u[0] = numbers.uniform();
    } else {
      r[0] = 0.1 + numbers.uniform();
      r += e * (mu * r[0] * (k % 3 == 1 ? 0.99 * numbers.uniform() : 1.0));
      if (k % 3 == 2) u = -e * numbers.uniform();
    }
    ASSERT_LE((alart_curnier_value<D>(r, u, mu, rho_n, rho_t).norm()), 1e-14 * (1 + mu) * (1 + rho_t));
    ASSERT_LE((CoulombCone<D>{mu}.natural_map(r, u).norm()), 1e-14 * (1 + mu));
    u[0] += 0.1;
    r[0] += 0.1;
    ASSERT_GT((alart_curnier_value<D>(r, u, mu, rho_n, rho_t).norm()), 1e-4);
    ASSERT_GT((CoulombCone<D>{mu}.natural_map(r, u).norm()), 1e-4);
  }
}

template <int D>
double distance(const ContactJacobian<D>& a, const ContactJacobian<D>& b) {
  return std::max((a.dr - b.dr).norm(), (a.du - b.du).norm());
}

template <int D>
void check_derivative() {
  Numbers numbers(2);
  constexpr double kStep = 1e-6;
  int smooth = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[k % 7], rho_n = 0.3 + numbers.uniform(), rho_t = 0.3 + numbers.uniform();
    const Vec<D> r = numbers.vector<D>(), u = numbers.vector<D>();
    const ContactJacobian<D> at = alart_curnier<D>(r, u, mu, rho_n, rho_t);
    ASSERT_EQ(at.F, (alart_curnier_value<D>(r, u, mu, rho_n, rho_t)));
    Mat<D> dr, du;
    bool same = tangent_norm<D>(r - rho_t * u) > 0.05;
    for (int i = 0; i < D; ++i) {
      const Vec<D> wide = 1e2 * kStep * Vec<D>::Unit(i), step = kStep * Vec<D>::Unit(i);
      for (const double sign : {-1.0, 1.0}) {
        same = same && distance<D>(alart_curnier<D>(r + sign * wide, u, mu, rho_n, rho_t), at) < 0.1;
        same = same && distance<D>(alart_curnier<D>(r, u + sign * wide, mu, rho_n, rho_t), at) < 0.1;
      }
      const auto F = [&](const Vec<D>& x, const Vec<D>& y) { return alart_curnier_value<D>(x, y, mu, rho_n, rho_t); };
      dr.col(i) = (F(r + step, u) - F(r - step, u)) / (2 * kStep);
      du.col(i) = (F(r, u + step) - F(r, u - step)) / (2 * kStep);
    }
    if (!same) continue;
    ++smooth;
    ASSERT_LE((at.dr - dr).norm(), 1e-7) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
    ASSERT_LE((at.du - du).norm(), 1e-7) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
  EXPECT_GT(smooth, kPoints * 9 / 10);
}

/// On y = 0 and on ‖z_T‖ = μ y, to rounding: some point at a distance of 1e-7 has the Jacobian that is returned.
template <int D>
void check_limits() {
  Numbers numbers(3);
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[1 + k % 5], rho_n = 0.3 + numbers.uniform(), rho_t = 0.3 + numbers.uniform();
    Vec<D> r = numbers.vector<D>(), u = numbers.vector<D>();
    const double t = tangent_norm<D>(r - rho_t * u);
    if (t < 0.01) continue;
    // Choose r_N such that y is 0 or t/μ.
    r[0] = rho_n * u[0] + (k % 2 == 0 ? 0.0 : t / mu);
    const ContactJacobian<D> at = alart_curnier<D>(r, u, mu, rho_n, rho_t);
    double nearest = kInf;
    for (int trial = 0; trial < 1000 && nearest > 1e-3; ++trial) {
      nearest = std::min(
          nearest, distance<D>(alart_curnier<D>(r + 1e-7 * numbers.vector<D>(), u + 1e-7 * numbers.vector<D>(), mu, rho_n, rho_t), at));
    }
    ASSERT_LE(nearest, 1e-3) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
}

/// ρ_N and ρ_T of rule (111): W_NN ρ_N = 1, and ρ_T is the inverse of the maximum of x·W_TT x over unit x.
TEST(RhoSplitLaws, LargestRayleighQuotient) {
  Numbers numbers(4);
  for (int k = 0; k < kPoints; ++k) {
    Mat<3> A, W;
    for (int i = 0; i < 3; ++i) A.col(i) = numbers.vector<3>();
    W = A * A.transpose();
    const double skew = numbers.uniform();
    W(1, 2) += skew;
    W(2, 1) -= skew;
    const RhoPair rho = rho_split<3>(W);
    ASSERT_NEAR(rho.normal * W(0, 0), 1, 1e-15);
    const Vec<2> x = numbers.vector<2>().normalized();
    const Eigen::Matrix2d T = W.bottomRightCorner<2, 2>();
    ASSERT_LE(x.dot(T * x) * rho.tangent, 1 + 1e-14);
    // The maximum is attained in the direction at half the angle of (T₁₁ − T₂₂, T₁₂ + T₂₁).
    const double angle = 0.5 * std::atan2(T(0, 1) + T(1, 0), T(0, 0) - T(1, 1));
    const Vec<2> top(std::cos(angle), std::sin(angle));
    ASSERT_NEAR(top.dot(T * top) * rho.tangent, 1, 1e-13);
  }
}

TEST(AlartCurnierLaws, ZerosAreSolutions) { check_zeros<2>(), check_zeros<3>(); }
TEST(AlartCurnierLaws, JacobianIsTheDerivative) { check_derivative<2>(), check_derivative<3>(); }
TEST(AlartCurnierLaws, JacobianOnKinksIsALimit) { check_limits<2>(), check_limits<3>(); }

}  // namespace
}  // namespace cornet
