// Reads an FCLIB file and, if it is good, writes it and reads it again: nothing may change. Whether it is good.
#pragma once

#include <string>

#include "cornet/io.h"

namespace cornet::fuzz {

bool check_fclib(const std::string& path, ProblemFile (*read)(const std::string& path));

}  // namespace cornet::fuzz
