// cornet demo: solves the bundled problems and checks each answer.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/samples.h"

namespace cornet::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string output;
};

// The folder of the files: the user's, or one of our own that goes away at the end.
class Folder {
 public:
  explicit Folder(const std::string& wanted) : keep_(!wanted.empty()) {
    if (keep_) {
      path_ = wanted;
      make_folder(path_);
    } else {
      std::string name = (fs::temp_directory_path() / "cornet-demo-XXXXXX").string();
      if (!::mkdtemp(name.data())) throw IoError(fmt::format("{}: cannot make a temporary folder", name));
      path_ = name;
    }
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / (name + ".hdf5")).string(); }

 private:
  bool keep_;
  fs::path path_;
};

struct Row {
  const samples::Sample* sample;
  std::string file;
  Result result;
  double error = 0;  // of the answer, in the problem as it was before it went through a file
  bool good = false;
};

Row solve_sample(const samples::Sample& sample, const Folder& folder, bool keep, const RunOptions& options) {
  Row row{&sample, folder.file(sample.name), {}, 0, false};
  write(row.file, sample.problem);
  const Form form = std::holds_alternative<GlobalProblem>(sample.problem) ? Form::global : Form::local;
  const Problem problem = read(row.file, form);
  row.result = solve(problem, options);
  row.error = certify(sample.problem, row.result.x).error;
  row.good = row.result.solved() && row.error <= options.tolerance;
  if (keep) write(row.file, sample.problem, row.result.x);
  return row;
}

std::string table_text(const std::vector<Row>& rows) {
  // One space between columns: the table fits 80 of them.
  Table table({"", "problem", "form", "d", ">nc", "µ", ">iter", ">time", ">error", ">statuses"}, 1);
  for (const Row& row : rows) {
    const Problem& problem = row.sample->problem;
    const Certificate& c = row.result.certificate;
    table.add({mark(row.good), row.sample->name, form_name(problem), std::to_string(dimension(problem)), std::to_string(contacts(problem)),
               mu_range(problem, 2), std::to_string(row.result.iterations), seconds(row.result.time),
               row.error == 0 ? "0" : fmt::format("{:.0e}", row.error), fmt::format("{}/{}/{}", c.take_off, c.stick, c.slide)});
  }
  std::string out = table.text();
  for (const Row& row : rows)
    if (!row.good)
      out +=
          wrap(fmt::format("{} {}: {}: {}", mark(false), row.sample->name, to_string(row.result.status), row.result.message), 4, 0) + "\n";
  return out;
}

Json as_json(const std::vector<Row>& rows, const RunOptions& options, std::size_t total, bool keep) {
  Json out;
  out["solver"] = options.solver;
  out["tolerance"] = options.tolerance;
  out["problems"] = total;
  out["solved"] = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.good; });
  out["results"] = Json::array();
  for (const Row& row : rows) {
    Json entry = problem_json(keep ? row.file : "", row.sample->problem);
    if (!keep) entry["file"] = nullptr;
    entry["name"] = row.sample->name;
    entry["what"] = row.sample->what;
    entry["mu"] = mu_json(row.sample->problem);
    add_result(entry, row.result, false, false);
    entry["error"] = json_number(row.error);
    out["results"].push_back(entry);
  }
  return out;
}

int run(const Command& command, const Arguments& arguments) {
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  const bool keep = !arguments.output.empty();
  const Folder folder(arguments.output);
  const OutputLock lock(arguments.output);
  RunOptions options;
  options.interrupt = InterruptGuard::flag();
  progress.stage("making the problems");
  const std::vector<samples::Sample> bundled = samples::bundled();
  std::vector<Row> rows;
  for (const samples::Sample& sample : bundled) {
    progress.stage(fmt::format("solving {} ({} of {})", sample.name, rows.size() + 1, bundled.size()));
    if (progress.enabled())
      options.callback = [&progress](const HistoryEntry& entry) {
        progress.update(entry.iteration, entry.own_residual);
        return true;
      };
    rows.push_back(solve_sample(sample, folder, keep, options));
    if (InterruptGuard::requested()) break;
  }
  progress.stop();

  const std::size_t good = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.good; }));
  const bool all = good == bundled.size();
  if (command.json) {
    print_json(as_json(rows, options, bundled.size(), keep));
  } else if (!command.quiet) {
    print(wrap(fmt::format("{} bundled problems, each written to a file, read back, solved by {} to a certified error of {} and checked "
                           "again. Statuses: contacts that take off / stick / slide.",
                           bundled.size(), options.solver, number(options.tolerance)),
               0, 0) +
          "\n\n" + table_text(rows) + "\n");
    const std::string closing = fmt::format(
        "{} {} of {} solved. {}", mark(all), good, bundled.size(),
        keep ? fmt::format("The files are in {}; look at one with: cornet info {}", arguments.output,
                           rows.empty() ? "FILE" : rows.front().file)
             : "Keep the files with: cornet demo --output DIR. Then, or with your own file: cornet info FILE, cornet solve FILE.");
    print(wrap(closing, 2, 0) + "\n");
  }
  if (InterruptGuard::requested()) return kInterrupted;
  return all ? kDone : kNotSolved;
}

}  // namespace

void add_demo(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(
      app, command, "demo", "Solves the bundled problems and checks each answer.",
      "Every problem is written to a file, read back, solved with the default solver to 1e-8 and certified. Exit code 0 if all are solved.",
      "cornet demo\ncornet demo --output problems");
  sub->add_option("--output,-o", arguments->output, "Keep the files, with their solutions, in this folder.")->type_name("DIR");
  sub->callback([&command, arguments] {
    if (!arguments->output.empty()) command.paths = {arguments->output};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
