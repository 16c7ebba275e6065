// Joints, plane bodies and moving bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "cornet/sim.h"

namespace cornet::sim {
namespace {

constexpr double g = 9.81;

TEST(Joints, PendulumKeepsItsLengthAndItsPeriod) {
  for (const int dim : {2, 3}) {
    Scene scene;
    scene.dim = dim;
    scene.gravity = dim == 2 ? Vec3{0, -g, 0} : Vec3{0, 0, -g};
    scene.dt = 1e-3;
    Body bob;
    bob.name = "bob";
    bob.shape.kind = dim == 2 ? ShapeKind::disk : ShapeKind::sphere;
    bob.shape.radius = 1e-3;
    bob.mass = 1;
    const double angle = 0.1;
    bob.pose.position = dim == 2 ? Vec3{std::sin(angle), -std::cos(angle), 0} : Vec3{std::sin(angle), 0, -std::cos(angle)};
    scene.bodies = {bob};
    Joint joint;
    joint.kind = dim == 2 ? JointKind::ball : JointKind::hinge;
    joint.a = "bob";
    joint.axis = {0, 1, 0};
    scene.joints = {joint};
    Simulation simulation(scene);
    const double start = simulation.energy().total();
    int crossings = 0;
    double before = 1, last = 0;
    while (simulation.time() < 10) {
      simulation.step();
      const Vec3 p = simulation.body(0).centre;
      EXPECT_NEAR(std::hypot(p[0], p[1], p[2]), 1, 1e-4);
      if (p[0] * before < 0) {
        ++crossings;
        last = simulation.time();
      }
      before = p[0];
    }
    // Period of a pendulum of amplitude a: 2π √(l/g) (1 + a²/16).
    const double period = 2 * M_PI / std::sqrt(g) * (1 + angle * angle / 16);
    EXPECT_NEAR((last - period / 4) / (crossings - 1) * 2, period, 2e-3 * period);
    EXPECT_NEAR(simulation.energy().total(), start, 1e-4);
  }
}

TEST(Joints, FixedJointMakesOneBodyOfTwo) {
  Scene scene;
  scene.dt = 0.01;
  scene.gravity = {0, 0, 0};
  for (int k = 0; k < 2; ++k) {
    Body b;
    b.name = k ? "b" : "a";
    b.shape.kind = ShapeKind::box;
    b.shape.size = {1, 0.5, 0.3};
    b.pose.position = {1.0 * k, 0, 0};
    b.spin = {0, 0, 1};
    b.velocity = {0, 1.0 * k - 0.5, 0};  // they turn as one about their middle
    scene.bodies.push_back(b);
  }
  scene.joints = {{JointKind::fixed, "a", "b", {0.5, 0, 0}, {0, 0, 1}, false}};
  Simulation simulation(scene);
  for (int k = 0; k < 300; ++k) ASSERT_TRUE(simulation.step().ok());
  const BodyState a = simulation.body(0), b = simulation.body(1);
  EXPECT_NEAR(std::hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]), 1, 1e-2);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(a.pose.orientation[i], b.pose.orientation[i], 1e-3);
  EXPECT_NEAR(a.spin[2], 1, 1e-3);
}

TEST(Plane, PolygonOnSlopeSticksAndSlides) {
  const double mu = 0.5;
  for (const double share : {0.9, 1.3}) {
    const double slope = std::atan(share * mu);
    Scene scene;
    scene.dim = 2;
    scene.gravity = {0, -g, 0};
    scene.mu = mu;
    Body ground, block;
    ground.kind = BodyKind::fixed;
    ground.name = "ground";
    ground.shape.kind = ShapeKind::plane;
    ground.pose.orientation = {std::cos(slope / 2), 0, 0, -std::sin(slope / 2)};
    block.name = "block";
    block.shape.kind = ShapeKind::polygon;
    block.shape.points = {{-0.2, 0, 0}, {0.2, 0, 0}, {0.2, 0.1, 0}, {-0.2, 0.1, 0}};
    block.pose = ground.pose;
    scene.bodies = {ground, block};
    Simulation simulation(scene);
    const Vec3 start = simulation.body(1).centre;
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step().ok());
    const Vec3 now = simulation.body(1).centre;
    const double moved = std::hypot(now[0] - start[0], now[1] - start[1]);
    if (share < 1) {
      EXPECT_LT(moved, 1e-7);
    } else {
      EXPECT_NEAR(moved, g * (std::sin(slope) - mu * std::cos(slope)) / 2, 1e-6);
    }
    EXPECT_EQ(simulation.problem().contacts(), 2);
  }
}

TEST(Moving, BodyOnABeltTakesItsSpeed) {
  Scene scene;
  scene.mu = 0.5;
  Body belt, box;
  belt.kind = BodyKind::moving;
  belt.name = "belt";
  belt.shape.kind = ShapeKind::plane;
  belt.motion.velocity = {1, 0, 0};
  box.name = "box";
  box.shape.kind = ShapeKind::box;
  box.shape.size = {0.4, 0.4, 0.2};
  box.pose.position = {0, 0, 0.1};
  scene.bodies = {belt, box};
  Simulation simulation(scene);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step().ok());
  EXPECT_NEAR(simulation.body(1).velocity[0], 1, 1e-8);
  // Friction gave the box its kinetic energy and took as much: half of what the belt spent.
  const Energy e = simulation.energy();
  EXPECT_NEAR(e.driven, 2 * e.kinetic, 0.05 * e.driven);
  EXPECT_NEAR(e.kinetic, e.driven - e.friction - e.impact, 1e-6);
}

}  // namespace
}  // namespace cornet::sim
