#include "python/src/arrays.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace cornet::python {
namespace {

constexpr long kLargest = std::numeric_limits<int>::max();

std::string str(py::handle value) { return py::cast<std::string>(py::str(value)); }

std::string type_name(py::handle value) { return str(py::type::handle_of(value).attr("__name__")); }

std::string describe(py::handle value) {
  if (value.is_none()) return "None";
  if (py::isinstance<py::array>(value))
    return "an array of dtype " + str(value.attr("dtype")) + " and shape " + str(value.attr("shape")) +
           (py::hasattr(value, "mask") ? " with a mask" : "");
  return "an object of type " + type_name(value);
}

[[noreturn]] void wrong_type(const std::string& name, const std::string& found, const std::string& expected) {
  throw WrongType(name + ": found " + found + ", expected " + expected);
}

[[noreturn]] void wrong_value(const std::string& name, const std::string& found, const std::string& expected) {
  throw InvalidProblem(name + ": found " + found + ", expected " + expected);
}

bool is_sparse(py::handle value) { return py::hasattr(value, "format") && py::hasattr(value, "tocsr") && py::hasattr(value, "shape"); }

// Calls back into Python; what fails there becomes our message. Ctrl-C goes through.
template <class Call>
auto attempt(Call call, py::handle value, const std::string& name, const std::string& expected) {
  try {
    return call();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    wrong_type(name, describe(value) + " that cannot be read (" + str(error.value()) + ")", expected);
  }
}

// An ndarray of float64 with `ndim` axes. Lists of numbers are converted, arrays of another type never: precision is the caller's decision.
py::array floats(py::handle value, const std::string& name, int ndim) {
  const std::string expected = ndim == 1 ? "a contiguous float64 vector" : "a two-dimensional float64 array or a matrix of scipy.sparse";
  if (is_sparse(value)) wrong_type(name, "a sparse matrix of shape " + str(value.attr("shape")), expected);
  py::object array = py::reinterpret_borrow<py::object>(value);
  if (!py::isinstance<py::array>(value)) {
    const bool list = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
    if (!list && !py::hasattr(value, "__array__")) wrong_type(name, describe(value), expected);
    array = attempt([&] { return py::module_::import("numpy").attr("asarray")(value); }, value, name, expected);
    if (!py::isinstance<py::array>(array)) wrong_type(name, describe(array), expected);
    if (list) {
      const std::string kind = str(array.attr("dtype").attr("kind"));
      const bool empty = py::len(array.attr("shape")) > 0 && py::cast<py::array>(array).size() == 0;
      if (kind != "i" && kind != "u" && kind != "f" && !empty)
        wrong_type(name, "a " + type_name(value) + " of " + str(array.attr("dtype")), expected);
      array = attempt([&] { return array.attr("astype")("float64"); }, value, name, expected);
    }
  }
  if (!py::isinstance<py::array_t<double>>(array)) wrong_type(name, describe(array), expected + " (.astype(float) makes one)");
  if (py::hasattr(array, "mask")) wrong_type(name, describe(array), expected + " without a mask");
  auto out = py::cast<py::array>(array);
  if (out.ndim() != ndim) wrong_value(name, describe(array), ndim == 1 ? "one axis" : "two axes");
  const bool contiguous = (out.flags() & py::array::c_style) || (ndim == 2 && (out.flags() & py::array::f_style));
  if (!contiguous)
    wrong_value(name, describe(array) + " and strides " + str(array.attr("strides")),
                "contiguous memory (numpy.ascontiguousarray makes a copy that has it)");
  return out;
}

const char* bytes(const py::array& array) { return static_cast<const char*>(array.data()); }

py::object index_of(py::handle value, const std::string& name, const std::string& expected) {
  if (py::isinstance<py::bool_>(value)) wrong_type(name, describe(value), expected);
  return attempt(
      [&] {
        auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
        if (!index) throw py::error_already_set();
        return index;
      },
      value, name, expected);
}

int size_in(py::handle value, const std::string& name, const char* what) {
  const py::object index = index_of(value, name, "a size");
  int overflow = 0;
  const long size = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || size < 0 || size > kLargest)
    wrong_value(name, str(index) + " " + what, "at most " + std::to_string(kLargest) + " (sizes and indices have 32 bits)");
  return static_cast<int>(size);
}

std::vector<int> indices_in(py::handle value, const std::string& name) {
  const char* expected = "a contiguous vector of integers";
  if (!py::isinstance<py::array>(value)) wrong_type(name, describe(value), expected);
  py::array array = py::cast<py::array>(value);
  const std::string kind = str(array.attr("dtype").attr("kind"));
  if (kind != "i" && kind != "u") wrong_type(name, describe(value), expected);
  if (array.ndim() != 1 || !(array.flags() & py::array::c_style)) wrong_value(name, describe(value), expected);
  std::vector<int> out(static_cast<std::size_t>(array.size()));
  if (py::isinstance<py::array_t<std::int32_t>>(array)) {
    if (!out.empty()) std::memcpy(out.data(), array.data(), out.size() * sizeof(int));
    return out;
  }
  if (kind == "u" && array.itemsize() == 8) {  // beyond 2⁶³ these would turn negative
    const auto wide = py::cast<py::array>(array.attr("astype")("uint64"));
    for (std::size_t k = 0; k < out.size(); ++k) {
      std::uint64_t index = 0;
      std::memcpy(&index, bytes(wide) + k * sizeof index, sizeof index);
      if (index > static_cast<std::uint64_t>(kLargest))
        wrong_value(name + "[" + std::to_string(k) + "]", std::to_string(index),
                    "at most " + std::to_string(kLargest) + " (indices have 32 bits)");
      out[k] = static_cast<int>(index);
    }
    return out;
  }
  const auto wide = py::cast<py::array>(array.attr("astype")("int64"));
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::int64_t index = 0;
    std::memcpy(&index, bytes(wide) + k * sizeof index, sizeof index);
    if (index < 0 || index > kLargest)
      wrong_value(name + "[" + std::to_string(k) + "]", std::to_string(index),
                  "a number from 0 to " + std::to_string(kLargest) + " (indices have 32 bits)");
    out[k] = static_cast<int>(index);
  }
  return out;
}

// The nonzeros of a dense array, row by row (C order) or column by column (Fortran order).
SparseMatrix dense_in(const py::array& array, const std::string& name) {
  const bool by_rows = array.flags() & py::array::c_style;
  SparseMatrix out;
  out.rows = size_in(py::int_(array.shape(0)), name, "rows");
  out.cols = size_in(py::int_(array.shape(1)), name, "columns");
  out.storage = by_rows ? Storage::csr : Storage::csc;
  const int lines = by_rows ? out.rows : out.cols, length = by_rows ? out.cols : out.rows;
  std::vector<double> line(static_cast<std::size_t>(length));
  out.p.reserve(static_cast<std::size_t>(lines) + 1);
  out.p.push_back(0);
  for (int k = 0; k < lines; ++k) {
    if (length > 0)
      std::memcpy(line.data(), bytes(array) + static_cast<std::size_t>(k) * line.size() * sizeof(double), line.size() * sizeof(double));
    for (int j = 0; j < length; ++j) {
      const double x = line[static_cast<std::size_t>(j)];
      if (x == 0) continue;
      if (!std::isfinite(x))
        wrong_value(name + "[" + std::to_string(by_rows ? k : j) + ", " + std::to_string(by_rows ? j : k) + "]", std::to_string(x),
                    "a finite number");
      out.i.push_back(j);
      out.x.push_back(x);
    }
    if (static_cast<long>(out.x.size()) > kLargest)
      wrong_value(name, "more than " + std::to_string(kLargest) + " entries", "fewer (indices have 32 bits); a sparse matrix may help");
    out.p.push_back(static_cast<int>(out.x.size()));
  }
  return out;
}

SparseMatrix sparse_in(py::handle value, const std::string& name) {
  const std::string format = str(value.attr("format"));
  const py::object matrix = format == "csc" || format == "csr" || format == "coo"
                                ? py::reinterpret_borrow<py::object>(value)
                                : attempt([&] { return value.attr("tocsr")(); }, value, name, "a matrix that converts to CSR");
  const std::string storage = str(matrix.attr("format"));
  const py::object shape = matrix.attr("shape");
  if (!py::isinstance<py::tuple>(shape) || py::len(shape) != 2) wrong_value(name, "a sparse array of shape " + str(shape), "two axes");
  SparseMatrix out;
  out.rows = size_in(shape[py::int_(0)], name, "rows");
  out.cols = size_in(shape[py::int_(1)], name, "columns");
  out.x = vector_in(matrix.attr("data"), name + ".data");
  if (storage == "coo") {
    out.storage = Storage::triplet;
    out.i = indices_in(matrix.attr("row"), name + ".row");
    out.p = indices_in(matrix.attr("col"), name + ".col");
    return out;
  }
  out.storage = storage == "csc" ? Storage::csc : Storage::csr;
  out.i = indices_in(matrix.attr("indices"), name + ".indices");
  out.p = indices_in(matrix.attr("indptr"), name + ".indptr");
  // SciPy allows arrays with room to spare behind the last entry.
  if (!out.p.empty() && static_cast<std::size_t>(out.p.back()) <= std::min(out.i.size(), out.x.size())) {
    out.i.resize(static_cast<std::size_t>(out.p.back()));
    out.x.resize(static_cast<std::size_t>(out.p.back()));
  }
  return out;
}

template <class T>
py::array read_only(const std::vector<T>& values, const Owner& owner) {
  const py::capsule base(new Owner(owner), [](void* pointer) { delete static_cast<Owner*>(pointer); });
  py::array out(py::dtype::of<T>(), {static_cast<py::ssize_t>(values.size())}, {static_cast<py::ssize_t>(sizeof(T))}, values.data(), base);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

}  // namespace

std::vector<double> vector_in(py::handle value, const std::string& name) {
  const py::array array = floats(value, name, 1);
  std::vector<double> out(static_cast<std::size_t>(array.size()));
  if (!out.empty()) std::memcpy(out.data(), array.data(), out.size() * sizeof(double));
  return out;
}

std::vector<double> optional_vector_in(py::handle value, const std::string& name) {
  return value.is_none() ? std::vector<double>() : vector_in(value, name);
}

std::vector<double> optional_vector_in(py::handle value, const std::string& name, int length) {
  std::vector<double> out = optional_vector_in(value, name);
  if (!value.is_none() && out.size() != static_cast<std::size_t>(length))
    wrong_value(name, std::to_string(out.size()) + " numbers", std::to_string(length));
  return out;
}

std::vector<double> friction_in(py::handle value, int contacts) {
  if (py::isinstance<py::float_>(value) || (py::isinstance<py::int_>(value) && !py::isinstance<py::bool_>(value))) {
    const double mu = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred()) throw py::error_already_set();
    return std::vector<double>(static_cast<std::size_t>(contacts), mu);
  }
  return vector_in(value, "mu");
}

SparseMatrix matrix_in(py::handle value, const std::string& name) {
  return is_sparse(value) ? sparse_in(value, name) : dense_in(floats(value, name, 2), name);
}

int dimension_in(py::handle value) {
  const py::object index = index_of(value, "dim", "2 or 3");
  int overflow = 0;
  const long dim = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || (dim != 2 && dim != 3)) wrong_value("dim", str(index), "2 or 3");
  return static_cast<int>(dim);
}

std::string text_in(py::handle value, const char* name) {
  if (!py::isinstance<py::str>(value)) wrong_type(name, describe(value), "a str");
  return attempt([&] { return py::cast<std::string>(value.attr("encode")("utf-8")); }, value, name, "a str of valid characters");
}

py::array view(const std::vector<double>& values, const Owner& owner) { return read_only(values, owner); }
py::array view(const std::vector<int>& values, const Owner& owner) { return read_only(values, owner); }

py::array array_out(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::object matrix_out(const SparseMatrix& matrix, const Owner& owner) {
  const py::module_ sparse = py::module_::import("scipy.sparse");
  const py::tuple shape = py::make_tuple(matrix.rows, matrix.cols);
  const py::array x = view(matrix.x, owner), i = view(matrix.i, owner), p = view(matrix.p, owner);
  switch (matrix.storage) {
    case Storage::triplet: return sparse.attr("coo_matrix")(py::make_tuple(x, py::make_tuple(i, p)), py::arg("shape") = shape);
    case Storage::csc: return sparse.attr("csc_matrix")(py::make_tuple(x, i, p), py::arg("shape") = shape);
    case Storage::csr: return sparse.attr("csr_matrix")(py::make_tuple(x, i, p), py::arg("shape") = shape);
  }
  throw Error("unknown storage");
}

}  // namespace cornet::python
