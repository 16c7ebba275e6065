#include "solvers/spg.h"

namespace cornet {

SolverInfo spg() {
  SolverInfo info;
  info.id = "spg";
  info.title = "Spectral projected gradient";
  info.family = "First order";
  info.summary =
      "r ← P_K(r − t R⁻¹û) with Barzilai–Borwein steps t and the metric R of the diagonal blocks: one product and one projection per "
      "iteration, matrix-free in global form.";
  info.use_when = "large problems, loose tolerances, rank-deficient W: the cheapest way to 1e-4 in most cases, often to 1e-8";
  info.fails_when = "ill-conditioned W with strong friction (walls, towers, arches) at tight tolerances: many iterations";
  info.reference = "Barzilai, Borwein (1988); Birgin, Martínez, Raydan (2000)";
  info.forms = {"local", "global"};
  info.max_iterations = 1000000;
  return registered<SpgOptions>(std::move(info), {},
                                [](const SpgOptions& o) { return std::make_unique<OperatorSolver<Spg, SpgOptions>>(o); });
}

}  // namespace cornet
