// A bead wedged in a corner and pulled out of it (seed 001 §5.3, Figs. 6 and 7): two walls at a right angle, μ = 2, a load of (1, 1)
// times the mass. Either friction holds the bead, s = (0, 0), or it takes off, s = (1, 1). On the diagonal s = (σ, σ) the convex problem
// has v = (a, a), a = min(1, μσ/(μ − 1)), so φ = (σ − a)²: σ² up to σ = ½, (1 − σ)² beyond, two minima of value 0 and a ridge of ¼
// between them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cornet/enumerate.h"
#include "reproduce/harness.h"
#include "reproduce/landscape.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kMu = 2;

PlaneScene corner() {
  PlaneScene scene;
  scene.add_disk({1, 1}, 1, 1 / 3.14159265358979323846);  // mass 1
  scene.touch_wall({0, 0}, {1, 0}, kMu);
  scene.touch_wall({0, 0}, {0, 1}, kMu);
  scene.bodies[0].velocity = {1, 1};  // where the load would bring it without contact
  return scene;
}

Result newton_from(const Problem& problem, double start) {
  RunOptions options;
  options.solver = "aclm-newton";
  options.tolerance = 1e-12;
  options.options = {{"start", "value"}, {"start_value", fmt::format("{}", start)}};
  return solve(problem, options);
}

void draw_solutions(Report& report, const PlaneScene& scene, const std::vector<double>& wedged) {
  svg::Canvas canvas(760, 390);
  for (int panel = 0; panel < 2; ++panel) {
    svg::Plot plot(canvas, {20.0 + 370 * panel, 40, 350, 330}, {-0.4, 3.2, ""}, {-0.4, 3, ""},
                   panel == 0 ? "Wedged: s = (0, 0)" : "Takes off: s = (1, 1)", true, svg::Plot::Look::bare);
    draw_wall(plot, {0, 0}, {3, 0}, {0, 1});
    draw_wall(plot, {0, 3}, {0, 0}, {1, 0});
    draw_disks(plot, scene);
    plot.arrow({1, 1}, {2, 2}, svg::stroke(panel == 0 ? svg::colour::kBlue : svg::colour::kGreen, 3), panel == 0 ? "load" : "velocity");
    for (int k = 0; k < 2 && panel == 0; ++k) {
      const Point at = scene.contacts[static_cast<std::size_t>(k)].point, f = scene.force(k, wedged);
      plot.arrow(at, {at.x + 0.5 * f.x, at.y + 0.5 * f.y}, svg::stroke(svg::colour::kRed, 2.5), k == 0 ? "contact force (half scale)" : "");
    }
    plot.legend(svg::Corner::top_right);
  }
  report.figures.push_back({"bead-solutions.svg", "A bead in a corner: the two solutions.", canvas.str()});
}

void draw_landscape(Report& report, const GlobalProblem& problem) {
  const svg::Grid grid = svg::sample(61, 61, 0, 1.75, 0, 1.75, [&](double x, double y) { return landscape(problem, {x, y}, 1e-9); });
  expect_all(report, "convex problems of the landscape solved", 61 * 61,
             static_cast<int>(std::count_if(grid.values.begin(), grid.values.end(), [](double phi) { return std::isfinite(phi); })));
  svg::Canvas canvas(700, 600);
  svg::Plot plot(canvas, {70, 45, 500, 490}, {0, 1.75, "s₁"}, {0, 1.75, "s₂"}, "φ(s₁, s₂) for the bead in a corner");
  plot.heat(grid, 0, 0.5);
  plot.contours(grid, {0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0}, svg::stroke("#FFFFFF", 0.9));
  plot.colour_bar(0, 0.5, "φ");
  plot.markers({{0, 0}, {1, 1}}, {svg::colour::kBlack, 2, svg::colour::kOrange, "", 1}, 6.5);
  plot.text({0, 0}, "wedged", {13, "start", "#FFFFFF", 0, true}, 12, -10);
  plot.text({1, 1}, "takes off", {13, "start", "#FFFFFF", 0, true}, 12, 5);
  report.figures.push_back(
      {"bead-landscape.svg", "The piecewise quadratic function φ for the bead in a corner, with its two minima.", canvas.str()});
}

}  // namespace

void bead(Report& report) {
  const PlaneScene scene = corner();
  const GlobalProblem problem = scene.problem("bead", 1, 0);
  expect_near(report, "φ(0, 0)", 0, landscape(problem, {0, 0}), 1e-12);
  expect_near(report, "φ(1, 1)", 0, landscape(problem, {1, 1}), 1e-12);
  expect_near(report, "φ(½, ½), the ridge between them", 0.25, landscape(problem, {0.5, 0.5}), 1e-6);
  double worst = 0;
  for (int k = 0; k <= 40; ++k) {
    const double sigma = 0.05 * k, a = std::min(1.0, kMu * sigma / (kMu - 1));
    worst = std::max(worst, std::abs(landscape(problem, {sigma, sigma}) - (sigma - a) * (sigma - a)));
  }
  expect_at_most(report, "largest difference of φ(σ, σ) to the closed form, 41 values of σ in [0, 2]", 1e-6, worst);

  const Enumeration all = enumerate_solutions(problem);
  expect_true(report, "enumeration of all cases is complete", all.complete);
  expect_near(report, "number of solutions", 2, static_cast<double>(all.solutions.size()), 0);
  std::vector<double> wedged;
  for (const EnumeratedSolution& solution : all.solutions) {
    const double speed = vec(solution.x.v).head(2).norm();
    if (speed < 1e-9) {
      wedged = solution.x.r;
      expect_same(report, "contacts of the solution at rest", "2 stick", fmt::format("{} stick", solution.certificate.stick));
      expect_false(report, "its contact forces are unique", solution.unique_reactions);
    } else {
      expect_near(report, "the other one: v_x", 1, solution.x.v[0], 1e-9);
      expect_near(report, "the other one: v_y", 1, solution.x.v[1], 1e-9);
      expect_same(report, "its contacts", "2 take off", fmt::format("{} take off", solution.certificate.take_off));
    }
    expect_true(report, "it is isolated", solution.isolated);
  }
  for (const double start : {0.0, 0.1, 0.3, 0.45, 0.55, 0.7, 1.0, 1.5}) {
    const Result result = newton_from(problem, start);
    const double speed = result.solved() ? vec(result.x.v).head(2).norm() : kInfinity;
    expect_near(report, fmt::format("speed of the bead found by aclm-newton from s = ({0}, {0})", start), start < 0.5 ? 0 : std::sqrt(2.0),
                speed, 1e-9);
  }
  draw_landscape(report, problem);
  if (wedged.size() == 4) draw_solutions(report, scene, wedged);
}

}  // namespace cornet::reproduction
