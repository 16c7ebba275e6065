// Things that must stand, slide or fall: an arch, a house of cards, a block just below the friction angle, a sliding cube, dominoes, a table on
// many legs, towers and walls; and the balance of energy over many steps.
#include <gtest/gtest.h>

#include <cmath>

#include "support/simulations.h"

namespace cornet::sim {
namespace {

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

TEST(Stacks, DominoesFallInTurn) {
  Scene scene = make_scene("dominoes", {{"count", "6"}});
  scene.tolerance = 1e-6;
  Simulation simulation(scene);
  std::vector<double> fell(7, 0);
  while (simulation.time() < 1.5 - 1e-9) {
    ASSERT_TRUE(simulation.step().ok());
    for (int k = 1; k <= 6; ++k)
      if (fell[k] == 0 && std::abs(simulation.body(k).pose.orientation[0]) < std::cos(0.15)) fell[k] = simulation.time();  // leans by 0.3
  }
  for (int k = 1; k <= 6; ++k) {
    EXPECT_GT(fell[k], k > 1 ? fell[k - 1] : 0) << k;  // none stands upright any more, and none fell before its neighbour
    EXPECT_LT(simulation.body(k).centre[2], 0.08) << k;
  }
  // Without the push nothing happens.
  scene.bodies[1].velocity = scene.bodies[1].spin = {0, 0, 0};
  Simulation still(scene);
  ASSERT_TRUE(run_until(still, 0.5));
  EXPECT_LT(drift(still, scene), 1e-6);
}

// Every leg is one contact: 3 legs determine their reactions up to the friction forces, 6 do not.
TEST(Stacks, RedundantStandReportsThatItsReactionsAreNotUnique) {
  for (const char* mu : {"0.6", "0"})
    for (const int legs : {3, 6}) {
      Simulation simulation(make_scene("redundant-stand", {{"legs", std::to_string(legs)}, {"mu", mu}}));
      const double weight = simulation.mass(1) * 9.81;
      for (int k = 0; k < 5; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report.ok());
        EXPECT_EQ(report.contacts, legs);
        // Equations: three for the normal reactions (weight, two moments); with friction six for three components each.
        EXPECT_EQ(report.redundant, mu == std::string("0") ? legs - 3 : 3 * legs - 6);
        EXPECT_NEAR(force_on(simulation, 1)[2], weight, 1e-6 * weight);
        EXPECT_NEAR(force_on(simulation, 1)[0], 0, 1e-6 * weight);
      }
      EXPECT_LT(drift(simulation, simulation.scene()), 1e-8);
    }
}

TEST(Stacks, EveryCubeOfATowerCarriesTheWeightAboveIt) {
  Simulation simulation(make_scene("boxes-stack", {{"boxes", "15"}, {"towers", "3"}}));
  ASSERT_TRUE(run_until(simulation, 1));
  const double weight = simulation.mass(1) * 9.81;
  for (int level = 0; level < 5; ++level)
    for (int tower = 0; tower < 3; ++tower) {
      const int cube = 1 + 3 * level + tower, below = level > 0 ? cube - 3 : 0;
      double force = 0;
      for (const Contact& c : simulation.contacts())
        if (std::minmax(c.a, c.b) == std::minmax(cube, below)) force += (c.a == cube ? 1 : -1) * c.reaction[2] / simulation.scene().dt;
      EXPECT_NEAR(force, (5 - level) * weight, 1e-5 * weight) << cube;
    }
}

// A tower and a wall stand for themselves; a ball that hits them brings its momentum, and the ground alone takes it away.
TEST(Stacks, TowerAndWallStandAndTakeTheMomentumOfABall) {
  for (const auto& [name, settings] :
       {std::pair<std::string, OptionTexts>{"kaplas-tower", {{"levels", "6"}}}, {"brick-wall", {{"rows", "3"}, {"columns", "3"}}}}) {
    OptionTexts quiet = settings;
    quiet["speed"] = "0";
    const Scene scene = make_scene(name, quiet);
    Simulation still(scene);
    ASSERT_TRUE(run_until(still, 1));
    EXPECT_LT(drift(still, scene), 1e-6) << name;
    EXPECT_NEAR(-force_on(still, 0)[2], total_mass(still) * 9.81, 1e-5 * total_mass(still) * 9.81) << name;

    Scene hit = make_scene(name, settings);
    hit.tolerance = 1e-6;
    Simulation simulation(hit);
    const double ball = simulation.mass(static_cast<int>(hit.bodies.size()) - 1);
    Vec3 expected = momentum(simulation);
    const double scale = std::hypot(expected[0], expected[1], expected[2]);
    bool struck = false;
    while (simulation.time() < 0.5) {
      ASSERT_TRUE(simulation.step().ok());
      const Vec3 ground = force_on(simulation, 0), now = momentum(simulation);
      for (int i = 0; i < 3; ++i) {
        expected[i] += hit.dt * (-ground[i] + (i == 2 ? -9.81 * total_mass(simulation) : 0));
        EXPECT_NEAR(now[i], expected[i], 1e-9 * scale) << name;
      }
      struck |= drift(simulation, hit) > 0 && std::hypot(now[0], now[1]) < 0.9 * scale;
    }
    EXPECT_TRUE(struck) << name;
    EXPECT_GT(ball, 0);
  }
}

// 10 000 steps of beads that fall and come to rest. With θ = ½ and no projection the balance closes to the tolerance. Without restitution the
// energy never grows. With restitution and no friction it grows by at most ¼ m g² h² per step and body: a body that rises slowly from an impact
// is held back one step later at velocity zero, half a step higher. With both, Newton's law itself may raise it.
void energy_statement(const char* count, const char* width, double restitution, double mu) {
  Scene scene =
      make_scene("beads", {{"count", count}, {"width", width}, {"restitution", std::to_string(restitution)}, {"mu", std::to_string(mu)}});
  scene.theta = 0.5;
  scene.dt = 0.002;
  scene.tolerance = 1e-8;
  scene.slop = std::numeric_limits<double>::infinity();  // a projection moves bodies and with them their potential energy
  Simulation simulation(scene);
  const double start = simulation.energy().total(), mass = total_mass(simulation);
  const double growth = restitution > 0 ? 0.25 * mass * 9.81 * 9.81 * scene.dt * scene.dt : 0;
  double before = start, worst = 0;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(simulation.step().ok()) << k;
    const Energy e = simulation.energy();
    if (restitution == 0 || mu == 0) {
      ASSERT_LE(e.total(), before + growth + 1e-6 * std::abs(start)) << k;
    }
    worst = std::max(worst, std::abs(e.total() + e.friction + e.impact - start));
    before = e.total();
  }
  EXPECT_LT(worst, 1e-6 * start);
  const Energy e = simulation.energy();
  if (mu > 0) EXPECT_GT(e.friction, 0);
  else EXPECT_NEAR(e.friction, 0, 1e-9 * start);
  EXPECT_GT(e.impact, 0);
  EXPECT_LT(e.total(), start);
}

TEST(Energy, TenThousandStepsWithoutRestitution) { energy_statement("20", "0.9", 0, 0.3); }
TEST(Energy, TenThousandStepsWithRestitution) { energy_statement("20", "0.9", 0.5, 0); }
TEST(Energy, TenThousandStepsWithRestitutionAndFriction) { energy_statement("8", "0.6", 0.5, 0.3); }

}  // namespace
}  // namespace cornet::sim
