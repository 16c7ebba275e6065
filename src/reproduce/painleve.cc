// The rod of seeds 000 §2.2, §5.2–5.5 and 002 §4.5 (after Painlevé): its upper end A moves along Ox with the velocity u₀, the mass at its
// lower end B touches the ground. One dof, one contact in the plane; m = l = h = 1, v₀ = 0, gravity g upwards.
//
//   v = sin θ r_N + cos θ r_T + g sin θ,   u_N = sin θ v,   u_T = cos θ v + u₀
//
//   g = −1:  a solution exists iff u₀ ≤ 0 or tan θ > μ, and criterion (A) holds in exactly the same cases;
//            u₀ < 0 slides with r_N = tan θ/(tan θ + μ), u₀ > 0 with r_N = tan θ/(tan θ − μ)
//   g = +1, u₀ = 1:  take-off is a solution; for tan θ < μ, where (A) fails, sliding with r_N = tan θ/(μ − tan θ) is a second one
#include <fmt/format.h>

#include <cmath>

#include "cornet/enumerate.h"
#include "cornet/existence.h"
#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

using svg::Point;

struct Rod {
  double sine, cosine;
  double mu, u0, g;
  double tangent() const { return sine / cosine; }
};

Rod rod(double angle, double mu, double u0, double g) { return {std::sin(angle), std::cos(angle), mu, u0, g}; }

GlobalProblem problem_of(const Rod& c) {
  GlobalProblem problem = global_problem(2, Eigen::MatrixXd::Identity(1, 1), Eigen::RowVector2d(c.sine, c.cosine),
                                         Eigen::VectorXd::Constant(1, c.g * c.sine), Eigen::Vector2d(0, c.u0), {c.mu});
  problem.name = "painleve";
  return problem;
}

// Normal reactions of all solutions, in rising order; {} proves that there is none.
std::vector<double> normal_reactions(const Rod& c, bool& complete) {
  const Enumeration all = enumerate_solutions(problem_of(c));
  complete = all.complete;
  std::vector<double> out;
  for (const EnumeratedSolution& solution : all.solutions) out.push_back(solution.x.r[0]);
  std::sort(out.begin(), out.end());
  return out;
}

bool criterion(const Rod& c, int& verified) {
  const GlobalProblem problem = problem_of(c);
  const Existence found = check_existence(problem);
  verified += verify_existence(problem, found.verdict, found.certificate);
  return found.verdict == Verdict::guaranteed || found.verdict == Verdict::guaranteed_robust;
}

void gravity_down(Report& report) {
  int cases = 0, existence = 0, same = 0, verified = 0, left = 0, right = 0, left_cases = 0, right_cases = 0, proofs = 0, proof_cases = 0;
  for (int i = 1; i < 12; ++i)
    for (int j = 1; j <= 12; ++j)
      for (const double u0 : {-1.0, -0.1, 0.0, 0.1, 1.0}) {
        const Rod c = rod(i * 0.13, 0.17 * j, u0, -1);
        const bool expected = u0 <= 0 || c.tangent() > c.mu;
        bool complete = false;
        const std::vector<double> normal = normal_reactions(c, complete);
        ++cases;
        existence += complete && normal.empty() != expected;
        same += criterion(c, verified) == expected;
        if (u0 < 0) {
          ++left_cases;
          left += normal.size() == 1 && std::abs(normal[0] - c.tangent() / (c.tangent() + c.mu)) < 1e-9;
        } else if (u0 > 0 && expected) {
          ++right_cases;
          right += normal.size() == 1 && std::abs(normal[0] / (c.tangent() / (c.tangent() - c.mu)) - 1) < 1e-9;
        } else if (u0 > 0) {
          ++proof_cases;
          proofs += complete && normal.empty();
        }
      }
  expect_all(report, "g = −1: a solution exists iff u₀ ≤ 0 or tan θ > μ (11 angles, 12 μ, 5 u₀)", cases, existence);
  expect_all(report, "g = −1: criterion (A) holds in the same cases", cases, same);
  expect_all(report, "g = −1: certificate verified by separate code", cases, verified);
  expect_all(report, "g = −1, u₀ < 0: slides, r_N = tan θ/(tan θ + μ)", left_cases, left);
  expect_all(report, "g = −1, u₀ > 0, tan θ > μ: slides, r_N = tan θ/(tan θ − μ)", right_cases, right);
  expect_all(report, "g = −1, u₀ > 0, tan θ ≤ μ: enumeration proves that there is none", proof_cases, proofs);

  // tan θ = μ to the last bit: sin θ = 1/√5, cos θ = 2/√5, μ = ½.
  const Rod limit{1 / std::sqrt(5.0), 2 / std::sqrt(5.0), 0.5, 1, -1};
  bool complete = false;
  expect_true(report, "tan θ = μ exactly, u₀ = 1: no solution, proved", normal_reactions(limit, complete).empty() && complete);
  const Existence found = check_existence(problem_of(limit));
  expect_same(report, "verdict for tan θ = μ, u₀ = 1", "not_guaranteed", to_string(found.verdict));

  const Rod lost = rod(0.4, 1, 1, -1);
  const Existence without = check_existence(problem_of(lost));
  expect_same(report, "verdict, θ = 0.4, μ = 1, u₀ = 1", "not_guaranteed", to_string(without.verdict));
  expect_same(report, "its certificate", "reaction", without.certificate.kind);
  if (const Eigen::VectorXd r = vec(without.certificate.r); r.size() == 2) {
    expect_at_most(report, "‖H r‖ of the certificate", 1e-6, std::abs(lost.sine * r[0] + lost.cosine * r[1]));
    expect_at_most(report, "|r_T| − μ r_N of the certificate", 1e-6, std::abs(r[1]) - lost.mu * r[0]);
    expect_at_most(report, "wᵀr of the certificate", -0.1, lost.u0 * r[1]);
  }
  RunOptions options;
  options.max_iterations = 2000;
  expect_false(report, "the solver claims a solution there", solve(problem_of(lost), options).solved());
}

void gravity_up(Report& report) {
  int cases = 0, two = 0, fails = 0, one_cases = 0, one = 0, verified = 0;
  for (int i = 1; i < 12; ++i)
    for (int j = 1; j <= 12; ++j) {
      const Rod c = rod(i * 0.13, 0.17 * j, 1, 1);
      bool complete = false;
      const std::vector<double> normal = normal_reactions(c, complete);
      if (c.tangent() < c.mu) {
        ++cases;
        two += complete && normal.size() == 2 && normal[0] == 0 && std::abs(normal[1] / (c.tangent() / (c.mu - c.tangent())) - 1) < 1e-9;
        fails += !criterion(c, verified);
      } else {
        ++one_cases;
        one += complete && normal.size() == 1 && normal[0] == 0;
      }
    }
  expect_all(report, "g = +1, u₀ = 1, tan θ < μ: exactly two solutions, r_N = 0 and tan θ/(μ − tan θ)", cases, two);
  expect_all(report, "g = +1, u₀ = 1, tan θ < μ: criterion (A) fails all the same", cases, fails);
  expect_all(report, "g = +1, u₀ = 1, tan θ > μ: exactly one solution, take-off", one_cases, one);
}

void cone_panel(svg::Canvas& canvas, double left, const Rod& c, const std::string& title) {
  svg::Plot plot(canvas, {left, 50, 300, 300}, {-2.2, 2.2, ""}, {-1.4, 3, ""}, title, true, svg::Plot::Look::bare);
  const double far = 6;
  // K* = { u_N ≥ μ |u_T| }, K = { |r_T| ≤ μ r_N }.
  plot.polygon({{0, 0}, {far, far * c.mu}, {far, far}, {-far, far}, {-far, far * c.mu}}, svg::fill(svg::colour::kSky, 0.3), "K*");
  plot.polygon({{0, 0}, {far * c.mu, far}, {-far * c.mu, far}}, svg::fill(svg::colour::kOrange, 0.35), "K");
  plot.arrow({plot.x_low(), 0}, {plot.x_high(), 0}, svg::stroke(svg::colour::kBlack, 1));
  plot.arrow({0, plot.y_low()}, {0, plot.y_high()}, svg::stroke(svg::colour::kBlack, 1));
  plot.text({plot.x_high(), 0}, "u_T", {12, "end"}, 0, 16);
  plot.text({0, plot.y_high()}, "u_N", {12, "start"}, 8, 12);
  plot.line({{c.u0 - far * c.cosine, -far * c.sine}, {c.u0 + far * c.cosine, far * c.sine}}, svg::stroke(svg::colour::kBlue, 2.2),
            "Hᵀv + w, v ∈ ℝ");
  plot.markers({{c.u0, 0}}, svg::fill(svg::colour::kBlack), 4);
  plot.text({c.u0, 0}, "u₀", {13}, c.u0 < 0 ? -6 : 8, 18);
  // The angle of the line with the axis.
  std::vector<Point> arc;
  const double angle = std::atan2(c.sine, c.cosine);
  for (int k = 0; k <= 12; ++k) arc.push_back({c.u0 + 0.55 * std::cos(angle * k / 12), 0.55 * std::sin(angle * k / 12)});
  plot.line(arc, svg::stroke(svg::colour::kBlue, 1.2));
  plot.text({c.u0 + 0.75 * std::cos(angle / 2), 0.75 * std::sin(angle / 2)}, "θ", {13, "middle", svg::colour::kBlue}, 0, 4);
  // Where the line runs inside K*: every such velocity is a witness. Where it does not, the check gives a reaction that proves it.
  std::vector<Point> inside;
  for (int k = -600; k <= 600; ++k)
    if (const Point u{c.u0 + 0.01 * k * c.cosine, 0.01 * k * c.sine}; u.y >= c.mu * std::abs(u.x)) inside.push_back(u);
  if (inside.size() > 1) plot.line(inside, svg::stroke(svg::colour::kGreen, 5), "inside K*");
  const Existence found = check_existence(problem_of(c));
  if (found.certificate.r.size() == 2)
    plot.arrow({0, 0}, {1.3 * found.certificate.r[1], 1.3 * found.certificate.r[0]}, svg::stroke(svg::colour::kRed, 2.5), "certificate r");
  canvas.text({left + 150, 378}, fmt::format("verdict: {}", to_string(found.verdict)), {13, "middle", svg::colour::kBlack, 0, true});
  plot.legend_at(left + 60, 392);
}

void draw_cones(Report& report) {
  svg::Canvas canvas(980, 490);
  cone_panel(canvas, 15, rod(0.6, 0.45, -1, -1), "u₀ < 0");
  cone_panel(canvas, 340, rod(0.85, 0.45, 1, -1), "u₀ > 0 and θ > arctan μ");
  cone_panel(canvas, 665, rod(0.25, 0.45, 1, -1), "u₀ > 0 and θ ≤ arctan μ");
  report.figures.push_back(
      {"painleve-cones.svg", "Criterion (A) for the rod: the line of velocities and the cone K* in the three situations.", canvas.str()});
}

void draw_reactions(Report& report) {
  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 2, "tan θ"}, {0, 5, "normal reaction r_N"}, "Rod with μ = 0.8: closed forms (lines), enumeration (dots)");
  const double mu = 0.8;
  const struct {
    double u0, g;
    const char* label;
    double (*closed)(double, double);
    const char* colour;
  } kinds[] = {
      {-1, -1, "g = −1, u₀ < 0", [](double t, double m) { return t / (t + m); }, svg::colour::kBlue},
      {1, -1, "g = −1, u₀ > 0", [](double t, double m) { return t > m ? t / (t - m) : NAN; }, svg::colour::kRed},
      {1, 1, "g = +1, u₀ = 1, second solution", [](double t, double m) { return t < m ? t / (m - t) : NAN; }, svg::colour::kGreen},
  };
  for (const auto& kind : kinds) {
    std::vector<Point> line, dots;
    for (int k = 1; k < 400; ++k)
      if (const double t = 0.005 * k, y = kind.closed(t, mu); y < 6) line.push_back({t, y});
    for (int k = 1; k < 20; ++k) {
      if (k == 8) continue;
      bool complete = false;
      for (const double r : normal_reactions(rod(std::atan(0.1 * k), mu, kind.u0, kind.g), complete))
        if (r > 1e-9 && r < 5) dots.push_back({0.1 * k, r});
    }
    plot.line(line, svg::stroke(kind.colour, 1.8), kind.label);
    plot.markers(dots, svg::fill(kind.colour), 3.5);
  }
  plot.line({{mu, 0}, {mu, 5}}, svg::stroke(svg::colour::kGrey, 1, "4 4"));
  plot.text({mu, 4.7}, "tan θ = μ", {12, "end"}, -6, 0);
  plot.legend(svg::Corner::top_right);
  report.figures.push_back({"painleve-reactions.svg", "Normal reactions of the rod against the slope of the rod.", canvas.str()});
}

}  // namespace

void painleve(Report& report) {
  gravity_down(report);
  gravity_up(report);
  draw_cones(report);
  draw_reactions(report);
}

}  // namespace cornet::reproduction
