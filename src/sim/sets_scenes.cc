// Scenes of the test sets that are not in the library.
#include <fmt/format.h>

#include <cmath>

#include "sim/sets.h"

namespace cornet::sim {
namespace {

// A random polyhedron of about the given radius: a dozen points of a sphere, pulled in and out a little.
Shape grain(double radius, Random& random) {
  std::vector<Vector> points;
  for (int k = 0; k < 12; ++k) {
    const double z = -1 + 2 * (k + 0.5) / 12, a = 2.39996 * k + random.uniform(-0.2, 0.2), s = std::sqrt(1 - z * z);
    points.push_back(radius * random.uniform(0.75, 1) * Vector(s * std::cos(a), s * std::sin(a), z));
  }
  return hull(points);
}

// A lattice of `count` places, nx × ny in a layer.
Vector place(int k, int nx, int ny, double step, double bottom) {
  // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
  return {step * (k % nx - (nx - 1) / 2.0), step * (k / nx % ny - (ny - 1) / 2.0), bottom + step * (k / (nx * ny) + 0.5)};
}

// A floor that falls along x, two side walls, a gate at its end.
std::vector<Body> chute_walls(double width, const Rotation& tilt) {
  return {fixed("floor", plane(), Vector::Zero(), tilt), half_space("left", Vector(0, -width / 2, 0), Vector::UnitY()),
          half_space("right", Vector(0, width / 2, 0), -Vector::UnitY()), half_space("gate", Vector(0, 0, 0), -(tilt * Vector::UnitX()))};
}

Rotation any_rotation(Random& random) {
  return about(Vector(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)).normalized(), random.uniform(0, 3.1));
}

}  // namespace

Scene grains_in_box(int count, double mu, std::uint64_t seed) {
  Scene s = many_bodies(mu, 0.005, 2);
  Random random(static_cast<double>(seed));
  const double r = 0.1, step = 2.1 * r;
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  const double width = step * side;
  add_container(s, width, width);
  for (int k = 0; k < count; ++k)
    s.bodies.push_back(dynamic(fmt::format("grain {}", k), grain(r * random.uniform(0.8, 1), random), place(k, side, side, step, 0.02),
                               any_rotation(random)));
  // The lid rests on the grains and slides between the walls.
  s.bodies.push_back(dynamic("lid", box(0.98 * width, 0.98 * width, 0.1), Vector(0, 0, 0.02 + step * (side + 1) + 0.1)));
  s.bodies.back().velocity = {0, 0, -1};
  return s;
}

Scene spheres_under_plates(int count, int plates, double mu, std::uint64_t seed) {
  Scene s = many_bodies(mu, 0.005, 2);
  Random random(static_cast<double>(seed));
  // Square layers, each in the hollows of the one below, of balls that are nearly equal: many neighbours, not all of them touch.
  const double r = 0.1, step = 2.001 * r, rise = std::sqrt(2.0) * step / 2;
  const int nx = 10, ny = 9;
  add_container(s, step * nx, step * ny);
  int layer = 0;
  for (int left = count; left > 0; ++layer) {
    const int columns = nx - layer % 2, rows = ny - layer % 2;
    for (int k = 0; k < columns * rows && left > 0; ++k, --left) {
      // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
      const Vector p(step * (k % columns - (columns - 1) / 2.0), step * (k / columns - (rows - 1) / 2.0), r + rise * layer);
      s.bodies.push_back(dynamic(fmt::format("ball {}", left), sphere(r * random.uniform(0.998, 1)), p));
    }
  }
  const double top = 2 * r + rise * (layer - 1) + 0.01;
  for (int k = 0; k < plates; ++k) {
    s.bodies.push_back(dynamic(fmt::format("plate {}", k), box(step * nx * 0.98, step * ny / plates * 0.98, 0.1),
                               Vector(0, step * ny * ((k + 0.5) / plates - 0.5), top + 0.05)));
    s.bodies.back().density = 5000;
    s.bodies.back().velocity = {0, 0, -0.5};
  }
  return s;
}

Scene chute(int count, double mu, std::uint64_t seed) {
  Scene s = many_bodies(mu, 0.005, 2);
  Random random(static_cast<double>(seed));
  const double r = 0.1, step = 2.1 * r, slope = 0.5;
  const int across = std::max(3, static_cast<int>(std::cbrt(count) * 0.8));
  const double width = step * across;
  const Rotation tilt = about(Vector::UnitY(), slope);
  s.bodies = chute_walls(width, tilt);
  const int along = std::max(3, static_cast<int>(std::cbrt(count) * 1.6));
  for (int k = 0; k < count; ++k) {
    const Vector p(-step * (k % along + 0.55), step * (k / along % across - (across - 1) / 2.0),
                   // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
                   0.01 + step * (k / (along * across) + 0.5));
    s.bodies.push_back(dynamic(fmt::format("grain {}", k), grain(r * random.uniform(0.8, 1), random), tilt * p, any_rotation(random)));
    s.bodies.back().velocity = array(Vector(tilt * Vector(0.5, 0, -0.5)));
  }
  return s;
}

Scene packed_chute(int count, double mu, std::uint64_t seed) {
  Scene s = many_bodies(mu, 0.005, 2);
  s.max_iterations = 100;
  Random random(static_cast<double>(seed));
  // Prisms with eight sides in columns on a slope. Each stands on the one below with four points; `closed` of the upright joints that the
  // slope loads are shut, with four points each: density 3/6 · (4 + 4 closed) but for the borders.
  const double side = 0.2, slope = 0.1, closed = 0.25;
  const int across = 16, layers = 6, along = (count + across * layers - 1) / (across * layers);
  const double width = (side + 0.01) * across;
  const Rotation tilt = about(Vector::UnitY(), slope);
  s.bodies = chute_walls(width, tilt);
  const double h = 0.5 * side, c = 0.35 * side;
  const std::vector<Vector> points = {{h, c, -h},  {c, h, -h},  {-c, h, -h}, {-h, c, -h}, {-h, -c, -h}, {-c, -h, -h},
                                      {c, -h, -h}, {h, -c, -h}, {h, c, h},   {c, h, h},   {-c, h, h},   {-h, c, h},
                                      {-h, -c, h}, {-c, -h, h}, {c, -h, h},  {h, -c, h}};
  std::vector<Vector> feet;  // of the columns
  for (int row = 0; row < across; ++row) {
    double x = 0;
    for (int i = 0; i < along; ++i) {
      x -= side + (random.uniform(0, 1) < closed ? 0 : random.uniform(0.005, 0.02));
      feet.emplace_back(x + h, (side + 0.01) * (row - (across - 1) / 2.0), h);
    }
  }
  const int columns = static_cast<int>(feet.size());
  for (int k = 0; k < count; ++k) {
    // NOLINTNEXTLINE(bugprone-integer-division): the number of a row or layer is whole
    const Vector p = feet[k % columns] + Vector(0, 0, side * (k / columns));
    s.bodies.push_back(dynamic(fmt::format("grain {}", k), hull(points), tilt * p, tilt));
    s.bodies.back().velocity = array(Vector(tilt * Vector(random.uniform(0, 0.02), 0, 0)));
  }
  return s;
}

Scene low_wall(std::uint64_t seed) {
  // 16 rows of bricks of 2×1×3 elements, in every second row half bricks at the ends, and three small stones on top: 2404 nodes.
  Scene s;
  s.mu = 0.83;
  s.dt = 1e-3;
  s.duration = 0.1;
  s.slop = std::numeric_limits<double>::infinity();  // the bricks that are too wide stay pressed
  s.tolerance = 1e-4;
  s.solver = "nsgs-ac";
  Random random(static_cast<double>(seed));
  const int rows = 16, columns = 6;
  const double x = 0.4, y = 0.2, z = 0.2, joint = 0.002;
  const auto brick = [&](const std::string& name, const Vector& corner, const Vector& size, const std::array<int, 3>& divisions) {
    Solid b;
    b.name = name;
    b.size = array(size);
    b.divisions = divisions;
    b.pose.position = array(corner);
    b.young = 1e8;
    b.density = 2000;
    b.damping_stiffness = 1e-3;
    // The higher the faster: all joints close, and the damping keeps bricks from bouncing.
    b.velocity = {random.uniform(-1e-4, 1e-4), random.uniform(-1e-4, 1e-4), -0.02 * corner[2] * random.uniform(0.98, 1.02)};
    s.solids.push_back(b);
  };
  // Nine upright joints are closed, in two rows, by bricks that are a hair too wide.
  const auto tight = [&](int r, int c) { return r == 6 || (r == 8 && c < 4); };
  // From the top down: nodes of a brick touch the faces of those that come later.
  for (int k = 0; k < 3; ++k) brick(fmt::format("cap {}", k), Vector(0.5 + 0.6 * k, 0, rows * z), Vector(x - joint, y, z / 2), {2, 1, 1});
  for (int r = rows - 1; r >= 0; --r) {
    const bool odd = r % 2 == 1;
    if (odd) brick(fmt::format("half {} 0", r), Vector(0, 0, r * z), Vector(0.45 * x - joint, y, z), {1, 1, 3});
    for (int c = 0; c < columns - (odd ? 1 : 0); ++c)
      brick(fmt::format("brick {} {}", r, c), Vector((c + (odd ? 0.45 : 0)) * x, 0, r * z),
            Vector(tight(r, c) ? x + 3e-4 : x - joint, y, z), {2, 1, 3});
    if (odd) brick(fmt::format("half {} 1", r), Vector((columns - 0.55) * x, 0, r * z), Vector(0.55 * x - joint, y, z), {1, 1, 3});
  }
  s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
  return s;
}

Scene aqueduct(std::uint64_t seed) {
  // Six arches of 13 stones on seven piers of eight courses; above each stone a column with a sloping foot, up to a level; on it five rows of 22
  // bricks: 322 stones.
  Scene s;
  s.mu = 0.8;
  s.dt = 0.005;
  s.duration = 0.2;
  s.tolerance = 1e-4;
  s.solver = "nsgs-ac";
  s.contact_points = 8;
  Random random(static_cast<double>(seed));
  const int arches = 6, stones = 13, courses = 8;
  const double inner = 1, outer = 1.3, depth = 0.5, pier = 2 * (outer - inner), span = 2 * inner + pier, course = 0.4, joint = 1e-4;
  const double spring = courses * course, level = spring + outer + 0.2;
  s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
  const auto add = [&](const std::string& name, const std::vector<Vector>& outline) {  // a prism along y
    Vector c = Vector::Zero();
    for (const Vector& p : outline) c += p / static_cast<double>(outline.size());
    std::vector<Vector> points;
    for (const double side : {-0.5, 0.5})
      for (const Vector& p : outline) points.push_back(p - c + Vector(0, side * depth, 0));
    Body b = dynamic(name, hull(points), c);
    b.density = 2400;
    b.velocity = {0, 0, -random.uniform(0, 0.01)};
    s.bodies.push_back(b);
  };
  for (int p = 0; p <= arches; ++p)
    for (int k = 0; k < courses; ++k) {
      const double x = p * span, w = pier / 2, z = k * course;
      add(fmt::format("pier {} {}", p, k), {{x - w, 0, z}, {x + w, 0, z}, {x + w, 0, z + course}, {x - w, 0, z + course}});
    }
  for (int a = 0; a < arches; ++a) {
    const double middle = (a + 0.5) * span;
    const auto at = [&](double r, double angle) { return Vector(middle + r * std::cos(angle), 0, spring + r * std::sin(angle)); };
    for (int k = 0; k < stones; ++k) {
      const double from = M_PI * k / stones, to = M_PI * (k + 1) / stones;
      add(fmt::format("stone {} {}", a, k), {at(inner, from), at(outer, from), at(outer, to), at(inner, to)});
      // The columns above leave a hair of room between them.
      const Vector right = at(outer, from), left = at(outer, to);
      const double slope = (right[2] - left[2]) / (right[0] - left[0]);
      add(fmt::format("column {} {}", a, k), {{right[0] - joint, 0, right[2] - joint * slope},
                                              {left[0] + joint, 0, left[2] + joint * slope},
                                              {left[0] + joint, 0, level},
                                              {right[0] - joint, 0, level}});
    }
  }
  const int rows = 5, bricks = 22;
  const double start = span / 2 - outer, length = arches * span - (span - 2 * outer), x = length / bricks, z = 0.3;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < bricks; ++k) {
      const double left = start + (k + (r % 2 ? 0.4 : 0)) * x + joint, right = left + x - 2 * joint, bottom = level + r * z;
      add(fmt::format("brick {} {}", r, k), {{left, 0, bottom}, {right, 0, bottom}, {right, 0, bottom + z}, {left, 0, bottom + z}});
    }
  return s;
}

}  // namespace cornet::sim
