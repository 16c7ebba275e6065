// A block on a slope, one step h from rest.
//
//   tan θ ≤ μ:  sticks, the reaction is the weight times h;      tan θ > μ:  slides with acceleration g (sin θ − μ cos θ)
#include <fmt/format.h>

#include <cmath>

#include "cornet/samples.h"
#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kGravity = samples::kGravity, kStep = samples::kStep;

double closed_form(double angle, double mu) { return std::max(0.0, kGravity * (std::sin(angle) - mu * std::cos(angle))); }

// Mean acceleration down the slope over the contacts.
double acceleration(const Result& result, int dim) {
  const Eigen::VectorXd u = vec(result.x.u);
  double sum = 0;
  for (int k = 0; k < u.size() / dim; ++k) sum += u[dim * k + 1];
  return sum * dim / static_cast<double>(u.size()) / kStep;
}

void compare_near_the_limit(Report& report, int dim) {
  const double angle = 0.4, margin = 1e-3;
  const std::string where = dim == 2 ? "in the plane" : "cube in space";
  for (const double sign : {1.0, -1.0}) {
    const double mu = std::tan(angle) + sign * margin;
    const GlobalProblem problem = samples::block_on_incline(dim, angle, mu);
    const Result result = solve_to(problem, 1e-11);
    const std::string at = fmt::format("{}, θ = 0.4, μ = tan θ {} 0.001", where, sign > 0 ? "+" : "−");
    expect_at_most(report, "certified error, " + at, 1e-11, result.certificate.error);
    expect_same(report, "status of every contact, " + at, sign > 0 ? "stick" : "slide",
                result.certificate.stick == problem.contacts()   ? "stick"
                : result.certificate.slide == problem.contacts() ? "slide"
                                                                 : "mixed");
    expect_near(report, "acceleration in m/s², " + at, closed_form(angle, mu), acceleration(result, dim), 1e-7);
    if (sign < 0) continue;
    const Eigen::VectorXd force = dense(problem.H) * vec(result.x.r) / kStep;
    expect_near(report, "vertical reaction in N (the weight of 1 kg), " + at, kGravity, force[dim - 1], 1e-7);
    expect_near(report, "horizontal reaction in N, " + at, 0, force.head(dim - 1).norm(), 1e-7);
  }
}

}  // namespace

void incline(Report& report) {
  compare_near_the_limit(report, 2);
  compare_near_the_limit(report, 3);

  // The whole quarter of angles, for the statement "iff" and for the figure.
  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 90, "slope θ in degrees"}, {0, 10.5, "acceleration in m/s²"},
                 "Block on a slope: closed form (lines) and computed (dots)");
  int cases = 0, right = 0, curve = 0;
  double worst = 0;
  for (const double mu : {0.0, 0.2, 0.5, 1.0, 2.0, kInfinity}) {
    std::vector<svg::Point> line, dots;
    for (int degree = 1; degree < 90; ++degree) {
      const double angle = degree * 3.14159265358979323846 / 180;
      line.push_back({static_cast<double>(degree), closed_form(angle, mu)});
      if (degree % 3 != 0 || (degree == 45 && mu == 1)) continue;
      const Result result = solve_to(samples::block_on_incline(2, angle, mu), 1e-11);
      ++cases;
      right += result.solved() && (result.certificate.stick == 1) == (std::tan(angle) <= mu);
      worst = std::max(worst, std::abs(acceleration(result, 2) - closed_form(angle, mu)));
      dots.push_back({static_cast<double>(degree), acceleration(result, 2)});
    }
    const std::string label = fmt::format("μ = {}", short_number(mu));
    plot.line(line, svg::stroke(svg::nth_colour(curve), 1.8), label);
    plot.markers(dots, svg::fill(svg::nth_colour(curve)), 3);
    ++curve;
  }
  plot.legend(svg::Corner::top_left);
  expect_all(report, "sticks iff tan θ ≤ μ: 29 angles, μ = 0, 0.2, 0.5, 1, 2, ∞", cases, right);
  expect_at_most(report, "largest difference of the acceleration over all of them, m/s²", 1e-7, worst);
  report.figures.push_back(
      {"incline.svg", "Acceleration of a block against the slope for several coefficients of friction.", canvas.str()});
}

}  // namespace cornet::reproduction
