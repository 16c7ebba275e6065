// `cornet --version`: the version, and with --verbose what the program is made of.
#pragma once

namespace cornet::cli {

void print_version(bool verbose, bool json);

}  // namespace cornet::cli
