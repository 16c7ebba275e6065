// All engines on the convex problem over cones, half-lines, disks and cylinders: each answer is certified, and all engines find the same
// velocities and objective (W r is unique although r need not be), in local and in global form, on matrices of full and deficient rank.
// Infeasible problems built with a known ray are proved to be so by every engine.
#include <gtest/gtest.h>

#include "cornet/convex.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

ConvexResult by(const std::string& engine, const Problem& problem, const ConvexQuestion& question, double tolerance,
                const OptionTexts& texts = {}) {
  ConvexOptions options;
  options.engine = engine;
  options.tolerance = tolerance;
  options.options = texts;
  options.time_limit = 60;
  return solve_convex(problem, question, options);
}

std::vector<std::string> ids() {
  std::vector<std::string> out;
  for (const EngineInfo& e : convex_engines()) out.push_back(e.id);
  return out;
}

// The scale of objectives.
double energy(const Problem& problem, const ConvexQuestion& question) {
  const auto& local = std::get<LocalProblem>(problem);
  Eigen::VectorXd p = test::vec(local.q);
  for (int a = 0; a < static_cast<int>(question.s.size()); ++a)
    if (local.mu[static_cast<std::size_t>(a)] < test::kInfinity)
      p[a * local.dim] += local.mu[static_cast<std::size_t>(a)] * question.s[static_cast<std::size_t>(a)];
  const Eigen::MatrixXd W = test::dense(local.W);
  return p.squaredNorm() * std::max(1.0, 1 / W.operatorNorm());
}

// Every engine against the first one.
void all_agree(const Problem& problem, const ConvexQuestion& question, double tolerance = 1e-8) {
  std::optional<ConvexResult> first;
  for (const std::string& id : ids()) {
    SCOPED_TRACE(id + " on " + to_string(question.set));
    // Adding facets converges slowly (docs/convex.md): it is asked for less.
    const double asked = id == "faceted" && dimension(problem) == 3 ? 1e-6 : tolerance;
    const ConvexResult result = by(id, problem, question, asked);
    ASSERT_EQ(result.status, ConvexStatus::optimal) << result.message;
    EXPECT_TRUE(result.certificate.verified);
    EXPECT_TRUE(result.certificate.ray.empty());
    EXPECT_EQ(result.engine, id);
    if (!first) first = result;
    const double scale = 1 + test::vec(first->x.u).norm();
    EXPECT_LT((test::vec(result.x.u) - test::vec(first->x.u)).norm(), 2e4 * std::sqrt(asked) * std::sqrt(tolerance) * scale);
    EXPECT_NEAR(result.certificate.dual_objective, first->certificate.dual_objective,
                3 * asked * (std::abs(first->certificate.dual_objective) + energy(problem, question)));
  }
}

// s at least the sliding velocity of a known solution: the cone problem is then feasible. Radii between 0 and ∞.
void all_sets(int dim, int contacts, int rank, double mu_min, double mu_max, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Iterate known;
  const LocalProblem problem = samples::random_local(dim, contacts, rank, mu_min, mu_max, 0, seed, known);
  test::Random random(seed + 100);
  ConvexQuestion question;
  for (int a = 0; a < contacts; ++a) {
    const double slip = test::vec(known.u).segment(a * dim + 1, dim - 1).norm();
    question.s.push_back(slip + (a % 3 == 0 ? 0.0 : random.uniform(0, 0.5)));
  }
  all_agree(problem, question);
  question.set = ConvexSet::half_line;
  ConvexQuestion tresca = question;
  for (int a = 0; a < contacts; ++a) {
    tresca.normal.push_back(random.uniform(0, 1));
    tresca.radius.push_back(a % 4 == 0 ? 0.0 : a % 4 == 1 && rank >= dim * contacts ? test::kInfinity : random.uniform(0, 1));
  }
  // Without friction the shift only helps: feasible like the known solution, whose normal velocities are not negative.
  all_agree(problem, question);
  tresca.set = ConvexSet::cylinder;
  all_agree(problem, tresca);
  tresca.set = ConvexSet::disk;
  all_agree(problem, tresca);
  tresca.radius.clear();  // Coulomb's thresholds μ·normal
  if (mu_max < test::kInfinity) all_agree(problem, tresca);
}

TEST(ConvexEngines, AgreeInSpace) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) all_sets(3, 8, 24, 0.1, 1, seed);
}

TEST(ConvexEngines, AgreeInThePlaneWithFrictionFromZeroToInfinity) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) all_sets(2, 9, 18, 0, test::kInfinity, seed);
}

TEST(ConvexEngines, AgreeInSpaceWithFrictionFromZeroToInfinity) {
  for (std::uint64_t seed = 15; seed <= 17; ++seed) all_sets(3, 9, 27, 0, test::kInfinity, seed);
}

TEST(ConvexEngines, AgreeOnDeficientRank) {
  for (std::uint64_t seed = 21; seed <= 23; ++seed) all_sets(3, 8, 16, 0.1, 1, seed);
  for (std::uint64_t seed = 31; seed <= 33; ++seed) all_sets(2, 10, 14, 0.1, 1, seed);
}

TEST(ConvexEngines, GlobalAndLocalFormGiveTheSame) {
  for (const samples::Sample& sample : samples::bundled()) {
    const auto* global = std::get_if<GlobalProblem>(&sample.problem);
    if (!global || global->contacts() > 60 || sample.name.starts_with("spinning")) continue;
    SCOPED_TRACE(sample.name);
    const Problem local = reduce(*global).local();
    for (ConvexSet set : {ConvexSet::cone, ConvexSet::half_line}) {
      ConvexQuestion question;
      question.set = set;
      question.s.assign(global->mu.size(), 0.25);
      const ConvexResult a = by("interior-point", sample.problem, question, 1e-9), b = by("interior-point", local, question, 1e-9);
      ASSERT_EQ(a.status, ConvexStatus::optimal) << a.message;
      ASSERT_EQ(b.status, ConvexStatus::optimal) << b.message;
      EXPECT_LT((test::vec(a.x.u) - test::vec(b.x.u)).norm(), 1e-5 * (1 + test::vec(a.x.u).norm()));
      EXPECT_NEAR(a.certificate.dual_objective, b.certificate.dual_objective, 1e-8 * energy(local, question));
      EXPECT_EQ(a.x.v.size(), static_cast<std::size_t>(global->dofs()));
    }
  }
}

// W = A Aᵀ with A r = 0 for a chosen r ∈ int X∞, and q with rᵀq < 0: the velocities cannot reach X°.
Problem infeasible(int dim, int contacts, std::uint64_t seed, std::vector<double>& ray) {
  test::Random random(seed);
  const int m = dim * contacts;
  Eigen::VectorXd r = Eigen::VectorXd::Zero(m);
  for (int a = 0; a < contacts; ++a) {
    r[a * dim] = random.uniform(0.5, 1);
    for (int i = 1; i < dim; ++i) r[a * dim + i] = random.uniform(-0.1, 0.1);
  }
  Eigen::MatrixXd A = test::random_matrix(m - 2, m, random);
  A -= (A * r) * r.transpose() / r.squaredNorm();
  Eigen::VectorXd q = test::vec(test::random_list(m, random));
  q -= r * (q.dot(r) + 0.3 * r.norm()) / r.squaredNorm();
  ray = test::list(r / r.norm());
  return test::make_local(dim, A.transpose() * A, test::list(q), std::vector<double>(static_cast<std::size_t>(contacts), 0.6));
}

TEST(ConvexEngines, ProveInfeasibility) {
  for (int dim : {2, 3})
    for (std::uint64_t seed = 41; seed <= 44; ++seed) {
      std::vector<double> ray;
      const Problem problem = infeasible(dim, 6, seed, ray);
      Iterate known;
      known.r = ray;
      EXPECT_TRUE(certify_infeasible(problem, {}, known).verified);
      for (const std::string& id : ids()) {
        SCOPED_TRACE(id + " seed " + std::to_string(seed) + " dim " + std::to_string(dim));
        const ConvexResult result = by(id, problem, {}, 1e-8);
        ASSERT_EQ(result.status, ConvexStatus::infeasible) << result.message << " " << result.iterations;
        const ConvexCertificate& c = result.certificate;
        EXPECT_TRUE(c.verified);
        EXPECT_LE(c.ray_residual, 1e-6);
        // The proof, written out again.
        const auto& local = std::get<LocalProblem>(problem);
        const Eigen::VectorXd r = test::vec(c.ray);
        EXPECT_NEAR(r.norm(), 1, 1e-12);
        EXPECT_LT((test::dense(local.W) * r).norm(), 1e-6 * test::dense(local.W).norm());
        EXPECT_LT(r.dot(test::vec(local.q)), 0);
        for (int a = 0; a < 6; ++a) EXPECT_LE(r.segment(a * dim + 1, dim - 1).norm(), 0.6 * r[a * dim] + 1e-14);
      }
      // A larger s makes the same problem feasible.
      ConvexQuestion question;
      question.s.assign(6, 50);
      all_agree(problem, question);
    }
}

TEST(ConvexEngines, FacetsConvergeToTheRoundCone) {
  Iterate known;
  const LocalProblem problem = samples::random_local(3, 6, 18, 0.3, 0.9, 0, 51, known);
  ConvexQuestion question;
  const double exact = by("interior-point", problem, question, 1e-9).certificate.dual_objective;
  double last_in = test::kInfinity, last_out = test::kInfinity;
  for (int facets : {4, 16, 64}) {
    OptionTexts texts = {{"facets", std::to_string(facets)}, {"column_generation", "false"}};
    const ConvexResult in = by("faceted", problem, question, 1e-9, texts);
    texts["side"] = "circumscribed";
    const ConvexResult out = by("faceted", problem, question, 1e-9, texts);
    // Inside: feasible for the exact cone, a lower bound. Outside: an upper bound; its distance to the cone shows.
    const double below = exact - in.certificate.dual_objective, above = out.certificate.dual_objective - exact;
    EXPECT_EQ(in.status, ConvexStatus::inaccurate) << in.message;
    EXPECT_LT(in.certificate.cone_violation, 1e-12);
    EXPECT_GT(below, -1e-8 * std::abs(exact));
    EXPECT_GT(above, -1e-8 * std::abs(exact));
    EXPECT_LT(below, 0.2 * last_in);
    EXPECT_LT(above, 0.2 * last_out);
    last_in = below;
    last_out = above;
  }
  const ConvexResult grown = by("faceted", problem, question, 1e-6, {{"side", "circumscribed"}});
  EXPECT_EQ(grown.status, ConvexStatus::optimal) << grown.message;
}

}  // namespace
}  // namespace cornet
