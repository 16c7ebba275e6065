// The polish of a near solution (polish.h) as a solver.
#include "solvers/polish.h"

namespace cornet {

SolverInfo nsn_polish() {
  SolverInfo info;
  info.id = "nsn-polish";
  info.title = "Nonsmooth Newton polish of a near solution";
  info.family = "nonsmooth Newton";
  info.summary =
      "Damped Newton steps on the Alart–Curnier function without line search, for W of any rank; the damping shrinks with the error, so "
      "that "
      "reactions that are not unique stay where they are. Goes on to 1e-12 or the floor of rounding and says which.";
  info.use_when =
      "an answer of another method at 1e-4 or better is at hand (--guess stored) and the last digits are wanted in a few factorisations";
  info.fails_when =
      "far from a solution, or where the statuses of many contacts are undecided; it then gives up after some ten factorisations";
  info.reference =
      "Alart, Curnier (1991); Yamashita, Fukushima (2001) for the damping; Acary, Brémond, Huber (2018), function (63), rule (111)";
  info.max_iterations = 200;
  info.memory = {.factors = 2};
  return registered<PolishOptions>(std::move(info), PolishOptions{},
                                   [](const PolishOptions& o) { return std::make_unique<LocalSolver<Polish, PolishOptions>>(o); });
}

}  // namespace cornet
