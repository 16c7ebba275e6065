// What a solve needs in memory, before any of it is asked for. Upper bounds in bytes, with
//
//   B        blocks of W: pairs of contacts on one component, each counted once      b = D²·B its entries
//   |M|, |H|, |G|    stored entries,   m = D·nc,   n degrees of freedom
//   L(M)     entries of the factor of M with the joints, from the symbolic factorisation of the pattern
//   LU(·)    panels, update stack and indices of a supernodal factorisation of a pattern, from its symbolic part
//
//   reduction    12 (2|M| + |H| + |G|) + 16 L(M) + 8 (n_c m_c + 2 m_c²) of the largest component that is no rigid body + 20 b + 8 B
//   certificate  12 (4|M| + 2|H| + 2|G|) + 24 L(M)
//   solver       what the reduction leaves, 12 (|M| + |H| + |G|) + 16 L(M) + 12 b, and
//     every local method      copies · (8 D² + 4) B for W, 60 vectors of m, `dense` matrices of m × m      (MemoryNeeds of the solver)
//     with factors            factors · LU(W) + factor_bytes · b: those of the last pattern are there while those of the next one are made
//     in global form          LU of the graph of bodies or degrees of freedom; W and its factors up to contacts_with_W contacts
//
// Not covered: the general sparse LU that Newton methods fall back to when pivots inside a supernode do not suffice, whose fill is known only when
// it is done, and the look for impossibility of auto and newton-ipm after everything else has failed.
#include "core/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/components.h"
#include "cornet/error.h"
#include "cornet/result.h"
#include "linalg/supernodal_analysis.h"

namespace cornet {
namespace {

template <class T>
double bytes_of(const std::vector<T>& a) {
  return static_cast<double>(a.size()) * sizeof(T);
}

double entries(const SparseMatrix& a) { return static_cast<double>(a.x.size()); }

// A supernodal LU on this pattern, with its values.
double lu_bytes(const BlockPattern& pattern) {
  const SupernodalAnalysis a(pattern);
  return 8 * (static_cast<double>(a.panel_start.back()) + static_cast<double>(a.workspace) + pack_size(a.largest_front) +
              2.0 * static_cast<double>(pattern.values()) + 12.0 * a.size + a.largest_front) +
         2 * bytes_of(pattern.row) + bytes_of(a.rows) + bytes_of(a.entry_source) + bytes_of(a.entry_target) + bytes_of(a.runs) +
         bytes_of(a.place);
}

/// Contacts that share a component: by contact the components it touches, by component its contacts.
struct ContactGraph {
  std::vector<std::vector<int>> parts_of, contacts_of;

  ContactGraph(const Components& components, int dim) : contacts_of(components.parts.size()) {
    const int contacts = static_cast<int>(components.H.cols()) / dim;
    parts_of.resize(static_cast<std::size_t>(contacts));
    for (int a = 0; a < contacts; ++a) {
      auto& mine = parts_of[a];
      for (int j = a * dim; j < (a + 1) * dim; ++j)
        for (SparseColumns::InnerIterator it(components.H, j); it; ++it) mine.push_back(components.part_of[it.row()]);
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
      for (int part : mine) contacts_of[part].push_back(a);
    }
  }

  /// Calls visit(b) once for every contact b that shares a component with a.
  template <class Visit>
  void neighbours(int a, std::vector<int>& seen, Visit&& visit) const {
    for (int part : parts_of[a])
      for (int b : contacts_of[part])
        if (std::exchange(seen[b], a) != a) visit(b);
  }

  double blocks() const {
    std::vector<int> seen(parts_of.size(), -1);
    double count = 0;
    for (int a = 0; a < static_cast<int>(parts_of.size()); ++a) neighbours(a, seen, [&](int) { ++count; });
    return count;
  }

  BlockPattern pattern(int dim) const {
    BlockPattern out;
    out.d = dim;
    std::vector<int> seen(parts_of.size(), -1);
    for (int a = 0; a < static_cast<int>(parts_of.size()); ++a) {
      const auto begin = static_cast<std::ptrdiff_t>(out.row.size());
      neighbours(a, seen, [&](int b) { out.row.push_back(b); });
      if (seen[a] != a) out.row.push_back(a);  // a contact of bodies that cannot move
      std::sort(out.row.begin() + begin, out.row.end());
      out.start.push_back(static_cast<int>(out.row.size()));
    }
    return out;
  }
};

// Columns from lists of rows, in any order and with repetitions.
BlockPattern pattern_of(std::vector<std::vector<int>>& rows, int d) {
  BlockPattern out;
  out.d = d;
  for (auto& list : rows) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    out.row.insert(out.row.end(), list.begin(), list.end());
    out.start.push_back(static_cast<int>(out.row.size()));
    list = {};
  }
  return out;
}

// The blocks of a stored W, the diagonal always.
BlockPattern pattern_of(const SparseMatrix& W, int dim) {
  const int n = W.cols / dim;
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n));
  for (int a = 0; a < n; ++a) rows[a].push_back(a);
  const auto add = [&](int row, int column) {
    auto& list = rows[column / dim];
    if (list.back() != row / dim) list.push_back(row / dim);
  };
  if (W.storage == Storage::triplet) {
    for (std::size_t k = 0; k < W.x.size(); ++k) add(W.i[k], W.p[k]);
  } else {
    const int outer = W.storage == Storage::csc ? W.cols : W.rows;
    for (int o = 0; o < outer; ++o)
      for (int k = W.p[o]; k < W.p[o + 1]; ++k) W.storage == Storage::csc ? add(W.i[k], o) : add(o, W.i[k]);
  }
  return pattern_of(rows, dim);
}

// [M −G; Gᵀ 0].
BlockPattern dynamics_pattern(const Components& c) {
  const int n = static_cast<int>(c.M.rows());
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n + c.G.cols()));
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(static_cast<int>(k));
  for (int j = 0; j < n; ++j)
    for (SparseColumns::InnerIterator it(c.M, j); it; ++it) rows[j].push_back(static_cast<int>(it.row()));
  for (int j = 0; j < c.G.cols(); ++j)
    for (SparseColumns::InnerIterator it(c.G, j); it; ++it) {
      rows[it.row()].push_back(n + j);
      rows[n + j].push_back(static_cast<int>(it.row()));
    }
  return pattern_of(rows, 1);
}

// M + Ĥ E⁻¹ Ĥᵀ of newton-ipm: rigid bodies as blocks where all components are, single degrees of freedom otherwise. `per_contact` are the
// numbers that every contact keeps of it.
BlockPattern condensed_pattern(const Components& c, double& kept) {
  int d = c.parts.empty() ? 1 : c.parts.front().size();
  if (d != 3 && d != 6) d = 1;
  for (const Component& part : c.parts)
    if (part.size() != d || !part.constraints.empty()) d = 1;
  const auto node = [&](Eigen::Index dof) { return d == 1 ? static_cast<int>(dof) : c.part_of[dof]; };
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(c.M.rows()) / d);
  for (int j = 0; j < c.M.outerSize(); ++j) {
    rows[node(j)].push_back(node(j));
    for (SparseColumns::InnerIterator it(c.M, j); it; ++it) rows[node(j)].push_back(node(it.row()));
  }
  std::vector<int> touched;
  kept = 0;
  const auto clique = [&](const SparseColumns& columns, int first, int count) {
    touched.clear();
    for (int j = first; j < first + count; ++j)
      for (SparseColumns::InnerIterator it(columns, j); it; ++it) touched.push_back(node(it.row()));
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int k : touched) rows[k].insert(rows[k].end(), touched.begin(), touched.end());
    const auto size = static_cast<double>(touched.size());
    kept += 200 + 8 * size * d * count + 8 * size * size + 4 * size;
  };
  for (int a = 0; a < c.H.cols() / c.dim; ++a) clique(c.H, a * c.dim, c.dim);
  for (int j = 0; j < c.G.cols(); ++j) clique(c.G, j, 1);
  return pattern_of(rows, d);
}

constexpr double kVectors = 60;

double local_bytes(const MemoryNeeds& needs, const BlockPattern& W) {
  const double D = W.d, blocks = static_cast<double>(W.row.size()), numbers = blocks * D * D, m = static_cast<double>(W.size());
  double out = needs.copies * (8 * D * D + 4) * blocks + 8 * kVectors * m + 8 * needs.dense * m * m;
  if (needs.factors > 0) out += needs.factors * lu_bytes(W) + needs.factor_bytes * numbers;
  return out;
}

bool takes_global(const SolverInfo& info) { return std::find(info.forms.begin(), info.forms.end(), "global") != info.forms.end(); }

}  // namespace

MemoryEstimate estimate_memory(const Problem& problem, const RunOptions& options) {
  const SolverInfo& info = find_solver(options.solver);
  validate(problem);
  const MemoryNeeds& needs = info.memory;
  MemoryEstimate out;
  if (const auto* local = std::get_if<LocalProblem>(&problem)) {
    const double m = local->size(), p = local->V ? local->V->cols : 0;
    BlockPattern W = pattern_of(local->W, local->dim);
    if (p > 0) {  // condensed: dense on all contacts
      out.reduction = 8 * (3 * m * m + 3 * m * p + 2 * p * p) + 12 * m * m;
      const int contacts = local->contacts();
      W.start.assign(1, 0);
      W.row.clear();
      for (int a = 0; a < contacts; ++a) {
        W.row.resize(W.row.size() + static_cast<std::size_t>(contacts));
        std::iota(W.row.end() - contacts, W.row.end(), 0);
        W.start.push_back(static_cast<int>(W.row.size()));
      }
    }
    out.solver = (p > 0 ? 12 * m * m : 0) + local_bytes(needs, W);
    out.certificate = 24 * entries(local->W) + 80 * m + 8 * 3 * p * p;
    return out;
  }
  const auto& global = std::get<GlobalProblem>(problem);
  const Components components(global, Components::Symbolic{});
  const double M = static_cast<double>(components.M.nonZeros()), H = static_cast<double>(components.H.nonZeros()),
               G = static_cast<double>(components.G.nonZeros()), D = global.dim, m = global.size();
  const double factor = static_cast<double>(SupernodalAnalysis(dynamics_pattern(components)).entries);
  const double kept = 12 * (M + H + G) + 16 * factor + 120 * global.dofs();
  const ContactGraph graph(components, global.dim);
  double largest = 0, bodies = 0;
  for (std::size_t k = 0; k < components.parts.size(); ++k) {
    const Component& part = components.parts[k];
    const double on_it = D * static_cast<double>(graph.contacts_of[k].size());
    const bool body = part.size() <= (global.dim == 3 ? 6 : 3) && part.constraints.empty();
    if (body) bodies += on_it * (global.dim == 3 ? 6 : 3);
    else largest = std::max(largest, part.size() * on_it + 2 * on_it * on_it);
  }
  out.certificate = 12 * (4 * M + 2 * H + 2 * G) + 24 * factor + 80 * m;
  const double blocks = graph.blocks(), numbers = blocks * D * D;
  const double assembly = 20 * numbers + 8 * blocks;
  if (takes_global(info) && needs.contacts_with_W < MemoryNeeds::kAlways) {
    double per_contact = 0;
    out.reduction = kept + 12 * M + 8 * (bodies + largest);
    out.solver = kept + 8 * (bodies + largest) + 8 * kVectors * m;
    if (needs.factors > 0) {
      out.solver += lu_bytes(condensed_pattern(components, per_contact));
      out.solver += per_contact;
    }
    if (global.contacts() <= needs.contacts_with_W) out.solver += kept + assembly + local_bytes(needs, graph.pattern(global.dim));
    return out;
  }
  out.reduction = kept + 12 * M + 8 * (bodies + largest) + assembly;
  out.solver = kept + 12 * numbers;
  // Where W alone is too large already, its symbolic factorisation is not worth the time.
  if (options.memory_limit > 0 && out.total() > options.memory_limit) return out;
  out.solver += local_bytes(needs, graph.pattern(global.dim));
  if (takes_global(info) && global.dofs() < global.size()) {
    double per_contact = 0;
    out.solver += kept + 8 * (bodies + largest) + lu_bytes(condensed_pattern(components, per_contact));
    out.solver += per_contact;
  }
  return out;
}

double estimate_existence_memory(const Problem& problem) {
  validate(problem);
  // Every cone couples all variables it touches: triplets, places, the matrix and its factor.
  double pairs = 0, variables = 0;
  const auto add = [&](double count) { pairs += 0.5 * count * (count + 1); };
  if (const auto* local = std::get_if<LocalProblem>(&problem)) {
    const BlockPattern W = pattern_of(local->W, local->dim);
    for (int a = 0; a < W.columns(); ++a) add(local->dim * static_cast<double>(W.start[a + 1] - W.start[a]) + 1);
    variables = local->size() + 1.0;
    const double full = 0.5 * variables * (variables + 1);
    return 20 * pairs + (12 + 24) * std::min(pairs * 4, full) + 8 * kVectors * variables;
  }
  const auto& global = std::get<GlobalProblem>(problem);
  const Components components(global, Components::Symbolic{});
  double per_contact = 0;
  const BlockPattern K = condensed_pattern(components, per_contact);
  for (int a = 0; a < global.contacts(); ++a) {
    double touched = 1;
    for (int j = a * global.dim; j < (a + 1) * global.dim; ++j) touched += static_cast<double>(components.H.col(j).nonZeros());
    add(std::min(touched, global.dofs() + 1.0));
  }
  variables = global.dofs() + 1.0;
  return 20 * pairs + lu_bytes(K) + 8 * kVectors * (variables + global.size()) + 36 * (entries(global.M) + entries(global.H));
}

void check_memory(const Problem& problem, const RunOptions& options) {
  if (!(options.memory_limit > 0)) return;
  // Small problems fit even with dense matrices everywhere: no symbolic work for them.
  const double m = static_cast<double>(contacts(problem)) * dimension(problem);
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const double n = global ? global->dofs() + (global->G ? global->G->cols : 0) : 0;
  if (8 * (60 * m * m + 30 * n * n + 10 * m * n + 2 * kVectors * (m + n)) <= options.memory_limit) return;
  require_memory(estimate_memory(problem, options).total(), options.memory_limit, options.solver);
}

void require_memory(double estimate, double limit, const std::string& what) {
  if (!(limit > 0) || !(estimate > limit)) return;
  const auto text = [](double bytes) {
    return bytes >= 1e9   ? fmt::format("{:.2f} GB", bytes / 1e9)
           : bytes >= 1e6 ? fmt::format("{:.1f} MB", bytes / 1e6)
                          : fmt::format("{:.1f} kB", bytes / 1e3);
  };
  throw MemoryLimit(
      fmt::format("{}: found a need of up to {} of memory, expected at most {} (memory limit)", what, text(estimate), text(limit)));
}

}  // namespace cornet
