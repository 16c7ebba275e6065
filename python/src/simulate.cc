// Simulations: a scene steps in time, one Python object each.
#include <pybind11/stl.h>

#include "cornet/sim.h"
#include "cornet/sim_library.h"
#include "cornet/sim_record.h"
#include "python/src/bind.h"
#include "python/src/listener.h"
#include "python/src/problem.h"
#include "python/src/results.h"

namespace cornet::python {
namespace {

using sim::Vec3;

// Rows of `width` numbers.
class Table {
 public:
  Table(std::size_t rows, std::size_t width)
      : array_({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(width)}), at_(array_.mutable_data()) {}
  template <class Row>
  void add(const Row& row) {
    for (const double x : row) *at_++ = x;
  }
  py::array take() { return std::move(array_); }

 private:
  py::array_t<double> array_;
  double* at_;
};

py::dict energy_out(const sim::Energy& e) {
  py::dict out;
  out["kinetic"] = e.kinetic;
  out["potential"] = e.potential;
  out["friction"] = e.friction;
  out["impact"] = e.impact;
  out["driven"] = e.driven;
  out["viscous"] = e.viscous;
  return out;
}

// The names of `cornet simulate --stats`.
py::dict report_out(const sim::StepReport& r) {
  py::dict out;
  out["step"] = r.step;
  out["time"] = r.time;
  out["contacts"] = r.contacts;
  out["take_off"] = r.take_off;
  out["stick"] = r.stick;
  out["slide"] = r.slide;
  out["status"] = to_string(r.status);
  out["solver"] = r.solver;
  out["message"] = r.message;
  out["error"] = r.error;
  out["iterations"] = r.iterations;
  for (const auto& [key, value] : energy_out(r.energy)) out[key] = value;
  out["penetration"] = r.penetration;
  out["projection_sweeps"] = r.projected;
  out["verdict"] = r.verdict;
  out["redundant"] = r.redundant < 0 ? py::object(py::none()) : py::object(py::int_(r.redundant));
  out["solve_time"] = r.solve_time;
  out["collide_time"] = r.collide_time;
  out["step_time"] = r.step_time;
  return out;
}

class SimulationHandle : public FromZero {
 public:
  SimulationHandle(const sim::Scene& scene, const std::optional<std::string>& record, const std::optional<std::string>& vtk)
      : simulation_(scene) {
    if (record) recorder_.emplace(*record, simulation_);
    if (vtk) vtk_.emplace(*vtk, simulation_);
    simulation_.set_interrupt(listener_.interrupt());
    ready_ = true;
  }

  // The report, and whether the step was made. Reports are kept here, where no signal can come between a step and its report.
  py::tuple step() {
    check();
    const Turn turn(busy_, "simulation");
    const long before = simulation_.steps();
    sim::StepReport report;
    listener_.run([&] {
      report = simulation_.step();
      if (simulation_.steps() == before) return;
      if (recorder_) recorder_->add(simulation_, report);
      if (vtk_) vtk_->add(simulation_, report);
    });
    const bool made = simulation_.steps() > before;
    const py::dict out = report_out(report);
    if (made || !listener_.stopped()) reports_.append(out);
    listener_.rethrow();
    return py::make_tuple(out, made);
  }

  py::list reports() const { return reports_; }

  template <class Get>
  auto look(Get get) {
    check();
    const Turn turn(busy_, "simulation");
    return get(simulation_);
  }

 private:
  void check() const {
    if (!ready_) throw std::runtime_error("this simulation was made without __init__");
  }

  Listener listener_;
  sim::Simulation simulation_;
  std::optional<sim::Recorder> recorder_;
  std::optional<sim::VtkWriter> vtk_;
  py::list reports_;
  std::mutex busy_;
  bool ready_ = false;
};

py::dict bodies_out(const sim::Simulation& s) {
  const std::size_t count = s.scene().bodies.size();
  Table position(count, 3), orientation(count, 4), centre(count, 3), velocity(count, 3), spin(count, 3), mass(count, 1);
  py::list names;
  for (std::size_t k = 0; k < count; ++k) {
    const int number = static_cast<int>(k);
    const sim::BodyState state = s.body(number);
    position.add(state.pose.position);
    orientation.add(state.pose.orientation);
    centre.add(state.centre);
    velocity.add(state.velocity);
    spin.add(state.spin);
    mass.add(std::array<double, 1>{s.mass(number)});
    names.append(s.scene().bodies[k].name);
  }
  py::dict out;
  out["name"] = names;
  out["position"] = position.take();
  out["orientation"] = orientation.take();
  out["centre"] = centre.take();
  out["velocity"] = velocity.take();
  out["spin"] = spin.take();
  out["mass"] = mass.take().attr("ravel")();
  return out;
}

py::dict contacts_out(const sim::Simulation& s) {
  const auto& contacts = s.contacts();
  const std::size_t count = contacts.size();
  Table point(count, 3), normal(count, 3), tangent(count, 3), reaction(count, 3), numbers(count, 2);
  py::array_t<int> a(static_cast<py::ssize_t>(count)), b(static_cast<py::ssize_t>(count));
  py::list status;
  for (std::size_t k = 0; k < count; ++k) {
    const sim::Contact& c = contacts[k];
    point.add(c.point);
    normal.add(c.normal);
    tangent.add(c.tangent);
    reaction.add(c.reaction);
    numbers.add(std::array<double, 2>{c.gap, c.mu});
    a.mutable_at(static_cast<py::ssize_t>(k)) = c.a;
    b.mutable_at(static_cast<py::ssize_t>(k)) = c.b;
    status.append(to_string(c.status));
  }
  const py::array both = numbers.take();
  py::dict out;
  out["a"] = a;
  out["b"] = b;
  out["point"] = point.take();
  out["normal"] = normal.take();
  out["tangent"] = tangent.take();
  out["reaction"] = reaction.take();
  out["gap"] = both[py::make_tuple(py::ellipsis(), 0)].attr("copy")();
  out["mu"] = both[py::make_tuple(py::ellipsis(), 1)].attr("copy")();
  out["status"] = status;
  return out;
}

py::dict answer_out(const sim::Simulation& s) {
  const Iterate& x = s.answer();
  py::dict out;
  const std::pair<const char*, const std::vector<double>*> parts[] = {{"r", &x.r}, {"u", &x.u}, {"v", &x.v}, {"lambda_", &x.lambda}};
  for (const auto& [name, values] : parts) out[name] = array_out(*values);
  return out;
}

py::list scenes_out() {
  py::list out;
  for (const sim::SceneInfo& info : sim::scenes()) {
    py::list parameters;
    for (const sim::SceneParameter& p : info.parameters) {
      py::dict row;
      row["name"] = p.name;
      row["default"] = p.value;
      row["lower"] = p.lower;
      row["upper"] = p.upper;
      row["what"] = p.what;
      parameters.append(row);
    }
    py::dict scene;
    scene["name"] = info.name;
    scene["what"] = info.what;
    scene["parameters"] = parameters;
    out.append(scene);
  }
  return out;
}

}  // namespace

void bind_simulate(py::module_& module) {
  py::class_<sim::Scene>(module, "Scene")
      .def_readwrite("name", &sim::Scene::name)
      .def_readwrite("dt", &sim::Scene::dt)
      .def_property(
          "solver", [](const sim::Scene& scene) { return scene.solver; },
          [](sim::Scene& scene, const std::string& id) {
            scene.solver = id;
            scene.solver_options.clear();  // they were another one's
          })
      .def_readwrite("tolerance", &sim::Scene::tolerance)
      .def_readwrite("existence_every", &sim::Scene::existence_every)
      .def_readonly("duration", &sim::Scene::duration)
      .def("text", [](const sim::Scene& scene) { return sim::to_text(scene); });
  module.def("make_scene", &sim::make_scene, py::arg("name"), py::arg("parameters"));
  module.def(
      "read_scene", [](const py::bytes& path) { return sim::read_scene(path); }, py::arg("path"));
  module.def("parse_scene", &sim::parse_scene, py::arg("text"));
  module.def("scenes", &scenes_out);

  py::class_<SimulationHandle>(module, "Simulation")
      .def(py::init([](const sim::Scene& scene, const std::optional<py::bytes>& record, const std::optional<py::bytes>& vtk) {
             const auto text = [](const std::optional<py::bytes>& path) {
               return path ? std::optional<std::string>(std::string(*path)) : std::nullopt;
             };
             return std::make_unique<SimulationHandle>(scene, text(record), text(vtk));
           }),
           py::arg("scene"), py::arg("record"), py::arg("vtk"))
      .def("step", &SimulationHandle::step)
      .def("reports", &SimulationHandle::reports)
      .def("steps", [](SimulationHandle& h) { return h.look([](auto& s) { return s.steps(); }); })
      .def("time", [](SimulationHandle& h) { return h.look([](auto& s) { return s.time(); }); })
      .def("energy", [](SimulationHandle& h) { return h.look([](auto& s) { return energy_out(s.energy()); }); })
      .def("bodies", [](SimulationHandle& h) { return h.look([](auto& s) { return bodies_out(s); }); })
      .def("contacts", [](SimulationHandle& h) { return h.look([](auto& s) { return contacts_out(s); }); })
      .def("problem", [](SimulationHandle& h) { return h.look([](auto& s) { return problem_out(s.problem()); }); })
      .def("answer", [](SimulationHandle& h) { return h.look([](auto& s) { return answer_out(s); }); })
      .def("scene_text", [](SimulationHandle& h) { return h.look([](auto& s) { return sim::to_text(s.scene()); }); })
      .def("dim", [](SimulationHandle& h) { return h.look([](auto& s) { return s.scene().dim; }); });
}

}  // namespace cornet::python
