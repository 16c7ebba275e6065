// Inner solvers of the outer iterations (Panagiotopoulos, Tresca, ACLM): the problem of a law, solved to a tolerance under the limits of
// the outer run, started from the last reactions. Also here: the watch that ends an outer iteration without progress.
#pragma once

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "convex/projected_gradient.h"
#include "solvers/law_gauss_seidel.h"
#include "solvers/vi.h"

namespace cornet {

enum class InnerMethod { gauss_seidel, fixed_point, extragradient, projected_gradient };

struct InnerOptions {
  InnerMethod method = InnerMethod::gauss_seidel;  // set by the id
  long inner_iterations = 100;
  double inner_tolerance = 0.1;
  long patience = 100;
  LawGaussSeidelOptions gauss_seidel;
  ViOptions vi;
  ProjectedGradientOptions projected_gradient;

  void visit(OptionVisitor& v) {
    v.real("inner_tolerance", inner_tolerance, {0, 1, true, true}, "tolerance of the inner problem as a share of the outer error");
    v.integer("inner_iterations", inner_iterations, {1, 1e9},
              "iteration limit of one inner solve; the outer step takes what there is; ÷ 10 when the outer steps stall");
    v.integer("patience", patience, {1, 1e9},
              "outer steps after which the least error must have fallen; else shorter inner solves, at last the end as stalled");
    visit_method(v);
  }

  void visit_method(OptionVisitor& v) {
    switch (method) {
      case InnerMethod::gauss_seidel: gauss_seidel.visit(v); break;
      case InnerMethod::fixed_point:
      case InnerMethod::extragradient: vi.visit(v); break;
      case InnerMethod::projected_gradient: projected_gradient.visit(v); break;
    }
  }
};

/// A monitor for an inner run: its own tolerance and iterations, the clock and the interruption of the outer one.
inline Monitor inner_monitor(const Monitor& outer, double tolerance, long max_iterations) {
  return Monitor({tolerance, std::numeric_limits<double>::infinity(), max_iterations}, nullptr,
                 [&outer](const HistoryEntry&) { return !outer.expired(); });
}

/// What an inner run counted, added to the outer statistics; its iterations as inner_iterations.
inline void add_statistics(const Monitor& inner, Monitor& outer) {
  outer.count("inner_iterations", static_cast<double>(inner.iterations()));
  for (const auto& [name, value] : inner.counters()) outer.count(name.c_str(), value);
}

struct InnerLimits {
  double tolerance;
  long iterations;
};

template <int D, class Law>
class InnerSolver {
 public:
  explicit InnerSolver(const InnerOptions& options)
      : options_(options), gauss_seidel_(options.gauss_seidel), vi_(vi_options(options)), projected_gradient_(options.projected_gradient) {}

  void prepare(const LocalSystem<D>& system) {
    if (options_.method == InnerMethod::gauss_seidel) gauss_seidel_.prepare(system);
    if (options_.method == InnerMethod::projected_gradient) projected_gradient_.prepare(system);
  }

  Termination solve(const LocalSystem<D>& system, const Law& law, InnerLimits limits, std::vector<double>& r, Monitor& outer) {
    Monitor inner = inner_monitor(outer, limits.tolerance, limits.iterations);
    const Termination end = options_.method == InnerMethod::gauss_seidel         ? gauss_seidel_.run(system, law, r, inner)
                            : options_.method == InnerMethod::projected_gradient ? projected_gradient_.run(system, law, r, inner)
                                                                                 : vi_.run(system, law, r, inner);
    add_statistics(inner, outer);
    if (end != Termination::converged && end != Termination::interrupted) outer.count("inner_failures");
    return end;
  }

 private:
  static ViOptions vi_options(const InnerOptions& options) {
    ViOptions vi = options.vi;
    vi.extragradient = options.method == InnerMethod::extragradient;
    return vi;
  }

  InnerOptions options_;
  LawGaussSeidel<D, Law> gauss_seidel_;
  ViProjection<D, Law> vi_;
  ProjectedGradient<D, Law> projected_gradient_;
};

/// Says when an iteration makes no progress any more: the least error of a window of `patience` steps is not below that of the window
/// before. (Not the least of all: a bad step may be followed by a long way down.)
class StallWatch {
 public:
  explicit StallWatch(long patience) : patience_(patience) {}

  bool stalled(double error) {
    lowest_ = std::min(lowest_, error);
    if (++steps_ < patience_) return false;
    const bool over = !(lowest_ < 0.999 * before_);
    before_ = lowest_;
    lowest_ = std::numeric_limits<double>::infinity();
    steps_ = 0;
    return over;
  }

 private:
  long patience_;
  long steps_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity(), before_ = std::numeric_limits<double>::infinity();
};

/// The end of every outer iteration: the fresh u, the exact error, and whether to go on. When the outer steps make no progress any more (a
/// cycle of the frozen data), the inner solves get shorter: with one inner iteration per outer step the frozen data follow the iterate at
/// once, which often goes on where exact inner solves cycle.
template <int D>
class OuterProgress {
 public:
  explicit OuterProgress(const InnerOptions& options) : options_(options) {}

  /// At the first point; the error there.
  double start(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    u_.resize(system.size());
    share_ = options_.inner_tolerance;
    lowest_ = std::numeric_limits<double>::infinity();
    watch_ = StallWatch(options_.patience);
    iterations_ = options_.inner_iterations;
    return evaluate(system, r, monitor);
  }

  /// After an outer step; why to stop, or nothing.
  std::optional<Termination> step(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    const double before = error_;
    evaluate(system, r, monitor);
    // An inner solve that was too rough to help is asked for more.
    share_ = error_ < before ? options_.inner_tolerance : std::max(0.3 * share_, 1e-3 * options_.inner_tolerance);
    const auto stop = monitor.step(error_);
    if (error_ <= monitor.tolerance()) return Termination::converged;
    if (stop) return stop;
    if (!watch_.stalled(error_)) return std::nullopt;
    if (iterations_ == 1) return Termination::stalled;
    iterations_ = std::max(iterations_ / 10, 1L);
    watch_ = StallWatch(options_.patience * (options_.inner_iterations / iterations_));  // as much inner work as before
    monitor.count("inner_limit_cuts");
    return std::nullopt;
  }

  const std::vector<double>& u() const { return u_; }
  /// Of the next inner solve; after a bad step not a bad inner solve as well.
  InnerLimits inner_limits() const { return {share_ * std::min(error_, lowest_), iterations_}; }

 private:
  double evaluate(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    monitor.count("products");
    error_ = natural_map_error(system, r.data(), u_.data());
    monitor.offer(error_, r.data(), r.size());
    lowest_ = std::min(lowest_, error_);
    return error_;
  }

  InnerOptions options_;
  std::vector<double> u_;
  double error_ = 0, lowest_ = 0, share_ = 0;
  StallWatch watch_{1};
  long iterations_ = 1;
};

/// For the methods that minimise: false, with the reason in the monitor, when W is not symmetric.
template <int D>
bool symmetric_enough(const LocalSystem<D>& system, const ProjectedGradientOptions& options, Monitor& monitor) {
  const double asymmetry = relative_asymmetry(system.W);
  if (asymmetry <= options.asymmetry) return true;
  monitor.set_message(
      fmt::format("the inner projected gradient minimises ½ rᵀWr + rᵀq and needs a symmetric W: found ‖W − Wᵀ‖/‖W‖ = "
                  "{:.1e}, accepted up to asymmetry = {:.0e}; take a variant with fp-vi-upk, eg-vi-upk or nsgs inside",
                  asymmetry, options.asymmetry));
  return false;
}

/// Tresca thresholds μ max(0, r_N); ∞ for μ = ∞ whatever r_N is.
template <int D>
void friction_thresholds(const LocalSystem<D>& system, const std::vector<double>& r, std::vector<double>& radius) {
  radius.resize(system.mu.size());
  for (std::size_t a = 0; a < system.mu.size(); ++a)
    radius[a] = system.mu[a] < std::numeric_limits<double>::infinity() ? system.mu[a] * std::max(0.0, r[a * D]) : system.mu[a];
}

/// Registers an outer method on inner convex problems.
template <template <int> class Method, class Options>
SolverInfo with_inner(SolverInfo info, const Options& options) {
  info.needs_symmetry = options.method == InnerMethod::projected_gradient;
  info.max_iterations = 100000;
  info.memory = {.copies = 2};
  return registered<Options>(std::move(info), options, [](const Options& o) { return std::make_unique<LocalSolver<Method, Options>>(o); });
}

}  // namespace cornet
