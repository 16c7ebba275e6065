// The fifteen test sets of the survey (Acary, Brémond, Huber: On solving contact problems with Coulomb friction, Table 5), made anew from
// scenes: anyone gets the same problems from the same seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"
#include "cornet/sim_scene.h"

namespace cornet::sim {

struct TestSet {
  std::string name;
  std::string what;
  double mu = 0;
  int problems = 0;  ///< in the survey
  int dofs_min = 0, dofs_max = 0;
  int contacts_min = 0, contacts_max = 0;
  double density_min = 0, density_max = 0;  ///< c = m/n
  double tolerance = 0;                     ///< of the survey's campaign (Table 6), the smaller one where it has two
  bool large = false;                       ///< minutes to make
};

CORNET_API const std::vector<TestSet>& test_sets();

/// Called with each problem, its answer (certified at the tolerance of the set; empty when none was asked for or the default solver does not
/// get there) and its number from 0. Return false to stop.
using ProblemSink = std::function<bool(const GlobalProblem& problem, const Iterate& answer, int number)>;

/// Makes `count` problems (0: as many as the survey has). All lie within the ranges of the set. Throws InvalidOption on an unknown name.
/// Returns the number of problems made; fewer than asked for only when there are more than steps.
CORNET_API int generate(const std::string& name, int count, std::uint64_t seed, const ProblemSink& sink, bool answers = true);

}  // namespace cornet::sim
