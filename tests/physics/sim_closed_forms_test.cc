// Single bodies whose motion is known: free fall, a ball that bounces, a block that slides and stops, a ball that starts to roll, a block on
// a slope. Each at two step sizes, so that the order of the scheme shows.
#include <gtest/gtest.h>

#include <cmath>

#include "support/simulations.h"

namespace cornet::sim {
namespace {

constexpr double g = 9.81;

// A scene of the library with another step length, solved sharply.
Scene scene(const std::string& name, const OptionTexts& settings, double h) {
  Scene s = make_scene(name, settings);
  s.dt = h;
  s.tolerance = 1e-10;
  return s;
}

TEST(ClosedForms, FreeFallIsExactWithThetaOneHalf) {
  for (const double h : {0.01, 0.02}) {
    Scene s = scene("bouncing-ball", {{"height", "9.9"}}, h);
    s.bodies.erase(s.bodies.begin());
    s.bodies[0].velocity = {1, 0, 2};
    Simulation simulation(s);
    const double before = simulation.energy().total();
    ASSERT_TRUE(run_until(simulation, 1));
    const BodyState b = simulation.body(0);
    EXPECT_NEAR(b.centre[0], 1, 1e-12);
    EXPECT_NEAR(b.centre[2], 10 + 2 - g / 2, 1e-12);
    EXPECT_NEAR(simulation.energy().total(), before, 1e-10 * before);
  }
}

TEST(ClosedForms, ReboundsShrinkByTheSquareOfTheRestitution) {
  double last = 0;
  for (const double h : {4e-3, 1e-3}) {
    const double e = 0.8;
    Simulation simulation(scene("bouncing-ball", {{"restitution", "0.8"}, {"height", "1"}}, h));
    std::vector<double> heights;
    double top = 0;
    bool down = true;
    while (heights.size() < 4 && simulation.time() < 10) {
      ASSERT_TRUE(simulation.step().ok());
      const BodyState b = simulation.body(1);
      if (b.velocity[2] > 0) down = false;
      if (!down) top = std::max(top, b.centre[2] - 0.1);
      if (!down && b.velocity[2] < 0) {
        heights.push_back(top);
        top = 0;
        down = true;
      }
    }
    ASSERT_EQ(heights.size(), 4u);
    double worst = std::abs(heights[0] - e * e);
    for (int k = 1; k < 4; ++k) worst = std::max(worst, std::abs(heights[k] / heights[k - 1] - e * e));
    EXPECT_LT(worst, 15 * h);
    if (last > 0) {
      EXPECT_LT(worst, last);
    }
    last = worst;
  }
}

TEST(ClosedForms, SlidingBlockStopsInTimeAndPlace) {
  for (const double h : {0.01, 0.0025}) {
    const double v0 = 2, mu = 0.3;
    Simulation simulation(scene("sliding-block", {{"speed", "2"}, {"mu", "0.3"}}, h));
    double stopped = 0, lifted = 0;
    while (simulation.time() < 1.2) {
      ASSERT_TRUE(simulation.step().ok());
      if (stopped == 0 && simulation.body(1).velocity[0] < 1e-8) stopped = simulation.time();
      lifted = std::max(lifted, std::abs(simulation.body(1).centre[2] - 0.1));
    }
    EXPECT_NEAR(stopped, v0 / (mu * g), 2 * h);
    EXPECT_NEAR(simulation.body(1).centre[0], v0 * v0 / (2 * mu * g), 3 * h);
    EXPECT_LT(lifted, 1e-9);  // exact sliding: a convexified law would lift it by about h·mu·v = 6 mm at the larger step
  }
}

TEST(ClosedForms, ThrownBallRollsAtFiveSeventhsOfItsSpeed) {
  for (const double h : {0.01, 0.0025}) {
    const double v0 = 1.4, mu = 0.2, radius = 0.1;
    Simulation simulation(scene("rolling-sphere", {{"speed", "1.4"}, {"mu", "0.2"}}, h));
    double rolls = 0;
    while (simulation.time() < 1) {
      ASSERT_TRUE(simulation.step().ok());
      const BodyState b = simulation.body(1);
      if (rolls == 0 && std::abs(b.velocity[0] - radius * b.spin[1]) < 1e-6) rolls = simulation.time();
    }
    EXPECT_NEAR(rolls, 2 * v0 / (7 * mu * g), 2 * h);
    EXPECT_NEAR(simulation.body(1).velocity[0], 5.0 / 7 * v0, 1e-6);
  }
}

TEST(ClosedForms, BlockOnSlopeSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double mu = 0.5;
  for (const double share : {0.95, 1.2})
    for (const double h : {0.01, 0.005}) {
      const double slope = std::atan(share * mu), c = std::cos(slope), sn = std::sin(slope);
      const Scene s = scene("block-on-incline", {{"angle", std::to_string(slope * 180 / M_PI)}, {"mu", "0.5"}}, h);
      const Vec3 start = s.bodies[1].pose.position;
      Simulation simulation(s);
      ASSERT_TRUE(run_until(simulation, 1));
      const BodyState state = simulation.body(1);
      const double along = (state.centre[0] - start[0]) * c - (state.centre[2] - start[2]) * sn;
      if (share < 1) {
        EXPECT_LT(std::abs(along), 1e-8);
        const double weight = simulation.mass(1) * g;
        EXPECT_NEAR(force_on(simulation, 1)[2], weight, 1e-6 * weight);
      } else {
        EXPECT_NEAR(along, g * (sn - mu * c) / 2, 1e-6);
      }
    }
}

TEST(ClosedForms, MomentumIsConservedInFreeCollisions) {
  Scene s = scene("bouncing-ball", {}, 0.005);
  const Body ball = s.bodies[1];
  s.bodies.clear();
  s.mu = 0.4;
  s.gravity = {0, 0, 0};
  s.theta = 1;  // then angular momentum survives impacts as well
  s.restitution = 0.6;
  for (int k = 0; k < 12; ++k) {
    Body b = ball;
    const int column = k % 3, row = k / 3 % 2, layer = k / 6;
    b.pose.position = {0.25 * column - 0.25, 0.25 * row, 0.25 * layer};
    b.velocity = {std::sin(3.0 * k), std::cos(2.0 * k), std::sin(5.0 * k)};
    b.name = std::to_string(k);
    b.spin = {std::cos(7.0 * k), 1, -2};
    s.bodies.push_back(b);
  }
  Simulation simulation(s);
  const auto momenta = [&] {
    std::array<double, 6> out{};
    for (int k = 0; k < 12; ++k) {
      const BodyState b = simulation.body(k);
      const double m = simulation.mass(k), J = 0.4 * m * 0.01;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] += m * b.velocity[i];
        out[3 + i] += m * (b.centre[j] * b.velocity[l] - b.centre[l] * b.velocity[j]) + J * b.spin[i];
      }
    }
    return out;
  };
  const auto before = momenta();
  const double energy = simulation.energy().kinetic;
  int contacts = 0;
  for (int k = 0; k < 400; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    contacts += report.contacts;
  }
  EXPECT_GT(contacts, 5);
  const auto after = momenta();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(after[i], before[i], 1e-10 * 12 * simulation.mass(0));
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(after[i], before[i], 1e-10 * 12 * simulation.mass(0));
  const Energy e = simulation.energy();
  EXPECT_LT(e.kinetic, energy);
  EXPECT_NEAR(e.kinetic + e.friction + e.impact, energy, 1e-9 * energy);
}

}  // namespace
}  // namespace cornet::sim
