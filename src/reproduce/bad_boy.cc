// One contact that defeats Newton's method on s = F(s) (seed 001 §5.4, Fig. 8; tangent first there): M = [2 −3; −3 5], load (1, 0), μ = 1,
// u_T = v_x, u_N = v_y. The free motion v = (5, 3) takes off and is the only solution.
//
//   s ≤ 2:  v = (1 + 2s, 1 + s) on the border of the cone, φ = ½ (1 + s)²;      s ≥ 2:  v = (5, 3), φ = ½ (s − 5)²
//
// φ has a kink at s = 2, a local minimum of ½ at s = 0 and the solution at s = 5: from s < 2 a descent of φ ends at 0.
#include <fmt/format.h>

#include <cmath>

#include "cornet/enumerate.h"
#include "reproduce/harness.h"
#include "reproduce/landscape.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {

void bad_boy(Report& report) {
  Eigen::Matrix2d m, h;
  m << 2, -3, -3, 5;
  h << 0, 1, 1, 0;  // normal first
  GlobalProblem problem = global_problem(2, m, h, Eigen::Vector2d(1, 0), Eigen::Vector2d::Zero(), {1});
  problem.name = "bad-boy";
  const auto closed = [](double s) { return s <= 2 ? 0.5 * (1 + s) * (1 + s) : 0.5 * (s - 5) * (s - 5); };

  expect_near(report, "φ(0), the local minimum", 0.5, landscape(problem, {0}), 1e-8);
  expect_near(report, "φ(2), the kink", 4.5, landscape(problem, {2}), 1e-5);
  expect_near(report, "φ(5), the solution", 0, landscape(problem, {5}), 1e-8);
  std::vector<svg::Point> computed, exact;
  double worst = 0;
  for (int k = 0; k <= 80; ++k) {
    const double s = 0.1 * k, phi = landscape(problem, {s});
    worst = std::max(worst, std::isnan(phi) ? kInfinity : std::abs(phi - closed(s)));
    exact.push_back({s, closed(s)});
    if (k % 2 == 0) computed.push_back({s, phi});
  }
  expect_at_most(report, "largest difference of φ to the closed form, 81 values of s in [0, 8]", 1e-5, worst);

  const Enumeration all = enumerate_solutions(problem);
  expect_true(report, "enumeration of all cases: exactly one solution", all.complete && all.solutions.size() == 1);
  const auto compare = [&](const std::string& which, const Result& result) {
    expect_same(report, "status of " + which, "solved", to_string(result.status));
    expect_near(report, "v_x of " + which, 5, result.x.v[0], 1e-8);
    expect_near(report, "v_y of " + which, 3, result.x.v[1], 1e-8);
  };
  compare(kDefaultSolver, solve_to(problem, 1e-10));
  std::vector<svg::Point> lost, found;
  for (const double start : {0.0, 0.5, 1.0, 1.9, 2.1, 3.0, 8.0}) {
    RunOptions options;
    options.solver = "aclm-newton";
    options.tolerance = 1e-10;
    options.options = {{"start", "value"}, {"start_value", fmt::format("{}", start)}};
    const Result result = solve(problem, options);
    const std::string which = fmt::format("aclm-newton from s = {}", start);
    if (start > 2) {
      compare(which, result);
      found.push_back({start, closed(start)});
    } else {
      expect_false(report, which + " claims a solution", result.solved());
      const auto phi = result.statistics.find("phi_final");
      expect_near(report, "φ where " + which + " stops", 0.5, phi == result.statistics.end() ? kInfinity : phi->second, 1e-6);
      lost.push_back({start, closed(start)});
    }
  }

  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 8, "s"}, {0, 5, "φ(s)"}, "One contact: φ with a local minimum at 0 that is no solution");
  plot.line(exact, svg::stroke(svg::colour::kBlack, 1.6), "closed form");
  plot.markers(computed, svg::fill(svg::colour::kBlue), 2.6, "computed, one convex problem each");
  plot.markers(lost, {svg::colour::kRed, 2, "#FFFFFF", "", 1}, 5.5, "Newton from here ends at 0");
  plot.markers(found, {svg::colour::kGreen, 2, "#FFFFFF", "", 1}, 5.5, "Newton from here ends at 5");
  plot.text({2, 4.5}, "kink", {12}, 0, -9);
  plot.text({5, 0}, "v = (5, 3)", {12}, 0, -12);
  plot.legend(svg::Corner::top_right);
  report.figures.push_back({"bad-boy.svg", "The piecewise quadratic function φ of one contact.", canvas.str()});
}

}  // namespace cornet::reproduction
