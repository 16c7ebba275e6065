// One function per topic; module.cc calls them all.
#pragma once

#include <pybind11/pybind11.h>

namespace cornet::python {

void bind_solve(pybind11::module_& module);
void bind_convex(pybind11::module_& module);
void bind_files(pybind11::module_& module);
void bind_campaign(pybind11::module_& module);
void bind_simulate(pybind11::module_& module);

}  // namespace cornet::python
