// Files of problems, and the problems that come with the library.
#include <pybind11/stl.h>

#include "cornet/io.h"
#include "cornet/samples.h"
#include "python/src/bind.h"
#include "python/src/problem.h"
#include "python/src/results.h"

namespace cornet::python {
namespace {

// Paths come as bytes of the file system.
std::string path_in(const py::bytes& path) { return path; }

Form form_named(const std::string& name) {
  if (name == "any") return Form::any;
  if (name == "local") return Form::local;
  if (name == "global") return Form::global;
  throw InvalidOption("form: found '" + name + "', expected any, local or global");
}

py::dict iterate_out(const Iterate& x, const Owner& owner) {
  py::dict out;
  const std::pair<const char*, const std::vector<double>*> parts[] = {{"r", &x.r}, {"u", &x.u}, {"v", &x.v}, {"lambda_", &x.lambda}};
  for (const auto& [name, values] : parts) out[name] = values->empty() ? py::object(py::none()) : py::object(view(*values, owner));
  return out;
}

py::object read_problem(const py::bytes& path, const std::string& form) {
  const std::string name = path_in(path);
  const Form wanted = form_named(form);
  Problem problem;
  {
    const py::gil_scoped_release free;
    problem = read(name, wanted);
  }
  return problem_out(std::move(problem));
}

py::dict read_whole(const py::bytes& path) {
  const std::string name = path_in(path);
  auto file = std::make_shared<ProblemFile>();
  {
    const py::gil_scoped_release free;
    *file = read_file(name);
  }
  py::dict out;
  out["local"] = file->local ? problem_out(*file->local) : py::none();
  out["global"] = file->global ? problem_out(*file->global) : py::none();
  py::list guesses;
  for (const Iterate& guess : file->guesses) guesses.append(iterate_out(guess, file));
  out["guesses"] = guesses;
  out["solution"] = file->solution ? py::object(iterate_out(*file->solution, file)) : py::object(py::none());
  py::list warnings;
  for (const std::string& warning : file->warnings) warnings.append(warning);
  out["warnings"] = warnings;
  return out;
}

void write_problem(const py::bytes& path, const ProblemHandle& handle, const py::object& r, const py::object& u, const py::object& v,
                   const py::object& lambda) {
  const std::string name = path_in(path);
  const auto& problem = handle.get();
  std::optional<Iterate> solution;
  if (!r.is_none()) {
    solution.emplace();
    const int size = contacts(*problem) * dimension(*problem);
    solution->r = optional_vector_in(r, "r", size);
    solution->u = optional_vector_in(u, "u", size);
    if (const auto* global = std::get_if<GlobalProblem>(problem.get())) {
      solution->v = optional_vector_in(v, "v", global->dofs());
      solution->lambda = optional_vector_in(lambda, "lambda_", global->G ? global->G->cols : 0);
    } else {
      const auto& constraints = std::get<LocalProblem>(*problem).V;
      solution->lambda = optional_vector_in(lambda, "lambda_", constraints ? constraints->cols : 0);
    }
  }
  const py::gil_scoped_release free;
  write(name, *problem, solution);
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read", &read_problem, py::arg("path"), py::arg("form"));
  module.def("read_file", &read_whole, py::arg("path"));
  module.def("write", &write_problem, py::arg("path"), py::arg("problem"), py::arg("r"), py::arg("u"), py::arg("v"), py::arg("lambda_"));
  module.def("samples", [] {
    py::dict out;
    for (samples::Sample& sample : samples::bundled()) {
      std::visit([&](auto& problem) { problem.name = sample.name; }, sample.problem);
      out[py::str(sample.name)] = problem_out(std::move(sample.problem));
    }
    return out;
  });
}

}  // namespace cornet::python
