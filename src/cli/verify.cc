// cornet verify FILE: recompute every residual of a stored solution.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/bipotential.h"
#include "cornet/certificate.h"
#include "cornet/error.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string file;
  std::string solution;
  Form form = Form::any;
  double tolerance = 1e-8;
  bool verbose = false;
};

Json bipotential_json(const Bipotential& b, bool per_contact) {
  Json out;
  out["total"] = json_number(b.total);
  out["worst_contact"] = b.worst_contact;
  out["worst_gap"] = json_number(b.worst_gap);
  out["value"] = json_number(b.value);
  out["infeasible"] = b.infeasible;
  if (per_contact) {
    out["gaps"] = Json::array();
    for (const double gap : b.gap) out["gaps"].push_back(json_number(gap));
  }
  return out;
}

std::string bipotential_text(const Bipotential& b) {
  std::string text = fmt::format("gap {} in total, worst at contact {}: {}", scientific(b.total), b.worst_contact, scientific(b.worst_gap));
  if (b.infeasible > 0) text += fmt::format("; infinite at {}, where r leaves K or u_N < 0", counted(b.infeasible, "contact"));
  return text;
}

int run(const Command& command, const Arguments& arguments) {
  Progress progress(command.quiet);
  progress.stage("reading " + arguments.file);
  const ProblemFile file = read_file(arguments.file);
  warn(command, arguments.file, file.warnings);
  const Problem problem = take_problem(file, arguments.form);

  // Data come from FILE, only the point from the other file: a solved file cannot change the question.
  const std::string& source = arguments.solution.empty() ? arguments.file : arguments.solution;
  const std::optional<Iterate> stored = arguments.solution.empty() ? file.solution : read_file(source).solution;
  if (!stored)
    throw InvalidProblem(
        prefixed(source, "/solution: found nothing, expected a stored solution (cornet solve FILE --output OUT.hdf5 stores one)"));
  Certificate certificate;
  Bipotential energy;
  try {
    progress.stage("certifying");
    const Iterate point = fit(*stored, problem, "/solution");
    certificate = certify(problem, point);
    energy = bipotential(problem, point);
  } catch (const InvalidProblem& error) {
    throw InvalidProblem(prefixed(source, error.what()));
  }
  progress.stop();

  const bool good = certificate.error <= arguments.tolerance;
  // A wrong u or v does not change the error, which is that of r, but whoever reads the file should know.
  const bool foreign = certificate.dynamics > std::max(arguments.tolerance, 1e-8);
  if (command.json) {
    Json out = problem_json(arguments.file, problem);
    out["solution"] = source;
    out["verified"] = good;
    out["tolerance"] = arguments.tolerance;
    out["error"] = json_number(certificate.error);
    out["contacts"] = contacts_json(certificate);
    out["certificate"] = certificate_json(certificate, arguments.verbose);
    out["bipotential"] = bipotential_json(energy, arguments.verbose);
    print_json(out);
  } else if (!command.quiet) {
    Fields fields;
    fields.add("file", arguments.file);
    fields.add("problem", problem_line(problem));
    fields.add("solution", source == arguments.file ? "the one in the file" : source);
    fields.add("error",
               fmt::format("{} {} {} {}", mark(good), scientific(certificate.error), good ? "≤" : ">", number(arguments.tolerance)));
    add_certificate(fields, certificate, true);
    if (energy.worst_contact >= 0) fields.add("bipotential", bipotential_text(energy));
    if (foreign) fields.add("warning", paint(Colour::yellow, "the stored u or v does not belong to the stored r"));
    print(fields.text());
  }
  return good ? kDone : kNotSolved;
}

}  // namespace

void add_verify(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(app, command, "verify", "Recomputes every residual of a stored solution.",
                              "Only the problem data and the reactions are used. Exit code 0 if the error is at most the tolerance, 1 if "
                              "not, 3 if no solution is stored or it does not fit.",
                              "cornet verify solved.hdf5\ncornet verify problem.hdf5 --solution theirs.hdf5 --tol 1e-4");
  sub->add_option("FILE", arguments->file, "Problem file.")->required();
  sub->add_option("--solution", arguments->solution, "Take the solution from this file instead; the problem stays that of FILE.")
      ->type_name("OTHER.hdf5");
  add_form(*sub, arguments->form);
  sub->add_option("--tol", arguments->tolerance, "Largest error that is accepted. Default: 1e-8.")
      ->type_name("T")
      ->check(in_range({0, 1, true, false}));
  sub->add_flag("--verbose,-v", arguments->verbose, "With --json: the status and the bipotential gap of each contact.");
  sub->callback([&command, arguments] {
    command.paths = {arguments->file};
    if (!arguments->solution.empty()) command.paths.push_back(arguments->solution);
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
