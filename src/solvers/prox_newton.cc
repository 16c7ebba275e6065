// The walk of proximal Newton steps (prox_newton.h) as a solver.
#include "solvers/prox_newton.h"

namespace cornet {

SolverInfo prox_newton() {
  SolverInfo info;
  info.id = "prox-newton";
  info.title = "Nonmonotone walk of proximal Newton steps";
  info.family = "proximal point";
  info.summary =
      "Newton steps on the Alart–Curnier function with a proximal term whose weight follows their success: by ‖G‖, which may grow up to "
      "five times in a step, or by the number of contacts that change their status. Local minima of ‖G‖ do not end the run.";
  info.use_when = "everything faster has failed: jammed packings, strong friction, unsymmetric W, rank-deficient W";
  info.fails_when = "thousands of contacts with a full W: hundreds to thousands of factorisations are needed on hard problems";
  info.reference = "Rockafellar (1976); Alart, Curnier (1991); Acary, Brémond, Huber (2018), function (63), rule (111)";
  info.max_iterations = 1000000;
  info.memory = {.factors = 2};
  return registered<ProxNewtonOptions>(std::move(info), ProxNewtonOptions{}, [](const ProxNewtonOptions& o) {
    return std::make_unique<LocalSolver<ProxNewton, ProxNewtonOptions>>(o);
  });
}

}  // namespace cornet
