// cornet bench profile: performance profiles, scores and advice from records.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include "cli/bench.h"
#include "cli/bench_json.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/profile.h"

namespace cornet::cli {
namespace {

struct Arguments {
  std::vector<std::string> records;
  std::string by = "time", solvers, families, sets, tolerances, csv;
  double widest = 0;
  bool by_family = false, tables = false;
};

campaign::Selection selection_of(const Arguments& a) {
  campaign::Selection out;
  out.by = a.by == "time" ? campaign::Measure::time : a.by == "iterations" ? campaign::Measure::iterations : campaign::Measure::products;
  if (!a.solvers.empty()) out.solvers = parse_list("--solvers", a.solvers);
  if (!a.families.empty()) out.families = parse_list("--families", a.families);
  if (!a.sets.empty()) out.sets = parse_list("--sets", a.sets);
  if (!a.tolerances.empty()) out.tolerances = parse_tolerances("--tol", a.tolerances);
  return out;
}

std::string mean_text(double value, campaign::Measure by) { return by == campaign::Measure::time ? seconds(value) : number(value, 3); }

char letter(std::size_t k) {
  static const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return k < letters.size() ? letters[k] : '+';
}

// ρ over log τ in characters. Where curves lie on each other the better solver is seen.
std::string plot(const std::vector<campaign::Curve>& curves, const std::vector<campaign::Score>& scores, double widest) {
  constexpr int kWidth = 70, kHeight = 16;
  std::vector<std::string> grid(kHeight + 1, std::string(kWidth + 1, ' '));
  std::vector<std::size_t> order(curves.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a].mean > scores[b].mean; });
  for (std::size_t k : order)
    for (int x = 0; x <= kWidth; ++x) {
      const double tau = std::pow(widest, static_cast<double>(x) / kWidth);
      const int y = static_cast<int>(std::lround(kHeight * curves[k].at(tau * (1 + 1e-12))));
      grid[static_cast<std::size_t>(kHeight - y)][static_cast<std::size_t>(x)] = letter(k);
    }
  std::string out;
  for (int y = 0; y <= kHeight; ++y) {
    const double rho = 1 - static_cast<double>(y) / kHeight;
    out += (y % 4 == 0 ? fmt::format("{:>5.2f} ┤", rho) : "      │") + grid[static_cast<std::size_t>(y)] + "\n";
  }
  out += "      └";
  for (int x = 0; x <= kWidth; ++x) out += "─";
  std::string axis(kWidth + 8, ' ');
  for (int part = 0; part <= 4; ++part) {
    const std::string text = number(std::pow(widest, part / 4.0), 3);
    const std::size_t at = 7 + static_cast<std::size_t>(part * kWidth / 4);
    const std::size_t from = std::min(at, axis.size() - text.size());
    axis.replace(from, text.size(), text);
  }
  return out + "\n" + axis + " τ\n";
}

double widest_ratio(const std::vector<campaign::Curve>& curves) {
  double out = 2;
  for (const campaign::Curve& c : curves)
    if (!c.tau.empty()) out = std::max(out, c.tau.back());
  return std::min(out, 1000.0);
}

std::string score_table(const std::vector<campaign::Score>& scores, const std::vector<campaign::Curve>& curves, campaign::Measure by,
                        const std::string& heading) {
  std::vector<std::size_t> order(scores.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a].mean < scores[b].mean; });
  Table table({"", heading, ">solved", ">failed", ">best", ">ρ(2)", ">ρ(10)", ">mean", ">false"});
  for (std::size_t k : order) {
    const campaign::Score& s = scores[k];
    table.add({std::string(1, letter(k)), s.name, fmt::format("{}/{}", s.solved, s.instances),
               fmt::format("{:.1f} %", 100 * s.failure_rate()), fmt::format("{:.0f} %", 100 * curves[k].at(1)),
               fmt::format("{:.2f}", curves[k].at(2)), fmt::format("{:.2f}", curves[k].at(10)), mean_text(s.mean, by),
               s.false_claims ? std::to_string(s.false_claims) : ""});
  }
  return table.text();
}

// Per set: who solves most, then who is fastest.
std::string set_table(const campaign::Evaluation& e) {
  Table table({"set", ">tolerance", ">problems", ">solved", ">mean", "best solver"});
  for (const campaign::SetScores& set : e.sets) {
    const auto better = [](const campaign::Score& a, const campaign::Score& b) {
      return a.solved != b.solved ? a.solved > b.solved : a.mean < b.mean;
    };
    const campaign::Score& best = *std::min_element(set.solvers.begin(), set.solvers.end(), better);
    const bool none = best.solved == 0;
    table.add({set.set, number(set.tolerance), std::to_string(best.instances), none ? "0" : std::to_string(best.solved),
               none ? "" : mean_text(best.mean, e.by), none ? "none" : best.name});
  }
  return table.text();
}

std::string advice_text(const campaign::Insight& insight) {
  std::string out;
  for (const auto& a : insight.advice) {
    out += wrap(a.solver.empty() ? fmt::format("{} ({}): no solver solved any", a.situation, counted(a.instances, "instance"))
                                 : fmt::format("{} ({}): {} ({} solved, mean {}){}", a.situation, counted(a.instances, "instance"),
                                               a.solver, a.solved, seconds(a.mean),
                                               a.alternative.empty() ? ""
                                                                     : fmt::format("; else {} ({}, {})", a.alternative,
                                                                                   a.alternative_solved, seconds(a.alternative_mean))),
                4, 0) +
           "\n";
  }
  if (insight.explanations.empty()) return out;
  Table table({"what explains the winning family", ">explained"});
  for (const campaign::Explanation& e : insight.explanations) table.add({e.variable, fmt::format("{:.0f} %", 100 * e.explained)});
  return out + "\n" + table.text();
}

void write_csv(const std::string& path, const campaign::Evaluation& e) {
  std::ofstream out(path);
  out << "solver,tau,rho\n";
  for (const campaign::Curve& c : e.curves)
    for (std::size_t k = 0; k < c.tau.size(); ++k) out << fmt::format("{},{},{}\n", c.solver, c.tau[k], c.rho[k]);
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", path));
}

int run(const Command& command, const Arguments& a) {
  const campaign::Selection selection = selection_of(a);
  const campaign::RecordSet set = campaign::read_records(a.records);
  if (!command.quiet)
    for (const std::string& text : set.warnings) print_error("warning: " + text);
  if (set.records.empty())
    throw IoError(fmt::format("{}: found no records, expected some of cornet bench run", fmt::join(a.records, ", ")));
  const campaign::Evaluation e = campaign::evaluate(set.records, selection);
  const campaign::Insight insight = campaign::learn(set.records, selection);
  if (!a.csv.empty()) write_csv(a.csv, e);
  if (command.json) {
    Json out = evaluation_json(e);
    out["growth"] = growth_json(campaign::growth(set.records, selection));
    out["insight"] = insight_json(insight);
    print_json(out);
    return kDone;
  }
  if (command.quiet) return kDone;
  const auto& curves = a.by_family ? e.family_curves : e.curves;
  const auto& scores = a.by_family ? e.families : e.solvers;
  std::string text =
      fmt::format("{} × {} by {}; {} solved by nobody\n", counted(static_cast<long>(scores.size()), a.by_family ? "familie" : "solver"),
                  counted(e.instances, "instance"), to_string(e.by), e.unsolved);
  if (a.by_family) text.replace(text.find("familie"), scores.size() == 1 ? 7 : 8, scores.size() == 1 ? "family" : "families");
  text += "\n" + plot(curves, scores, a.widest > 1 ? a.widest : widest_ratio(curves)) + "\n";
  text += score_table(scores, curves, e.by, a.by_family ? "best of family" : "solver");
  text += fmt::format(
      "best: share of instances on which it is first; ρ(τ): within τ times the best; mean: geometric, shifted by {}, a failed run\n"
      "counts with {}; false: claimed, but refuted by the certificate\n",
      mean_text(e.shift, e.by), e.by == campaign::Measure::time ? "its time limit" : "the largest of its instance");
  text += "\n" + set_table(e) + "\nWhich solver should I use?\n" + advice_text(insight);
  for (const std::string& note : e.notes) text += "note: " + note + "\n";
  print(text);
  return kDone;
}

}  // namespace

void add_bench_profile(CLI::App& bench, Command& command) {
  auto a = std::make_shared<Arguments>();
  CLI::App* sub =
      add_command(bench, command, "profile", "Performance profiles and scores from records.",
                  "Dolan–Moré profiles as a plot in the terminal, failure rates, shifted geometric means, tables per set, and which "
                  "solver the data recommend. Names may have * and ?.",
                  "cornet bench profile quick.jsonl\ncornet bench profile quick.jsonl --by iterations --solvers 'nsgs-*'\n"
                  "cornet bench profile all.jsonl --sets Capsules --tol 1e-8 --csv a.csv");
  sub->add_option("RECORDS", a->records, "Files of cornet bench run.")->required();
  sub->add_option("--by", a->by, "time, iterations or products. Default: time.")
      ->check(CLI::IsMember({"time", "iterations", "products"}))
      ->type_name("MEASURE");
  sub->add_option("--solvers", a->solvers, "Only these solvers.")->type_name("NAME,NAME…");
  sub->add_option("--families", a->families, "Only solvers of these families.")->type_name("NAME,NAME…");
  sub->add_option("--sets", a->sets, "Only problems of these sets.")->type_name("NAME,NAME…");
  sub->add_option("--tol", a->tolerances, "Only runs to these tolerances.")->type_name("T,T…");
  sub->add_flag("--by-family", a->by_family, "Plot the best solver of each family, in hindsight.");
  sub->add_option("--tau", a->widest, "Largest τ of the plot. Default: what there is, at most 1000.")
      ->type_name("TAU")
      ->check(in_range({1, 1e12, true}));
  sub->add_option("--csv", a->csv, "Write the curves.")->type_name("FILE.csv");
  sub->callback([&command, a] {
    command.paths = a->records;
    command.run = [&command, a] { return run(command, *a); };
  });
}

}  // namespace cornet::cli
