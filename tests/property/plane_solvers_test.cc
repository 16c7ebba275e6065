// enumerate against brute force over all cases, lemke against enumerate, one contact in space against a scan of directions.
#include <gtest/gtest.h>

#include "cornet/enumerate.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kProblems = 300;

/// Plane problems of 1 to 6 contacts: random loads, unsymmetric W, strong friction, singular W, μ = 0 and μ = ∞ all occur.
LocalProblem plane_problem(int seed) {
  test::Random random(static_cast<std::uint64_t>(seed));
  Iterate known;
  const int nc = 1 + seed % 6;
  const bool extremes = seed % 7 == 0;
  LocalProblem problem = samples::random_local(2, nc, seed % 5 == 0 ? nc : 2 * nc + 1, extremes ? 0 : 0.1,
                                               extremes   ? test::kInfinity
                                               : seed % 3 ? 1.5
                                                          : 4,
                                               seed % 2 ? 0 : 0.3, static_cast<std::uint64_t>(seed), known);
  if (seed % 4 == 0)
    for (double& q : problem.q) q = random.uniform(-1, 1);
  return problem;
}

/// Velocities of all solutions whose case has a regular matrix; 0 < μ < ∞.
std::vector<VectorXd> by_brute_force(const LocalProblem& problem) {
  const MatrixXd W = test::dense(problem.W);
  const VectorXd q = test::vec(problem.q);
  const int nc = problem.contacts();
  std::vector<VectorXd> found;
  for (long k = 0; k < 1L << (2 * nc); ++k) {
    MatrixXd A = MatrixXd::Zero(2 * nc, 2 * nc);
    VectorXd b = VectorXd::Zero(2 * nc);
    for (int c = 0; c < nc; ++c) {
      const int n = 2 * c, t = n + 1, which = static_cast<int>(k >> n & 3);
      const double mu = problem.mu[static_cast<std::size_t>(c)];
      A(t, t) = 1;
      if (which == 0) {
        A(n, n) = 1;
        continue;
      }
      A.row(n) = W.row(n);
      b[n] = -q[n];
      if (which == 1) {
        A.row(t) = W.row(t);
        b[t] = -q[t];
      } else {
        A(t, n) = which == 2 ? mu : -mu;
      }
    }
    const VectorXd r = A.fullPivLu().solve(b), u = W * r + q;
    if ((A * r - b).norm() > 1e-9 || test::Law::residual(2, r, u, problem.mu) > 1e-9) continue;
    const auto same = [&](const VectorXd& other) { return (other - u).norm() < 1e-6; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(u);
  }
  return found;
}

TEST(Enumerate, AgreesWithBruteForce) {
  int several = 0;
  for (int seed = 1; seed <= kProblems; ++seed) {
    if (seed % 7 == 0 || seed % 5 == 0 || seed % 6 == 5) continue;  // extremes, singular cases; six contacts take brute force too long
    const LocalProblem problem = plane_problem(seed);
    const Enumeration e = enumerate_solutions(problem);
    const auto expected = by_brute_force(problem);
    ASSERT_TRUE(e.complete) << seed << ": " << e.message;
    ASSERT_EQ(e.solutions.size(), expected.size()) << seed;
    several += expected.size() > 1;
    for (const EnumeratedSolution& s : e.solutions) {
      EXPECT_LE(s.certificate.error, 1e-10) << seed;
      EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [&](const VectorXd& u) { return (u - test::vec(s.x.u)).norm() < 1e-6; }))
          << seed;
    }
  }
  EXPECT_GE(several, 10);
}

TEST(Lemke, ItsAnswerIsAmongTheEnumerated) {
  int solved = 0;
  for (int seed = 1; seed <= kProblems; ++seed) {
    const LocalProblem problem = plane_problem(seed);
    const Enumeration e = enumerate_solutions(problem);
    ASSERT_TRUE(e.complete) << seed << ": " << e.message;
    for (const EnumeratedSolution& s : e.solutions) EXPECT_LE(s.certificate.error, 1e-10) << seed;
    for (const char* rule : {"lemke", "principal"}) {
      RunOptions options;
      options.solver = "lemke";
      options.options["rule"] = rule;
      options.tolerance = 1e-10;
      const Result result = solve(problem, options);
      if (!result.solved()) {
        // Lemke may meet a ray only where nothing exists; principal pivoting may give up.
        EXPECT_TRUE(result.status == Status::stalled && (e.impossible() || std::string(rule) == "principal"))
            << seed << ": " << result.message;
        continue;
      }
      ++solved;
      const VectorXd u = test::vec(result.x.u);
      const bool listed = std::any_of(e.solutions.begin(), e.solutions.end(), [&](const EnumeratedSolution& s) {
        return !s.isolated || (test::vec(s.x.u) - u).norm() <= 1e-6 * (1 + u.norm());
      });
      EXPECT_TRUE(listed) << seed << " by " << rule;
    }
  }
  EXPECT_GE(solved, 1.5 * kProblems);
}

TEST(Enumerate, PermutedContactsGiveTheSameVelocities) {
  for (int seed = 1; seed <= 60; ++seed) {
    const LocalProblem problem = plane_problem(seed);
    const int nc = problem.contacts();
    const MatrixXd W = test::dense(problem.W);
    MatrixXd P = MatrixXd::Zero(2 * nc, 2 * nc);
    std::vector<double> mu(problem.mu.rbegin(), problem.mu.rend());
    for (int c = 0; c < nc; ++c) P.block(2 * c, 2 * (nc - 1 - c), 2, 2).setIdentity();
    const Enumeration a = enumerate_solutions(problem);
    const Enumeration b = enumerate_solutions(test::make_local(2, P * W * P.transpose(), test::list(P * test::vec(problem.q)), mu));
    ASSERT_EQ(a.solutions.size(), b.solutions.size()) << seed;
    for (const auto& s : a.solutions) {
      if (!s.isolated) continue;
      const VectorXd u = P * test::vec(s.x.u);
      EXPECT_TRUE(std::any_of(b.solutions.begin(), b.solutions.end(), [&](const auto& other) {
        return (test::vec(other.x.u) - u).norm() <= 1e-6 * (1 + u.norm());
      })) << seed;
    }
  }
}

// One contact in space against a scan: r_N and the direction of r_T of a slide determine each other, r = r_N (1, −μ cos φ, −μ sin φ) with
// r_N from u_N = 0; sliding solutions are the zeros over φ of the part of u_T across that direction, where u_T points along (cos φ, sin φ).
int scanned_slides(const Eigen::Matrix3d& W, const Eigen::Vector3d& q, double mu) {
  const auto across = [&](double phi, double& along, double& r_N) {
    const Eigen::Vector3d edge(1, -mu * std::cos(phi), -mu * std::sin(phi));
    r_N = -q[0] / W.row(0).dot(edge);
    const Eigen::Vector3d u = W * edge * r_N + q;
    along = u[1] * std::cos(phi) + u[2] * std::sin(phi);
    return -u[1] * std::sin(phi) + u[2] * std::cos(phi);
  };
  constexpr int kSteps = 40000;
  int count = 0;
  double along = 0, r_N = 0, last = across(0, along, r_N), last_N = r_N;
  for (int k = 1; k <= kSteps; ++k) {
    const double now = across(2 * M_PI * k / kSteps, along, r_N);
    // A pole of r_N is no zero.
    if ((now > 0) != (last > 0) && r_N > 0 && last_N > 0 && along > 0 && std::abs(now) < 1e3 && std::abs(now - last) < 1) ++count;
    last = now;
    last_N = r_N;
  }
  return count;
}

TEST(Enumerate, OneContactInSpaceAgreesWithAScan) {
  int slides_met = 0, several = 0;
  for (int seed = 1; seed <= 200; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 1000);
    const MatrixXd A = test::random_matrix(3, 3, random);
    const Eigen::Matrix3d W = A * A.transpose() + 0.01 * Eigen::Matrix3d::Identity();
    const Eigen::Vector3d q(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const double mu = random.uniform(0.05, 2.5);
    const Enumeration e = enumerate_solutions(test::make_local(3, W, test::list(q), {mu}));
    ASSERT_TRUE(e.complete) << seed << ": " << e.message;
    ASSERT_FALSE(e.solutions.empty()) << seed;  // W is definite: a solution exists
    int slide = 0, stick = 0, take_off = 0;
    for (const EnumeratedSolution& s : e.solutions) {
      EXPECT_LE(s.certificate.error, 1e-10) << seed;
      slide += s.certificate.slide;
      stick += s.certificate.stick;
      take_off += s.certificate.take_off;
    }
    const Eigen::Vector3d held = -W.inverse() * q;
    EXPECT_EQ(take_off, q[0] > 0 ? 1 : 0) << seed;
    EXPECT_EQ(stick, std::hypot(held[1], held[2]) <= mu * held[0] ? 1 : 0) << seed;
    EXPECT_EQ(slide, scanned_slides(W, q, mu)) << seed;
    slides_met += slide;
    several += e.solutions.size() > 1;
  }
  EXPECT_GE(slides_met, 50);
  EXPECT_GE(several, 3);
}

}  // namespace
}  // namespace cornet
