// Accelerated projected gradient (convex/accelerated_gradient.h) on the exact law: Nesterov's momentum, restart, backtracking, in the metric of
// the contacts (first_order.h). F(r) = û is De Saxcé's field; at the extrapolated point both u and the shift are recomputed:
//
//   r_k+1 = P_K( y_k − R⁻¹ û(y_k)/L ),      y_k+1 = r_k+1 + β_k (r_k+1 − r_k)
//
// û is no gradient, so nothing proves convergence; the restarts (momentum uphill, no better point for a while) keep it going. Fails where the
// shift makes the iterates cycle: large μ, hyperstatic W.
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

  void visit(OptionVisitor& v) {
    v.flag("restart", restart, "start the momentum anew when it points uphill");
    v.real("shrink", shrink, {0, 1, true, false}, "factor on L after each iteration; 1: L only grows");
  }
};

template <class Operator>
class Apgd {
 public:
  static constexpr int D = Operator::kDim;
  explicit Apgd(const ApgdOptions& options = {}) : method_({options.restart, options.shrink, std::numeric_limits<double>::infinity()}) {}

  Termination run(const Operator& op, std::vector<double>& r, Monitor& monitor) {
    contact_metric(op, rho_);
    method_.prepare(op, rho_);
    return method_.run(op, CoulombLaw<D>{op.mu().data()}, r, monitor);
  }

 private:
  AcceleratedGradient<D, CoulombLaw<D>, Operator> method_;
  std::vector<double> rho_;
};

}  // namespace cornet
