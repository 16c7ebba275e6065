// A square lying on the ground (seed 000 §5.4, Fig. 5): vertical forces at its corners, or forces that lean towards each other, hold it
// alike. Two different valid force sets are produced by the solver from two starting points; the whole family r + τ (0, 1, 0, −1), |τ| ≤
// μ m g/2, is valid.
#include <fmt/format.h>

#include <cmath>

#include "cornet/enumerate.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {

void square(Report& report) {
  const double weight = 9.81, mu = 0.6, half = weight / 2;
  PlaneScene scene;
  scene.bodies.push_back({{0, 0.5}, 0, 1, 1.0 / 6, {}});
  for (const double x : {-0.5, 0.5}) scene.contacts.push_back({0, kWorld, {x, 0}, {0, 1}, mu, {}});
  const GlobalProblem problem = scene.problem("square", 1, weight);
  const Eigen::MatrixXd h = dense(problem.H);

  // The tangent of the frame points to the left.
  const std::vector<std::vector<double>> sets = {solve_to(problem, 1e-11, "", {half, 0, half, 0}).x.r,
                                                 solve_to(problem, 1e-11, "", {half, -0.8 * mu * half, half, 0.8 * mu * half}).x.r};
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const auto& r = sets[k];
    const std::string which = fmt::format("set {}, r = ({:.3f}, {:.3f}, {:.3f}, {:.3f})", k + 1, r[0], r[1], r[2], r[3]);
    expect_at_most(report, "certified error of " + which, 1e-11, error_of(problem, vec(r)));
    expect_near(report, fmt::format("vertical force over the weight, set {}", k + 1), 1, (r[0] + r[2]) / weight, 1e-9);
  }
  expect_at_most(report, "largest tangential force of set 1 over the weight", 1e-9,
                 std::max(std::abs(sets[0][1]), std::abs(sets[0][3])) / weight);
  expect_at_least(report, "smallest tangential force of set 2 over the weight", 0.1,
                  std::min(std::abs(sets[1][1]), std::abs(sets[1][3])) / weight);
  expect_at_most(report, "‖H (r − r′)‖ over the weight: same motion", 1e-9, (h * (vec(sets[0]) - vec(sets[1]))).norm() / weight);

  // The family ends where the cone does.
  const Eigen::Vector4d vertical(half, 0, half, 0), lean(0, 1, 0, -1);
  double inside = 0, outside = kInfinity;
  for (int k = -10; k <= 10; ++k) inside = std::max(inside, error_of(problem, vertical + 0.1 * k * mu * half * lean));
  for (const double sign : {-1.0, 1.0}) outside = std::min(outside, error_of(problem, vertical + 1.01 * sign * mu * half * lean));
  expect_at_most(report, "largest error of 21 members of the family with |τ| ≤ μ m g/2", 1e-12, inside);
  expect_at_least(report, "error with τ one per cent beyond", 1e-4, outside);
  const Enumeration all = enumerate_solutions(problem);
  expect_true(report, "one velocity with non-unique forces, by enumeration of all cases",
              all.complete && all.solutions.size() == 1 && !all.solutions.front().unique_reactions);

  svg::Canvas canvas(820, 370);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    svg::Plot plot(canvas, {20 + 400 * static_cast<double>(k), 40, 380, 300}, {-1.2, 1.2, ""}, {-0.25, 1.5, ""},
                   fmt::format("Force set {}", k + 1), true, svg::Plot::Look::bare);
    draw_wall(plot, {-1.2, 0}, {1.2, 0}, {0, 1});
    plot.polygon({{-0.5, 0}, {0.5, 0}, {0.5, 1}, {-0.5, 1}}, {svg::colour::kGrey, 1.5, "#F3EAD8", "", 1});
    for (const double x : {-0.5, 0.5})
      plot.polygon({{x, 0}, {x + mu * 0.9, 0.9}, {x - mu * 0.9, 0.9}}, svg::fill(svg::colour::kSky, 0.25), x < 0 ? "friction cones" : "");
    for (int c = 0; c < 2; ++c) {
      const Point at = scene.contacts[static_cast<std::size_t>(c)].point, f = scene.force(c, sets[k]);
      plot.arrow(at, {at.x + 0.16 * f.x, at.y + 0.16 * f.y}, svg::stroke(svg::colour::kRed, 3), c == 0 ? "contact force" : "");
    }
    plot.legend(svg::Corner::top_right);
  }
  report.figures.push_back({"square.svg", "A square lying on the ground: two valid sets of contact forces.", canvas.str()});
}

}  // namespace cornet::reproduction
