// Scenes that a fuzz target sets up: a legal scene may ask for millions of elements, which is a run and no test of a reader.
#pragma once

#include "cornet/sim_scene.h"

namespace cornet::fuzz {

inline bool small(const sim::Scene& scene) {
  double elements = 0;
  for (const sim::Solid& s : scene.solids) {
    if (!s.mesh.empty()) return false;  // another file; gmsh.cc
    elements += 1.0 * s.divisions[0] * s.divisions[1] * s.divisions[2];
    if (s.form != "block") elements += 6.0 * s.divisions[0] * s.divisions[0] * s.divisions[1];
  }
  return elements <= 100;
}

}  // namespace cornet::fuzz
