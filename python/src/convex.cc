// The convex problem for given sliding velocities, and its engines.
#include <pybind11/stl.h>

#include "cornet/convex.h"
#include "python/src/bind.h"
#include "python/src/listener.h"
#include "python/src/problem.h"
#include "python/src/results.h"

namespace cornet::python {
namespace {

ConvexSet set_named(const std::string& name) {
  for (const ConvexSet set : {ConvexSet::cone, ConvexSet::half_line, ConvexSet::disk, ConvexSet::cylinder})
    if (name == to_string(set)) return set;
  throw InvalidOption("set: found '" + name + "', expected cone, half_line, disk or cylinder");
}

py::dict solved(const ProblemHandle& handle, const py::object& s, const std::string& set, const py::object& radius,
                const py::object& normal, const std::string& engine, double tolerance, double time_limit, long max_iterations,
                const std::map<std::string, std::string>& texts, bool history, const py::object& guess, py::object callback) {
  const auto& problem = handle.get();
  ConvexQuestion question;
  question.set = set_named(set);
  const int count = contacts(*problem);
  question.s = optional_vector_in(s, "s", count);
  question.radius = optional_vector_in(radius, "radius", count);
  question.normal = optional_vector_in(normal, "normal", count);
  Iterate start;
  start.r = optional_vector_in(guess, "guess", count * dimension(*problem));
  Listener listener(std::move(callback));
  ConvexOptions options;
  options.engine = engine;
  options.tolerance = tolerance;
  options.time_limit = time_limit;
  options.max_iterations = max_iterations;
  options.options = texts;
  options.keep_history = history;
  options.interrupt = listener.interrupt();
  options.callback = listener.callback();
  auto result = std::make_shared<ConvexResult>();
  listener.run([&] { *result = solve_convex(*problem, question, options, start); });
  listener.rethrow();
  return convex_out(result, history);
}

}  // namespace

void bind_convex(py::module_& module) {
  module.def("solve_convex", &solved, py::arg("problem"), py::arg("s"), py::arg("set"), py::arg("radius"), py::arg("normal"),
             py::arg("engine"), py::arg("tolerance"), py::arg("time_limit"), py::arg("max_iterations"), py::arg("options"),
             py::arg("history"), py::arg("guess"), py::arg("callback"));
  module.def("engines", [] {
    py::list out;
    for (const EngineInfo& engine : convex_engines()) {
      py::dict row;
      row["id"] = engine.id;
      row["title"] = engine.title;
      row["summary"] = engine.summary;
      row["forms"] = py::cast(engine.forms);
      row["options"] = options_out(engine.options);
      row["reference"] = engine.reference;
      out.append(row);
    }
    return out;
  });
}

}  // namespace cornet::python
