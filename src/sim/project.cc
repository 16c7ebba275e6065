// Penetrations pushed out at the level of positions: the nearest positions in the metric of M without overlap,
//
//   min ½ ‖Δq‖²_M   s.t.   gap + H_Nᵀ Δq ≥ −slop/2      (only contacts deeper than slop start it)
//
// by projected Gauss–Seidel on the multipliers; λ ≥ 0, Δq = M⁻¹ H_N λ. Rigid bodies only; with solids: project_solids.cc. Gaps are linearised once, so a body that turns
// far needs several steps. A ball crushed between two walls has no such positions: the sweeps end at their limit.
#include <algorithm>
#include <cmath>

#include "sim/world.h"

namespace cornet::sim {
namespace {

constexpr int kSweeps = 60;

struct Row {
  int a, b;
  Vector n, turn_a, turn_b;  // the columns: n and own-frame moment for a, their negatives for b
  double gap, inverse_w, lambda = 0;
};

}  // namespace

int project(World& world, double slop, double& deepest) {
  std::vector<Touch> touches;
  world.find_touches(0, std::isfinite(slop) ? slop : 0, touches);
  deepest = 0;
  for (const Touch& t : touches) deepest = std::max(deepest, -t.gap);
  if (deepest <= slop) return 0;

  std::vector<Row> rows;
  for (const Touch& t : touches) {
    Row r{world.colliders[t.a].body, world.colliders[t.b].body, t.normal, Vector::Zero(), Vector::Zero(), t.gap, 0};
    double w = 0;
    for (const auto& [body, turn] : {std::pair(r.a, &r.turn_a), std::pair(r.b, &r.turn_b)}) {
      const Rigid& b = world.bodies[body];
      if (b.dof < 0) continue;
      w += 1 / b.mass;
      if (!b.rotates) continue;
      *turn = b.R.transpose() * (t.point - b.x).cross(t.normal);
      if (world.scene.dim == 2) *turn = Vector(0, 0, (*turn)[2]);
      w += turn->dot(b.inverse_inertia * *turn);
    }
    if (!(w > 0)) continue;
    r.inverse_w = 1 / w;
    rows.push_back(r);
  }
  std::vector<Vector> dx(world.bodies.size(), Vector::Zero()), turn(world.bodies.size(), Vector::Zero());
  int sweep = 0;
  for (double worst = 1e300; sweep < kSweeps && worst > 0.1 * slop; ++sweep) {
    worst = 0;
    for (Row& r : rows) {
      const double g = r.gap + slop / 2 + r.n.dot(dx[r.a] - dx[r.b]) + r.turn_a.dot(turn[r.a]) - r.turn_b.dot(turn[r.b]);
      const double next = std::max(0.0, r.lambda - g * r.inverse_w), change = next - r.lambda;
      if (change == 0) continue;
      r.lambda = next;
      worst = std::max(worst, std::abs(change) / r.inverse_w);
      const auto move = [&](int body, const Vector& moment, double amount) {
        const Rigid& b = world.bodies[body];
        if (b.dof < 0) return;
        dx[body] += amount / b.mass * r.n;
        if (b.rotates) turn[body] += amount * (b.inverse_inertia * moment);
      };
      move(r.a, r.turn_a, change);
      move(r.b, r.turn_b, -change);
    }
  }
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    Rigid& b = world.bodies[k];
    if (b.dof < 0) continue;
    b.x += dx[k];
    if (turn[k].squaredNorm() > 0) {
      b.q = (b.q * exponential(turn[k])).normalized();
      b.R = b.q.toRotationMatrix();
    }
  }
  return sweep;
}

}  // namespace cornet::sim
