// Specifications of campaigns.
#include "cornet/campaign.h"
#include "fuzz/target.h"

namespace cornet::fuzz {

bool run_spec(std::string_view bytes) {
  const MemoryFile file(bytes);
  return accepts(file.path() + ": ", [&] {
    const campaign::Spec spec = campaign::read_spec(file.path());
    require(!spec.name.empty() && !spec.tolerances.empty() && spec.repeat >= 1 && spec.time_limit > 0, "a value out of its range");
    for (const campaign::ProblemGroup& group : spec.problems)
      require(group.files.empty() != group.generate.empty() && group.count >= 0, "a group of problems without a source");
    for (const campaign::SolverChoice& solver : spec.solvers) require(!solver.label.empty(), "a solver without a label");
  });
}

}  // namespace cornet::fuzz
