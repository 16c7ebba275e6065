// The small experiments of the papers and the closed forms of mechanics, each run by name: what is expected, what was found, and the figure
// that the paper draws. Nothing here reads or writes files; a caller stores the figures where it likes.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "cornet/export.h"

namespace cornet {

struct Experiment {
  std::string name;
  std::string seed;  ///< where it comes from: paper, section and figure, or "mechanics" for a closed form
  std::string what;  ///< one sentence
};

/// All experiments, in the order in which people see them.
CORNET_API const std::vector<Experiment>& experiments();

/// A yes or no, a number, or words.
using ReportValue = std::variant<bool, double, std::string>;

/// One comparison. `relation` is "=", "≤", "≥", "<" or ">", read as: found RELATION expected.
struct ReportRow {
  std::string what;
  std::string relation;
  ReportValue expected;
  ReportValue found;
  double tolerance = std::numeric_limits<double>::quiet_NaN();  ///< numbers with "=": |found − expected| ≤ tolerance
  bool ok = false;
};

/// Numbers that are not compared: the paper's beside ours.
struct ReportTable {
  std::string title;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

struct ReportFigure {
  std::string file;     ///< a name without folder, for example "bead-landscape.svg"
  std::string caption;  ///< one sentence
  std::string content;  ///< of the file
};

struct CORNET_API Report {
  Experiment experiment;
  std::vector<ReportRow> rows;
  std::vector<ReportTable> tables;
  std::vector<ReportFigure> figures;
  double time = 0;  ///< seconds

  bool ok() const;  ///< there are rows and every one holds
};

/// Runs one experiment. Throws InvalidOption with the nearest names when there is none of that name.
CORNET_API Report reproduce(const std::string& name);

}  // namespace cornet
