// Quality of an answer: problems whose margins and ranks are known by hand, and random ones against another linearisation of the law.
#include "cornet/quality.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "core/active_rank.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

LocalProblem one_contact(const Eigen::MatrixXd& W, const std::vector<double>& q, double mu) {
  LocalProblem problem;
  problem.dim = static_cast<int>(q.size());
  problem.W = test::sparse(W);
  problem.q = q;
  problem.mu = {mu};
  return problem;
}

Iterate reactions(std::vector<double> r) {
  Iterate x;
  x.r = std::move(r);
  return x;
}

TEST(Quality, BallOnAPlane) {
  const Eigen::MatrixXd W = Eigen::Vector3d(1, 3.5, 3.5).asDiagonal();
  const Quality stick = assess(one_contact(W, {-1, 0.7, 0}, 0.5), reactions({1, -0.2, 0}));
  EXPECT_EQ(stick.contacts.at(0).status, ContactStatus::stick);
  EXPECT_NEAR(stick.contacts[0].margin, 1 - 0.2 / 0.5, 1e-14);
  EXPECT_EQ(stick.degenerate, 0);
  EXPECT_EQ(stick.unknowns, 3);
  EXPECT_EQ(stick.rank, 3);
  EXPECT_TRUE(stick.reactions_unique);
  EXPECT_TRUE(stick.velocities_unique);
  EXPECT_GT(stick.attainable_error, 1e-17);
  EXPECT_LT(stick.attainable_error, 1e-14);

  const Quality slide = assess(one_contact(W, {-1, 3.5, 0}, 0.5), reactions({1, -0.5, 0}));
  EXPECT_EQ(slide.contacts.at(0).status, ContactStatus::slide);
  EXPECT_NEAR(slide.contacts[0].margin, 1.75 / 3.5, 1e-14);
  EXPECT_EQ(slide.unknowns, 2);
  EXPECT_EQ(slide.rank, 2);
  EXPECT_TRUE(slide.reactions_unique);

  const Quality off = assess(one_contact(W, {0.2, 1, 0}, 0.5), reactions({0, 0, 0}));
  EXPECT_EQ(off.contacts.at(0).status, ContactStatus::take_off);
  EXPECT_NEAR(off.contacts[0].margin, 0.2, 1e-14);
  EXPECT_EQ(off.unknowns, 0);
  EXPECT_EQ(off.rank, 0);
  EXPECT_TRUE(off.reactions_unique);
}

TEST(Quality, EdgesAreDegenerate) {
  const Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  // Sticks with the reaction on the boundary of the cone.
  const Quality edge = assess(one_contact(W, {-1, 0.5, 0}, 0.5), reactions({1, -0.5, 0}));
  EXPECT_EQ(edge.contacts.at(0).margin, 0);
  EXPECT_EQ(edge.degenerate, 1);
  // Touches without force and without moving away.
  const Quality apex = assess(one_contact(W, {0, 1, 0}, 0.5), reactions({0, 0, 0}));
  EXPECT_EQ(apex.contacts.at(0).margin, 0);
  EXPECT_EQ(apex.degenerate, 1);
  // A rough answer cannot tell a stick near the edge from a slide.
  const Quality rough = assess(one_contact(W, {-1, 0.4999, 0}, 0.5), reactions({1.001, -0.4999, 0}));
  EXPECT_EQ(rough.degenerate, 1);
  EXPECT_EQ(assess(one_contact(W, {-1, 0.4999, 0}, 0.5), reactions({1, -0.4999, 0})).degenerate, 0);
}

TEST(Quality, ExtremeFriction) {
  const Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  const Quality smooth = assess(one_contact(W, {-1, 0.5, 0}, 0), reactions({1, 0, 0}));
  EXPECT_EQ(smooth.unknowns, 1);
  EXPECT_EQ(smooth.rank, 1);
  EXPECT_EQ(smooth.contacts.at(0).margin, 1);
  const Quality rough = assess(one_contact(W, {-1, 5, 0}, test::kInfinity), reactions({1, -5, 0}));
  EXPECT_EQ(rough.unknowns, 3);
  EXPECT_NEAR(rough.contacts.at(0).margin, 0.2, 1e-15);
}

TEST(Quality, BlockOnFourPointsIsHyperstatic) {
  const GlobalProblem problem = samples::block_on_incline(3, 0.1, 0.5);
  RunOptions options;
  options.quality = true;
  options.tolerance = 1e-12;
  const Result result = solve(problem, options);
  ASSERT_TRUE(result.solved()) << result.message;
  ASSERT_TRUE(result.quality.has_value());
  EXPECT_EQ(result.certificate.stick, 4);
  EXPECT_EQ(result.quality->unknowns, 12);
  EXPECT_EQ(result.quality->rank, 6);
  EXPECT_FALSE(result.quality->reactions_unique);
  EXPECT_TRUE(result.quality->velocities_unique);
  EXPECT_GT(result.statistics.at("quality_time"), 0);
  EXPECT_FALSE(solve(problem).quality.has_value());
}

TEST(Quality, SlidingContactThatJams) {
  // W_NN − μ W_NT = 0: the normal velocity does not notice a reaction along the sliding ray, the slip does.
  Eigen::Matrix2d W;
  W << 1, 2, 2, 5;
  const Quality quality = assess(one_contact(W, {0, 1}, 0.5), reactions({1, -0.5}));
  EXPECT_EQ(quality.contacts.at(0).status, ContactStatus::slide);
  EXPECT_EQ(quality.unknowns, 1);
  EXPECT_EQ(quality.rank, 0);
  EXPECT_FALSE(quality.reactions_unique);
  EXPECT_FALSE(quality.velocities_unique);
}

// The law with the statuses of the answer as m equations in r, differentiated: take-off r = 0, stick u = 0, slide u_N = 0, u_T × r_T = 0 and
// ‖r_T‖² = μ² r_N².
Eigen::MatrixXd jacobian(const LocalProblem& problem, const Eigen::VectorXd& r, const std::vector<ContactStatus>& status) {
  const Eigen::MatrixXd W = test::dense(problem.W);
  const Eigen::VectorXd u = W * r + test::vec(problem.q);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(r.size(), r.size());
  const int d = problem.dim;
  for (int a = 0; a < problem.contacts(); ++a) {
    const int k = a * d;
    const double mu = problem.mu[static_cast<std::size_t>(a)];
    switch (status[static_cast<std::size_t>(a)]) {
      case ContactStatus::take_off: J.block(k, k, d, d).setIdentity(); break;
      case ContactStatus::stick: J.middleRows(k, d) = W.middleRows(k, d); break;
      case ContactStatus::slide:
        J.row(k) = W.row(k);
        J.block(k + 1, k + 1, 1, d - 1) = r.segment(k + 1, d - 1).transpose();
        J(k + 1, k) = -mu * mu * r[k];
        if (d == 2) break;
        J.row(k + 2) = r[k + 2] * W.row(k + 1) - r[k + 1] * W.row(k + 2);
        J(k + 2, k + 2) += u[k + 1];
        J(k + 2, k + 1) -= u[k + 2];
    }
  }
  return J;
}

TEST(Quality, RandomProblemsAgainstAnotherLinearisation) {
  int singular = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const int dim = seed % 2 ? 2 : 3, contacts = 6 + static_cast<int>(seed % 5), rank = static_cast<int>(4 + seed % 17);
    SCOPED_TRACE(seed);
    Iterate known;
    const LocalProblem problem = samples::random_local(dim, contacts, rank, 0.2, 1, seed % 3 ? 0.0 : 0.1, seed, known);
    const std::vector<ContactStatus> status = certify(problem, known).status;
    const Eigen::VectorXd r = test::vec(known.r);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian(problem, r, status), Eigen::ComputeFullV);
    const Eigen::VectorXd& values = svd.singularValues();
    const auto nullity = (values.array() <= 1e-9 * values[0]).count();
    const Eigen::MatrixXd kernel = svd.matrixV().rightCols(nullity);
    const bool velocities = nullity == 0 || (test::dense(problem.W) * kernel).norm() <= 1e-7 * values[0];
    singular += nullity > 0;
    const Quality quality = assess(problem, known);
    EXPECT_EQ(quality.unknowns - quality.rank, nullity);
    EXPECT_EQ(quality.reactions_unique, nullity == 0);
    EXPECT_EQ(quality.velocities_unique, velocities);
    const ActiveRank sparse = active_rank(problem, known.r, known.u, status, 0);
    EXPECT_EQ(sparse.rank, quality.rank);
    EXPECT_EQ(sparse.velocities_unique, velocities);
  }
  EXPECT_GT(singular, 5);
  EXPECT_LT(singular, 40);
}

}  // namespace
}  // namespace cornet
