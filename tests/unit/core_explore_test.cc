// explore(): starting points, distinct solutions, families, completeness; bipotential() against the law written out.
#include <gtest/gtest.h>

#include "cornet/bipotential.h"
#include "cornet/error.h"
#include "cornet/explore.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/plane_problems.h"

namespace cornet {
namespace {

using test::kInfinity;

ExploreOptions options_for(const std::string& solver, int starts) {
  ExploreOptions options;
  options.run.solver = solver;
  options.run.time_limit = 60;
  options.starts = starts;
  return options;
}

TEST(StartingPoints, LieInTheConesAndRepeat) {
  Iterate known;
  for (const int dim : {2, 3}) {
    const LocalProblem problem = samples::random_local(dim, 12, 20, 0, kInfinity, 0, 4, known);
    std::vector<std::vector<double>> seen;
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> r = starting_point(problem, k);
      EXPECT_EQ(r, starting_point(problem, k));
      EXPECT_EQ(std::count(seen.begin(), seen.end(), r), 0) << k;
      seen.push_back(r);
      for (int c = 0; c < problem.contacts(); ++c) {
        const Eigen::VectorXd mine = test::vec(r).segment(dim * c, dim);
        const double mu = problem.mu[static_cast<std::size_t>(c)];
        EXPECT_GE(mine[0], 0);
        EXPECT_TRUE(std::isinf(mu) || mine.tail(dim - 1).norm() <= mu * mine[0] * (1 + 1e-12)) << k;
      }
    }
    EXPECT_EQ(seen[0], std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0));
  }
}

TEST(Explore, BeadWithoutEnumerationFindsBothMotions) {
  ExploreOptions options = options_for("nsgs-exact", 24);
  options.enumerate = false;
  const Exploration e = explore(test::bead_in_corner(0.2, 0.5), options);
  ASSERT_EQ(e.solutions.size(), 2u) << e.message;
  EXPECT_FALSE(e.complete);
  EXPECT_FALSE(e.enumerated);
  int found = 0;
  for (const ExploredSolution& s : e.solutions) {
    EXPECT_LE(s.certificate.error, 1e-8);
    EXPECT_EQ(s.x.v.size(), 2u);
    found += s.found;
    // The wedged bead has many reactions, the free one has one.
    EXPECT_EQ(s.unique_reactions, s.certificate.take_off == 2);
    EXPECT_EQ(s.reactions == 1, s.certificate.take_off == 2);
  }
  EXPECT_EQ(found, e.solved);
  EXPECT_GE(e.solutions[0].found, e.solutions[1].found);
}

TEST(Explore, EnumerationCompletesTheList) {
  const Exploration e = explore(test::painleve_rod(1, 0.3, 1, 0.5), options_for("nsgs-exact", 1));
  EXPECT_TRUE(e.complete && e.enumerated);
  ASSERT_EQ(e.solutions.size(), 2u);
  EXPECT_EQ(e.solutions[0].found, 1);
  EXPECT_EQ(e.solutions[1].found, 0);
  EXPECT_TRUE(e.solutions[1].enumerated);
}

TEST(Explore, ImpossibleIsProvedWhateverTheSolverSays) {
  for (const char* solver : {"nsgs-exact", "ppa-nsn-ac-gp", "lemke"}) {
    const Exploration e = explore(test::painleve_rod(-1, 0.3, 1, 0.5), options_for(solver, 4));
    EXPECT_EQ(e.status, Status::no_solution) << solver << ": " << e.message;
    EXPECT_TRUE(e.solutions.empty()) << solver;
    EXPECT_EQ(e.starts, 4);
  }
}

TEST(Explore, TheGuessIsTheFirstStart) {
  ExploreOptions options = options_for("enumerate", 1);
  options.guess.r = {2, -1, 2, -1};
  options.enumerate = false;
  const Exploration e = explore(test::bead_in_corner(0.2, 0.5), options);
  ASSERT_EQ(e.solutions.size(), 1u);
  EXPECT_EQ(e.solutions[0].certificate.stick, 2);
}

TEST(Explore, Input) {
  EXPECT_THROW(explore(test::bead_in_corner(0.2, 0.5), options_for("nsgs-exact", 0)), InvalidOption);
  EXPECT_THROW(explore(test::bead_in_corner(0.2, 0.5), options_for("no-such", 1)), InvalidOption);
  std::atomic<bool> stop{true};
  ExploreOptions options = options_for("nsgs-exact", 3);
  options.run.interrupt = &stop;
  const Exploration e = explore(test::bead_in_corner(0.2, 0.5), options);
  EXPECT_EQ(e.starts, 0);
  EXPECT_EQ(e.status, Status::interrupted);
}

TEST(Bipotential, GapIsTheProductAndVanishesAtSolutions) {
  Iterate known;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const int dim = seed % 2 ? 2 : 3;
    const LocalProblem problem = samples::random_local(dim, 8, 30, 0, seed % 3 ? 1.0 : kInfinity, 0.1, seed, known);
    const Bipotential at = bipotential(problem, known);
    EXPECT_EQ(at.infeasible, 0) << seed;
    for (const double gap : at.gap) EXPECT_NEAR(gap, 0, 1e-10) << seed;
    // Any other pair with u_N ≥ 0 and r ∈ K has gaps ≥ 0 and the formula gives them.
    Iterate other = known;
    for (double& r : other.r) r *= 0.5;
    const Bipotential b = bipotential(problem, other);
    const Eigen::VectorXd r = test::vec(other.r), u = test::dense(problem.W) * r + test::vec(problem.q);
    double total = 0;
    for (int c = 0; c < problem.contacts(); ++c) {
      const double mu = problem.mu[static_cast<std::size_t>(c)];
      const auto rc = r.segment(dim * c, dim), uc = u.segment(dim * c, dim);
      const double gap = std::isinf(mu) ? rc[0] * uc[0] : rc.dot(uc) + mu * rc[0] * uc.tail(dim - 1).norm();
      EXPECT_NEAR(b.gap[static_cast<std::size_t>(c)], gap, 1e-12) << seed;
      EXPECT_TRUE(b.infeasibility[static_cast<std::size_t>(c)] > 0 || gap >= -1e-12) << seed;
      total += gap;
    }
    EXPECT_NEAR(b.total, total, 1e-11) << seed;
  }
}

TEST(Bipotential, SameInBothForms) {
  const GlobalProblem global = samples::jointed_cubes(0.4);
  const Reduction reduction(global);
  Iterate x;
  x.r = starting_point(reduction.local(), 3);
  const Bipotential a = bipotential(global, x), b = bipotential(reduction.local(), x);
  ASSERT_EQ(a.gap.size(), b.gap.size());
  EXPECT_NEAR(a.total, b.total, 1e-9 * std::abs(b.total));
  EXPECT_EQ(a.worst_contact, b.worst_contact);
  EXPECT_GT(std::abs(a.worst_gap), 0);
  x.r.pop_back();
  EXPECT_THROW(bipotential(global, x), InvalidProblem);
}

}  // namespace
}  // namespace cornet
