// cornet simulate SCENE and cornet scenes: a scene steps in time; records, statistics, VTK files and contact problems come out.
#include <fmt/format.h>
#include <malloc.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/sim_library.h"
#include "cornet/sim_record.h"

namespace cornet::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string scene;
  std::vector<std::string> settings;
  long steps = 0;
  double time = 0, dt = 0, tolerance = 0;
  std::string solver, record, vtk, stats, problems, resume, form = "global";
  long vtk_every = 1, dump_every = 1;
  int check_every = 0;
  double memory_limit = 0;  // bytes of the program
};

bool is_file(const std::string& name) { return name.find('/') != std::string::npos || fs::path(name).extension() == ".json"; }

sim::Scene load(const Arguments& arguments) {
  const OptionTexts settings = parse_settings(arguments.settings);
  sim::Scene scene;
  if (is_file(arguments.scene)) {
    if (!settings.empty()) throw UsageError("--set: a scene file has no parameters, only scenes of the library have");
    scene = sim::read_scene(arguments.scene);
    if (scene.name.empty()) scene.name = fs::path(arguments.scene).stem().string();
  } else {
    scene = sim::make_scene(arguments.scene, settings);
  }
  if (arguments.dt > 0) scene.dt = arguments.dt;
  if (!arguments.solver.empty()) {
    scene.solver = arguments.solver;
    scene.solver_options.clear();  // they were another one's
  }
  if (arguments.tolerance > 0) scene.tolerance = arguments.tolerance;
  if (arguments.check_every > 0) scene.existence_every = arguments.check_every;
  return scene;
}

// The problem of the last step with the answer that was found.
void dump(const sim::Simulation& simulation, const std::string& path, const std::string& form) {
  ProblemFile file;
  file.global = simulation.problem();
  file.solution = simulation.answer();
  if (form != "global") {
    file.local = reduce(*file.global).local();
    file.local->name = file.global->name;
  }
  if (form == "local") {
    file.global.reset();
    file.solution->v.clear();
    file.solution->lambda.clear();
  }
  write_file(path, file);
}

class Statistics {
 public:
  explicit Statistics(const std::string& path) : path_(path), out_(path) {
    out_ << "step,time,contacts,take_off,stick,slide,status,solver,error,iterations,kinetic,potential,friction,impact,driven,viscous,"
            "penetration,projection_sweeps,verdict,redundant,solve_time,collide_time,step_time\n";
    check();
  }
  void add(const sim::StepReport& r) {
    const sim::Energy& e = r.energy;
    out_ << fmt::format(
        "{},{:.10g},{},{},{},{},{},{},{:.3e},{},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.3e},{},{},{},{:.3e},{:.3e},{:.3e}\n",
        r.step, r.time, r.contacts, r.take_off, r.stick, r.slide, to_string(r.status), r.solver, r.error, r.iterations, e.kinetic,
        e.potential, e.friction, e.impact, e.driven, e.viscous, r.penetration, r.projected, r.verdict,
        r.redundant < 0 ? "" : std::to_string(r.redundant), r.solve_time, r.collide_time, r.step_time);
    check();
  }

 private:
  void check() {
    out_.flush();
    if (!out_) throw IoError(fmt::format("{}: cannot be written", path_));
  }
  std::string path_;
  std::ofstream out_;
};

// What a run adds up.
struct Totals {
  long steps = 0, contacts = 0, iterations = 0, unsolved = 0, most_contacts = 0;
  double solve = 0, collide = 0, wall = 0, worst_error = 0, deepest = 0;
  std::map<std::string, long> verdicts;
  long assessed = 0, redundant = 0;  // steps
  std::string message;
  void add(const sim::StepReport& r) {
    ++steps;
    contacts += r.contacts;
    most_contacts = std::max<long>(most_contacts, r.contacts);
    iterations += r.iterations;
    unsolved += !r.ok();
    solve += r.solve_time;
    collide += r.collide_time;
    wall += r.step_time;
    worst_error = std::max(worst_error, r.error);
    deepest = std::max(deepest, r.penetration);
    if (!r.verdict.empty()) ++verdicts[r.verdict];
    assessed += r.redundant >= 0;
    redundant += r.redundant > 0;
    if (!r.ok() && message.empty()) message = fmt::format("step {}: {}", r.step, r.message);
  }
};

void report(const Command& command, const sim::Simulation& simulation, const Totals& t, const std::string& outcome) {
  const sim::Energy e = simulation.energy();
  if (command.json) {
    Json out{{"scene", simulation.scene().name}, {"outcome", outcome}, {"steps", t.steps}, {"step", simulation.steps()}};
    out["time"] = json_number(simulation.time());
    out["contacts"] =
        Json{{"mean", t.steps ? static_cast<double>(t.contacts) / static_cast<double>(t.steps) : 0}, {"most", t.most_contacts}};
    out["iterations"] = t.iterations;
    out["unsolved"] = t.unsolved;
    out["worst_error"] = json_number(t.worst_error);
    out["deepest_penetration"] = json_number(t.deepest);
    out["energy"] =
        Json{{"kinetic", json_number(e.kinetic)}, {"potential", json_number(e.potential)}, {"friction", json_number(e.friction)},
             {"impact", json_number(e.impact)},   {"driven", json_number(e.driven)},       {"viscous", json_number(e.viscous)}};
    out["verdicts"] = t.verdicts;
    out["uniqueness"] = Json{{"assessed", t.assessed}, {"not_unique", t.redundant}};
    out["wall_time"] = json_number(t.wall);
    out["solve_time"] = json_number(t.solve);
    out["collide_time"] = json_number(t.collide);
    out["message"] = t.message;
    print_json(out);
  } else if (!command.quiet) {
    Fields fields;
    fields.add("scene", paint(Colour::bold, simulation.scene().name) + "  " + simulation.scene().what);
    fields.add("outcome", outcome);
    fields.add("steps", fmt::format("{} of {}, to {} s", t.steps, seconds(simulation.scene().dt), number(simulation.time(), 6)));
    fields.add("contacts",
               fmt::format("{} per step, {} at most", number(t.steps ? static_cast<double>(t.contacts) / static_cast<double>(t.steps) : 0),
                           t.most_contacts));
    fields.add("worst error", fmt::format("{} (tolerance {})", scientific(t.worst_error), scientific(simulation.scene().tolerance)));
    fields.add("penetration", fmt::format("{} m at most", scientific(t.deepest)));
    fields.add("energy", fmt::format("kinetic {} J, potential {} J; friction took {} J, impacts {} J, moving bodies gave {} J",
                                     number(e.kinetic), number(e.potential), number(e.friction), number(e.impact), number(e.driven)));
    for (const auto& [verdict, count] : t.verdicts) fields.add("existence", fmt::format("{}: {} steps", verdict, count));
    if (t.assessed > 0)
      fields.add("reactions", t.redundant == 0
                                  ? "unique for the statuses found"
                                  : fmt::format("not unique in {} of {} steps looked at (hyperstatic)", t.redundant, t.assessed));
    fields.add("wall time", fmt::format("{} ({} in the solver, {} in collision)", seconds(t.wall), seconds(t.solve), seconds(t.collide)));
    if (!t.message.empty()) fields.add("message", t.message);
    print(fields.text());
  }
}

// A step makes and frees matrices of all sizes. Large ones go back to the system at once: peak memory falls by a third, for a few per cent of
// time.
constexpr int kLargeAllocation = 1 << 18;

int run(const Command& command, const Arguments& arguments) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before there are threads
  mallopt(M_MMAP_THRESHOLD, kLargeAllocation);
  const bool resume = !arguments.resume.empty();
  if (resume == !arguments.scene.empty())
    throw UsageError("simulate: expected either SCENE or --resume RECORD (see cornet simulate --help)");
  if (resume && (!arguments.settings.empty() || arguments.dt > 0 || !arguments.solver.empty() || arguments.tolerance > 0 ||
                 !arguments.record.empty()))
    throw UsageError(
        "simulate: --resume goes on with the scene and the record as they are; --set, --dt, --solver, --tol and --record do not go with "
        "it");
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("preparing");
  std::optional<sim::Recorder> recorder;
  std::optional<sim::Simulation> running;
  std::optional<sim::Scene> scene_given;
  if (!resume) scene_given = load(arguments);  // a wrong scene leaves no files
  if (resume && !fs::exists(arguments.resume)) throw IoError(fmt::format("{}: cannot be read", arguments.resume));
  const OutputLock record_lock(resume ? arguments.resume : arguments.record), stats_lock(arguments.stats);
  if (resume) {
    auto [r, s] = sim::Recorder::resume(arguments.resume);
    recorder.emplace(std::move(r));
    running.emplace(std::move(s));
  } else {
    running.emplace(std::move(*scene_given));
    if (!arguments.record.empty()) recorder.emplace(arguments.record, *running);
  }
  sim::Simulation& simulation = *running;
  simulation.set_interrupt(InterruptGuard::flag());
  simulation.set_memory_limit(memory_left(arguments.memory_limit));
  simulation.keep_failures(arguments.problems.empty() ? "." : arguments.problems);
  const sim::Scene& scene = simulation.scene();
  const double duration = arguments.time > 0 ? arguments.time : scene.duration;
  const long target = arguments.steps > 0 ? arguments.steps : std::max(1L, std::lround(duration / scene.dt));
  std::optional<Statistics> statistics;
  if (!arguments.stats.empty()) statistics.emplace(arguments.stats);
  std::optional<sim::VtkWriter> vtk;
  if (!arguments.vtk.empty()) vtk.emplace(arguments.vtk, simulation);
  if (!arguments.problems.empty()) make_folder(arguments.problems);
  const OutputLock vtk_lock(arguments.vtk), problems_lock(arguments.problems == arguments.vtk ? "" : arguments.problems);

  Totals totals;
  std::string outcome = "done";
  progress.stage(fmt::format("{}: {} steps", scene.name, target));
  while (simulation.steps() < target) {
    const long before = simulation.steps();
    const sim::StepReport step = simulation.step();
    if (step.status == Status::interrupted || InterruptGuard::requested()) {
      outcome = "interrupted";
      if (simulation.steps() == before) break;
    }
    totals.add(step);
    progress.update(step.step, step.error);
    if (statistics) statistics->add(step);
    if (!arguments.problems.empty() && step.contacts > 0 && step.step % arguments.dump_every == 0 && step.ok())
      dump(simulation, fmt::format("{}/{}-{:06}.hdf5", arguments.problems, sim::file_name(scene), step.step), arguments.form);
    if (!step.ok()) {
      progress.stop();
      if (!command.quiet && totals.unsolved <= 5)
        print_error(fmt::format("step {}: {}{}", step.step, step.message,
                                step.kept.empty() ? "" : fmt::format(" (problem kept in {})", step.kept)));
    }
    if (simulation.steps() == before) {
      outcome = fmt::format("stopped: step {} could not be solved", step.step);
      break;
    }
    if (recorder) recorder->add(simulation, step);
    if (vtk && step.step % arguments.vtk_every == 0) vtk->add(simulation, step);
    if (outcome == "interrupted") break;
  }
  progress.stop();
  report(command, simulation, totals, outcome);
  if (outcome == "interrupted") return kInterrupted;
  return totals.unsolved > 0 ? kNotSolved : kDone;
}

int list(const Command& command, const std::string& name) {
  if (!name.empty()) {
    const sim::Scene scene = sim::make_scene(name);
    print(sim::to_text(scene) + "\n");
    return kDone;
  }
  if (command.json) {
    Json out = Json::array();
    for (const sim::SceneInfo& info : sim::scenes()) {
      Json entry{{"name", info.name}, {"what", info.what}, {"parameters", Json::array()}};
      for (const sim::SceneParameter& p : info.parameters)
        entry["parameters"].push_back(
            Json{{"name", p.name}, {"default", p.value}, {"lower", p.lower}, {"upper", p.upper}, {"what", p.what}});
      out.push_back(entry);
    }
    print_json(out);
  } else if (command.quiet) {
    for (const sim::SceneInfo& info : sim::scenes()) print(info.name + "\n");
  } else {
    Table table({"name", "what"});
    for (const sim::SceneInfo& info : sim::scenes()) {
      std::string parameters;
      for (const sim::SceneParameter& p : info.parameters)
        parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", p.name, number(p.value, 6));
      table.add({info.name, fmt::format("{} ({})", info.what, parameters)});
    }
    print(table.text());
  }
  return kDone;
}

}  // namespace

void add_simulate(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub =
      add_command(app, command, "simulate", "Steps a scene in time.",
                  "SCENE is a name from `cornet scenes` or a scene file (JSON, docs/scene.md). Every step solves its contact "
                  "problem to the tolerance of the scene. A step that fails keeps its problem as a file and says why.",
                  "cornet simulate arch --set mu=0.2 --record arch.rec\ncornet simulate scene.json --vtk frames --stats run.csv\n"
                  "cornet simulate --resume arch.rec --time 20");
  sub->add_option("SCENE", arguments->scene, "Name from `cornet scenes`, or a .json file.");
  sub->add_option("--set", arguments->settings, "Parameter of a scene of the library; may be repeated.")
      ->type_name("PARAM=VALUE")
      ->take_all();
  sub->add_option("--steps", arguments->steps, "Stop after this step. Default: from the duration of the scene.")
      ->check(in_range({1, 1e15}, true))
      ->type_name("N");
  sub->add_option("--time", arguments->time, "Stop at this time, in s. Default: the duration of the scene.")
      ->check(in_range({1e-12, 1e12}))
      ->type_name("T");
  sub->add_option("--dt", arguments->dt, "Step length in s. Default: that of the scene.")->check(in_range({1e-12, 1e6}))->type_name("H");
  sub->add_option("--solver", arguments->solver, "Method; cornet solvers lists them. Default: that of the scene.")->type_name("ID");
  sub->add_option("--tol", arguments->tolerance, "Tolerance on the certified error. Default: that of the scene.")
      ->check(in_range({1e-16, 1}))
      ->type_name("T");
  add_memory_limit(*sub, arguments->memory_limit);
  sub->add_option("--record", arguments->record, "Trajectory, for cornet view and --resume.")->type_name("FILE");
  sub->add_option("--resume", arguments->resume, "Goes on with a record from its last state, bit by bit as if never stopped.")
      ->type_name("RECORD");
  sub->add_option("--stats", arguments->stats, "One line per step: contacts, error, energies, times.")->type_name("FILE.csv");
  sub->add_option("--vtk", arguments->vtk, "Folder for ParaView files.")->type_name("DIR");
  sub->add_option("--vtk-every", arguments->vtk_every, "Every how many steps. Default: 1.")
      ->check(in_range({1, 1e9}, true))
      ->type_name("K");
  sub->add_option("--dump-problems", arguments->problems, "Folder for the contact problems, as FCLIB files with their answers.")
      ->type_name("DIR");
  sub->add_option("--dump-every", arguments->dump_every, "Every how many steps. Default: 1.")
      ->check(in_range({1, 1e9}, true))
      ->type_name("K");
  sub->add_option("--dump-form", arguments->form, "local, global or both. Default: global.")
      ->check(CLI::IsMember({"local", "global", "both"}))
      ->type_name("FORM");
  sub->add_option("--check-every", arguments->check_every, "Existence verdict every how many steps. Default: that of the scene.")
      ->check(in_range({1, 1e9}, true))
      ->type_name("K");
  sub->callback([&command, arguments] {
    command.paths.clear();
    if (!arguments->resume.empty()) command.paths.push_back(arguments->resume);
    if (is_file(arguments->scene)) command.paths.push_back(arguments->scene);
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

void add_scenes(CLI::App& app, Command& command) {
  auto name = std::make_shared<std::string>();
  CLI::App* sub = add_command(app, command, "scenes", "Lists the library of scenes.",
                              "With NAME it prints that scene as a scene file, to start a scene of your own from.",
                              "cornet scenes\ncornet scenes arch > my-arch.json");
  sub->add_option("NAME", *name, "Scene to print.");
  sub->callback([&command, name] { command.run = [&command, name] { return list(command, *name); }; });
}

}  // namespace cornet::cli
