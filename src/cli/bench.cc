// cornet bench: campaigns. This file has the group, what its commands share, and `merge`.
#include "cli/bench.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <sstream>

#include "cli/json.h"
#include "cli/render.h"
#include "cornet/campaign.h"
#include "cornet/error.h"

namespace cornet::cli {

std::vector<std::string> parse_list(const std::string& option, const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');) {
    if (part.empty()) throw UsageError(fmt::format("{}: found '{}', expected names between the commas", option, text));
    out.push_back(part);
  }
  return out;
}

std::vector<double> parse_tolerances(const std::string& option, const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : parse_list(option, text)) {
    double value = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != part.data() + part.size() || !(value > 0 && value <= 1))
      throw UsageError(fmt::format("{}: found '{}', expected a number in (0, 1]", option, part));
    out.push_back(value);
  }
  return out;
}

void add_bench_merge(CLI::App& bench, Command& command) {
  struct Arguments {
    std::vector<std::string> records;
    std::string output;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(bench, command, "merge", "Joins record files into one.",
                              "Of records with the same key the first is kept. The output may be one of the inputs.",
                              "cornet bench merge shard-*.jsonl -o all.jsonl");
  sub->add_option("RECORDS", arguments->records, "Files of cornet bench run.")->required();
  sub->add_option("--output,-o", arguments->output, "File to write.")->required()->type_name("FILE.jsonl");
  sub->callback([&command, arguments] {
    command.paths = arguments->records;
    command.run = [&command, arguments] {
      const campaign::MergeResult merged = campaign::merge_records(arguments->records, arguments->output);
      if (!command.quiet)
        for (const std::string& text : merged.warnings) print_error("warning: " + text);
      if (command.json)
        print_json(Json{
            {"output", arguments->output}, {"records", merged.records}, {"duplicates", merged.duplicates}, {"warnings", merged.warnings}});
      else if (!command.quiet)
        print(fmt::format("{}: {}{}\n", arguments->output, counted(merged.records, "record"),
                          merged.duplicates ? fmt::format(", {} left out", counted(merged.duplicates, "duplicate")) : ""));
      return kDone;
    };
  });
}

void add_bench(CLI::App& app, Command& command) {
  CLI::App* bench =
      app.add_subcommand("bench",
                         "Runs and evaluates campaigns: solvers × problems × tolerances.\n"
                         "Each run is a process of its own and one line in a record file; profiles and the report page are made "
                         "from the records (docs/campaigns.md).");
  bench->set_help_flag("--help,-h", "Print this help.");
  bench->require_subcommand(1);
  bench->footer(
      "cornet bench run quick --records quick.jsonl --jobs 2\n"
      "cornet bench profile quick.jsonl\n"
      "cornet bench report quick.jsonl -o quick.html");
  add_bench_run(*bench, command);
  add_bench_profile(*bench, command);
  add_bench_report(*bench, command);
  add_bench_merge(*bench, command);
}

}  // namespace cornet::cli
