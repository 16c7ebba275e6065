// Scenes with a motion that is known in closed form.
#include <cmath>

#include "sim/library.h"

namespace cornet::sim {
namespace {

constexpr double kGravity = 9.81;
const SceneParameter kMu{"mu", 0.3, 0, 100, false, "friction coefficient"};

// A block on a slope that falls along +x.
Scene slope(double angle, double mu) {
  Scene s;
  s.mu = mu;
  const Rotation tilt = about(Vector::UnitY(), angle);
  s.bodies = {fixed("slope", plane(), Vector::Zero(), tilt), dynamic("block", box(0.4, 0.4, 0.2), tilt * Vector(0, 0, 0.1), tilt)};
  return s;
}

SceneInfo block_on_incline() {
  return {"block-on-incline",
          "a block on a slope: it sticks iff tan(angle) ≤ mu, else it slides with g (sin − mu cos)",
          {{"angle", 30, 0, 80, false, "of the slope, degrees"}, {"mu", 0.5, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) { return slope(v.at("angle") * M_PI / 180, v.at("mu")); }};
}

SceneInfo ramp() {
  return {"ramp",
          "a block at 95 % of the friction angle for a minute: it does not creep",
          {{"share", 0.95, 0, 2, false, "tan(angle)/mu"}, {"mu", 0.5, 0.01, 10, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = slope(std::atan(v.at("share") * v.at("mu")), v.at("mu"));
            s.duration = 60;
            return s;
          }};
}

SceneInfo sliding_block() {
  return {"sliding-block",
          "a block thrown along the ground: it stops after v/(mu g), at v²/(2 mu g)",
          {{"speed", 2, 0.01, 100, false, "m/s"}, kMu},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.bodies.push_back(dynamic("block", box(0.4, 0.4, 0.2), Vector(0, 0, 0.1)));
            s.bodies.back().velocity = {v.at("speed"), 0, 0};
            s.duration = v.at("mu") > 0 ? 1.5 * v.at("speed") / (v.at("mu") * kGravity) : 1;
            return s;
          }};
}

SceneInfo sliding_cube() {
  return {"sliding-cube",
          "a fast cube that slides without ever leaving the ground",
          {{"speed", 5, 0.01, 100, false, "m/s"}, {"mu", 0.7, 0, 1, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.bodies.push_back(dynamic("cube", box(1, 1, 0.3), Vector(0, 0, 0.15)));
            s.bodies.back().velocity = {v.at("speed"), 0, 0};
            s.duration = 2;
            return s;
          }};
}

SceneInfo resting_cube() {
  return {"resting-cube",
          "a cube that lies on the ground: nothing happens, at no cost",
          {{"mu", 0.5, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.bodies.push_back(dynamic("cube", box(1, 1, 1), Vector(0, 0, 0.5)));
            s.duration = 10;
            return s;
          }};
}

SceneInfo bouncing_ball() {
  return {"bouncing-ball",
          "a ball dropped on the ground: rebound heights shrink by restitution²",
          {{"restitution", 0.8, 0, 1, false, "Newton's coefficient"}, {"height", 1, 0.01, 100, false, "m"}},
          [](const SceneValues& v) {
            Scene s = on_ground(0.5);
            s.restitution = v.at("restitution");
            s.dt = 1e-3;
            s.duration = 3;
            s.bodies.push_back(dynamic("ball", sphere(0.1), Vector(0, 0, 0.1 + v.at("height"))));
            return s;
          }};
}

SceneInfo rolling_sphere() {
  return {"rolling-sphere",
          "a ball thrown without spin: it rolls at 5/7 of its speed from time 2v/(7 mu g)",
          {{"speed", 1.4, 0.01, 100, false, "m/s"}, {"mu", 0.2, 0.01, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.bodies.push_back(dynamic("ball", sphere(0.1), Vector(0, 0, 0.1)));
            s.bodies.back().velocity = {v.at("speed"), 0, 0};
            return s;
          }};
}

SceneInfo redundant_stand() {
  return {"redundant-stand",
          "a table on many legs: its reactions are not unique",
          {{"legs", 6, 3, 64, true, "legs on a circle"}, {"mu", 0.6, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            Shape table;
            table.kind = ShapeKind::compound;
            table.parts.push_back({cylinder(0.6, 0.05), {{0, 0, 0.725}, {1, 0, 0, 0}}});
            const int legs = static_cast<int>(v.at("legs"));
            for (int k = 0; k < legs; ++k) {
              const double a = 2 * M_PI * k / legs;
              table.parts.push_back({capsule(0.03, 0.64), {{0.5 * std::cos(a), 0.5 * std::sin(a), 0.35}, {1, 0, 0, 0}}});
            }
            s.bodies.push_back(dynamic("table", table, Vector::Zero()));
            s.existence_every = 1;  // with the verdict comes whether reactions are unique
            return s;
          }};
}

SceneInfo painleve_rod() {
  return {"painleve-rod",
          "a rod that slides on its tip: with enough friction the tip jams at once, without a collision",
          {{"angle", 30, 27, 89, false, "from the ground, degrees"},
           {"speed", 3, 0, 100, false, "of the tip, m/s; it pushes against the rod"},
           {"mu", 2, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s;
            s.dim = 2;
            s.gravity = {0, -kGravity, 0};
            s.mu = v.at("mu");
            s.dt = 1e-3;
            s.duration = 0.5;
            s.solver = "nsgs-ac";  // Newton's method stalls where the tip jams
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitY(), 2)};
            const double a = v.at("angle") * M_PI / 180, l = 1, t = 0.02;
            // Its lower end is a point, so that there is one contact.
            const std::vector<Vector> points = {
                {-l / 2, 0, 0}, {-l / 2 + t, -t / 2, 0}, {l / 2, -t / 2, 0}, {l / 2, t / 2, 0}, {-l / 2 + t, t / 2, 0}};
            const Rotation q = about(Vector::UnitZ(), a);
            s.bodies.push_back(dynamic("rod", polygon(points), -(q * points[0]), q));
            s.bodies.back().velocity = {-v.at("speed"), 0, 0};
            return s;
          }};
}

}  // namespace

std::vector<SceneInfo> closed_form_scenes() {
  return {block_on_incline(), ramp(),           sliding_block(),   sliding_cube(), resting_cube(),
          bouncing_ball(),    rolling_sphere(), redundant_stand(), painleve_rod()};
}

}  // namespace cornet::sim
