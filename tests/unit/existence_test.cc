// check_existence on small systems whose answer is known by hand, and on the input that tools of this kind stumble over.
#include <gtest/gtest.h>

#include <cmath>

#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::kInfinity;
using test::sparse;

GlobalProblem problem(int dim, const Eigen::MatrixXd& H, const std::vector<double>& w, const std::vector<double>& mu) {
  GlobalProblem p;
  p.dim = dim;
  p.M = sparse(Eigen::MatrixXd::Identity(H.rows(), H.rows()));
  p.H = sparse(H);
  p.f.assign(static_cast<std::size_t>(H.rows()), 0.0);
  p.w = w;
  p.mu = mu;
  return p;
}

// Painlevé's rod: u = (sin θ, cos θ) v + (0, u₀), normal first.
GlobalProblem rod(double tan_theta, double mu, double u0) {
  const double theta = std::atan(tan_theta);
  Eigen::MatrixXd H(1, 2);
  H << std::sin(theta), std::cos(theta);
  return problem(2, H, {0, u0}, {mu});
}

// A ball between a fixed ground and a plane that comes down: one degree of freedom, normals up and down.
GlobalProblem crushed_ball(double mu, double speed) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2, 4);
  H(0, 0) = 1;
  H(0, 2) = -1;
  H(1, 1) = 1;
  H(1, 3) = 1;
  return problem(2, H, {0, 0, -speed, 0}, {mu, mu});
}

void expect_verified(const Problem& p, const Existence& e) {
  EXPECT_TRUE(e.certificate.verified);
  EXPECT_TRUE(verify_existence(p, e.verdict, e.certificate));
  EXPECT_FALSE(e.sentence.empty());
}

TEST(Existence, painleve_rod_holds_in_exactly_the_cases_of_the_paper) {
  for (const double tan_theta : {0.3, 0.9, 1.5})
    for (const double mu : {0.5, 1.0, 1.2})
      for (const double u0 : {-1.0, 1.0}) {
        const Problem p = rod(tan_theta, mu, u0);
        const Existence e = check_existence(p);
        const bool holds = u0 <= 0 || tan_theta > mu;
        EXPECT_EQ(e.verdict == Verdict::guaranteed_robust || e.verdict == Verdict::guaranteed, holds)
            << tan_theta << " " << mu << " " << u0 << " " << to_string(e.verdict);
        if (!holds) {
          EXPECT_EQ(e.verdict, Verdict::not_guaranteed);
        }
        expect_verified(p, e);
      }
}

TEST(Existence, margin_of_the_rod_by_hand) {
  // tan θ < μ, u₀ = 1: max over v of sin θ v − μ |cos θ v + 1|, attained at the kink v = −1/cos θ: t = −tan θ.
  const Existence e = check_existence(rod(0.5, 1.0, 1.0));
  EXPECT_EQ(e.verdict, Verdict::not_guaranteed);
  EXPECT_NEAR(e.margin, -0.5, 1e-6);
  EXPECT_EQ(e.reason, "margin");
  EXPECT_EQ(e.certificate.kind, "reaction");
}

TEST(Existence, crushed_ball_is_impossible_with_normal_forces_as_proof) {
  for (const double mu : {0.0, 0.3, kInfinity}) {
    const Problem p = crushed_ball(mu, 1);
    const Existence e = check_existence(p);
    EXPECT_EQ(e.verdict, Verdict::impossible) << mu;
    EXPECT_EQ(e.certificate.kind, "normal_reaction");
    EXPECT_NEAR(e.certificate.r[0], e.certificate.r[2], 1e-6);
    EXPECT_EQ(e.reason, mu == 0 ? "frictionless" : "necessary_condition");
    expect_verified(p, e);
  }
  EXPECT_EQ(check_existence(crushed_ball(0.3, -1)).verdict, Verdict::guaranteed_robust);  // the plane goes up
  EXPECT_EQ(check_existence(crushed_ball(0.3, 0)).verdict, Verdict::guaranteed);          // squeezed, nothing moves
}

TEST(Existence, shortcuts_are_named) {
  EXPECT_EQ(check_existence(problem(3, Eigen::MatrixXd(4, 0), {}, {})).reason, "no_contacts");
  EXPECT_EQ(check_existence(problem(3, Eigen::MatrixXd::Identity(3, 3), {-1, 5, 5}, {0.7})).reason, "full_column_rank");
  EXPECT_EQ(check_existence(samples::box_stack(3, 0.5)).reason, "trivial_kernel");
  EXPECT_EQ(check_existence(crushed_ball(0.5, 0)).reason, "rigid_external_motion");
  EXPECT_EQ(check_existence(crushed_ball(0, 1)).reason, "frictionless");
}

TEST(Existence, external_objects_that_move_as_one_body) {
  // Both jaws move with the same velocity 3 along x and −2 along y.
  GlobalProblem p = crushed_ball(0.5, 0);
  p.w = {2, -3, -2, -3};
  const Existence e = check_existence(p);
  EXPECT_EQ(e.verdict, Verdict::guaranteed);
  EXPECT_EQ(e.reason, "rigid_external_motion");
  ASSERT_EQ(e.certificate.v.size(), 2u);
  EXPECT_NEAR(e.certificate.v[0], -2, 1e-8);
  EXPECT_NEAR(e.certificate.v[1], 3, 1e-8);
  expect_verified(p, e);
}

TEST(Existence, every_bundled_sample_has_a_solution_and_is_not_called_impossible) {
  for (const auto& sample : samples::bundled()) {
    const Existence e = check_existence(sample.problem);
    EXPECT_NE(e.verdict, Verdict::impossible) << sample.name;
    expect_verified(sample.problem, e);
  }
}

TEST(Existence, a_column_of_zeros_leaves_u_equal_to_w) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 6);
  H.leftCols(3).setIdentity();
  EXPECT_EQ(check_existence(problem(3, H, {0, 0, 0, -1, 0, 0}, {0.5, 0.5})).verdict, Verdict::impossible);
  EXPECT_EQ(check_existence(problem(3, H, {0, 0, 0, 1, 4, 0}, {0.5, 0.5})).verdict, Verdict::not_guaranteed);
  EXPECT_EQ(check_existence(problem(3, H, {0, 0, 0, 1, 1, 0}, {0.5, 0.5})).verdict, Verdict::guaranteed_robust);
  const Existence rest = check_existence(problem(3, H, {0, 0, 0, 0, 0, 0}, {0.5, 0.5}));
  EXPECT_EQ(rest.verdict, Verdict::guaranteed);
  EXPECT_TRUE(
      std::any_of(rest.notes.begin(), rest.notes.end(), [](const std::string& n) { return n.find("zero columns") != std::string::npos; }));
}

TEST(Existence, duplicated_contacts_change_nothing) {
  const GlobalProblem one = rod(0.5, 1.0, 1.0);
  Eigen::MatrixXd H(1, 6);
  const Eigen::MatrixXd single = test::dense(one.H);
  H << single, single, single;
  const GlobalProblem three = problem(2, H, {0, 1, 0, 1, 0, 1}, {1, 1, 1});
  EXPECT_EQ(check_existence(three).verdict, Verdict::not_guaranteed);
  EXPECT_NEAR(check_existence(three).margin, -0.5, 1e-6);
}

TEST(Existence, infinite_friction_asks_for_no_sliding) {
  Eigen::MatrixXd H(2, 4);  // one point on two walls that slide apart
  H << 1, 0, 1, 0, 0, 1, 0, 1;
  const GlobalProblem apart = problem(2, H, {0, 1, 0, -1}, {kInfinity, kInfinity});
  const Existence e = check_existence(apart);
  EXPECT_EQ(e.verdict, Verdict::not_guaranteed);
  EXPECT_EQ(e.margin, -kInfinity);
  expect_verified(apart, e);
  const GlobalProblem together = problem(2, H, {0, 1, 0, 1}, {kInfinity, kInfinity});
  const Existence t = check_existence(together);
  EXPECT_EQ(t.verdict, Verdict::guaranteed);  // the equalities depend on each other: not robust
  expect_verified(together, t);
  EXPECT_EQ(check_existence(problem(2, Eigen::MatrixXd::Identity(2, 2), {-1, 2}, {kInfinity})).verdict, Verdict::guaranteed_robust);
}

TEST(Existence, contradictory_joints_are_impossible) {
  GlobalProblem p = problem(2, Eigen::MatrixXd::Identity(2, 2), {0, 0}, {0.5});
  p.G = sparse((Eigen::MatrixXd(2, 2) << 1, 1, 0, 0).finished());
  p.b = {0, 1};
  const Existence e = check_existence(p);
  EXPECT_EQ(e.verdict, Verdict::impossible);
  EXPECT_EQ(e.reason, "bilateral_constraints");
  expect_verified(p, e);
  EXPECT_EQ(check_existence(samples::jointed_cubes(0.5)).verdict, Verdict::guaranteed_robust);
}

TEST(Existence, joints_take_the_freedom_that_a_contact_needs) {
  // The only degree of freedom that could open the contact is held by the joint.
  GlobalProblem p = problem(2, Eigen::MatrixXd::Identity(2, 2), {-1, 0}, {0.5});
  p.G = sparse((Eigen::MatrixXd(2, 1) << 1, 0).finished());
  p.b = {0};
  const Existence e = check_existence(p);
  EXPECT_EQ(e.verdict, Verdict::impossible);
  expect_verified(p, e);
}

TEST(Existence, a_singular_mass_matrix_is_refused) {
  GlobalProblem p = crushed_ball(0.5, 0);
  p.M = sparse((Eigen::MatrixXd(2, 2) << 1, 1, 1, 1).finished());
  try {
    check_existence(p);
    FAIL();
  } catch (const InvalidProblem& error) {
    EXPECT_NE(std::string(error.what()).find("positive definite"), std::string::npos);
  }
}

TEST(Existence, an_indefinite_local_matrix_is_refused) {
  LocalProblem p;
  p.dim = 2;
  p.W = sparse((Eigen::MatrixXd(2, 2) << -1, 0, 0, 1).finished());
  p.q = {-1, 0};
  p.mu = {0};
  EXPECT_THROW(check_existence(p), InvalidProblem);
  p.W = sparse((Eigen::MatrixXd(2, 2) << 1, 3, 0, 1).finished());  // xᵀWx = −1 for x = (1, −1)
  EXPECT_THROW(check_existence(p), InvalidProblem);
  p.W = sparse((Eigen::MatrixXd(2, 2) << 1, 1, 1, 1).finished());  // singular is fine
  EXPECT_NO_THROW(check_existence(p));
}

TEST(Existence, rounding_noise_proves_nothing) {
  // u = w can be had up to rounding only: v is huge and along the kernel of Hᵀ.
  const GlobalProblem p = crushed_ball(0.3, 1);
  ExistenceCertificate c;
  c.kind = "velocity";
  c.v = {1e17, 1e17};
  EXPECT_FALSE(verify_existence(p, Verdict::guaranteed, c));
}

// Two contacts pressed against each other by a body that gives way by `softness`: r_N = (2, 2)/softness + (1, 0) is a solution, and without any
// softness there is none.
TEST(Existence, a_nearly_singular_matrix_excludes_nothing) {
  for (const double softness : {0.0, 1e-7, 1e-2}) {
    SCOPED_TRACE(softness);
    Eigen::MatrixXd W = Eigen::MatrixXd::Identity(4, 4);
    W(0, 2) = W(2, 0) = -1;
    W(2, 2) += softness;
    const LocalProblem p = test::make_local(2, W, {-1, 0, -1, 0}, {0, 0});
    const Existence e = check_existence(p);
    EXPECT_TRUE(e.certificate.verified);
    RunOptions options;
    options.time_limit = 1;
    const Result result = solve(p, options);
    if (softness > 0) {
      EXPECT_NE(e.verdict, Verdict::impossible);
      EXPECT_TRUE(result.solved()) << result.message;
      EXPECT_NEAR(result.x.r[2] * softness, 2, 1e-6);
    } else {
      EXPECT_EQ(e.verdict, Verdict::impossible);
      EXPECT_EQ(result.status, Status::no_solution) << result.message;
    }
  }
}

TEST(Existence, units_of_mass_and_length_do_not_matter) {
  GlobalProblem p = rod(0.5, 1.0, 1.0);
  for (const double unit : {1e-9, 1e9}) {
    GlobalProblem q = p;
    for (double& x : q.w) x *= unit;
    for (double& x : q.H.x) x *= 1e3;
    for (double& x : q.M.x) x *= unit;
    EXPECT_NEAR(check_existence(q).margin, -0.5, 1e-6);
  }
}

TEST(Existence, an_unsymmetric_local_problem_gets_an_answer_and_a_note) {
  const GlobalProblem p = samples::spinning_disks(3, 0.4);
  const LocalProblem local = reduce(p).local();
  const Existence e = check_existence(local);
  EXPECT_EQ(e.verdict == Verdict::guaranteed_robust, check_existence(p).verdict == Verdict::guaranteed_robust);
  EXPECT_TRUE(std::any_of(e.notes.begin(), e.notes.end(), [](const std::string& n) { return n.find("unsymmetric") != std::string::npos; }));
  expect_verified(local, e);
}

TEST(Existence, the_time_limit_ends_without_a_verdict) {
  ExistenceOptions options;
  options.shortcuts = false;
  options.time_limit = 1e-9;
  EXPECT_THROW(check_existence(samples::spheres_with_contacts(200, 0.5, 1), options), Error);
}

TEST(Existence, the_driver_reports_it) {
  RunOptions options;
  options.existence = ExistenceCheck::always;
  const Result impossible = solve(crushed_ball(0.3, 1), options);
  EXPECT_EQ(impossible.status, Status::no_solution);
  ASSERT_TRUE(impossible.existence.has_value());
  EXPECT_EQ(impossible.existence->verdict, Verdict::impossible);

  options.existence = ExistenceCheck::on_failure;
  EXPECT_EQ(solve(crushed_ball(0.3, 1), options).status, Status::no_solution);
  EXPECT_FALSE(solve(samples::box_stack(2, 0.5), options).existence.has_value());

  options.solver = "nsgs-ac";
  options.max_iterations = 1;
  options.tolerance = 1e-12;
  const Result failed = solve(samples::box_stack(3, 0.5), options);
  EXPECT_NE(failed.message.find("guaranteed to exist"), std::string::npos) << failed.message;
}

}  // namespace
}  // namespace cornet
