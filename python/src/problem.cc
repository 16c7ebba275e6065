// LocalProblem and GlobalProblem: built from arrays, read as views.
#include "python/src/problem.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cornet/analysis.h"
#include "cornet/reduce.h"
#include "python/src/arrays.h"

namespace cornet::python {
namespace {

std::optional<SparseMatrix> optional_matrix_in(py::handle value, const char* name) {
  if (value.is_none()) return {};
  return matrix_in(value, name);
}

template <class Handle>
Handle hold(Problem problem) {
  validate(problem);
  Handle out;
  out.problem = std::make_shared<const Problem>(std::move(problem));
  return out;
}

LocalHandle make_local(const py::object& W, const py::object& q, const py::object& mu, const py::object& dim, const py::object& V,
                       const py::object& R, const py::object& s, const py::object& name) {
  LocalProblem p;
  p.dim = dimension_in(dim);
  p.W = matrix_in(W, "W");
  p.q = vector_in(q, "q");
  p.mu = friction_in(mu, p.W.rows / p.dim);
  p.V = optional_matrix_in(V, "V");
  p.R = optional_matrix_in(R, "R");
  p.s = optional_vector_in(s, "s");
  p.name = text_in(name, "name");
  return hold<LocalHandle>(std::move(p));
}

GlobalHandle make_global(const py::object& M, const py::object& H, const py::object& f, const py::object& w, const py::object& mu,
                         const py::object& dim, const py::object& G, const py::object& b, const py::object& name) {
  GlobalProblem p;
  p.dim = dimension_in(dim);
  p.M = matrix_in(M, "M");
  p.H = matrix_in(H, "H");
  p.f = vector_in(f, "f");
  p.w = vector_in(w, "w");
  p.mu = friction_in(mu, p.H.cols / p.dim);
  p.G = optional_matrix_in(G, "G");
  p.b = optional_vector_in(b, "b");
  p.name = text_in(name, "name");
  return hold<GlobalHandle>(std::move(p));
}

const LocalProblem& local(const LocalHandle& handle) { return std::get<LocalProblem>(*handle.get()); }
const GlobalProblem& global(const GlobalHandle& handle) { return std::get<GlobalProblem>(*handle.get()); }

std::string sizes(const SparseMatrix& a, const char* name) {
  return std::string(name) + " " + std::to_string(a.rows) + "×" + std::to_string(a.cols) + " with " + std::to_string(a.entries()) +
         " entries";
}

std::string start(const char* type, const Problem& problem) {
  const std::string& label = name(problem);
  return std::string("<cornet.") + type + (label.empty() ? "" : " '" + label + "'") + ": " + std::to_string(contacts(problem)) +
         " contacts, dim " + std::to_string(dimension(problem)) + ", ";
}

py::object optional_matrix_out(const std::optional<SparseMatrix>& matrix, const Owner& owner) {
  return matrix ? matrix_out(*matrix, owner) : py::none();
}

// Pickled as its own matrices; titles of a file do not travel.
template <class Handle, class Parts>
void add_pickle(py::class_<Handle, ProblemHandle>& type, const char* maker, Parts parts) {
  type.def("__reduce__", [maker, parts](const py::object& self) {
    return py::make_tuple(py::module_::import("cornet._rebuild").attr(maker), parts(self));
  });
}

py::dict analysis_out(const ProblemHandle& handle, int dense_limit) {
  const auto& problem = handle.get();
  Analysis a;
  {
    const py::gil_scoped_release free;
    a = analyse(*problem, dense_limit);
  }
  py::dict out;
  out["asymmetry"] = a.asymmetry;
  out["asymmetry_M"] = a.asymmetry_M;
  out["rank"] = a.rank < 0 ? py::object(py::none()) : py::object(py::int_(a.rank));
  out["condition"] = a.condition;
  out["largest_singular_value"] = a.largest;
  out["smallest_singular_value"] = a.smallest;
  out["blocks"] = a.blocks;
  out["blocks_per_row"] = a.blocks_per_row;
  out["norm_q"] = a.norm_q;
  out["method"] = a.method;
  return out;
}

py::object reduced(const ProblemHandle& handle) {
  const auto& problem = handle.get();
  Problem out;
  {
    const py::gil_scoped_release free;
    if (const auto* global_form = std::get_if<GlobalProblem>(problem.get())) {
      out = reduce(*global_form).local();
    } else {
      out = condense(std::get<LocalProblem>(*problem));
    }
    std::get<LocalProblem>(out).name = name(*problem);
  }
  return problem_out(std::move(out));
}

}  // namespace

py::object problem_out(Problem problem) {
  const bool is_local = std::holds_alternative<LocalProblem>(problem);
  if (is_local) return py::cast(hold<LocalHandle>(std::move(problem)));
  return py::cast(hold<GlobalHandle>(std::move(problem)));
}

void bind_problem(py::module_& module) {
  py::class_<ProblemHandle>(module, "Problem", "Base of LocalProblem and GlobalProblem. Immutable; safe to share between threads.")
      .def_property_readonly(
          "form", [](const ProblemHandle& h) { return form_name(*h.get()); }, "'local' or 'global'")
      .def_property_readonly(
          "dim", [](const ProblemHandle& h) { return dimension(*h.get()); }, "d: 2 or 3")
      .def_property_readonly(
          "contacts", [](const ProblemHandle& h) { return contacts(*h.get()); }, "nc, the number of contacts")
      .def_property_readonly(
          "size", [](const ProblemHandle& h) { return contacts(*h.get()) * dimension(*h.get()); }, "m = dim·nc")
      .def_property_readonly(
          "name", [](const ProblemHandle& h) { return name(*h.get()); }, "for messages and reports")
      .def_property_readonly(
          "mu",
          [](const ProblemHandle& h) {
            return view(std::visit(
                            [](const auto& p) -> const auto& { return p.mu; }, *h.get()),
                        h.get());
          },
          "coefficients of friction, (nc,), each in [0, inf]")
      .def_property_readonly(
          "info",
          [](const ProblemHandle& h) -> py::object {
            const auto& info = std::visit(
                [](const auto& p) -> const auto& { return p.info; }, *h.get());
            if (!info) return py::none();
            const auto text = [](const std::string& bytes) {  // titles of old files are in any encoding
              return py::reinterpret_steal<py::object>(
                  PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace"));
            };
            py::dict out;
            out["title"] = text(info->title);
            out["description"] = text(info->description);
            out["math_info"] = text(info->math_info);
            return out;
          },
          "title, description and math_info of the file, or None");

  py::class_<LocalHandle, ProblemHandle> local_type(module, "LocalProblem",
                                                    R"(LocalProblem(W, q, mu, dim=3, *, V=None, R=None, s=None, name="")

u = W r + V λ + q,  Vᵀ r + R λ + s = 0,  and Coulomb's law at each of the nc contacts; m = dim·nc.
Vectors over contacts are contact-major, the normal first: (r_N, r_T1, r_T2, r_N, …).

W       (m, m)  scipy.sparse or dense float64, positive semi-definite, symmetric or not
q       (m,)    float64
mu      (nc,)   float64, each in [0, inf], or one number for all
dim             2 or 3
V, R, s (m, p), (p, p), (p,)  bilateral constraints, all or none

The arrays are copied once, here; the problem never changes afterwards. Its attributes are read-only views
without copies, matrices in the storage they came in. Raises InvalidProblem (a ValueError) or WrongType (a
TypeError) with the argument, what was found and what was expected.)");
  local_type
      .def(py::init(&make_local), py::arg("W"), py::arg("q"), py::arg("mu"), py::arg("dim") = 3, py::kw_only(), py::arg("V") = py::none(),
           py::arg("R") = py::none(), py::arg("s") = py::none(), py::arg("name") = "")
      .def_property_readonly(
          "W", [](const LocalHandle& h) { return matrix_out(local(h).W, h.get()); }, "scipy.sparse matrix (m, m)")
      .def_property_readonly(
          "q", [](const LocalHandle& h) { return view(local(h).q, h.get()); }, "(m,)")
      .def_property_readonly(
          "V", [](const LocalHandle& h) { return optional_matrix_out(local(h).V, h.get()); }, "(m, p) or None")
      .def_property_readonly(
          "R", [](const LocalHandle& h) { return optional_matrix_out(local(h).R, h.get()); }, "(p, p) or None")
      .def_property_readonly(
          "s", [](const LocalHandle& h) -> py::object { return local(h).V ? view(local(h).s, h.get()) : py::object(py::none()); },
          "(p,) or None")
      .def("__repr__", [](const LocalHandle& h) { return start("LocalProblem", *h.get()) + sizes(local(h).W, "W") + ">"; });
  add_pickle(local_type, "local", [](const py::object& p) {
    return py::make_tuple(p.attr("W"), p.attr("q"), p.attr("mu"), p.attr("dim"), p.attr("V"), p.attr("R"), p.attr("s"), p.attr("name"));
  });

  py::class_<GlobalHandle, ProblemHandle> global_type(module, "GlobalProblem",
                                                      R"(GlobalProblem(M, H, f, w, mu, dim=3, G=None, b=None, *, name="")

M v = H r + G λ + f,  Gᵀ v + b = 0,  u = Hᵀ v + w,  and Coulomb's law at each of the nc contacts; m = dim·nc.
Vectors over contacts are contact-major, the normal first: (r_N, r_T1, r_T2, r_N, …).

M     (n, n)  scipy.sparse or dense float64, positive definite, symmetric or not
H     (n, m)  scipy.sparse or dense float64: the transposed of the contact Jacobian
f     (n,)    float64
w     (m,)    float64, velocities of what moves by itself, and restitution
mu    (nc,)   float64, each in [0, inf], or one number for all
dim           2 or 3
G, b  (n, p), (p,)  bilateral constraints, both or none

The arrays are copied once, here; the problem never changes afterwards. Its attributes are read-only views
without copies, matrices in the storage they came in. Raises InvalidProblem (a ValueError) or WrongType (a
TypeError) with the argument, what was found and what was expected.)");
  global_type
      .def(py::init(&make_global), py::arg("M"), py::arg("H"), py::arg("f"), py::arg("w"), py::arg("mu"), py::arg("dim") = 3,
           py::arg("G") = py::none(), py::arg("b") = py::none(), py::kw_only(), py::arg("name") = "")
      .def_property_readonly(
          "M", [](const GlobalHandle& h) { return matrix_out(global(h).M, h.get()); }, "scipy.sparse matrix (n, n)")
      .def_property_readonly(
          "H", [](const GlobalHandle& h) { return matrix_out(global(h).H, h.get()); }, "scipy.sparse matrix (n, m)")
      .def_property_readonly(
          "f", [](const GlobalHandle& h) { return view(global(h).f, h.get()); }, "(n,)")
      .def_property_readonly(
          "w", [](const GlobalHandle& h) { return view(global(h).w, h.get()); }, "(m,)")
      .def_property_readonly(
          "G", [](const GlobalHandle& h) { return optional_matrix_out(global(h).G, h.get()); }, "(n, p) or None")
      .def_property_readonly(
          "b", [](const GlobalHandle& h) -> py::object { return global(h).G ? view(global(h).b, h.get()) : py::object(py::none()); },
          "(p,) or None")
      .def_property_readonly(
          "dofs", [](const GlobalHandle& h) { return global(h).dofs(); }, "n, the number of degrees of freedom")
      .def("__repr__", [](const GlobalHandle& h) {
        return start("GlobalProblem", *h.get()) + std::to_string(global(h).dofs()) + " degrees of freedom, " + sizes(global(h).H, "H") +
               ">";
      });
  add_pickle(global_type, "global_", [](const py::object& p) {
    return py::make_tuple(p.attr("M"), p.attr("H"), p.attr("f"), p.attr("w"), p.attr("mu"), p.attr("dim"), p.attr("G"), p.attr("b"),
                          p.attr("name"));
  });

  module.def("reduce", &reduced, py::arg("problem"));
  module.def("analyse", &analysis_out, py::arg("problem"), py::arg("dense_limit"));
}

}  // namespace cornet::python
