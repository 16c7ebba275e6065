// cornet convert IN OUT: FCLIB or Siconos text in, FCLIB out; with --form one form only.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/reduce.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string input;
  std::string output;
  Form form = Form::any;
};

// What a local problem has no use for.
void make_local(Iterate& point, const LocalProblem& problem) {
  point.v.clear();
  if (!problem.V) point.lambda.clear();
}

// Keeps the local form only, made from the global one if need be. Returns true when it was made here.
bool keep_local(ProblemFile& file) {
  const bool reduced = !file.local;
  if (reduced) {
    file.local = reduce(*file.global).local();
    if (!file.local->info) file.local->info = file.global->info;
    if (file.local->name.empty()) file.local->name = file.global->name;
  }
  file.global.reset();
  for (Iterate& guess : file.guesses) make_local(guess, *file.local);
  if (file.solution) make_local(*file.solution, *file.local);
  std::erase_if(file.attributes, [](const auto& entry) { return entry.first.starts_with("/fclib_global"); });
  return reduced;
}

void keep_global(ProblemFile& file) {
  if (!file.global) throw InvalidProblem("/fclib_global: found the local form only; cannot recover M and H from W");
  file.local.reset();
  std::erase_if(file.attributes, [](const auto& entry) { return entry.first.starts_with("/fclib_local"); });
}

int run(const Command& command, const Arguments& arguments) {
  check_output(arguments.output);
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("reading " + arguments.input);
  ProblemFile file = read_file(arguments.input);
  warn(command, arguments.input, file.warnings);

  progress.stage("converting");
  bool reduced = false;
  if (arguments.form == Form::local) reduced = keep_local(file);
  if (arguments.form == Form::global) keep_global(file);
  // Last moment to stop without a trace.
  if (InterruptGuard::requested()) throw Interrupted("interrupted, nothing was written");
  progress.stage("writing " + arguments.output);
  write_file(arguments.output, file);
  progress.stop();

  const Problem problem = take_problem(file);
  if (command.json) {
    Json out = problem_json(arguments.input, problem);
    out["output"] = arguments.output;
    out["forms"] = Json::array();
    if (file.local) out["forms"].push_back("local");
    if (file.global) out["forms"].push_back("global");
    out["reduced"] = reduced;
    out["guesses"] = file.guesses.size();
    out["solution"] = file.solution.has_value();
    out["warnings"] = file.warnings;
    print_json(out);
  } else if (!command.quiet) {
    Fields fields;
    fields.add("read", arguments.input);
    fields.add("written", arguments.output);
    fields.add("problem", problem_line(problem) + (file.local && file.global ? " (and the local form)" : ""));
    if (reduced) fields.add("reduced", "W = Hᵀ M⁻¹ H was formed from the global form");
    std::string extras =
        file.guesses.empty() ? "no guesses" : fmt::format("{} guess{}", file.guesses.size(), file.guesses.size() > 1 ? "es" : "");
    fields.add("carried", extras + (file.solution ? ", a solution" : ", no solution"));
    print(fields.text());
  }
  return kDone;
}

}  // namespace

void add_convert(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(app, command, "convert", "Writes a problem file as FCLIB, in one form or both.",
                              "Reads FCLIB (HDF5) or Siconos text (.dat), told apart by content. Without --form everything in the file is "
                              "kept as it is. With --form local a global problem is reduced to W and q; with --form global the local form "
                              "is left out. Guesses and a solution are carried along.",
                              "cornet convert problem.dat problem.hdf5\ncornet convert global.hdf5 local.hdf5 --form local");
  sub->add_option("IN", arguments->input, "Problem file to read.")->required();
  sub->add_option("OUT", arguments->output, "File to write: .hdf5 or .h5. It appears whole or not at all.")->required();
  add_form(*sub, arguments->form, "all that the file holds");
  sub->callback([&command, arguments] {
    command.paths = {arguments->input, arguments->output};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
