// The system of newton-ipm: the smooth shift and the Newton directions against finite differences, the start, recentring, and the matrices of both
// forms against dense ones.
#include "solvers/ipm_system.h"

#include <gtest/gtest.h>

#include <optional>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::kInfinity;
using test::with_mixed_friction;

// Mathematics of the system

// A system over a dense random problem, at a random point inside the cones, with a random direction.
template <int D>
struct Fixture {
  explicit Fixture(std::uint64_t seed, bool mixed = false) : random(seed) {
    Iterate known;
    LocalProblem problem = samples::random_local(D, 5, 6, 0.2, 1.2, 0.3, seed, known);
    if (mixed) problem = with_mixed_friction(problem);
    local.emplace(problem);
    W = test::dense(problem.W);
    matrix.set(*local);
    system.prepare(matrix);
    const int m = system.size();
    p = {VectorXd::Zero(m), VectorXd::Zero(m)};
    for (int a = 0; a < system.contacts(); ++a)
      for (VectorXd* z : {&p.x, &p.y}) {
        double tail = 0;
        for (int i = 1; i < system.cone(a); ++i) {
          (*z)[a * D + i] = random.uniform(-1, 1);
          tail += (*z)[a * D + i] * (*z)[a * D + i];
        }
        (*z)[a * D] = std::sqrt(tail) + random.uniform(0.1, 1);
      }
    // μ = ∞ has a free tangential reaction.
    for (int a = 0; a < system.contacts(); ++a)
      if (std::isinf(problem.mu[static_cast<std::size_t>(a)]))
        for (int i = 1; i < D; ++i) p.x[a * D + i] = random.uniform(-1, 1);
  }

  VectorXd vector() {
    VectorXd v(system.size());
    for (double& x : v) x = random.uniform(-1, 1);
    return v;
  }
  VectorXd residual(const typename IpmSystem<D>::Point& at) {
    VectorXd F;
    system.residual(at, F);
    return F;
  }

  test::Random random;
  std::optional<LocalSystem<D>> local;
  MatrixXd W;
  LocalIpmMatrix<D> matrix;
  IpmSystem<D> system;
  typename IpmSystem<D>::Point p;
};

template <int D>
void expect_shift_derivatives() {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Fixture<D> f(seed);
    ASSERT_TRUE(f.system.linearise(f.p));
    typename IpmSystem<D>::Point d{VectorXd::Zero(f.system.size()), 0.1 * f.vector()};
    // With x at rest F + y is a constant plus s(y) in the normal rows.
    const auto shift = [&](double t, int a) {
      typename IpmSystem<D>::Point at{f.p.x, f.p.y + t * d.y};
      return f.residual(at)[a * D] + at.y[a * D];
    };
    for (int a = 0; a < f.system.contacts(); ++a) {
      const double* y = &f.p.y[a * D];
      const double tail2 = Lorentz::tail(y, D) * Lorentz::tail(y, D);
      // s itself: the difference to the value at y_T = 0 is ‖y_T‖²/y₁.
      auto straight = f.p;
      straight.y.template segment<D - 1>(a * D + 1).setZero();
      EXPECT_NEAR(shift(0, a) - (f.residual(straight)[a * D] + straight.y[a * D]), tail2 / y[0], 1e-13 * (1 + tail2 / y[0]));
      const double h = 1e-4;
      const double slope = (shift(h, a) - shift(-h, a)) / (2 * h);
      const double bend = (shift(h, a) - 2 * shift(0, a) + shift(-h, a)) / (h * h);
      EXPECT_NEAR(f.system.shift_curvature(f.p, d, a), bend, 1e-5 * (1 + std::abs(bend)));
      for (const double t : {0.3, 1.0})
        EXPECT_NEAR(f.system.shift_remainder(f.p, d, t, a), shift(t, a) - shift(0, a) - t * slope, 1e-7) << "t = " << t;
      EXPECT_GE(f.system.shift_curvature(f.p, d, a), 0);  // s is convex inside the cone
      // Bounded by 2(‖v_T‖ + v₁)²/y₁: the cone's own scale.
      const double* v = &d.y[a * D];
      const double size = Lorentz::tail(v, D) + std::abs(v[0]);
      EXPECT_LE(f.system.shift_curvature(f.p, d, a), 2 * size * size / y[0] * (1 + 1e-12));
    }
  }
}

TEST(IpmSystem, ShiftAndItsDerivatives) {
  expect_shift_derivatives<2>();
  expect_shift_derivatives<3>();
}

// A dx − T dy = f and λ ∘ (P dx + P⁻¹dy) = c, both recomputed: A dx and T dy from residuals, P from its definition.
template <int D>
void expect_directions(bool mixed, double share) {
  for (std::uint64_t seed = 11; seed <= 15; ++seed) {
    Fixture<D> f(seed, mixed);
    ASSERT_TRUE(f.system.linearise(f.p, share));
    VectorXd rhs = f.vector(), c = f.vector();
    const std::vector<double>& mu = f.matrix.mu();
    for (int a = 0; a < f.system.contacts(); ++a)
      if (mu[static_cast<std::size_t>(a)] == 0) rhs.segment<D - 1>(a * D + 1).setZero();
    typename IpmSystem<D>::Point d;
    f.system.direction(rhs, c, d);
    const double h = 1e-5;
    const VectorXd A_dx = f.residual({f.p.x + d.x, f.p.y}) - f.residual(f.p);
    // T = I − share·e₁∇sᵀ: the differences of the residual have all of ∇s.
    const VectorXd full = -(f.residual({f.p.x, f.p.y + h * d.y}) - f.residual({f.p.x, f.p.y - h * d.y})) / (2 * h);
    const VectorXd T_dy = d.y + share * (full - d.y);
    EXPECT_LE((A_dx - T_dy - rhs).norm(), 1e-6 * (1 + A_dx.norm() + T_dy.norm()));
    VectorXd lambda2;
    f.system.lambda_squared(lambda2);
    for (int a = 0; a < f.system.contacts(); ++a) {
      const int n = f.system.cone(a);
      Scaling scaling;
      scaling.update(&f.p.y[a * D], &f.p.x[a * D], n);
      double px[3], py[3], from_x[3], from_y[3], sum[3], product[3];
      scaling.apply(&f.p.x[a * D], n, from_x);
      scaling.apply_inverse(&f.p.y[a * D], n, from_y);
      scaling.apply(&d.x[a * D], n, px);
      scaling.apply_inverse(&d.y[a * D], n, py);
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(from_x[i], from_y[i], 1e-11 * (1 + std::abs(from_x[i])));  // P x = P⁻¹y
        sum[i] = px[i] + py[i];
      }
      Lorentz::product(from_x, from_x, n, product);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(product[i], lambda2[a * D + i], 1e-10 * (1 + std::abs(product[i])));
      Lorentz::product(from_x, sum, n, product);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(product[i], c[a * D + i], 1e-8 * (1 + std::abs(px[i]) + std::abs(py[i])));
      for (int i = n; i < D; ++i) {
        EXPECT_EQ(d.y[a * D + i], 0.0);
        if (mu[static_cast<std::size_t>(a)] != 0) continue;
        EXPECT_EQ(d.x[a * D + i], 0.0);
      }
    }
  }
}

TEST(IpmSystem, DirectionsSatisfyTheLinearisedEquations) {
  for (const bool mixed : {false, true}) {
    for (const double share : {1.0, 0.8, 0.0}) {
      expect_directions<2>(mixed, share);
      expect_directions<3>(mixed, share);
    }
  }
}

TEST(IpmSystem, StartIsCentralAndFreeOfUnits) {
  double unit = 0;  // τ in units of the force
  for (const double force : {1e-6, 1.0, 1e6}) {
    Iterate known;
    LocalProblem problem = samples::random_local(3, 6, 18, 0.3, 0.9, 0, 4, known);
    for (double& x : problem.q) x *= force;
    const LocalSystem<3> local(problem);
    LocalIpmMatrix<3> matrix;
    matrix.set(local);
    IpmSystem<3> system;
    system.prepare(matrix);
    const auto p = system.start();
    const double tau = system.complementarity(p);
    for (int a = 0; a < 6; ++a) {
      EXPECT_NEAR(p.x[3 * a] * p.y[3 * a], tau, 1e-12 * tau);
      EXPECT_EQ(p.x.segment<2>(3 * a + 1).norm() + p.y.segment<2>(3 * a + 1).norm(), 0.0);
    }
    typename IpmSystem<3>::Point rest{VectorXd::Zero(18), VectorXd::Zero(18)};
    EXPECT_TRUE(system.central(p, rest, 1, 0.999));
    if (unit == 0) unit = tau / (force * force);
    EXPECT_NEAR(tau / (force * force), unit, 1e-9 * unit);
  }
}

template <int D>
void expect_recentred() {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const double tau : {1e-12, 1e-3, 7.0}) {
      Fixture<D> f(seed, seed % 2 == 0);
      const auto start = f.system.start();
      auto p = f.p;
      f.system.recentre(p, tau);
      for (int a = 0; a < f.system.contacts(); ++a) {
        const int n = f.system.cone(a);
        double product[D];
        Lorentz::product(&p.x[a * D], &p.y[a * D], n, product);
        const double close =
            1e-10 * tau + 1e-14 * p.x.template segment<D>(a * D).norm() * p.y.template segment<D>(a * D).norm();  // rounding
        EXPECT_NEAR(product[0], tau, close);
        const double unit = start.y[a * D] / start.x[a * D];  // the mean diagonal of A^αα: at the start y = a x
        for (int i = 1; i < n; ++i) EXPECT_NEAR(product[i], 0, close);
        for (int i = 0; i < n; ++i) {
          const double before = f.p.x[a * D + i] - f.p.y[a * D + i] / unit, after = p.x[a * D + i] - p.y[a * D + i] / unit;
          EXPECT_NEAR(after, before, 1e-12 * (1 + f.p.x.norm() + f.p.y.norm() / unit));
        }
        for (int i = n; i < D; ++i) EXPECT_EQ(p.x[a * D + i], f.p.x[a * D + i]);  // the free reaction of μ = ∞, the zero of μ = 0
        EXPECT_GT(Lorentz::depth(&p.x[a * D], n), 0);
        EXPECT_GT(Lorentz::depth(&p.y[a * D], n), 0);
      }
    }
}

TEST(IpmSystem, RecentringMovesOntoTheCentre) {
  expect_recentred<2>();
  expect_recentred<3>();
}

// Near a solution the point is central, keeps the reactions down to √τ, and its velocities are those of the law.
TEST(IpmSystem, NearASolution) {
  const LocalProblem problem = with_mixed_friction(Reduction(samples::sphere_lattice(3, 3, 2, 0.4, 1)).local());
  RunOptions options;
  options.tolerance = 1e-12;
  const Result known = solve(problem, options);
  ASSERT_TRUE(known.solved()) << known.message;
  const LocalSystem<3> local(problem);
  LocalIpmMatrix<3> matrix;
  matrix.set(local);
  IpmSystem<3> system;
  system.prepare(matrix);
  const double tau = 1e-12 * system.complementarity(system.start());
  const auto p = system.near(known.x.r, tau);
  EXPECT_NEAR(system.complementarity(p), tau, 1e-3 * tau);
  EXPECT_TRUE(system.central(p, {VectorXd::Zero(system.size()), VectorXd::Zero(system.size())}, 0, 0.999));
  VectorXd F;
  system.residual(p, F);
  EXPECT_LE(F.norm(), 1e-4 * local.norm_q);
  EXPECT_LE(system.error(p), 1e-4);
  EXPECT_LE((test::vec(system.reactions()) - test::vec(known.x.r)).norm(), 1e-4 * test::vec(known.x.r).norm());
}

TEST(IpmSystem, LargestStepEndsOnTheBoundary) {
  Fixture<3> f(21);
  typename IpmSystem<3>::Point d{10 * f.vector(), 10 * f.vector()};
  const double t = f.system.largest_step(f.p, d, 100);
  ASSERT_LT(t, 100);
  double least = kInfinity;
  for (int a = 0; a < f.system.contacts(); ++a) {
    const VectorXd x = f.p.x + t * d.x, y = f.p.y + t * d.y;
    for (const VectorXd* z : {&x, &y}) least = std::min(least, Lorentz::depth(&(*z)[3 * a], 3));
  }
  EXPECT_NEAR(least, 0, 1e-10);
}

// Matrices

template <int D>
Mat<D> random_block(test::Random& random, double diagonal) {
  Mat<D> E;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) E(i, j) = random.uniform(-1, 1);
  E.diagonal().array() += diagonal;
  return E;
}

// (A + E) d = f on contacts, on bodies and dense, and the sign of the determinant. `flips`: how many blocks of E get a negative determinant.
template <int D>
void expect_equal_solves(const GlobalProblem& problem, int flips, double tolerance) {
  test::Random random(7);
  const Reduction reduction(problem);
  const LocalSystem<D> local(reduction.local());
  LocalIpmMatrix<D> on_contacts;
  on_contacts.set(local);
  GlobalIpmMatrix<D> on_bodies(problem);
  const int nc = local.contacts(), m = nc * D;
  ASSERT_EQ(on_bodies.contacts(), nc);
  // Every contact adds a full block on what it touches: that is work, however few numbers the factors have.
  double shares = 0;
  for (int a = 0; a < nc; ++a) shares += std::pow((test::dense(problem.H).middleCols(a * D, D).rowwise().norm().array() > 0).count(), 2);
  EXPECT_GE(on_bodies.entries(), shares);
  std::vector<Vec<D>> S(static_cast<std::size_t>(nc));
  std::vector<Mat<D>> E(S.size()), inverse(S.size());
  VectorXd scale(m);
  MatrixXd A = test::dense(reduction.local().W);
  const double size = A.diagonal().mean();
  MatrixXd full = MatrixXd::Zero(m, m);
  for (int a = 0; a < nc; ++a) {
    const auto k = static_cast<std::size_t>(a);
    for (int i = 0; i < D; ++i) S[k][i] = scale[a * D + i] = random.uniform(0.5, 2);
    const bool rough = std::isinf(problem.mu[k]);
    if (rough) {
      E[k].setZero();
      inverse[k].setZero();
      E[k](0, 0) = size * random.uniform(0.5, 2);
      inverse[k](0, 0) = 1 / E[k](0, 0);
    } else {
      E[k] = size * random_block<D>(random, 2);
      if (a < flips) E[k].row(0) *= -1;
      inverse[k] = E[k].inverse();
    }
    full.template block<D, D>(a * D, a * D) = E[k];
  }
  full += scale.asDiagonal() * A * scale.asDiagonal();
  on_contacts.scale(S);
  on_bodies.scale(S);
  EXPECT_TRUE(on_bodies.wants_inverse());
  ASSERT_TRUE(on_contacts.factorise(E, inverse));
  ASSERT_TRUE(on_bodies.factorise(E, inverse));
  VectorXd f(m), one(m), other(m);
  for (double& x : f) x = random.uniform(-1, 1);
  EXPECT_LE(on_contacts.solve(f, one), 1e-12);
  EXPECT_LE(on_bodies.solve(f, other), 1e-9);
  const Eigen::FullPivLU<MatrixXd> lu(full);
  const VectorXd exact = lu.solve(f);
  EXPECT_LE((one - exact).norm(), tolerance * exact.norm());
  EXPECT_LE((other - exact).norm(), tolerance * exact.norm());
  // The determinant of many unknowns leaves the range of double: count signs of the pivots instead.
  const Eigen::PartialPivLU<MatrixXd> signs(full);
  int sign = static_cast<int>(signs.permutationP().determinant());
  for (int i = 0; i < m; ++i)
    if (signs.matrixLU()(i, i) < 0) sign = -sign;
  EXPECT_EQ(on_contacts.determinant_sign(), sign);
  EXPECT_EQ(on_bodies.determinant_sign(), sign);
  // u = W r + q by both.
  std::vector<double> r(static_cast<std::size_t>(m)), u(r.size()), v(r.size());
  for (double& x : r) x = random.uniform(-1, 1);
  on_contacts.velocities(r.data(), u.data());
  on_bodies.velocities(r.data(), v.data());
  EXPECT_LE((test::vec(u) - test::vec(v)).norm(), 1e-12 * (1 + test::vec(u).norm()));
}

TEST(IpmMatrix, BothFormsEqualTheDenseMatrix) {
  for (const int flips : {0, 1, 2, 3}) {
    SCOPED_TRACE(testing::Message() << flips << " flips");
    expect_equal_solves<3>(samples::box_stack(3, 0.5), flips, 1e-9);
    expect_equal_solves<3>(samples::sphere_lattice(2, 2, 2, 0.5, 1), flips, 1e-9);
    expect_equal_solves<3>(samples::spinning_disks(2, 0.5), flips, 1e-9);
    expect_equal_solves<2>(samples::disk_packing(4, 3, 0.5, 1), flips, 1e-9);
  }
}

TEST(IpmMatrix, JointsAndInfiniteFrictionOnBodies) {
  expect_equal_solves<3>(samples::jointed_cubes(0.5), 0, 1e-7);
  expect_equal_solves<3>(samples::jointed_cubes(0.5), 1, 1e-7);
  GlobalProblem one_rough = samples::sphere_lattice(2, 2, 1, 0.5, 1);
  one_rough.mu[2] = kInfinity;
  expect_equal_solves<3>(one_rough, 0, 1e-7);
  GlobalProblem plane = samples::disk_packing(4, 3, 0.5, 1);
  plane.mu[0] = plane.mu[3] = kInfinity;
  expect_equal_solves<2>(plane, 1, 1e-7);
}

}  // namespace
}  // namespace cornet
