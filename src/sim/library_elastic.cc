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
            Scene s;
            s.mu = v.at("mu");
            s.dt = 1e-3;
            s.duration = 0.05;
            s.theta = 0.5;
            const int n = static_cast<int>(v.at("divisions"));
            Solid upper, lower;
            lower.name = "lower";
            lower.divisions = upper.divisions = {n, n, n};
            lower.young = upper.young = 1e7;
            lower.density = upper.density = 2000;
            lower.damping_stiffness = upper.damping_stiffness = 1e-4;
            upper.name = "upper";
            // Aside by a little: some of its nodes have nothing below them.
            upper.pose.position = {0.3 / n, 0.3 / n, 1};
            upper.velocity = {0.3 * v.at("speed"), 0.2 * v.at("speed"), -v.at("speed")};
            s.solids = {upper, lower};
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
            return s;
          }};
}

SceneInfo patch_test() {
  return {"patch-test",
          "a block pressed on another by a plate, no friction: the stress is the same everywhere",
          {{"divisions", 3, 1, 20, true, "elements along an edge"}, {"strain", 1e-3, 1e-6, 0.05, false, "imposed"}},
          [](const SceneValues& v) {
            Scene s;
            s.mu = 0;
            s.gravity = {0, 0, 0};
            s.dt = 0.1;
            s.duration = 1;
            s.theta = 1;
            s.slop = std::numeric_limits<double>::infinity();
            const int n = static_cast<int>(v.at("divisions"));
            Solid solid;
            solid.name = "block";
            solid.divisions = {n, n, n};
            solid.young = 1e6;
            solid.poisson = 0;  // with a clamped bottom the stress is uniform only without transverse strain
            solid.quasi_static = true;
            solid.clamped = {"z-"};
            s.solids = {solid};
            Body plate = half_space("plate", Vector(0, 0, 1), -Vector::UnitZ());
            plate.kind = BodyKind::moving;
            plate.motion.velocity = {0, 0, -v.at("strain")};
            s.bodies = {plate};
            return s;
          }};
}

SceneInfo hertz() {
  return {"hertz",
          "a rigid ball pressed into an elastic block, no friction: F = 4/3 E* sqrt(R) d^1.5",
          {{"divisions", 12, 4, 40, true, "elements along an edge"},
           {"radius", 2, 0.5, 20, false, "of the ball, m"},
           {"depth", 0.02, 1e-4, 0.2, false, "m"}},
          [](const SceneValues& v) {
            Scene s;
            s.mu = 0;
            s.gravity = {0, 0, 0};
            s.dt = 0.1;
            s.duration = 1;
            s.theta = 1;
            s.slop = std::numeric_limits<double>::infinity();
            const int n = static_cast<int>(v.at("divisions"));
            Solid solid;
            solid.name = "block";
            solid.size = {2, 2, 1};
            solid.pose.position = {-1, -1, -1};
            solid.divisions = {n, n, n / 2};
            solid.young = 1e6;
            solid.poisson = 0.3;
            solid.quasi_static = true;
            solid.clamped = {"z-"};
            s.solids = {solid};
            Body ball = fixed("ball", sphere(v.at("radius")), Vector(0, 0, v.at("radius")));
            ball.kind = BodyKind::moving;
            ball.motion.velocity = {0, 0, -v.at("depth")};
            s.bodies = {ball};
            return s;
          }};
}

}  // namespace

std::vector<SceneInfo> elastic_scenes() { return {cubes(), patch_test(), hertz()}; }

}  // namespace cornet::sim
