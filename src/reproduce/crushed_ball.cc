// A rigid ball between the fixed ground and a plane that comes down with the velocity u₀ (seed 002 Fig. 4.2): u_N = v_y at the ground and
// u_N = −v_y − u₀ at the plane add up to −u₀ < 0 whatever v is. No solution exists; r_N = (1, 1), r_T = 0 proves it: H r = 0, wᵀr = −u₀ <
// 0.
#include <fmt/format.h>

#include <cmath>

#include "cornet/existence.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

PlaneScene between_planes(double mu, Point velocity) {
  PlaneScene scene;
  scene.add_disk({0, 1}, 1);
  scene.touch_wall({0, 0}, {0, 1}, mu);
  scene.touch_wall({0, 2}, {0, -1}, mu, velocity);
  return scene;
}

// The same in space: dofs velocity and spin, frames (z, x, y) below and (−z, x, −y) above.
GlobalProblem in_space(double mu, double u0) {
  const double radius = 1;
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(6, 6), m = Eigen::MatrixXd::Identity(6, 6);
  m.bottomRightCorner(3, 3) *= 0.4 * radius * radius;
  for (int c = 0; c < 2; ++c) {
    const double side = c == 0 ? 1 : -1;
    Eigen::Matrix3d frame;
    frame.col(0) = side * Eigen::Vector3d::UnitZ();
    frame.col(1) = Eigen::Vector3d::UnitX();
    frame.col(2) = side * Eigen::Vector3d::UnitY();
    const Eigen::Vector3d arm(0, 0, -side * radius);
    for (int j = 0; j < 3; ++j) {
      h.block<3, 1>(0, 3 * c + j) = frame.col(j);
      h(3, 3 * c + j) = arm.y() * frame(2, j) - arm.z() * frame(1, j);
      h(4, 3 * c + j) = arm.z() * frame(0, j) - arm.x() * frame(2, j);
      h(5, 3 * c + j) = arm.x() * frame(1, j) - arm.y() * frame(0, j);
    }
  }
  Eigen::VectorXd w = Eigen::VectorXd::Zero(6), f = Eigen::VectorXd::Zero(6);
  w[3] = -u0;
  f[2] = -0.0981;
  return global_problem(3, m, h, f, w, {mu, mu});
}

// What the certificate claims, recomputed here from H and w alone.
void check_by_hand(Report& report, const GlobalProblem& problem, const Existence& found, const std::string& where) {
  expect_same(report, "verdict, " + where, "impossible", to_string(found.verdict));
  expect_same(report, "kind of certificate, " + where, "normal_reaction", found.certificate.kind);
  if (found.certificate.r.size() != problem.w.size()) {
    expect_true(report, "certificate has the right size, " + where, false);
    return;
  }
  const Eigen::VectorXd r = vec(found.certificate.r);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(r.size());
  expected[0] = expected[problem.dim] = std::sqrt(0.5);
  expect_at_most(report, "distance of the certificate r to r_N = (1, 1)/√2, r_T = 0, " + where, 1e-6, (r - expected).norm());
  expect_at_most(report, "‖H r‖, " + where, 1e-6, (dense(problem.H) * r).norm());
  expect_at_most(report, "wᵀr, " + where, -0.7, vec(problem.w).dot(r));
  expect_true(report, "certificate verified by separate code, " + where, verify_existence(problem, found.verdict, found.certificate));
}

void draw(Report& report) {
  svg::Canvas canvas(900, 430);
  svg::Plot drawing(canvas, {20, 40, 360, 350}, {-1.8, 1.8, ""}, {-0.3, 3.2, ""}, "Penetration cannot be prevented", true,
                    svg::Plot::Look::bare);
  const PlaneScene scene = between_planes(0.5, {0, -1});
  draw_wall(drawing, {-1.7, 0}, {1.7, 0}, {0, 1});
  draw_wall(drawing, {1.7, 2}, {-1.7, 2}, {0, -1});
  draw_disks(drawing, scene);
  const Existence found = check_existence(scene.problem("crushed-ball", 0.01, 9.81));
  for (int k = 0; k < 2; ++k) {
    const PlaneContact& contact = scene.contacts[static_cast<std::size_t>(k)];
    const Point force = found.certificate.r.empty() ? Point{} : scene.force(k, found.certificate.r);
    drawing.arrow(contact.point, {contact.point.x + force.x, contact.point.y + force.y}, svg::stroke(svg::colour::kRed, 3),
                  k == 0 ? "certificate r" : "");
  }
  drawing.arrow({1.3, 2.75}, {1.3, 2.2}, svg::stroke(svg::colour::kBlue, 2.5), "imposed velocity u₀");
  drawing.legend(svg::Corner::top_left);

  svg::Plot margin(canvas, {480, 40, 390, 310}, {-1.05, 1.05, "velocity u₀ of the descending plane"},
                   {-0.75, 0.75, "margin t*, relative to ‖w‖"}, "The verdict changes with u₀");
  margin.line({{-1.05, 0}, {1.05, 0}}, svg::stroke(svg::colour::kGrey, 1));
  std::vector<Point> robust, boundary, impossible;
  for (int k = -10; k <= 10; ++k) {
    ExistenceOptions options;
    options.shortcuts = false;
    const Existence e = check_existence(between_planes(0.5, {0, -0.1 * k}).problem("ball", 0.01, 9.81), options);
    (e.verdict == Verdict::guaranteed_robust ? robust
     : e.verdict == Verdict::guaranteed      ? boundary
                                             : impossible)
        .push_back({0.1 * k, std::max(e.margin, -0.75)});
  }
  margin.markers(robust, svg::fill(svg::colour::kGreen), 4, "guaranteed_robust");
  margin.markers(boundary, svg::fill(svg::colour::kOrange), 4, "guaranteed");
  margin.markers(impossible, svg::fill(svg::colour::kRed), 4, "impossible");
  margin.legend(svg::Corner::top_right);
  report.figures.push_back(
      {"crushed-ball.svg", "A ball between the ground and a descending plane, and the verdict against its velocity.", canvas.str()});
}

}  // namespace

void crushed_ball(Report& report) {
  const GlobalProblem plane = between_planes(0.5, {0, -1}).problem("crushed-ball", 0.01, 9.81);
  check_by_hand(report, plane, check_existence(plane), "in the plane, μ = 0.5");
  const GlobalProblem slippery = between_planes(0, {0, -1}).problem("crushed-ball", 0.01, 9.81);
  check_by_hand(report, slippery, check_existence(slippery), "in the plane, μ = 0");
  const GlobalProblem space = in_space(0.5, 1);
  check_by_hand(report, space, check_existence(space), "in space, μ = 0.5");

  const auto verdict = [](Point velocity) {
    return std::string(to_string(check_existence(between_planes(0.5, velocity).problem("ball", 0.01, 9.81)).verdict));
  };
  expect_same(report, "verdict, plane at rest", "guaranteed", verdict({0, 0}));
  expect_same(report, "verdict, plane that rises", "guaranteed_robust", verdict({0, 1}));
  expect_same(report, "verdict, plane that moves sideways", "guaranteed", verdict({1, 0}));
  RunOptions options;
  options.max_iterations = 2000;
  expect_false(report, "the solver claims a solution of the crushed ball", solve(plane, options).solved());
  draw(report);
}

}  // namespace cornet::reproduction
