// cornet convex FILE: the convex problem for given sliding velocities, by one engine, with its certificate.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/convex.h"
#include "cornet/error.h"
#include "cornet/reduce.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string file;
  std::string s = "zero";
  std::string over = "cone";
  std::string radius;
  std::string normal;
  std::string guess = "zero";
  Form form = Form::any;
  ConvexOptions options;
  std::vector<std::string> settings;  // OPTION=VALUE
  bool list = false;
  bool verbose = false;
};

ConvexSet set_of(const std::string& text) {
  for (const ConvexSet set : {ConvexSet::cone, ConvexSet::half_line, ConvexSet::disk, ConvexSet::cylinder})
    if (text == to_string(set)) return set;
  throw UsageError(fmt::format("--over: found '{}', expected cone, half_line, disk or cylinder", text));
}

// One number for all contacts, or one per contact, separated by commas.
std::vector<double> parse_values(const std::string& option, const std::string& text, int nc) {
  std::vector<double> out;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at <= end) {
    const char* comma = std::find(at, end, ',');
    double value = 0;
    const auto parsed = std::from_chars(at, comma, value);
    if (parsed.ec != std::errc() || parsed.ptr != comma)
      throw UsageError(fmt::format("{}: found '{}', expected numbers separated by commas", option, std::string(at, comma)));
    out.push_back(value);
    at = comma + 1;
  }
  if (out.size() == 1) out.assign(static_cast<std::size_t>(nc), out.front());
  if (out.size() != static_cast<std::size_t>(nc))
    throw UsageError(fmt::format("{}: found {} numbers, expected one or {} (one per contact)", option, out.size(), nc));
  return out;
}

// A stored point that fits; `why` names the option that asks for it.
Iterate stored_point(const ProblemFile& file, const Problem& problem, const std::string& why) {
  if (file.solution) return fit(*file.solution, problem, "/solution");
  if (!file.guesses.empty()) return fit(file.guesses.front(), problem, "/guesses/1");
  throw InvalidProblem(fmt::format("/solution: found no stored solution and no guess, expected one for {} stored", why));
}

// ‖u_T‖ of the velocities that belong to stored reactions.
std::vector<double> sliding(const Problem& problem, const Iterate& point) {
  const int d = dimension(problem);
  std::vector<double> u;
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) u = Reduction(*global).expand(point).u;
  else u = velocities(std::get<LocalProblem>(problem), point.r);
  std::vector<double> s;
  for (int a = 0; a < contacts(problem); ++a) {
    double sum = 0;
    for (int i = 1; i < d; ++i) sum = std::hypot(sum, u[static_cast<std::size_t>(a) * d + i]);
    s.push_back(sum);
  }
  return s;
}

ConvexQuestion question_of(const Arguments& arguments, const ProblemFile& file, const Problem& problem) {
  const int nc = contacts(problem), d = dimension(problem);
  ConvexQuestion question;
  question.set = set_of(arguments.over);
  if (arguments.s == "stored") question.s = sliding(problem, stored_point(file, problem, "--s"));
  else if (arguments.s != "zero") question.s = parse_values("--s", arguments.s, nc);
  if (arguments.normal == "stored") {
    const Iterate point = stored_point(file, problem, "--normal");
    for (int a = 0; a < nc; ++a) question.normal.push_back(point.r[static_cast<std::size_t>(a) * d]);
  } else if (!arguments.normal.empty()) {
    question.normal = parse_values("--normal", arguments.normal, nc);
  }
  if (!arguments.radius.empty()) question.radius = parse_values("--radius", arguments.radius, nc);
  for (double s : question.s)
    if (!(s >= 0 && std::isfinite(s))) throw UsageError(fmt::format("--s: found {}, expected finite velocities ≥ 0", s));
  for (double radius : question.radius)
    if (!(radius >= 0)) throw UsageError(fmt::format("--radius: found {}, expected values ≥ 0", radius));
  return question;
}

int code_of(ConvexStatus status) {
  switch (status) {
    case ConvexStatus::optimal: return kDone;
    case ConvexStatus::infeasible: return kNoSolution;
    case ConvexStatus::numerical_error: return kNumerical;
    case ConvexStatus::interrupted: return kInterrupted;
    default: return kNotSolved;
  }
}

Json numbers_json(const std::vector<double>& values) {
  Json out = Json::array();
  for (double x : values) out.push_back(json_number(x));
  return out;
}

void add_to_json(Json& out, const Arguments& arguments, const ConvexQuestion& question, const ConvexResult& result) {
  const ConvexCertificate& c = result.certificate;
  out["set"] = to_string(question.set);
  out["status"] = to_string(result.status);
  out["message"] = result.message;
  out["engine"] = result.engine;
  out["tolerance"] = arguments.options.tolerance;
  out["iterations"] = result.iterations;
  out["time"] = json_number(result.time);
  out["certificate"] = Json{{"dual_objective", json_number(c.dual_objective)},
                            {"primal_objective", json_number(c.primal_objective)},
                            {"gap", json_number(c.gap)},
                            {"cone_violation", json_number(c.cone_violation)},
                            {"dual_violation", json_number(c.dual_violation)},
                            {"natural_map", json_number(c.natural_map)},
                            {"verified", c.verified}};
  if (result.status == ConvexStatus::infeasible) {
    out["certificate"] = Json{{"ray", numbers_json(c.ray)},
                              {"ray_descent", json_number(c.ray_descent)},
                              {"ray_residual", json_number(c.ray_residual)},
                              {"verified", c.verified}};
  }
  if (arguments.verbose) {
    out["s"] = numbers_json(question.s);
    out["r"] = numbers_json(result.x.r);
    out["u"] = numbers_json(result.x.u);
    if (!result.x.v.empty()) out["v"] = numbers_json(result.x.v);
  }
  out["statistics"] = Json::object();
  for (const auto& [name, value] : result.statistics) out["statistics"][name] = json_number(value);
  out["options"] = result.options;
  if (!arguments.options.keep_history) return;
  out["history"] = Json::array();
  for (const HistoryEntry& entry : result.history)
    out["history"].push_back(
        Json{{"iteration", entry.iteration}, {"time", json_number(entry.time)}, {"own_residual", json_number(entry.own_residual)}});
}

std::string as_text(const Arguments& arguments, const Problem& problem, const ConvexQuestion& question, const ConvexResult& result) {
  const ConvexCertificate& c = result.certificate;
  Fields fields;
  fields.add("file", arguments.file);
  fields.add("problem", problem_line(problem));
  const double largest = question.s.empty() ? 0.0 : *std::max_element(question.s.begin(), question.s.end());
  fields.add("question", fmt::format("reactions in {}, s = {}{}", to_string(question.set), arguments.s,
                                     largest > 0 ? fmt::format(" (at most {})", number(largest)) : ""));
  fields.add("engine", result.engine);
  const bool good = result.status == ConvexStatus::optimal;
  fields.add("status", mark(good) + " " + paint(good ? Colour::green : Colour::red, to_string(result.status)));
  fields.add("meaning", result.message);
  if (result.status == ConvexStatus::infeasible) {
    fields.add("certificate", fmt::format("{} a ray r with W r = 0 that descends, residual {}, verified by separate code", mark(c.verified),
                                          scientific(c.ray_residual)));
  } else {
    fields.add("objective", fmt::format("{} (dual), {} (primal)", number(c.dual_objective, 8), number(c.primal_objective, 8)));
    fields.add("gap", fmt::format("{}, tolerance {}", scientific(c.gap), number(arguments.options.tolerance)));
    fields.add("violations", fmt::format("{} (r), {} (velocities)", scientific(c.cone_violation), scientific(c.dual_violation)));
    fields.add("natural map", scientific(c.natural_map));
  }
  fields.add("iterations", std::to_string(result.iterations));
  fields.add("time", seconds(result.time));
  if (arguments.verbose) {
    std::string options;
    for (const auto& [name, value] : result.options) options += (options.empty() ? "" : ", ") + name + "=" + value;
    fields.add("options", options.empty() ? "none" : options);
  }
  return fields.text();
}

Json engine_json(const EngineInfo& engine) {
  SolverInfo row;  // the same keys for options as in cornet solvers
  row.options = engine.options;
  return Json{{"id", engine.id},
              {"title", engine.title},
              {"summary", engine.summary},
              {"forms", engine.forms},
              {"options", solver_json(row)["options"]},
              {"reference", engine.reference}};
}

int list_engines(const Command& command) {
  if (command.json) {
    Json out = Json::array();
    for (const EngineInfo& engine : convex_engines()) out.push_back(engine_json(engine));
    print_json(out);
    return kDone;
  }
  for (const EngineInfo& engine : convex_engines()) {
    Fields fields;
    fields.add("engine", paint(Colour::bold, engine.id) + ": " + engine.title);
    fields.add("method", engine.summary);
    for (const OptionInfo& option : engine.options) fields.add("  " + option.name, fmt::format("{} ({})", option.what, option.range));
    print(fields.text() + "\n");
  }
  return kDone;
}

int run(const Command& command, Arguments& arguments) {
  if (arguments.list) return list_engines(command);
  if (arguments.file.empty()) throw UsageError("convex: FILE is missing (see cornet convex --help)");
  set_of(arguments.over);
  ConvexOptions& options = arguments.options;
  options.options = parse_settings(arguments.settings);

  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("reading " + arguments.file);
  const ProblemFile file = read_file(arguments.file);
  warn(command, arguments.file, file.warnings);
  const Problem problem = take_problem(file, arguments.form);
  const ConvexQuestion question = question_of(arguments, file, problem);
  const Iterate guess = arguments.guess == "stored" ? stored_point(file, problem, "--guess") : Iterate{};

  progress.stage("minimising by " + options.engine);
  options.interrupt = InterruptGuard::flag();
  if (progress.enabled())
    options.callback = [&progress](const HistoryEntry& entry) {
      progress.update(entry.iteration, entry.own_residual);
      return true;
    };
  const ConvexResult result = solve_convex(problem, question, options, guess);
  progress.stop();
  if (command.json) {
    Json out = problem_json(arguments.file, problem);
    add_to_json(out, arguments, question, result);
    print_json(out);
  } else if (!command.quiet) {
    print(as_text(arguments, problem, question, result));
  }
  return code_of(result.status);
}

}  // namespace

void add_convex(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  ConvexOptions& options = arguments->options;
  CLI::App* sub = add_command(
      app, command, "convex", "Solves the convex problem for given sliding velocities.",
      "Minimises ½ rᵀWr + rᵀ(q + E s) over the friction cones (or other sets), where E s adds μ s to the normal velocities, and certifies "
      "the answer by its duality gap. Coulomb's law is this problem with s = ‖u_T‖ of its own answer. Exit codes: 0 optimal, 1 not "
      "reached, 4 proved infeasible.",
      "cornet convex tower.hdf5\ncornet convex solved.hdf5 --s stored --engine projected-gradient\n"
      "cornet convex tower.hdf5 --over cylinder --radius 0.1 --json | jq .certificate");
  sub->add_option("FILE", arguments->file, "Problem file.");
  sub->add_option("--s", arguments->s,
                  "Sliding velocities: zero, stored (‖u_T‖ of the stored solution), one number, or one per contact. Default: zero.")
      ->type_name("zero|stored|VALUES");
  sub->add_option("--over", arguments->over, "Set of the reactions: cone, half_line, disk (r_N given) or cylinder. Default: cone.")
      ->type_name("SET");
  sub->add_option("--normal", arguments->normal, "Given normal reactions of disks: stored, one number, or one per contact. Default: 0.")
      ->type_name("stored|VALUES");
  sub->add_option("--radius", arguments->radius, "Radius of disks and cylinders. Default: μ max(0, normal).")->type_name("VALUES");
  sub->add_option("--engine", options.engine,
                  "interior-point, projected-gradient, accelerated-gradient or faceted. Default: interior-point.")
      ->type_name("ID");
  add_settings(*sub, arguments->settings, "Option of the engine (--list shows them); may be given again.");
  add_limits(*sub, "engine", {options.tolerance, "Largest relative gap and violations of an optimal answer. Default: 1e-8."},
             {options.time_limit, "Seconds of wall clock. Default: none."}, options.max_iterations);
  add_guess(*sub, arguments->guess, "Start from r = 0, or from the stored solution, else the first stored guess. Default: zero.");
  add_form(*sub, arguments->form);
  sub->add_flag("--history", options.keep_history, "With --json: the residual of every iteration.");
  sub->add_flag("--list", arguments->list, "List the engines with their options and stop.");
  sub->add_flag("--verbose,-v", arguments->verbose, "Options used; with --json the reactions and velocities as well.");
  sub->callback([&command, arguments] {
    if (!arguments->file.empty()) command.paths = {arguments->file};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
