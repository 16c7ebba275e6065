// Alternating optimisation (survey Algorithm 10; Panagiotopoulos): a normal problem with the friction forces given, then a tangential
// problem with the thresholds given.
//
//   r_N,k+1 ← argmin ½ r_NᵀW_NN r_N + r_Nᵀ(q_N + W_NT r_T,k),      r_N ≥ 0                          (126)
//   r_T,k+1 ← argmin ½ r_TᵀW_TT r_T + r_Tᵀ(q_T + W_TN r_N,k+1),    ‖r_T^α‖ ≤ μ^α r_N,k+1^α           (128)
//
// both at accuracy error/10, started from the last reactions; μ = ∞ leaves r_T free. The id names the two inner solvers: projected
// Gauss–Seidel (pgs) or the projected gradient (convexqp-pg) for the normal problem; fixed point, extragradient or projected gradient for
// the tangential one. Both problems are variational inequalities too, which is what pgs, fixed point and extragradient solve: for them W
// may be unsymmetric.
//
// Fails: strong coupling of normal and tangent (large μ, W_NT of the size of W_NN): the alternation cycles or diverges.
//
// References: Panagiotopoulos (1975); Tzaferopoulos (1993); seed 004 §3.4, §7.1.
#include "solvers/inner.h"

namespace cornet {
namespace {

struct PanagiotopoulosOptions : InnerOptions {
  InnerMethod normal = InnerMethod::gauss_seidel;  // set by the id; `method` is the tangential one

  InnerOptions for_normal() const {
    InnerOptions options = *this;
    options.method = normal;
    return options;
  }
};

template <int D>
class Panagiotopoulos {
 public:
  explicit Panagiotopoulos(const PanagiotopoulosOptions& options)
      : options_(options), normal_(options.for_normal()), tangent_(options), progress_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (options_.method == InnerMethod::projected_gradient && !symmetric_enough(system, options_.projected_gradient, monitor))
      return Termination::unsupported;
    normal_.prepare(system);
    tangent_.prepare(system);
    if (progress_.start(system, r, monitor) <= monitor.tolerance()) return Termination::converged;
    while (true) {
      given_ = r;
      normal_.solve(system, NormalLaw<D>{given_.data()}, progress_.inner_limits(), r, monitor);
      given_ = r;
      friction_thresholds(system, r, radius_);
      tangent_.solve(system, TangentLaw<D>{given_.data(), radius_.data()}, progress_.inner_limits(), r, monitor);
      if (const auto stop = progress_.step(system, r, monitor)) return *stop;
    }
  }

 private:
  PanagiotopoulosOptions options_;
  InnerSolver<D, NormalLaw<D>> normal_;
  InnerSolver<D, TangentLaw<D>> tangent_;
  OuterProgress<D> progress_;
  std::vector<double> given_;
  std::vector<double> radius_;
};

SolverInfo panagiotopoulos(const char* id, InnerMethod normal, InnerMethod tangent, const char* inner, const char* algorithms) {
  SolverInfo info;
  info.id = id;
  info.title = std::string("Panagiotopoulos alternation: ") + inner;
  info.family = "Panagiotopoulos";
  info.summary =
      std::string("Alternates between the normal problem with given friction and the tangential one with given thresholds: ") + inner + ".";
  info.use_when = "weak coupling of normal and tangential directions, small friction";
  info.fails_when = "strong coupling or large μ: the alternation cycles or crawls";
  info.reference = std::string("Acary, Brémond, Huber (2018), ") + algorithms + ", (126), (128); Panagiotopoulos (1975)";
  PanagiotopoulosOptions options;
  options.normal = normal;
  options.method = tangent;
  return with_inner<Panagiotopoulos>(std::move(info), options);
}

}  // namespace

SolverInfo pana_pgs_fp_vi_upk() {
  return panagiotopoulos("pana-pgs-fp-vi-upk", InnerMethod::gauss_seidel, InnerMethod::fixed_point,
                         "projected Gauss–Seidel and self-adaptive fixed point", "Algorithms 10, 1 and 3");
}
SolverInfo pana_pgs_eg_vi_upk() {
  return panagiotopoulos("pana-pgs-eg-vi-upk", InnerMethod::gauss_seidel, InnerMethod::extragradient,
                         "projected Gauss–Seidel and self-adaptive extragradient", "Algorithms 10, 2 and 3");
}
SolverInfo pana_pgs_convexqp_pg() {
  return panagiotopoulos("pana-pgs-convexqp-pg", InnerMethod::gauss_seidel, InnerMethod::projected_gradient,
                         "projected Gauss–Seidel and projected gradient", "Algorithms 10 and 9");
}
SolverInfo pana_convexqp_pg() {
  return panagiotopoulos("pana-convexqp-pg", InnerMethod::projected_gradient, InnerMethod::projected_gradient,
                         "projected gradient for both", "Algorithms 10 and 9");
}

}  // namespace cornet
