// Records of campaigns, as their lines, and performance profiles.
#include <pybind11/stl.h>

#include <cmath>

#include "cornet/campaign.h"
#include "cornet/profile.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"

namespace cornet::python {
namespace {

py::tuple lines_of(const std::vector<py::bytes>& paths) {
  std::vector<std::string> names(paths.begin(), paths.end());
  std::vector<std::string> lines, warnings;
  {
    const py::gil_scoped_release free;
    campaign::RecordSet set = campaign::read_records(names, campaign::Detail::everything);
    for (const campaign::Record& record : set.records) lines.push_back(campaign::to_line(record));
    warnings = std::move(set.warnings);
  }
  return py::make_tuple(lines, warnings);
}

py::list profile(const std::vector<std::string>& solvers, const std::vector<std::vector<double>>& costs) {
  campaign::Costs table;
  table.solvers = solvers;
  for (const auto& row : costs) {
    if (row.size() != solvers.size())
      throw InvalidProblem("costs: found a row of " + std::to_string(row.size()) + " numbers, expected " + std::to_string(solvers.size()) +
                           ", one per solver");
    table.values.insert(table.values.end(), row.begin(), row.end());
  }
  py::list out;
  for (const campaign::Curve& curve : campaign::performance_profile(table)) {
    py::dict row;
    row["solver"] = curve.solver;
    row["tau"] = array_out(curve.tau);
    row["rho"] = array_out(curve.rho);
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_campaign(py::module_& module) {
  module.def("record_lines", &lines_of, py::arg("paths"));
  module.def("performance_profile", &profile, py::arg("solvers"), py::arg("costs"));
}

}  // namespace cornet::python
