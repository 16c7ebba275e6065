// Penetrations of solids, and of the bodies beside them, pushed out at the level of positions. The nearest positions in the metric of the step,
//
//   min ½ ‖Δq‖²_A   s.t.   gap + H_Nᵀ Δq ≥ −slop/2,  Gᵀ Δq = 0        A: mass of rigid bodies, step matrix of solids
//
// are the answer to a step without friction and loads, which the default solver takes. Velocities stay. Rigid bodies alone: project.cc.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/solver.h"
#include "sim/world.h"

namespace cornet::sim {
namespace {

constexpr double kTolerance = 1e-6;

}  // namespace

int project_solids(World& world, double h, double slop, double& deepest) {
  // All points nearer than slop, as contacts of a step without friction.
  std::vector<ActiveContact> before;
  before.swap(world.contacts);
  const std::vector<NodeShares> shares_before = world.shares;
  world.touching(std::isfinite(slop) ? slop : 0, world.contacts);
  for (const ActiveContact& c : world.contacts) deepest = std::max(deepest, -c.gap);
  int iterations = 0;
  if (deepest > slop) {
    Problem problem{GlobalProblem{}};
    GlobalProblem& p = std::get<GlobalProblem>(problem);
    Iterate guess;
    assemble(world, h, p, guess);
    std::fill(p.f.begin(), p.f.end(), 0.0);
    std::fill(p.w.begin(), p.w.end(), 0.0);
    std::fill(p.b.begin(), p.b.end(), 0.0);
    std::fill(p.mu.begin(), p.mu.end(), 0.0);
    for (std::size_t k = 0; k < world.contacts.size(); ++k) p.w[3 * k] = world.contacts[k].gap + slop / 2;
    RunOptions options;
    options.tolerance = kTolerance;
    options.time_limit = std::numeric_limits<double>::infinity();
    options.options = {{"fall_back", "false"}};  // it looks at the clock
    const Result result = solve(problem, options);
    iterations = static_cast<int>(std::max(1L, result.iterations));
    if (result.solved()) world.displace(result.x.v);  // else there are no such positions: something is squeezed
  }
  world.contacts.swap(before);
  world.shares = shares_before;
  return iterations;
}

}  // namespace cornet::sim
