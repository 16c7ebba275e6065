// A homogeneous sphere thrown along the floor without spin: it slides, friction spins it up, and from the time 2v₀/(7 μ g) on it rolls at
// 5/7 v₀. The angular momentum about the contact line is conserved by the discrete system too: 5/7 holds to the tolerance, the time to
// O(h).
#include <fmt/format.h>

#include <cmath>

#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {

void rolling_sphere(Report& report) {
  const double g = 9.81, mass = 2, radius = 0.1, mu = 0.2, v0 = 2, direction = 0.6, rolling_time = 2 * v0 / (7 * mu * g);
  // Frame (z, x, y) at the lowest point; the lever arm (0, 0, −R) gives (0, −R, 0) and (R, 0, 0) for the tangents.
  Eigen::MatrixXd frame = Eigen::MatrixXd::Zero(6, 3), m = Eigen::MatrixXd::Identity(6, 6) * mass;
  frame(2, 0) = frame(0, 1) = frame(1, 2) = 1;
  frame(4, 1) = -radius;
  frame(3, 2) = radius;
  m.bottomRightCorner(3, 3) *= 0.4 * radius * radius;

  std::vector<svg::Point> speeds, slips;
  for (const double h : {0.01, 0.0025}) {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
    v.head<2>() << v0 * std::cos(direction), v0 * std::sin(direction);
    double last_slide = 0, worst_error = 0, limit = 0;
    std::vector<double> guess;
    for (int step = 1; step * h < 2 * rolling_time; ++step) {
      Eigen::VectorXd f = m * v;
      f[2] -= h * mass * g;
      const Result result = solve_to(global_problem(3, m, frame, f, Eigen::Vector3d::Zero(), {mu}), 1e-11, "", guess);
      guess = result.x.r;
      v = vec(result.x.v);
      worst_error = std::max(worst_error, result.certificate.error);
      const double slip = std::hypot(result.x.u[1], result.x.u[2]);
      if (slip > 1e-7) {
        last_slide = step * h;
        limit = std::max(limit, std::abs(std::hypot(result.x.r[1], result.x.r[2]) / (mu * result.x.r[0]) - 1));
      }
      if (h < 0.01) continue;
      speeds.push_back({step * h, std::hypot(v[0], v[1])});
      slips.push_back({step * h, slip});
    }
    const std::string with = fmt::format(", h = {}", h);
    expect_at_most(report, "largest certified error of a step" + with, 1e-11, worst_error);
    expect_at_most(report, "distance of ‖r_T‖/(μ r_N) from 1 while it slides" + with, 1e-6, limit);
    expect_near(report, "time when rolling starts in s" + with, rolling_time, last_slide, h);
    expect_near(report, "rolling speed over v₀" + with, 5.0 / 7.0, std::hypot(v[0], v[1]) / v0, 1e-7);
    expect_near(report, "direction of motion, no swerve" + with, direction, std::atan2(v[1], v[0]), 1e-7);
    expect_near(report, "velocity of the lowest point in m/s" + with, 0, std::hypot(v[0] - radius * v[4], v[1] + radius * v[3]), 1e-7);
  }

  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 2 * rolling_time, "time in s"}, {0, 2.2, "speed in m/s"}, "Sphere thrown with 2 m/s and no spin, μ = 0.2");
  plot.line({{0, v0}, {rolling_time, 5.0 / 7.0 * v0}, {2 * rolling_time, 5.0 / 7.0 * v0}}, svg::stroke(svg::colour::kBlack), "closed form");
  plot.line({{0, v0}, {rolling_time, 0}, {2 * rolling_time, 0}}, svg::stroke(svg::colour::kBlack));
  plot.line({{rolling_time, 0}, {rolling_time, 2.2}}, svg::stroke(svg::colour::kGrey, 1, "4 4"));
  plot.text({rolling_time, 0.9}, "rolls from 2v₀/(7μg)", {12, "start"}, 6, 0);
  plot.text({2 * rolling_time, 5.0 / 7.0 * v0}, "5/7 v₀", {12, "end"}, -6, -8);
  plot.markers(speeds, svg::fill(svg::colour::kBlue), 3, "speed of the centre, h = 0.01 s");
  plot.markers(slips, svg::fill(svg::colour::kRed), 3, "slip at the contact");
  plot.legend(svg::Corner::top_right);
  report.figures.push_back({"rolling-sphere.svg", "Speed and slip of a sphere thrown without spin.", canvas.str()});
}

}  // namespace cornet::reproduction
