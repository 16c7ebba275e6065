// reduce, expand, condense against dense formulas, on random data:
//
//   [ M  −G ] [ v ]   [ H r + f ]
//   [ Gᵀ  0 ] [ λ ] = [   −b    ],   u = Hᵀ v + w,   W = ∂u/∂r,   q = u(0)
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
using Eigen::VectorXd;

struct Case {
  GlobalProblem problem;
  MatrixXd m, h, g;  // dense copies; g has independent columns only
  VectorXd b;
};

struct Settings {
  int dim = 3;
  int components = 3;  // blocks of M
  int block = 4;       // dofs per block
  int contacts = 5;
  int constraints = 0;  // independent columns of G
  int redundant = 0;    // further columns, combinations of the others
  bool unsymmetric = false;
  double density = 0.5;  // of H and G
};

Case make_case(const Settings& s, std::uint64_t seed) {
  test::Random random(seed);
  const int n = s.components * s.block, m = s.dim * s.contacts;
  Case c;
  c.m = MatrixXd::Zero(n, n);
  for (int k = 0; k < s.components; ++k) {
    const MatrixXd a = test::random_matrix(s.block, s.block, random);
    MatrixXd block = a * a.transpose() + MatrixXd::Identity(s.block, s.block);
    if (s.unsymmetric) block += 0.8 * (a - a.transpose());
    c.m.block(k * s.block, k * s.block, s.block, s.block) = block;
  }
  c.h = test::random_matrix(n, m, random, s.density);
  c.h.col(random.index(m)).setZero();  // a contact direction that moves nothing
  std::vector<double> mu;
  for (int k = 0; k < s.contacts; ++k) mu.push_back(k % 4 == 0 ? 0.0 : k % 4 == 1 ? test::kInfinity : random.uniform(0.1, 1));
  const std::vector<Storage> storages = {Storage::triplet, Storage::csc, Storage::csr};
  const auto any = [&] { return storages[static_cast<std::size_t>(random.index(3))]; };
  c.problem = test::make_global(s.dim, c.m, c.h, test::random_list(n, random), test::random_list(m, random), mu);
  c.problem.M = test::sparse(c.m, any());
  c.problem.H = random.unit() < 0.3 ? test::shuffled_duplicates(c.h, random) : test::sparse(c.h, any());
  c.g = test::random_matrix(n, s.constraints, random, s.density);
  // A unit in its own row makes the columns of G independent.
  for (int k = 0; k < s.constraints; ++k) c.g(k, k) += 3;
  c.b = test::vec(test::random_list(s.constraints, random));
  if (s.constraints > 0) {
    const MatrixXd mix = test::random_matrix(s.constraints, s.redundant, random);
    MatrixXd g(n, s.constraints + s.redundant);
    g << c.g, c.g * mix;
    VectorXd b(s.constraints + s.redundant);
    b << c.b, mix.transpose() * c.b;
    c.problem.G = test::sparse(g, any());
    c.problem.b = test::list(b);
  }
  return c;
}

// v and λ for given reactions, from the dense system.
VectorXd dense_solve(const Case& c, const VectorXd& r, const VectorXd& f, const VectorXd& b) {
  const auto n = c.m.rows(), p = c.g.cols();
  MatrixXd system = MatrixXd::Zero(n + p, n + p);
  system.topLeftCorner(n, n) = c.m;
  system.topRightCorner(n, p) = -c.g;
  system.bottomLeftCorner(p, n) = c.g.transpose();
  VectorXd load(n + p);
  load << c.h * r + f, -b;
  return system.fullPivLu().solve(load);
}

void check(const Case& c, const std::string& what) {
  const auto n = c.m.rows(), m = c.h.cols(), p = c.g.cols();
  MatrixXd w(m, m);
  for (Eigen::Index k = 0; k < m; ++k)
    w.col(k) = c.h.transpose() * dense_solve(c, VectorXd::Unit(m, k), VectorXd::Zero(n), VectorXd::Zero(p)).head(n);
  const VectorXd free = dense_solve(c, VectorXd::Zero(m), test::vec(c.problem.f), c.b).head(n);
  const VectorXd q = c.h.transpose() * free + test::vec(c.problem.w);

  const Reduction reduction = reduce(c.problem);
  const LocalProblem& local = reduction.local();
  ASSERT_NO_THROW(validate(local));
  EXPECT_EQ(local.dim, c.problem.dim);
  EXPECT_EQ(local.mu, c.problem.mu);
  EXPECT_FALSE(local.V.has_value());
  EXPECT_LT((test::dense(local.W) - w).norm(), 1e-11 * w.norm()) << what;
  EXPECT_LT((test::vec(local.q) - q).norm(), 1e-11 * (q.norm() + free.norm() * c.h.norm())) << what;
  // Compressed columns, sorted, each position once.
  EXPECT_EQ(local.W.storage, Storage::csc);
  for (int column = 0; column < local.W.cols; ++column)
    for (int k = local.W.p[static_cast<std::size_t>(column)] + 1; k < local.W.p[static_cast<std::size_t>(column + 1)]; ++k)
      EXPECT_LT(local.W.i[static_cast<std::size_t>(k - 1)], local.W.i[static_cast<std::size_t>(k)]) << what;

  // The way back satisfies the dynamics for any reactions.
  test::Random random(99);
  const Iterate x = test::reactions(test::random_list(static_cast<int>(m), random, 0, 1));
  const Iterate y = reduction.expand(x);
  const VectorXd r = test::vec(x.r), v = test::vec(y.v);
  ASSERT_EQ(v.size(), n) << what;
  EXPECT_EQ(y.r, x.r);
  VectorXd residual = c.m * v - c.h * r - test::vec(c.problem.f);
  if (c.problem.G) {
    const MatrixXd g = test::dense(*c.problem.G);
    ASSERT_EQ(y.lambda.size(), c.problem.b.size()) << what;
    residual -= g * test::vec(y.lambda);
    EXPECT_LT((g.transpose() * v + test::vec(c.problem.b)).norm(), 1e-10 * (1 + v.norm())) << what;
  } else {
    EXPECT_TRUE(y.lambda.empty());
  }
  EXPECT_LT(residual.norm(), 1e-10 * (1 + v.norm())) << what;
  EXPECT_LT((test::vec(y.u) - c.h.transpose() * v - test::vec(c.problem.w)).norm(), 1e-12 * (1 + v.norm())) << what;
  EXPECT_LT((test::vec(y.u) - w * r - q).norm(), 1e-10 * (1 + q.norm() + r.norm())) << what;

  // The two certificates agree, and the expanded answer is consistent.
  const Certificate from_local = certify(local, x), from_global = certify(c.problem, y);
  EXPECT_NEAR(from_local.error, from_global.error, 1e-9 * from_global.error) << what;
  EXPECT_NEAR(from_local.norm_q, from_global.norm_q, 1e-9 * from_global.norm_q) << what;
  EXPECT_EQ(from_local.worst_contact, from_global.worst_contact) << what;
  EXPECT_LT(from_global.dynamics, 1e-9) << what;
}

std::string describe_case(const Settings& s, std::uint64_t seed) {
  return "dim " + std::to_string(s.dim) + ", components " + std::to_string(s.components) + ", constraints " +
         std::to_string(s.constraints) + "+" + std::to_string(s.redundant) + ", unsymmetric " + std::to_string(s.unsymmetric) + ", seed " +
         std::to_string(seed);
}

TEST(Reduce, WithoutConstraints) {
  for (const int dim : {2, 3})
    for (const bool unsymmetric : {false, true})
      for (const int components : {1, 4})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          Settings s;
          s.dim = dim;
          s.unsymmetric = unsymmetric;
          s.components = components;
          check(make_case(s, seed), describe_case(s, seed));
        }
}

TEST(Reduce, WithConstraints) {
  for (const int dim : {2, 3})
    for (const bool unsymmetric : {false, true})
      for (const int constraints : {1, 5})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          Settings s;
          s.dim = dim;
          s.unsymmetric = unsymmetric;
          s.constraints = constraints;
          check(make_case(s, seed), describe_case(s, seed));
        }
}

// Constraints that touch few dofs leave some components of M free.
TEST(Reduce, SparseConstraintsAmongManyComponents) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Settings s;
    s.components = 10;
    s.block = 3;
    s.constraints = 3;
    s.density = 0.08;
    s.unsymmetric = seed % 2 == 0;
    check(make_case(s, seed), describe_case(s, seed));
  }
}

// A mechanism with redundant but consistent constraints has unique velocities and non-unique multipliers.
TEST(Reduce, RedundantConsistentConstraints) {
  for (const bool unsymmetric : {false, true})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Settings s;
      s.unsymmetric = unsymmetric;
      s.constraints = 3;
      s.redundant = 2;
      check(make_case(s, seed), describe_case(s, seed));
    }
}

TEST(Reduce, AConstraintWrittenTwice) {
  Settings s;
  s.constraints = 1;
  Case c = make_case(s, 7);
  MatrixXd g(c.m.rows(), 2);
  g << c.g, c.g;
  c.problem.G = test::sparse(g);
  c.problem.b = {c.b[0], c.b[0]};
  check(c, "written twice");
}

TEST(Reduce, Samples) {
  for (const GlobalProblem& p : {samples::box_stack(3, 0.5), samples::jointed_cubes(0.3), samples::spinning_disks(2, 0.4),
                                 samples::sphere_lattice(2, 3, 2, 0.4, 5), samples::disk_packing(4, 3, 0.2, 6)}) {
    Case c;
    c.problem = p;
    c.m = test::dense(p.M);
    c.h = test::dense(p.H);
    c.g = p.G ? test::dense(*p.G) : MatrixXd(p.M.rows, 0);
    c.b = test::vec(p.b);
    check(c, p.name);
  }
}

TEST(Reduce, UnsymmetricMassGivesUnsymmetricW) {
  const MatrixXd w = test::dense(reduce(samples::spinning_disks(2, 0.4)).local().W);
  EXPECT_GT((w - w.transpose()).norm(), 1e-3 * w.norm());
  const MatrixXd symmetric = test::dense(reduce(samples::box_stack(3, 0.4)).local().W);
  EXPECT_LT((symmetric - symmetric.transpose()).norm(), 1e-13 * symmetric.norm());
}

TEST(Reduce, NoContact) {
  const GlobalProblem p = test::make_global(3, 2 * MatrixXd::Identity(4, 4), MatrixXd(4, 0), {2, 4, 6, 8}, {}, {});
  const Reduction reduction = reduce(p);
  EXPECT_EQ(reduction.local().contacts(), 0);
  const Iterate x = reduction.expand({});
  ASSERT_EQ(x.v.size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(x.v[static_cast<std::size_t>(k)], k + 1, 1e-14);
}

TEST(Reduce, AContactThatTouchesNothing) {
  MatrixXd h = MatrixXd::Zero(2, 4);
  h.leftCols(2).setIdentity();
  const GlobalProblem p = test::make_global(2, MatrixXd::Identity(2, 2), h, {-1, 0.1}, {0, 0, 0.5, 0}, {0.5, 0.5});
  const Reduction reduction = reduce(p);
  const LocalProblem& local = reduction.local();
  EXPECT_EQ(test::dense(local.W).bottomRows(2).norm(), 0);
  EXPECT_EQ(local.q[2], 0.5);
}

TEST(Reduce, SingularMassThrows) {
  MatrixXd m = MatrixXd::Identity(3, 3);
  m(1, 1) = 0;
  GlobalProblem p = test::make_global(3, m, MatrixXd::Identity(3, 3), {0, 0, 0}, {0, 0, 0}, {0.5});
  EXPECT_TRUE(test::contains(test::message_of<InvalidProblem>([&] { reduce(p); }), "singular"));
  // A full block of rank one.
  p.M = test::sparse(MatrixXd::Ones(3, 3));
  EXPECT_TRUE(test::contains(test::message_of<InvalidProblem>([&] { reduce(p); }), "singular"));
}

TEST(Reduce, ContradictoryConstraintsThrow) {
  GlobalProblem p = test::make_global(3, MatrixXd::Identity(3, 3), MatrixXd::Identity(3, 3), {0, 0, 0}, {0, 0, 0}, {0.5});
  MatrixXd g(3, 2);
  g << 1, 1, 0, 0, 0, 0;
  p.G = test::sparse(g);
  p.b = {1, 2};
  EXPECT_THROW(reduce(p), InvalidProblem);
}

TEST(Condense, AgainstDense) {
  test::Random random(11);
  for (const int dim : {2, 3})
    for (int trial = 0; trial < 10; ++trial) {
      const int m = 3 * dim, p = 4;
      const MatrixXd a = test::random_matrix(m, m, random), w = a * a.transpose(), v = test::random_matrix(m, p, random, 0.5);
      const MatrixXd r = test::random_matrix(p, p, random) + 3 * MatrixXd::Identity(p, p);
      LocalProblem problem = test::make_local(dim, w, test::random_list(m, random), {0, 0.5, test::kInfinity});
      problem.V = test::sparse(v, trial % 2 ? Storage::csr : Storage::triplet);
      problem.R = test::sparse(r);
      problem.s = test::random_list(p, random);
      const LocalProblem condensed = condense(problem);
      const MatrixXd expected = w - v * r.inverse() * v.transpose();
      EXPECT_FALSE(condensed.V.has_value());
      EXPECT_TRUE(condensed.s.empty());
      EXPECT_LT((test::dense(condensed.W) - expected).norm(), 1e-12 * expected.norm());
      const VectorXd q = test::vec(problem.q) - v * r.inverse() * test::vec(problem.s);
      EXPECT_LT((test::vec(condensed.q) - q).norm(), 1e-12 * q.norm());
      EXPECT_EQ(condensed.mu, problem.mu);

      const std::vector<double> reaction = test::random_list(m, random, 0, 1);
      const VectorXd lambda = test::vec(multipliers(problem, reaction));
      ASSERT_EQ(lambda.size(), p);
      EXPECT_LT((v.transpose() * test::vec(reaction) + r * lambda + test::vec(problem.s)).norm(), 1e-12);
      EXPECT_NEAR(certify(problem, test::reactions(reaction)).error, certify(condensed, test::reactions(reaction)).error, 1e-11);
    }
}

TEST(Condense, WithoutConstraintsNothingChanges) {
  Iterate x;
  const LocalProblem problem = samples::random_local(3, 4, 12, 0.1, 0.9, 0.1, 3, x);
  const LocalProblem same = condense(problem);
  EXPECT_EQ(test::dense(same.W), test::dense(problem.W));
  EXPECT_EQ(same.q, problem.q);
  EXPECT_TRUE(multipliers(problem, x.r).empty());
}

}  // namespace
}  // namespace cornet
