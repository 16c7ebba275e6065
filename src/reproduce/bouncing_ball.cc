// A ball dropped from 1 m on the floor, Newton's restitution e in w: successive rebound heights have the ratio e² to O(h).
#include <fmt/format.h>

#include <cmath>

#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kGravity = 9.81, kMass = 0.7, kMu = 0.5;

struct Run {
  std::vector<double> heights;  // of the rebounds
  std::vector<svg::Point> path;
  double worst_error = 0;
};

// Ball in space without rotation (the impact is central): dofs (x, y, z), frame (z, x, y).
Run drop(double e, double h, double until) {
  Eigen::Matrix3d frame;
  frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  double z = 1, velocity = 0, top = 0;
  Run run;
  bool bounced = false;
  for (int step = 1; step * h < until; ++step) {
    const double before = velocity;
    velocity -= h * kGravity;
    // The contact takes part in steps that would end below the floor.
    if (z + h * velocity <= 0) {
      const GlobalProblem problem = global_problem(3, kMass * Eigen::Matrix3d::Identity(), frame, Eigen::Vector3d(0, 0, kMass * velocity),
                                                   Eigen::Vector3d(e * std::min(0.0, before), 0, 0), {kMu});
      const Result result = solve_to(problem, 1e-12);
      run.worst_error = std::max(run.worst_error, result.certificate.error);
      velocity = result.x.v[2];
      if (bounced) run.heights.push_back(top);
      bounced = true;
      top = 0;
    }
    z += h * velocity;
    top = std::max(top, z);
    if (step % 8 == 0) run.path.push_back({step * h, z});
  }
  return run;
}

}  // namespace

void bouncing_ball(Report& report) {
  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 3, "time in s"}, {0, 1.05, "height in m"}, "Ball dropped from 1 m");
  int curve = 0;
  for (const double e : {0.9, 0.8, 0.5}) {
    const double h = 5e-4;
    const Run run = drop(e, h, 3);
    expect_at_most(report, fmt::format("largest certified error of an impact, e = {}", e), 1e-12, run.worst_error);
    const int shown = std::min(3, static_cast<int>(run.heights.size()));
    for (int k = 0; k < shown; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double ratio = run.heights[i] / (k == 0 ? 1.0 : run.heights[i - 1]);
      expect_near(report, fmt::format("height of rebound {} over the one before, e = {}, h = {}", k + 1, e, h), e * e, ratio, 20 * h);
    }
    const std::string label = fmt::format("e = {}", e);
    plot.line(run.path, svg::stroke(svg::nth_colour(curve), 1.6), label);
    // The closed form of the rebound heights.
    std::vector<svg::Point> tops;
    double t = std::sqrt(2 / kGravity), height = 1;
    for (int k = 0; k < 6; ++k) {
      height *= e * e;
      const double flight = std::sqrt(2 * height / kGravity);
      if (t + flight < 3) tops.push_back({t + flight, height});
      t += 2 * flight;
    }
    plot.markers(tops, {svg::nth_colour(curve), 1.5, "#FFFFFF", "", 1}, 4, curve == 0 ? "closed form" : "");
    ++curve;
  }
  const Run dead = drop(0, 5e-4, 1);
  double highest = 0;
  for (const double height : dead.heights) highest = std::max(highest, height);
  expect_at_most(report, "highest rebound in m, e = 0", 0.01, highest);
  plot.legend(svg::Corner::top_right);
  report.figures.push_back({"bouncing-ball.svg", "Height of a bouncing ball; circles: closed form of the rebound heights.", canvas.str()});
}

}  // namespace cornet::reproduction
