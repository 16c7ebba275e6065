#include "solvers/apgd.h"

namespace cornet {

SolverInfo apgd() {
  SolverInfo info;
  info.id = "apgd";
  info.title = "Accelerated projected gradient";
  info.family = "First order";
  info.summary =
      "Nesterov's accelerated projection steps on the exact law, with restart and backtracking, in the metric of the diagonal blocks; "
      "matrix-free in global form.";
  info.use_when = "large problems at loose tolerances, where a smooth decrease matters more than speed";
  info.fails_when = "tight tolerances; large μ on hyperstatic problems, where the shift makes it cycle";
  info.reference = "Nesterov (1983); Mazhar, Heyn, Negrut, Tasora (2015)";
  info.forms = {"local", "global"};
  info.max_iterations = 1000000;
  return registered<ApgdOptions>(std::move(info), {},
                                 [](const ApgdOptions& o) { return std::make_unique<OperatorSolver<Apgd, ApgdOptions>>(o); });
}

}  // namespace cornet
