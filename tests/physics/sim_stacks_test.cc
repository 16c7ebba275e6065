// Things that must stand, slide or fall: an arch, a house of cards, a block just below the friction angle, a sliding cube, a crushed ball.
#include <gtest/gtest.h>

#include <cmath>

#include "cornet/sim.h"
#include "cornet/sim_library.h"

namespace cornet::sim {
namespace {

double drift(const Simulation& now, const Scene& start) {
  double out = 0;
  for (std::size_t k = 0; k < start.bodies.size(); ++k) {
    const Vec3 p = now.body(static_cast<int>(k)).pose.position, q = start.bodies[k].pose.position;
    out = std::max(out, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return out;
}

// Runs to the end of the scene; false when a step fails.
bool run(Simulation& simulation) {
  const long steps = std::lround(simulation.scene().duration / simulation.scene().dt);
  while (simulation.steps() < steps)
    if (const StepReport report = simulation.step(); !report.ok()) {
      ADD_FAILURE() << report.step << ": " << report.message;
      return false;
    }
  return true;
}

TEST(Stacks, ArchStandsTenSeconds) {
  const Scene scene = make_scene("arch", {{"blocks", "20"}, {"mu", "0.8"}});
  Simulation simulation(scene);
  ASSERT_TRUE(run(simulation));
  EXPECT_NEAR(simulation.time(), 10, 1e-9);
  EXPECT_LT(drift(simulation, scene), 1e-3);
}

TEST(Stacks, ArchWithLittleFrictionFalls) {
  Scene scene = make_scene("arch", {{"mu", "0.15"}});
  scene.duration = 1.5;
  scene.tolerance = 1e-5;
  scene.on_failure = FailurePolicy::retry;
  Simulation simulation(scene);
  while (simulation.time() < scene.duration - 1e-9) simulation.step();
  EXPECT_GT(drift(simulation, scene), 0.3);
}

TEST(Stacks, CardHouseOfThreeLevelsStandsTenSeconds) {
  const Scene scene = make_scene("card-house", {{"levels", "3"}});
  Simulation simulation(scene);
  ASSERT_TRUE(run(simulation));
  EXPECT_NEAR(simulation.time(), 10, 1e-9);
  EXPECT_LT(drift(simulation, scene), 1e-3);
}

TEST(Stacks, BlockBelowTheFrictionAngleDoesNotCreep) {
  const Scene scene = make_scene("ramp");
  Simulation simulation(scene);
  ASSERT_TRUE(run(simulation));
  EXPECT_NEAR(simulation.time(), 60, 1e-9);
  EXPECT_LT(drift(simulation, scene), 1e-6);
}

TEST(Stacks, SlidingCubeNeverLifts) {
  Scene scene = make_scene("sliding-cube");
  Simulation simulation(scene);
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_LT(std::abs(simulation.body(1).centre[2] - 0.15), 1e-6);
  }
}

TEST(Stacks, RestingCubeCostsNoIterationsAfterTheFirstStep) {
  Simulation simulation(make_scene("resting-cube"));
  simulation.step();
  long iterations = 0;
  for (int k = 0; k < 50; ++k) iterations += simulation.step().iterations;
  EXPECT_EQ(iterations, 0);
}

TEST(Stacks, CrushedBallIsProvedImpossible) {
  Simulation simulation(make_scene("crushed-ball"));
  StepReport report;
  do report = simulation.step();
  while (report.ok() && simulation.time() < 0.5);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.verdict, "impossible");
  EXPECT_NEAR(simulation.time(), 0.2, 0.02);  // the plate has come down to the ball
  EXPECT_EQ(simulation.problem().contacts(), 2);
}

TEST(Stacks, DominoesFallInTurn) {
  Scene scene = make_scene("dominoes", {{"count", "6"}});
  scene.tolerance = 1e-6;
  Simulation simulation(scene);
  while (simulation.time() < 1.5) simulation.step();
  for (int k = 1; k <= 6; ++k) {  // none stands upright any more
    const auto q = simulation.body(k).pose.orientation;
    EXPECT_LT(std::abs(q[0]), std::cos(0.3)) << k;
  }
}

TEST(Stacks, EnergyNeverGrowsAndIsAccountedFor) {
  Scene scene = make_scene("beads", {{"count", "20"}, {"width", "0.9"}, {"restitution", "0"}});
  scene.theta = 0.5;  // with Newton's restitution and friction together energy may grow: e = 0
  scene.dt = 0.002;
  scene.tolerance = 1e-8;
  scene.slop = std::numeric_limits<double>::infinity();  // a projection moves bodies and with them their potential energy
  Simulation simulation(scene);
  const double start = simulation.energy().total();
  double before = start;
  for (int k = 0; k < 10000; ++k) {
    const StepReport report = simulation.step();
    const Energy e = simulation.energy();
    ASSERT_LE(e.total(), before + 1e-6 * std::abs(start)) << k;
    before = e.total();
  }
  const Energy e = simulation.energy();
  EXPECT_NEAR(e.total() + e.friction + e.impact, start, 1e-6 * start);
  EXPECT_GT(e.friction, 0);
  EXPECT_GT(e.impact, 0);
}

}  // namespace
}  // namespace cornet::sim
