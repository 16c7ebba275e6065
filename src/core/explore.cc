// explore(): one solver, many starting points, distinct certified solutions.
#include "cornet/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "cornet/enumerate.h"
#include "cornet/error.h"
#include "cornet/reduce.h"

namespace cornet {
namespace {

/// splitmix64: the same numbers on every machine.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}

  /// In [0, 1).
  double unit() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }

 private:
  std::uint64_t state_;
};

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return std::sqrt(sum);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

std::vector<double> diagonal(const SparseMatrix& a) {
  std::vector<double> d(static_cast<std::size_t>(a.rows), 0.0);
  const auto add = [&](int row, int column, double x) {
    if (row == column) d[static_cast<std::size_t>(row)] += x;
  };
  if (a.storage == Storage::triplet) {
    for (std::size_t k = 0; k < a.x.size(); ++k) add(a.i[k], a.p[k], a.x[k]);
    return d;
  }
  for (int o = 0; o + 1 < static_cast<int>(a.p.size()); ++o)
    for (int k = a.p[static_cast<std::size_t>(o)]; k < a.p[static_cast<std::size_t>(o) + 1]; ++k)
      add(a.i[static_cast<std::size_t>(k)], o, a.x[static_cast<std::size_t>(k)]);
  return d;
}

/// A point of the cone with normal part `size`: `share` of the way from the axis to the edge, direction from the stream.
void put(double* r, int dim, double mu, double size, double share, Stream& stream) {
  r[0] = size;
  const double reach = std::isinf(mu) ? size * share : mu * size * share;
  if (dim == 2) {
    r[1] = stream.unit() < 0.5 ? -reach : reach;
    return;
  }
  const double angle = 6.283185307179586 * stream.unit();
  r[1] = reach * std::cos(angle);
  r[2] = reach * std::sin(angle);
}

}  // namespace

std::vector<double> starting_point(const LocalProblem& problem, int k) {
  const int dim = problem.dim, nc = problem.contacts();
  std::vector<double> r(static_cast<std::size_t>(dim * nc), 0.0);
  if (k <= 0 || nc == 0) return r;
  const std::vector<double> d = diagonal(problem.W);
  double mean = 0;
  for (const double x : d) mean += x / static_cast<double>(d.size());
  if (!(mean > 0)) mean = 1;
  if (k == 1) {
    // Every contact sticks by itself: r = −q/diagonal, back onto the cone.
    for (int c = 0; c < nc; ++c) {
      double* mine = &r[static_cast<std::size_t>(dim * c)];
      const double* q = &problem.q[static_cast<std::size_t>(dim * c)];
      for (int i = 0; i < dim; ++i)
        mine[i] = -q[i] / (d[static_cast<std::size_t>(dim * c + i)] > 0 ? d[static_cast<std::size_t>(dim * c + i)] : mean);
      mine[0] = std::max(0.0, mine[0]);
      double t = 0;
      for (int i = 1; i < dim; ++i) t += mine[i] * mine[i];
      const double limit = problem.mu[static_cast<std::size_t>(c)] * mine[0], shrink = std::sqrt(t) > limit ? limit / std::sqrt(t) : 1;
      for (int i = 1; i < dim && !std::isinf(problem.mu[static_cast<std::size_t>(c)]); ++i) mine[i] *= shrink;
    }
    return r;
  }
  // Scales around the natural one; kinds: axes, edges, inside, edges of some contacts only.
  constexpr double kScales[] = {1, 0.1, 10, 3, 100};
  const double q = norm(problem.q), natural = (q > 0 ? q : 1) / mean / std::sqrt(static_cast<double>(nc));
  Stream stream(static_cast<std::uint64_t>(k));
  const int kind = (k - 2) % 4;
  const double scale = natural * kScales[(k - 2) / 4 % 5] * (k < 22 ? 1 : std::pow(10.0, 2 * stream.unit() - 1));
  for (int c = 0; c < nc; ++c) {
    const bool skip = kind == 3 && stream.unit() < 0.5;
    const double share = kind == 0 ? 0 : kind == 2 ? stream.unit() : 1, size = kind == 2 ? 2 * stream.unit() : 1;
    if (!skip) put(&r[static_cast<std::size_t>(dim * c)], dim, problem.mu[static_cast<std::size_t>(c)], scale * size, share, stream);
  }
  return r;
}

Exploration explore(const Problem& problem, const ExploreOptions& options) {
  if (options.starts < 1) throw InvalidOption(fmt::format("option 'starts': found {}, expected a number ≥ 1", options.starts));
  if (!(options.distinct > 0)) throw InvalidOption(fmt::format("option 'distinct': found {}, expected a value > 0", options.distinct));
  validate(problem);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto interrupted = [&] { return options.run.interrupt && options.run.interrupt->load(std::memory_order_relaxed); };

  // One reduction for all starts, unless the solver takes the global form itself.
  std::optional<Reduction> reduction;
  const auto* local = std::get_if<LocalProblem>(&problem);
  if (!local) reduction.emplace(std::get<GlobalProblem>(problem));
  const LocalProblem contacts_only = local ? condense(*local) : reduction->local();
  const std::vector<std::string>& forms = find_solver(options.run.solver).forms;
  const bool reduced = reduction && std::find(forms.begin(), forms.end(), "global") == forms.end();
  const Problem solved_problem = reduced ? Problem(contacts_only) : problem;
  const double norm_q = norm(contacts_only.q);

  Exploration out;
  // Members of the family of each solution, for counting distinct reactions.
  std::vector<std::vector<std::vector<double>>> members;
  const auto same = [&](const std::vector<double>& a, const std::vector<double>& b, double size) {
    return distance(a, b) <= options.distinct * std::max({size, norm(a), norm(b)});
  };
  const auto add = [&](const Iterate& x, const Certificate& certificate) -> ExploredSolution& {
    for (std::size_t k = 0; k < out.solutions.size(); ++k) {
      ExploredSolution& known = out.solutions[k];
      if (!same(known.x.u, x.u, norm_q)) continue;
      if (std::none_of(members[k].begin(), members[k].end(), [&](const auto& r) { return same(r, x.r, 0); })) members[k].push_back(x.r);
      if (certificate.error < known.certificate.error) {
        known.x = x;
        known.certificate = certificate;
      }
      known.reactions = static_cast<int>(members[k].size());
      known.unique_reactions &= known.reactions == 1;
      return known;
    }
    ExploredSolution fresh;
    fresh.x = x;
    fresh.certificate = certificate;
    out.solutions.push_back(std::move(fresh));
    members.push_back({x.r});
    return out.solutions.back();
  };

  RunOptions run = options.run;
  Status last = Status::time_limit;
  for (int k = 0; k < options.starts && !interrupted() && elapsed() < options.run.time_limit; ++k) {
    if (options.callback) options.callback(k);
    run.time_limit = options.run.time_limit - elapsed();
    Iterate start;
    start.r = k == 0 && !options.guess.r.empty() ? options.guess.r : starting_point(contacts_only, k);
    const bool other = k % 2 == 1 && !options.companion.empty();
    run.solver = other ? options.companion : options.run.solver;
    run.options = other ? OptionTexts{} : options.run.options;
    run.max_iterations = other ? 0 : options.run.max_iterations;
    Result result = solve(solved_problem, run, start);
    if (reduced) {
      result.x = reduction->expand(result.x);
      result.certificate = certify(problem, result.x);
      if (result.solved() && result.certificate.error > run.tolerance) result.status = Status::inaccurate;
    }
    ++out.starts;
    ++out.outcomes[to_string(result.status)];
    last = result.status;
    if (!result.solved()) continue;
    ++out.solved;
    ++add(result.x, result.certificate).found;
  }

  if (options.enumerate && why_not_enumerable(problem).empty() && !interrupted()) {
    EnumerationOptions enumeration;
    enumeration.interrupt = options.run.interrupt;
    enumeration.time_limit = std::max(1.0, options.run.time_limit - elapsed());
    const Enumeration all = enumerate_solutions(problem, enumeration);
    out.enumerated = true;
    out.complete = all.complete;
    if (!all.complete) out.message = all.message;
    for (const EnumeratedSolution& s : all.solutions) {
      if (s.certificate.error > options.run.tolerance) continue;
      ExploredSolution& mine = add(s.x, s.certificate);
      mine.enumerated = true;
      mine.isolated &= s.isolated;
      mine.unique_reactions &= s.unique_reactions;
    }
  }

  std::stable_sort(out.solutions.begin(), out.solutions.end(), [](const auto& a, const auto& b) { return a.found > b.found; });
  out.time = elapsed();
  const std::string how = out.complete     ? "; the enumeration of all cases says that there are no others"
                          : out.enumerated ? " (enumeration: " + out.message + ")"
                                           : "";
  if (!out.solutions.empty()) {
    out.status = Status::solved;
    out.message = fmt::format("{} distinct solution{} from {} starts, {} of them solved{}", out.solutions.size(),
                              out.solutions.size() == 1 ? "" : "s", out.starts, out.solved, how);
  } else if (out.complete) {
    out.status = Status::no_solution;
    out.message = "this problem has no solution: every case of take-off, stick and slide contradicts itself";
  } else {
    out.status = interrupted() ? Status::interrupted : last;
    out.message = fmt::format("no solution found from {} starts{}", out.starts, how);
  }
  return out;
}

}  // namespace cornet
