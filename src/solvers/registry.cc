// The table of solvers, from solvers.inc.
#include <fmt/format.h>

#include "cornet/error.h"
#include "cornet/solver.h"

namespace cornet {

#define CORNET_SOLVER(name) SolverInfo name();
#include "solvers/solvers.inc"
#undef CORNET_SOLVER

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> table = {
#define CORNET_SOLVER(name) name(),
#include "solvers/solvers.inc"
#undef CORNET_SOLVER
  };
  return table;
}

const SolverInfo& find_solver(const std::string& id) {
  std::vector<std::string> known;
  for (const auto& solver : solvers()) {
    if (solver.id == id) return solver;
    known.push_back(solver.id);
  }
  throw InvalidOption(fmt::format("solver '{}' is unknown; nearest: {}", id, fmt::join(nearest(id, known), ", ")));
}

}  // namespace cornet
