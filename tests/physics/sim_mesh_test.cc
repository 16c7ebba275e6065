// Triangle meshes: a floor of triangles is a floor, and a cube of triangles a cube. The edges within a floor must not be felt.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/collide.h"
#include "sim/library.h"
#include "sim/mesh.h"
#include "support/simulations.h"

namespace cornet::sim {
namespace {

// n × n squares of the given width, two triangles each; `soup`: every triangle has vertices of its own.
Shape floor_of_triangles(int n, double width, bool soup) {
  Shape s;
  s.kind = ShapeKind::mesh;
  s.open = true;
  const auto at = [&](int i, int j) { return Vec3{width * (i - n / 2.0), width * (j - n / 2.0), 0}; };
  const auto add = [&](const std::vector<Vec3>& corners) {
    std::array<int, 3> t{};
    for (int k = 0; k < 3; ++k) {
      const auto found = soup ? s.points.end() : std::find(s.points.begin(), s.points.end(), corners[k]);
      t[k] = static_cast<int>(found - s.points.begin());
      if (found == s.points.end()) s.points.push_back(corners[k]);
    }
    s.triangles.push_back(t);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      add({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      add({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return s;
}

struct Case {
  const char* name;
  Shape shape;
  double height;
  Rotation turn;
  bool rotates;
  double accuracy;  // m, after half a second
};

Shape tip() {
  Shape s;
  s.kind = ShapeKind::hull;
  s.points = {{0, 0, -0.2}, {0.2, -0.2, 0.1}, {0.2, 0.2, 0.1}, {-0.2, 0.2, 0.1}, {-0.2, -0.2, 0.1}};
  return s;
}

// Whatever slides, rolls or tumbles over the triangles ends where it ends on a plane. The edges are crossed in all directions and at once.
TEST(MeshFloor, IsAPlane) {
  const Rotation none = Rotation::Identity(), down = about(Vector::UnitY(), M_PI / 2), aslant = about(Vector(1, 2, 0.3).normalized(), 0.7);
  const std::vector<Case> cases = {
      {"ball", sphere(0.1), 0.1, none, true, 1e-9},
      {"box", box(0.6, 0.6, 0.2), 0.1, none, true, 1e-6},
      {"tumbling box", box(0.2, 0.2, 0.2), 0.2, aslant, true, 1e-4},
      {"tip", tip(), 0.2, none, false, 1e-9},
      {"lying capsule", capsule(0.1, 0.5), 0.1, down, true, 1e-6},
      {"falling capsule", capsule(0.1, 0.3), 0.3, aslant, true, 1e-6},
      {"standing cylinder", cylinder(0.2, 0.2), 0.1, none, true, 1e-6},
      {"lying cylinder", cylinder(0.1, 0.5), 0.1, down, true, 1e-6},
  };
  for (const Case& c : cases) {
    Vec3 end[3];
    for (int ground = 0; ground < 3; ++ground) {
      Scene scene;
      scene.dt = 0.005;
      scene.mu = 0.3;
      scene.bodies = {fixed("ground", ground == 0 ? plane() : floor_of_triangles(10, 0.37, ground == 2), Vector::Zero()),
                      dynamic("thrown", c.shape, Vector(-0.93, 0.13, c.height), c.turn)};
      scene.bodies[1].velocity = {1.5, 0.2, 0};
      scene.bodies[1].rotates = c.rotates;
      Simulation simulation(scene);
      ASSERT_TRUE(run_until(simulation, 0.5)) << c.name;
      end[ground] = simulation.body(1).centre;
    }
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(end[1][k], end[0][k], c.accuracy) << c.name << " " << k;
      EXPECT_EQ(end[2][k], end[1][k]) << c.name << " with its own vertices " << k;
    }
  }
}

Shape cube_of_triangles(double half) {
  Shape s;
  s.kind = ShapeKind::mesh;
  for (int k = 0; k < 8; ++k) s.points.push_back({k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half});
  s.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 7, 5}, {1, 3, 7}, {0, 5, 4}, {0, 1, 5},
                 {2, 7, 3}, {2, 6, 7}, {0, 3, 1}, {0, 2, 3}, {4, 7, 6}, {4, 5, 7}};
  return s;
}

Collider piece(const Shape& shape, const Vector& x, const Rotation& q, double margin) {
  std::vector<Collider> out;
  add_colliders(shape, Pose{}, 0, "shape", out);
  place(out.at(0), x, q.toRotationMatrix(), margin);
  return out.at(0);
}

// Edges and corners that stand out are felt as those of a box are: least gap, and the normal there.
TEST(MeshCube, IsABox) {
  const double margin = 0.02;
  const std::vector<Shape> shapes = {sphere(0.3), capsule(0.2, 0.8), box(0.5, 0.6, 0.7), cylinder(0.3, 0.5)};
  const Collider block = piece(box(2, 2, 2), Vector::Zero(), Rotation::Identity(), 0);
  const Collider mesh = piece(cube_of_triangles(1), Vector::Zero(), Rotation::Identity(), 0);
  Random random(3);
  int found = 0, missed = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    const Shape& shape = shapes[trial % shapes.size()];
    const Vector x(random.uniform(-1.6, 1.6), random.uniform(-1.6, 1.6), random.uniform(0.9, 1.8));
    const Rotation q =
        about(Vector(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized(), random.uniform(0, 3));
    const Collider a = piece(shape, x, q, margin);
    std::vector<Touch> of_block, of_mesh;
    if (shape.kind == ShapeKind::sphere) collide(a, block, 0, 1, margin, CollideOptions{}, of_block);
    else collide_convex(a, block, margin, of_block);  // true distances: separating axes give less near corners
    const auto nearer = [](const Touch& s, const Touch& t) { return s.gap < t.gap; };
    if (of_block.empty()) continue;
    const Touch expected = *std::min_element(of_block.begin(), of_block.end(), nearer);
    if (expected.gap < -0.01 || expected.gap > 0.9 * margin) continue;  // a contact of a simulation
    collide(a, mesh, 0, 1, margin, CollideOptions{}, of_mesh);
    ++found;
    if (of_mesh.empty()) {  // a corner near an edge, still apart
      EXPECT_GT(expected.gap, 0.25 * margin) << trial << " " << to_string(shape.kind);
      ++missed;
      continue;
    }
    const Touch nearest = *std::min_element(of_mesh.begin(), of_mesh.end(), nearer);
    EXPECT_NEAR(nearest.gap, expected.gap, 2e-3) << trial << " " << to_string(shape.kind);
    EXPECT_GT(nearest.normal.dot(expected.normal), 0.99) << trial << " " << to_string(shape.kind);
  }
  EXPECT_GT(found, 600);
  EXPECT_LT(missed, found / 200);
}

// Bodies thrown about in a box of triangles stay in it, and sink in no deeper than in a box of planes. In the hollow edges and corners of the box
// several faces must hold at once.
TEST(MeshContainer, HoldsWhatPlanesHold) {
  const double half = 0.5;
  Shape inside = cube_of_triangles(half);
  for (auto& t : inside.triangles) std::swap(t[1], t[2]);
  for (const Shape& shape : {hull({{-0.06, -0.05, -0.04}, {0.06, -0.05, -0.04}, {0, 0.07, -0.04}, {0, 0, 0.07}}), box(0.12, 0.1, 0.09),
                             cylinder(0.06, 0.1), capsule(0.05, 0.08), sphere(0.07)}) {
    double deepest[2] = {0, 0};
    for (int mesh = 0; mesh < 2; ++mesh) {
      Scene scene;
      scene.dt = 0.002;
      scene.mu = 0.4;
      scene.restitution = 0.2;
      scene.tolerance = 1e-6;
      if (mesh) {
        scene.bodies = {fixed("box", inside, Vector::Zero())};
      } else {
        for (int k = 0; k < 6; ++k) {
          const Vector n = (k < 3 ? -1 : 1) * Vector::Unit(k % 3);
          scene.bodies.push_back(half_space(std::to_string(k), -half * n, n));
        }
      }
      const int first = static_cast<int>(scene.bodies.size());
      Random random(4);
      for (int k = 0; k < 12; ++k) {
        const int column = k % 3, row = k / 3;
        scene.bodies.push_back(dynamic("body " + std::to_string(k), shape, Vector(-0.3 + 0.3 * column, -0.36 + 0.24 * row, -0.38)));
        scene.bodies.back().velocity = {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
        scene.bodies.back().spin = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
      }
      Simulation simulation(scene);
      for (int k = 0; k < 400; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report.ok()) << to_string(shape.kind) << " " << report.message;
        deepest[mesh] = std::max(deepest[mesh], report.penetration);
      }
      for (int k = first; k < static_cast<int>(scene.bodies.size()); ++k)
        for (const double x : simulation.body(k).centre) EXPECT_LT(std::abs(x), half) << to_string(shape.kind);
    }
    EXPECT_LT(deepest[1], 1.5 * deepest[0] + 2e-3) << to_string(shape.kind);
  }
}

TEST(MeshTree, FindsWhatAllTriangles) {
  const Shape shape = floor_of_triangles(17, 0.1, false);
  const auto mesh = make_mesh(shape.points, shape.triangles);
  Random random(5);
  std::vector<int> near;
  for (int trial = 0; trial < 200; ++trial) {
    Bounds box;
    for (int k = 0; k < 2; ++k) box.add(Vector(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-0.1, 0.1)));
    mesh->near(box, near);
    EXPECT_TRUE(std::is_sorted(near.begin(), near.end()));
    for (int t = 0; t < static_cast<int>(mesh->triangles.size()); ++t) {
      Bounds own;
      for (const Vector& p : mesh->triangles[t].corners) own.add(p);
      if (own.touches(box)) {
        EXPECT_TRUE(std::binary_search(near.begin(), near.end(), t)) << t;
      }
    }
    EXPECT_LT(near.size(), mesh->triangles.size());
  }
}

}  // namespace
}  // namespace cornet::sim
