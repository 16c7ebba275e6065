// Several solutions: a solver, and a Newton method beside it, from many starting points, and what distinct certified answers it finds.
//
// Starting points: zero, the reactions that would make every contact stick by itself, then points of the cones at several scales of ‖q‖ over the
// mean diagonal of W: on the axes, on the edges, inside, at some contacts only. They depend on the problem and their number alone, so an
// exploration repeats itself exactly.
//
// Two answers with different velocities are two motions. Answers with equal velocities and different reactions are members of one family,
// counted but listed once. Small problems (enumerate.h) are enumerated as well, and then the list is known to be complete.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/result.h"

namespace cornet {

struct ExploreOptions {
  RunOptions run;          ///< solver, tolerance, options; time_limit is for all starts together
  /// Takes every second start, with its own defaults: Newton's method ends near where it begins, the robust solvers often end at the same
  /// solution from everywhere. Empty: none.
  std::string companion = "nsn-ac-gp";
  int starts = 20;         ///< how many starting points, ≥ 1
  double distinct = 1e-5;  ///< velocities closer than this, relative to the larger of ‖q‖ and ‖u‖, are the same; reactions likewise
  bool enumerate = true;   ///< enumerate as well where the problem is small enough
  Iterate guess;           ///< takes the place of the zero start when its r is not empty
  std::function<void(int start)> callback;  ///< before each start
};

struct ExploredSolution {
  Iterate x;                     ///< the member with the smallest error
  Certificate certificate;       ///< of x
  int found = 0;                 ///< from how many starts; 0: by enumeration only
  int reactions = 1;             ///< distinct reactions met with these velocities
  bool enumerated = false;       ///< also in the list of the enumeration
  bool isolated = true;          ///< false: the enumeration says that its velocities belong to a continuum
  bool unique_reactions = true;  ///< false: more than one reaction met, or the enumeration says that there are others
};

struct Exploration {
  std::vector<ExploredSolution> solutions;  ///< most often found first
  int starts = 0;                           ///< tried
  int solved = 0;                           ///< of these, how many ended in a certified answer
  std::map<std::string, int> outcomes;      ///< status → how many starts
  bool enumerated = false;                  ///< the problem was small enough and the enumeration ran
  bool complete = false;                    ///< it decided every case: there are no other velocities
  Status status = Status::numerical_error;  ///< solved when there is a solution; no_solution when proved so; else the last run's
  std::string message;
  double time = 0;  ///< seconds, all together
};

/// The k-th starting point for a local problem without bilateral part.
CORNET_API std::vector<double> starting_point(const LocalProblem& problem, int k);

/// Throws InvalidProblem and InvalidOption only.
CORNET_API Exploration explore(const Problem& problem, const ExploreOptions& options);

}  // namespace cornet
