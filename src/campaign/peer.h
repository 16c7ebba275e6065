// Programs outside that take part in campaigns through files:
//
//   COMMAND --problem FILE --form local|global --tol T --time-limit S --answer OUT.json
//
// writes OUT.json with r (array, m numbers) and, if it likes, time (seconds of the solve alone), iterations, converged, status
// ("unsupported" when it cannot take the problem), message, version. The harness certifies r, as it does for our own solvers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cornet::campaign {

constexpr std::string_view kSiconosPrefix = "siconos:";

/// The folder of the running program.
std::string program_folder();

/// Finds a program by path, beside ours, or in PATH; empty when there is none.
std::string find_program(const std::string& name);

/// The command of "siconos:NAME". Throws InvalidOption when cornet-siconos is not there or does not know the name.
std::vector<std::string> siconos_command(const std::string& id);

/// All ids "siconos:NAME"; empty when cornet-siconos is not there.
std::vector<std::string> siconos_ids();

}  // namespace cornet::campaign
