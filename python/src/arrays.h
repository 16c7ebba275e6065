// NumPy arrays and SciPy matrices in and out.
//
// In: everything is copied into the problem while the GIL is held and checked after the copy, so that no other thread can change what a
// solver sees. Out: views of the memory of a problem or a result, read-only, which keep their owner alive.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "cornet/error.h"
#include "cornet/problem.h"

namespace cornet::python {

namespace py = pybind11;

/// An argument of the wrong type: a TypeError in Python. Values of the right type that do not fit are InvalidProblem.
class WrongType : public Error {
  using Error::Error;
};

/// A vector of float64, contiguous; lists and tuples of numbers are taken too. `name` starts every message.
std::vector<double> vector_in(py::handle value, const std::string& name);

/// The same, empty for None.
std::vector<double> optional_vector_in(py::handle value, const std::string& name);

/// The same of a given length: an empty array is not "nothing".
std::vector<double> optional_vector_in(py::handle value, const std::string& name, int length);

/// Coefficients of friction: a vector, or one number for all contacts.
std::vector<double> friction_in(py::handle value, int contacts);

/// A dense two-dimensional float64 array (C or Fortran order), nested lists, or any matrix of scipy.sparse. CSC, CSR and COO are kept.
SparseMatrix matrix_in(py::handle value, const std::string& name);

/// 2 or 3.
int dimension_in(py::handle value);

/// A str.
std::string text_in(py::handle value, const char* name);

/// Who keeps the memory of a view alive.
using Owner = std::shared_ptr<const void>;

py::array view(const std::vector<double>& values, const Owner& owner);
py::array view(const std::vector<int>& values, const Owner& owner);

/// A matrix of scipy.sparse in the storage of `matrix`, on views of its arrays.
py::object matrix_out(const SparseMatrix& matrix, const Owner& owner);

/// A copy that Python owns.
py::array array_out(const std::vector<double>& values);

}  // namespace cornet::python
