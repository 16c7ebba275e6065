// The commands of `cornet bench`.
#pragma once

#include "cli/command.h"

namespace cornet::cli {

void add_bench_run(CLI::App& bench, Command& command);
void add_bench_profile(CLI::App& bench, Command& command);
void add_bench_report(CLI::App& bench, Command& command);
void add_bench_merge(CLI::App& bench, Command& command);

/// A campaign specification that comes with the program.
struct ShippedSpec {
  std::string name;
  std::string text;  ///< JSON
};
const std::vector<ShippedSpec>& shipped_specs();

/// "1e-4,1e-8" and "a,b" at the commas. Throws UsageError when a part is empty.
std::vector<std::string> parse_list(const std::string& option, const std::string& text);

/// Numbers in (0, 1]. Throws UsageError.
std::vector<double> parse_tolerances(const std::string& option, const std::string& text);

}  // namespace cornet::cli
