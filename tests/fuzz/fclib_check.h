// Reads an FCLIB file and, if it is good, writes it and reads it again: nothing may change.
#pragma once

#include <string>

namespace cornet::fuzz {

void check_fclib(const std::string& path);

}  // namespace cornet::fuzz
