// certify(): errors computed by hand in 2D and 3D, extremes of mu, statuses, and the rule that only r counts.
//
// Most hand examples have W = 0, so that u = q is chosen freely: F = r − P_K(r − û) can then be worked out with a pencil.
#include <gtest/gtest.h>

#include <algorithm>

#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using test::kInfinity;
using test::kNan;
using test::make_local;
using test::reactions;

// One contact with W = 0: u = q.
Certificate one_contact(double mu, const std::vector<double>& r, const std::vector<double>& u) {
  const int dim = static_cast<int>(r.size());
  return certify(make_local(dim, MatrixXd::Zero(dim, dim), u, {mu}), reactions(r));
}

TEST(CertificatePlane, ProjectionOntoTheMantle) {
  // u = (0, 0.3), û = (0.15, 0.3), r − û = (0.35, −0.2), projection (0.36, −0.18), F = (0.14, 0.28).
  MatrixXd w = MatrixXd::Zero(2, 2);
  w.diagonal() << 2, 1;
  const Certificate c = certify(make_local(2, w, {-1, 0.2}, {0.5}), reactions({0.5, 0.1}));
  EXPECT_NEAR(c.natural_map, 0.14 * std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(c.norm_q, std::sqrt(1.04), 1e-15);
  EXPECT_NEAR(c.error, 0.14 * std::sqrt(5.0) / std::sqrt(1.04), 1e-15);
  EXPECT_TRUE(c.relative);
  EXPECT_NEAR(c.cone_violation, 0, 1e-15);
  EXPECT_NEAR(c.dual_violation, 0, 1e-15);
  EXPECT_NEAR(c.complementarity, 0.5 * 0.15 + 0.1 * 0.3, 1e-15);
}

TEST(CertificatePlane, ProjectionOntoTheApex) {
  // û = (1 + 0.5·0.2, 0.2), r − û = (−0.9, −0.2): in the polar cone, so F = r.
  EXPECT_NEAR(one_contact(0.5, {0.2, 0}, {1, 0.2}).natural_map, 0.2, 1e-15);
}

TEST(CertificatePlane, ProjectionIsTheIdentityInside) {
  // û = (0.1 + 0.5·0.2, 0.2), r − û = (2.8, −0.2) is inside, so F = û.
  EXPECT_NEAR(one_contact(0.5, {3, 0}, {0.1, 0.2}).natural_map, std::hypot(0.2, 0.2), 1e-15);
}

TEST(CertificatePlane, SignOfTheTangentMatters) {
  // Friction along the motion instead of against it: u = (0, 1), r on the mantle.
  EXPECT_NEAR(one_contact(0.5, {2, -1}, {0, 1}).error, 0, 1e-15);
  EXPECT_GT(one_contact(0.5, {2, 1}, {0, 1}).error, 0.5);
}

TEST(CertificatePlane, Violations) {
  // Projection of r = (0.1, 0.3) onto K_0.5 is (0.2, 0.1); of û = (−0.3 + 0.5·0.2, 0.2) onto K* = K_2 it is (0.04, 0.08).
  const Certificate c = one_contact(0.5, {0.1, 0.3}, {-0.3, 0.2});
  EXPECT_NEAR(c.cone_violation, std::sqrt(0.05), 1e-15);
  EXPECT_NEAR(c.dual_violation, 0.12 * std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(c.complementarity, std::abs(0.1 * -0.2 + 0.3 * 0.2), 1e-15);
}

TEST(CertificateSpace, InsideAndMantle) {
  // û = (0.85, 0.6, 0.8), r − û = (1.15, −0.3, −0.4) is inside: F = û.
  EXPECT_NEAR(one_contact(0.75, {2, 0.3, 0.4}, {0.1, 0.6, 0.8}).natural_map, std::sqrt(1.7225), 1e-15);
  // û = (3.85, 3, 4), r − û = (−1.85, −2.7, −3.6), projection (0.976, −0.4392, −0.5856).
  const Certificate c = one_contact(0.75, {2, 0.3, 0.4}, {0.1, 3, 4});
  EXPECT_NEAR(c.natural_map, std::sqrt(1.024 * 1.024 + 0.7392 * 0.7392 + 0.9856 * 0.9856), 1e-14);
  EXPECT_NEAR(c.error, c.natural_map / std::sqrt(25.01), 1e-15);
}

TEST(CertificateSpace, NormalComesFirst) {
  // If the last component were the normal, this would be a solution.
  EXPECT_NEAR(one_contact(0.5, {2, 0, 0}, {0, 0, 0}).natural_map, 0, 1e-15);
  EXPECT_GT(one_contact(0.5, {0, 0, 2}, {0, 0, 0}).natural_map, 1);
}

TEST(CertificateFrictionless, HandValues) {
  // P(r − u) = (0.6, 0): F = (0.4, 0.2).
  const Certificate c = one_contact(0, {1, 0.2}, {0.4, 0.3});
  EXPECT_NEAR(c.natural_map, std::hypot(0.4, 0.2), 1e-15);
  EXPECT_NEAR(c.cone_violation, 0.2, 1e-15);
  EXPECT_NEAR(c.dual_violation, 0, 1e-15);
  EXPECT_NEAR(one_contact(0, {1, 0, 0}, {-0.4, 3, 4}).dual_violation, 0.4, 1e-15);
  // Any tangential velocity is a solution when the normal part is.
  EXPECT_EQ(one_contact(0, {1, 0, 0}, {0, 30, -40}).error, 0);
  EXPECT_EQ(one_contact(0, {0, 0, 0}, {2, 30, -40}).error, 0);
  // Exactly on the axis, where ‖z_T‖ = 0 = μ z_N on both sides of the apex.
  EXPECT_EQ(one_contact(0, {0, 0}, {2, 0}).error, 0);
  EXPECT_EQ(one_contact(0, {0, 0, 0}, {2, 0, 0}).error, 0);
  EXPECT_NEAR(one_contact(0, {-1, 0}, {0, 0}).natural_map, 1, 1e-15);
  EXPECT_NEAR(one_contact(0, {-1, 0, 0}, {0, 0, 0}).cone_violation, 1, 1e-15);
  EXPECT_NEAR(one_contact(0, {0, 0}, {-1, 0}).natural_map, 1, 1e-15);
}

TEST(CertificateRough, HandValues) {
  // F = (r_N − max(0, r_N − u_N), u_T).
  EXPECT_NEAR(one_contact(kInfinity, {1, 5}, {0.4, 0.3}).natural_map, 0.5, 1e-15);
  EXPECT_NEAR(one_contact(kInfinity, {0.2, 5}, {0.4, 0.3}).natural_map, std::hypot(0.2, 0.3), 1e-15);
  EXPECT_NEAR(one_contact(kInfinity, {0.2, 5, -7}, {-0.4, 0.3, 0}).natural_map, 0.5, 1e-15);
  // Tangential reactions are free, also where the normal one is zero.
  EXPECT_EQ(one_contact(kInfinity, {1, 500, -3}, {0, 0, 0}).natural_map, 0);
  EXPECT_EQ(one_contact(kInfinity, {0, 500, -3}, {1, 0, 0}).natural_map, 0);
  const Certificate c = one_contact(kInfinity, {-0.3, 5}, {-0.4, 0.3});
  EXPECT_NEAR(c.cone_violation, 0.3, 1e-15);
  EXPECT_NEAR(c.dual_violation, 0.5, 1e-15);
  for (const double value : {c.error, c.complementarity, c.worst_value}) EXPECT_TRUE(std::isfinite(value));
}

TEST(Certificate, NormIsOverAllContactsAndTheWorstIsNamed) {
  // F = (0.2, 0.2), 0 and (0.14, 0.28) on three contacts.
  const LocalProblem p = make_local(2, MatrixXd::Zero(6, 6), {0.1, 0.2, 0, 0, 0, 0.3}, {0.5, 0.5, 0.5});
  const Certificate c = certify(p, reactions({3, 0, 1, 0.2, 0.5, 0.1}));
  EXPECT_NEAR(c.natural_map, std::sqrt(0.08 + 0.14 * 0.14 * 5), 1e-15);
  EXPECT_NEAR(c.error, c.natural_map / std::sqrt(0.14), 1e-15);
  EXPECT_EQ(c.worst_contact, 2);
  EXPECT_NEAR(c.worst_value, 0.14 * std::sqrt(5.0), 1e-15);
}

TEST(Certificate, EachContactHasItsOwnFriction) {
  // On the mantle of K_0.5 and of K_2: exchanging mu must show.
  const std::vector<double> q = {0, 1, 0, -1}, r = {2, -1, 1, 2};
  EXPECT_NEAR(certify(make_local(2, MatrixXd::Zero(4, 4), q, {0.5, 2}), reactions(r)).error, 0, 1e-15);
  EXPECT_GT(certify(make_local(2, MatrixXd::Zero(4, 4), q, {2, 0.5}), reactions(r)).error, 0.1);
}

TEST(Certificate, NoContact) {
  const Certificate c = certify(make_local(3, MatrixXd(0, 0), {}, {}), reactions({}));
  EXPECT_EQ(c.error, 0);
  EXPECT_EQ(c.worst_contact, -1);
  EXPECT_TRUE(c.status.empty());
  const GlobalProblem g = test::make_global(3, MatrixXd::Identity(2, 2), MatrixXd(2, 0), {1, 2}, {}, {});
  EXPECT_EQ(certify(g, reactions({})).error, 0);
}

TEST(Certificate, AbsoluteBelowMachineAccuracy) {
  const std::vector<double> r = {1, 0.75};  // outside K_0.5 by a hand-made distance: projection (1.1, 0.55)
  const double distance = std::hypot(0.1, 0.2);
  Certificate c = one_contact(0.5, r, {0, 0});
  EXPECT_FALSE(c.relative);
  EXPECT_NEAR(c.error, distance, 1e-15);
  c = one_contact(0.5, r, {2e-16, 0});
  EXPECT_FALSE(c.relative);
  EXPECT_NEAR(c.error, distance, 1e-15);
  c = one_contact(0.5, r, {1e-15, 0});
  EXPECT_TRUE(c.relative);
  EXPECT_NEAR(c.error, distance / 1e-15, 1e-2 * distance / 1e-15);
}

TEST(Certificate, SmallDataAreNotTakenForZero) {
  // ‖q‖ = 1e-10, r = 0 although u_N < 0: nothing is solved.
  EXPECT_NEAR(one_contact(0.5, {0, 0, 0}, {-1e-10, 0, 0}).error, 1, 1e-12);
}

TEST(CertificateStatus, HandExamples) {
  const double mu = 0.5;
  EXPECT_EQ(one_contact(mu, {0, 0, 0}, {1, 2, 0}).status.at(0), ContactStatus::take_off);
  EXPECT_EQ(one_contact(mu, {0, 0, 0}, {1, 0, 0}).status.at(0), ContactStatus::take_off);
  EXPECT_EQ(one_contact(mu, {1, 0.1, 0.2}, {0, 0, 0}).status.at(0), ContactStatus::stick);
  EXPECT_EQ(one_contact(mu, {2, -0.6, -0.8}, {0, 3, 4}).status.at(0), ContactStatus::slide);
  EXPECT_EQ(one_contact(0, {2, 0, 0}, {0, 3, 4}).status.at(0), ContactStatus::slide);
  EXPECT_EQ(one_contact(kInfinity, {2, 30, 40}, {0, 0, 0}).status.at(0), ContactStatus::stick);
  EXPECT_EQ(one_contact(kInfinity, {0, 0, 0}, {1, 0, 0}).status.at(0), ContactStatus::take_off);
  EXPECT_EQ(one_contact(mu, {0, 0}, {1, 2}).status.at(0), ContactStatus::take_off);
  EXPECT_EQ(one_contact(mu, {1, 0.1}, {0, 0}).status.at(0), ContactStatus::stick);
  EXPECT_EQ(one_contact(mu, {2, -1}, {0, 3}).status.at(0), ContactStatus::slide);
}

TEST(CertificateStatus, CountsAddUp) {
  const LocalProblem p = make_local(2, MatrixXd::Zero(8, 8), {1, 2, 0, 0, 0, 3, 0, -1}, {0.5, 0.5, 0.5, 0.5});
  const Certificate c = certify(p, reactions({0, 0, 1, 0.1, 2, -1, 2, 1}));
  EXPECT_NEAR(c.error, 0, 1e-15);
  EXPECT_EQ(c.take_off, 1);
  EXPECT_EQ(c.stick, 1);
  EXPECT_EQ(c.slide, 2);
  const std::vector<ContactStatus> expected = {ContactStatus::take_off, ContactStatus::stick, ContactStatus::slide, ContactStatus::slide};
  EXPECT_EQ(c.status, expected);
}

TEST(CertificateStatus, SpeltAsInJson) {
  EXPECT_STREQ(to_string(ContactStatus::take_off), "take_off");
  EXPECT_STREQ(to_string(ContactStatus::stick), "stick");
  EXPECT_STREQ(to_string(ContactStatus::slide), "slide");
}

// u is recomputed with rounding errors of W r + q; the status must not hang on them. The tangential part of a stick is 10 … 80 % of the
// limit and the speeds are 0.5 … 1.5 by construction, so every status is clear.
TEST(CertificateStatus, KnownStatusesSurviveRounding) {
  for (const int dim : {2, 3})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Iterate x;
      const LocalProblem p = samples::random_local(dim, 12, dim * 12, 0.2, 1.2, seed % 2 ? 0.3 : 0, seed, x);
      const Certificate c = certify(p, x);
      EXPECT_LT(c.error, 1e-14);
      for (int k = 0; k < 12; ++k) {
        const Eigen::VectorXd u = test::vec(x.u).segment(dim * k, dim), r = test::vec(x.r).segment(dim * k, dim);
        const ContactStatus expected = r[0] == 0 ? ContactStatus::take_off : u.norm() == 0 ? ContactStatus::stick : ContactStatus::slide;
        EXPECT_EQ(c.status.at(static_cast<std::size_t>(k)), expected) << "dim " << dim << " seed " << seed << " contact " << k;
      }
    }
}

TEST(CertificateDynamics, AWrongVelocityIsReportedAndChangesNothing) {
  const LocalProblem p = make_local(3, MatrixXd::Identity(3, 3), {-3, 0, 4}, {0.5});
  Iterate x = reactions({2, 0.5, -1});
  const Certificate honest = certify(p, x);
  EXPECT_EQ(honest.dynamics, 0);  // nothing given, nothing to compare
  const Eigen::Vector3d u(-1, 0.5, 3);
  x.u = {u[0], u[1], u[2]};
  EXPECT_NEAR(certify(p, x).dynamics, 0, 1e-15);
  x.u[1] += 0.25;
  const Certificate c = certify(p, x);
  EXPECT_NEAR(c.dynamics, 0.25 / 5, 1e-15);  // ‖q‖ = 5 > ‖u‖
  EXPECT_EQ(c.error, honest.error);
  EXPECT_EQ(c.natural_map, honest.natural_map);
  EXPECT_EQ(c.status, honest.status);
}

TEST(CertificateDynamics, ALieThatWouldPass) {
  // With the claimed u = 0 these reactions would be a perfect stick.
  const LocalProblem p = make_local(3, MatrixXd::Identity(3, 3), {-1, 0, 0}, {0.5});
  Iterate x = reactions({3, 0, 0});
  x.u = {0, 0, 0};
  const Certificate c = certify(p, x);
  EXPECT_NEAR(c.error, 2, 1e-15);
  EXPECT_NEAR(c.dynamics, 1, 1e-15);  // ‖u‖ = 2 > ‖q‖ = 1
}

TEST(CertificateDynamics, AWrongGeneralisedVelocityIsReported) {
  const GlobalProblem p = test::make_global(2, 2 * MatrixXd::Identity(2, 2), MatrixXd::Identity(2, 2), {-2, 0.5}, {0, 0}, {0.5});
  Iterate x = reactions({1, 0.1});
  const Certificate honest = certify(p, x);
  x.v = {-0.5, 0.3};  // (r + f) / 2
  EXPECT_NEAR(certify(p, x).dynamics, 0, 1e-15);
  x.v[0] = 7;
  const Certificate c = certify(p, x);
  EXPECT_GT(c.dynamics, 1);
  EXPECT_EQ(c.error, honest.error);
}

TEST(CertificateGlobal, HandExample) {
  // M = diag(2, 4), H = I: W = diag(0.5, 0.25), q = (−1, 0.2) + w. r = (1.5, 0.4): u = (−0.25, 0.3) + w.
  MatrixXd m = MatrixXd::Zero(2, 2);
  m.diagonal() << 2, 4;
  const GlobalProblem p = test::make_global(2, m, MatrixXd::Identity(2, 2), {-2, 0.8}, {0.25, 0}, {0.5});
  const Certificate c = certify(p, reactions({1.5, 0.4}));
  // û = (0.15, 0.3), r − û = (1.35, 0.1) is inside: F = û.
  EXPECT_NEAR(c.natural_map, 0.15 * std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(c.norm_q, std::hypot(0.75, 0.2), 1e-15);
  EXPECT_NEAR(c.error, c.natural_map / c.norm_q, 1e-15);
}

TEST(CertificateGlobal, HandExampleWithConstraint) {
  // Two point masses on a line, 1 kg and 3 kg, tied together: v₁ − v₂ + b = 0 with b = −1, so v₁ = v₂ + 1. A contact pushes on the first
  // along the normal: (1 + 3) v₂ + 1 = r_N + f₁ + f₂. The tangent acts on a third, free mass of 2 kg.
  MatrixXd m = MatrixXd::Zero(3, 3), h = MatrixXd::Zero(3, 2), g(3, 1);
  m.diagonal() << 1, 3, 2;
  h(0, 0) = 1;
  h(2, 1) = 1;
  g << 1, -1, 0;
  GlobalProblem p = test::make_global(2, m, h, {-4, -1, 0.4}, {0, 0}, {0.5});
  p.G = test::sparse(g);
  p.b = {-1};
  Iterate x = reactions({2, -0.4});
  // v₂ = (2 − 5 − 1) / 4 = −1, v₁ = 0, v₃ = 0: u = (0, 0), a stick. At r = 0: v₁ = (−5 − 1)/4 + 1 = −0.5, q = (−0.5, 0.2).
  const Certificate c = certify(p, x);
  EXPECT_NEAR(c.natural_map, 0, 1e-15);
  EXPECT_NEAR(c.norm_q, std::hypot(0.5, 0.2), 1e-14);
  EXPECT_EQ(c.status.at(0), ContactStatus::stick);
  x.v = {0, -1, 0};
  x.u = {0, 0};
  EXPECT_NEAR(certify(p, x).dynamics, 0, 1e-14);
  // Without the constraint the same reactions are no solution.
  p.G.reset();
  p.b.clear();
  EXPECT_GT(certify(p, x).error, 0.1);
}

TEST(CertificateGlobal, AgainstDenseAlgebra) {
  test::Random random(5);
  for (const int dim : {2, 3})
    for (const bool unsymmetric : {false, true})
      for (const int joints : {0, 2}) {
        const int n = 8, nc = 3, m = dim * nc;
        MatrixXd a = test::random_matrix(n, n, random), mass = a * a.transpose() + MatrixXd::Identity(n, n);
        if (unsymmetric) mass += 0.3 * (a - a.transpose());
        const MatrixXd h = test::random_matrix(n, m, random, 0.6);
        GlobalProblem p = test::make_global(dim, mass, h, test::random_list(n, random), test::random_list(m, random), {0, 0.7, kInfinity});
        MatrixXd system = MatrixXd::Zero(n + joints, n + joints);
        system.topLeftCorner(n, n) = mass;
        Eigen::VectorXd load = Eigen::VectorXd::Zero(n + joints);
        if (joints > 0) {
          const MatrixXd g = test::random_matrix(n, joints, random);
          p.G = test::sparse(g, Storage::triplet);
          p.b = test::random_list(joints, random);
          system.topRightCorner(n, joints) = -g;
          system.bottomLeftCorner(joints, n) = g.transpose();
          load.tail(joints) = -test::vec(p.b);
        }
        const Eigen::VectorXd r = test::vec(test::random_list(m, random, 0, 1));
        const auto velocity = [&](const Eigen::VectorXd& reaction) {
          load.head(n) = h * reaction + test::vec(p.f);
          const Eigen::VectorXd solution = system.fullPivLu().solve(load);
          return Eigen::VectorXd(h.transpose() * solution.head(n) + test::vec(p.w));
        };
        const Eigen::VectorXd u = velocity(r), q = velocity(Eigen::VectorXd::Zero(m));
        const Certificate c = certify(p, reactions(test::list(r)));
        EXPECT_NEAR(c.natural_map, test::Law::residual(dim, r, u, p.mu), 1e-11);
        EXPECT_NEAR(c.norm_q, q.norm(), 1e-11);
        EXPECT_NEAR(c.error, test::Law::residual(dim, r, u, p.mu) / q.norm(), 1e-10);
      }
}

TEST(CertificateGlobal, UnitsOfMassMakeNoSystemSingular) {
  // With M, f and r in another unit of mass the velocities are the same, joints or not.
  test::Random random(15);
  const int n = 8, nc = 3, m = 3 * nc;
  const MatrixXd a = test::random_matrix(n, n, random), mass = a * a.transpose() + MatrixXd::Identity(n, n);
  const MatrixXd h = test::random_matrix(n, m, random, 0.6), g = test::random_matrix(n, 2, random);
  const Eigen::VectorXd f = test::vec(test::random_list(n, random)), r = test::vec(test::random_list(m, random, 0, 1));
  const std::vector<double> w = test::random_list(m, random), b = test::random_list(2, random);
  const auto in_unit = [&](double unit) {
    GlobalProblem p = test::make_global(3, unit * mass, h, test::list(unit * f), w, {0, 0.7, kInfinity});
    p.G = test::sparse(g);
    p.b = b;
    return p;
  };
  const Reduction expected(in_unit(1));
  const Eigen::VectorXd v = test::vec(expected.expand(reactions(test::list(r))).v);
  for (const double unit : {0x1p-40, 0x1p-20, 0x1p+40}) {
    const GlobalProblem p = in_unit(unit);
    Iterate x = Reduction(p).expand(reactions(test::list(unit * r)));
    EXPECT_LE((test::vec(x.v) - v).norm(), 1e-12 * v.norm()) << unit;
    const Certificate c = certify(p, x);
    EXPECT_LE(c.dynamics, 1e-12) << unit;
    EXPECT_NEAR(c.norm_q, test::vec(expected.local().q).norm(), 1e-11) << unit;
  }
}

TEST(CertificateLocal, BilateralBlocks) {
  // u = W r + V λ + q with Vᵀ r + R λ + s = 0.
  test::Random random(6);
  for (const int dim : {2, 3}) {
    const int m = 2 * dim, constraints = 3;
    const MatrixXd a = test::random_matrix(m, m, random), w = a * a.transpose();
    const MatrixXd v = test::random_matrix(m, constraints, random);
    const MatrixXd r_block = test::random_matrix(constraints, constraints, random) + 4 * MatrixXd::Identity(constraints, constraints);
    LocalProblem p = make_local(dim, w, test::random_list(m, random), {0.4, 1.1});
    p.V = test::sparse(v);
    p.R = test::sparse(r_block, Storage::csr);
    p.s = test::random_list(constraints, random);
    const Eigen::VectorXd r = test::vec(test::random_list(m, random, 0, 1));
    const auto velocity = [&](const Eigen::VectorXd& reaction) {
      const Eigen::VectorXd lambda = -r_block.fullPivLu().solve(v.transpose() * reaction + test::vec(p.s));
      return Eigen::VectorXd(w * reaction + v * lambda + test::vec(p.q));
    };
    const Certificate c = certify(p, reactions(test::list(r)));
    EXPECT_NEAR(c.natural_map, test::Law::residual(dim, r, velocity(r), p.mu), 1e-13);
    // q is the velocity without reactions.
    EXPECT_NEAR(c.norm_q, velocity(Eigen::VectorXd::Zero(m)).norm(), 1e-13);
  }
}

TEST(CertificateStorage, EveryStorageGivesTheSame) {
  test::Random random(7);
  for (const int dim : {2, 3}) {
    const int m = 4 * dim;
    const MatrixXd a = test::random_matrix(m, m, random, 0.5), w = a * a.transpose() + 0.1 * (a - a.transpose());
    const LocalProblem columns = make_local(dim, w, test::random_list(m, random), {0, 0.3, 0.9, kInfinity});
    const Iterate x = reactions(test::random_list(m, random, 0, 1));
    const Certificate expected = certify(columns, x);
    EXPECT_NEAR(expected.natural_map, test::Law::residual(dim, test::vec(x.r), w * test::vec(x.r) + test::vec(columns.q), columns.mu),
                1e-13);
    std::vector<SparseMatrix> forms = {test::sparse(w, Storage::csr), test::sparse(w, Storage::triplet),
                                       test::shuffled_duplicates(w, random)};
    for (const SparseMatrix& form : forms) {
      LocalProblem p = columns;
      p.W = form;
      const Certificate c = certify(p, x);
      EXPECT_NEAR(c.error, expected.error, 1e-14 * (1 + expected.error));
      EXPECT_EQ(c.worst_contact, expected.worst_contact);
      EXPECT_EQ(c.status, expected.status);
    }
  }
}

TEST(CertificateStorage, EveryStorageGivesTheSameGlobal) {
  test::Random random(8);
  GlobalProblem columns = samples::jointed_cubes(0.4);
  const MatrixXd m = test::dense(columns.M), h = test::dense(columns.H), g = test::dense(*columns.G);
  const Iterate x = reactions(test::random_list(columns.size(), random, 0, 1));
  const double expected = certify(columns, x).error;
  for (const Storage s : {Storage::csc, Storage::csr, Storage::triplet}) {
    GlobalProblem p = columns;
    p.M = test::sparse(m, s);
    p.H = test::sparse(h, s);
    p.G = test::sparse(g, s);
    EXPECT_NEAR(certify(p, x).error, expected, 1e-12 * expected);
  }
  GlobalProblem p = columns;
  p.M = test::shuffled_duplicates(m, random);
  p.H = test::shuffled_duplicates(h, random);
  p.G = test::shuffled_duplicates(g, random);
  EXPECT_NEAR(certify(p, x).error, expected, 1e-12 * expected);
}

TEST(CertificateInput, WrongLengthThrows) {
  const LocalProblem p = make_local(3, MatrixXd::Identity(3, 3), {-1, 0, 0}, {0.5});
  for (const std::vector<double>& r : {std::vector<double>{}, {1, 0}, {1, 0, 0, 0}}) {
    const std::string message = test::message_of<InvalidProblem>([&] { certify(p, reactions(r)); });
    EXPECT_TRUE(test::contains(message, std::to_string(r.size()))) << message;
    EXPECT_TRUE(test::contains(message, "3")) << message;
  }
}

TEST(CertificateInput, ReactionsMustBeFinite) {
  const LocalProblem p = make_local(3, MatrixXd::Identity(3, 3), {-1, 0, 0}, {0.5});
  for (const double bad : {kNan, kInfinity, -kInfinity}) EXPECT_THROW(certify(p, reactions({1, bad, 0})), InvalidProblem);
}

TEST(CertificateInput, SingularMassThrows) {
  MatrixXd m = MatrixXd::Zero(2, 2);
  m(0, 0) = 1;
  // The second equation reads 0 = 1, or 0 = 0, which leaves u_T undetermined.
  for (const double load : {1.0, 0.0}) {
    const GlobalProblem p = test::make_global(2, m, MatrixXd::Identity(2, 2), {-1, load}, {0, 0}, {0.5});
    const std::string message = test::message_of<InvalidProblem>([&] { certify(p, reactions({1, 0})); });
    EXPECT_TRUE(test::contains(message, "M")) << message;
    EXPECT_TRUE(test::contains(message, "singular")) << message;
  }
}

TEST(CertificateRounding, HugeReactionsCannotHideTheVelocity) {
  // W r = 0 along (1, −1): u = q for every such r, and r − û rounds to r from 1e17 on.
  MatrixXd w(2, 2);
  w << 1, 1, 1, 1;
  for (const double size : {1e3, 1e10, 1e17}) {
    const LocalProblem inside = make_local(2, w, {-0.5, 0.25}, {2.0}), edge = make_local(2, w, {-0.5, 0.25}, {1.0});
    for (const LocalProblem* p : {&inside, &edge}) {
      const Certificate c = certify(*p, reactions({size, -size}));
      EXPECT_GT(c.error, 0.1) << size;
      EXPECT_EQ(c.take_off, 0);
    }
    const LocalProblem rough = make_local(2, w, {-0.5, 0.0}, {kInfinity});
    EXPECT_GT(certify(rough, reactions({size, -size})).error, 0.1) << size;
  }
}

TEST(CertificateRounding, WhatCancelsProvesNothing) {
  // The joint takes all freedom: W − V R⁻¹ Vᵀ = 0 but for rounding, u_N = −1 whatever r is, and large reactions make any velocity of the rounding.
  const Eigen::Vector2d a(0.1, 0.2);
  LocalProblem p = make_local(2, a * a.transpose(), {-1, 0}, {0.0});
  p.V = test::sparse(0.3 * a);
  p.R = test::sparse(MatrixXd::Constant(1, 1, 0.3 * 0.3));
  p.s = {0};
  for (const double size : {0.0, 1.0, 1e10, 1e16, 1e18, 1e20}) EXPECT_GT(certify(p, reactions({size, 0})).error, 0.1) << size;
}

TEST(CertificateRounding, ReactionsThatDoublesCannotHoldOnTheCone) {
  // Slides with r_N = 1/w: ‖r_T‖ = μ r_N holds up to ε r_N, whatever its last digits happen to be.
  const auto slide = [](double w) {
    const double mu = 0.7;
    return certify(make_local(2, w * MatrixXd::Identity(2, 2), {-1, 2}, {mu}), reactions({1 / w, -mu / w})).error;
  };
  EXPECT_LE(slide(1), 1e-15);
  EXPECT_LE(slide(1e-4), 1e-11);
  for (const double w : {1e-10, 3e-11, 1e-12, 7e-13}) {
    EXPECT_GE(slide(w), 0.3e-16 / w) << w;
    EXPECT_LE(slide(w), 3e-16 / w) << w;
  }
  // Stuck inside the cone the same reactions are as good as any.
  EXPECT_LE(certify(make_local(2, 1e-12 * MatrixXd::Identity(2, 2), {-1, 0.1}, {0.7}), reactions({1e12, -1e11})).error, 1e-15);
}

TEST(CertificateRounding, StrongFrictionMultipliesThatOfTheSlip) {
  const auto stuck = [](double mu) {
    return certify(make_local(2, MatrixXd::Identity(2, 2), {-1, -1e4}, {mu}), reactions({1, 1e4})).error;
  };
  EXPECT_LE(stuck(1e5), 1e-15);
  EXPECT_GE(stuck(1e9), 1e-8);
}

TEST(CertificateRounding, SmallReactionsBoundThatOfTheSlip) {
  // û = u + μ‖u_T‖ n is in K* for every u_T when u_N ≥ 0, so F is no larger than 2‖r‖; not when u_N < 0. At μ = ∞ nothing is multiplied.
  const auto stuck = [](double w, double mu, double u_N) {
    return certify(make_local(2, w * MatrixXd::Identity(2, 2), {u_N - 1, -1e4}, {mu}), reactions({1 / w, 1e4 / w})).error;
  };
  EXPECT_GE(stuck(1e6, 1e9, 0), 1e-7);
  EXPECT_LE(stuck(1e9, 1e9, 0), 1e-15);
  EXPECT_LE(stuck(1e12, 1e9, 0), 1e-15);
  EXPECT_GE(stuck(1e12, 1e9, -1), 0.9e-4);
  EXPECT_LE(stuck(1e12, kInfinity, 0), 1e-15);
}

}  // namespace
}  // namespace cornet
