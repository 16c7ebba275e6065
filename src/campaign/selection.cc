// The records of a campaign as a table of instances × solvers.
#include "campaign/selection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cornet/error.h"

namespace cornet::campaign {
namespace {

bool any(const std::vector<std::string>& patterns, const std::string& text) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return matches(p, text); });
}

bool selected(const Record& r, const Selection& s) {
  const auto same = [&](double t) { return std::abs(t - r.tolerance) <= 1e-9 * t; };
  return any(s.solvers, r.label) && any(s.families, r.family) && any(s.sets, r.set) &&
         (s.tolerances.empty() || std::any_of(s.tolerances.begin(), s.tolerances.end(), same));
}

// Whether a solver counts what is asked for: one that never does cannot be compared.
bool counts(const std::vector<std::vector<const Record*>>& rows, std::size_t solver, Measure by) {
  bool solved = false;
  for (const auto& row : rows) {
    if (!row[solver]->solved()) continue;
    solved = true;
    if (std::isnan(cost(*row[solver], by))) return false;
  }
  return solved || by == Measure::time;
}

}  // namespace

bool matches(const std::string& pattern, const std::string& text) { return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0; }

double shift_of(Measure by) { return by == Measure::time ? 1e-3 : 10; }

double cost(const Record& r, Measure by) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!r.solved()) return kInfinity;
  switch (by) {
    case Measure::time: return std::isfinite(r.time) ? std::max(r.time, 1e-7) : kInfinity;
    case Measure::iterations: return r.iterations < 0 ? Record::kUnknown : std::max(1.0, static_cast<double>(r.iterations));
    case Measure::products: return std::isnan(r.products) ? Record::kUnknown : std::max(1.0, r.products);
  }
  return kInfinity;
}

Table arrange(const std::vector<Record>& records, const Selection& selection) {
  Table out;
  std::unordered_map<std::string, std::size_t> solver_of, row_of;
  std::vector<std::vector<const Record*>> rows;
  for (const Record& r : records) {
    if (!selected(r, selection)) continue;
    ++out.selected;
    const auto [solver, new_solver] = solver_of.try_emplace(r.label, out.solvers.size());
    if (new_solver) {
      out.solvers.push_back(r.label);
      out.families.push_back(r.family);
    }
    const auto [row, new_row] = row_of.try_emplace(fmt::format("{}/{}", r.problem_hash, r.tolerance), rows.size());
    if (new_row) rows.emplace_back();
    auto& cells = rows[row->second];
    if (cells.size() <= solver->second) cells.resize(solver->second + 1, nullptr);
    if (cells[solver->second]) ++out.superseded;
    cells[solver->second] = &r;  // the later one counts
  }
  if (out.selected == 0)
    throw InvalidOption(fmt::format("found none of {} records, expected some that match the selection", records.size()));
  for (auto& row : rows) {
    row.resize(out.solvers.size(), nullptr);
    if (std::count(row.begin(), row.end(), nullptr)) ++out.incomplete;
    else out.rows.push_back(std::move(row));
  }
  if (out.rows.empty())
    throw InvalidOption(
        fmt::format("found no problem on which all {} solvers ran, expected at least one (choose fewer with --solvers, or "
                    "let cornet bench run --resume finish)",
                    out.solvers.size()));
  if (out.incomplete) out.notes.push_back(fmt::format("{} left out: not every solver ran on them", out.incomplete));
  if (out.superseded) out.notes.push_back(fmt::format("{} older records of the same run are superseded by later ones", out.superseded));
  // A solver that does not count the measure leaves the table.
  for (std::size_t s = out.solvers.size(); s-- > 0;) {
    if (counts(out.rows, s, selection.by)) continue;
    out.notes.push_back(fmt::format("{} is left out: it does not count {}, or solved nothing", out.solvers[s], to_string(selection.by)));
    const auto offset = static_cast<std::ptrdiff_t>(s);
    out.solvers.erase(out.solvers.begin() + offset);
    out.families.erase(out.families.begin() + offset);
    for (auto& row : out.rows) row.erase(row.begin() + offset);
  }
  if (out.solvers.empty()) throw InvalidOption(fmt::format("found no solver that counts {}", to_string(selection.by)));
  return out;
}

}  // namespace cornet::campaign
