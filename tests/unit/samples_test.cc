// The samples are what samples.h says: sizes, frames, balance of forces, known solutions, storages, determinism.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cstring>
#include <set>

#include "cornet/certificate.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "samples/rigid_bodies.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<GlobalProblem> mechanics() {
  return {samples::block_on_incline(3, 0.3, 0.5), samples::box_stack(4, 0.5),     samples::sphere_lattice(3, 2, 2, 0.3, 1),
          samples::disk_packing(4, 3, 0.3, 1),    samples::brick_wall(3, 2, 0.5), samples::jointed_cubes(0.3),
          samples::spinning_disks(2, 0.3),        samples::ball_row(4, 0.3)};
}

TEST(Samples, AreLegalAndDefinite) {
  for (const GlobalProblem& p : mechanics()) {
    ASSERT_NO_THROW(validate(p)) << p.name;
    const MatrixXd m = test::dense(p.M);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(m + m.transpose()).eigenvalues().minCoeff(), 0) << p.name;
  }
}

// The linear parts of the d columns of a contact, on the first body it touches, are an orthonormal frame.
TEST(Samples, ContactFramesAreOrthonormal) {
  for (const GlobalProblem& p : mechanics()) {
    const int d = p.dim, dofs = d == 2 ? 3 : 6;
    const MatrixXd h = test::dense(p.H);
    for (int k = 0; k < p.contacts(); ++k)
      for (int body = 0; body < p.dofs() / dofs; ++body) {
        const MatrixXd frame = h.block(dofs * body, d * k, d, d);
        if (frame.norm() == 0) continue;
        EXPECT_LT((frame.transpose() * frame - MatrixXd::Identity(d, d)).norm(), 1e-14) << p.name << " contact " << k;
      }
  }
}

// Action equals reaction: what a contact gives to one body it takes from the other, or from the world, which has no dofs.
TEST(Samples, ActionEqualsReaction) {
  int between_bodies = 0;
  for (const GlobalProblem& p : mechanics()) {
    const int d = p.dim, dofs = d == 2 ? 3 : 6;
    const MatrixXd h = test::dense(p.H);
    for (int k = 0; k < p.contacts(); ++k) {
      MatrixXd sum = MatrixXd::Zero(d, d);
      int touched = 0;
      for (int body = 0; body < p.dofs() / dofs; ++body) {
        const MatrixXd part = h.block(dofs * body, d * k, d, d);
        sum += part;
        touched += part.norm() > 0;
      }
      EXPECT_TRUE(touched == 1 || touched == 2) << p.name;
      if (touched == 2) {
        EXPECT_LT(sum.norm(), 1e-14) << p.name;
        ++between_bodies;
      }
    }
  }
  EXPECT_GT(between_bodies, 50);
}

// Normals point from the second body to the first: pushing everything up opens every contact with the floor and closes none.
TEST(Samples, NormalsPointOutOfTheFloor) {
  const GlobalProblem p = samples::box_stack(4, 0.5);
  VectorXd up = VectorXd::Zero(p.dofs());
  for (int body = 0; body < 4; ++body) up[6 * body + 2] = body + 1;  // each faster than the one below
  const VectorXd u = test::dense(p.H).transpose() * up;
  for (int k = 0; k < p.contacts(); ++k) EXPECT_NEAR(u[3 * k], 1, 1e-14);
}

TEST(Samples, InclineHandValues) {
  const double angle = 0.3;
  const Reduction reduction = reduce(samples::block_on_incline(2, angle, 0.5));
  const LocalProblem& local = reduction.local();
  EXPECT_LT((test::dense(local.W) - MatrixXd::Identity(2, 2)).norm(), 1e-15);
  EXPECT_NEAR(local.q[0], -0.01 * 9.81 * std::cos(angle), 1e-16);
  EXPECT_NEAR(local.q[1], 0.01 * 9.81 * std::sin(angle), 1e-16);
  const Reduction space = reduce(samples::block_on_incline(3, angle, 0.5));
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(space.local().q[static_cast<std::size_t>(3 * k)], -0.01 * 9.81 * std::cos(angle), 1e-15);
    EXPECT_NEAR(space.local().q[static_cast<std::size_t>(3 * k + 1)], 0.01 * 9.81 * std::sin(angle), 1e-15);
    EXPECT_NEAR(space.local().q[static_cast<std::size_t>(3 * k + 2)], 0, 1e-15);
  }
}

TEST(Samples, BoxStackSizes) {
  const GlobalProblem p = samples::box_stack(7, 0.5);
  EXPECT_EQ(p.contacts(), 28);
  EXPECT_EQ(p.dofs(), 42);
  EXPECT_EQ(p.size(), 2 * p.dofs());
}

TEST(Samples, BrickWallIsStronglyHyperstatic) {
  const GlobalProblem p = samples::brick_wall(4, 3, 0.6);
  EXPECT_EQ(p.dofs(), 6 * (3 + 4 + 3 + 4));
  // Floor 3, three beds of 6, heads 2 + 3 + 2 + 3: eight points each.
  EXPECT_EQ(p.contacts(), 8 * (3 + 18 + 10));
  EXPECT_GT(p.size(), 8 * p.dofs());
}

TEST(Samples, LatticeGrowsLinearly) {
  const GlobalProblem p = samples::sphere_lattice(4, 3, 2, 0.3, 1);
  EXPECT_EQ(p.contacts(), 12 + 2 * (4 + 3) * 2 + 3 * 3 * 2 + 4 * 2 * 2 + 12);
  const GlobalProblem large = samples::spheres_with_contacts(12000, 0.4, 1);
  EXPECT_GE(large.contacts(), 12000);
  EXPECT_LT(large.contacts(), 15000);
  EXPECT_LT(large.contacts(), 4 * large.dofs() / 6);
  EXPECT_NO_THROW(validate(large));
  EXPECT_EQ(samples::spheres_with_contacts(1, 0.4, 1).contacts(), 5);
}

TEST(Samples, DiskPackingTouches) {
  // 3 rows of 4: floor 4, walls 1 + 1 + 1, neighbours 3 each, below: 4 + 3 for each of the two upper rows.
  const GlobalProblem p = samples::disk_packing(4, 3, 0.3, 1);
  EXPECT_EQ(p.dim, 2);
  EXPECT_EQ(p.contacts(), 4 + 3 + 9 + 14);
}

TEST(Samples, JointKeepsThePointsTogether) {
  const GlobalProblem p = samples::jointed_cubes(0.3);
  ASSERT_TRUE(p.G.has_value());
  EXPECT_EQ(p.G->cols, 3);
  const MatrixXd g = test::dense(*p.G);
  // A rigid motion of both cubes, here a rotation about the vertical axis through the joint, does not strain it.
  VectorXd v = VectorXd::Zero(12);
  v.segment(0, 3) << 0, -0.5, 0;  // ω × (c − p) with c − p = (−0.5, 0, 0)
  v.segment(6, 3) << 0, 0.5, 0;
  v[5] = v[11] = 1;
  EXPECT_LT((g.transpose() * v).norm(), 1e-15);
  v[11] = 0;
  EXPECT_GT((g.transpose() * v).norm(), 0.1);
}

TEST(Samples, GyroscopicTermsAreSkew) {
  const GlobalProblem p = samples::spinning_disks(1, 0.3);
  const MatrixXd m = test::dense(p.M);
  // h Ω (C − A) with A and C across and along the axis, Ω = 15 rad/s plus small contributions of the wobble elsewhere.
  const double mass = m(0, 0), across = mass * (0.09 / 4 + 0.01 / 12), along = mass * 0.09 / 2;
  EXPECT_NEAR(m(3, 4), 0.01 * 15 * (along - across), 1e-12 * mass);
  EXPECT_NEAR(m(4, 3), -0.01 * 15 * (along - across), 1e-12 * mass);
}

TEST(Samples, RestitutionOnlyWhereBodiesApproach) {
  const GlobalProblem p = samples::ball_row(3, 0.2);
  int nonzero = 0;
  for (const double w : p.w) nonzero += w != 0;
  EXPECT_EQ(nonzero, 1);
  EXPECT_NEAR(*std::min_element(p.w.begin(), p.w.end()), -0.8 * 2, 1e-15);
}

// The floor carries the weight: from rest, what a stack receives in one step is its weight times h.
TEST(Samples, FloorCarriesTheWeight) {
  GlobalProblem p = samples::brick_wall(3, 2, 0.5);
  const MatrixXd m = test::dense(p.M);
  double mass = 0;
  for (int body = 0; body < p.dofs() / 6; ++body) {
    mass += m(6 * body, 6 * body);
    p.f[static_cast<std::size_t>(6 * body + 1)] = 0;  // not hit
  }
  RunOptions options;
  options.tolerance = 1e-9;
  const Result result = solve(p, options);
  ASSERT_TRUE(result.solved());
  const VectorXd forces = test::dense(p.H) * test::vec(result.x.r);
  double vertical = 0;
  for (int body = 0; body < p.dofs() / 6; ++body) vertical += forces[6 * body + 2];
  EXPECT_NEAR(vertical, mass * 9.81 * 0.01, 1e-6 * mass);
}

TEST(Samples, UnitsChangeNothingPhysical) {
  const samples::Units units{1000, 100, 0.5};
  for (const GlobalProblem& p : {samples::box_stack(3, 0.5), samples::disk_packing(3, 2, 0.4, 1), samples::jointed_cubes(0.3)}) {
    const Reduction before = reduce(p), after = reduce(samples::in_units(p, units));
    const MatrixXd w = test::dense(before.local().W) / units.mass;
    const VectorXd q = test::vec(before.local().q) * units.length / units.time;
    EXPECT_LT((test::dense(after.local().W) - w).norm(), 1e-12 * w.norm()) << p.name;
    EXPECT_LT((test::vec(after.local().q) - q).norm(), 1e-12 * q.norm()) << p.name;
  }
}

TEST(RandomLocal, SolutionIsASolution) {
  for (const int dim : {2, 3})
    for (const auto& [lower, upper] :
         {std::pair(0.0, 0.0), std::pair(0.2, 1.5), std::pair(0.0, test::kInfinity), std::pair(test::kInfinity, test::kInfinity)})
      for (const double asymmetry : {0.0, 0.3})
        for (const int rank : {0, 5, 1000}) {
          Iterate x;
          const LocalProblem p = samples::random_local(dim, 9, rank, lower, upper, asymmetry, 17, x);
          ASSERT_NO_THROW(validate(p));
          const Certificate c = certify(p, x);
          EXPECT_LT(c.error, 1e-14);
          EXPECT_LT(c.dynamics, 1e-14);
          for (const double mu : p.mu) EXPECT_TRUE(mu >= lower && mu <= upper);
        }
}

TEST(RandomLocal, RankAndAsymmetry) {
  Iterate x;
  const MatrixXd w = test::dense(samples::random_local(3, 6, 7, 0.1, 0.9, 0, 4, x).W);
  EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(w).setThreshold(1e-10).rank(), 7);
  EXPECT_LT((w - w.transpose()).norm(), 1e-15);
  const MatrixXd skewed = test::dense(samples::random_local(3, 6, 7, 0.1, 0.9, 0.2, 4, x).W);
  EXPECT_GT((skewed - skewed.transpose()).norm(), 0.1 * w.norm());
  EXPECT_LT((skewed + skewed.transpose() - 2 * w).norm(), 1e-13);  // the symmetric part is the same
}

TEST(RandomLocal, AllStatusesOccur) {
  Iterate x;
  const Certificate c = certify(samples::random_local(3, 60, 200, 0.1, 0.9, 0, 4, x), x);
  EXPECT_GT(c.take_off, 10);
  EXPECT_GT(c.stick, 10);
  EXPECT_GT(c.slide, 10);
}

TEST(RandomLocal, MixedFrictionHasAllKinds) {
  Iterate x;
  const LocalProblem p = samples::random_local(2, 9, 100, 0, test::kInfinity, 0, 4, x);
  EXPECT_EQ(std::count(p.mu.begin(), p.mu.end(), test::kInfinity), 3);
}

// mt19937_64 is specified bit for bit: the 10000th number after the default seed is given by the standard.
TEST(Random, MappingIsFixed) {
  samples::Random random(5489);
  double value = 0;
  for (int k = 0; k < 10000; ++k) value = random.unit();
  EXPECT_EQ(value, static_cast<double>(9981545732273789042u >> 11) * 0x1.0p-53);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST(Samples, SeedsDecide) {
  const GlobalProblem a = samples::sphere_lattice(3, 3, 2, 0.3, 1), b = samples::sphere_lattice(3, 3, 2, 0.3, 1),
                      c = samples::sphere_lattice(3, 3, 2, 0.3, 2);
  EXPECT_TRUE(same_bits(a.f, b.f));
  EXPECT_TRUE(same_bits(a.H.x, b.H.x));
  EXPECT_FALSE(same_bits(a.f, c.f));
}

TEST(Bundled, CoversWhatItPromises) {
  const std::vector<samples::Sample> set = samples::bundled();
  EXPECT_GE(set.size(), 12u);
  EXPECT_LE(set.size(), 16u);
  std::set<std::string> names;
  std::set<std::pair<std::string, int>> storages;
  bool local[4] = {}, global[4] = {}, smooth = false, rough = false, joints = false, unsymmetric = false, no_load = false;
  for (const samples::Sample& s : set) {
    EXPECT_NO_THROW(validate(s.problem)) << s.name;
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_EQ(name(s.problem), s.name);
    EXPECT_FALSE(s.what.empty());
    EXPECT_LT(s.what.size(), 110u) << s.name;
    EXPECT_GE(contacts(s.problem), 1);
    EXPECT_LE(contacts(s.problem), 350);
    std::vector<double> mu;
    if (const auto* l = std::get_if<LocalProblem>(&s.problem)) {
      local[l->dim] = true;
      storages.insert({"W", static_cast<int>(l->W.storage)});
      mu = l->mu;
      const MatrixXd w = test::dense(l->W);
      unsymmetric |= (w - w.transpose()).norm() > 1e-3 * w.norm();
    } else {
      const auto& g = std::get<GlobalProblem>(s.problem);
      global[g.dim] = true;
      storages.insert({"M", static_cast<int>(g.M.storage)});
      storages.insert({"H", static_cast<int>(g.H.storage)});
      mu = g.mu;
      joints |= g.G.has_value();
      no_load |= test::vec(g.f).norm() == 0 && test::vec(g.w).norm() == 0;
    }
    for (const double m : mu) {
      smooth |= m == 0;
      rough |= std::isinf(m);
    }
  }
  EXPECT_TRUE(local[2] && local[3] && global[2] && global[3]);
  EXPECT_TRUE(smooth && rough && joints && unsymmetric && no_load);
  for (const char* matrix : {"M", "H"})
    for (const Storage s : {Storage::triplet, Storage::csc}) EXPECT_TRUE(storages.count({matrix, static_cast<int>(s)})) << matrix;
  for (const Storage s : {Storage::triplet, Storage::csc, Storage::csr}) EXPECT_TRUE(storages.count({"W", static_cast<int>(s)}));
}

TEST(Bundled, EachIsSolvedByTheDefaultSolver) {
  for (const samples::Sample& s : samples::bundled()) {
    const Result result = solve(s.problem);
    EXPECT_TRUE(result.solved()) << s.name << ": " << to_string(result.status) << " " << result.certificate.error;
  }
}

TEST(Bundled, LatticeHasAllStatuses) {
  for (const samples::Sample& s : samples::bundled()) {
    if (s.name != "sphere-lattice-5x5x3" && s.name != "disk-packing-10x7") continue;
    RunOptions options;
    options.solver = "ppa-nsn-ac-gp";  // the velocities are not unique: other methods find an answer in which every contact sticks
    options.tolerance = 1e-6;
    const Certificate c = solve(s.problem, options).certificate;
    EXPECT_GT(c.take_off, 5) << s.name;
    EXPECT_GT(c.stick, 5) << s.name;
    EXPECT_GT(c.slide, 5) << s.name;
  }
}

}  // namespace
}  // namespace cornet
