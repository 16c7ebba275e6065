// The scene "hertz" against the force of the theory.
#pragma once

#include "support/simulations.h"

namespace cornet::sim {

/// Relative error of the force with so many elements along the contact radius. Quasi-static: one step does.
inline double hertz_error(int elements) {
  const double radius = 2, depth = 0.02, young = 1e6, poisson = 0.3;
  Scene scene = make_scene("hertz", {{"elements", std::to_string(elements)}, {"radius", "2"}, {"depth", "0.02"}});
  scene.dt = 1;
  Simulation simulation(scene);
  EXPECT_TRUE(run_until(simulation, 1));
  const double theory = 4.0 / 3 * young / (1 - poisson * poisson) * std::sqrt(radius) * std::pow(depth, 1.5);
  return std::abs(force_on(simulation, 0)[2] - theory) / theory;
}

}  // namespace cornet::sim
