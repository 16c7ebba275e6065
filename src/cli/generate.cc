// cornet generate SET: the problems of a test set as FCLIB files, with an index.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/sim_sets.h"

namespace cornet::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string set;
  bool list = false;
  int count = 0;
  std::uint64_t seed = 1;
  std::string form = "both";
  bool no_answers = false;
  std::string output;
};

std::string range(double lower, double upper) {
  return lower == upper ? number(lower, 6) : fmt::format("{}…{}", number(lower, 6), number(upper, 6));
}

int list(const Command& command) {
  if (command.json) {
    Json out = Json::array();
    for (const sim::TestSet& s : sim::test_sets())
      out.push_back(Json{{"name", s.name},
                         {"what", s.what},
                         {"mu", s.mu},
                         {"problems", s.problems},
                         {"dofs", {s.dofs_min, s.dofs_max}},
                         {"contacts", {s.contacts_min, s.contacts_max}},
                         {"density", {s.density_min, s.density_max}},
                         {"tolerance", s.tolerance},
                         {"large", s.large}});
    print_json(out);
    return kDone;
  }
  Table table({"set", ">problems", ">dofs", ">contacts", "what"});
  for (const sim::TestSet& s : sim::test_sets())
    table.add({s.name, std::to_string(s.problems), range(s.dofs_min, s.dofs_max), range(s.contacts_min, s.contacts_max), s.what});
  if (!command.quiet) print(table.text());
  return kDone;
}

int run(const Command& command, const Arguments& arguments) {
  if (arguments.list == !arguments.set.empty()) throw UsageError("generate: expected either SET or --list (see cornet generate --help)");
  if (arguments.list) return list(command);
  if (arguments.output.empty()) throw UsageError("generate: --output is missing (see cornet generate --help)");
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("making " + arguments.set);
  // An unknown name is an error before a folder is made.
  const auto& sets = sim::test_sets();
  const auto known = std::find_if(sets.begin(), sets.end(), [&](const sim::TestSet& s) { return s.name == arguments.set; });
  if (known == sets.end()) sim::generate(arguments.set, 1, 1, {});
  make_folder(arguments.output);
  const OutputLock lock(arguments.output);
  const std::string index_path = fmt::format("{}/index.csv", arguments.output);
  std::ofstream index(index_path);
  if (!index) throw IoError(fmt::format("{}: cannot be written", index_path));
  index << "file,set,dofs,contacts,density,mu_min,mu_max,seed,tolerance,error\n";

  const auto sink = [&](const GlobalProblem& problem, const Iterate& answer, int k) {
    ProblemFile file;
    if (arguments.form != "local") file.global = problem;
    if (arguments.form != "global") {
      file.local = reduce(problem).local();
      file.local->name = problem.name;
    }
    if (!answer.r.empty()) {
      file.solution = answer;
      if (arguments.form == "local") {
        file.solution->v.clear();
        file.solution->lambda.clear();
      }
    }
    const std::string name = fmt::format("{}-{:04}.hdf5", arguments.set, k);
    write_file(fmt::format("{}/{}", arguments.output, name), file);
    const auto [least, most] = std::minmax_element(problem.mu.begin(), problem.mu.end());
    index << fmt::format("{},{},{},{},{:.4g},{},{},{},{:g},{}\n", name, arguments.set, problem.dofs(), problem.contacts(),
                         static_cast<double>(problem.size()) / problem.dofs(), *least, *most, arguments.seed, known->tolerance,
                         answer.r.empty() ? "" : fmt::format("{:.1e}", certify(problem, answer).error))
          << std::flush;
    if (!index) throw IoError(fmt::format("{}: cannot be written", index_path));
    progress.update(k + 1, 0);
    return !InterruptGuard::requested();
  };
  const int made = sim::generate(arguments.set, arguments.count, arguments.seed, sink, !arguments.no_answers);
  index.close();
  if (!index) throw IoError(fmt::format("{}: cannot be written", index_path));
  progress.stop();
  if (command.json) print_json(Json{{"set", arguments.set}, {"problems", made}, {"seed", arguments.seed}, {"output", arguments.output}});
  else if (!command.quiet)
    print(fmt::format("{} of {} written to {}, listed in {}\n", counted(made, "problem"), arguments.set, arguments.output, index_path));
  return InterruptGuard::requested() ? kInterrupted : kDone;
}

}  // namespace

void add_generate(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(
      app, command, "generate", "Makes the problems of a test set of the survey.",
      "Runs the scenes of the set and writes the problems of their steps as FCLIB files, with index.csv. Each comes with a solution "
      "certified "
      "at the tolerance of the survey where the default solver reaches it; column `error` of the index is empty where it does not. The "
      "same "
      "seed gives the same problems.",
      "cornet generate --list\ncornet generate Bridge_PR --output bridge\ncornet generate Capsules --count 20 --seed 7 -o capsules");
  sub->add_option("SET", arguments->set, "Name of the set.");
  sub->add_flag("--list", arguments->list, "List the sets.");
  sub->add_option("--count", arguments->count, "Number of problems. Default: as many as the survey has.")
      ->check(in_range({1, 1e6}, true))
      ->type_name("N");
  sub->add_option("--seed", arguments->seed, "Default: 1.")->type_name("S");
  sub->add_option("--form", arguments->form, "local, global or both. Default: both.")
      ->check(CLI::IsMember({"local", "global", "both"}))
      ->type_name("FORM");
  sub->add_flag("--no-answers", arguments->no_answers, "Leave out the solutions.");
  sub->add_option("--output,-o", arguments->output, "Folder to write to.")->type_name("DIR");
  sub->callback([&command, arguments] {
    command.paths.clear();
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
