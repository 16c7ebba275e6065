// solve, Session, certify, assess, check_existence, explore, enumerate_solutions, and the table of solvers.
#include <pybind11/stl.h>

#include "cornet/bipotential.h"
#include "python/src/bind.h"
#include "python/src/listener.h"
#include "python/src/problem.h"
#include "python/src/results.h"

namespace cornet::python {
namespace {

using Texts = std::map<std::string, std::string>;

struct Request {
  std::string solver;
  double tolerance, time_limit, memory_limit;
  long max_iterations;
  int threads;
  Texts options;
  std::string existence;
  bool quality, history;
};

RunOptions run_options(const Request& request) {
  RunOptions out;
  out.solver = request.solver;
  out.tolerance = request.tolerance;
  out.time_limit = request.time_limit;
  out.memory_limit = request.memory_limit;
  out.max_iterations = request.max_iterations;
  out.threads = request.threads;
  out.options = request.options;
  out.existence = request.existence == "always"       ? ExistenceCheck::always
                  : request.existence == "on_failure" ? ExistenceCheck::on_failure
                                                      : ExistenceCheck::never;
  out.quality = request.quality;
  out.keep_history = request.history;
  return out;
}

int size(const Problem& problem) { return contacts(problem) * dimension(problem); }

Iterate guess_in(py::handle r, const Problem& problem) {
  Iterate out;
  out.r = optional_vector_in(r, "guess", size(problem));
  return out;
}

class SessionHandle : public FromZero {
 public:
  SessionHandle(const Request& request, py::object callback)
      : listener_(std::move(callback)), session_(with_listener(request)), history_(request.history), ready_(true) {}

  py::dict solve(const ProblemHandle& handle, const py::object& guess) {
    if (!ready_) throw std::runtime_error("this session was made without __init__");
    const Turn turn(busy_, "session");
    const auto& problem = handle.get();
    const Iterate start = guess_in(guess, *problem);
    auto result = std::make_shared<Result>();
    bool answered = false;
    listener_.run([&] {
      *result = session_.solve(*problem, start);
      answered = true;
    });
    py::dict out;
    if (answered) out = result_out(result, history_);
    listener_.rethrow(answered ? py::object(out) : py::object(py::none()));
    return out;
  }

 private:
  RunOptions with_listener(const Request& request) {
    RunOptions options = run_options(request);
    options.interrupt = listener_.interrupt();
    options.callback = listener_.callback();
    return options;
  }

  Listener listener_;
  Session session_;
  std::mutex busy_;
  bool history_;
  bool ready_;
};

py::dict certified(const ProblemHandle& handle, const py::object& r, const py::object& u, const py::object& v) {
  const auto& problem = handle.get();
  Iterate x;
  x.r = vector_in(r, "r");
  x.u = optional_vector_in(u, "u", size(*problem));
  if (const auto* global = std::get_if<GlobalProblem>(problem.get())) x.v = optional_vector_in(v, "v", global->dofs());
  Certificate certificate;
  {
    const py::gil_scoped_release free;
    certificate = certify(*problem, x);
  }
  return certificate_out(certificate);
}

py::array velocities_of(const ProblemHandle& handle, const py::object& r) {
  const auto& problem = handle.get();
  const std::vector<double> reactions = vector_in(r, "r");
  std::vector<double> u;
  {
    const py::gil_scoped_release free;
    u = certified_velocities(*problem, reactions);
  }
  return array_out(u);
}

py::dict assessed(const ProblemHandle& handle, const py::object& r) {
  const auto& problem = handle.get();
  Iterate x;
  x.r = vector_in(r, "r");
  Quality quality;
  {
    const py::gil_scoped_release free;
    quality = assess(*problem, x);
  }
  return quality_out(quality);
}

py::dict existence(const ProblemHandle& handle, double tolerance, double time_limit, bool shortcuts) {
  const auto& problem = handle.get();
  Listener listener;
  ExistenceOptions options;
  options.tolerance = tolerance;
  options.time_limit = time_limit;
  options.shortcuts = shortcuts;
  options.interrupt = listener.interrupt();
  auto answer = std::make_shared<Existence>();
  listener.run([&] { *answer = check_existence(*problem, options); });
  listener.rethrow();
  return existence_out(*answer, answer);
}

py::dict explored(const ProblemHandle& handle, const Request& request, int starts, const std::string& companion, const py::object& guess) {
  const auto& problem = handle.get();
  Listener listener;
  ExploreOptions options;
  options.run = run_options(request);
  options.run.interrupt = listener.interrupt();
  options.starts = starts;
  options.companion = companion;
  options.guess = guess_in(guess, *problem);
  auto answer = std::make_shared<Exploration>();
  listener.run([&] { *answer = explore(*problem, options); });
  listener.rethrow();
  return exploration_out(answer);
}

py::dict enumerated(const ProblemHandle& handle, double tolerance, double time_limit, bool all) {
  const auto& problem = handle.get();
  Listener listener;
  EnumerationOptions options;
  options.tolerance = tolerance;
  options.time_limit = time_limit;
  options.all = all;
  options.interrupt = listener.interrupt();
  auto answer = std::make_shared<Enumeration>();
  listener.run([&] { *answer = enumerate_solutions(*problem, options); });
  listener.rethrow();
  return enumeration_out(answer);
}

py::dict solver_out(const SolverInfo& solver) {
  py::dict out;
  out["id"] = solver.id;
  out["title"] = solver.title;
  out["family"] = solver.family;
  out["summary"] = solver.summary;
  out["use_when"] = solver.use_when;
  out["fails_when"] = solver.fails_when;
  out["dimensions"] = py::cast(solver.dimensions);
  out["forms"] = py::cast(solver.forms);
  out["needs_symmetry"] = solver.needs_symmetry;
  out["max_iterations"] = solver.max_iterations;
  out["default"] = solver.id == kDefaultSolver;
  out["options"] = options_out(solver.options);
  out["reference"] = solver.reference;
  return out;
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<Request>(module, "Request")
      .def(py::init([](std::string solver, double tolerance, double time_limit, double memory_limit, long max_iterations, int threads,
                       Texts options, std::string check, bool quality, bool history) {
        return Request{std::move(solver), tolerance,          time_limit,       memory_limit, max_iterations,
                       threads,           std::move(options), std::move(check), quality,      history};
      }));
  py::class_<SessionHandle>(module, "Session")
      .def(py::init<const Request&, py::object>(), py::arg("request"), py::arg("callback"))
      .def("solve", &SessionHandle::solve, py::arg("problem"), py::arg("guess"));
  module.def("certify", &certified, py::arg("problem"), py::arg("r"), py::arg("u"), py::arg("v"));
  module.def("velocities", &velocities_of, py::arg("problem"), py::arg("r"));
  module.def("assess", &assessed, py::arg("problem"), py::arg("r"));
  module.def("check_existence", &existence, py::arg("problem"), py::arg("tolerance"), py::arg("time_limit"), py::arg("shortcuts"));
  module.def("explore", &explored, py::arg("problem"), py::arg("request"), py::arg("starts"), py::arg("companion"), py::arg("guess"));
  module.def("enumerate_solutions", &enumerated, py::arg("problem"), py::arg("tolerance"), py::arg("time_limit"), py::arg("all"));
  module.def("solvers", [] {
    py::list out;
    for (const SolverInfo& solver : solvers()) out.append(solver_out(solver));
    return out;
  });
  module.def(
      "solver", [](const std::string& id) { return solver_out(find_solver(id)); }, py::arg("id"));
}

}  // namespace cornet::python
