// The two problem classes of Python. Both hold an immutable Problem, so that any number of threads may solve the same one.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>

#include "cornet/problem.h"
#include "python/src/from_zero.h"

namespace cornet::python {

namespace py = pybind11;

struct ProblemHandle : FromZero {
  std::shared_ptr<const Problem> problem;

  const std::shared_ptr<const Problem>& get() const {
    if (!problem) throw std::runtime_error("this problem was made without __init__");
    return problem;
  }
};
struct LocalHandle : ProblemHandle {};
struct GlobalHandle : ProblemHandle {};

/// A LocalProblem or a GlobalProblem of Python.
py::object problem_out(Problem problem);

void bind_problem(py::module_& module);

}  // namespace cornet::python
