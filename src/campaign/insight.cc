// What a campaign teaches: which property of a problem explains the winning family, and which solver to take.
//
//   explained = I(C; F) / H(F) − mean over shuffles of the same,   C: thirds of the problems by a property, F: family of the fastest solver
//
// I is the mutual information, H the entropy. Shuffling the classes shows what chance alone explains with so few data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "campaign/selection.h"
#include "cornet/profile.h"

namespace cornet::campaign {
namespace {

constexpr std::size_t kClasses = 3;
constexpr int kShuffles = 100;
constexpr std::size_t kFewest = 12;  // instances, below which nothing is said

/// An instance, as seen by an explanation: the solved record that was fastest.
struct Winner {
  const Record* record;
  std::size_t family;
};

struct Variable {
  const char* name;
  std::function<double(const Record&)> value;
};

double share(int part, const Record& r) {
  const int all = r.take_off + r.stick + r.slide;
  return all > 0 ? static_cast<double>(part) / all : Record::kUnknown;
}

std::vector<Variable> variables() {
  return {{"sliding contacts (share)", [](const Record& r) { return share(r.slide, r); }},
          {"sticking contacts (share)", [](const Record& r) { return share(r.stick, r); }},
          {"open contacts (share)", [](const Record& r) { return share(r.take_off, r); }},
          {"friction coefficient", [](const Record& r) { return r.mu_max; }},
          {"rank ratio m / rank", [](const Record& r) { return r.rank_ratio; }},
          {"density m / n", [](const Record& r) { return r.density; }},
          {"contacts", [](const Record& r) { return static_cast<double>(r.number_of_contacts); }},
          {"asymmetry of W", [](const Record& r) { return r.asymmetry; }},
          {"tolerance", [](const Record& r) { return r.tolerance; }}};
}

double entropy(const std::vector<long>& counts) {
  double total = 0, out = 0;
  for (long c : counts) total += static_cast<double>(c);
  for (long c : counts)
    if (c > 0) out -= static_cast<double>(c) / total * std::log(static_cast<double>(c) / total);
  return out;
}

// I(C; F) / H(F).
double uncertainty_removed(const std::vector<std::size_t>& classes, const std::vector<std::size_t>& families, std::size_t family_count) {
  std::vector<long> all(family_count, 0);
  std::vector<std::vector<long>> inside(kClasses, all);
  for (std::size_t k = 0; k < classes.size(); ++k) ++all[families[k]], ++inside[classes[k]][families[k]];
  const double before = entropy(all);
  if (before <= 0) return Record::kUnknown;
  double after = 0;
  for (const auto& counts : inside) {
    long size = 0;
    for (long c : counts) size += c;
    after += entropy(counts) * static_cast<double>(size) / static_cast<double>(classes.size());
  }
  return 1 - after / before;
}

// Thirds by value; equal values stay together.
std::vector<std::size_t> thirds(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> out;
  const double first = sorted[sorted.size() / kClasses], second = sorted[2 * sorted.size() / kClasses];
  out.reserve(values.size());
  for (double v : values) out.push_back(v < first ? 0 : v < second ? 1 : 2);
  return out;
}

std::optional<Explanation> explain(const Variable& variable, const std::vector<Winner>& winners, std::size_t family_count) {
  std::vector<double> values;
  std::vector<std::size_t> families;
  for (const Winner& w : winners) {
    const double value = variable.value(*w.record);
    if (std::isnan(value)) continue;
    values.push_back(value);
    families.push_back(w.family);
  }
  if (values.size() < kFewest || std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; })) return {};
  Explanation out;
  out.variable = variable.name;
  auto classes = thirds(values);
  out.classes.resize(kClasses);
  for (std::size_t c = 0; c < kClasses; ++c)
    out.classes[c] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                      std::vector<long>(family_count, 0)};
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto& c = out.classes[classes[k]];
    c.lower = std::min(c.lower, values[k]);
    c.upper = std::max(c.upper, values[k]);
    ++c.wins[families[k]];
  }
  std::erase_if(out.classes, [](const auto& c) { return c.lower > c.upper; });
  out.explained = uncertainty_removed(classes, families, family_count);
  if (std::isnan(out.explained)) return {};  // one family wins everywhere
  double chance = 0;
  std::uint64_t state = 1;  // a linear congruential generator is enough here, and the same everywhere
  for (int k = 0; k < kShuffles; ++k) {
    for (std::size_t i = classes.size() - 1; i > 0; --i) {
      state = 6364136223846793005u * state + 1442695040888963407u;
      std::swap(classes[i], classes[(state >> 33) % (i + 1)]);
    }
    chance += uncertainty_removed(classes, families, family_count) / kShuffles;
  }
  out.explained -= chance;
  return out;
}

std::string situation(const Record& r) {
  const std::string rank = std::isnan(r.rank_ratio) ? "rank not known" : r.rank_ratio <= 1.001 ? "W of full rank" : "W rank-deficient";
  return fmt::format("{}, {} contacts, tolerance {:g}", rank,
                     r.number_of_contacts <= 100    ? "up to 100"
                     : r.number_of_contacts <= 1000 ? "101 to 1000"
                                                    : "more than 1000",
                     r.tolerance);
}

Insight::Advice advise(const std::string& name, const std::vector<std::size_t>& rows, const Table& table) {
  struct Candidate {
    std::size_t solver;
    long solved;
    double mean;
  };
  std::vector<Candidate> candidates;
  for (std::size_t s = 0; s < table.solvers.size(); ++s) {
    Candidate c{s, 0, 0};
    std::vector<double> times;
    for (std::size_t p : rows) {
      const Record& r = *table.rows[p][s];
      c.solved += r.solved();
      times.push_back(r.solved() ? cost(r, Measure::time) : std::max(r.provenance.time_limit, 1e-7));
    }
    c.mean = shifted_geometric_mean(times, shift_of(Measure::time));
    candidates.push_back(c);
  }
  // Who solves more comes first; one in a hundred more or less is no difference, then time decides.
  const double slack = 0.01 * static_cast<double>(rows.size());
  long most = 0;
  for (const Candidate& c : candidates) most = std::max(most, c.solved);
  const auto good = [&](const Candidate& c) { return static_cast<double>(most - c.solved) <= slack; };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (good(a) != good(b)) return good(a);
    if (!good(a) && a.solved != b.solved) return a.solved > b.solved;
    return a.mean < b.mean;
  });
  Insight::Advice out;
  out.situation = name;
  out.instances = static_cast<long>(rows.size());
  out.solver = most > 0 ? table.solvers[candidates[0].solver] : "";
  out.solved = candidates[0].solved;
  out.mean = candidates[0].mean;
  for (const Candidate& c : candidates) {
    if (most == 0 || c.solved == 0 || table.families[c.solver] == table.families[candidates[0].solver]) continue;
    out.alternative = table.solvers[c.solver];
    out.alternative_solved = c.solved;
    out.alternative_mean = c.mean;
    break;
  }
  return out;
}

}  // namespace

Insight learn(const std::vector<Record>& records, const Selection& selection) {
  const Table table = arrange(records, selection);
  Insight out;
  std::vector<std::size_t> family_of;
  for (const std::string& family : table.families) {
    const auto it = std::find(out.families.begin(), out.families.end(), family);
    family_of.push_back(static_cast<std::size_t>(it - out.families.begin()));
    if (it == out.families.end()) out.families.push_back(family);
  }
  std::vector<Winner> winners;
  std::map<std::string, std::vector<std::size_t>> situations;
  for (std::size_t p = 0; p < table.rows.size(); ++p) {
    const auto& row = table.rows[p];
    std::size_t best = row.size();
    for (std::size_t s = 0; s < row.size(); ++s)
      if (row[s]->solved() && (best == row.size() || row[s]->time < row[best]->time)) best = s;
    if (best < row.size()) winners.push_back({row[best], family_of[best]});
    situations["all problems"].push_back(p);
    situations[situation(*row.front())].push_back(p);
  }
  for (const Variable& variable : variables())
    if (auto e = explain(variable, winners, out.families.size())) out.explanations.push_back(std::move(*e));
  std::stable_sort(out.explanations.begin(), out.explanations.end(),
                   [](const auto& a, const auto& b) { return a.explained > b.explained; });
  for (const auto& [name, rows] : situations) out.advice.push_back(advise(name, rows, table));
  return out;
}

}  // namespace cornet::campaign
