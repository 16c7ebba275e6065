// Many bodies that fall, flow, shake and tumble.
#include <fmt/format.h>

#include <cmath>

#include "sim/library.h"

namespace cornet::sim {
namespace {

const SceneParameter kSeed{"seed", 1, 0, 1e9, true, "of the start positions"};

// Balls of slightly different radii in a loose lattice above `bottom`, moving a little.
void add_cloud(Scene& s, int count, double radius, double spread, double x, double y, double bottom, Random& random, double speed) {
  const double step = 2.15 * radius * (1 + spread);
  const int nx = std::max(1, static_cast<int>((x - 0.1 * radius) / step)), ny = std::max(1, static_cast<int>((y - 0.1 * radius) / step));
  for (int k = 0; k < count; ++k) {
    const int i = k % nx, j = k / nx % ny, l = k / (nx * ny);
    const double r = radius * (1 + spread * random.uniform(-1, 1));
    const double free = (step - 2 * radius * (1 + spread)) / 2;
    const Vector jitter(random.uniform(-free, free), random.uniform(-free, free), random.uniform(-free, free));
    Body b = dynamic(fmt::format("ball {}", k), sphere(r),
                     Vector(step * (i - (nx - 1) / 2.0), step * (j - (ny - 1) / 2.0), bottom + step * (l + 0.5)) + jitter);
    b.velocity = {random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-speed, speed)};
    s.bodies.push_back(b);
  }
}

SceneInfo beads() {
  return {"beads",
          "beads fall between walls (the experiment of Acary, Cadoux, Lemaréchal and Malick, section 6)",
          {{"count", 150, 1, 1e6, true, "beads"},
           {"mu", 0.3, 0, 100, false, "friction coefficient"},
           {"restitution", 0.2, 0, 1, false, "Newton's coefficient"},
           {"width", 0, 0, 100, false, "of the container in m; 0: 17 radii"},
           {"radius", 0.1, 0.001, 10, false, "mean radius of the beads, m"},
           kSeed},
          [](const SceneValues& v) {
            Scene s = many_bodies(v.at("mu"), 0.02, 6);
            s.restitution = v.at("restitution");
            const double radius = v.at("radius"), width = v.at("width") > 0 ? v.at("width") : 17 * radius;
            add_container(s, width, width);
            Random random(v.at("seed"));
            add_cloud(s, static_cast<int>(v.at("count")), radius, 0.1, width, width, radius, random, 0.5);
            return s;
          }};
}

SceneInfo spheres_in_box() {
  return {"spheres-in-box",
          "balls settle in a box that grows with their number: the scene of the speed measurements",
          {{"count", 1000, 1, 1e6, true, "balls"}, {"mu", 0.5, 0, 100, false, "friction coefficient"}, kSeed},
          [](const SceneValues& v) {
            Scene s = many_bodies(v.at("mu"), 0.005, 2);
            s.solver.clear();  // the default of the simulator
            const double radius = 0.1, width = 2.4 * radius * std::cbrt(v.at("count"));
            add_container(s, width, width);
            Random random(v.at("seed"));
            add_cloud(s, static_cast<int>(v.at("count")), radius, 0.1, width, width, 0.01, random, 0.5);
            return s;
          }};
}

// A cone that is open at both ends, as a sheet of triangles that looks inward.
Shape funnel_sheet(double top, double hole, double height, int segments) {
  Shape s;
  s.kind = ShapeKind::mesh;
  s.open = true;
  for (int ring = 0; ring < 2; ++ring)
    for (int k = 0; k < segments; ++k) {
      const double a = 2 * M_PI * k / segments, r = ring ? top : hole;
      s.points.push_back({r * std::cos(a), r * std::sin(a), ring * height});
    }
  for (int k = 0; k < segments; ++k) {
    const int next = (k + 1) % segments;
    s.triangles.push_back({k, segments + k, next});
    s.triangles.push_back({next, segments + k, segments + next});
  }
  return s;
}

SceneInfo funnel() {
  return {"funnel",
          "balls run through a funnel onto the ground",
          {{"count", 60, 1, 1e5, true, "balls"}, {"mu", 0.3, 0, 100, false, "friction coefficient"}, kSeed},
          [](const SceneValues& v) {
            Scene s = many_bodies(v.at("mu"), 0.01, 3, 1e-6);
            const double radius = 0.05, top = 2.6 * radius * std::cbrt(v.at("count")) + 0.1;
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ()),
                        fixed("funnel", funnel_sheet(top, 0.16, top - 0.16, 24), Vector(0, 0, 0.5))};
            Random random(v.at("seed"));
            add_cloud(s, static_cast<int>(v.at("count")), radius, 0.1, 1.2 * top, 1.2 * top, 0.5 + top, random, 0.2);
            return s;
          }};
}

SceneInfo vibrating_plate() {
  return {"vibrating-plate",
          "a pile of balls on a plate that shakes up and down",
          {{"count", 55, 1, 1e5, true, "balls"},
           {"amplitude", 0.02, 0, 1, false, "m"},
           {"frequency", 5, 0, 100, false, "Hz"},
           {"mu", 0.5, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = many_bodies(v.at("mu"), 0.005, 2, 1e-6);
            Body plate = half_space("plate", Vector::Zero(), Vector::UnitZ());
            plate.kind = BodyKind::moving;
            plate.motion.frequency = v.at("frequency");
            if (plate.motion.frequency > 0) plate.motion.amplitude = {0, 0, v.at("amplitude")};
            s.bodies = {plate};
            // A pyramid: layer after layer in the hollows of the one below.
            const double r = 0.1;
            int left = static_cast<int>(v.at("count")), side = 1;
            for (int sum = 1; sum < left; sum += side * side) ++side;
            for (int layer = 0; left > 0 && layer < side; ++layer)
              for (int k = 0; k < (side - layer) * (side - layer) && left > 0; ++k, --left) {
                const int i = k % (side - layer), j = k / (side - layer);
                s.bodies.push_back(dynamic(fmt::format("ball {}", s.bodies.size()), sphere(r),
                                           Vector(2.001 * r * (i - (side - layer - 1) / 2.0), 2.001 * r * (j - (side - layer - 1) / 2.0),
                                                  r + layer * r * std::sqrt(2.0) * 1.001)));
              }
            return s;
          }};
}

SceneInfo rotating_drum() {
  return {"rotating-drum",
          "balls tumble in a turning drum",
          {{"count", 80, 1, 1e5, true, "balls"},
           {"rate", 30, -600, 600, false, "turns per minute"},
           {"mu", 0.5, 0, 100, false, "friction coefficient"},
           kSeed},
          [](const SceneValues& v) {
            Scene s = many_bodies(v.at("mu"), 0.01, 4, 1e-6);
            const double radius = 0.05, inner = 3 * radius * std::cbrt(v.at("count")), length = inner;
            Body drum = fixed("drum", Shape{}, Vector(0, 0, inner));
            drum.kind = BodyKind::moving;
            drum.shape.kind = ShapeKind::compound;
            drum.motion.rotation = {0, v.at("rate") * 2 * M_PI / 60, 0};
            const int segments = 24;
            for (int k = 0; k < segments; ++k) {
              const double a = 2 * M_PI * k / segments, t = 0.1;
              const Rotation q = about(Vector::UnitY(), a);
              drum.shape.parts.push_back({box(2 * (inner + t) * std::tan(M_PI / segments), 1.2 * length, t),
                                          {array(Vector(q * Vector(0, 0, -inner - t / 2))), array(q)}});
            }
            s.bodies = {drum, half_space("front", Vector(0, -length / 2, 0), Vector::UnitY()),
                        half_space("back", Vector(0, length / 2, 0), -Vector::UnitY())};
            Random random(v.at("seed"));
            add_cloud(s, static_cast<int>(v.at("count")), radius, 0.1, inner, 0.95 * length, 0.3 * inner, random, 0.1);
            return s;
          }};
}

SceneInfo two_external_objects() {
  return {"two-external-objects",
          "balls between two plates that move against each other: whether a solution must exist changes on the way",
          {{"count", 2, 1, 1000, true, "balls in a row"},
           {"speed", 0.2, -10, 10, false, "at which the plates approach, m/s"},
           {"period", 1, 0.01, 100, false, "of their swing, s"},
           {"mu", 0.5, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s;
            s.dt = 0.005;
            s.duration = 2;
            s.theta = 1;
            s.mu = v.at("mu");
            s.existence_every = 1;
            s.on_failure = FailurePolicy::go_on;
            s.slop = std::numeric_limits<double>::infinity();  // crushed bodies overlap; there is nothing to push them to
            const double r = 0.1;
            const int count = static_cast<int>(v.at("count"));
            const double width = 2 * r * count + 0.01;
            for (const double side : {-1.0, 1.0}) {
              Body plate = half_space(side < 0 ? "left" : "right", Vector(side * width / 2, 0, 0), Vector(-side, 0, 0));
              plate.kind = BodyKind::moving;
              plate.motion.amplitude = {-side * v.at("speed") * v.at("period") / (2 * M_PI) / 2, 0, 0};
              plate.motion.frequency = 1 / v.at("period");
              s.bodies.push_back(plate);
            }
            s.bodies.push_back(half_space("ground", Vector::Zero(), Vector::UnitZ()));
            for (int k = 0; k < count; ++k)
              s.bodies.push_back(dynamic(fmt::format("ball {}", k), sphere(r), Vector(2 * r * (k - (count - 1) / 2.0), 0, r)));
            return s;
          }};
}

SceneInfo crushed_ball() {
  return {"crushed-ball",
          "a ball between the ground and a plate that comes down: proved impossible once it is squeezed",
          {{"speed", 0.5, 0, 100, false, "of the plate, m/s"}, {"mu", 0.5, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s;
            s.duration = 0.5;
            s.mu = v.at("mu");
            s.existence_every = 1;
            s.on_failure = FailurePolicy::stop;
            s.slop = std::numeric_limits<double>::infinity();
            Body plate = half_space("plate", Vector(0, 0, 0.3), -Vector::UnitZ());
            plate.kind = BodyKind::moving;
            plate.motion.velocity = {0, 0, -v.at("speed")};
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ()), plate, dynamic("ball", sphere(0.1), Vector(0, 0, 0.1))};
            return s;
          }};
}

}  // namespace

std::vector<SceneInfo> granular_scenes() {
  return {beads(), spheres_in_box(), funnel(), vibrating_plate(), rotating_drum(), two_external_objects(), crushed_ball()};
}

}  // namespace cornet::sim
