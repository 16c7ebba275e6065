// Blocks that stand on each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/library.h"

namespace cornet::sim {
namespace {

SceneInfo dominoes() {
  return {"dominoes",
          "a row of dominoes, the first one pushed",
          {{"count", 15, 1, 10000, true, "dominoes"}, {"mu", 0.4, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.dt = 0.002;
            s.duration = 3;
            const double x = 0.02, y = 0.1, z = 0.2, gap = 0.1;
            for (int k = 0; k < static_cast<int>(v.at("count")); ++k)
              s.bodies.push_back(dynamic(fmt::format("domino {}", k), box(x, y, z), Vector(gap * k, 0, z / 2)));
            s.bodies[1].velocity = {0.5, 0, 0};
            s.bodies[1].spin = {0, 5, 0};
            return s;
          }};
}

SceneInfo arch() {
  return {"arch",
          "a half circle of stones: it stands with enough friction and falls without",
          {{"blocks", 20, 2, 1000, true, "stones"},
           {"mu", 0.8, 0, 100, false, "friction coefficient"},
           {"thickness", 0.3, 0.05, 1, false, "of the ring, over its mean radius"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.duration = 10;
            const int n = static_cast<int>(v.at("blocks"));
            const double inner = 1 - v.at("thickness") / 2, outer = 1 + v.at("thickness") / 2, half = 0.25;
            for (int k = 0; k < n; ++k) {
              const double a = M_PI * k / n, b = M_PI * (k + 1) / n, middle = (a + b) / 2;
              const Vector c(std::cos(middle), 0, std::sin(middle));
              std::vector<Vector> points;
              for (const double angle : {a, b})
                for (const double r : {inner, outer})
                  for (const double y : {-half, half}) points.push_back(Vector(r * std::cos(angle), y, r * std::sin(angle)) - c);
              s.bodies.push_back(dynamic(fmt::format("stone {}", k), hull(points), c));
              s.bodies.back().density = 2400;
            }
            return s;
          }};
}

SceneInfo card_house() {
  return {"card-house",
          "cards that lean on each other, level upon level",
          {{"levels", 3, 1, 20, true, "levels"},
           {"mu", 0.8, 0, 100, false, "friction coefficient"},
           {"lean", 20, 5, 40, false, "from the vertical, degrees"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.duration = 10;
            s.dt = 0.005;
            const double l = 1, t = 0.02, w = 0.6, a = v.at("lean") * M_PI / 180;
            const int levels = static_cast<int>(v.at("levels"));
            const double spacing = 2 * l * std::sin(a) + 4 * t * std::cos(a), rise = l * std::cos(a) + t * std::sin(a);
            for (int level = 0; level < levels; ++level) {
              const int tents = levels - level;
              const double z = level * (rise + t);
              for (int k = 0; k < tents; ++k) {
                const double x = spacing * (k - (tents - 1) / 2.0);
                for (const double side : {-1.0, 1.0})  // the left card leans to the right
                  s.bodies.push_back(dynamic(fmt::format("card {} {} {}", level, k, side < 0 ? "left" : "right"), box(t, w, l),
                                             Vector(x + side * (l / 2 * std::sin(a) + t / 2 * std::cos(a)), 0, z + rise / 2),
                                             about(Vector::UnitY(), -side * a)));
              }
              for (int k = 0; k + 1 < tents; ++k)
                s.bodies.push_back(dynamic(fmt::format("floor {} {}", level, k), box(spacing - 0.2 * t, w, t),
                                           Vector(spacing * (k - (tents - 2) / 2.0), 0, z + rise + t / 2)));
            }
            for (std::size_t k = 1; k < s.bodies.size(); ++k) s.bodies[k].density = 800;
            return s;
          }};
}

SceneInfo box_stack() {
  return {
      "boxes-stack",
      "towers of cubes dropped on each other",
      {{"boxes", 50, 1, 10000, true, "cubes"}, {"towers", 5, 1, 100, true, "towers"}, {"mu", 0.7, 0, 100, false, "friction coefficient"}},
      [](const SceneValues& v) {
        Scene s = on_ground(v.at("mu"));
        s.duration = 2;
        const int towers = static_cast<int>(v.at("towers"));
        for (int k = 0; k < static_cast<int>(v.at("boxes")); ++k)
          s.bodies.push_back(
              // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
              dynamic(fmt::format("cube {}", k), box(1, 1, 1), Vector(1.5 * (k % towers), 0.02 * (k % 3), 0.5 + 1.001 * (k / towers))));
        return s;
      }};
}

SceneInfo kaplas() {
  return {"kaplas-tower",
          "a tower of planks, two one way and two the other, with a ball thrown at it",
          {{"levels", 33, 1, 500, true, "levels of two planks"},
           {"speed", 4, 0, 100, false, "of the ball, m/s"},
           {"single", 0, 0, 100, true, "every how many levels there is one plank; 0: never"},
           {"mu", 0.7, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.dt = 0.005;
            s.duration = 2;
            const double l = 0.6, w = 0.12, t = 0.04;  // proportions 15 : 3 : 1
            const int levels = static_cast<int>(v.at("levels"));
            const int single = static_cast<int>(v.at("single"));
            for (int level = 0; level < levels; ++level) {
              const bool alone = single > 0 && level % single == single - 1;
              for (const double side : {-1.0, 1.0}) {
                if (alone && side > 0) continue;
                const double off = alone ? 0 : side * (l - w) / 2, z = t * (level + 0.5);
                const std::string name = fmt::format("plank {}", s.bodies.size());
                if (level % 2) s.bodies.push_back(dynamic(name, box(l, w, t), Vector(0, off, z)));
                else s.bodies.push_back(dynamic(name, box(w, l, t), Vector(off, 0, z)));
              }
            }
            if (v.at("speed") > 0) {
              s.bodies.push_back(dynamic("ball", sphere(0.1), Vector(-1.2, 0.05, std::max(0.11, t * levels * 0.7))));
              s.bodies.back().velocity = {v.at("speed"), 0, 1};
            }
            for (std::size_t k = 1; k < s.bodies.size(); ++k) s.bodies[k].density = 700;
            return s;
          }};
}

SceneInfo brick_wall() {
  return {"brick-wall",
          "bricks in running bond, hit by a ball",
          {{"rows", 8, 1, 200, true, "rows"},
           {"columns", 8, 1, 200, true, "bricks in a row"},
           {"speed", 6, 0, 100, false, "of the ball, m/s"},
           {"mu", 0.6, 0, 100, false, "friction coefficient"}},
          [](const SceneValues& v) {
            Scene s = on_ground(v.at("mu"));
            s.dt = 0.005;
            s.duration = 2;
            const double x = 0.4, y = 0.2, z = 0.2;
            const int rows = static_cast<int>(v.at("rows")), columns = static_cast<int>(v.at("columns"));
            for (int r = 0; r < rows; ++r)
              for (int c = 0; c < columns + r % 2; ++c) {
                const bool half = r % 2 && (c == 0 || c == columns);
                const double left = r % 2 ? (c == 0 ? 0 : (c - 0.5) * x) : c * x, width = half ? x / 2 : x;
                s.bodies.push_back(dynamic(fmt::format("brick {} {}", r, c), box(width, y, z), Vector(left + width / 2, 0, (r + 0.5) * z)));
              }
            if (v.at("speed") > 0) {
              s.bodies.push_back(dynamic("ball", sphere(0.2), Vector(0.5 * columns * x, -1, std::max(0.21, 0.6 * rows * z))));
              s.bodies.back().velocity = {0, v.at("speed"), 0.5};
            }
            return s;
          }};
}

}  // namespace

std::vector<SceneInfo> masonry_scenes() { return {dominoes(), arch(), card_house(), box_stack(), kaplas(), brick_wall()}; }

}  // namespace cornet::sim
