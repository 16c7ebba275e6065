// A spinning ball thrown obliquely, bouncing with e = 0.7 and friction. In flight the scheme loses exactly ½ m g² h² per step. In a step
// with contact the kinetic energy does not grow, and the ball rises by h e |u_N⁻| without paying for it: the scheme's O(h) term is
// m g h e |u_N⁻|. And one step with w = 0 on larger systems: ½ v⁺ᵀMv⁺ ≤ ½ v_freeᵀMv_free − ½ ‖v⁺ − v_free‖²_M.
#include <fmt/format.h>

#include <cmath>

#include "cornet/samples.h"
#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

void one_step(Report& report) {
  int cases = 0, kept = 0;
  double worst = -kInfinity;
  for (const double mu : {0.0, 0.3, 2.0, kInfinity})
    for (const GlobalProblem& problem : {samples::sphere_lattice(3, 2, 2, mu, 1), samples::disk_packing(4, 4, mu, 2),
                                         samples::box_stack(3, mu), samples::brick_wall(2, 2, mu), samples::block_on_incline(3, 0.5, mu)}) {
      const Result result = solve_to(problem, 1e-8);
      const Eigen::MatrixXd m = dense(problem.M);
      const Eigen::VectorXd free = m.llt().solve(vec(problem.f)), v = vec(result.x.v), change = v - free;
      const double before = 0.5 * free.dot(m * free), after = 0.5 * v.dot(m * v), lost = 0.5 * change.dot(m * change);
      const double gain = (after + lost - before) / before;
      ++cases;
      kept += result.solved() && gain <= 1e-6;
      worst = std::max(worst, gain);
    }
  expect_all(report, "one step of five systems with μ = 0, 0.3, 2, ∞: solved, and no energy gained", cases, kept);
  expect_at_most(report, "largest relative gain among them", 1e-6, worst);
}

}  // namespace

void energy(Report& report) {
  const double g = 9.81, mass = 0.5, radius = 0.1, mu = 0.4, e = 0.7, h = 0.002;
  Eigen::MatrixXd frame = Eigen::MatrixXd::Zero(6, 3), m = mass * Eigen::MatrixXd::Identity(6, 6);
  frame(2, 0) = frame(0, 1) = frame(1, 2) = 1;
  frame(4, 1) = -radius;
  frame(3, 2) = radius;
  m.bottomRightCorner(3, 3) *= 0.4 * radius * radius;
  Eigen::VectorXd v(6);
  v << 1, -0.5, 0, 20, 30, -5;
  double z = 0.4;  // above the floor
  const auto total = [&] { return 0.5 * v.dot(m * v) + mass * g * z; };
  const double start = total();
  std::vector<svg::Point> curve, changes, bounds;
  double worst_error = 0, worst_excess = -kInfinity, flight = 0, highest = 0;
  int bounces = 0;
  for (int step = 1; step <= 1000; ++step) {
    const double before = total(), normal = v[2];
    Eigen::VectorXd f = m * v;
    f[2] -= h * mass * g;
    v[2] -= h * g;
    const bool contact = z + h * v[2] <= 0;
    if (contact) {
      const Result result = solve_to(global_problem(3, m, frame, f, Eigen::Vector3d(e * std::min(0.0, normal), 0, 0), {mu}), 1e-11);
      worst_error = std::max(worst_error, result.certificate.error);
      v = vec(result.x.v);
      ++bounces;
    }
    z += h * v[2];
    const double scheme = contact ? mass * g * h * e * std::max(0.0, -normal) : 0, change = total() - before;
    worst_excess = std::max(worst_excess, change - scheme);
    if (!contact) flight = std::max(flight, std::abs(change + 0.5 * mass * g * g * h * h));
    highest = std::max(highest, total());
    curve.push_back({step * h, total()});
    if (contact) changes.push_back({step * h, change}), bounds.push_back({step * h, scheme});
  }
  expect_at_most(report, "largest certified error of an impact", 1e-11, worst_error);
  expect_at_least(report, "steps with contact", 4, bounces);
  expect_at_most(report, "largest growth in a step beyond m g h e |u_N⁻|, J", 1e-9, worst_excess);
  expect_near(report, "largest deviation from −½ m g² h² of a step in flight, J", 0, flight, 1e-9);
  expect_at_most(report, "highest energy over that at the start", 1, highest / start);
  one_step(report);

  svg::Canvas canvas(720, 640);
  svg::Plot plot(canvas, {70, 40, 600, 230}, {0, 2, "time in s"}, {0, 1.1 * start, "energy in J"}, "Spinning ball, e = 0.7, μ = 0.4");
  plot.line(curve, svg::stroke(svg::colour::kBlue, 1.8), "kinetic and potential energy");
  plot.legend(svg::Corner::top_right);
  std::vector<double> values;
  for (const svg::Point& p : changes) values.push_back(p.y);
  for (const svg::Point& p : bounds) values.push_back(p.y);
  svg::Plot steps(canvas, {70, 350, 600, 220}, {0, 2, "time in s"}, svg::axis_of(values, "change in a step, J"), "Steps with contact");
  steps.markers(changes, svg::fill(svg::colour::kBlue), 3, "change of energy");
  steps.markers(bounds, {svg::colour::kRed, 1.2, "none", "", 1}, 4, "bound m g h e |u_N⁻|");
  steps.legend(svg::Corner::bottom_right);
  report.figures.push_back({"energy.svg", "Energy of a bouncing spinning ball, and its change in the steps with contact.", canvas.str()});
}

}  // namespace cornet::reproduction
