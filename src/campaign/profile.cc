// Performance profiles and scores.
#include "cornet/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "campaign/selection.h"
#include "cornet/error.h"

namespace cornet::campaign {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Costs costs_of(const Table& table, Measure by) {
  Costs out{table.solvers, {}};
  out.values.reserve(table.rows.size() * table.solvers.size());
  for (const auto& row : table.rows)
    for (const Record* r : row) out.values.push_back(cost(*r, by));
  return out;
}

// The best of each family on every problem: what one gets who always knows which member to take.
Costs best_of_families(const Costs& costs, const std::vector<std::string>& families) {
  Costs out;
  std::vector<std::size_t> group;
  for (const std::string& family : families) {
    const auto it = std::find(out.solvers.begin(), out.solvers.end(), family);
    group.push_back(static_cast<std::size_t>(it - out.solvers.begin()));
    if (it == out.solvers.end()) out.solvers.push_back(family);
  }
  out.values.assign(costs.problems() * out.solvers.size(), kInfinity);
  for (std::size_t p = 0; p < costs.problems(); ++p)
    for (std::size_t s = 0; s < costs.solvers.size(); ++s) {
      double& best = out.values[p * out.solvers.size() + group[s]];
      best = std::min(best, costs(p, s));
    }
  return out;
}

// What a failed run counts with: the time limit, or the largest count of anybody on this instance.
double penalty(const std::vector<const Record*>& row, Measure by) {
  double out = 0;
  for (const Record* r : row) {
    if (by == Measure::time) out = std::max(out, r->provenance.time_limit > 0 ? r->provenance.time_limit : r->time);
    else if (by == Measure::iterations) out = std::max(out, static_cast<double>(r->iterations));
    else if (!std::isnan(r->products)) out = std::max(out, r->products);
  }
  return std::max(out, by == Measure::time ? 1e-7 : 1.0);
}

// Scores over some of the instances.
std::vector<Score> scores(const Costs& costs, const Table& table, Measure by, const std::vector<std::size_t>& instances, bool claims) {
  std::vector<Score> out(costs.solvers.size());
  std::vector<double> best(instances.size(), kInfinity), worst(instances.size());
  for (std::size_t k = 0; k < instances.size(); ++k) {
    for (std::size_t s = 0; s < costs.solvers.size(); ++s) best[k] = std::min(best[k], costs(instances[k], s));
    worst[k] = penalty(table.rows[instances[k]], by);
  }
  std::vector<double> values(instances.size());
  for (std::size_t s = 0; s < costs.solvers.size(); ++s) {
    Score& score = out[s];
    score.name = costs.solvers[s];
    score.instances = static_cast<long>(instances.size());
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const double t = costs(instances[k], s);
      const bool solved = t < kInfinity;
      score.solved += solved;
      score.wins += solved && t <= best[k];
      values[k] = solved ? t : worst[k];
      if (claims) score.false_claims += table.rows[instances[k]][s]->claimed && !table.rows[instances[k]][s]->solved();
    }
    score.mean = shifted_geometric_mean(values, shift_of(by));
  }
  return out;
}

}  // namespace

double Curve::at(double ratio) const {
  const auto next = std::upper_bound(tau.begin(), tau.end(), ratio);
  return next == tau.begin() ? 0 : rho[static_cast<std::size_t>(next - tau.begin()) - 1];
}

std::vector<Curve> performance_profile(const Costs& costs) {
  const std::size_t problems = costs.problems(), solvers = costs.solvers.size();
  std::vector<std::vector<double>> ratios(solvers);
  for (std::size_t p = 0; p < problems; ++p) {
    double best = kInfinity;
    for (std::size_t s = 0; s < solvers; ++s) {
      if (!(costs(p, s) > 0))
        throw InvalidOption(
            fmt::format("cost of {} on problem {}: found {}, expected a positive number", costs.solvers[s], p, costs(p, s)));
      best = std::min(best, costs(p, s));
    }
    for (std::size_t s = 0; s < solvers; ++s)
      if (costs(p, s) < kInfinity) ratios[s].push_back(costs(p, s) / best);
  }
  std::vector<Curve> out(solvers);
  for (std::size_t s = 0; s < solvers; ++s) {
    out[s].solver = costs.solvers[s];
    std::sort(ratios[s].begin(), ratios[s].end());
    for (std::size_t k = 0; k < ratios[s].size(); ++k) {
      if (k + 1 < ratios[s].size() && ratios[s][k + 1] == ratios[s][k]) continue;  // one jump for equal ratios
      out[s].tau.push_back(ratios[s][k]);
      out[s].rho.push_back(static_cast<double>(k + 1) / static_cast<double>(problems));
    }
  }
  return out;
}

double shifted_geometric_mean(const std::vector<double>& values, double shift) {
  if (values.empty()) return Record::kUnknown;
  double sum = 0;
  for (double value : values) sum += std::log(value + shift);
  return std::exp(sum / static_cast<double>(values.size())) - shift;
}

const char* to_string(Measure measure) {
  switch (measure) {
    case Measure::time: return "time";
    case Measure::iterations: return "iterations";
    case Measure::products: return "products";
  }
  return "";
}

Evaluation evaluate(const std::vector<Record>& records, const Selection& selection) {
  const Table table = arrange(records, selection);
  const Costs costs = costs_of(table, selection.by);
  const Costs families = best_of_families(costs, table.families);
  Evaluation out;
  out.by = selection.by;
  out.shift = shift_of(selection.by);
  out.records = table.selected;
  out.superseded = table.superseded;
  out.instances = static_cast<long>(table.rows.size());
  out.incomplete = table.incomplete;
  out.notes = table.notes;
  std::vector<std::size_t> all(table.rows.size());
  std::map<std::pair<std::string, double>, std::vector<std::size_t>> sets;
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p] = p;
    const Record& r = *table.rows[p].front();
    sets[{r.set, r.tolerance}].push_back(p);
    bool solved = false;
    for (std::size_t s = 0; s < table.solvers.size(); ++s) solved = solved || costs(p, s) < kInfinity;
    out.unsolved += !solved;
  }
  out.solvers = scores(costs, table, selection.by, all, true);
  for (std::size_t s = 0; s < out.solvers.size(); ++s) out.solvers[s].family = table.families[s];
  out.families = scores(families, table, selection.by, all, false);
  for (Score& score : out.families) score.family = score.name;
  for (const auto& [key, instances] : sets)
    out.sets.push_back({key.first, key.second, scores(costs, table, selection.by, instances, true)});
  out.curves = performance_profile(costs);
  out.family_curves = performance_profile(families);
  return out;
}

std::vector<Growth> growth(const std::vector<Record>& records, const Selection& selection) {
  const Table table = arrange(records, selection);
  std::vector<Growth> out;
  for (std::size_t s = 0; s < table.solvers.size(); ++s) {
    std::map<int, int> sizes;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& row : table.rows) {
      const Record& r = *row[s];
      if (!r.solved() || r.number_of_contacts < 1 || !(r.time > 0)) continue;
      const double a = std::log(r.number_of_contacts), b = std::log(r.time);
      n += 1, x += a, y += b, xx += a * a, xy += a * b;
      ++sizes[r.number_of_contacts];
    }
    Growth g{table.solvers[s], Record::kUnknown, Record::kUnknown, static_cast<long>(n)};
    const double spread = n * xx - x * x;
    if (sizes.size() >= 3 && spread > 0) {
      g.exponent = (n * xy - x * y) / spread;
      g.factor = std::exp((y - g.exponent * x) / n);
    }
    out.push_back(g);
  }
  return out;
}

}  // namespace cornet::campaign
