// What must not change the answer: the order of the contacts, the tangent frames, the units, the storage, the form of the problem. For the
// same point in other clothes the certified error agrees up to rounding; the solvers find the same velocities within what the tolerance
// allows.
//
// Of the units, length and time leave the error as it is (r and u grow alike); a change of the unit of mass does not, because ρ = 1 in
// F(r) = r − P_K(r − û) compares impulses with velocities. There only the answer must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Base {
  std::string name;
  LocalProblem problem;
};

// Small problems whose velocities are unique. Hyperstatic ones with sliding contacts are not among them: there the normal reactions, hence
// the friction, hence the velocities may differ between two answers, both right. (With μ = 0 or ∞ the velocities solve a convex program.)
std::vector<Base> bases() {
  Iterate known;
  std::vector<Base> set;
  const auto add = [&](const std::string& name, const LocalProblem& p) { set.push_back({name, p}); };
  add("random-2d", samples::random_local(2, 5, 20, 0.1, 0.5, 0, 1, known));
  add("random-3d", samples::random_local(3, 5, 30, 0.1, 0.5, 0, 2, known));
  add("random-unsymmetric", samples::random_local(3, 4, 30, 0.1, 0.4, 0.05, 3, known));
  add("mixed-friction", samples::random_local(3, 6, 40, 0, test::kInfinity, 0, 4, known));
  add("incline-2d", reduce(samples::block_on_incline(2, 0.4, 0.2)).local());
  add("incline-3d", reduce(samples::block_on_incline(3, 0.4, 0.2)).local());
  add("rough-stack", reduce(samples::box_stack(2, test::kInfinity)).local());
  add("smooth-spheres", reduce(samples::sphere_lattice(2, 2, 2, 0, 5)).local());
  add("ball-row", reduce(samples::ball_row(4, 0.2)).local());
  add("spinning-disks", reduce(samples::spinning_disks(2, 0.3)).local());
  add("rough-disks", reduce(samples::disk_packing(3, 2, test::kInfinity, 6)).local());
  return set;
}

// The problem and its reactions after a linear change of the local variables: r' = R r, u' = S u.
struct Change {
  std::string name;
  std::function<LocalProblem(const LocalProblem&)> problem;
  std::function<VectorXd(const VectorXd&, int dim)> reactions;
  std::function<VectorXd(const VectorXd&, int dim)> velocities;
  bool same_error = true;
};

std::vector<int> order(int count, std::uint64_t seed) {
  std::vector<int> p(static_cast<std::size_t>(count));
  std::iota(p.begin(), p.end(), 0);
  test::Random random(seed);
  for (int k = count; k > 1; --k) std::swap(p[static_cast<std::size_t>(k - 1)], p[static_cast<std::size_t>(random.index(k))]);
  return p;
}

// Row block k of the result is row block order[k] of the argument.
MatrixXd permutation(int count, int dim, std::uint64_t seed) {
  const std::vector<int> p = order(count, seed);
  MatrixXd m = MatrixXd::Zero(dim * count, dim * count);
  for (int k = 0; k < count; ++k) m.block(dim * k, dim * p[static_cast<std::size_t>(k)], dim, dim).setIdentity();
  return m;
}

// Each contact's tangents turned by its own angle and sometimes mirrored; in the plane the tangent may change sign.
MatrixXd rotation(int count, int dim, std::uint64_t seed) {
  test::Random random(seed);
  MatrixXd m = MatrixXd::Identity(dim * count, dim * count);
  for (int k = 0; k < count; ++k) {
    const double sign = random.unit() < 0.5 ? -1 : 1, angle = random.uniform(-3, 3), c = std::cos(angle), s = std::sin(angle);
    if (dim == 2) m(2 * k + 1, 2 * k + 1) = sign;
    else m.block(3 * k + 1, 3 * k + 1, 2, 2) << c, -s, sign * s, sign * c;
  }
  return m;
}

Change orthogonal(const std::string& name, MatrixXd (*make)(int, int, std::uint64_t), bool permutes) {
  Change change;
  change.name = name;
  change.problem = [=](const LocalProblem& p) {
    const MatrixXd q = make(p.contacts(), p.dim, 7);
    LocalProblem t = p;
    t.W = test::sparse(q * test::dense(p.W) * q.transpose());
    t.q = test::list(q * test::vec(p.q));
    if (permutes) {
      const std::vector<int> o = order(p.contacts(), 7);
      for (int k = 0; k < p.contacts(); ++k)
        t.mu[static_cast<std::size_t>(k)] = p.mu[static_cast<std::size_t>(o[static_cast<std::size_t>(k)])];
    }
    return t;
  };
  change.reactions =
      change.velocities = [=](const VectorXd& x, int dim) { return VectorXd(make(static_cast<int>(x.size()) / dim, dim, 7) * x); };
  return change;
}

Change units(const std::string& name, double mass, double length, double time) {
  const double velocity = length / time, momentum = mass * velocity;
  Change change;
  change.name = name;
  change.same_error = mass == 1;
  change.problem = [=](const LocalProblem& p) {
    LocalProblem t = p;
    for (double& x : t.W.x) x *= velocity / momentum;
    for (double& x : t.q) x *= velocity;
    return t;
  };
  change.reactions = [=](const VectorXd& x, int) { return VectorXd(momentum * x); };
  change.velocities = [=](const VectorXd& x, int) { return VectorXd(velocity * x); };
  return change;
}

Change storage(const std::string& name, const std::function<SparseMatrix(const MatrixXd&)>& store) {
  Change change;
  change.name = name;
  change.problem = [=](const LocalProblem& p) {
    LocalProblem t = p;
    t.W = store(test::dense(p.W));
    return t;
  };
  change.reactions = change.velocities = [](const VectorXd& x, int) { return x; };
  return change;
}

std::vector<Change> changes() {
  return {orthogonal("permutation", permutation, true),
          orthogonal("tangent frames", rotation, false),
          units("kilometres", 1, 1e-3, 1),
          units("milliseconds", 1, 1, 1e3),
          units("mass unit x 32", 1.0 / 32, 1, 1),
          units("mass unit / 32", 32, 1, 1),
          storage("csr", [](const MatrixXd& w) { return test::sparse(w, Storage::csr); }),
          storage("triplet", [](const MatrixXd& w) { return test::sparse(w, Storage::triplet); }),
          storage("duplicates", [](const MatrixXd& w) {
            test::Random random(1);
            return test::shuffled_duplicates(w, random);
          })};
}

TEST(Invariance, CertifiedErrorOfAnyPoint) {
  for (const Base& base : bases())
    for (const Change& change : changes()) {
      if (!change.same_error) continue;
      test::Random random(13);
      const LocalProblem changed = change.problem(base.problem);
      for (int trial = 0; trial < 5; ++trial) {
        const VectorXd r = test::vec(test::random_list(base.problem.size(), random, trial == 0 ? 0 : -0.2, 0.3));
        const Certificate a = certify(base.problem, test::reactions(test::list(r)));
        const Certificate b = certify(changed, test::reactions(test::list(change.reactions(r, base.problem.dim))));
        EXPECT_NEAR(a.error, b.error, 1e-12 * a.error) << base.name << ", " << change.name;
        EXPECT_EQ(a.take_off, b.take_off) << base.name << ", " << change.name;
        EXPECT_EQ(a.slide, b.slide) << base.name << ", " << change.name;
      }
    }
}

class EverySolver : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  // The finite methods of the plane refuse space and need no start: tests/unit/solver_plane_test.cc.
  for (const SolverInfo& info : solvers())
    if (info.family != "plane") ids.push_back(info.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Invariance, EverySolver, testing::ValuesIn(all_ids()), [](const auto& test_case) {
  std::string id = test_case.param;
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
});

TEST_P(EverySolver, SameVelocitiesInOtherClothes) {
  if (find_solver(GetParam()).family == "convex relaxation") GTEST_SKIP() << "solves another problem on purpose";
  int runs = 0, solved = 0;
  for (const Base& base : bases()) {
    const int dim = base.problem.dim;
    const Result plain = test::solve_with(base.problem, GetParam(), 1e-8);
    ++runs;
    if (!plain.solved()) continue;
    ++solved;
    const double scale = test::vec(base.problem.q).norm();
    for (const Change& change : changes()) {
      const LocalProblem changed = change.problem(base.problem);
      const Result other = test::solve_with(changed, GetParam(), 1e-8);
      ++runs;
      if (!other.solved()) continue;
      ++solved;
      // The answer of one, translated, is an answer of the other.
      if (change.same_error) {
        const VectorXd r = change.reactions(test::vec(plain.x.r), dim);
        EXPECT_NEAR(certify(changed, test::reactions(test::list(r))).error, plain.certificate.error, 1e-13)
            << GetParam() << ", " << base.name << ", " << change.name;
      }
      const VectorXd expected = change.velocities(test::vec(plain.x.u), dim), found = test::vec(other.x.u);
      const double unit = change.velocities(VectorXd::Ones(found.size()), dim).cwiseAbs().maxCoeff();
      EXPECT_LT((found - expected).norm(), 1e-5 * scale * unit) << GetParam() << ", " << base.name << ", " << change.name;
    }
  }
  EXPECT_GE(solved, runs * 9 / 10) << GetParam();
}

// Storage decides nothing: the run is the same bit for bit.
TEST_P(EverySolver, StorageDoesNotChangeTheRun) {
  for (const Base& base : bases()) {
    const Result plain = test::solve_with(base.problem, GetParam(), 1e-8);
    for (const Storage s : {Storage::csr, Storage::triplet}) {
      LocalProblem p = base.problem;
      p.W = test::sparse(test::dense(p.W), s);
      const Result other = test::solve_with(p, GetParam(), 1e-8);
      EXPECT_EQ(other.x.r, plain.x.r) << GetParam() << ", " << base.name;
      EXPECT_EQ(other.iterations, plain.iterations) << GetParam() << ", " << base.name;
    }
  }
}

TEST_P(EverySolver, LocalIsGlobal) {
  if (find_solver(GetParam()).family == "convex relaxation") GTEST_SKIP() << "solves another problem on purpose";
  int solved = 0;
  const std::vector<GlobalProblem> problems = {samples::block_on_incline(3, 0.4, 0.2),
                                               samples::box_stack(2, 0.3),
                                               samples::sphere_lattice(2, 2, 1, 0.3, 5),
                                               samples::disk_packing(3, 2, 0.3, 6),
                                               samples::jointed_cubes(0.3),
                                               samples::spinning_disks(2, 0.3),
                                               samples::ball_row(3, 0.2)};
  for (const GlobalProblem& global : problems) {
    const Reduction reduction = reduce(global);
    const Result a = test::solve_with(global, GetParam(), 1e-8), b = test::solve_with(reduction.local(), GetParam(), 1e-8);
    if (!a.solved() || !b.solved()) continue;
    ++solved;
    const double scale = b.certificate.norm_q;
    EXPECT_LT((test::vec(a.x.u) - test::vec(b.x.u)).norm(), 1e-5 * scale) << GetParam() << ", " << global.name;
    const VectorXd v = test::vec(reduction.expand(b.x).v);
    EXPECT_LT((test::vec(a.x.v) - v).norm(), 1e-5 * (v.norm() + scale)) << GetParam() << ", " << global.name;
    EXPECT_NEAR(certify(global, b.x).error, b.certificate.error, 1e-12) << GetParam() << ", " << global.name;
    EXPECT_NEAR(certify(reduction.local(), a.x).error, a.certificate.error, 1e-12) << GetParam() << ", " << global.name;
  }
  // Xuewen–Soh–Wanji has many singular Jacobians (docs/solvers/nsn-xsw.md); the others solve nearly all of these.
  EXPECT_GE(solved, GetParam() == "nsn-xsw" ? 4 : 6) << GetParam();
}

}  // namespace
}  // namespace cornet
