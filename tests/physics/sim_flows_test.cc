// Bodies that fall, flow, shake and tumble: what must hold whatever the details, and the closed forms of their simplest cases.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/simulations.h"

namespace cornet::sim {
namespace {

constexpr double g = 9.81;

// A single ball on a plate A sin(ωt) leaves it when A ω² sin(ωt) exceeds g, and never when A ω² < g.
TEST(VibratingPlate, BallLeavesWhenThePlateOutrunsGravity) {
  const double amplitude = 0.02;
  for (const double frequency : {3.0, 5.0})
    for (const double h : {1e-3, 2.5e-4}) {
      Scene scene =
          make_scene("vibrating-plate", {{"count", "1"}, {"amplitude", "0.02"}, {"frequency", std::to_string(frequency)}, {"mu", "0.5"}});
      scene.dt = h;
      Simulation simulation(scene);
      const double omega = 2 * M_PI * frequency, ratio = g / (amplitude * omega * omega);
      double left = 0;
      while (simulation.time() < 1 / frequency && left == 0) {
        ASSERT_TRUE(simulation.step().ok());
        if (force_on(simulation, 1)[2] == 0) left = simulation.time();
      }
      if (ratio > 1) EXPECT_EQ(left, 0);
      else EXPECT_NEAR(left, std::asin(ratio) / omega, 2 * h);
    }
}

TEST(VibratingPlate, CriterionHoldsForAPile) {
  Scene scene = make_scene("vibrating-plate", {{"count", "14"}});
  scene.existence_every = 5;
  scene.tolerance = 1e-5;
  Simulation simulation(scene);
  int verdicts = 0;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = simulation.step();
    if (report.verdict.empty()) continue;
    ++verdicts;
    EXPECT_TRUE(report.verdict.starts_with("guaranteed")) << report.verdict;
  }
  EXPECT_GT(verdicts, 5);
}

// No ball goes through the sheet, most come out at its hole and lie on the ground at the end, which carries them.
TEST(Funnel, BallsRunThroughTheHoleOnly) {
  Scene scene = make_scene("funnel", {{"count", "12"}});
  scene.existence_every = 10;
  Simulation simulation(scene);
  const Shape& sheet = scene.bodies[1].shape;
  const std::size_t ring = sheet.points.size() / 2;
  const double bottom = scene.bodies[1].pose.position[2], height = sheet.points[ring][2];
  const double hole = std::hypot(sheet.points[0][0], sheet.points[0][1]), top = std::hypot(sheet.points[ring][0], sheet.points[ring][1]);
  while (simulation.time() < scene.duration - 1e-9) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    if (!report.verdict.empty()) {
      EXPECT_TRUE(report.verdict.starts_with("guaranteed")) << report.verdict;
    }
    for (int k = 2; k < static_cast<int>(scene.bodies.size()); ++k) {
      const Vec3 p = simulation.body(k).centre;
      const double above = p[2] - bottom;
      if (above > 0 && above < height) {
        EXPECT_LT(std::hypot(p[0], p[1]), hole + (top - hole) * above / height) << k;
      }
    }
  }
  int below = 0;
  for (int k = 2; k < static_cast<int>(scene.bodies.size()); ++k) below += simulation.body(k).centre[2] < bottom;
  EXPECT_GE(below, 8);
}

// The wall drags the balls to the side it moves to: to the left or to the right with the sense of the rotation, nowhere without friction.
// What the drum gives is what friction and impacts take and the balls keep.
TEST(RotatingDrum, LiftsTheBallsToTheSideItTurnsTo) {
  for (const double rate : {30.0, -30.0, 0.0}) {
    Scene scene = make_scene("rotating-drum", {{"count", "20"}, {"rate", std::to_string(rate)}});
    scene.slop = std::numeric_limits<double>::infinity();  // a projection moves balls and with them their potential energy
    Simulation simulation(scene);
    const double inner = scene.bodies[0].pose.position[2], start = simulation.energy().total();
    double side = 0;
    int samples = 0;
    while (simulation.time() < 3 - 1e-9) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      double x = 0;
      for (int k = 3; k < static_cast<int>(scene.bodies.size()); ++k) {
        const Vec3 p = simulation.body(k).centre;
        EXPECT_LT(std::hypot(p[0], p[2] - inner), 1.02 * inner);
        x += p[0] / 20;
      }
      if (simulation.time() > 1.5) {
        side += x;
        ++samples;
      }
    }
    side /= samples * inner;
    if (rate == 0) EXPECT_LT(std::abs(side), 0.05);
    else EXPECT_GT(rate > 0 ? -side : side, 0.15);
    const Energy e = simulation.energy();
    if (rate == 0) EXPECT_EQ(e.driven, 0);
    else EXPECT_GT(e.driven, 0);
    // θ = 1 takes ½ m g² h² in every step of free flight: the balance is an inequality.
    EXPECT_LE(e.total() + e.friction + e.impact - e.driven, start + 1e-3 * std::abs(start));
  }
}

// The row of balls is as long as the gap less 1 cm. Each plate moves by A sin(2πt), A = 0.2/(4π): the row is tight from asin(5 mm/A)/2π on, no
// solution is guaranteed while it is squeezed and straight, and one is again when the plates part. A row out of line gives way to the side; when rounding
// brings it there depends on the iterates of steps that have no solution.
TEST(TwoExternalObjects, VerdictFollowsThePlates) {
  Scene scene = make_scene("two-external-objects");
  scene.max_iterations = 200;
  Simulation simulation(scene);
  const double amplitude = 0.2 / (4 * M_PI), tight = std::asin(0.005 / amplitude) / (2 * M_PI);
  bool straight = true;
  int squeezed = 0;
  for (int k = 0; k < 200; ++k) {
    const double t = simulation.time();  // of the velocities of this step
    const Vec3 a = simulation.body(3).centre, b = simulation.body(4).centre;
    straight = straight && std::hypot(b[1] - a[1], b[2] - a[2]) < 3e-4 * std::abs(b[0] - a[0]);
    const StepReport report = simulation.step();
    const bool guaranteed = report.verdict.starts_with("guaranteed");
    if (t < tight - 2 * scene.dt) {
      EXPECT_TRUE(guaranteed) << t;
    } else if (t > tight + 2 * scene.dt && t < 0.25 - 2 * scene.dt) {
      EXPECT_FALSE(guaranteed && straight) << t;
      squeezed += straight;
    } else if (t > 0.25 + 2 * scene.dt && t < 0.7) {
      EXPECT_TRUE(guaranteed) << t;
    }
  }
  EXPECT_GE(squeezed, 4);
}

// Steps without a solution go on with the best iterate there is: never with one that turns a squeeze of 0.1 m/s into an explosion.
TEST(TwoExternalObjects, StepsWithoutSolutionDoNotExplode) {
  Simulation simulation(make_scene("two-external-objects"));
  int unsolved = 0;
  for (int k = 0; k < 20; ++k) unsolved += simulation.step().ok() ? 0 : 1;
  EXPECT_GT(unsolved, 3);
  EXPECT_LT(simulation.energy().kinetic, 1);
}

TEST(CrushedBall, IsProvedImpossible) {
  for (const double speed : {0.25, 0.5}) {
    Simulation simulation(make_scene("crushed-ball", {{"speed", std::to_string(speed)}}));
    StepReport report;
    do report = simulation.step();
    while (report.ok() && simulation.time() < 0.5);
    EXPECT_FALSE(report.ok());
    EXPECT_EQ(report.verdict, "impossible");
    EXPECT_NEAR(simulation.time(), 0.1 / speed, 2 * simulation.scene().dt);  // the plate has come down to the ball
    EXPECT_EQ(simulation.problem().contacts(), 2);
  }
}

// At rest the ground carries the weight of all bodies, and walls push against each other.
void settles(const std::string& name, const OptionTexts& settings, double time, bool walls) {
  Scene scene = make_scene(name, settings);
  scene.solver.clear();
  Simulation simulation(scene);
  const double start = simulation.energy().total();
  while (simulation.time() < time) simulation.step();
  Vec3 fixed{};
  double vertical = 0;
  int steps = 0;
  for (; steps < 50; ++steps) {  // a mean: single reactions jump while the last bodies turn
    ASSERT_TRUE(simulation.step().ok());
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      if (scene.bodies[k].kind != BodyKind::fixed) continue;
      const Vec3 f = force_on(simulation, static_cast<int>(k));
      for (int i = 0; i < 3; ++i) fixed[i] += f[i];
    }
  }
  const double weight = total_mass(simulation) * g;
  vertical = -fixed[2] / steps;
  EXPECT_NEAR(vertical, weight, 0.01 * weight) << name;
  EXPECT_NEAR(fixed[0] / steps, 0, 0.01 * weight) << name;
  EXPECT_NEAR(fixed[1] / steps, 0, 0.01 * weight) << name;
  EXPECT_LT(simulation.energy().total(), start);
  if (walls) {  // without them bodies roll on
    EXPECT_LT(simulation.energy().kinetic, 1e-3 * start) << name;
  }
}

TEST(Settling, SpheresInABox) { settles("spheres-in-box", {{"count", "40"}}, 2, true); }
TEST(Settling, Capsules) { settles("capsules", {{"count", "10"}}, 3, false); }
TEST(Settling, Beads) { settles("beads", {{"count", "30"}, {"width", "0.8"}}, 4, true); }

}  // namespace
}  // namespace cornet::sim
