// What the tests of the simulator share: running a scene, and sums over its bodies and contacts.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "cornet/sim.h"
#include "cornet/sim_library.h"

namespace cornet::sim {

/// Steps until `time`; false when a step fails, and then the test has failed too.
inline bool run_until(Simulation& simulation, double time) {
  while (simulation.time() < time - 1e-9)
    if (const StepReport report = simulation.step(); !report.ok()) {
      ADD_FAILURE() << simulation.scene().name << ", step " << report.step << ": " << report.message;
      return false;
    }
  return true;
}

/// To the end of the scene.
inline bool run(Simulation& simulation) { return run_until(simulation, simulation.scene().duration); }

/// Largest way of a body from where it started.
inline double drift(const Simulation& now, const Scene& start) {
  double out = 0;
  for (std::size_t k = 0; k < start.bodies.size(); ++k) {
    const Vec3 p = now.body(static_cast<int>(k)).pose.position, q = start.bodies[k].pose.position;
    out = std::max(out, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return out;
}

/// Force of the contacts on a body during the last step.
inline Vec3 force_on(const Simulation& simulation, int body) {
  Vec3 out{};
  for (const Contact& c : simulation.contacts())
    for (int k = 0; k < 3; ++k) out[k] += ((c.a == body) - (c.b == body)) * c.reaction[k] / simulation.scene().dt;
  return out;
}

inline double total_mass(const Simulation& simulation) {
  double out = 0;
  for (std::size_t k = 0; k < simulation.scene().bodies.size(); ++k)
    if (simulation.scene().bodies[k].kind == BodyKind::dynamic) out += simulation.mass(static_cast<int>(k));
  return out;
}

/// Σ m v of the bodies that move by themselves.
inline Vec3 momentum(const Simulation& simulation) {
  Vec3 out{};
  for (std::size_t k = 0; k < simulation.scene().bodies.size(); ++k)
    if (simulation.scene().bodies[k].kind == BodyKind::dynamic)
      for (int i = 0; i < 3; ++i) out[i] += simulation.mass(static_cast<int>(k)) * simulation.body(static_cast<int>(k)).velocity[i];
  return out;
}

}  // namespace cornet::sim
