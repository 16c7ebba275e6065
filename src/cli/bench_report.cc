// cornet bench report RECORDS -o PAGE.html: the campaign as one page, nothing to load from anywhere.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/bench.h"
#include "cli/embed.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/profile.h"

// The page and its scripts, as they are on disk when the program is built.
CORNET_EMBED(cornet_report_page, CORNET_WEB "/report.html");
CORNET_EMBED(cornet_report_evaluate, CORNET_WEB "/report_evaluate.js");
CORNET_EMBED(cornet_report_chart, CORNET_WEB "/report_chart.js");
CORNET_EMBED(cornet_report_plots, CORNET_WEB "/report_plots.js");
CORNET_EMBED(cornet_report_script, CORNET_WEB "/report.js");

namespace cornet::cli {
namespace {

struct Arguments {
  std::vector<std::string> records;
  std::string output, title;
};

// The records come last: whatever they hold is text and fills nothing.
std::string page_of(const std::string& data, const std::string& title) {
  std::string page(cornet_report_page, cornet_report_page_end);
  page = fill_page(std::move(page), "@EVALUATE@", {cornet_report_evaluate, cornet_report_evaluate_end});
  page = fill_page(std::move(page), "@CHART@", {cornet_report_chart, cornet_report_chart_end});
  page = fill_page(std::move(page), "@PLOTS@", {cornet_report_plots, cornet_report_plots_end});
  page = fill_page(std::move(page), "@SCRIPT@", {cornet_report_script, cornet_report_script_end});
  page = fill_page(std::move(page), "@TITLE@", escape_html(title));
  return fill_page(std::move(page), "@DATA@", escape_script(data));
}

int run(const Command& command, const Arguments& a) {
  const campaign::RecordSet set = campaign::read_records(a.records, campaign::Detail::everything);
  if (!command.quiet)
    for (const std::string& text : set.warnings) print_error("warning: " + text);
  if (set.records.empty())
    throw IoError(fmt::format("{}: found no records, expected some of cornet bench run", fmt::join(a.records, ", ")));
  const std::string title = a.title.empty() ? "Campaign " + std::filesystem::path(a.records.front()).stem().string() : a.title;
  const std::string page = page_of(campaign::report_data(set.records, title), title);
  std::ofstream out(a.output, std::ios::binary);
  out << page;
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", a.output));
  if (command.json)
    print_json(Json{{"output", a.output}, {"records", set.records.size()}, {"bytes", page.size()}, {"warnings", set.warnings}});
  else if (!command.quiet)
    print(fmt::format("{}: {}, {} MB; open it in a browser\n", a.output, counted(static_cast<long>(set.records.size()), "run"),
                      number(static_cast<double>(page.size()) / 1e6, 3)));
  return kDone;
}

}  // namespace

void add_bench_report(CLI::App& bench, Command& command) {
  auto a = std::make_shared<Arguments>();
  CLI::App* sub =
      add_command(bench, command, "report", "Turns records into a page with profiles, heat map and tables.",
                  "One HTML file that needs no network: profiles with zoom and switches per solver, family and set, heat map, growth with "
                  "size, convergence histories, contact statuses, and which solver to use.",
                  "cornet bench report quick.jsonl -o quick.html");
  sub->add_option("RECORDS", a->records, "Files of cornet bench run.")->required();
  sub->add_option("--output,-o", a->output, "Page to write.")->required()->type_name("PAGE.html");
  sub->add_option("--title", a->title, "Heading of the page. Default: the name of the first file.")->type_name("TEXT");
  sub->callback([&command, a] {
    command.paths = a->records;
    command.run = [&command, a] { return run(command, *a); };
  });
}

}  // namespace cornet::cli
