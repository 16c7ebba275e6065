// cornet bench run: carries a campaign out.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/bench.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/campaign.h"
#include "cornet/error.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::string spec, solvers, tolerances, shard;
  std::vector<std::string> problems, peers;
  double time_limit = 0, memory_limit = 0;
  long max_iterations = -1;
  int repeat = 0, analyse = -1;
  bool history = false, list = false;
  Form form = Form::any;
  campaign::RunSettings settings;
};

int list_specs(const Command& command) {
  Json out = Json::array();
  Table table({"name", "what"});
  for (const ShippedSpec& shipped : shipped_specs()) {
    const campaign::Spec spec = campaign::parse_spec(shipped.text, shipped.name);
    out.push_back(Json{{"name", shipped.name}, {"what", spec.what}, {"solvers", spec.solvers.size()}, {"spec", Json::parse(shipped.text)}});
    table.add({shipped.name, spec.what});
  }
  if (command.json) print_json(out);
  else if (!command.quiet) print(table.text());
  return kDone;
}

// The shipped names go before files, unless a path is meant.
campaign::Spec base_spec(const std::string& name) {
  if (name.empty()) return {};
  for (const ShippedSpec& shipped : shipped_specs())
    if (shipped.name == name) return campaign::parse_spec(shipped.text, name);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    std::vector<std::string> known;
    for (const ShippedSpec& shipped : shipped_specs()) known.push_back(shipped.name);
    throw IoError(fmt::format("{}: found no such file, and no shipped specification of that name ({})", name, fmt::join(known, ", ")));
  }
  return campaign::read_spec(name);
}

// What stands on the command line replaces what the specification says.
campaign::Spec make_spec(const Arguments& a) {
  campaign::Spec spec = base_spec(a.spec);
  if (!a.problems.empty()) {
    campaign::ProblemGroup group;
    group.files = a.problems;
    spec.problems = {group};
  }
  if (!a.solvers.empty()) {
    spec.solvers.clear();
    for (const std::string& text : parse_list("--solvers", a.solvers)) spec.solvers.push_back(campaign::parse_solver(text));
  }
  for (const std::string& text : a.peers) spec.solvers.push_back(campaign::parse_peer(text));
  if (!a.tolerances.empty()) {
    spec.tolerances = parse_tolerances("--tol", a.tolerances);
    for (campaign::ProblemGroup& group : spec.problems) group.tolerances.clear();
  }
  if (a.time_limit > 0) {
    spec.time_limit = a.time_limit;
    for (campaign::ProblemGroup& group : spec.problems) group.time_limit = a.time_limit;
  }
  if (a.memory_limit > 0) spec.memory_limit = a.memory_limit;
  if (a.max_iterations >= 0) spec.max_iterations = a.max_iterations;
  if (a.repeat > 0) spec.repeat = a.repeat;
  if (a.analyse >= 0) spec.analyse = a.analyse;
  spec.history = spec.history || a.history;
  if (a.form != Form::any)
    for (campaign::ProblemGroup& group : spec.problems) group.form = a.form;
  if (spec.problems.empty())
    throw UsageError("bench run: found no problems, expected SPEC.json or --problems (see cornet bench run --help)");
  if (spec.solvers.empty()) throw UsageError("bench run: found no solvers, expected SPEC.json or --solvers (see cornet bench run --help)");
  return spec;
}

void parse_shard(const std::string& text, campaign::RunSettings& settings) {
  if (text.empty()) return;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, settings.shard);
  const bool slash = first.ec == std::errc() && first.ptr < end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, settings.shards) : first;
  if (!slash || second.ec != std::errc() || second.ptr != end || settings.shards < 1 || settings.shard < 1 ||
      settings.shard > settings.shards)
    throw UsageError(fmt::format("--shard: found '{}', expected i/n with 1 ≤ i ≤ n", text));
}

// One line on a terminal: how far, how fast, how long, and how it goes. The campaign has no second thread, since it forks.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : enabled_(!quiet && ::isatty(2)) {}
  ~ProgressLine() { clear(); }

  void draw(const campaign::RunSettings::State& s) {
    if (!enabled_ || (drawn_ && s.elapsed - last_ < 0.1)) return;
    last_ = s.elapsed;
    drawn_ = true;
    const long behind = s.done + s.skipped;
    const double share = s.total > 0 ? static_cast<double>(behind) / static_cast<double>(s.total) : 1;
    const double rate = s.elapsed > 0 ? static_cast<double>(s.done) / s.elapsed : 0;
    constexpr int kWidth = 20;
    const int full = static_cast<int>(share * kWidth);
    std::string bar;
    for (int k = 0; k < kWidth; ++k) bar += k < full ? "█" : "░";
    const std::string left = rate > 0 ? seconds(static_cast<double>(s.total - behind) / rate) : "?";
    std::string line = fmt::format("{} {}/{}  {:.1f}/s  {} left  {} solved  {} failed  {}", bar, behind, s.total, rate, left, s.solved,
                                   s.done - s.solved, s.current);
    while (width(line) >= kColumns) line.pop_back();
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

 private:
  bool enabled_, drawn_ = false;
  double last_ = 0;
};

int run(const Command& command, Arguments& a) {
  if (a.list) return list_specs(command);
  if (a.settings.records.empty()) throw UsageError("bench run: --records is missing (see cornet bench run --help)");
  parse_shard(a.shard, a.settings);
  const campaign::Spec spec = make_spec(a);
  const InterruptGuard guard;
  ProgressLine line(command.quiet);
  a.settings.interrupt = InterruptGuard::flag();
  a.settings.progress = [&](const campaign::RunSettings::State& state) { line.draw(state); };
  const campaign::RunSummary summary = campaign::run(spec, a.settings);
  line.clear();
  if (!command.quiet)
    for (const std::string& text : summary.warnings) print_error("warning: " + text);
  if (command.json) {
    print_json(Json{{"records", a.settings.records},
                    {"total", summary.total},
                    {"skipped", summary.skipped},
                    {"done", summary.done},
                    {"unreadable", summary.unreadable},
                    {"statuses", summary.statuses},
                    {"wall", json_number(summary.wall)},
                    {"overhead", json_number(summary.overhead)},
                    {"interrupted", summary.interrupted},
                    {"warnings", summary.warnings}});
  } else if (!command.quiet) {
    std::string statuses;
    for (const auto& [status, count] : summary.statuses) statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
    print(fmt::format("{}: {} in {}{}{}\n", a.settings.records, counted(summary.done, "run"), seconds(summary.wall),
                      summary.skipped ? fmt::format(", {} were there", summary.skipped) : "", statuses.empty() ? "" : ": " + statuses));
    if (summary.interrupted) print("interrupted; --resume goes on\n");
  }
  if (summary.interrupted) return kInterrupted;
  return summary.unreadable > 0 ? kBadInput : kDone;
}

}  // namespace

void add_bench_run(CLI::App& bench, Command& command) {
  auto a = std::make_shared<Arguments>();
  CLI::App* sub = add_command(
      bench, command, "run", "Runs solvers × problems × tolerances, one process per run.",
      "Every run ends as one line of the record file, flushed to the disk; its error is recomputed from the written answer. A campaign "
      "that was "
      "stopped goes on with --resume. Options replace what the specification says.",
      "cornet bench run quick --records quick.jsonl --jobs 2\n"
      "cornet bench run --problems 'data/*.hdf5' --solvers nsgs-ac,auto \\\n    --tol 1e-4,1e-8 --time-limit 10 --records a.jsonl\n"
      "cornet bench run survey-table6 --shard 3/16 --records part-3.jsonl");
  sub->add_option("SPEC", a->spec, "Specification: a JSON file, or a name of --list.");
  sub->add_flag("--list", a->list, "List the specifications that come with the program.");
  sub->add_option("--records", a->settings.records, "Record file to write.")->type_name("FILE.jsonl");
  sub->add_option("--problems", a->problems, "Problem file, folder or glob (quoted); may be given again.")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  sub->add_option("--solvers", a->solvers, "Solvers, as ID or ID:OPTION=VALUE, or siconos:NAME.")->type_name("ID,ID…");
  sub->add_option("--peer", a->peers, "A program outside that takes part through files (docs/campaigns.md); may be given again.")
      ->type_name("[NAME=]COMMAND")
      ->allow_extra_args(false);
  sub->add_option("--tol", a->tolerances, "Tolerances on the certified error. Default: 1e-4,1e-8.")->type_name("T,T…");
  sub->add_option("--time-limit", a->time_limit, "Seconds for one solve. Default: 60.")
      ->type_name("S")
      ->check(in_range({0, 1e9, true, false}));
  sub->add_option_function<std::string>(
         "--memory-limit",
         [a](const std::string& text) {
           constexpr double kMib = 1048576;
           a->memory_limit = parse_size("--memory-limit", text, kMib) / kMib;
           if (a->memory_limit < 16)
             throw CLI::ValidationError("--memory-limit", fmt::format("found '{}', expected at least 16 MiB", text));
         },
         "Memory of one run beyond its problem, as 500MB or 2GB, or a number of MiB. Default: 4096.")
      ->type_name("SIZE");
  sub->add_option("--max-iterations", a->max_iterations, "Most iterations; 0 stands for the solver's own limit. Default: 0.")
      ->type_name("N")
      ->check(in_range({0, 1e15}, true));
  add_form(*sub, a->form);
  sub->add_option("--jobs,-j", a->settings.jobs, "Runs at the same time. Default: 1.")->type_name("N")->check(in_range({1, 1024}, true));
  sub->add_flag("--pin", a->settings.pin, "Keep each job on a processor of its own.");
  sub->add_option("--repeat", a->repeat, "Solves shorter than 50 ms are repeated up to so often; the least time counts. Default: 5.")
      ->type_name("N")
      ->check(in_range({1, 1000}, true));
  sub->add_flag("--history", a->history, "Keep the residuals of the iterations, at most 200 per run.");
  sub->add_option("--analyse", a->analyse, "Rank and conditioning of W up to this size m; 0: never. Default: 900.")
      ->type_name("M")
      ->check(in_range({0, 1e5}, true));
  sub->add_flag("--resume", a->settings.resume, "Go on with the record file: what is in it is skipped.");
  sub->add_option("--shard", a->shard, "Only part i of n of the runs, for several machines.")->type_name("i/n");
  sub->add_option("--problems-folder", a->settings.problems_folder, "Where made problems are kept. Default: FILE.problems.")
      ->type_name("DIR");
  sub->callback([&command, a] {
    command.paths.clear();
    command.run = [&command, a] { return run(command, *a); };
  });
}

}  // namespace cornet::cli
