// Bodies held together by joints, by each other, or by a rope.
#include <fmt/format.h>

#include <cmath>

#include "sim/library.h"

namespace cornet::sim {
namespace {

constexpr double kGravity = 9.81;

SceneInfo double_pendulum() {
  return {"double-pendulum",
          "two point masses on rods above a floor that the lower one touches (Cadoux, section 5.1)",
          {{"height", 2.6, 1, 4, false, "of the pivot above the floor, m"},
           {"start", 0.9, -3.15, 3.15, false, "angle of both rods from the vertical, rad"},
           {"mu", 0.01, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s;
            s.dim = 2;
            s.gravity = {0, -kGravity, 0};
            s.mu = v.at("mu");
            s.dt = 0.005;
            s.duration = 4;
            s.tolerance = 1e-10;
            const double r = 0.01;
            const Vector knee(std::sin(v.at("start")), -std::cos(v.at("start")), 0);
            s.bodies = {half_space("floor", Vector(0, -v.at("height") - r, 0), Vector::UnitY(), 2), dynamic("upper", disk(r), knee),
                        dynamic("lower", disk(r), 3 * knee)};
            s.bodies[1].mass = s.bodies[2].mass = 1;
            s.joints.push_back({JointKind::ball, "upper", "", {0, 0, 0}});
            s.joints.push_back({JointKind::ball, "lower", "upper", array(knee)});
            return s;
          }};
}

SceneInfo chain() {
  return {"chain",
          "links that hang in each other, the first one held",
          {{"links", 10, 1, 1000, true, "links that move"},
           {"mu", 0.3, 0, 100, false, "friction coefficient"},
           {"speed", 0.3, 0, 100, false, "of the swing, rad/s"}},
          [](const SceneValues& v) {
            Scene s;
            s.mu = v.at("mu");
            s.dt = 0.005;
            s.duration = 2;
            s.theta = 1;
            s.slop = 1e-3;
            const double r = 0.05, l = 0.5, w = 0.25;  // ring of four capsules
            Shape link;
            link.kind = ShapeKind::compound;
            const Rotation side = about(Vector::UnitX(), M_PI / 2);
            for (const double sign : {-1.0, 1.0}) {
              link.parts.push_back({capsule(r, l), {{0, sign * w / 2, 0}, {1, 0, 0, 0}}});
              link.parts.push_back({capsule(r, w), {{0, 0, sign * l / 2}, array(side)}});
            }
            const double pitch = l - 2 * r;
            const int links = static_cast<int>(v.at("links"));
            for (int k = 0; k <= links; ++k) {
              const Rotation q = about(Vector::UnitZ(), k % 2 ? M_PI / 2 : 0);
              Body b = dynamic(fmt::format("link {}", k), link, Vector(0, 0, -pitch * k), q);
              if (k == 0) b.kind = BodyKind::fixed;
              b.velocity = {v.at("speed") * k * pitch, v.at("speed") / 3 * k * pitch, 0};  // it swings
              s.bodies.push_back(b);
            }
            s.bodies[0].velocity = {0, 0, 0};
            return s;
          }};
}

SceneInfo capstan() {
  return {"capstan",
          "a rope of pinned disks over a fixed drum, a weight at each end: it slips iff their ratio exceeds exp(mu·pi)",
          {{"links", 24, 4, 200, true, "disks on the half circle"},
           {"mu", 0.3, 0, 10, false, "friction coefficient"},
           {"ratio", 2, 1, 1000, false, "of the weights"}},
          [](const SceneValues& v) {
            Scene s;
            s.dim = 2;
            s.gravity = {0, -kGravity, 0};
            s.mu = 0;
            s.pairs = {{"rope", "drum", v.at("mu"), 0}};
            s.dt = 0.002;
            s.duration = 1;
            const int n = static_cast<int>(v.at("links"));
            const double drum = 1, r = 0.6 * M_PI * drum / (2 * n);
            s.bodies = {fixed("drum", disk(drum), Vector::Zero())};
            s.bodies[0].material = "drum";
            const auto add = [&](const std::string& name, const Vector& p, double mass) {
              Body b = dynamic(name, disk(r), p);
              b.material = "rope";
              b.mass = mass;
              s.bodies.push_back(b);
            };
            // Each disk is pinned to the one before at its centre; the arm that reaches there is part of it.
            std::vector<Vector> centres;
            for (int k = 0; k <= n; ++k) {
              const double a = M_PI * (1 - static_cast<double>(k) / n);
              centres.emplace_back((drum + r) * std::cos(a), (drum + r) * std::sin(a), 0);
            }
            add("weight 0", centres.front() - Vector(0, 0.5, 0), 1);
            for (int k = 0; k <= n; ++k) add(fmt::format("disk {}", k), centres[k], 1e-3);
            add("weight 1", centres.back() - Vector(0, 0.5, 0), v.at("ratio"));
            for (std::size_t k = 2; k < s.bodies.size(); ++k)
              s.joints.push_back({JointKind::ball, s.bodies[k].name, s.bodies[k - 1].name, s.bodies[k - 1].pose.position});
            return s;
          }};
}

SceneInfo capsules() {
  return {"capsules",
          "capsules fall on each other",
          {{"count", 100, 1, 10000, true, "capsules"},
           {"mu", 0.7, 0, 100, false, "friction coefficient"},
           {"seed", 1, 0, 1e9, true, "of the start"}},
          [](const SceneValues& v) {
            Scene s;
            s.mu = v.at("mu");
            s.theta = 1;
            s.slop = 1e-3;
            s.duration = 3;
            s.gyroscopic = Gyroscopic::implicit;
            const double r = 0.1, l = 0.3;
            Random random(v.at("seed"));
            const int count = static_cast<int>(v.at("count")), side = std::max(1, static_cast<int>(std::ceil(std::cbrt(count / 2.0))));
            s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
            for (int k = 0; k < count; ++k) {
              const Rotation q =
                  about(Vector(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)).normalized(), random.uniform(0, 3));
              s.bodies.push_back(dynamic(fmt::format("capsule {}", k), capsule(r, l),
                                         // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
                                         Vector(0.52 * (k % side), 0.52 * (k / side % side), 0.4 + 0.52 * (k / (side * side))), q));
            }
            return s;
          }};
}

}  // namespace

std::vector<SceneInfo> mechanism_scenes() { return {double_pendulum(), chain(), capstan(), capsules()}; }

}  // namespace cornet::sim
