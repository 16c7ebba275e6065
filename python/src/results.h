// What the library answers, as dicts whose keys are the fields of the dataclasses in cornet/_results.py. Vectors are views that keep the
// answer alive.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "cornet/convex.h"
#include "cornet/enumerate.h"
#include "cornet/explore.h"
#include "cornet/result.h"
#include "python/src/arrays.h"

namespace cornet::python {

/// r, u, v and lambda_ of a point; None for what is not known.
void add_iterate(py::dict& out, const Iterate& x, const Owner& owner);

py::dict certificate_out(const Certificate& certificate);
py::dict existence_out(const Existence& existence, const Owner& owner);
py::dict quality_out(const Quality& quality);
/// None when no history was kept.
py::object history_out(const std::vector<HistoryEntry>& history, bool kept);
py::dict statistics_out(const std::map<std::string, double>& statistics);
py::dict texts_out(const OptionTexts& texts);
py::list options_out(const std::vector<OptionInfo>& options);

py::dict result_out(const std::shared_ptr<const Result>& result, bool history);
py::dict convex_out(const std::shared_ptr<const ConvexResult>& result, bool history);
py::dict exploration_out(const std::shared_ptr<const Exploration>& exploration);
py::dict enumeration_out(const std::shared_ptr<const Enumeration>& enumeration);

}  // namespace cornet::python
