// cornet solve FILE: one solver, one certified answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/explore.h"
#include "cornet/solver.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string file;
  std::string output;
  std::string guess = "zero";
  Form form = Form::any;
  RunOptions options;
  std::vector<std::string> settings;  // OPTION=VALUE
  bool verbose = false;
  bool check = false;
  int explore = 0;  // starting points; 0: one plain solve
  bool solver_given = false;
  double memory_limit = 0;  // bytes of the program
};

// The first stored guess; a stored solution is a guess as well.
Iterate stored_guess(const ProblemFile& file, const Problem& problem) {
  if (!file.guesses.empty()) return fit(file.guesses.front(), problem, "/guesses/1");
  if (file.solution) return fit(*file.solution, problem, "/solution");
  throw InvalidProblem("/guesses: found no stored guess and no solution, expected one for --guess stored");
}

// Something concrete to try next: a solver of another family that takes this problem.
std::string other_solver(const std::string& used, const Problem& problem) {
  const auto& all = solvers();
  const auto mine = std::find_if(all.begin(), all.end(), [&](const SolverInfo& s) { return s.id == used; });
  const std::string family = mine == all.end() ? "" : mine->family;
  for (const SolverInfo& s : all)
    if (s.family != family && std::count(s.dimensions.begin(), s.dimensions.end(), dimension(problem))) return s.id;
  return {};
}

std::string hint(const Result& result, const Problem& problem) {
  const std::string other = other_solver(result.solver, problem);
  const std::string another =
      other.empty() ? "another solver (cornet solvers)" : fmt::format("another method (--solver {}; cornet solvers lists all)", other);
  // A small plane problem can be settled for good.
  const bool settled = result.solver == "enumerate" || result.status == Status::solved || result.status == Status::no_solution;
  if (!settled && dimension(problem) == 2 && contacts(problem) <= 15)
    return "try --solver enumerate: it finds all solutions or proves that there is none";
  switch (result.status) {
    case Status::solved: return {};
    case Status::iteration_limit: return fmt::format("try more --max-iterations, {}, or a looser --tol", another);
    case Status::time_limit: return fmt::format("try a longer --time-limit, {}, or a looser --tol", another);
    case Status::inaccurate:
    case Status::stalled: return fmt::format("try {} or a looser --tol; cornet info shows rank and conditioning", another);
    case Status::diverged:
    case Status::numerical_error: return fmt::format("try {}; cornet info shows rank, conditioning and symmetry", another);
    case Status::unsupported: return fmt::format("try {}", another);
    case Status::interrupted: return "this is the best point so far; with --output and --guess stored a later run goes on from it";
    case Status::no_solution: return "the data contradict each other: look at w (gaps, prescribed velocities)";
  }
  return {};
}

std::string statistics_text(const Result& result) {
  std::string out;
  for (const auto& [name, value] : result.statistics)
    out += (out.empty() ? "" : ", ") + name + " " + (name.ends_with("_time") ? seconds(value) : number(value));
  return out;
}

// A long history is thinned out: people look at its course, programs take --json.
std::string history_text(const std::vector<HistoryEntry>& history) {
  constexpr std::size_t kLines = 20;
  Table table({">iteration", ">time", ">own residual"});
  const std::size_t count = history.size();
  const std::size_t lines = std::min(count, kLines);
  for (std::size_t k = 0; k < lines; ++k) {
    const HistoryEntry& entry = history[lines < 2 ? 0 : k * (count - 1) / (lines - 1)];
    table.add({std::to_string(entry.iteration), seconds(entry.time), scientific(entry.own_residual)});
  }
  return table.text();
}

// The path of a solver that combines several methods, in the order in which it was taken.
std::string stages_text(const std::vector<Stage>& stages) {
  Table table({">stage", "method", ">time", ">iterations", ">error after", "reason"});
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const Stage& s = stages[k];
    table.add({std::to_string(k + 1), s.method, seconds(s.time), std::to_string(s.iterations), scientific(s.error), s.reason});
  }
  return table.text();
}

// What the statuses are worth, in two lines, and the contacts nearest to another status.
void add_quality(Fields& fields, const Quality& quality, double error) {
  const auto nc = static_cast<long>(quality.contacts.size());
  fields.add("statuses", quality.degenerate == 0
                             ? fmt::format("all {} are certain at this error", counted(nc, "contact"))
                             : fmt::format("{} of {} undecided at this error", quality.degenerate, counted(nc, "contact")));
  const std::string numbers = fmt::format(" ({} unknowns, rank {})", quality.unknowns, quality.rank);
  if (quality.rank < 0) fields.add("uniqueness", fmt::format("not computed: {} unknowns are too many", quality.unknowns));
  else if (quality.reactions_unique) fields.add("uniqueness", "reactions and velocities unique for these statuses" + numbers);
  else if (quality.velocities_unique) fields.add("uniqueness", "reactions not unique (hyperstatic), velocities unique" + numbers);
  else fields.add("uniqueness", "neither reactions nor velocities unique for these statuses" + numbers);
  fields.add("attainable", fmt::format("error about {}{}", scientific(quality.attainable_error),
                                       error <= 30 * quality.attainable_error ? ": this answer is as good as rounding allows" : ""));
}

std::string quality_text(const Quality& quality) {
  constexpr std::size_t kLines = 10;
  std::vector<std::size_t> order(quality.contacts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return quality.contacts[a].margin < quality.contacts[b].margin; });
  Table table({">contact", "status", ">margin"});
  for (std::size_t k = 0; k < std::min(kLines, order.size()); ++k) {
    const ContactQuality& c = quality.contacts[order[k]];
    table.add({std::to_string(order[k]), to_string(c.status), number(c.margin, 3)});
  }
  return "Smallest margins (0: on the boundary to another status):\n" + table.text();
}

std::string as_text(const Arguments& arguments, const Problem& problem, const Result& result, bool written) {
  const Certificate& c = result.certificate;
  Fields fields;
  fields.add("file", arguments.file);
  fields.add("problem", problem_line(problem));
  fields.add("solver", result.solver);
  const std::string status = to_string(result.status);
  const std::string message = result.message.starts_with(status) || result.message.empty() ? "" : ": " + result.message;
  fields.add("status", mark(result.solved()) + " " + paint(result.solved() ? Colour::green : Colour::red, status) + message);
  fields.add("error", fmt::format("{} certified, tolerance {}{}", scientific(c.error), number(result.tolerance),
                                  c.relative ? "" : " (absolute: ‖q‖ ≈ 0)"));
  fields.add("iterations", std::to_string(result.iterations));
  fields.add("time", seconds(result.time));
  add_certificate(fields, c, arguments.verbose);
  if (result.existence)
    fields.add("existence", fmt::format("{}, margin {} ({})", to_string(result.existence->verdict), number(result.existence->margin),
                                        result.existence->reason));
  if (result.quality) add_quality(fields, *result.quality, c.error);
  if (arguments.verbose) {
    std::string options;
    for (const auto& [name, value] : result.provenance.options) options += (options.empty() ? "" : ", ") + name + "=" + value;
    fields.add("options", options.empty() ? "none" : options);
    fields.add("statistics", statistics_text(result));
    fields.add("built with", result.provenance.compiler + ", cornet " + result.provenance.version);
  }
  if (written) fields.add("written", arguments.output);
  if (const std::string text = hint(result, problem); !text.empty()) fields.add("hint", text);
  std::string out = fields.text();
  if (arguments.verbose && !result.stages.empty()) out += "\n" + stages_text(result.stages);
  if (result.quality && !result.quality->contacts.empty()) out += "\n" + quality_text(*result.quality);
  if (arguments.options.keep_history && !result.history.empty()) out += "\n" + history_text(result.history);
  return out;
}

// The whole input file with /solution replaced. What the old solution said about itself goes with it.
void write_answer(const Arguments& arguments, ProblemFile file, const Problem& problem, const Iterate& x) {
  std::erase_if(file.attributes, [](const auto& entry) { return entry.first.starts_with("/solution"); });
  file.solution = fit(x, problem, "/solution");
  write_file(arguments.output, file);
}

Json exploration_json(const Arguments& arguments, const Problem& problem, const Exploration& found) {
  Json out = problem_json(arguments.file, problem);
  out["status"] = to_string(found.status);
  out["message"] = found.message;
  out["solver"] = arguments.options.solver;
  out["tolerance"] = json_number(arguments.options.tolerance);
  out["starts"] = found.starts;
  out["solved"] = found.solved;
  out["outcomes"] = found.outcomes;
  out["complete"] = found.complete;
  out["time"] = json_number(found.time);
  out["solutions"] = Json::array();
  for (const ExploredSolution& s : found.solutions) {
    Json row;
    row["found"] = s.found;
    row["reactions"] = s.reactions;
    row["unique_reactions"] = s.unique_reactions;
    row["isolated"] = s.isolated;
    row["enumerated"] = s.enumerated;
    row["error"] = json_number(s.certificate.error);
    row["contacts"] = contacts_json(s.certificate);
    row["statuses"] = Json::array();
    for (const ContactStatus status : s.certificate.status) row["statuses"].push_back(to_string(status));
    row["r"] = s.x.r;
    row["u"] = s.x.u;
    if (!s.x.v.empty()) row["v"] = s.x.v;
    out["solutions"].push_back(row);
  }
  return out;
}

std::string exploration_text(const Arguments& arguments, const Problem& problem, const Exploration& found, bool written) {
  Fields fields;
  fields.add("file", arguments.file);
  fields.add("problem", problem_line(problem));
  fields.add("solver", arguments.options.solver);
  const bool good = found.status == Status::solved;
  fields.add("status", mark(good) + " " + paint(good ? Colour::green : Colour::red, to_string(found.status)) + ": " + found.message);
  std::string outcomes;
  for (const auto& [status, count] : found.outcomes) outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", count, status);
  if (!outcomes.empty()) fields.add("starts", outcomes);
  fields.add("time", seconds(found.time));
  if (written) fields.add("written", arguments.output + " (the first of the list)");
  std::string out = fields.text();
  if (found.solutions.empty()) return out;
  Table table({">solution", ">found", ">error", ">take off", ">stick", ">slide", "velocities and reactions"});
  for (std::size_t k = 0; k < found.solutions.size(); ++k) {
    const ExploredSolution& s = found.solutions[k];
    const Certificate& c = s.certificate;
    std::string remark = s.isolated ? "isolated" : "one of a continuum of velocities";
    if (!found.enumerated) remark = "own velocities";
    if (s.reactions > 1) remark += fmt::format(", {} different reactions met", s.reactions);
    else if (!s.unique_reactions) remark += ", other reactions exist";
    table.add({std::to_string(k), fmt::format("{}×", s.found), scientific(c.error), std::to_string(c.take_off), std::to_string(c.stick),
               std::to_string(c.slide), remark});
  }
  return out + "\n" + table.text();
}

// cornet solve --explore K.
int run_explore(const Command& command, const Arguments& arguments, ProblemFile file, const Problem& problem, const Iterate& guess,
                Progress& progress) {
  ExploreOptions options;
  options.run = arguments.options;
  options.run.existence = ExistenceCheck::never;
  options.starts = arguments.explore;
  if (arguments.solver_given) options.companion.clear();
  options.guess = guess;
  options.callback = [&](int k) {
    progress.stage(fmt::format("start {} of {} by {}", k + 1, arguments.explore, arguments.options.solver));
  };
  const Exploration found = explore(problem, options);
  const bool written = !arguments.output.empty() && !found.solutions.empty();
  if (written) {
    progress.stage("writing " + arguments.output);
    write_answer(arguments, std::move(file), problem, found.solutions.front().x);
  }
  progress.stop();
  if (command.json) {
    Json out = exploration_json(arguments, problem, found);
    if (!arguments.output.empty()) out["output"] = written ? Json(arguments.output) : Json(nullptr);
    print_json(out);
  } else if (!command.quiet) {
    print(exploration_text(arguments, problem, found, written));
  }
  return exit_code(found.status);
}

int run(const Command& command, Arguments& arguments) {
  if (arguments.explore > 0 && (arguments.check || arguments.options.keep_history || arguments.options.quality))
    throw UsageError(fmt::format("{} cannot be combined with --explore", arguments.check             ? "--check"
                                                                         : arguments.options.quality ? "--quality"
                                                                                                     : "--history"));
  if (!arguments.output.empty()) check_output(arguments.output);
  RunOptions& options = arguments.options;
  options.options = parse_settings(arguments.settings);
  options.existence = arguments.check ? ExistenceCheck::always : ExistenceCheck::on_failure;
  find_solver(options.solver).make(options.options);  // a wrong option is better found before a large file is read

  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("reading " + arguments.file);
  check_file_size(arguments.file, arguments.memory_limit);
  ProblemFile file = read_file(arguments.file);
  warn(command, arguments.file, file.warnings);
  const Problem problem = take_problem(file, arguments.form);
  const Iterate guess = arguments.guess == "stored" ? stored_guess(file, problem) : Iterate{};

  progress.stage("solving by " + options.solver);
  options.interrupt = InterruptGuard::flag();
  options.memory_limit = memory_left(arguments.memory_limit);
  if (progress.enabled())
    options.callback = [&progress](const HistoryEntry& entry) {
      progress.update(entry.iteration, entry.own_residual);
      return true;
    };
  if (arguments.explore > 0) return run_explore(command, arguments, std::move(file), problem, guess, progress);
  const Result result = solve(problem, options, guess);

  const bool written = !arguments.output.empty() && result.x.r.size() == static_cast<std::size_t>(dimension(problem)) * contacts(problem) &&
                       result.status != Status::no_solution && result.status != Status::unsupported;
  if (written) {
    progress.stage("writing " + arguments.output);
    write_answer(arguments, std::move(file), problem, result.x);
  }
  progress.stop();
  if (command.json) {
    Json out = problem_json(arguments.file, problem);
    add_result(out, result, arguments.verbose, options.keep_history);
    if (!arguments.output.empty()) out["output"] = written ? Json(arguments.output) : Json(nullptr);
    print_json(out);
  } else if (!command.quiet) {
    print(as_text(arguments, problem, result, written));
  }
  return exit_code(result.status);
}

}  // namespace

void add_solve(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  RunOptions& options = arguments->options;
  CLI::App* sub = add_command(app, command, "solve", "Solves a problem and certifies the answer.",
                              "An answer is called solved only if its error, recomputed from the reactions alone, is at most the "
                              "tolerance. Ctrl-C returns the best point so far. Exit codes: 0 solved, 1 not solved, 2 usage, 3 bad input, "
                              "4 proved to have no solution, 5 numerical failure, 6 not enough memory, 130 interrupted.",
                              "cornet solve tower.hdf5\ncornet solve tower.hdf5 --solver nsn-ac-gp --tol 1e-10 --output solved.hdf5\n"
                              "cornet solve tower.hdf5 --json --time-limit 60 | jq .error\ncornet solve bead.hdf5 --explore 20");
  sub->add_option("FILE", arguments->file, "Problem file: FCLIB (HDF5) or Siconos text (.dat), told apart by content.")->required();
  sub->add_option("--solver", options.solver, fmt::format("Method; cornet solvers lists them. Default: {}.", kDefaultSolver))
      ->type_name("ID");
  add_limits(*sub, "solver", {options.tolerance, "Largest certified error of a solved problem. Default: 1e-8."},
             {options.time_limit, "Seconds of wall clock for the solve. Default: 300."}, options.max_iterations);
  add_memory_limit(*sub, arguments->memory_limit);
  add_settings(*sub, arguments->settings, "Option of the solver (cornet solvers ID lists them); may be given again.");
  add_guess(*sub, arguments->guess, "Start from r = 0, or from the first stored guess, else the stored solution. Default: zero.");
  add_form(*sub, arguments->form);
  sub->add_option("--threads", options.threads, "Threads (recorded; the solvers of this version use one). Default: 1.")
      ->type_name("N")
      ->check(in_range({1, 4096}, true));
  sub->add_flag("--check", arguments->check,
                "Check first whether a solution must exist (cornet check); without it the check runs when the solve fails.");
  sub->add_flag("--quality", options.quality,
                "Show how far each contact is from another status, whether the reactions are unique, and the attainable error.");
  sub->add_option(
         "--explore", arguments->explore,
         "Start from K spread points, the first being the guess, and list the distinct solutions; without --solver every second "
         "start goes to nsn-ac-gp; up to 15 contacts in the plane all cases are enumerated as well. The time limit is for all of them.")
      ->type_name("K")
      ->check(in_range({1, 1000000}, true));
  sub->add_option("--output,-o", arguments->output, "Write the whole input file plus /solution (r, u, and v in global form).")
      ->type_name("OUT.hdf5");
  sub->add_flag("--history", options.keep_history, "Add the residual of every iteration (a selection without --json).");
  sub->add_flag(
      "--verbose,-v", arguments->verbose,
      "Every measure of the certificate, options, statistics, the stages of a combined solver; with --json the status of each contact.");
  sub->callback([&command, arguments, sub] {
    arguments->solver_given = sub->count("--solver") > 0;
    command.paths = {arguments->file};
    if (!arguments->output.empty()) command.paths.push_back(arguments->output);
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
