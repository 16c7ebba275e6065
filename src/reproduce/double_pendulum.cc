// The double pendulum of Cadoux (seed 001 §5.1): masses m₁ = m₂ = 1 at the ends of rods l₁ = 1, l₂ = 2, hung from the ceiling, the floor at
// 2.6 below it, μ = 0.01, no restitution. q = (θ₁, θ₂), angles from the vertical; the foot is M₂.
//
//   M(q) v̇ + N(q, v) = F(q) + H r,   M = [ (m₁+m₂)l₁²  m₂l₁l₂ cos(θ₁−θ₂) ; ·  m₂l₂² ],   N = m₂l₁l₂ sin(θ₁−θ₂) (v₂², −v₁²)
//   columns of H at the foot: normal (l₁ sin θ₁, l₂ sin θ₂), tangent (l₁ cos θ₁, l₂ cos θ₂)
//
// One step of length h: M(q_k)(v − v_k) = h (F − N)(q_k, v_k) + H(q_k) r, the contact present when the foot is at or below the floor,
// q_{k+1} = q_k + h v. First order in h; the foot sinks in by O(h) at the impact and stays there. The paper does not say where the
// pendulum starts: here both rods at θ = 0.9 on the right, at rest.
#include <fmt/format.h>

#include <cmath>

#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double kGravity = 9.81, kFloor = 2.6, kMu = 0.01, kStart = 0.9;
constexpr double kM1 = 1, kM2 = 1, kL1 = 1, kL2 = 2;

Point knee(const Vector2d& q) { return {kL1 * std::sin(q[0]), -kL1 * std::cos(q[0])}; }
Point foot(const Vector2d& q) { return {knee(q).x + kL2 * std::sin(q[1]), knee(q).y - kL2 * std::cos(q[1])}; }

Matrix2d mass(const Vector2d& q) {
  const double coupling = kM2 * kL1 * kL2 * std::cos(q[0] - q[1]);
  Matrix2d m;
  m << (kM1 + kM2) * kL1 * kL1, coupling, coupling, kM2 * kL2 * kL2;
  return m;
}

double energy_of(const Vector2d& q, const Vector2d& v) { return 0.5 * v.dot(mass(q) * v) + kGravity * (kM1 * knee(q).y + kM2 * foot(q).y); }

struct State {
  double time;
  Vector2d q, v;
  double normal = 0, slip = 0;  // of the contact, 0 without
};

struct Run {
  std::vector<State> states;
  double worst_error = 0, limit = 0, deepest = 0;
  int contacts = 0, solved = 0;
};

Run simulate(double h, double until) {
  Run run;
  State s{0, {kStart, kStart}, {0, 0}, 0, 0};
  run.states.push_back(s);
  const int steps = static_cast<int>(std::lround(until / h));
  for (int step = 1; step <= steps; ++step) {
    const Matrix2d m = mass(s.q);
    const Vector2d gyroscopic = kM2 * kL1 * kL2 * std::sin(s.q[0] - s.q[1]) * Vector2d(s.v[1] * s.v[1], -s.v[0] * s.v[0]);
    const Vector2d weight(-kL1 * (kM1 + kM2) * std::sin(s.q[0]) * kGravity, -kL2 * kM2 * std::sin(s.q[1]) * kGravity);
    const Vector2d f = m * s.v + h * (weight - gyroscopic);
    s.normal = s.slip = 0;
    if (foot(s.q).y <= -kFloor) {
      Matrix2d columns;
      columns << kL1 * std::sin(s.q[0]), kL1 * std::cos(s.q[0]), kL2 * std::sin(s.q[1]), kL2 * std::cos(s.q[1]);
      const Result result = solve_to(global_problem(2, m, columns, f, Vector2d::Zero(), {kMu}), 1e-11);
      ++run.contacts;
      run.solved += result.solved();
      run.worst_error = std::max(run.worst_error, result.certificate.error);
      s.v = vec(result.x.v);
      s.normal = result.x.r[0];
      s.slip = result.x.u[1];
      // Coulomb's law while it slides: r_T = −μ r_N sign(u_T).
      if (s.normal > 1e-9 && std::abs(s.slip) > 1e-6)
        run.limit = std::max(run.limit, std::abs(result.x.r[1] / (kMu * s.normal) + (s.slip > 0 ? 1 : -1)));
    } else {
      s.v = m.llt().solve(f);
    }
    s.q += h * s.v;
    s.time = step * h;
    run.deepest = std::max(run.deepest, -kFloor - foot(s.q).y);
    run.states.push_back(s);
  }
  return run;
}

void draw_swing(svg::Canvas& canvas, const svg::Frame& frame, const Run& run, std::size_t first, std::size_t last, double h,
                const std::string& title) {
  svg::Plot plot(canvas, frame, {-3.2, 3.2, "x in m"}, {-2.9, 0.25, "y in m"}, title, true);
  draw_wall(plot, {plot.x_low(), -kFloor}, {plot.x_high(), -kFloor}, {0, 1});
  draw_wall(plot, {0.4, 0}, {-0.4, 0}, {0, -1});
  std::vector<Point> path;
  for (std::size_t k = first; k <= last; ++k) path.push_back(foot(run.states[k].q));
  plot.line(path, svg::stroke(svg::colour::kRed, 1, "3 3"), "path of the foot");
  const auto every = static_cast<std::size_t>(std::lround(0.2 / h));
  for (std::size_t k = (first + every - 1) / every * every; k <= last; k += every) {
    const Vector2d& q = run.states[k].q;
    const double age = static_cast<double>(k - first) / static_cast<double>(last - first);
    const std::string shade =
        fmt::format("rgb({0},{1},{2})", std::lround(150 * (1 - age)), std::lround(190 - 90 * age), std::lround(225 - 60 * age));
    plot.line({{0, 0}, knee(q), foot(q)}, svg::stroke(shade, 2));
    plot.markers({knee(q)}, {shade, 1, "#FFFFFF", "", 1}, 4);
    plot.markers({foot(q)}, svg::fill(shade), 4.5);
    const bool low = foot(q).y < -kFloor + 0.1;
    if (std::lround(5 * run.states[k].time) % 2 == 0)
      plot.text(foot(q), fmt::format("{:.1f} s", run.states[k].time), {10, low ? "middle" : "start"}, low ? 0 : 8, low ? 24 : 12);
  }
  plot.legend(svg::Corner::top_right);
}

}  // namespace

void double_pendulum(Report& report) {
  const double h = 5e-4, until = 3.4;
  const Run run = simulate(h, until);
  expect_all(report, "steps with contact solved to 1e-11", run.contacts, run.solved);
  expect_at_most(report, "largest certified error of a step", 1e-11, run.worst_error);
  expect_at_least(report, "steps with contact", 100, run.contacts);
  expect_at_most(report, "deviation from r_T = −μ r_N sign(u_T) while the foot slides", 1e-6, run.limit);
  expect_at_most(report, fmt::format("deepest penetration of the floor in m, h = {}", h), 20 * h, run.deepest);

  // Turning points of the foot: the leftmost, then the rightmost after it.
  std::size_t left = 0, right = 0;
  for (std::size_t k = 0; k < run.states.size(); ++k)
    if (foot(run.states[k].q).x < foot(run.states[left].q).x) left = k;
  right = left;
  for (std::size_t k = left; k < run.states.size(); ++k)
    if (foot(run.states[k].q).x > foot(run.states[right].q).x) right = k;
  bool slides_left = false, slides_back = false;
  double highest = -kInfinity;
  for (std::size_t k = 0; k < run.states.size(); ++k) {
    const State& s = run.states[k];
    if (s.normal > 0) (k <= left ? slides_left : slides_back) |= k <= left ? s.slip < -0.1 : s.slip > 0.1;
    highest = std::max(highest, energy_of(s.q, s.v));
  }
  const double depth = energy_of(run.states.front().q, Vector2d::Zero()) + kGravity * (kM1 * kL1 + kM2 * (kL1 + kL2));
  expect_at_least(report, "foot at the start, x in m", 1, foot(run.states.front().q).x);
  expect_at_most(report, "leftmost position of the foot, x in m", -1, foot(run.states[left].q).x);
  expect_at_least(report, "way back to the right after that, in m", 1, foot(run.states[right].q).x - foot(run.states[left].q).x);
  expect_true(report, "foot slides on the floor from right to left", slides_left);
  expect_true(report, "foot slides on the floor on the way back", slides_back);
  expect_at_most(report, "growth of the energy over that of the start, O(h) of the scheme", 100 * h,
                 (highest - energy_of(run.states.front().q, Vector2d::Zero())) / depth);

  const Run fine = simulate(h / 4, 1.5);
  const auto at = static_cast<std::size_t>(std::lround(1.5 / h));
  const Point p = foot(run.states[at].q), reference = foot(fine.states.back().q);
  expect_at_most(report, "foot at 1.5 s with h and h/4, distance in m", 200 * h, std::hypot(p.x - reference.x, p.y - reference.y));

  svg::Canvas canvas(760, 860);
  draw_swing(canvas, {70, 40, 660, 330}, run, 0, left, h, "From right to left, every 0.2 s");
  draw_swing(canvas, {70, 460, 660, 330}, run, left, right, h, "And back");
  report.figures.push_back({"double-pendulum.svg", "Trajectory of the double pendulum with friction, drawn every 0.2 s.", canvas.str()});
}

}  // namespace cornet::reproduction
