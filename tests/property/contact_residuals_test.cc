// Laws of the six residual functions of the nonsmooth Newton family: zeros are the solutions of the one-contact problem, Jacobians are
// derivatives at smooth points and limits of derivatives on kinks; seeded random points in the plane and in space, μ from 0 to ∞.
#include "contact/residuals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "contact/one_contact.h"
#include "support/contact_points.h"

namespace cornet {
namespace {

constexpr int kPoints = 30000;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMu[] = {0, 0.1, 0.5, 1, 4, kInf};
constexpr ResidualFunction kFunctions[] = {ResidualFunction::alart_curnier,
                                           ResidualFunction::jean_moreau,
                                           ResidualFunction::natural_map,
                                           ResidualFunction::fischer_burmeister,
                                           ResidualFunction::hueber_stadler_wohlmuth,
                                           ResidualFunction::xuewen_soh_wanji};

using test::Numbers;

;

template <int D>
double distance(const ContactJacobian<D>& a, const ContactJacobian<D>& b) {
  return std::max((a.dr - b.dr).norm(), (a.du - b.du).norm());
}

/// F = 0 at every solution that the exact one-contact solver finds.
template <int D>
void check_solutions_are_zeros(ResidualFunction function) {
  Numbers numbers(1);
  int solved = 0;
  for (int k = 0; k < kPoints; ++k) {
    Mat<D> A;
    for (int i = 0; i < D; ++i) A.col(i) = numbers.vector<D>();
    const Mat<D> W = A * A.transpose() + 0.1 * Mat<D>::Identity();
    const Vec<D> q = numbers.vector<D>();
    const double mu = kMu[k % 6];
    Vec<D> r = Vec<D>::Zero();
    if (!solve_exact<D>(W, q, mu, r).converged) continue;
    ++solved;
    const Vec<D> u = W * r + q;
    const RhoPair rho{std::pow(10, 2 * numbers.uniform() - 1), std::pow(10, 2 * numbers.uniform() - 1)};
    const double size =
        (1 + r.norm()) * (1 + u.norm()) * (1 + (mu < kInf ? mu + (mu > 0 ? 1 / mu : 0) : 0)) * (1 + rho.normal + rho.tangent);
    ASSERT_LE((residual_value<D>(function, r, u, mu, rho).norm()), 1e-7 * size * size)
        << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
  EXPECT_GT(solved, kPoints * 9 / 10);
}

/// Points with a natural map of the size of the data are no zeros of F; the candidates are near-misses: one condition of the law broken.
template <int D>
void check_zeros_are_solutions(ResidualFunction function) {
  Numbers numbers(2);
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[k % 6];
    Vec<D> e = Vec<D>::Zero(), f = Vec<D>::Zero();
    if (D == 2 || k % 5 == 0) e[1 + k % (D - 1)] = numbers.uniform() < 0.5 ? -1 : 1;  // along an axis
    else e.template tail<D - 1>() = numbers.vector<D - 1>().normalized();
    f.template tail<D - 1>() = numbers.vector<D - 1>().normalized();
    const double a = 0.1 + numbers.uniform(), b = 0.1 + numbers.uniform(), slope = mu < kInf ? mu : 1.0;
    const RhoPair rho{0.3 + numbers.uniform(), 0.3 + numbers.uniform()};
    Vec<D> r = Vec<D>::Zero(), u = Vec<D>::Zero();
    const int fault = k / 6 % 7;
    if (fault == 0) r[0] = a, r += slope * a * e, u = b * e;             // slides with the friction, not against it
    if (fault == 1) u[0] = -b;                                           // penetrates
    if (fault == 2) r[0] = -a;                                           // adhesion
    if (fault == 3) r[0] = a, r += (slope * a + b) * e;                  // outside the cone
    if (fault == 4) r[0] = a, r += 0.5 * slope * a * e, u = b * f;       // slides with a force inside the cone
    if (fault == 5) u[0] = b, u += a * e, r = rho.tangent * a * e;       // open, with r_T = ρ_T u_T
    if (fault == 6) r[0] = a, u[0] = b;                                  // pushes and opens
    if ((CoulombCone<D>{mu}.natural_map(r, u).norm()) < 1e-3) continue;  // solutions for μ = 0 or ∞
    ASSERT_GT((residual_value<D>(function, r, u, mu, rho).norm()), 1e-4)
        << "fault " << fault << ", μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[k % 6];
    const Vec<D> r = numbers.vector<D>(), u = numbers.vector<D>();
    const RhoPair rho{0.3 + numbers.uniform(), 0.3 + numbers.uniform()};
    const double nat = CoulombCone<D>{mu}.natural_map(r, u).norm();
    ASSERT_GT((residual_value<D>(function, r, u, mu, rho).norm()), 1e-3 * nat * std::min(1.0, nat));
  }
}

template <int D>
void check_derivative(ResidualFunction function) {
  Numbers numbers(3);
  constexpr double kStep = 1e-6;
  int smooth = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double mu = kMu[k % 6];
    const RhoPair rho{0.3 + numbers.uniform(), 0.3 + numbers.uniform()};
    const Vec<D> r = numbers.vector<D>(), u = numbers.vector<D>();
    const auto at_point = [&](const Vec<D>& x, const Vec<D>& y) { return residual<D>(function, x, y, mu, rho); };
    const ContactJacobian<D> at = at_point(r, u);
    ASSERT_EQ(at.F, (residual_value<D>(function, r, u, mu, rho)));
    // A point counts as smooth when no neighbour at 1e-4 has a Jacobian far from this one.
    bool same = tangent_norm<D>(u) > 0.05 && tangent_norm<D>(r) > 0.05 && tangent_norm<D>(r - rho.tangent * u) > 0.05;
    Mat<D> dr, du;
    for (int i = 0; i < D; ++i) {
      const Vec<D> wide = 1e2 * kStep * Vec<D>::Unit(i), step = kStep * Vec<D>::Unit(i);
      for (const double sign : {-1.0, 1.0}) {
        same = same && distance<D>(at_point(r + sign * wide, u), at) < 0.02;
        same = same && distance<D>(at_point(r, u + sign * wide), at) < 0.02;
      }
      dr.col(i) = (at_point(r + step, u).F - at_point(r - step, u).F) / (2 * kStep);
      du.col(i) = (at_point(r, u + step).F - at_point(r, u - step).F) / (2 * kStep);
    }
    if (!same) continue;
    ++smooth;
    ASSERT_LE((at.dr - dr).norm(), 1e-6) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
    ASSERT_LE((at.du - du).norm(), 1e-6) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
  EXPECT_GT(smooth, 20000);
}

/// On kinks some point at a distance of 1e-7 has the Jacobian that is returned, or the latter is in the convex hull of those at hand
/// (natural map and Fischer–Burmeister at u_T = r_T = 0, documented there and excluded here).
template <int D>
void check_limits(ResidualFunction function) {
  Numbers numbers(4);
  for (int k = 0; k < 600; ++k) {
    const double mu = kMu[1 + k % 4];
    const RhoPair rho{0.3 + numbers.uniform(), 0.3 + numbers.uniform()};
    const double one = std::min(rho.normal, rho.tangent);
    Vec<D> r = numbers.vector<D>(), u = numbers.vector<D>(), e = Vec<D>::Zero();
    e.template tail<D - 1>() = numbers.vector<D - 1>().normalized();
    const int kink = k / 4 % 8;
    if (kink == 0) r[0] = rho.normal * u[0];                                              // y = 0
    if (kink == 1) r[0] = rho.normal * u[0] + tangent_norm<D>(r - rho.tangent * u) / mu;  // edge of the disk of Alart–Curnier
    if (kink == 2) r[0] = tangent_norm<D>(r - rho.tangent * u) / mu;                      // edge of the disk of Jean–Moreau
    if (kink == 3) r[0] = std::abs(r[0]), u = Vec<D>::Zero(), r.template tail<D - 1>() *= 0.5 * mu * r[0] / tangent_norm<D>(r);  // stick
    if (kink == 4) r[0] = 0;
    if (kink == 5) r[0] = std::abs(r[0]), u.setZero(), r.template tail<D - 1>() = mu * r[0] * e.template tail<D - 1>();  // stick on ∂K
    if (kink == 6) r.setZero(), u = std::abs(u[0]) * e, u[0] = 0;                                                        // grazing
    if (kink == 7)
      r[0] = one * (u[0] + mu * tangent_norm<D>(u)) + tangent_norm<D>(r - one * u) / mu;  // edge of the cone of the natural map
    const ContactJacobian<D> at = residual<D>(function, r, u, mu, rho);
    ASSERT_TRUE(at.F.allFinite() && at.dr.allFinite() && at.du.allFinite());
    double nearest = kInf;
    // Random directions, dominated by one of the two arguments, and special ones; several lengths.
    for (int trial = 0; trial < 20000 && nearest > 2e-2; ++trial) {
      const double length = std::pow(10.0, -7 + trial % 3);
      Vec<D> dr = length * numbers.vector<D>(), du = length * numbers.vector<D>();
      if (trial % 5 == 1) dr = length * Vec<D>::Unit(0), du = length * Vec<D>::Unit(0);
      if (trial % 5 == 2) dr = 1e-4 * length * numbers.vector<D>();
      if (trial % 5 == 3) du = 1e-4 * length * numbers.vector<D>();
      if (trial % 5 == 4)
        dr = length / mu * Vec<D>::Unit(0), du = length * mu / one * Vec<D>::Unit(0);  // x and y of Fischer–Burmeister alike
      nearest = std::min(nearest, distance<D>(residual<D>(function, r + dr, u + du, mu, rho), at));
    }
    ASSERT_LE(nearest, 2e-2 * (1 + at.dr.norm() + at.du.norm()))
        << "kink " << kink << ", μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
}

class Residuals : public testing::TestWithParam<ResidualFunction> {};

TEST_P(Residuals, SolutionsAreZeros) { check_solutions_are_zeros<2>(GetParam()), check_solutions_are_zeros<3>(GetParam()); }
TEST_P(Residuals, ZerosAreSolutions) { check_zeros_are_solutions<2>(GetParam()), check_zeros_are_solutions<3>(GetParam()); }
TEST_P(Residuals, JacobianIsTheDerivative) { check_derivative<2>(GetParam()), check_derivative<3>(GetParam()); }
TEST_P(Residuals, JacobianOnKinksIsALimit) { check_limits<2>(GetParam()), check_limits<3>(GetParam()); }

std::string function_name(const testing::TestParamInfo<ResidualFunction>& parameter) {
  const char* names[] = {"AlartCurnier", "JeanMoreau", "NaturalMap", "FischerBurmeister", "HueberStadlerWohlmuth", "XuewenSohWanji"};
  return names[static_cast<int>(parameter.param)];
}

INSTANTIATE_TEST_SUITE_P(All, Residuals, testing::ValuesIn(kFunctions), function_name);

/// φ vanishes on L ∋ x ⊥ y ∈ L only, and φ(x, y) = φ(y, x).
TEST(LorentzFischerBurmeister, ZeroOnComplementaryPairsOnly) {
  Numbers numbers(5);
  for (int k = 0; k < kPoints; ++k) {
    Vec<3> e = numbers.vector<3>();
    e[0] = 0;
    e.normalize();
    const double a = numbers.uniform(), b = numbers.uniform();
    const Vec<3> one(1, 0, 0), x = a * (one + e), y = b * (one - e);
    ASSERT_LE((lorentz_fischer_burmeister<3>(x, y).F.norm()), 1e-15 * 8);
    ASSERT_LE((lorentz_fischer_burmeister<3>(x + 0.1 * one, Vec<3>::Zero()).F.norm()), 1e-15 * 8);
    ASSERT_GT((lorentz_fischer_burmeister<3>(x + 0.1 * one, y + 0.1 * one).F.norm()), 1e-3);
    const Vec<3> p = numbers.vector<3>(), q = numbers.vector<3>();
    ASSERT_LE((lorentz_fischer_burmeister<3>(p, q).F - lorentz_fischer_burmeister<3>(q, p).F).norm(), 1e-13);
  }
}

}  // namespace
}  // namespace cornet
