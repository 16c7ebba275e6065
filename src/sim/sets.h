// The runs that a test set is taken from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/library.h"

namespace cornet::sim {

struct SetRun {
  Scene scene;
  long first, last;  ///< steps
};

std::vector<SetRun> set_runs(const std::string& name, std::uint64_t seed);

// Scenes that only the sets use.
Scene aqueduct(std::uint64_t seed);
Scene low_wall(std::uint64_t seed);
Scene grains_in_box(int count, double mu, std::uint64_t seed);
Scene spheres_under_plates(int count, int plates, double mu, std::uint64_t seed);
Scene chute(int count, double mu, std::uint64_t seed);
Scene packed_chute(int count, double mu, std::uint64_t seed);

}  // namespace cornet::sim
