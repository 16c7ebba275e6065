// Few contacts, solved before anything is prepared (solvers/few_contacts.h): which problems it takes, its answers in every storage and at every μ, its
// limits, and what auto makes of it.
#include "solvers/few_contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cornet/certificate.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::kInfinity;

constexpr double kNoise = 1e-8;

LocalProblem problem(int dim, int contacts, double mu_min, double mu_max, double asymmetry, std::uint64_t seed) {
  Iterate exact;
  return samples::random_local(dim, contacts, dim * contacts, mu_min, mu_max, asymmetry, seed, exact);
}

// The same matrix in triplets, the last entry first.
SparseMatrix as_triplets(const SparseMatrix& a) {
  SparseMatrix t = a;
  t.storage = Storage::triplet;
  t.p.clear();
  t.i.clear();
  t.x.clear();
  const int majors = a.storage == Storage::csr ? a.rows : a.cols;
  for (int j = majors - 1; j >= 0; --j)
    for (int k = a.p[j + 1] - 1; k >= a.p[j]; --k) {
      t.p.push_back(a.storage == Storage::csr ? a.i[k] : j);
      t.i.push_back(a.storage == Storage::csr ? j : a.i[k]);
      t.x.push_back(a.x[k]);
    }
  return t;
}

SparseMatrix as_rows(const SparseMatrix& a) {
  const SparseMatrix t = as_triplets(a);
  SparseMatrix rows = a;
  rows.storage = Storage::csr;
  rows.p.assign(1, 0);
  rows.i.clear();
  rows.x.clear();
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < t.entries(); ++k)
      if (t.i[k] == i) {
        rows.i.push_back(t.p[k]);
        rows.x.push_back(t.x[k]);
      }
    rows.p.push_back(static_cast<int>(rows.x.size()));
  }
  return rows;
}

double error_of(const LocalProblem& p, const std::vector<double>& r) {
  Iterate x;
  x.r = r;
  return certify(p, x).error;
}

template <int D>
std::optional<Termination> run(const LocalProblem& p, std::vector<double>& r, double tolerance = 1e-10, long limit = 1000) {
  Monitor monitor({tolerance, 10, limit});
  return FewContacts<D>(p).run(kNoise, r, monitor);
}

TEST(FewContacts, TakesSixtyUnknowns) {
  EXPECT_TRUE(FewContacts<3>::takes(problem(3, 20, 0.5, 0.5, 0, 1)));
  EXPECT_FALSE(FewContacts<3>::takes(problem(3, 21, 0.5, 0.5, 0, 1)));
  EXPECT_TRUE(FewContacts<2>::takes(problem(2, 30, 0.5, 0.5, 0, 1)));
  EXPECT_FALSE(FewContacts<2>::takes(problem(2, 31, 0.5, 0.5, 0, 1)));
}

TEST(FewContacts, DuplicateEntriesAdd) {
  const LocalProblem p = problem(3, 6, 0.5, 0.5, 0, 1);
  LocalProblem halves = p;
  halves.W = as_triplets(p.W);
  for (double& x : halves.W.x) x /= 2;
  const SparseMatrix once = halves.W;
  halves.W.p.insert(halves.W.p.end(), once.p.begin(), once.p.end());
  halves.W.i.insert(halves.W.i.end(), once.i.begin(), once.i.end());
  halves.W.x.insert(halves.W.x.end(), once.x.begin(), once.x.end());
  std::vector<double> a(p.size(), 0.0), b = a;
  ASSERT_EQ(run<3>(p, a), Termination::converged);
  ASSERT_EQ(run<3>(halves, b), Termination::converged);
  EXPECT_LE(error_of(p, b), 1e-10);
}

TEST(FewContacts, EveryStorageGivesTheSameBits) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LocalProblem columns = problem(3, 6, 0.2, 0.9, 0.2, seed);
    ASSERT_EQ(columns.W.storage, Storage::csc);
    LocalProblem triplets = columns, rows = columns;
    triplets.W = as_triplets(columns.W);
    rows.W = as_rows(columns.W);
    std::vector<double> a(columns.size(), 0.0), b = a, c = a;
    const auto end = run<3>(columns, a);
    EXPECT_EQ(run<3>(triplets, b), end);
    EXPECT_EQ(run<3>(rows, c), end);
    EXPECT_EQ(a, b);
    EXPECT_EQ(a, c);
    if (end != Termination::converged) continue;
    ++solved;
    EXPECT_LE(error_of(columns, a), 1e-10);
  }
  EXPECT_GE(solved, 5);
}

TEST(FewContacts, EveryCoefficientOfFriction) {
  for (const auto& [mu_min, mu_max] : {std::pair{0.0, 0.0}, {0.0, 0.3}, {0.5, 2.0}, {0.1, kInfinity}})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const LocalProblem space = problem(3, 5, mu_min, mu_max, 0, seed), plane = problem(2, 7, mu_min, mu_max, 0, seed);
      std::vector<double> r(space.size(), 0.0), s(plane.size(), 0.0);
      if (run<3>(space, r) == Termination::converged) EXPECT_LE(error_of(space, r), 1e-10);
      else EXPECT_EQ(r, std::vector<double>(space.size(), 0.0));
      if (run<2>(plane, s) == Termination::converged) EXPECT_LE(error_of(plane, s), 1e-10);
      else EXPECT_EQ(s, std::vector<double>(plane.size(), 0.0));
      EXPECT_TRUE(solve(space).solved());
      EXPECT_TRUE(solve(plane).solved());
    }
}

TEST(FewContacts, NumbersThatOverflowAreLeftToOthers) {
  LocalProblem p = problem(3, 4, 0.5, 0.5, 0, 3);
  for (const double guess : {1e200, 1e-300, std::numeric_limits<double>::max()}) {
    std::vector<double> r(p.size(), guess);
    if (run<3>(p, r) == Termination::converged) EXPECT_LE(error_of(p, r), 1e-10);
    else EXPECT_EQ(r, std::vector<double>(p.size(), guess));
  }
  for (double& x : p.W.x) x = 0;
  std::vector<double> r(p.size(), 0.0);
  EXPECT_NE(run<3>(p, r), Termination::converged);
}

TEST(FewContacts, ALimitLeavesTheBestPoint) {
  const LocalProblem p = problem(3, 12, 0.5, 0.9, 0, 5);
  RunOptions options;
  options.tolerance = 1e-14;
  options.max_iterations = 3;
  const Result result = solve(p, options);
  ASSERT_EQ(result.status, Status::iteration_limit) << result.message;
  EXPECT_EQ(result.iterations, 3);
  EXPECT_LT(result.certificate.error, 0.5 * error_of(p, std::vector<double>(p.size(), 0.0)));
  ASSERT_FALSE(result.stages.empty());
  EXPECT_EQ(result.stages.front().iterations, 3);
}

TEST(FewContacts, ASessionMayGoFromFewToManyAndBack) {
  const LocalProblem few = problem(3, 8, 0.3, 0.9, 0, 1);
  const GlobalProblem many = samples::sphere_lattice(4, 4, 4, 0.4, 1);
  Session session;
  for (int k = 0; k < 2; ++k) {
    const Result a = session.solve(few), b = session.solve(many);
    EXPECT_TRUE(a.solved()) << a.message;
    EXPECT_TRUE(b.solved()) << b.message;
    EXPECT_EQ(a.x.r, solve(few).x.r);
    EXPECT_EQ(b.x.r, solve(many).x.r);
  }
}

}  // namespace
}  // namespace cornet
