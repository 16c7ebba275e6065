// Accelerated projected gradient with restart for the convex quadratic program of a law:
//
//   min θ(r) = ½ rᵀWr + rᵀp,  r ∈ X          X a product of cones, half-lines, disks or cylinders, W symmetric and semidefinite
//
//   r_k+1 = P_X( y_k − ∇θ(y_k)/L )            L doubled until (r_k+1 − y_k)ᵀW(r_k+1 − y_k) ≤ L ‖r_k+1 − y_k‖², a little smaller each step
//   t_k+1 = ½ (1 + √(1 + 4 t_k²))
//   y_k+1 = r_k+1 + (t_k − 1)/t_k+1 · (r_k+1 − r_k)
//   restart (t = 1, y = r) when the momentum points uphill:  (y_k − r_k+1)ᵀ(r_k+1 − r_k) > 0
//
// Lengths may be measured in a metric of one number ρ^α per contact, ‖r‖² = Σ ‖r^α‖²/ρ^α, in which the step is ρ^α ∇θ^α/L and the projection that
// of X as before; without one ρ = 1. The operator gives u = W r + q (core/delassus.h). With Coulomb's law F is no gradient: the method is then a
// heuristic (solvers/apgd.cc).
//
// ∇θ(r) = F(W r + q) of the law, and W y follows from W r_k and W r_k+1, so an iteration costs one product with W. θ(r_k) − θ* falls like
// 1/k² whatever the rank of W; the restart makes the convergence linear where W is definite on the active set, with the square root of the
// condition number as the rate. The error is ‖r − P_X(r − ∇θ)‖/‖q‖.
// Fails by being slow on ill-conditioned W; never by cycling. An unbounded problem shows as ‖r‖ → ∞.
//
// References: Nesterov (1983); Beck, Teboulle (2009); O'Donoghue, Candès (2015); Mazhar, Heyn, Negrut, Tasora (2015).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/laws.h"
#include "core/delassus.h"
#include "cornet/solver.h"

namespace cornet {

struct AcceleratedGradientOptions {
  bool restart = true;
  double shrink = 0.95;
  double asymmetry = 1e-2;

  void visit(OptionVisitor& v) {
    v.flag("restart", restart, "start the momentum anew when it points uphill");
    v.real("shrink", shrink, {0, 1, true, false}, "factor on L after each iteration; 1: L only grows");
    v.real("asymmetry", asymmetry, {0, 2}, "largest ‖W − Wᵀ‖/‖W‖ accepted as symmetric; beyond it the engine ends as unsupported");
  }
};

template <int D, class Law, class Operator = ExplicitOperator<D>>
class AcceleratedGradient {
 public:
  explicit AcceleratedGradient(const AcceleratedGradientOptions& options) : options_(options) {}

  /// Once per matrix; L then carries over from one run to the next. `rho` is the metric, empty: ρ = 1.
  void prepare(const Operator& op, const std::vector<double>& rho = {}) {
    for (auto* a : {&u_, &y_, &y_u_, &next_, &next_u_}) a->resize(op.size());
    rho_ = rho;
    if (rho.empty()) rho_.assign(static_cast<std::size_t>(op.contacts()), 1.0);
    const double bound = op.norm_bound() * (rho_.empty() ? 1.0 : *std::max_element(rho_.begin(), rho_.end()));
    bound_ = bound > 0 ? bound : 1.0;
    L_ = rho.empty() ? 0.1 * bound_ : std::min(1.0, bound_);
  }

  Termination run(const Operator& op, const Law& law, std::vector<double>& r, Monitor& monitor) {
    for (int a = 0; a < op.contacts(); ++a) at(r, a) = law.project(a, at(r, a));
    velocities(op, r, u_, monitor);
    y_ = r;
    y_u_ = u_;
    double t = 1, error = natural_map(op, law, r, u_);
    monitor.offer(error, r.data(), r.size());
    while (error > monitor.tolerance()) {
      const bool moved = step(op, law, monitor);
      double uphill = 0;
      for (std::size_t a = 0, k = 0; a < rho_.size(); ++a)
        for (int i = 0; i < D; ++i, ++k) uphill += (y_[k] - next_[k]) * (next_[k] - r[k]) / rho_[a];
      if (options_.restart && uphill > 0) {
        t = 1;
        monitor.count("restarts");
      }
      const double t_next = 0.5 * (1 + std::sqrt(1 + 4 * t * t)), beta = (t - 1) / t_next;
      for (std::size_t k = 0; k < r.size(); ++k) {
        y_[k] = next_[k] + beta * (next_[k] - r[k]);
        y_u_[k] = next_u_[k] + beta * (next_u_[k] - u_[k]);
      }
      t = t_next;
      r.swap(next_);
      u_.swap(next_u_);
      if constexpr (requires { law.follow(u_.data()); }) law.follow(u_.data());
      L_ = std::max(options_.shrink * L_, 1e-12 * bound_);
      error = natural_map(op, law, r, u_);
      if (error < 0.9 * monitor.best_error() || error <= monitor.tolerance()) monitor.offer(error, r.data(), r.size());
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) return *stop;
      if (!moved && t <= 2) return Termination::stalled;
    }
    return Termination::converged;
  }

 private:
  static Eigen::Map<Vec<D>> at(std::vector<double>& v, int a) { return Eigen::Map<Vec<D>>(v.data() + static_cast<std::size_t>(a) * D); }
  static Eigen::Map<const Vec<D>> at(const std::vector<double>& v, int a) {
    return Eigen::Map<const Vec<D>>(v.data() + static_cast<std::size_t>(a) * D);
  }

  static void velocities(const Operator& op, const std::vector<double>& r, std::vector<double>& u, Monitor& monitor) {
    op.velocities(r.data(), u.data());
    monitor.count("products");
  }

  // F of the problem that is to be solved; a law may work with another one on its way there, and follow() the velocities.
  static Vec<D> exact(const Law& law, int a, const Vec<D>& u) {
    if constexpr (requires { law.exact(a, u); }) return law.exact(a, u);
    else return law.shifted(a, u);
  }

  static double natural_map(const Operator& op, const Law& law, const std::vector<double>& r, const std::vector<double>& u) {
    double sum = 0;
    for (int a = 0; a < op.contacts(); ++a) {
      const Vec<D> r_a = at(r, a);
      sum += (r_a - law.project(a, r_a - exact(law, a, at(u, a)))).squaredNorm();
    }
    return std::sqrt(sum) / op.norm_q();
  }

  // next_ and next_u_ from y_: the projected step with the first L that bounds the curvature along it. L ≥ ‖W‖ always does, and where
  // rounding hides the curvature the loop ends at the bound. False when y_ itself came back.
  bool step(const Operator& op, const Law& law, Monitor& monitor) {
    while (true) {
      for (int a = 0; a < op.contacts(); ++a) next_a(law, a);
      velocities(op, next_, next_u_, monitor);
      double curvature = 0, length = 0;
      for (std::size_t a = 0, k = 0; a < rho_.size(); ++a)
        for (int i = 0; i < D; ++i, ++k) {
          const double d = next_[k] - y_[k];
          curvature += d * (next_u_[k] - y_u_[k]);
          length += d * d / rho_[a];
        }
      if (curvature <= L_ * length || L_ >= bound_) return length > 0;
      L_ = std::min(2 * L_, bound_);
    }
  }
  void next_a(const Law& law, int a) { at(next_, a) = law.project(a, at(y_, a) - law.shifted(a, at(y_u_, a)) * (rho_[a] / L_)); }

  AcceleratedGradientOptions options_;
  // W r + q; the extrapolated point and its velocities; the next point and its velocities; the metric
  std::vector<double> u_, y_, y_u_, next_, next_u_, rho_;
  double bound_ = 1, L_ = 1;
};

}  // namespace cornet
