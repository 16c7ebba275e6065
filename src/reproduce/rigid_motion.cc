// External objects that move as one rigid body (seeds 000 §5.6, 002 §4.5.4, Fig. 4.5): give that velocity field to all bodies and every
// contact is at rest, Hᵀv + w = 0 ∈ K*. A solution exists at every step for every μ. Three systems: disks in a funnel (nothing moves), a
// pile on a vertically vibrating plane, disks in a rotating drum. By contrast, two plates that move against each other are no rigid
// motion.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cornet/existence.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kStep = 0.01, kGravity = 9.81, kRadius = 0.5, kDrum = 4;
const double kRise = std::sqrt(3.0) / 2;

// Rows of 1, 2, 3, … disks between two walls at 60°.
PlaneScene funnel(double mu) {
  PlaneScene scene;
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k <= row; ++k) scene.add_disk({k - 0.5 * row, 1 + kRise * row}, kRadius);
  scene.touch_disks(mu);
  const Point left{kRise, 0.5}, right{-kRise, 0.5};
  scene.touch_wall({0, 0}, left, mu);
  scene.touch_wall({0, 0}, right, mu);
  return scene;
}

PlaneScene pile(double mu, double velocity) {
  PlaneScene scene;
  for (int row = 0; row < 4; ++row)
    for (int k = 0; k < 5 - row; ++k) scene.add_disk({k + 0.5 * row - 2, kRadius + kRise * row}, kRadius);
  scene.touch_disks(mu);
  scene.touch_wall({0, 0}, {0, 1}, mu, {0, velocity});
  return scene;
}

// A layer along the wall and some disks on top of it, one over every second gap.
PlaneScene drum(double mu, double rate) {
  PlaneScene scene;
  const double ring = kDrum - kRadius, apart = 2 * std::asin(kRadius / ring);
  for (int k = -4; k <= 4; ++k) scene.add_disk({ring * std::sin(k * apart), -ring * std::cos(k * apart)}, kRadius);
  const double chord = ring * std::sin(apart / 2), inner = ring * std::cos(apart / 2) - std::sqrt(4 * kRadius * kRadius - chord * chord);
  for (const double k : {-2.5, -0.5, 1.5, 3.5}) scene.add_disk({inner * std::sin(k * apart), -inner * std::cos(k * apart)}, kRadius);
  scene.touch_disks(mu);
  for (int a = 0; a < 9; ++a) {
    const Point c = scene.bodies[static_cast<std::size_t>(a)].centre, normal{-c.x / ring, -c.y / ring};
    const Point at{-kDrum * normal.x, -kDrum * normal.y};
    scene.contacts.push_back({a, kWorld, at, normal, mu, {-rate * at.y, rate * at.x}});
  }
  return scene;
}

// The velocities of a rigid motion: translation and rotation about the origin.
Eigen::VectorXd rigid(const PlaneScene& scene, Point velocity, double rate) {
  Eigen::VectorXd v(3 * static_cast<Eigen::Index>(scene.bodies.size()));
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const Point c = scene.bodies[k].centre;
    v.segment<3>(3 * static_cast<Eigen::Index>(k)) << velocity.x - rate * c.y, velocity.y + rate * c.x, rate;
  }
  return v;
}

struct Count {
  int cases = 0, at_rest = 0, guaranteed = 0, verified = 0, solved = 0;
};

void try_case(Count& count, const PlaneScene& scene, Point velocity, double rate) {
  const GlobalProblem problem = scene.problem("rigid-motion", kStep, kGravity);
  const Eigen::VectorXd u = dense(problem.H).transpose() * rigid(scene, velocity, rate) + vec(problem.w);
  const Existence found = check_existence(problem);
  ++count.cases;
  count.at_rest += u.lpNorm<Eigen::Infinity>() < 1e-12;
  count.guaranteed += found.verdict == Verdict::guaranteed || found.verdict == Verdict::guaranteed_robust;
  count.verified += verify_existence(problem, found.verdict, found.certificate);
  count.solved += solve_to(problem, 1e-8).solved();
}

void compare(Report& report, const std::string& which, const Count& count) {
  expect_all(report, which + ": Hᵀv + w = 0 for the rigid motion", count.cases, count.at_rest);
  expect_all(report, which + ": existence guaranteed", count.cases, count.guaranteed);
  expect_all(report, which + ": certificate verified by separate code", count.cases, count.verified);
  expect_all(report, which + ": solved to 1e-8", count.cases, count.solved);
}

void panel(svg::Canvas& canvas, double left, const PlaneScene& scene, const std::string& title, double low_y, double high_y,
           const std::function<void(svg::Plot&)>& walls) {
  svg::Plot plot(canvas, {left, 40, 320, 330}, {-4.3, 4.3, ""}, {low_y, high_y, ""}, title, true, svg::Plot::Look::bare);
  walls(plot);
  draw_disks(plot, scene);
  draw_force_chains(plot, scene, solve_to(scene.problem("rigid-motion", kStep, kGravity), 1e-8).x.r, svg::colour::kRed);
}

void draw(Report& report) {
  svg::Canvas canvas(1020, 400);
  panel(canvas, 10, funnel(0.5), "Funnel at rest", -0.5, 6.5, [](svg::Plot& plot) {
    draw_wall(plot, {0, 0}, {3.3, 3.3 * std::sqrt(3.0)}, {-kRise, 0.5});
    draw_wall(plot, {-3.3, 3.3 * std::sqrt(3.0)}, {0, 0}, {kRise, 0.5});
  });
  panel(canvas, 350, pile(0.5, 0.5), "Pile on a vibrating plane", -2, 5, [](svg::Plot& plot) {
    draw_wall(plot, {-3.5, 0}, {3.5, 0}, {0, 1});
    plot.arrow({3, -0.4}, {3, -1.6}, svg::stroke(svg::colour::kBlue, 2.5));
    plot.arrow({3, -1.6}, {3, -0.4}, svg::stroke(svg::colour::kBlue, 2.5));
  });
  panel(canvas, 690, drum(0.5, 1), "Rotating drum", -4.3, 4.3, [](svg::Plot& plot) {
    plot.circle({0, 0}, kDrum, {svg::colour::kBlack, 2.5, "none", "", 1});
    std::vector<Point> arc;
    for (int k = 0; k <= 20; ++k) arc.push_back({3 * std::cos(0.5 + 0.08 * k), 3 * std::sin(0.5 + 0.08 * k)});
    plot.line(arc, svg::stroke(svg::colour::kBlue, 2.5));
    plot.arrow(arc[arc.size() - 3], arc.back(), svg::stroke(svg::colour::kBlue, 2.5));
  });
  report.figures.push_back(
      {"rigid-motion.svg", "Three systems whose external objects move as one rigid body, with their contact forces.", canvas.str()});
}

}  // namespace

void rigid_motion(Report& report) {
  Count in_funnel, on_plane, in_drum;
  for (const double mu : {0.0, 0.3, 2.0, kInfinity}) {
    try_case(in_funnel, funnel(mu), {}, 0);
    for (int phase = 0; phase < 8; ++phase) {
      const double velocity = 2 * std::cos(phase * std::numbers::pi / 4);
      try_case(on_plane, pile(mu, velocity), {0, velocity}, 0);
    }
    for (const double rate : {0.2, 1.0, -5.0}) try_case(in_drum, drum(mu, rate), {}, rate);
  }
  compare(report, "funnel, μ = 0, 0.3, 2, ∞", in_funnel);
  compare(report, "vibrating plane, 8 phases, same μ", on_plane);
  compare(report, "rotating drum, 3 speeds, same μ", in_drum);

  // Two external objects against each other are no rigid motion: a lid comes down on a column of disks, then on the pile, which can give
  // way.
  PlaneScene column, closing = pile(0.5, 0);
  for (int k = 0; k < 3; ++k) column.add_disk({0, kRadius + k}, kRadius);
  column.touch_disks(0.5);
  column.touch_wall({0, 0}, {0, 1}, 0.5);
  column.touch_wall({0, 3}, {0, -1}, 0.5, {0, -1});
  closing.touch_wall({0, 2 * kRadius + 3 * kRise}, {0, -1}, 0.5, {0, -1});
  expect_same(report, "verdict when a lid comes down on a column of three disks", "impossible",
              to_string(check_existence(column.problem("lid", kStep, kGravity)).verdict));
  expect_same(report, "verdict when a lid comes down on the pile, which can spread", "guaranteed_robust",
              to_string(check_existence(closing.problem("lid", kStep, kGravity)).verdict));
  draw(report);
}

}  // namespace cornet::reproduction
