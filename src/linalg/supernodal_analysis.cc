#include "linalg/supernodal_analysis.h"

#include <metis.h>

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>

#include "cornet/error.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

// Nested dissection saves about a third of the operations of a packing and takes as long as 1e5 of them per node: it is tried where some 20
// factorisations repay it.
constexpr double kDissectionFrom = 2e8, kDissectionPerNode = 2e4;

// Model of the time of a front, in cycles: a fixed part, the operations, and the memory that is touched.
constexpr double kFrontCost = 500, kFlopsPerCycle = 4, kUpdateCost = 1.0, kPanelCost = 0.5;

// The steps of an analysis cannot be stopped from within. Seconds that they take at most on current machines:
constexpr double kGraphSeconds = 2.5e-7;     // graph and nodes, per block
constexpr double kDegreeSeconds = 4e-6;      // minimum degree, per node and ten neighbours
constexpr double kDissectionSeconds = 4e-5;  // nested dissection, per node
constexpr double kLocateSeconds = 5e-8;      // places in the fronts, per block

/// Neighbours of every node, sorted, without itself; number of variables that a node stands for.
struct Graph {
  std::vector<int> start{0}, neighbour, weight;
  int size() const { return static_cast<int>(start.size()) - 1; }
  int degree(int v) const { return start[v + 1] - start[v]; }
  const int* begin(int v) const { return neighbour.data() + start[v]; }
  const int* end(int v) const { return neighbour.data() + start[v + 1]; }
};

/// Order of elimination (position → node, a postorder of the tree), parents, weighted lengths of the columns of L with the diagonal.
struct Elimination {
  std::vector<int> order, parent;
  std::vector<long> length;
  double flops = 0;
};

/// 1 + 4 + … + n².
double sum_of_squares(double n) { return n * (n + 1) * (2 * n + 1) / 6; }

/// Σ of the squares of the column lengths of a trapezoid: `width` columns, the last one with `below` rows under its diagonal entry.
double trapezoid_flops(double width, double below) { return sum_of_squares(width + below) - sum_of_squares(below); }

double trapezoid_entries(double width, double below) { return width * (width + 1) / 2 + width * below; }

/// The graph of A + Aᵀ on blocks of d variables.
Graph block_graph(int n, const int* start, const int* row, int d, PatternOf pattern) {
  // Entries above the diagonal, turned over: the columns stay sorted.
  std::vector<int> turned_start(n + 1, 0), turned;
  if (pattern == PatternOf::both) {
    for (int j = 0; j < n; ++j)
      for (int k = start[j]; k < start[j + 1]; ++k)
        if (row[k] < j) ++turned_start[row[k] + 1];
    std::partial_sum(turned_start.begin(), turned_start.end(), turned_start.begin());
    turned.resize(turned_start[n]);
    std::vector<int> next(turned_start.begin(), turned_start.end() - 1);
    for (int j = 0; j < n; ++j)
      for (int k = start[j]; k < start[j + 1]; ++k)
        if (row[k] < j) turned[next[row[k]]++] = j;
  }
  std::vector<int> lower_start(n + 1, 0), lower;
  lower.reserve(start[n]);
  for (int j = 0; j < n; ++j) {
    const int* own = std::upper_bound(row + start[j], row + start[j + 1], j);
    std::set_union(own, row + start[j + 1], turned.begin() + turned_start[j], turned.begin() + turned_start[j + 1],
                   std::back_inserter(lower));
    lower_start[j + 1] = static_cast<int>(lower.size());
  }
  if (lower.size() > static_cast<std::size_t>(std::numeric_limits<int>::max() / 2))
    throw Error("supernodal: the matrix has too many entries");
  Graph graph;
  graph.start.assign(n + 1, 0);
  for (int j = 0; j < n; ++j)
    for (int k = lower_start[j]; k < lower_start[j + 1]; ++k) ++graph.start[j + 1], ++graph.start[lower[k] + 1];
  std::partial_sum(graph.start.begin(), graph.start.end(), graph.start.begin());
  graph.neighbour.resize(graph.start[n]);
  graph.weight.assign(n, d);
  std::vector<int> next(graph.start.begin(), graph.start.end() - 1);
  // A node first meets its smaller neighbours in ascending order, then those of its own column.
  for (int j = 0; j < n; ++j)
    for (int k = lower_start[j]; k < lower_start[j + 1]; ++k) {
      graph.neighbour[next[lower[k]]++] = j;
      graph.neighbour[next[j]++] = lower[k];
    }
  return graph;
}

/// Equal closed neighbourhoods of u < v, of the same degree.
bool indistinguishable(const Graph& graph, int u, int v) {
  const int *a = graph.begin(u), *b = graph.begin(v), *const a_end = graph.end(u), *const b_end = graph.end(v);
  for (;;) {
    if (a != a_end && *a == v) ++a;
    if (b != b_end && *b == u) ++b;
    if (a == a_end || b == b_end) return a == a_end && b == b_end;
    if (*a++ != *b++) return false;
  }
}

/// One node for all blocks with the same closed neighbourhood; group[i] is the node of block i.
Graph compressed(const Graph& graph, std::vector<int>& group) {
  const int n = graph.size();
  const auto hash_of = [](int v) {
    std::uint64_t h = static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    h ^= h >> 31;
    return h * 0xbf58476d1ce4e5b9u;
  };
  std::vector<std::uint64_t> hash(n);
  for (int v = 0; v < n; ++v) {
    hash[v] = hash_of(v);
    for (const int* u = graph.begin(v); u != graph.end(v); ++u) hash[v] += hash_of(*u);
  }
  Graph result;
  std::vector<int> leader(n), leaders;
  group.resize(n);
  for (int v = 0; v < n; ++v) {
    leader[v] = v;
    for (const int* u = graph.begin(v); u != graph.end(v) && *u < v; ++u)
      if (hash[*u] == hash[v] && leader[*u] == *u && graph.degree(*u) == graph.degree(v) && indistinguishable(graph, *u, v)) {
        leader[v] = *u;
        break;
      }
    if (leader[v] == v) {
      group[v] = static_cast<int>(leaders.size());
      leaders.push_back(v);
      result.weight.push_back(graph.weight[v]);
    } else {
      group[v] = group[leader[v]];
      result.weight[group[v]] += graph.weight[v];
    }
  }
  for (int v : leaders) {
    for (const int* u = graph.begin(v); u != graph.end(v); ++u)
      if (leader[*u] == *u) result.neighbour.push_back(group[*u]);
    result.start.push_back(static_cast<int>(result.neighbour.size()));
  }
  return result;
}

/// Liu's elimination tree with path compression. `order` is any order on entry and a postorder of its own tree on return.
Elimination eliminate(const Graph& graph, std::vector<int> order) {
  const int n = graph.size();
  std::vector<int> rank(n), parent(n, -1), ancestor(n, -1);
  for (int j = 0; j < n; ++j) rank[order[j]] = j;
  for (int j = 0; j < n; ++j)
    for (const int* u = graph.begin(order[j]); u != graph.end(order[j]); ++u)
      for (int i = rank[*u]; i != -1 && i < j;) {
        const int next = ancestor[i];
        ancestor[i] = j;
        if (next == -1) parent[i] = j;
        i = next;
      }
  // Postorder, children in ascending order.
  std::vector<int> child(n, -1), sibling(n, -1), stack, place(n);
  for (int j = n - 1; j >= 0; --j)
    if (parent[j] >= 0) sibling[j] = child[parent[j]], child[parent[j]] = j;
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int j = stack.back();
      if (child[j] >= 0) {
        stack.push_back(child[j]);
        child[j] = sibling[child[j]];
      } else {
        place[j] = count++;
        stack.pop_back();
      }
    }
  }
  Elimination result;
  result.order.resize(n);
  result.parent.resize(n);
  for (int j = 0; j < n; ++j) {
    result.order[place[j]] = order[j];
    result.parent[place[j]] = parent[j] < 0 ? -1 : place[parent[j]];
    rank[order[j]] = place[j];
  }
  // Row i of L is a subtree that ends in i and whose leaves are neighbours of i. The weight of i is added at the leaves and taken off where
  // two branches meet and above i; sums over the subtrees of the whole tree are then the lengths of the columns.
  auto& length = result.length;
  length.assign(n, 0);
  std::vector<int> first(n, -1), last_first(n, -1), last_leaf(n, -1), set(n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i != -1 && first[i] == -1; i = result.parent[i]) first[i] = j;
  std::iota(set.begin(), set.end(), 0);
  for (int j = 0; j < n; ++j) {
    const int node = result.order[j], weight = graph.weight[node];
    if (first[j] == j) length[j] += weight;
    if (result.parent[j] >= 0) length[result.parent[j]] -= weight;
    for (const int* u = graph.begin(node); u != graph.end(node); ++u) {
      const int i = rank[*u];
      if (i <= j || first[j] <= last_first[i]) continue;
      length[j] += graph.weight[*u];
      last_first[i] = first[j];
      if (last_leaf[i] >= 0) {
        int root = last_leaf[i];
        while (set[root] != root) root = set[root];
        for (int k = last_leaf[i]; set[k] != root;) {
          const int next = set[k];
          set[k] = root;
          k = next;
        }
        length[root] -= graph.weight[*u];
      }
      last_leaf[i] = j;
    }
    if (result.parent[j] >= 0) set[j] = result.parent[j];
  }
  for (int j = 0; j < n; ++j) {
    if (result.parent[j] >= 0) length[result.parent[j]] += length[j];
    const int weight = graph.weight[result.order[j]];
    result.flops += trapezoid_flops(weight, static_cast<double>(length[j] - weight));
  }
  return result;
}

std::vector<int> minimum_degree(const Graph& graph) {
  const int n = graph.size();
  SparseColumns pattern(n, n);
  pattern.resizeNonZeros(static_cast<Eigen::Index>(graph.neighbour.size()) / 2 + n);
  int at = 0;
  for (int j = 0; j < n; ++j) {
    pattern.outerIndexPtr()[j] = at;
    pattern.innerIndexPtr()[at++] = j;
    for (const int* i = std::upper_bound(graph.begin(j), graph.end(j), j); i != graph.end(j); ++i) pattern.innerIndexPtr()[at++] = *i;
  }
  pattern.outerIndexPtr()[n] = at;
  std::fill(pattern.valuePtr(), pattern.valuePtr() + at, 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Lower>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Empty when METIS gives no order.
std::vector<int> nested_dissection(const Graph& graph) {
  idx_t n = graph.size();
  std::vector<idx_t> start(graph.start.begin(), graph.start.end()), neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> weight(graph.weight.begin(), graph.weight.end()), order(n), rank(n);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  static std::mutex one_at_a_time;  // its random numbers are those of the process
  const std::lock_guard lock(one_at_a_time);
  if (METIS_NodeND(&n, start.data(), neighbour.data(), weight.data(), options, order.data(), rank.data()) != METIS_OK) return {};
  return {order.begin(), order.end()};
}

/// The part of the graph without the nodes that have too many neighbours; `kept` are its nodes, `dense` the others.
Graph without_dense(const Graph& graph, std::vector<int>& kept, std::vector<int>& dense) {
  const int n = graph.size();
  const int limit = std::max(16, static_cast<int>(10 * std::sqrt(static_cast<double>(n))));
  std::vector<int> name(n, -1);
  for (int v = 0; v < n; ++v)
    if (graph.degree(v) > limit) dense.push_back(v);
    else name[v] = static_cast<int>(kept.size()), kept.push_back(v);
  if (dense.empty()) return graph;
  Graph result;
  for (int v : kept) {
    for (const int* u = graph.begin(v); u != graph.end(v); ++u)
      if (name[*u] >= 0) result.neighbour.push_back(name[*u]);
    result.start.push_back(static_cast<int>(result.neighbour.size()));
    result.weight.push_back(graph.weight[v]);
  }
  return result;
}

/// The cheapest order that was found.
Elimination best_elimination(const Graph& graph, bool& dissected) {
  std::vector<int> kept, dense;
  const Graph sparse = without_dense(graph, kept, dense);
  const auto completed = [&](const std::vector<int>& order) {
    std::vector<int> all;
    all.reserve(graph.size());
    for (int v : order) all.push_back(kept[v]);
    all.insert(all.end(), dense.begin(), dense.end());
    return all;
  };
  dissected = false;
  if (sparse.neighbour.empty()) {
    std::vector<int> order(kept.size());
    std::iota(order.begin(), order.end(), 0);
    return eliminate(graph, completed(order));
  }
  Elimination best = eliminate(graph, completed(minimum_degree(sparse)));
  if (best.flops > std::max(kDissectionFrom, kDissectionPerNode * sparse.size())) {
    poll_before(kDissectionSeconds * sparse.size());
    const std::vector<int> order = nested_dissection(sparse);
    poll_before(0);
    if (!order.empty()) {
      Elimination other = eliminate(graph, completed(order));
      if (other.flops < best.flops) best = std::move(other), dissected = true;
    }
  }
  return best;
}

double front_cycles(double width, double below) {
  return kFrontCost + trapezoid_flops(width, below) / kFlopsPerCycle + kUpdateCost * below * below + kPanelCost * width * (width + below);
}

/// Supernodes after merging: which one a position belongs to, numbered in a postorder of their tree.
std::vector<int> merged_supernodes(const Graph& graph, const Elimination& elimination, int& count) {
  const int n = graph.size();
  struct Node {
    double width = 0, below = 0;
    int parent = -1, top = -1;  // top: the supernode it was merged into, itself when it was not
  };
  std::vector<Node> node;
  std::vector<int> member(n);
  for (int j = 0; j < n; ++j) {
    const int weight = graph.weight[elimination.order[j]];
    const bool continues = j > 0 && elimination.parent[j - 1] == j &&
                           elimination.length[j] == elimination.length[j - 1] - graph.weight[elimination.order[j - 1]];
    if (!continues) node.emplace_back();
    member[j] = static_cast<int>(node.size()) - 1;
    node.back().width += weight;
    node.back().below = static_cast<double>(elimination.length[j] - weight);
  }
  const int fundamental = static_cast<int>(node.size());
  for (int j = 0; j < n; ++j)
    if (elimination.parent[j] >= 0 && member[elimination.parent[j]] != member[j]) node[member[j]].parent = member[elimination.parent[j]];
  std::vector<int> child(fundamental, -1), sibling(fundamental, -1);
  for (int s = 0; s < fundamental; ++s) {
    node[s].top = s;
    // The children linked so far, the last one first: the postorder's neighbour is the most likely to fit.
    for (int c = child[s]; c >= 0; c = sibling[c]) {
      const Node &below = node[c], &above = node[s];
      if (front_cycles(below.width + above.width, above.below) <
          front_cycles(below.width, below.below) + front_cycles(above.width, above.below)) {
        node[s].width += node[c].width;
        node[c].top = s;
      }
    }
    if (node[s].parent >= 0) sibling[s] = child[node[s].parent], child[node[s].parent] = s;
  }
  std::vector<int> name(fundamental, -1);
  count = 0;
  double separate = 0, rows = 0;
  for (int s = 0; s < fundamental; ++s) {
    if (node[s].top != s) continue;
    name[s] = count++;
    rows += node[s].width;
    separate += front_cycles(node[s].width, node[s].below);
  }
  if (count > 1 && front_cycles(rows, 0) <= separate) {
    count = 1;
    return std::vector<int>(n, 0);
  }
  for (int s = fundamental - 1; s >= 0; --s) name[s] = name[node[s].top];
  for (int& s : member) s = name[s];
  return member;
}

/// The nodes in the order of their supernodes, and the variables with them.
struct NodeOrder {
  NodeOrder(const Graph& graph, const Elimination& elimination, const std::vector<int>& member, int supernodes);

  std::vector<int> start;      // supernodes + 1: nodes of a supernode
  std::vector<int> node;       // rank → node
  std::vector<int> rank;       // node → rank
  std::vector<int> offset;     // position of the first variable of a rank; nodes + 1
  std::vector<int> supernode;  // of a rank

  int width(int j) const { return offset[j + 1] - offset[j]; }
};

NodeOrder::NodeOrder(const Graph& graph, const Elimination& elimination, const std::vector<int>& member, int supernodes)
    : start(supernodes + 1, 0), node(graph.size()), rank(graph.size()), offset(graph.size() + 1, 0), supernode(graph.size()) {
  for (int s : member) ++start[s + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int j = 0; j < graph.size(); ++j) node[next[member[j]]++] = elimination.order[j];
  for (int j = 0; j < graph.size(); ++j) {
    rank[node[j]] = j;
    offset[j + 1] = offset[j] + graph.weight[node[j]];
  }
  for (int s = 0; s < supernodes; ++s) std::fill(supernode.begin() + start[s], supernode.begin() + start[s + 1], s);
}

using Lists = std::vector<std::vector<int>>;

/// Nodes below every supernode, by rank: later neighbours of its own nodes, and what its children hand up. Its parent owns the first one.
Lists nodes_below(const Graph& graph, const NodeOrder& order, Lists& children_of) {
  const int count = static_cast<int>(order.start.size()) - 1;
  Lists below(count);
  children_of.assign(count, {});
  std::vector<int> mark(graph.size(), -1);
  for (int s = 0; s < count; ++s) {
    auto& mine = below[s];
    const int end = order.start[s + 1];
    const auto add = [&](int j) {
      if (j >= end && mark[j] != s) mark[j] = s, mine.push_back(j);
    };
    for (int j = order.start[s]; j < end; ++j)
      for (const int* u = graph.begin(order.node[j]); u != graph.end(order.node[j]); ++u) add(order.rank[*u]);
    for (int c : children_of[s])
      for (int j : below[c]) add(j);
    std::sort(mine.begin(), mine.end());
    if (!mine.empty()) children_of[order.supernode[mine.front()]].push_back(s);
  }
  return below;
}

/// Lists one after the other.
template <class T>
void flatten(const std::vector<std::vector<T>>& lists, std::vector<int>& start, std::vector<T>& all) {
  start.assign(1, 0);
  for (const auto& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(all.size()));
  }
}

/// Blocks of A by the supernode that eliminates their first variable: index among the blocks, and block column. `place` is that of a block.
void group_entries(int n, const int* start, const int* row, PatternOf pattern, const std::vector<int>& place, SupernodalAnalysis& a,
                   std::vector<int>& column) {
  std::vector<int> supernode(a.size);  // of a position
  for (int s = 0; s < a.supernodes(); ++s) std::fill(supernode.begin() + a.first[s], supernode.begin() + a.first[s + 1], s);
  const auto owner = [&](int i, int j) { return supernode[std::min(place[i], place[j])]; };
  const auto counts = [&](int i, int j) { return i >= j || pattern == PatternOf::both; };
  a.entry_start.assign(a.supernodes() + 1, 0);
  for (int j = 0; j < n; ++j)
    for (int k = start[j]; k < start[j + 1]; ++k)
      if (counts(row[k], j)) ++a.entry_start[owner(row[k], j) + 1];
  std::partial_sum(a.entry_start.begin(), a.entry_start.end(), a.entry_start.begin());
  a.entry_source.resize(a.entry_start.back());
  column.resize(a.entry_start.back());
  std::vector<long> next(a.entry_start.begin(), a.entry_start.end() - 1);
  for (int j = 0; j < n; ++j)
    for (int k = start[j]; k < start[j + 1]; ++k) {
      if (!counts(row[k], j)) continue;
      const long at = next[owner(row[k], j)]++;
      a.entry_source[at] = k;
      column[at] = j;
    }
}

/// Places in the fronts: of the blocks of A, and of the rows that children hand up.
void locate(int n, const int* start, const int* row, PatternOf pattern, const std::vector<int>& place, const NodeOrder& order,
            const Lists& below, SupernodalAnalysis& a) {
  std::vector<int> column;
  group_entries(n, start, row, pattern, place, a, column);
  a.entry_target.resize(column.size());
  std::vector<int> local(order.node.size()), rank_at(a.size);  // row of a node in the current front; node of a position, both by rank
  for (std::size_t j = 0; j < order.node.size(); ++j)
    std::fill(rank_at.begin() + order.offset[j], rank_at.begin() + order.offset[j + 1], static_cast<int>(j));
  const auto local_row = [&](int block) {
    const int position = place[block], j = rank_at[position];
    return local[j] + position - order.offset[j];
  };
  std::vector<std::vector<FrontRun>> runs_of(a.supernodes());
  for (int s = 0; s < a.supernodes(); ++s) {
    const int nc = a.width(s), front = nc + a.below(s);
    for (int j = order.start[s]; j < order.start[s + 1]; ++j) local[j] = order.offset[j] - a.first[s];
    int at = nc;
    for (int j : below[s]) {
      local[j] = at;
      at += order.width(j);
    }
    for (long e = a.entry_start[s]; e < a.entry_start[s + 1]; ++e) {
      int i = local_row(row[a.entry_source[e]]), j = local_row(column[e]);
      if (pattern == PatternOf::lower && i < j) std::swap(i, j);  // the same entry of the symmetric matrix
      a.entry_target[e] = j < nc ? i + j * front : nc * front + j + i * front;
    }
    for (int k = a.child_start[s]; k < a.child_start[s + 1]; ++k) {
      auto& list = runs_of[a.children[k]];
      int from = 0;
      for (int j : below[a.children[k]]) {
        if (!list.empty() && list.back().to + list.back().length == local[j] && local[j] != nc) list.back().length += order.width(j);
        else list.push_back({from, local[j], order.width(j)});
        from += order.width(j);
      }
    }
  }
  flatten(runs_of, a.run_start, a.runs);
}

/// Update matrices live from their own front to that of the parent. Those of even and of odd depth form one stack each: while a front is
/// worked on, its children are on top of the other stack.
void stack_updates(SupernodalAnalysis& a) {
  const int count = a.supernodes();
  std::vector<std::size_t> odd(count, 0);
  for (int s = count - 1; s >= 0; --s) odd[s] = a.parent[s] < 0 ? 0 : 1 - odd[a.parent[s]];
  long top[2] = {0, 0}, highest[2] = {0, 0};
  a.update_start.assign(count, 0);
  for (int s = 0; s < count; ++s) {
    const std::size_t mine = odd[s];
    a.update_start[s] = top[mine];
    top[mine] += static_cast<long>(a.below(s)) * a.below(s);
    highest[mine] = std::max(highest[mine], top[mine]);
    if (a.child_start[s] < a.child_start[s + 1]) top[1 - mine] = a.update_start[a.children[a.child_start[s]]];
  }
  for (int s = 0; s < count; ++s)
    if (odd[s]) a.update_start[s] += highest[0];
  a.workspace = highest[0] + highest[1];
}

}  // namespace

/// The matrix as the analysis sees it: n block columns of width d.
struct SupernodalAnalysis::Input {
  int n, d;
  const int *start, *row;
};

SupernodalAnalysis::SupernodalAnalysis(const SparseColumns& A, PatternOf pattern) {
  if (A.rows() != A.cols()) throw Error("supernodal: the matrix is not square");
  if (!A.isCompressed()) throw Error("supernodal: the matrix is not compressed");
  build({static_cast<int>(A.cols()), 1, A.outerIndexPtr(), A.innerIndexPtr()}, pattern);
}

SupernodalAnalysis::SupernodalAnalysis(const BlockPattern& A) { build({A.columns(), A.d, A.start.data(), A.row.data()}, PatternOf::both); }

void SupernodalAnalysis::build(const Input& input, PatternOf pattern) {
  const auto& [n, d, start, row] = input;
  size = n * d;
  nonzeros = start[n];
  poll_before(kGraphSeconds * static_cast<double>(nonzeros));
  std::vector<int> node_of;
  const Graph graph = compressed(block_graph(n, start, row, d, pattern), node_of);
  poll_before(kDegreeSeconds * (graph.size() + 0.1 * static_cast<double>(graph.neighbour.size())));
  const Elimination elimination = best_elimination(graph, nested_dissection);
  int count = 0;
  const std::vector<int> member = merged_supernodes(graph, elimination, count);
  const NodeOrder order(graph, elimination, member, count);
  Lists children_of;
  const Lists below_of = nodes_below(graph, order, children_of);
  poll_before(0);

  first.resize(count + 1);
  for (int s = 0; s <= count; ++s) first[s] = order.offset[order.start[s]];
  place.resize(size);
  std::vector<int> used(graph.size(), 0), block_place(n);
  for (int i = 0; i < n; ++i) {
    block_place[i] = order.offset[order.rank[node_of[i]]] + used[node_of[i]];
    used[node_of[i]] += d;
    for (int k = 0; k < d; ++k) place[i * d + k] = block_place[i] + k;
  }
  parent.assign(count, -1);
  flatten(children_of, child_start, children);
  for (int s = 0; s < count; ++s)
    for (int k = child_start[s]; k < child_start[s + 1]; ++k) parent[children[k]] = s;
  row_start.assign(1, 0);
  panel_start.assign(1, 0);
  for (int s = 0; s < count; ++s) {
    for (int j : below_of[s])
      for (int i = order.offset[j]; i < order.offset[j + 1]; ++i) rows.push_back(i);
    row_start.push_back(static_cast<long>(rows.size()));
    const int front = width(s) + below(s);
    const long panel = static_cast<long>(pattern == PatternOf::both ? 2 : 1) * width(s) * front;
    if (panel > std::numeric_limits<int>::max()) throw Error("supernodal: a front is too large");
    panel_start.push_back(panel_start.back() + panel);
    largest_front = std::max(largest_front, front);
    largest_width = std::max(largest_width, width(s));
    entries += static_cast<long>(trapezoid_entries(width(s), below(s)));
    flops += trapezoid_flops(width(s), below(s));
    cycles += front_cycles(width(s), below(s));
  }
  poll_before(kLocateSeconds * static_cast<double>(nonzeros));
  locate(n, start, row, pattern, block_place, order, below_of, *this);
  stack_updates(*this);
}

}  // namespace cornet
