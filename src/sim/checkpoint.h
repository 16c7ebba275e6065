// The state of a world as bytes: everything that the next step depends on, exactly.
#pragma once

#include <string>

#include "sim/world.h"

namespace cornet::sim {

std::string save(const World& world);
void load(const std::string& bytes, World& world);

}  // namespace cornet::sim
