// One contact in space, W ≻ 0: every solution, by the quartic equation and by an exhaustive case analysis, against the solvers.
//
//   take-off  r = 0, q_N ≥ 0;      stick  r = −W⁻¹q ∈ K;      slide  u_T = α t(φ), α > 0, r = r_N (1, −μ t(φ)), t = (cos φ, sin φ)
//
// u_N = 0 gives r_N = −q_N / d(φ), d = W_NN − μ W_NT t; that u_T is parallel to t is one equation in the angle,
//
//   g(φ) = −q_N (W_TN − μ W_TT t) × t + d(φ) (q_T × t) = 0
//
// a trigonometric polynomial of degree 2, that is a quartic in e^{iφ}. The case analysis instead looks for sign changes of g on a fine
// circle and closes in on them by bisection: it shares nothing but g. A double root, where two solutions melt, is seen by neither sharply.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <numbers>

#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

struct Instance {
  Matrix3d w;
  Vector3d q;
  double mu;
};

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }
Vector2d direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

double g_of(const Instance& c, double angle) {
  const Vector2d t = direction(angle), column = c.w.block<2, 1>(1, 0), row = c.w.block<1, 2>(0, 1).transpose();
  const double d = c.w(0, 0) - c.mu * row.dot(t);
  return -c.q[0] * cross(column - c.mu * c.w.block<2, 2>(1, 1) * t, t) + d * cross(c.q.tail<2>(), t);
}

// The sliding solution of an angle with g = 0, if it is one.
void add_sliding(const Instance& c, double angle, std::vector<Vector3d>& out) {
  const Vector2d t = direction(angle);
  const double d = c.w(0, 0) - c.mu * c.w.block<1, 2>(0, 1).transpose().dot(t), normal = -c.q[0] / d;
  if (!(normal > 0)) return;
  Vector3d r;
  r << normal, -c.mu * normal * t;
  if ((c.w * r + c.q).tail<2>().dot(t) > 0) out.push_back(r);
}

std::vector<Vector3d> take_off_and_stick(const Instance& c) {
  std::vector<Vector3d> out;
  if (c.q[0] >= 0) out.push_back(Vector3d::Zero());
  const Vector3d r = -c.w.llt().solve(c.q);
  if (r.tail<2>().norm() <= c.mu * r[0]) out.push_back(r);
  return out;
}

std::vector<Vector3d> by_quartic(const Instance& c) {
  std::vector<Vector3d> out = take_off_and_stick(c);
  using Complex = std::complex<double>;
  // Five samples fix the coefficients of e^{ikφ}, k = −2 … 2.
  std::array<Complex, 5> coefficient{};
  for (int k = -2; k <= 2; ++k)
    for (int j = 0; j < 5; ++j) {
      const double angle = 2 * std::numbers::pi * j / 5;
      coefficient[static_cast<std::size_t>(k + 2)] += g_of(c, angle) * std::polar(0.2, -k * angle);
    }
  if (std::abs(coefficient[4]) == 0) return out;
  Eigen::Matrix4cd companion = Eigen::Matrix4cd::Zero();
  for (int k = 0; k < 4; ++k) companion(k, 3) = -coefficient[static_cast<std::size_t>(k)] / coefficient[4];
  for (int k = 1; k < 4; ++k) companion(k, k - 1) = 1;
  for (const Complex& root : Eigen::ComplexEigenSolver<Eigen::Matrix4cd>(companion, false).eigenvalues()) {
    if (std::abs(std::abs(root) - 1) > 1e-7) continue;
    double angle = std::arg(root);
    for (int k = 0; k < 3; ++k) {  // two digits more
      const double slope = (g_of(c, angle + 1e-6) - g_of(c, angle - 1e-6)) / 2e-6;
      if (slope != 0) angle -= g_of(c, angle) / slope;
    }
    add_sliding(c, angle, out);
  }
  return out;
}

std::vector<Vector3d> by_cases(const Instance& c) {
  std::vector<Vector3d> out = take_off_and_stick(c);
  const int pieces = 3600;
  for (int k = 0; k < pieces; ++k) {
    double low = 2 * std::numbers::pi * k / pieces, high = 2 * std::numbers::pi * (k + 1) / pieces;
    const bool sign = g_of(c, low) > 0;
    if (sign == (g_of(c, high) > 0)) continue;
    for (int bisection = 0; bisection < 60; ++bisection) {
      const double middle = 0.5 * (low + high);
      (sign == (g_of(c, middle) > 0) ? low : high) = middle;
    }
    add_sliding(c, low, out);
  }
  return out;
}

double distance_to(const std::vector<Vector3d>& solutions, const Vector3d& r) {
  double nearest = kInfinity;
  for (const Vector3d& solution : solutions) nearest = std::min(nearest, (solution - r).norm() / (1 + solution.norm()));
  return nearest;
}

LocalProblem as_problem(const Instance& c) {
  LocalProblem problem;
  problem.dim = 3;
  problem.W = sparse(c.w);
  problem.q = list(c.q);
  problem.mu = {c.mu};
  problem.name = "one-contact";
  return problem;
}

Instance random_instance(Random& random) {
  Matrix3d a;
  for (double& x : a.reshaped()) x = random.normal();
  Instance c{a * a.transpose() + 0.05 * Matrix3d::Identity(), {random.normal() - 0.5, random.normal(), random.normal()}, 0};
  c.mu = random.uniform(0.05, 2);
  return c;
}

// Two extremes in closed form.
void extremes(Report& report) {
  Random random(7);
  double slippery = 0, rough = 0;
  for (int k = 0; k < 50; ++k) {
    Instance c = random_instance(random);
    c.mu = 0;
    const Vector3d found = vec(solve_to(as_problem(c), 1e-12).x.r);
    slippery = std::max(slippery, (found - Vector3d(std::max(0.0, -c.q[0] / c.w(0, 0)), 0, 0)).norm());
    // u_T = 0 eliminates r_T; what is left is one inequality for r_N.
    c.mu = kInfinity;
    const Eigen::Matrix2d tangential = c.w.block<2, 2>(1, 1);
    const Vector2d column = c.w.block<2, 1>(1, 0);
    const double schur = c.w(0, 0) - column.dot(tangential.llt().solve(column));
    const double q = c.q[0] - column.dot(tangential.llt().solve(c.q.tail<2>())), normal = std::max(0.0, -q / schur);
    Vector3d expected;
    expected << normal, -tangential.llt().solve(c.q.tail<2>() + column * normal);
    rough = std::max(rough, (vec(solve_to(as_problem(c), 1e-12).x.r) - expected).norm() / (1 + expected.norm()));
  }
  expect_at_most(report, "μ = 0, 50 random W: largest distance to r_N = max(0, −q_N/W_NN)", 1e-9, slippery);
  expect_at_most(report, "μ = ∞, 50 random W: largest distance to the closed form, relative", 1e-9, rough);
}

void draw(Report& report) {
  Instance c;
  c.w << 1, 0.3, -0.2, 0.3, 1.2, 0.1, -0.2, 0.1, 0.8;
  c.mu = 0.6;
  const auto status = [&](double qn, double qt) {
    c.q = {qn, qt, 0.3};
    if (qn >= 0) return 0.0;
    return take_off_and_stick(c).empty() ? 2.0 : 1.0;
  };
  svg::Canvas canvas(720, 500);
  svg::Plot plot(canvas, {70, 40, 600, 390}, {-2, 1, "q_N"}, {-2, 2, "q_T1"},
                 "One contact, μ = 0.6: exact regions and the solver's statuses");
  plot.regions(svg::sample(200, 200, -2, 1, -2, 2, status), {"#DCEBF7", "#DDF2E6", "#FBE6D8"});
  std::array<std::vector<svg::Point>, 3> dots;
  for (double qn = -1.9; qn < 1; qn += 0.2)
    for (double qt = -1.9; qt < 2; qt += 0.2) {
      c.q = {qn, qt, 0.3};
      const Result result = solve_to(as_problem(c), 1e-10);
      if (result.solved()) dots[static_cast<std::size_t>(result.certificate.status.front())].push_back({qn, qt});
    }
  plot.markers(dots[0], svg::fill(svg::colour::kBlue), 3, "take-off");
  plot.markers(dots[1], svg::fill(svg::colour::kGreen), 3, "stick");
  plot.markers(dots[2], svg::fill(svg::colour::kRed), 3, "slide");
  plot.legend(svg::Corner::top_right);
  report.figures.push_back({"one-contact-3d.svg", "Regions of take-off, stick and slide over q for one contact.", canvas.str()});
}

}  // namespace

void one_contact_3d(Report& report) {
  const int count = 400;
  // The first two must solve all; the plain methods after them may fail, but what they call solved must be right.
  const std::vector<std::string> ids = {kDefaultSolver, "nsgs-exact", "nsn-ac-gp", "nsn-nm", "fp-vi-upk", "eg-vi-upk"};
  std::vector<int> solved(ids.size(), 0), right(ids.size(), 0);
  std::array<int, 5> number{};
  int same = 0, exist = 0;
  double apart = 0, worst = 0;
  Random random(1);
  for (int k = 0; k < count; ++k) {
    const Instance c = random_instance(random);
    const std::vector<Vector3d> solutions = by_quartic(c), scanned = by_cases(c);
    exist += !solutions.empty();
    ++number[std::min(solutions.size(), number.size() - 1)];
    same += solutions.size() == scanned.size();
    for (const Vector3d& r : scanned) apart = std::max(apart, distance_to(solutions, r));
    for (std::size_t s = 0; s < ids.size(); ++s) {
      const Result result = solve_to(as_problem(c), 1e-11, ids[s]);
      const double distance = distance_to(solutions, vec(result.x.r));
      solved[s] += result.solved();
      right[s] += result.solved() && distance < 1e-7;
      if (result.solved()) worst = std::max(worst, distance);
    }
  }
  expect_all(report, "random W ≻ 0, q, μ ∈ [0.05, 2]: a solution exists", count, exist);
  expect_all(report, "quartic and case analysis find as many solutions", count, same);
  expect_at_most(report, "largest distance between their solutions, relative", 1e-8, apart);
  for (std::size_t s = 0; s < 2; ++s) expect_all(report, ids[s] + " finds one of the exact solutions", count, right[s]);
  for (std::size_t s = 2; s < ids.size(); ++s)
    expect_all(report, fmt::format("{} finds one of them whenever it says solved ({} of {})", ids[s], solved[s], count), solved[s],
               right[s]);
  expect_at_most(report, "largest distance of an answer to the nearest exact solution, relative", 1e-7, worst);
  extremes(report);
  ReportTable table{"Solutions per problem", {"solutions", ">problems"}, {}};
  for (std::size_t k = 0; k < number.size(); ++k)
    if (number[k] > 0) table.rows.push_back({std::to_string(k), std::to_string(number[k])});
  report.tables.push_back(table);
  draw(report);
}

}  // namespace cornet::reproduction
