// Joints, plane bodies and moving bodies.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
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

// A cylinder in free flight: in its own frame the spin turns about the axis with (J₁ − J₃)/J₁ ω₃. With the torque explicit the error is of first
// order in h, linearised about the present spin (θ = ½) of second; without the torque the spin stays.
TEST(Gyroscopic, FreeTopPrecesses) {
  const double radius = 0.1, length = 0.6, along = 8, across = 1, until = 1;
  const double j3 = radius * radius / 2, j1 = (3 * radius * radius + length * length) / 12, rate = (j1 - j3) / j1 * along;
  const Vec3 exact = {across * std::cos(rate * until), -across * std::sin(rate * until), along};
  double error[3][2];
  for (const Gyroscopic kind : {Gyroscopic::off, Gyroscopic::explicit_, Gyroscopic::implicit}) {
    int which = 0;
    for (const double h : {4e-3, 2e-3}) {
      Scene scene;
      scene.dt = h;
      scene.gravity = {0, 0, 0};
      scene.gyroscopic = kind;
      Body top;
      top.shape.kind = ShapeKind::cylinder;
      top.shape.radius = radius;
      top.shape.length = length;
      top.spin = {across, 0, along};
      scene.bodies = {top};
      Simulation simulation(scene);
      while (simulation.time() < until - 1e-9) ASSERT_TRUE(simulation.step().ok());
      const BodyState state = simulation.body(0);
      const auto& q = state.pose.orientation;
      const Eigen::Vector3d own = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).conjugate() * Eigen::Vector3d(state.spin.data());
      error[static_cast<int>(kind)][which++] = (own - Eigen::Vector3d(exact.data())).norm();
    }
  }
  EXPECT_GT(error[0][0], 0.1);
  EXPECT_NEAR(error[1][0] / error[1][1], 2, 0.2);
  EXPECT_NEAR(error[2][0] / error[2][1], 4, 0.4);
  EXPECT_LT(error[2][1], 1e-3);
}

// The implicit torque makes M and with it W unsymmetric; its steps are solved and certified like others.
TEST(Gyroscopic, ImplicitTorqueMakesTheProblemUnsymmetric) {
  for (const Gyroscopic kind : {Gyroscopic::explicit_, Gyroscopic::implicit}) {
    Scene scene;
    scene.dt = 0.005;
    scene.gyroscopic = kind;
    Body ground, coin;
    ground.kind = BodyKind::fixed;
    ground.shape.kind = ShapeKind::plane;
    coin.shape.kind = ShapeKind::cylinder;
    coin.shape.radius = 0.2;
    coin.shape.length = 0.04;
    coin.pose.position = {0, 0, 0.2};
    coin.pose.orientation = {std::cos(0.6), std::sin(0.6), 0, 0};
    coin.spin = {0, 0, 20};
    scene.bodies = {ground, coin};
    Simulation simulation(scene);
    int touching = 0;
    for (int k = 0; k < 60; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_LE(report.error, 1e-8);
      touching += report.contacts > 0;
    }
    EXPECT_GT(touching, 10);
    const SparseMatrix& M = simulation.problem().M;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(6, 6);
    for (int col = 0; col < 6; ++col)
      for (int k = M.p[col]; k < M.p[col + 1]; ++k) dense(M.i[k], col) = M.x[k];
    const double skew = (dense - dense.transpose()).norm() / dense.norm();
    if (kind == Gyroscopic::implicit) EXPECT_GT(skew, 1e-6);
    else EXPECT_EQ(skew, 0);
  }
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
