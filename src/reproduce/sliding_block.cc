// A point mass thrown along a horizontal plane with v₀: it stops after the time v₀/(μ g) and the distance v₀²/(2 μ g), to O(h).
// The scheme uses the velocity at the end of each step, so the distance is short by v₀h/2 in the first order.
#include <fmt/format.h>

#include <cmath>

#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kGravity = 9.81, kMass = 3;

struct Run {
  double time = 0, distance = 0, worst_error = 0;
  std::vector<svg::Point> velocity, position;
};

Run simulate(double v0, double mu, double h) {
  Eigen::Matrix2d frame;
  frame << 0, 1, 1, 0;
  Eigen::Vector2d v(v0, 0);
  Run run;
  std::vector<double> guess;
  run.velocity.push_back({0, v0});
  run.position.push_back({0, 0});
  int still = 0;
  for (int step = 1; still < 10 && step < 10000; ++step) {
    const Eigen::Vector2d f = kMass * (v + h * Eigen::Vector2d(0, -kGravity));
    const Result result =
        solve_to(global_problem(2, kMass * Eigen::Matrix2d::Identity(), frame, f, Eigen::Vector2d::Zero(), {mu}), 1e-12, "", guess);
    run.worst_error = std::max(run.worst_error, result.certificate.error);
    guess = result.x.r;
    v = vec(result.x.v);
    run.distance += h * v[0];
    if (std::abs(v[0]) > 1e-9) run.time = step * h;
    else ++still;
    run.velocity.push_back({step * h, v[0]});
    run.position.push_back({step * h, run.distance});
  }
  return run;
}

}  // namespace

void sliding_block(Report& report) {
  const double v0 = 2, mu = 0.3, time = v0 / (mu * kGravity), distance = v0 * v0 / (2 * mu * kGravity);
  double previous = 0;
  Run coarse;
  for (const double h : {0.02, 0.01, 0.005}) {
    const Run run = simulate(v0, mu, h);
    if (previous == 0) coarse = run;
    const std::string with = fmt::format(", h = {}", h);
    expect_at_most(report, "largest certified error of a step" + with, 1e-12, run.worst_error);
    expect_near(report, "time to stop in s" + with, time, run.time, h);
    expect_near(report, "distance in m" + with, distance, run.distance, v0 * h);
    const double error = std::abs(run.distance - distance);
    if (previous > 0) expect_near(report, "error of the distance over that of the double step" + with, 0.5, error / previous, 0.1);
    previous = error;
  }

  svg::Canvas canvas(720, 640);
  svg::Plot speed(canvas, {70, 40, 600, 220}, {0, 0.9, "time in s"}, {0, 2.2, "velocity in m/s"}, "Block thrown with 2 m/s, μ = 0.3");
  svg::Plot place(canvas, {70, 340, 600, 220}, {0, 0.9, "time in s"}, {0, 0.8, "distance in m"});
  std::vector<svg::Point> exact_speed, exact_place;
  for (int k = 0; k <= 90; ++k) {
    const double t = std::min(0.01 * k, time);
    exact_speed.push_back({0.01 * k, v0 - mu * kGravity * t});
    exact_place.push_back({0.01 * k, v0 * t - 0.5 * mu * kGravity * t * t});
  }
  speed.line(exact_speed, svg::stroke(svg::colour::kBlack, 1.5), "closed form");
  place.line(exact_place, svg::stroke(svg::colour::kBlack, 1.5), "closed form");
  speed.markers(coarse.velocity, svg::fill(svg::colour::kRed), 3, "computed, h = 0.02 s");
  place.markers(coarse.position, svg::fill(svg::colour::kRed), 3, "computed, h = 0.02 s");
  speed.legend(svg::Corner::top_right);
  place.legend(svg::Corner::bottom_right);
  report.figures.push_back({"sliding-block.svg", "Velocity and distance of a block thrown along a plane.", canvas.str()});
}

}  // namespace cornet::reproduction
