// Existence on systems that move (000 §5.6–5.7; 002 §4.5.4–4.6), step by step in the simulator: the criterion holds for a funnel, a shaken plate
// and a turning drum, and its verdict changes between two plates that move against each other. Finite elements against theory.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cornet/existence.h"
#include "cornet/sim.h"
#include "cornet/sim_library.h"
#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

struct Verdicts {
  int steps = 0, contacts = 0, guaranteed = 0, undecided = 0;
  std::vector<svg::Point> good, bad;  // time, contacts
  std::map<std::string, int> by_name;
};

Verdicts watch(const std::string& name, const OptionTexts& settings, int steps, int every) {
  sim::Scene scene = sim::make_scene(name, settings);
  scene.solver = "nsgs-ac";
  scene.tolerance = 1e-3;
  scene.max_iterations = 1000;
  scene.on_failure = sim::FailurePolicy::go_on;
  scene.existence_every = every;
  sim::Simulation simulation(scene);
  Verdicts out;
  for (int k = 0; k < steps; ++k) {
    const sim::StepReport report = simulation.step();
    if (report.verdict.empty()) continue;
    ++out.steps;
    out.contacts = std::max(out.contacts, report.contacts);
    ++out.by_name[report.verdict];
    (report.verdict.starts_with("guaranteed") ? out.good : out.bad).push_back({report.time, static_cast<double>(report.contacts)});
    out.guaranteed += report.verdict.starts_with("guaranteed");
    out.undecided += report.verdict == "undecided";
  }
  return out;
}

void draw(Report& report, const std::string& title, const Verdicts& v) {
  double last = 0;
  for (const auto* list : {&v.good, &v.bad})
    for (const svg::Point& p : *list) last = std::max(last, p.x);
  svg::Canvas canvas(720, 420);
  svg::Plot plot(canvas, {80, 40, 600, 310}, {0, 1.05 * last, "time in s"}, {0, 1.15 * v.contacts, "contacts"}, title);
  plot.markers(v.good, svg::fill(svg::colour::kBlue), 3, "a solution is guaranteed");
  plot.markers(v.bad, svg::fill(svg::colour::kRed), 3, "not guaranteed, or impossible");
  plot.legend(svg::Corner::top_left);
  report.figures.push_back(
      {report.experiment.name + ".svg", "Contacts and verdict of the existence criterion, step by step.", canvas.str()});
  ReportTable table{"Verdicts", {"verdict", ">steps"}, {}};
  for (const auto& [name, count] : v.by_name) table.rows.push_back({name, std::to_string(count)});
  report.tables.push_back(table);
}

void holds(Report& report, const std::string& what, const Verdicts& v) {
  expect_at_least(report, what + ": steps with contacts that were looked at", 10, v.steps);
  expect_at_least(report, "most contacts in a step", 20, v.contacts);
  expect_all(report, "steps where a solution is guaranteed", v.steps, v.guaranteed);
  draw(report, what, v);
}

// Force of the contacts on the solid along −z.
double pressed(sim::Simulation& simulation, double until) {
  while (simulation.time() < until - 1e-9) simulation.step();
  double out = 0;
  for (const sim::Contact& c : simulation.contacts()) out -= c.reaction[2];
  return out / simulation.scene().dt;
}

}  // namespace

void funnel(Report& report) { holds(report, "balls in a funnel and on the ground", watch("funnel", {{"count", "30"}}, 120, 4)); }

void plate(Report& report) {
  holds(report, "pile on a plate that shakes up and down", watch("vibrating-plate", {{"count", "30"}}, 120, 4));
}

void drum(Report& report) { holds(report, "balls in a turning drum", watch("rotating-drum", {{"count", "30"}}, 160, 5)); }

void two_objects(Report& report) {
  const Verdicts v = watch("two-external-objects", {}, 200, 1);
  expect_at_least(report, "different verdicts on the way", 2, static_cast<double>(v.by_name.size()));
  expect_at_least(report, "steps where a solution is guaranteed", 1, v.guaranteed);
  expect_at_least(report, "steps where it is not", 1, v.steps - v.guaranteed - v.undecided);
  draw(report, "Balls between two plates", v);
}

void fem(Report& report) {
  sim::Simulation patch(sim::make_scene("patch-test"));
  expect_near(report, "patch test: force of a uniform strain of 1e-3 on a unit area, N", 1000, pressed(patch, 1), 1e-3);
  // The half-space of the theory ends at 200 contact radii, where it is held.
  ReportTable table{"Hertz: a rigid ball of radius 2 m, 2 cm deep in an elastic half-space",
                    {">elements in the contact radius", ">force in N", ">theory", ">error in %"},
                    {}};
  const double theory = 4.0 / 3 * 1e6 / (1 - 0.09) * std::sqrt(2.0) * std::pow(0.02, 1.5);
  std::vector<svg::Point> found;
  for (const int elements : {1, 2}) {
    sim::Scene scene = sim::make_scene("hertz", {{"elements", std::to_string(elements)}});
    scene.dt = 1;
    sim::Simulation simulation(scene);
    const double force = pressed(simulation, 1);
    table.rows.push_back(
        {std::to_string(elements), short_number(force, 5), short_number(theory, 5), short_number(100 * (force - theory) / theory)});
    found.push_back({static_cast<double>(elements), force});
    expect_near(report, fmt::format("Hertz: force in N, {} elements in the contact radius", elements), theory, force, 0.05 * theory);
  }
  expect_at_least(report, "Hertz: error of the coarse mesh less that of the fine one, N", 0,
                  std::abs(found[0].y - theory) - std::abs(found[1].y - theory));
  report.tables.push_back(table);
  svg::Canvas canvas(720, 420);
  svg::Plot plot(canvas, {80, 40, 600, 310}, {0, 3, "elements in the contact radius"}, {0, 1.5 * theory, "force in N"}, "Hertz contact");
  plot.line({{0, theory}, {3, theory}}, svg::stroke(svg::colour::kGrey), "theory of the half-space");
  plot.markers(found, svg::fill(svg::colour::kBlue), 4, "finite elements");
  plot.legend(svg::Corner::bottom_right);
  report.figures.push_back({"fem.svg", "Force of a rigid ball on an elastic half-space against the fineness of the mesh.", canvas.str()});
  for (const double mu : {0.0, 0.3, 3.0}) {
    sim::Scene scene = sim::make_scene("elastic-cubes", {{"divisions", "2"}, {"mu", fmt::format("{}", mu)}});
    scene.existence_every = 1;
    scene.tolerance = 1e-6;
    sim::Simulation simulation(scene);
    int steps = 0, good = 0;
    for (int k = 0; k < 10; ++k) {
      const sim::StepReport step = simulation.step();
      if (step.verdict.empty()) continue;
      ++steps;
      good += step.verdict.starts_with("guaranteed");
    }
    expect_all(report, fmt::format("elastic cubes, μ = {}: a solution is guaranteed", mu), steps, good);
  }
}

}  // namespace cornet::reproduction
