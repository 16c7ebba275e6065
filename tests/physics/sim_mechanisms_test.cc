// Bodies held by joints, by each other or by a rope, against closed forms and against an integration of their own: a jamming rod, a rope over a
// drum, a hanging chain, the double pendulum of Cadoux.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/simulations.h"

namespace cornet::sim {
namespace {

constexpr double g = 9.81;

struct Rod {
  double mass, inertia, arm, cosine, sine;  // arm: from the centre of mass to the tip
};

Rod rod(const Simulation& simulation, double angle) {
  const BodyState state = simulation.body(1);
  const Vec3 tip = {};
  const double arm = std::hypot(state.centre[0] - tip[0], state.centre[1] - tip[1]);
  // Inertia about the centre of mass from the polygon: tip (0, 0), then a bar of thickness t.
  const double l = 1, t = 0.02, density = 1000;
  const double bar = (l - t) * t, tip_area = t * t / 2, centre_bar = t + (l - t) / 2, centre_tip = 2 * t / 3;
  const double centre = (bar * centre_bar + tip_area * centre_tip) / (bar + tip_area);
  EXPECT_NEAR(arm, centre, 1e-12);
  const double bar_own = bar * ((l - t) * (l - t) + t * t) / 12, tip_own = tip_area * (t * t / 18 + t * t / 24);
  const double inertia = bar_own + bar * std::pow(centre_bar - centre, 2) + tip_own + tip_area * std::pow(centre_tip - centre, 2);
  EXPECT_NEAR(simulation.mass(1), density * (bar + tip_area), 1e-9);
  return {simulation.mass(1), density * inertia, arm, std::cos(angle), std::sin(angle)};
}

// Sliding towards −x: m r_N⁻¹ (u_N⁺ − u_N) = 1 + m a²/J c (c − μ s). Where this is not positive no reaction of a force's size keeps the tip
// above the ground (Painlevé), and it jams: stick by a finite impulse.
TEST(Painleve, TipSlidesWithTheForceOfRigidBodyMechanics) {
  const double angle = M_PI / 6, speed = 3;
  for (const double mu : {0.5, 2.0})
    for (const char* dt : {"0.002", "0.001"}) {
      Scene scene = make_scene("painleve-rod", {{"mu", std::to_string(mu)}});
      scene.dt = std::stod(dt);
      Simulation simulation(scene);
      const Rod r = rod(simulation, angle);
      const double factor = 1 + r.mass * r.arm * r.arm / r.inertia * r.cosine * (r.cosine - mu * r.sine);
      ASSERT_GT(factor, 0);
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(report.slide, 1);
      const double normal = r.mass * g / factor;
      EXPECT_NEAR(force_on(simulation, 1)[1], normal, 1e-6 * normal);
      EXPECT_NEAR(force_on(simulation, 1)[0], mu * normal, 1e-6 * normal);
      EXPECT_NEAR(simulation.body(1).velocity[0], -speed + scene.dt * mu * normal / r.mass, 1e-6);
    }
}

TEST(Painleve, TipJamsInOneStepWhateverItsLength) {
  const double angle = M_PI / 6, speed = 3, mu = 3;
  double impulses[2];
  int which = 0;
  for (const double h : {1e-3, 1e-5}) {
    Scene scene = make_scene("painleve-rod", {{"mu", std::to_string(mu)}});
    scene.dt = h;
    Simulation simulation(scene);
    const Rod r = rod(simulation, angle);
    ASSERT_LT(1 + r.mass * r.arm * r.arm / r.inertia * r.cosine * (r.cosine - mu * r.sine), 0);
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.stick, 1);
    // u = W r + (0 − h g, −speed) = 0 with W of the tip, tangent (x) and normal (y).
    const double px = -r.arm * r.cosine, py = -r.arm * r.sine;
    Eigen::Matrix2d W;
    W << 1 / r.mass + py * py / r.inertia, -px * py / r.inertia, -px * py / r.inertia, 1 / r.mass + px * px / r.inertia;
    const Eigen::Vector2d impulse = W.llt().solve(Eigen::Vector2d(speed, h * g));
    EXPECT_NEAR(force_on(simulation, 1)[0] * h, impulse[0], 1e-6 * impulse[0]);
    EXPECT_NEAR(force_on(simulation, 1)[1] * h, impulse[1], 1e-6 * impulse[0]);
    impulses[which++] = force_on(simulation, 1)[1] * h;
  }
  EXPECT_NEAR(impulses[0], impulses[1], 0.01 * impulses[1]);  // an impact, not a force
}

// A rope over half a turn holds weights up to the ratio exp(μπ). Links of a finite length hold about 0.9/n less (n links on the half circle): the
// limit lies between 1 − 1.2/n and 1 − 0.5/n of it, at two n.
TEST(Capstan, HoldsUpToTheExponentialOfTheAngle) {
  const double limit = std::exp(0.3 * M_PI);
  for (const int links : {12, 24})
    for (const double less : {1.2, 0.5}) {
      Simulation simulation(
          make_scene("capstan", {{"links", std::to_string(links)}, {"mu", "0.3"}, {"ratio", std::to_string(limit * (1 - less / links))}}));
      const int weight = static_cast<int>(simulation.scene().bodies.size()) - 1;
      const double start = simulation.body(weight).centre[1];
      ASSERT_TRUE(run_until(simulation, 0.3));
      const double fallen = start - simulation.body(weight).centre[1];
      if (less > 1) EXPECT_LT(fallen, 1e-5) << links;
      else EXPECT_GT(fallen, 1e-3) << links;
    }
}

// Slipping, the weights accelerate by g (m₂ − κ m₁)/(m₂ + κ m₁), κ = exp(μπ), for a rope without mass.
TEST(Capstan, SlipsWithTheAccelerationOfTwoWeights) {
  const double limit = std::exp(0.3 * M_PI), share = 1.6, exact = g * (share - 1) / (share + 1);
  double error[2];
  int which = 0;
  for (const char* links : {"12", "24"}) {
    Simulation simulation(make_scene("capstan", {{"links", links}, {"mu", "0.3"}, {"ratio", std::to_string(share * limit)}}));
    const int weight = static_cast<int>(simulation.scene().bodies.size()) - 1;
    ASSERT_TRUE(run_until(simulation, 0.1));
    const double before = simulation.body(weight).velocity[1];
    ASSERT_TRUE(run_until(simulation, 0.3));
    error[which++] = std::abs((before - simulation.body(weight).velocity[1]) / 0.2 - exact) / exact;
  }
  EXPECT_LT(error[1], 0.1);
  EXPECT_LT(error[1], 0.7 * error[0]);
}

TEST(Chain, EveryLinkCarriesTheWeightBelowIt) {
  Simulation simulation(make_scene("chain", {{"links", "10"}, {"speed", "0"}}));
  ASSERT_TRUE(run_until(simulation, 2));
  double below = 0;
  for (int link = 10; link >= 1; --link) {
    below += simulation.mass(link) * g;
    double force = 0;
    for (const Contact& c : simulation.contacts()) {
      if (std::max(c.a, c.b) != link) continue;
      force += (c.a == link ? 1 : -1) * c.reaction[2] / simulation.scene().dt;
    }
    EXPECT_NEAR(force, below, 1e-6 * below) << link;
  }
}

// The double pendulum in angles, integrated by Runge and Kutta with its events: flight, plastic impact of the foot with friction, sliding
// (normal acceleration zero), lift-off. Independent of the simulator: no contact solver, no joints.
class Pendulum {
 public:
  using V = Eigen::Vector2d;
  V q{0.9, 0.9}, v{0, 0};
  bool on_floor = false;
  int impacts = 0, slides = 0;

  static V foot(const V& q) { return {std::sin(q[0]) + 2 * std::sin(q[1]), -std::cos(q[0]) - 2 * std::cos(q[1])}; }

  void step(double h) {
    const V before_q = q, before_v = v;
    integrate(h);
    if (!on_floor && foot(q)[1] < kFloor) {
      // Back to the moment of the impact.
      double low = 0, high = h;
      for (int k = 0; k < 50; ++k) {
        const double middle = (low + high) / 2;
        q = before_q;
        v = before_v;
        integrate(middle);
        (foot(q)[1] < kFloor ? high : low) = middle;
      }
      impact();
      integrate(h - high);
    } else if (on_floor) {
      ++slides;
      if (normal_force() < 0) on_floor = false;
    }
  }

 private:
  static constexpr double kFloor = -2.6, kMu = 0.01;

  static Eigen::Matrix2d mass(const V& q) {
    const double c = 2 * std::cos(q[0] - q[1]);
    return (Eigen::Matrix2d() << 2, c, c, 4).finished();
  }
  static V normal(const V& q) { return {std::sin(q[0]), 2 * std::sin(q[1])}; }
  static V tangent(const V& q) { return {std::cos(q[0]), 2 * std::cos(q[1])}; }
  static V force(const V& q, const V& v) {
    const double s = 2 * std::sin(q[0] - q[1]);
    return V(-2 * g * std::sin(q[0]) - s * v[1] * v[1], -2 * g * std::sin(q[1]) + s * v[0] * v[0]);
  }
  // Friction opposes the slip; n and t as one direction.
  static V pushed(const V& q, const V& v) { return normal(q) - kMu * (tangent(q).dot(v) > 0 ? 1 : -1) * tangent(q); }
  // n·a + ṅ·v = 0.
  static double normal_force(const V& q, const V& v) {
    const Eigen::Matrix2d inverse = mass(q).inverse();
    const V n_dot(std::cos(q[0]) * v[0], 2 * std::cos(q[1]) * v[1]);
    return -(normal(q).dot(inverse * force(q, v)) + n_dot.dot(v)) / normal(q).dot(inverse * pushed(q, v));
  }
  double normal_force() const { return normal_force(q, v); }
  V acceleration(const V& at, const V& speed) const {
    V f = force(at, speed);
    if (on_floor) f += normal_force(at, speed) * pushed(at, speed);
    return mass(at).inverse() * f;
  }
  void integrate(double h) {
    const V a1 = acceleration(q, v), v2 = v + h / 2 * a1, a2 = acceleration(q + h / 2 * v, v2);
    const V v3 = v + h / 2 * a2, a3 = acceleration(q + h / 2 * v2, v3), v4 = v + h * a3, a4 = acceleration(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  void impact() {
    const Eigen::Matrix2d inverse = mass(q).inverse();
    const V n = normal(q), d = pushed(q, v);
    v -= n.dot(v) / n.dot(inverse * d) * (inverse * d);
    on_floor = true;
    ++impacts;
  }
};

TEST(DoublePendulum, FollowsTheEventDrivenMotion) {
  // From right to left and back, with the foot sliding on the floor (Cadoux, Fig. 5).
  const double until = 2.4, sample = 0.2;
  std::vector<Pendulum::V> reference;
  Pendulum exact;
  const double fine = 2e-5;
  const int per_sample = static_cast<int>(std::lround(sample / fine));
  double leftmost = 0;
  for (int k = 1; k <= static_cast<int>(std::lround(until / fine)); ++k) {
    exact.step(fine);
    leftmost = std::min(leftmost, Pendulum::foot(exact.q)[0]);
    if (k % per_sample == 0) reference.push_back(Pendulum::foot(exact.q));
  }
  EXPECT_LT(leftmost, -1);
  EXPECT_GE(exact.impacts, 1);
  EXPECT_GT(exact.slides, 1000);
  double error[2] = {0, 0};
  int which = 0;
  for (const double h : {2e-3, 5e-4}) {
    Scene scene = make_scene("double-pendulum");
    scene.dt = h;
    Simulation simulation(scene);
    for (std::size_t k = 0; k < reference.size(); ++k) {
      ASSERT_TRUE(run_until(simulation, sample * static_cast<double>(k + 1)));
      const Vec3 foot = simulation.body(2).centre;
      error[which] = std::max(error[which], std::hypot(foot[0] - reference[k][0], foot[1] - reference[k][1]));
    }
    ++which;
  }
  EXPECT_LT(error[0], 0.05);
  EXPECT_LT(error[1], 0.4 * error[0]);  // first order: a quarter
}

}  // namespace
}  // namespace cornet::sim
