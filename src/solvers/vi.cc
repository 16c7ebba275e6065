// Projection methods for the variational inequality: find r ∈ K with F(r)ᵀ(s − r) ≥ 0 for all s ∈ K, F(r) = û = W r + q + g(W r + q).
//
//   fixed point    r ← P_K(r − ρ F(r))                                             [survey Algorithm 1, rule (98)]
//   extragradient  r̄ ← P_K(r − ρ F(r)),  r ← P_K(r − ρ F(r̄))                       [Algorithm 2, rule (99)]
//
// ρ adapts itself (Algorithm 3): shrink by ν while the ratio κ > L, grow by 1/ν when κ < L_min, with
//
//   κ = ρ ‖F(r) − F(r̄)‖ / ‖r − r̄‖                (101) Khobotov
//
// One product with W per fixed-point step, two per extragradient step; the exact error costs only projections because F(r) is at hand.
// No factorisation, no symmetry, no rank needed. Fails by being slow: the number of steps grows with the conditioning of W, and large μ
// makes F non-monotone, so the fixed point may cycle where the extragradient still converges.
//
// References: De Saxcé and Feng (1991, 1998); Korpelevich (1976); Khobotov (1987); Han and Lo (2002); seed 004 §4.
#include <algorithm>
#include <limits>

#include "solvers/register.h"

namespace cornet {
namespace {

struct ViOptions {
  bool extragradient = false;  // set by the id
  double rho = 0;
  double L = 0.9;
  double L_min = 0.3;
  double nu = 2.0 / 3.0;

  void visit(OptionVisitor& v) {
    const double inf = std::numeric_limits<double>::infinity();
    v.real("rho", rho, {0, inf}, "first step length ρ; 0: 1/√(‖W‖₁‖W‖∞)");
    v.real("L", L, {0, 1, true, true}, "shrink ρ while the ratio κ is above it");
    v.real("L_min", L_min, {0, 1, true, true}, "grow ρ when κ is below it; must be less than L");
    v.real("nu", nu, {0, 1, true, true}, "factor by which ρ shrinks, and 1/ν by which it grows");
  }
};

template <int D>
class ViProjection {
 public:
  explicit ViProjection(const ViOptions& options) : options_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    evaluate(system, r, F_, u_);
    double error = natural_map_error(system, r.data(), u_.data());
    monitor.offer(error, r.data(), r.size());
    while (error > monitor.tolerance()) {
      if (!predict(system, r, monitor)) return Termination::stalled;
      if (options_.extragradient) {
        project_step(system, r, F_bar_, r_);  // correction from the old point with the new F
        evaluate(system, r_, F_, u_);
        monitor.count("products");
      } else {
        r_.swap(r_bar_);
        F_.swap(F_bar_);
        u_.swap(u_bar_);
      }
      r.swap(r_);
      if (ratio_ < options_.L_min) rho_ /= options_.nu;
      error = natural_map_error(system, r.data(), u_.data());
      if (error < 0.9 * monitor.best_error() || error <= monitor.tolerance()) monitor.offer(error, r.data(), r.size());
      if (error <= monitor.tolerance()) {
        monitor.step(error);
        break;
      }
      if (const auto stop = monitor.step(error)) return *stop;
    }
    return Termination::converged;
  }

 private:
  void prepare(const LocalSystem<D>& system) {
    for (auto* a : {&F_, &F_bar_, &u_, &u_bar_, &r_, &r_bar_}) a->resize(system.size());
    const double bound = system.W.norm_bound();
    rho_ = options_.rho > 0 ? options_.rho : bound > 0 ? 1 / bound : 1.0;
  }

  // u = W r + q, F = u + g(u).
  static void evaluate(const LocalSystem<D>& system, const std::vector<double>& r, std::vector<double>& F, std::vector<double>& u) {
    system.W.times(r.data(), system.q.data(), u.data());
    for (int a = 0; a < system.contacts(); ++a) contact<D>(F.data(), a) = CoulombCone<D>{system.mu[a]}.shifted(contact<D>(u.data(), a));
  }

  // target = P_K(r − ρ F).
  void project_step(const LocalSystem<D>& system, const std::vector<double>& r, const std::vector<double>& F, std::vector<double>& target) const {
    for (int a = 0; a < system.contacts(); ++a)
      contact<D>(target.data(), a) = CoulombCone<D>{system.mu[a]}.project(contact<D>(r.data(), a) - rho_ * contact<D>(F.data(), a));
  }

  // Algorithm 3: the trial point r̄ with a ρ that satisfies κ ≤ L. False when ρ has vanished.
  bool predict(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    for (int trial = 0; trial < 200; ++trial) {
      project_step(system, r, F_, r_bar_);
      evaluate(system, r_bar_, F_bar_, u_bar_);
      monitor.count("products");
      double dF = 0, dr = 0;
      for (std::size_t k = 0; k < r.size(); ++k) {
        dF += (F_[k] - F_bar_[k]) * (F_[k] - F_bar_[k]);
        dr += (r[k] - r_bar_[k]) * (r[k] - r_bar_[k]);
      }
      ratio_ = dr > 0 ? rho_ * std::sqrt(dF / dr) : 0.0;
      if (ratio_ <= options_.L) return true;
      rho_ *= options_.nu;
      if (monitor.expired()) return true;  // the caller's step() ends the run
    }
    return false;
  }

  ViOptions options_;
  std::vector<double> F_, F_bar_, u_, u_bar_, r_, r_bar_;
  double rho_ = 1;
  double ratio_ = 0;
};

SolverInfo vi_solver(SolverInfo info, bool extragradient) {
  info.family = "VI projection";
  info.max_iterations = 1000000;
  ViOptions options;
  options.extragradient = extragradient;
  return registered<ViOptions>(std::move(info), options, [](const ViOptions& o) { return std::make_unique<LocalSolver<ViProjection, ViOptions>>(o); });
}

}  // namespace

SolverInfo fp_vi_upk() {
  SolverInfo info;
  info.id = "fp-vi-upk";
  info.title = "Fixed point projection, self-adaptive step (Khobotov)";
  info.summary = "r ← P_K(r − ρ(u + g(u))) with ρ adapted by the ratio (101): one product with W per iteration.";
  info.use_when = "loose tolerances, well-conditioned W, no memory for factors";
  info.fails_when = "ill-conditioned W or large μ: many iterations, sometimes a cycle";
  info.reference = "Acary, Brémond, Huber (2018), Algorithms 1 and 3, rules (98), (101); De Saxcé, Feng (1998)";
  return vi_solver(std::move(info), false);
}

SolverInfo eg_vi_upk() {
  SolverInfo info;
  info.id = "eg-vi-upk";
  info.title = "Extragradient, self-adaptive step (Khobotov)";
  info.summary = "r̄ ← P_K(r − ρF(r)), r ← P_K(r − ρF(r̄)) with ρ adapted by the ratio (101): two products with W per iteration.";
  info.use_when = "rank-deficient or unsymmetric W with strong friction, when Gauss–Seidel cycles";
  info.fails_when = "ill-conditioned W at tight tolerances: many iterations";
  info.reference = "Acary, Brémond, Huber (2018), Algorithms 2 and 3, rules (99), (101); Korpelevich (1976); Khobotov (1987)";
  return vi_solver(std::move(info), true);
}

}  // namespace cornet
