// The extension module cornet._core: what the package cornet is built on. Exceptions become the classes of cornet/_errors.py.
#include <pybind11/pybind11.h>

#include <cstring>
#include <utility>

#include "cornet/error.h"
#include "cornet/result.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/problem.h"

namespace cornet::python {
namespace {

void raise(const char* type, const std::exception& error) {
  // Messages quote names of files, which may be in any encoding.
  const auto text =
      py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(error.what(), static_cast<py::ssize_t>(std::strlen(error.what())), "replace"));
  PyErr_SetObject(py::module_::import("cornet._errors").attr(type).ptr(), text.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(std::move(pointer));
  } catch (const WrongType& error) {
    raise("WrongType", error);
  } catch (const InvalidProblem& error) {
    raise("InvalidProblem", error);
  } catch (const InvalidOption& error) {
    raise("InvalidOption", error);
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const MissingFeature& error) {
    raise("MissingFeature", error);
  } catch (const MemoryLimit& error) {
    raise("MemoryLimit", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

}  // namespace
}  // namespace cornet::python

PYBIND11_MODULE(_core, module) {
  using namespace cornet::python;
  module.doc() = "The compiled part of cornet. Use the names of the package cornet.";
  py::register_exception_translator(&translate);
  bind_problem(module);
  bind_solve(module);
  bind_convex(module);
  bind_files(module);
  bind_campaign(module);
  bind_simulate(module);
  module.def("version", &cornet::version);
  module.def("compiler", &cornet::compiler);
  module.attr("default_solver") = cornet::kDefaultSolver;
}
