// Successive convex programs on the friction cones (survey Algorithm 12; Acary, Cadoux, Lemaréchal, Malick): De Saxcé's shift is frozen.
//
//   s^α ← μ^α ‖u_T,k^α‖                                   (0 for μ = ∞, where every solution has u_T = 0)
//   r_k+1 ← argmin ½ rᵀWr + rᵀ(q + E s),  r ∈ K            at accuracy error/10, started from r_k             (130)
//   u_k+1 ← W r_k+1 + q
//
// E s adds s^α to the normal component. The inner problem is a second-order cone program; as a variational inequality,
// −(W r + q + E s) ∈ N_K(r), it makes sense for unsymmetric W too; only the inner projected gradient (convexqp-pg) needs W = Wᵀ. A fixed
// point of s solves the exact law. The id names the inner solver. At s = g(u_k) the inner error of r_k is the exact error: every inner
// solve has work to do.
//
// Few outer steps for small and moderate μ. Fails: s cycles where the exact law has several or no solutions near, slow inner solves on W of
// low rank; an inner program without solution (existence criterion violated for that s).
//
// References: Acary, Cadoux, Lemaréchal, Malick (2011); seed 004 §3.4, §7.3; seed 001.
#include "solvers/inner.h"

namespace cornet {
namespace {

template <int D>
class Aclm {
 public:
  explicit Aclm(const InnerOptions& options) : options_(options), inner_(options), progress_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (options_.method == InnerMethod::projected_gradient && !symmetric_enough(system, options_.projected_gradient, monitor))
      return Termination::unsupported;
    inner_.prepare(system);
    s_.resize(system.mu.size());
    if (progress_.start(system, r, monitor) <= monitor.tolerance()) return Termination::converged;
    while (true) {
      for (int a = 0; a < system.contacts(); ++a) {
        const Vec<D> u = contact<D>(progress_.u().data(), a);
        s_[a] = CoulombCone<D>{system.mu[a]}.shifted(u)[0] - u[0];
      }
      inner_.solve(system, ConeLaw<D>{system.mu.data(), s_.data()}, progress_.inner_limits(), r, monitor);
      if (const auto stop = progress_.step(system, r, monitor)) return *stop;
    }
  }

 private:
  InnerOptions options_;
  InnerSolver<D, ConeLaw<D>> inner_;
  OuterProgress<D> progress_;
  std::vector<double> s_;  // nc
};

SolverInfo aclm(const char* id, InnerMethod method, const char* inner, const char* algorithms) {
  SolverInfo info;
  info.id = id;
  info.title = std::string("ACLM fixed point on the shift s, inner ") + inner;
  info.family = "ACLM";
  info.summary = std::string("Freezes the shift s = μ‖u_T‖, solves the second-order cone program by ") + inner + ", updates s and repeats.";
  info.use_when = "problems with a good convex solver at hand; few outer steps for moderate μ";
  info.fails_when = "s cycles (strong friction, several solutions near each other); W of low rank: slow inner solves";
  info.reference = std::string("Acary, Brémond, Huber (2018), ") + algorithms + ", (130); Acary, Cadoux, Lemaréchal, Malick (2011)";
  InnerOptions options;
  options.method = method;
  return with_inner<Aclm>(std::move(info), options);
}

}  // namespace

SolverInfo aclm_nsgs_fp_vi_upk() {
  return aclm("aclm-nsgs-fp-vi-upk", InnerMethod::gauss_seidel, "Gauss–Seidel with a projection per contact", "Algorithms 12, 7, 1 and 3");
}
SolverInfo aclm_fp_vi_upk() {
  return aclm("aclm-fp-vi-upk", InnerMethod::fixed_point, "self-adaptive fixed point", "Algorithms 12, 1 and 3");
}
SolverInfo aclm_eg_vi_upk() {
  return aclm("aclm-eg-vi-upk", InnerMethod::extragradient, "self-adaptive extragradient", "Algorithms 12, 2 and 3");
}
SolverInfo aclm_convexqp_pg() {
  return aclm("aclm-convexqp-pg", InnerMethod::projected_gradient, "projected gradient", "Algorithms 12 and 9");
}

}  // namespace cornet
