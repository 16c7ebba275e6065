// Which solvers a step runs, one after the other, each from the best point so far:
//
//   a solver named by the scene     that one alone
//   none named                      auto; before it, from 301 contacts on and for tolerances ≥ 1e-6, nsgs-ac and spg in turn, 2000 iterations at
//                                   first and twice as many every time, nsn-polish after the first, up to 1000 contacts newton-ipm without
//                                   tracing after the first two; after it nsn-polish with more patience
//   none named, below 1e-6          an answer that took iterations is polished to the floor of rounding, up to 300 contacts: what rests then costs
//                                   nothing in the steps that follow, where an answer just below the tolerance would drift above it
//   then, with on_failure = retry   retry_solver; if none is named, nsgs-ac after ppa-nsn-ac-gp and ppa-nsn-ac-gp after all others
//
// A step that nothing solved goes on with the smallest error there was, or, when those reactions have run away, with the reactions before it.
//
// Both first-order methods have runs a hundred times longer than their usual one, on different problems: taking turns cuts these off
// (docs/simulator.md has what was measured). auto runs without its fall-back, the one part of it that looks at the clock, and nothing here
// has a time limit: equal scenes give equal bits.
#pragma once

#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cornet/result.h"
#include "cornet/sim_scene.h"

namespace cornet::sim {

class StepSolver {
 public:
  explicit StepSolver(const Scene& scene);

  /// Iterations are those of all solvers together, `solver` and the rest those of the best answer. `message` says what failed, if anything did.
  Result solve(const Problem& problem, const Iterate& guess, std::string& message);

  /// Forgets what the solvers keep from one problem to the next.
  void restart();

  void set_interrupt(const std::atomic<bool>* flag);
  void set_memory_limit(double bytes);

 private:
  struct Part {
    RunOptions options;
    int least_contacts = 0;  // smaller problems go without it
    int most_contacts = std::numeric_limits<int>::max();
    bool retry = false;              // counts as a second try
    std::optional<Session> session;  // made when first needed
  };
  void add(const std::string& solver, long iterations, OptionTexts options = {}, bool retry = false);

  template <class Change>
  void change_options(Change&& change);
  void polish(const Problem& problem, Result& best, long& iterations);

  std::vector<Part> parts_;
  std::optional<Part> last_;  // the polish of a solved step
  RunOptions common_;
};

}  // namespace cornet::sim
