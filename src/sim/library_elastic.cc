// Elastic solids.
#include <cmath>

#include "sim/library.h"

namespace cornet::sim {
namespace {

SceneInfo cubes() {
  return {"elastic-cubes",
          "an elastic cube falls on another one",
          {{"divisions", 5, 1, 40, true, "elements along an edge"},
           {"mu", 0.3, 0, 100, false, "friction coefficient"},
           {"speed", 0.2, 0, 10, false, "of the upper cube downwards and aside, m/s"}},
          [](const SceneValues& v) {
            const int n = static_cast<int>(v.at("divisions"));
            // Aside by a little: some of its nodes have nothing below them.
            Scene s = two_cubes(n, 0.3 / n, 0.3 / n, v.at("speed"));
            s.mu = v.at("mu");
            s.duration = 0.05;
            s.tolerance = 1e-8;
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
            return s;
          }};
}

// A block clamped below, and a body that moves down into it, without friction, inertia or weight.
Scene pressed_block(const Solid& block, Body press, double speed) {
  Scene s;
  s.mu = 0;
  s.gravity = {0, 0, 0};
  s.dt = 0.1;
  s.duration = 1;
  s.theta = 1;
  s.slop = std::numeric_limits<double>::infinity();
  s.solids = {block};
  s.solids[0].name = "block";
  s.solids[0].young = 1e6;
  s.solids[0].quasi_static = true;
  s.solids[0].clamped = {"z-"};
  press.kind = BodyKind::moving;
  press.motion.velocity = {0, 0, -speed};
  s.bodies = {press};
  return s;
}

SceneInfo patch_test() {
  return {"patch-test",
          "a block pressed on another by a plate, no friction: the stress is the same everywhere",
          {{"divisions", 3, 1, 20, true, "elements along an edge"}, {"strain", 1e-3, 1e-6, 0.05, false, "imposed"}},
          [](const SceneValues& v) {
            const int n = static_cast<int>(v.at("divisions"));
            Solid block;
            block.divisions = {n, n, n};
            block.poisson = 0;  // with a clamped bottom the stress is uniform only without transverse strain
            return pressed_block(block, half_space("plate", Vector(0, 0, 1), -Vector::UnitZ()), v.at("strain"));
          }};
}

// The half-space of the theory ends at `extent` contact radii a, where it is held: the force is too large by 3/4 of a/extent or so. Shells
// around the contact grow outwards, so that few elements reach that far.
SceneInfo hertz() {
  return {"hertz",
          "a rigid ball pressed into an elastic half-ball, no friction: F = 4/3 E* sqrt(R) d^1.5",
          {{"elements", 2, 1, 20, true, "along the contact radius"},
           {"extent", 200, 3, 1000, false, "radius of the elastic half-ball over that of the contact"},
           {"radius", 2, 0.5, 20, false, "of the ball, m"},
           {"depth", 0.02, 1e-4, 0.2, false, "m"}},
          [](const SceneValues& v) {
            const int n = static_cast<int>(v.at("elements"));
            const double a = std::sqrt(v.at("radius") * v.at("depth")), far = v.at("extent") * a;
            Solid block;
            block.form = "half-ball";
            // The core is a third wider than the contact. An angle of 90° has as many elements as its edge.
            const double half = 4.0 / 3 * a;
            const int edge = 2 * static_cast<int>(std::ceil(4.0 * n / 3));
            block.grading = 1 + 2.0 / edge;
            block.size = {far, half, far};
            block.divisions = {edge, static_cast<int>(std::ceil(std::log(far / half) / std::log(block.grading))), 1};
            block.poisson = 0.3;
            Scene s = pressed_block(block, fixed("ball", sphere(v.at("radius")), Vector(0, 0, v.at("radius"))), v.at("depth"));
            s.solids[0].clamped = {"r+"};
            return s;
          }};
}

}  // namespace

Scene two_cubes(int n, double shift_x, double shift_y, double speed) {
  Scene s;
  s.mu = 0.3;
  s.dt = 1e-3;
  s.duration = 0.1;
  s.tolerance = 1e-6;
  s.slop = std::numeric_limits<double>::infinity();  // no step but that of the scheme
  Solid cube;
  cube.divisions = {n, n, n};
  cube.young = 1e7;
  cube.density = 2000;
  cube.damping_stiffness = 1e-4;
  s.solids = {cube, cube};
  s.solids[0].name = "upper";
  s.solids[0].pose.position = {shift_x, shift_y, 1};
  s.solids[0].velocity = {0.3 * speed, 0.1 * speed, -speed};
  s.solids[1].name = "lower";
  return s;
}

std::vector<SceneInfo> elastic_scenes() { return {cubes(), patch_test(), hertz()}; }

}  // namespace cornet::sim
