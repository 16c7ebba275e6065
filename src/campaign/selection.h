// The records of a campaign as a table of instances × solvers.
#pragma once

#include <string>
#include <vector>

#include "cornet/profile.h"

namespace cornet::campaign {

/// Records arranged: rows are instances (problem × tolerance) on which every solver ran.
struct Table {
  std::vector<std::string> solvers;   ///< labels, as they first appear
  std::vector<std::string> families;  ///< of the solvers
  std::vector<std::vector<const Record*>> rows;
  long selected = 0, superseded = 0, incomplete = 0;
  std::vector<std::string> notes;
};

/// Throws InvalidOption when nothing is left.
Table arrange(const std::vector<Record>& records, const Selection& selection);

/// Cost of a solved run in the measure, at least what the measure can tell apart; ∞ when it is not solved, NaN when it was not counted.
double cost(const Record& record, Measure by);

/// * and ?.
bool matches(const std::string& pattern, const std::string& text);

/// Shift of the geometric means.
double shift_of(Measure by);

}  // namespace cornet::campaign
