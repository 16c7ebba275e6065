// One-contact solvers on seeded random problems: accuracy, agreement with each other and with an exhaustive case analysis, robustness.
//
// Accuracy is judged by two residuals, both taken after scaling to ‖W‖ = ‖q‖ = 1, where S = ‖q‖ + ‖W‖‖r‖ is the size of the terms
// that cancel in u = W r + q, so that rounding alone makes u uncertain by a few ε S:
//   local_error·‖q‖ ≤ 2e-13 S              (the acceptance level of solve_exact is 1e-13 S; typical values are 1e-16 S)
//   ‖natural map, ρ = 1‖ ≤ 1e-12 (1 + μ) S  (the De Saxcé shift μ‖u_T‖ multiplies the uncertainty of u by μ)
// The second holds for ill-conditioned and singular W as well because S contains ‖r‖; existence is guaranteed in all families:
// W positive definite, or q built from a known solution.
#include "contact/one_contact.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "contact/secular.h"

namespace cornet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMu[] = {0, 1e-8, 0.3, 1, 10, 1e8, kInf};

enum class Family { symmetric, unsymmetric, ill_conditioned, rank_deficient };

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  double uniform() { return uniform_(engine_); }
  double scale(double decades) { return std::pow(10.0, decades * (2 * uniform() - 1)); }

  template <int D>
  Vec<D> vector() {
    Vec<D> z;
    for (int i = 0; i < D; ++i) z[i] = normal_(engine_);
    return z;
  }

  template <int D>
  Mat<D> matrix() {
    Mat<D> A;
    for (int i = 0; i < D; ++i) A.col(i) = vector<D>();
    return A;
  }

  /// Random orthonormal columns by Gram–Schmidt.
  template <int D>
  Mat<D> rotation() {
    Mat<D> Q = matrix<D>();
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < i; ++j) Q.col(i) -= Q.col(j).dot(Q.col(i)) * Q.col(j);
      Q.col(i).normalize();
    }
    return Q;
  }

  template <int D>
  Mat<D> mobility(Family family) {
    if (family == Family::ill_conditioned) {
      Vec<D> lambda;
      for (int i = 0; i < D; ++i) lambda[i] = std::pow(10, -8 * uniform());
      lambda[0] = 1, lambda[D - 1] = 1e-8;
      const Mat<D> Q = rotation<D>(), W = Q * lambda.asDiagonal() * Q.transpose();
      return 0.5 * (W + W.transpose());
    }
    Mat<D> A = matrix<D>();
    if (family == Family::rank_deficient) {
      A.col(D - 1).setZero();
      if (uniform() < 0.3) A.col(D - 2).setZero();
    }
    Mat<D> W = A * A.transpose();
    if (family == Family::unsymmetric) {
      const Mat<D> B = matrix<D>();
      W += 0.5 * (B - B.transpose());
    }
    return W;
  }

  /// q = u − W r of a known solution.
  template <int D>
  Vec<D> solvable(const Mat<D>& W, double mu) {
    Vec<D> e = vector<D>(), r = Vec<D>::Zero(), u = Vec<D>::Zero();
    e[0] = 0;
    e.normalize();
    const double kind = 3 * uniform(), slope = mu == kInf ? 5 : mu;
    if (kind < 1) {
      if (mu < kInf) u = uniform() * e;
      u[0] = uniform();
    } else {
      r[0] = uniform();
      r += r[0] * slope * (kind < 2 ? uniform() : 1.0) * e;
      if (kind >= 2 && mu < kInf) u = -uniform() * e;
    }
    return u - W * r;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

/// ‖natural map‖ of the problem scaled to ‖W‖ = ‖q‖ = 1, and S.
template <int D>
void scaled_natural_map(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& r, double& residual, double& size) {
  const double W_unit = W.norm() > 0 ? W.norm() : 1.0, q_unit = q.norm() > 0 ? q.norm() : 1.0;
  const Vec<D> x = r / q_unit * W_unit, u = (W / W_unit) * x + q / q_unit;
  residual = CoulombCone<D>{mu}.natural_map(x, u).norm();
  size = 1 + x.norm();
}

template <int D>
void check_exact(Family family) {
  Generator random(17);
  for (const double mu : kMu) {
    for (int k = 0; k < 2000; ++k) {
      Mat<D> W = random.mobility<D>(family);
      Vec<D> q = family == Family::rank_deficient ? random.solvable<D>(W, mu) : random.vector<D>();
      const double W_unit = random.scale(12), q_unit = random.scale(12);
      Vec<D> r = random.vector<D>() * (q_unit / W_unit);
      W *= W_unit;
      q *= q_unit;
      const LocalOutcome out = solve_exact<D>(W, q, mu, r);
      SCOPED_TRACE(testing::Message() << "μ = " << mu << ", problem " << k << ", D = " << D);
      ASSERT_TRUE(out.converged);
      ASSERT_TRUE(r.allFinite());
      ASSERT_TRUE((CoulombCone<D>{mu}.contains(r, 1e-14 * r.norm())));
      ASSERT_NEAR(out.error, (local_error<D>(W, q, mu, r)), 1e-12 * (1 + out.error));
      double residual, size;
      scaled_natural_map<D>(W, q, mu, r, residual, size);
      ASSERT_LE((local_error<D>(W, q, mu, r)), 2e-13 * size) << "W =\n" << W << "\nq = " << q.transpose() << "\nr = " << r.transpose();
      ASSERT_LE(residual, 1e-12 * (mu < kInf ? 1 + mu : 1.0) * size) << "W =\n"
                                                                     << W << "\nq = " << q.transpose() << "\nr = " << r.transpose();
    }
  }
}

TEST(OneContactLaws, ExactSymmetric) { check_exact<2>(Family::symmetric), check_exact<3>(Family::symmetric); }
TEST(OneContactLaws, ExactUnsymmetric) { check_exact<2>(Family::unsymmetric), check_exact<3>(Family::unsymmetric); }
TEST(OneContactLaws, ExactIllConditioned) { check_exact<2>(Family::ill_conditioned), check_exact<3>(Family::ill_conditioned); }
TEST(OneContactLaws, ExactRankDeficient) { check_exact<2>(Family::rank_deficient), check_exact<3>(Family::rank_deficient); }

TEST(OneContactLaws, ExtremesAreExact) {
  Generator random(18);
  for (int k = 0; k < 100000; ++k) {
    const Mat<3> W = random.mobility<3>(k % 2 == 0 ? Family::symmetric : Family::unsymmetric);
    const Vec<3> q = random.vector<3>();
    Vec<3> r = random.vector<3>();
    solve_exact<3>(W, q, 0, r);
    ASSERT_EQ(r, Vec<3>(std::max(0.0, -q[0] / W(0, 0)), 0, 0));
    r = random.vector<3>();
    ASSERT_TRUE((solve_exact<3>(W, q, kInf, r).converged));
    const Vec<3> u = W * r + q;
    const double size = q.norm() + W.norm() * r.norm();
    ASSERT_GE(r[0], 0);
    ASSERT_GE(u[0], -1e-13 * size);
    ASSERT_LE(std::min(r[0] * W(0, 0), u[0]), 1e-13 * size);
    ASSERT_LE(std::hypot(u[1], u[2]), 1e-13 * size);
  }
}

/// With W = I the error is ‖F‖/‖q‖ for ρ = 1: within the factor 1 + μ of the natural map, either way, anywhere.
TEST(OneContactLaws, ErrorIsEquivalentToTheNaturalMap) {
  Generator random(23);
  for (int k = 0; k < 200000; ++k) {
    const double mu = std::vector{1e-3, 0.3, 1.0, 3.0, 100.0}[static_cast<unsigned>(k) % 5];
    const CoulombCone<3> cone{mu};
    Vec<3> r = random.vector<3>() * random.scale(2), u = random.vector<3>() * random.scale(2);
    if (k % 2 == 0) r = cone.project(r);
    // Half of those close to slide: u_N small, u_T against r_T.
    if (k % 4 == 0) u << 1e-3 * u[0], -u[0] * u[0] * r[1], -u[0] * u[0] * r[2] * (1 + 1e-3 * u[1]);
    const Vec<3> q = u - r;
    const double error = local_error<3>(Mat<3>::Identity(), q, mu, r) * q.norm(), natural = cone.natural_map(r, u).norm();
    const double rounding = 1e-14 * (1 + mu) * (r.norm() + u.norm());
    ASSERT_LE(natural, (1 + mu) * error + rounding) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
    ASSERT_LE(error, (1 + mu) * natural + rounding) << "μ = " << mu << ", r = " << r.transpose() << ", u = " << u.transpose();
  }
}

/// Scaling W and q by positive numbers and turning the tangent plane turns and scales the solution (unique case: weak coupling).
TEST(OneContactLaws, UnitsAndFrame) {
  Generator random(19);
  for (int k = 0; k < 100000; ++k) {
    const double mu = kMu[k % 4], W_unit = random.scale(12), q_unit = random.scale(12), angle = 6.28 * random.uniform();
    const Mat<3> A = 0.15 * random.matrix<3>() + Mat<3>::Identity(), W = A * A.transpose();
    const Vec<3> q = random.vector<3>();
    Mat<3> Q = Mat<3>::Identity();
    Q(1, 1) = Q(2, 2) = std::cos(angle);
    Q(2, 1) = std::sin(angle);
    Q(1, 2) = -Q(2, 1);
    Vec<3> r(0, 0, 0), turned(0, 0, 0);
    solve_exact<3>(W, q, mu, r);
    solve_exact<3>(W_unit * (Q * W * Q.transpose()), q_unit * (Q * q), mu, turned);
    ASSERT_LE((turned / q_unit * W_unit - Q * r).norm(), 1e-12 * (1 + r.norm())) << "problem " << k;
  }
}

/// Weak coupling, one solution: Newton (plain and with line search) and projections find what solve_exact finds.
template <int D>
void check_agreement() {
  Generator random(20);
  constexpr int kProblems = 50000;
  int newton = 0, line_search = 0, projections = 0;
  for (int k = 0; k < kProblems; ++k) {
    const double mu = kMu[k % 4];
    const Mat<D> A = 0.12 * random.matrix<D>() + Mat<D>::Identity(), W = A * A.transpose();
    const Vec<D> q = random.vector<D>(), start = random.vector<D>();
    Vec<D> exact = start, r = start;
    solve_exact<D>(W, q, mu, exact);
    const LocalOutcome plain = newton_ac<D>(W, q, mu, rho_split<D>(W), 1e-13, 100, false, r);
    newton += plain.converged;
    if (plain.converged) {
      ASSERT_LE((r - exact).norm(), 1e-11 * (1 + exact.norm())) << "newton_ac, problem " << k;
    }
    r = start;
    const LocalOutcome searched = newton_ac<D>(W, q, mu, rho_split<D>(W), 1e-13, 100, true, r);
    line_search += searched.converged;
    if (searched.converged) {
      ASSERT_LE((r - exact).norm(), 1e-11 * (1 + exact.norm())) << "newton_ac with line search, problem " << k;
    }
    r = start;
    double rho = 1;
    const LocalOutcome projected = vi_fixed_point<D>(W, q, mu, rho, 1e-9, 2000, r);
    projections += projected.converged;
    if (projected.converged) {
      ASSERT_LE((r - exact).norm(), 1e-6 * (1 + exact.norm())) << "vi_fixed_point, problem " << k;
    }
  }
  EXPECT_GE(newton, kProblems * 0.999);
  EXPECT_GE(line_search, kProblems * 0.999);
  EXPECT_GE(projections, kProblems * 0.999);
}

TEST(OneContactLaws, IterativeSolversAgreeInThePlane) { check_agreement<2>(); }
TEST(OneContactLaws, IterativeSolversAgreeInSpace) { check_agreement<3>(); }

/// All solutions in the plane: r = 0, u = 0, and the two edges of the cone.
std::vector<Vec<2>> all_solutions(const Mat<2>& W, const Vec<2>& q, double mu) {
  std::vector<Vec<2>> found;
  if (q[0] >= 0) found.emplace_back(0, 0);
  const long double det = static_cast<long double>(W(0, 0)) * W(1, 1) - static_cast<long double>(W(0, 1)) * W(1, 0);
  const long double n = -(q[0] * static_cast<long double>(W(1, 1)) - q[1] * static_cast<long double>(W(0, 1))) / det;
  const long double t = -(q[1] * static_cast<long double>(W(0, 0)) - q[0] * static_cast<long double>(W(1, 0))) / det;
  if (std::abs(t) <= mu * n) found.emplace_back(static_cast<double>(n), static_cast<double>(t));
  for (const double side : {mu, -mu}) {
    const double r_n = -q[0] / (W(0, 0) + side * W(0, 1)), u_t = q[1] + (W(1, 0) + side * W(1, 1)) * r_n;
    if (r_n > 0 && u_t * side < 0) found.emplace_back(r_n, side * r_n);
  }
  return found;
}

/// All solutions in space: r = 0, u = 0, and a scan over the direction e of r_T = μ r_N e. With u_N = 0, r_N = −q_N/(W_NN + μ W_N·e),
/// slide means u_T × e = 0 (multiplied by the denominator: continuous) and u_T·e < 0.
std::vector<Vec<3>> all_solutions(const Mat<3>& W, const Vec<3>& q, double mu) {
  std::vector<Vec<3>> found;
  if (q[0] >= 0) found.emplace_back(0, 0, 0);
  const Vec<3> x = W.partialPivLu().solve(-q);
  if (tangent_norm<3>(x) <= mu * x[0]) found.push_back(x);
  const auto turn = [&](double angle, Vec<3>& r) {
    const Vec<3> edge(1, mu * std::cos(angle), mu * std::sin(angle));
    const double pivot = W.row(0).dot(edge);
    r = -q[0] / pivot * edge;
    const Vec<3> u = pivot * q - q[0] * (W * edge);
    return (u[1] * edge[2] - u[2] * edge[1]) / mu;
  };
  constexpr int kAngles = 1440;
  const double step = 2 * std::acos(-1.0) / kAngles;
  Vec<3> r;
  double last = turn(0, r);
  for (int k = 1; k <= kAngles; ++k) {
    const double here = turn(k * step, r);
    if ((here > 0) != (last > 0)) {
      double a = (k - 1) * step, b = k * step;
      for (int i = 0; i < 60; ++i) ((turn(0.5 * (a + b), r) > 0) == (last > 0) ? a : b) = 0.5 * (a + b);
      turn(0.5 * (a + b), r);
      const Vec<3> u = W * r + q;
      if (r[0] > 0 && u[1] * r[1] + u[2] * r[2] < 0) found.push_back(r);
    }
    last = here;
  }
  return found;
}

/// solve_exact returns the nearest of all solutions, and each of them when started there.
template <int D>
void check_exhaustive(int problems) {
  Generator random(21);
  int several = 0;
  for (int k = 0; k < problems; ++k) {
    const double mu = std::vector{0.3, 1.0, 3.0, 10.0}[static_cast<unsigned>(k) % 4];
    const Mat<D> W = random.mobility<D>(k % 2 == 0 ? Family::symmetric : Family::unsymmetric);
    const Vec<D> q = random.vector<D>(), start = random.vector<D>();
    const std::vector<Vec<D>> solutions = all_solutions(W, q, mu);
    SCOPED_TRACE(testing::Message() << "problem " << k << ", μ = " << mu << ", solutions: " << solutions.size());
    ASSERT_FALSE(solutions.empty());
    several += solutions.size() > 1;
    double nearest = kInf;
    for (const Vec<D>& x : solutions) {
      nearest = std::min(nearest, (x - start).norm());
      Vec<D> r = x;
      solve_exact<D>(W, q, mu, r);
      ASSERT_LE((r - x).norm(), 1e-6 * (1 + x.norm())) << "lost the solution " << x.transpose() << "\nW =\n"
                                                       << W << "\nq = " << q.transpose();
    }
    Vec<D> r = start;
    ASSERT_TRUE((solve_exact<D>(W, q, mu, r).converged));
    ASSERT_LE((r - start).norm(), nearest + 1e-6 * (1 + r.norm())) << "not the nearest\nW =\n" << W << "\nq = " << q.transpose();
    if constexpr (D == 3) {
      if (W(0, 0) > 0 && Secular(W, q, mu).unique(mu)) {
        ASSERT_EQ(solutions.size(), 1U);
      }
    }
  }
  EXPECT_GT(several, problems / 50) << "the sample should contain problems with several solutions";
}

TEST(OneContactLaws, AgreesWithCaseAnalysisInThePlane) { check_exhaustive<2>(100000); }
TEST(OneContactLaws, AgreesWithCaseAnalysisInSpace) { check_exhaustive<3>(20000); }

/// Whatever finite numbers come in, finite numbers come out.
template <int D>
void check_finite() {
  Generator random(22);
  for (int k = 0; k < 20000; ++k) {
    const double decades = k % 2 == 0 ? 300 : 20;
    Mat<D> W = random.mobility<D>(static_cast<Family>(k % 4)) * random.scale(decades / 2);
    if (k % 5 == 0) {
      for (int i = 0; i < D; ++i) {
        for (int j = 0; j < D; ++j) W(i, j) *= random.scale(decades / 2) * (random.uniform() < 0.2 ? 0 : 1);
      }
    }
    if (k % 97 == 0) W.setZero();
    Vec<D> q = random.vector<D>() * random.scale(decades), start = random.vector<D>() * random.scale(decades);
    if (k % 11 == 0) q[0] = 0;
    if (k % 13 == 0) q.setZero();
    if (k % 17 == 0) start.setZero();
    const double mus[] = {0, 1e-300, 1e-8, 0.3, 1, 10, 1e8, 1e300, kInf}, mu = mus[k % 9];
    SCOPED_TRACE(testing::Message() << "problem " << k << ", μ = " << mu << "\nW =\n" << W << "\nq = " << q.transpose());
    const RhoPair rho = rho_split<D>(W);
    ASSERT_TRUE(std::isfinite(rho.normal) && std::isfinite(rho.tangent) && rho.normal > 0 && rho.tangent > 0);
    Vec<D> r = start;
    LocalOutcome out = solve_exact<D>(W, q, mu, r);
    ASSERT_TRUE(r.allFinite());
    ASSERT_FALSE(std::isnan(out.error));
    for (const bool line_search : {false, true}) {
      r = start;
      out = newton_ac<D>(W, q, mu, rho, 1e-10, 20, line_search, r);
      ASSERT_TRUE(r.allFinite());
      ASSERT_FALSE(std::isnan(out.error));
    }
    r = start;
    double step = 1;
    out = vi_fixed_point<D>(W, q, mu, step, 1e-10, 50, r);
    ASSERT_TRUE(r.allFinite());
    ASSERT_TRUE(std::isfinite(step));
    ASSERT_FALSE(std::isnan(out.error));
    ASSERT_TRUE((one_projection<D>(W, q, mu, 1.0, start).allFinite()));
    ASSERT_FALSE(std::isnan(local_error<D>(W, q, mu, start)));
  }
}

TEST(OneContactLaws, FiniteInFiniteOut) { check_finite<2>(), check_finite<3>(); }

}  // namespace
}  // namespace cornet
