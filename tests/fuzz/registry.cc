// Stands in for the solvers and test sets, which the reader of specifications asks for their names and options only: the fuzz build
// compiles the readers and nothing that solves.
#include "cornet/error.h"
#include "cornet/sim_sets.h"
#include "cornet/solver.h"

namespace cornet {
namespace {

struct Options {
  bool fall_back = false;
  long local_iterations = 3;
  double rho = 1.5;
  int order = 0;
  void visit(OptionVisitor& v) {
    v.flag("fall_back", fall_back, "a flag");
    v.integer("local_iterations", local_iterations, {1, 1000}, "a number");
    v.real("rho", rho, {0, 2, true, true}, "a factor");
    v.choose("order", order, {"given", "shuffled_once"}, "a choice");
  }
};

SolverInfo info(const char* id) {
  SolverInfo out;
  out.id = id;
  out.make = [name = out.id](const OptionTexts& texts) -> std::unique_ptr<Solver> {
    Options options;
    assign([&](OptionVisitor& v) { options.visit(v); }, texts, name);
    return nullptr;
  };
  return out;
}

}  // namespace

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> table = {info("nsgs-ac"), info("psor-ac"), info("auto")};
  return table;
}

const SolverInfo& find_solver(const std::string& id) {
  for (const SolverInfo& solver : solvers())
    if (solver.id == id) return solver;
  throw InvalidOption("solver is unknown");
}

namespace sim {

const std::vector<TestSet>& test_sets() {
  static const std::vector<TestSet> table = {
      {"Chain", "links of a chain", 0.3, 242, 60, 60, 8, 28, 0.5, 1.3, 1e-8, false},
      {"Capsules", "capsules fall on each other", 0.7, 249, 96, 600, 17, 304, 0.53, 1.52, 1e-8, false},
  };
  return table;
}

}  // namespace sim
}  // namespace cornet
