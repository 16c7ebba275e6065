// cornet solvers [ID]: the table of methods, or the page of one.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/solver.h"

namespace cornet::cli {
namespace {

std::string value_text(const OptionValue& value) {
  if (const auto* x = std::get_if<bool>(&value)) return *x ? "true" : "false";
  if (const auto* x = std::get_if<long>(&value)) return std::to_string(*x);
  if (const auto* x = std::get_if<double>(&value)) return number(*x);
  return std::get<std::string>(value);
}

std::string dimensions_text(const SolverInfo& solver) {
  std::string out;
  for (const int d : solver.dimensions) out += fmt::format("{}{}D", out.empty() ? "" : ", ", d);
  return out;
}

std::string table_text() {
  std::string out;
  std::vector<std::string> families;
  for (const SolverInfo& solver : solvers())
    if (std::find(families.begin(), families.end(), solver.family) == families.end()) families.push_back(solver.family);
  std::size_t column = 0;
  for (const SolverInfo& solver : solvers()) column = std::max(column, width(solver.id) + 4);
  for (const std::string& family : families) {
    out += paint(Colour::bold, family) + "\n";
    for (const SolverInfo& solver : solvers()) {
      if (solver.family != family) continue;
      out += "  " + solver.id + std::string(column - 2 - width(solver.id), ' ');
      out += wrap(solver.title + (solver.id == kDefaultSolver ? " (default)" : ""), column, column) + "\n";
    }
    out += "\n";
  }
  return out + "cornet solvers ID tells when to use a solver, when it fails and its options.\n";
}

std::string page_text(const SolverInfo& solver) {
  Fields fields;
  fields.add("solver", paint(Colour::bold, solver.id) + (solver.id == kDefaultSolver ? " (default)" : ""));
  fields.add("title", solver.title);
  fields.add("family", solver.family);
  fields.add("method", solver.summary);
  fields.add("use when", solver.use_when);
  fields.add("fails when", solver.fails_when);
  fields.add("takes", fmt::format("{}; {} form{}{}", dimensions_text(solver), fmt::join(solver.forms, " and "),
                                  solver.forms.size() == 1 && solver.forms.front() == "local" ? " (a global problem is reduced first)" : "",
                                  solver.needs_symmetry ? "; W must be symmetric" : "; W symmetric or not"));
  fields.add("iterations", fmt::format("at most {} unless --max-iterations says otherwise", solver.max_iterations));
  fields.add("reference", solver.reference);
  std::string out = fields.text();
  if (solver.options.empty()) return out + "\nIt has no options.\n";
  out += "\n" + paint(Colour::bold, "Options (--set NAME=VALUE)") + "\n";
  for (const OptionInfo& option : solver.options) {
    const std::string left = fmt::format("  {} = {}", option.name, value_text(option.default_value));
    // A list of choices that does not fit stands on lines of its own.
    std::string range = option.type + " " + option.range;
    const bool fits = width(left) + 4 + width(range) <= kColumns;
    if (!fits)
      for (std::size_t at = 0; (at = range.find('|', at)) != std::string::npos; at += 3) range.replace(at, 1, " | ");
    out += left + (fits ? "    " : "\n      ") + paint(Colour::dim, fits ? range : wrap(range, 6, 6)) + "\n";
    out += "      " + wrap(option.what, 6, 6) + "\n";
  }
  return out;
}

int run(const Command& command, const std::string& id) {
  const SolverInfo* one = id.empty() ? nullptr : &find_solver(id);
  if (command.json) {
    Json out = Json::array();
    for (const SolverInfo& solver : solvers())
      if (!one || one->id == solver.id) out.push_back(solver_json(solver));
    print_json(out);
  } else if (command.quiet) {
    // The one report that has a use without words: ids for a shell loop.
    for (const SolverInfo& solver : solvers())
      if (!one || one->id == solver.id) print(solver.id + "\n");
  } else {
    print(one ? page_text(*one) : table_text());
  }
  return kDone;
}

}  // namespace

void add_solvers(CLI::App& app, Command& command) {
  auto id = std::make_shared<std::string>();
  CLI::App* sub =
      add_command(app, command, "solvers", "Lists the solvers, or tells about one.",
                  "The page of a solver has the method, when to use it, when it fails, its options with their ranges, and where it was "
                  "published. With --quiet: the ids alone, one per line.",
                  "cornet solvers\ncornet solvers nsgs-ac\nfor id in $(cornet solvers -q); do cornet solve tower.hdf5 --solver $id; done");
  sub->add_option("ID", *id, "Solver, for example nsgs-ac.");
  sub->callback([&command, id] { command.run = [&command, id] { return run(command, *id); }; });
}

}  // namespace cornet::cli
