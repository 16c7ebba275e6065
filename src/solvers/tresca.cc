// Successive approximation by Tresca friction (survey Algorithm 11): the tangential thresholds come from the last normal reactions.
//
//   θ ← μ r_N,k                                          (∞ for μ = ∞)
//   r_k+1 ← argmin ½ rᵀWr + rᵀq,  r_N ≥ 0, ‖r_T^α‖ ≤ θ^α     at accuracy error/10, started from r_k         (129)
//
// As a variational inequality, −(W r + q) ∈ N_X(r) on the cylinders X(θ), the inner problem makes sense for unsymmetric W too; only the
// inner projected gradient (convexqp-pg) needs W = Wᵀ. A fixed point solves the exact law: ‖r_T‖ ≤ μ r_N, u_T opposite to r_T on the rim.
// The id names the inner solver. Each outer step is judged by the exact error.
//
// A contraction for small μ. Fails: large μ, where the thresholds feed back on r_N and the steps cycle; W of low rank.
//
// References: Nečas, Jarušek, Haslinger (1980); Haslinger (1983); seed 004 §3.4, §7.2.
#include "solvers/inner.h"

namespace cornet {
namespace {

template <int D>
class Tresca {
 public:
  explicit Tresca(const InnerOptions& options) : options_(options), inner_(options), progress_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (options_.method == InnerMethod::projected_gradient && !symmetric_enough(system, options_.projected_gradient, monitor))
      return Termination::unsupported;
    inner_.prepare(system);
    if (progress_.start(system, r, monitor) <= monitor.tolerance()) return Termination::converged;
    while (true) {
      friction_thresholds(system, r, radius_);
      inner_.solve(system, CylinderLaw<D>{radius_.data()}, progress_.inner_limits(), r, monitor);
      if (const auto stop = progress_.step(system, r, monitor)) return *stop;
    }
  }

 private:
  InnerOptions options_;
  InnerSolver<D, CylinderLaw<D>> inner_;
  OuterProgress<D> progress_;
  std::vector<double> radius_;
};

SolverInfo tresca(const char* id, InnerMethod method, const char* inner, const char* algorithms) {
  SolverInfo info;
  info.id = id;
  info.title = std::string("Tresca successive approximation, inner ") + inner;
  info.family = "Tresca";
  info.summary =
      std::string("Freezes the friction thresholds μ r_N, solves the convex problem on cylinders by ") + inner + ", and repeats.";
  info.use_when = "small and moderate friction; comparison with codes that solve Tresca problems";
  info.fails_when = "large μ: the thresholds cycle; W of low rank: slow inner solves";
  info.reference = std::string("Acary, Brémond, Huber (2018), ") + algorithms + ", (129); Haslinger (1983)";
  InnerOptions options;
  options.method = method;
  return with_inner<Tresca>(std::move(info), options);
}

}  // namespace

SolverInfo tresca_nsgs_fp_vi_upk() {
  return tresca("tresca-nsgs-fp-vi-upk", InnerMethod::gauss_seidel, "Gauss–Seidel with a projection per contact",
                "Algorithms 11, 7, 1 and 3");
}
SolverInfo tresca_fp_vi_upk() {
  return tresca("tresca-fp-vi-upk", InnerMethod::fixed_point, "self-adaptive fixed point", "Algorithms 11, 1 and 3");
}
SolverInfo tresca_eg_vi_upk() {
  return tresca("tresca-eg-vi-upk", InnerMethod::extragradient, "self-adaptive extragradient", "Algorithms 11, 2 and 3");
}
SolverInfo tresca_convexqp_pg() {
  return tresca("tresca-convexqp-pg", InnerMethod::projected_gradient, "projected gradient", "Algorithms 11 and 9");
}

}  // namespace cornet
