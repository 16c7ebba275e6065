// Solids against rigid bodies, meshes and each other, whatever the sizes of their elements; overlaps at the start and after impacts.
#include <gtest/gtest.h>

#include <cmath>

#include "cornet/error.h"
#include "sim/library.h"
#include "support/simulations.h"

namespace cornet::sim {
namespace {

Solid block(const std::string& name, const Vec3& size, const std::array<int, 3>& divisions, const Vec3& position) {
  Solid b;
  b.name = name;
  b.size = size;
  b.divisions = divisions;
  b.pose.position = position;
  b.young = 1e6;
  b.damping_stiffness = 0.005;
  return b;
}

Scene scene_of(const std::vector<Body>& bodies, const std::vector<Solid>& solids) {
  Scene s;
  s.dt = 0.005;
  s.duration = 1;
  s.bodies = bodies;
  s.solids = solids;
  return s;
}

double top(const Simulation& simulation, int solid) {
  double out = -1e300;
  for (const Vec3& p : simulation.nodes(solid)) out = std::max(out, p[2]);
  return out;
}

double bottom(const Simulation& simulation, int solid) {
  double out = 1e300;
  for (const Vec3& p : simulation.nodes(solid)) out = std::min(out, p[2]);
  return out;
}

// Elements of half a metre; the bodies fall between their nodes, where only the faces can hold them.
TEST(Solids, CarryBodiesThatAreSmallerThanTheirElements) {
  const std::vector<std::pair<Shape, Rotation>> bodies = {
      {sphere(0.1), Rotation::Identity()},
      {box(0.3, 0.3, 0.2), Rotation::Identity()},
      {cylinder(0.15, 0.2), Rotation::Identity()},
      {capsule(0.1, 0.2), about(Vector::UnitY(), M_PI / 2)},
      {hull({{-0.1, -0.1, -0.1}, {0.2, -0.1, -0.1}, {0, 0.2, -0.1}, {0, 0, 0.2}}), Rotation::Identity()}};
  for (const auto& [shape, turn] : bodies) {
    Solid table = block("table", {1, 1, 1}, {2, 2, 2}, {0, 0, 0});
    table.clamped = {"z-"};
    Scene scene = scene_of({dynamic("body", shape, Vector(0.25, 0.25, 1.12), turn)}, {table});
    scene.bodies[0].density = 200;
    Simulation simulation(scene);
    ASSERT_TRUE(run_until(simulation, 0.7)) << to_string(shape.kind);
    double force = 0;
    constexpr int kSteps = 60;
    for (int k = 0; k < kSteps; ++k) {
      ASSERT_TRUE(simulation.step().ok());
      force += force_on(simulation, 0)[2] / kSteps;
    }
    const double weight = simulation.mass(0) * 9.81;
    EXPECT_NEAR(force, weight, 0.05 * weight) << to_string(shape.kind);
    EXPECT_NEAR(simulation.body(0).pose.position[2], 1.1, 5e-3) << to_string(shape.kind);
  }
}

TEST(Solids, RestOnAPostThatPassesBetweenTheirNodes) {
  Scene scene = scene_of({fixed("post", cylinder(0.2, 1), Vector(0.5, 0.5, -0.51))}, {block("block", {1, 1, 1}, {1, 1, 1}, {0, 0, 0})});
  Simulation simulation(scene);
  ASSERT_TRUE(run_until(simulation, 0.5));
  EXPECT_GT(bottom(simulation, 0), -0.1);
}

TEST(Solids, FallOnAMeshAsOnAPlane) {
  Shape floor;
  floor.kind = ShapeKind::mesh;
  floor.open = true;
  floor.points = {{-2, -2, 0}, {3, -2, 0}, {3, 3, 0}, {-2, 3, 0}};
  floor.triangles = {{0, 1, 2}, {0, 2, 3}};
  double end[2];
  for (int mesh = 0; mesh < 2; ++mesh) {
    Simulation simulation(
        scene_of({fixed("ground", mesh ? floor : plane(), Vector::Zero())}, {block("block", {1, 1, 1}, {2, 2, 2}, {0, 0, 0.05})}));
    ASSERT_TRUE(run_until(simulation, 0.6));
    EXPECT_GT(bottom(simulation, 0), -1e-3);
    end[mesh] = simulation.energy().kinetic + simulation.energy().potential;
  }
  EXPECT_NEAR(end[1], end[0], 1e-9 * (1 + std::abs(end[0])));
}

// A table of coarse elements, a cube of fine ones: the nodes are those of the cube in either order of the scene.
TEST(Solids, OrderDoesNotMatterWhereOneIsFiner) {
  Solid table = block("table", {4, 4, 0.5}, {2, 2, 1}, {0, 0, 0});
  table.clamped = {"z-"};
  const Solid cube = block("cube", {0.5, 0.5, 0.5}, {2, 2, 2}, {0.6, 0.6, 0.55});
  double end[2];
  for (int order = 0; order < 2; ++order) {
    Simulation simulation(scene_of({}, order ? std::vector{cube, table} : std::vector{table, cube}));
    ASSERT_TRUE(run_until(simulation, 0.6));
    EXPECT_NEAR(top(simulation, order ? 0 : 1), 1, 5e-3);
    end[order] = simulation.energy().total();
  }
  EXPECT_NEAR(end[1], end[0], 1e-6 * std::abs(end[0]));
}

std::string refusal(const Scene& scene) {
  try {
    Simulation simulation(scene);
  } catch (const InvalidProblem& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Solids, OverlapsAtTheStartAreRefusedOrPushedApart) {
  const Body ground = fixed("ground", plane(), Vector::Zero());
  const Solid low = block("low", {1, 1, 1}, {2, 2, 2}, {0, 0, -0.2}), cube = block("cube", {1, 1, 1}, {2, 2, 2}, {0, 0, 0});
  const Solid other = block("other", {1, 1, 1}, {2, 2, 2}, {0.1, 0.2, 0.9});
  const Body swallowed = dynamic("ball", sphere(0.1), Vector(0.4, 0.4, 0.3)),
             shallow = dynamic("ball", sphere(0.2), Vector(0.3, 0.3, 1.15));
  EXPECT_NE(refusal(scene_of({ground}, {low})).find("/solids/0: found 'low' 0.2 m deep in 'ground'"), std::string::npos);
  EXPECT_NE(refusal(scene_of({}, {cube, other})).find("0.1 m deep in"), std::string::npos);
  EXPECT_NE(refusal(scene_of({swallowed}, {cube})).find("/solids/0: found 'cube'"), std::string::npos);
  EXPECT_NE(refusal(scene_of({shallow}, {cube})).find("0.05 m deep in 'ball'"), std::string::npos);
  EXPECT_EQ(refusal(scene_of({ground}, {cube})), "accepted");
  for (Scene scene : {scene_of({ground}, {low}), scene_of({ground}, {cube, other}), scene_of({ground, shallow}, {cube})}) {
    scene.separate_start = true;
    Simulation simulation(scene);
    EXPECT_GE(bottom(simulation, 0), -1e-3);
    // Moved as a whole, not squeezed.
    EXPECT_NEAR(top(simulation, 0) - bottom(simulation, 0), 1, 1e-3);
    ASSERT_TRUE(simulation.step().ok());
  }
  Scene stuck = scene_of({ground}, {low});
  stuck.solids[0].clamped = {"z-"};
  stuck.separate_start = true;
  EXPECT_NE(refusal(stuck).find("cannot be pushed apart"), std::string::npos);
}

// With θ = ½ an impact leaves bodies overlapping by h·v/2. It is reported and taken out, and no velocity comes of it.
TEST(Solids, OverlapOfAnImpactIsTakenOut) {
  for (const bool out : {true, false}) {
    Scene scene = scene_of({fixed("ground", plane(), Vector::Zero())}, {block("block", {1, 1, 1}, {2, 2, 2}, {0, 0, 0.0023})});
    scene.solids[0].velocity = {0, 0, -2};
    if (!out) scene.slop = std::numeric_limits<double>::infinity();
    Simulation simulation(scene);
    double deepest = 0;
    for (int k = 0; k < 3; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok());
      deepest = std::max(deepest, report.penetration);
    }
    EXPECT_GT(deepest, 1e-3);
    if (out) EXPECT_GT(bottom(simulation, 0), -1.5e-4);
    else EXPECT_LT(bottom(simulation, 0), -1e-3);
  }
}

}  // namespace
}  // namespace cornet::sim
