// The projection methods (vi.h) on the exact Coulomb law as solvers.
#include "solvers/vi.h"

namespace cornet {
namespace {

template <int D>
class CoulombVi {
 public:
  explicit CoulombVi(const ViOptions& options) : method_(options) {}
  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    return method_.run(system, CoulombLaw<D>{system.mu.data()}, r, monitor);
  }

 private:
  ViProjection<D, CoulombLaw<D>> method_;
};

SolverInfo vi_solver(const char* id, const char* title, bool extragradient, StepRule rule, const char* reference) {
  SolverInfo info;
  info.id = id;
  info.title = title;
  info.family = "VI projection";
  info.summary = extragradient
                     ? "r̄ ← P_K(r − ρF(r)), r ← P_K(r − ρF(r̄)) with F(r) = u + g(u), u = W r + q: two products with W per iteration."
                     : "r ← P_K(r − ρF(r)) with F(r) = u + g(u), u = W r + q: one product with W per iteration.";
  info.use_when = extragradient ? "rank-deficient or unsymmetric W with strong friction, when Gauss–Seidel cycles"
                                : "loose tolerances, well-conditioned W, no memory for factors";
  info.fails_when = rule == StepRule::fixed ? "diverges when ρ is too large for W, crawls when it is too small; large μ makes it cycle"
                    : extragradient         ? "ill-conditioned W at tight tolerances: many iterations"
                                            : "ill-conditioned W or large μ: many iterations, sometimes a cycle";
  info.reference = reference;
  info.max_iterations = 1000000;
  ViOptions options;
  options.extragradient = extragradient;
  options.rule = rule;
  options.metric = rule == StepRule::fixed ? Metric::identity : Metric::contact;
  return registered<ViOptions>(std::move(info), options,
                               [](const ViOptions& o) { return std::make_unique<LocalSolver<CoulombVi, ViOptions>>(o); });
}

}  // namespace

SolverInfo fp_ds() {
  return vi_solver("fp-ds", "Fixed point projection, fixed step (De Saxcé–Feng)", false, StepRule::fixed,
                   "Acary, Brémond, Huber (2018), Algorithm 1, rule (98); De Saxcé, Feng (1998)");
}

SolverInfo fp_vi_upk() {
  return vi_solver("fp-vi-upk", "Fixed point projection, self-adaptive step (Khobotov)", false, StepRule::upk,
                   "Acary, Brémond, Huber (2018), Algorithms 1 and 3, rules (98), (101); Khobotov (1987)");
}

SolverInfo fp_vi_upts() {
  return vi_solver("fp-vi-upts", "Fixed point projection, self-adaptive step (Solodov–Tseng)", false, StepRule::upts,
                   "Acary, Brémond, Huber (2018), Algorithms 1 and 3, rules (98), (102); Solodov, Tseng (1996)");
}

SolverInfo eg_vi_upk() {
  return vi_solver("eg-vi-upk", "Extragradient, self-adaptive step (Khobotov)", true, StepRule::upk,
                   "Acary, Brémond, Huber (2018), Algorithms 2 and 3, rules (99), (101); Korpelevich (1976); Khobotov (1987)");
}

SolverInfo eg_vi_upts() {
  return vi_solver("eg-vi-upts", "Extragradient, self-adaptive step (Solodov–Tseng)", true, StepRule::upts,
                   "Acary, Brémond, Huber (2018), Algorithms 2 and 3, rules (99), (102); Solodov, Tseng (1996)");
}

}  // namespace cornet
