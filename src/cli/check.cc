// cornet check FILE: does a solution exist?
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/existence.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string file;
  Form form = Form::any;
  ExistenceOptions options;
  bool no_shortcuts = false;
  double memory_limit = 0;  // bytes of the program
};

std::string certificate_text(const Existence& existence) {
  const ExistenceCertificate& c = existence.certificate;
  std::string out;
  if (c.kind == "velocity") out = "velocities v that open every contact within K*";
  if (c.kind == "boundary") out = "velocities v within K*, and reactions r in K in balance that do no work on w";
  if (c.kind == "reaction") out = "reactions r in K in balance (H r = 0) that do negative work on w";
  if (c.kind == "normal_reaction") out = "normal reactions in balance (H r = 0) that do negative work on w";
  if (existence.reason == "bilateral_constraints") out = "multipliers λ of the joints in balance (G λ = 0) with bᵀλ < 0";
  return fmt::format("{} {}, verified by separate code, largest violation {}", mark(c.verified), out, scientific(c.residual));
}

int run(const Command& command, Arguments& arguments) {
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("reading " + arguments.file);
  check_file_size(arguments.file, arguments.memory_limit);
  const ProblemFile file = read_file(arguments.file);
  warn(command, arguments.file, file.warnings);
  const Problem problem = take_problem(file, arguments.form);

  progress.stage("checking existence");
  arguments.options.interrupt = InterruptGuard::flag();
  arguments.options.shortcuts = !arguments.no_shortcuts;
  if (const double left = memory_left(arguments.memory_limit); left > 0)
    require_memory(estimate_existence_memory(problem), left, "the check");
  Existence existence;
  try {
    existence = check_existence(problem, arguments.options);
  } catch (const InvalidProblem&) {
    throw;
  } catch (const Error& error) {
    if (InterruptGuard::flag()->load()) throw Interrupted("interrupted before a verdict was found");
    progress.stop();
    if (command.json) {
      Json out = problem_json(arguments.file, problem);
      out["verdict"] = nullptr;
      out["message"] = error.what();
      print_json(out);
    } else {
      print_error(prefixed(arguments.file, error.what()));
    }
    return kNumerical;
  }
  progress.stop();

  if (command.json) {
    Json out = problem_json(arguments.file, problem);
    out.update(existence_json(existence, true));
    print_json(out);
  } else if (!command.quiet) {
    Fields fields;
    fields.add("file", arguments.file);
    fields.add("problem", problem_line(problem));
    const bool good = existence.verdict == Verdict::guaranteed_robust || existence.verdict == Verdict::guaranteed;
    const Colour colour = good ? Colour::green : existence.verdict == Verdict::impossible ? Colour::red : Colour::yellow;
    fields.add("verdict", mark(good) + " " + paint(colour, to_string(existence.verdict)));
    fields.add("meaning", existence.sentence);
    fields.add("margin", fmt::format("{} (relative to {}, at most 1; zero up to {})", number(existence.margin),
                                     std::holds_alternative<LocalProblem>(problem) ? "|q|" : "|w|", number(existence.tolerance)));
    fields.add("reason", reason_text(existence.reason));
    fields.add("certificate", certificate_text(existence));
    fields.add("time", seconds(existence.time));
    for (const std::string& note : existence.notes) fields.add("note", note);
    print(fields.text());
  }
  return existence.verdict == Verdict::impossible ? kNoSolution : existence.verdict == Verdict::not_guaranteed ? kNotSolved : kDone;
}

}  // namespace

std::string reason_text(const std::string& reason) {
  if (reason == "no_contacts") return "no_contacts: there is nothing to prevent";
  if (reason == "full_column_rank") return "full_column_rank: H has independent columns, every relative velocity can be had";
  if (reason == "trivial_kernel") return "trivial_kernel: Ker(H) ∩ K = {0}, a solution exists whatever w is";
  if (reason == "rigid_external_motion") return "rigid_external_motion: some v gives Hᵀv + w = 0, all external objects move as one";
  if (reason == "frictionless") return "frictionless: all μ = 0, the criterion is necessary and sufficient";
  if (reason == "necessary_condition") return "necessary_condition: no v keeps all normal velocities non-negative";
  if (reason == "bilateral_constraints") return "bilateral_constraints: Gᵀv + b = 0 contradicts itself";
  return reason + ": the optimisation of the margin decided";
}

void add_check(CLI::App& app, Command& command) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(
      app, command, "check", "Decides whether a solution must exist.",
      "Computes the margin of the criterion Hᵀv + w ∈ K* and prints the verdict with what proves it; the proof is checked by separate code "
      "first. Exit codes: 0 a solution is guaranteed, 1 not guaranteed, 4 proved impossible, 5 no verdict could be reached, 6 not enough memory.",
      "cornet check tower.hdf5\ncornet check tower.hdf5 --json | jq .verdict,.margin");
  sub->add_option("FILE", arguments->file, "Problem file.")->required();
  add_form(*sub, arguments->form);
  sub->add_option("--tol", arguments->options.tolerance, "Margins up to this count as zero. Default: 1e-6.")
      ->type_name("T")
      ->check(in_range({0, 1, true, false}));
  sub->add_option("--time-limit", arguments->options.time_limit, "Seconds of wall clock. Default: none.")
      ->type_name("S")
      ->check(in_range({0, kInfinity, true, false}));
  add_memory_limit(*sub, arguments->memory_limit);
  sub->add_flag("--no-shortcuts", arguments->no_shortcuts, "Skip the cheap arguments on H and always optimise.");
  sub->callback([&command, arguments] {
    command.paths = {arguments->file};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
