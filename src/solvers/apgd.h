// Accelerated projected gradient (convex/accelerated_gradient.h) on the exact law: Nesterov's momentum, restart, backtracking, in the metric of
// the contacts (first_order.h):
//
//   r_k+1 = P_K( y_k − R⁻¹ (u(y_k) + s e_N)/L ),      y_k+1 = r_k+1 + β_k (r_k+1 − r_k),      s ← s + θ (μ‖u_T(r_k+1)‖ − s)
//
// For fixed s a convex problem; De Saxcé's shift follows with the fraction θ per iteration. Nothing proves convergence of the whole; θ = 1 lets
// momentum and shift drive each other into cycles. Fails so at large μ on hyperstatic W.
//
// References: Nesterov (1983); Mazhar, Heyn, Negrut, Tasora (2015); O'Donoghue, Candès (2015).
#pragma once

#include <limits>
#include <vector>

#include "convex/accelerated_gradient.h"
#include "solvers/first_order.h"

namespace cornet {

struct ApgdOptions {
  bool restart = true;
  double shrink = 0.95;
  double damping = 0.3;

  void visit(OptionVisitor& v) {
    v.flag("restart", restart, "start the momentum anew when it points uphill");
    v.real("shrink", shrink, {0, 1, true, false}, "factor on L after each iteration; 1: L only grows");
    v.real("damping", damping, {0, 1, true, false}, "θ: share of the change of De Saxcé's shift that an iteration takes over");
  }
};

/// Coulomb's law with a shift that follows the velocities.
template <int D>
struct FollowingLaw {
  const double* mu;
  std::vector<double>* shift;  ///< nc
  double theta;

  Vec<D> project(int a, const Vec<D>& z) const { return CoulombCone<D>{mu[a]}.project(z); }
  Vec<D> shifted(int a, Vec<D> u) const {
    u[0] += (*shift)[static_cast<std::size_t>(a)];
    return u;
  }
  Vec<D> exact(int a, const Vec<D>& u) const { return CoulombCone<D>{mu[a]}.shifted(u); }
  void follow(const double* u) const {
    for (std::size_t a = 0; a < shift->size(); ++a) {
      const Vec<D> u_a = contact<D>(u, static_cast<int>(a));
      (*shift)[a] += theta * (CoulombCone<D>{mu[a]}.shifted(u_a)[0] - u_a[0] - (*shift)[a]);
    }
  }
};

template <class Operator>
class Apgd {
 public:
  static constexpr int D = Operator::kDim;
  explicit Apgd(const ApgdOptions& options = {})
      : theta_(options.damping), method_({options.restart, options.shrink, std::numeric_limits<double>::infinity()}) {}

  Termination run(const Operator& op, std::vector<double>& r, Monitor& monitor) {
    contact_metric(op, rho_);
    method_.prepare(op, rho_);
    shift_.assign(rho_.size(), 0.0);
    start_.resize(op.size());
    op.velocities(r.data(), start_.data());
    FollowingLaw<D>{op.mu().data(), &shift_, 1.0}.follow(start_.data());
    return method_.run(op, FollowingLaw<D>{op.mu().data(), &shift_, theta_}, r, monitor);
  }

 private:
  double theta_;
  AcceleratedGradient<D, FollowingLaw<D>, Operator> method_;
  std::vector<double> rho_, shift_, start_;
};

}  // namespace cornet
