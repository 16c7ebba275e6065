// cornet reproduce NAME | --list | --all: the experiments of the papers, expected against found, with their figures.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/reproduce.h"

namespace cornet::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string name;
  std::string output = "reproduce";
  bool list = false;
  bool all = false;
};

// Under another name first, so that nobody meets half a figure.
void write_figure(const std::string& path, const std::string& content) {
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    if (!file) throw IoError(fmt::format("{}: cannot be written", path));
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) throw IoError(fmt::format("{}: cannot be written ({})", path, error.message()));
}

std::string text_of(const ReportValue& value) {
  if (const auto* x = std::get_if<bool>(&value)) return *x ? "yes" : "no";
  if (const auto* x = std::get_if<double>(&value)) return number(*x, 6);
  return std::get<std::string>(value);
}

Json json_of(const ReportValue& value) {
  if (const auto* x = std::get_if<bool>(&value)) return *x;
  if (const auto* x = std::get_if<double>(&value)) return json_number(*x);
  return std::get<std::string>(value);
}

std::string figure_path(const Arguments& arguments, const ReportFigure& figure) {
  return (fs::path(arguments.output) / figure.file).string();
}

std::string report_text(const Report& report, const Arguments& arguments) {
  std::string out = paint(Colour::bold, report.experiment.name) + "  " + paint(Colour::dim, report.experiment.seed) + "\n";
  out += wrap(report.experiment.what, 0, 0) + "\n\n";
  Table table({"", "expected", "found", "what"});
  for (const ReportRow& row : report.rows) {
    std::string expected = (row.relation == "=" ? "" : row.relation + " ") + text_of(row.expected);
    if (row.tolerance > 0) expected += " ± " + number(row.tolerance, 2);
    table.add({mark(row.ok), expected, text_of(row.found), row.what});
  }
  out += table.text();
  for (const ReportTable& more : report.tables) {
    Table numbers(more.headings);
    for (const auto& row : more.rows) numbers.add(row);
    out += "\n" + wrap(more.title, 0, 0) + "\n" + numbers.text();
  }
  out += "\n";
  for (const ReportFigure& figure : report.figures)
    out += wrap(fmt::format("{}  {}", figure_path(arguments, figure), figure.caption), 4, 0) + "\n";
  return out;
}

Json report_json(const Report& report, const Arguments& arguments) {
  Json out{{"name", report.experiment.name}, {"seed", report.experiment.seed}, {"what", report.experiment.what}, {"ok", report.ok()}};
  out["time"] = json_number(report.time);
  out["rows"] = Json::array();
  for (const ReportRow& row : report.rows) {
    Json entry{{"what", row.what}, {"relation", row.relation}, {"expected", json_of(row.expected)}, {"found", json_of(row.found)}};
    entry["tolerance"] = json_number(row.tolerance);
    entry["ok"] = row.ok;
    out["rows"].push_back(entry);
  }
  out["tables"] = Json::array();
  for (const ReportTable& table : report.tables) {
    Json headings = Json::array();
    for (const std::string& heading : table.headings) headings.push_back(heading.starts_with('>') ? heading.substr(1) : heading);
    out["tables"].push_back(Json{{"title", table.title}, {"headings", headings}, {"cells", table.rows}});
  }
  out["figures"] = Json::array();
  for (const ReportFigure& figure : report.figures)
    out["figures"].push_back(Json{{"file", figure_path(arguments, figure)}, {"caption", figure.caption}});
  return out;
}

int list(const Command& command) {
  if (command.json) {
    Json out = Json::array();
    for (const Experiment& e : experiments()) out.push_back(Json{{"name", e.name}, {"seed", e.seed}, {"what", e.what}});
    print_json(out);
  } else if (command.quiet) {
    for (const Experiment& e : experiments()) print(e.name + "\n");
  } else {
    Table table({"name", "source", "what"});
    for (const Experiment& e : experiments()) table.add({e.name, e.seed, e.what});
    print(table.text());
  }
  return kDone;
}

int run(const Command& command, const Arguments& arguments) {
  if ((arguments.name.empty() ? 0 : 1) + arguments.list + arguments.all != 1)
    throw UsageError("reproduce: expected exactly one of NAME, --list and --all (see cornet reproduce --help)");
  if (arguments.list) return list(command);
  std::vector<std::string> names = {arguments.name};
  if (arguments.all) {
    names.clear();
    for (const Experiment& e : experiments()) names.push_back(e.name);
  } else if (std::none_of(experiments().begin(), experiments().end(), [&](const Experiment& e) { return e.name == arguments.name; })) {
    reproduce(arguments.name);  // throws, before a folder is made
  }

  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  make_folder(arguments.output);
  Json reports = Json::array();
  int good = 0, done = 0;
  for (const std::string& name : names) {
    progress.stage(fmt::format("reproducing {}", name));
    const Report report = reproduce(name);
    for (const ReportFigure& figure : report.figures) write_figure(figure_path(arguments, figure), figure.content);
    good += report.ok();
    ++done;
    if (command.json) reports.push_back(report_json(report, arguments));
    else if (!command.quiet) print(report_text(report, arguments) + (arguments.all ? "\n" : ""));
    if (InterruptGuard::requested()) break;
  }
  progress.stop();

  const int total = static_cast<int>(names.size());
  if (command.json) {
    if (arguments.all) print_json(Json{{"experiments", total}, {"reproduced", good}, {"reports", reports}});
    else print_json(reports.front());
  } else if (!command.quiet && arguments.all) {
    print(fmt::format("{} {} of {} experiments reproduced.\n", mark(good == total), good, total));
  }
  if (InterruptGuard::requested() && done < total) return kInterrupted;
  return good == total ? kDone : kNotSolved;
}

}  // namespace

void add_reproduce(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub =
      add_command(app, command, "reproduce", "Repeats an experiment of the papers and compares.",
                  "Prints what is expected against what was found and writes the figure that the paper draws (SVG). Exit code 1 on a "
                  "mismatch. The experiments and where they come from: --list, docs/reproduce.md.",
                  "cornet reproduce --list\ncornet reproduce bead\ncornet reproduce --all --output figures");
  sub->add_option("NAME", arguments->name, "Experiment, for example bead.");
  sub->add_flag("--list", arguments->list, "List the experiments; with --quiet their names alone.");
  sub->add_flag("--all", arguments->all, "Run all of them.");
  sub->add_option("--output,-o", arguments->output, "Folder for the figures. Default: reproduce, in the current folder.")->type_name("DIR");
  sub->callback([&command, arguments] {
    command.paths = {arguments->output};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
