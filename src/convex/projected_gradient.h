// Projected gradient with an Armijo search along the projection arc (survey Algorithm 9) for the convex quadratic program of a law:
//
//   min θ(r) = ½ rᵀWr + rᵀp,  r ∈ X          X a product of orthants, disks, cylinders or cones (laws.h), W symmetric and semidefinite
//
//   r⁺ = P_X(r − ρ∇θ(r)),   ρ = ρ₀ lⁱ with the first i such that   θ(r⁺) ≤ θ_ref + σ ∇θ(r)ᵀ(r⁺ − r)
//
// ∇θ(r) = F(u) of the law, u = W r + q, so p never appears, and θ(r⁺) − θ(r) = ½ (r⁺ − r)ᵀ(∇θ(r) + ∇θ(r⁺)) has no cancellation. ρ₀ of
// an iteration is the last ρ, made longer when the first trial was accepted (`grown`), or the spectral step of Barzilai and Borwein
// (`spectral`, which needs far fewer iterations). θ_ref is the largest of the last `memory` values; memory 1 is the survey's search.
//
// One product with W per trial. The error is ‖r − P_X(r − ∇θ)‖/‖q‖. The fixed points solve −F(W r + q) ∈ N_X(r) whatever W is (∇θ stands for
// W r + p, and the search sees the symmetric part of W only), but the descent argument needs W = Wᵀ: a small asymmetry, as gyroscopic terms
// leave it in real data (up to 2.5e-3), does no harm; callers refuse a matrix with more than the option `asymmetry`.
// Fails by being slow: the number of iterations grows with the condition number of W (its square root at best, with `spectral`).
//
// References: Calamai, Moré (1987); Bertsekas (1976); Barzilai, Borwein (1988); Birgin, Martínez, Raydan (2000); seed 004 §7.1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "contact/laws.h"
#include "core/local_system.h"
#include "cornet/solver.h"

namespace cornet {

/// ‖W − Wᵀ‖_F / ‖W‖_F; 0 for W = 0.
template <int D>
double relative_asymmetry(const BlockMatrix<D>& W) {
  double difference = 0, total = 0;
  for (int column = 0; column < W.columns(); ++column)
    for (int k = W.column_begin(column); k < W.column_end(column); ++k) {
      const int row = W.row(k);
      total += W.block(k).squaredNorm();
      // The transposed block by bisection; each pair is met twice unless one side is not stored.
      int low = W.column_begin(row), high = W.column_end(row);
      while (low < high) {
        const int middle = low + (high - low) / 2;
        if (W.row(middle) < column) low = middle + 1;
        else high = middle;
      }
      const bool stored = low < W.column_end(row) && W.row(low) == column;
      difference += stored ? (W.block(k) - W.block(low).transpose()).squaredNorm() : 2 * W.block(k).squaredNorm();
    }
  return total > 0 ? std::sqrt(difference / total) : 0.0;
}

enum class FirstStep { grown, spectral };

struct ProjectedGradientOptions {
  FirstStep first_step = FirstStep::spectral;
  double l = 0.5;
  double sigma = 0.1;
  long memory = 1;
  long trials = 60;
  double asymmetry = 1e-2;

  void visit(OptionVisitor& v) {
    v.choice("pg_first_step", first_step, {"grown", "spectral"}, "ρ₀ of an iteration: the last ρ over l, or the Barzilai–Borwein step");
    v.real("pg_l", l, {0, 1, true, true}, "factor by which the Armijo search shortens ρ");
    v.real("pg_sigma", sigma, {0, 1, true, true}, "share of the predicted decrease of θ that the Armijo search asks for");
    v.integer("pg_memory", memory, {1, kLongestMemory}, "values of θ whose largest the search compares with; 1: monotone (Algorithm 9)");
    v.integer("pg_trials", trials, {1, 1000}, "longest Armijo search");
    v.real("asymmetry", asymmetry, {0, 2}, "largest ‖W − Wᵀ‖/‖W‖ accepted as symmetric; beyond it the solver ends as unsupported");
  }

  static constexpr int kLongestMemory = 64;
};

template <int D, class Law>
class ProjectedGradient {
 public:
  explicit ProjectedGradient(const ProjectedGradientOptions& options) : options_(options) {}

  /// Once per matrix; the step length then carries over from one run to the next.
  void prepare(const LocalSystem<D>& system) {
    for (auto* a : {&g_, &trial_, &trial_g_, &u_}) a->resize(system.size());
    const double bound = system.W.norm_bound();
    rho_ = first_rho_ = bound > 0 ? 1 / bound : 1.0;
  }

  Termination run(const LocalSystem<D>& system, const Law& law, std::vector<double>& r, Monitor& monitor) {
    for (int a = 0; a < system.contacts(); ++a) at(r, a) = law.project(a, at(r, a));
    gradient(system, law, r, g_, monitor);
    double error = natural_map(system, law, r);
    monitor.offer(error, r.data(), r.size());
    theta_ = 0;
    recent_.fill(0);
    while (error > monitor.tolerance()) {
      if (!search(system, law, r, monitor)) return Termination::stalled;
      r.swap(trial_);
      g_.swap(trial_g_);
      error = natural_map(system, law, r);
      if (error < 0.9 * monitor.best_error() || error <= monitor.tolerance()) monitor.offer(error, r.data(), r.size());
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) return *stop;
      recent_[static_cast<std::size_t>(monitor.iterations() % options_.memory)] = theta_;
    }
    return Termination::converged;
  }

 private:
  static Eigen::Map<Vec<D>> at(std::vector<double>& v, int a) { return Eigen::Map<Vec<D>>(v.data() + static_cast<std::size_t>(a) * D); }
  static Eigen::Map<const Vec<D>> at(const std::vector<double>& v, int a) {
    return Eigen::Map<const Vec<D>>(v.data() + static_cast<std::size_t>(a) * D);
  }

  void gradient(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r, std::vector<double>& g, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    for (int a = 0; a < system.contacts(); ++a) at(g, a) = law.shifted(a, at(u_, a));
    monitor.count("products");
  }

  double natural_map(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r) const {
    double sum = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      const Vec<D> r_a = at(r, a);
      sum += (r_a - law.project(a, r_a - at(g_, a))).squaredNorm();
    }
    return std::sqrt(sum) / system.norm_q;
  }

  // The Armijo search: leaves r⁺ and its gradient in trial_, trial_g_ and the next ρ₀ in rho_. False when no step descends.
  bool search(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r, Monitor& monitor) {
    const double slack = *std::max_element(recent_.begin(), recent_.begin() + options_.memory) - theta_;  // θ_ref − θ(r)
    double rho = rho_;
    for (long trial = 0; trial < options_.trials; ++trial, rho *= options_.l) {
      for (int a = 0; a < system.contacts(); ++a) at(trial_, a) = law.project(a, at(r, a) - rho * at(g_, a));
      gradient(system, law, trial_, trial_g_, monitor);
      double slope = 0, mean = 0, ss = 0, sy = 0, yy = 0;  // ∇θ·s, ½(∇θ + ∇θ⁺)·s, and the products of s = r⁺ − r, y = ∇θ⁺ − ∇θ
      for (std::size_t k = 0; k < r.size(); ++k) {
        const double s = trial_[k] - r[k], y = trial_g_[k] - g_[k];
        slope += g_[k] * s;
        mean += (g_[k] + 0.5 * y) * s;
        ss += s * s;
        sy += s * y;
        yy += y * y;
      }
      if (!(ss > 0)) return false;
      // ∇θ·s ≤ −‖s‖²/ρ by the projection, so the second test implies the first; it alone is left when rounding swamps the change of θ.
      const bool descends = mean <= slack + options_.sigma * slope || 0.5 * sy <= (1 - options_.sigma) * ss / rho;
      if (!descends && !monitor.expired()) continue;
      theta_ += mean;
      rho_ = options_.first_step == FirstStep::spectral ? spectral(rho, ss, sy, yy, monitor.iterations())
             : trial == 0                               ? rho / options_.l
                                                        : rho;
      return true;
    }
    return false;
  }

  // Barzilai–Borwein: sᵀy/yᵀy and sᵀs/sᵀy in turn; where s has no curvature a longer step than the last.
  double spectral(double rho, double ss, double sy, double yy, long iteration) const {
    const double step = sy > 1e-14 * std::sqrt(ss * yy) ? (iteration % 2 == 0 ? sy / yy : ss / sy) : rho / options_.l;
    return std::clamp(step, 1e-10 * first_rho_, 1e10 * first_rho_);
  }

  ProjectedGradientOptions options_;
  std::vector<double> g_, trial_, trial_g_, u_;
  std::array<double, ProjectedGradientOptions::kLongestMemory> recent_{};  // θ of the last iterations, relative to the start
  double theta_ = 0;
  double rho_ = 1;
  double first_rho_ = 1;
};

}  // namespace cornet
