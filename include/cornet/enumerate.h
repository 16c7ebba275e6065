// All solutions of a small problem: up to 15 contacts in the plane, one contact in space.
//
// In the plane each contact is in one of four convex cases, so the solutions are the union of at most 4ⁿᶜ polyhedra:
//
//   take-off  r = 0, u_N ≥ 0        slide  u_N = 0, r_T = −μ r_N, u_T ≥ 0        u = W r + q
//   stick     u = 0, |r_T| ≤ μ r_N         u_N = 0, r_T = +μ r_N, u_T ≤ 0
//
// The search visits them all with pruning and decides each by linear programming, so singular cases are no exception: "none" is a proof, up
// to the rounding that `margin` states. Solutions are told apart by their velocities u; reactions with the same u are one solution.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

constexpr int kEnumerableContacts = 15;  ///< in the plane; one in space

struct EnumerationOptions {
  double tolerance = 1e-9;                                      ///< largest certified error of a listed solution
  double distinct = 1e-7;                                       ///< velocities that differ by less, relative to the data, are the same
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
  bool all = true;                                              ///< false: stop at the first solution
  const std::atomic<bool>* interrupt = nullptr;
  std::function<bool(long branches, int solutions)> callback;  ///< once per node of the search; return false to stop
};

struct EnumeratedSolution {
  Iterate x;                            ///< r, u, and v, λ where the problem has them
  Certificate certificate;              ///< of x.r in the problem as it was given
  bool isolated = true;                 ///< false: velocities of a whole continuum, of which this is a member
  bool unique_reactions = true;         ///< false: other reactions give the same velocities
  std::vector<double> reaction_spread;  ///< m, largest minus smallest value of each reaction among those; +∞ possible; empty in space
};

struct Enumeration {
  std::vector<EnumeratedSolution> solutions;  ///< distinct by u; one member for each case of a continuum
  bool complete = false;                      ///< every case was decided: the list has them all, an empty list proves that there is none
  long branches = 0;                          ///< nodes of the search (cases in space)
  double margin = 1e-8;                       ///< each case left out contradicts itself by more, in units of the scaled data
  double time = 0;                            ///< seconds
  std::string message;                        ///< why not complete; empty otherwise

  bool impossible() const { return complete && solutions.empty(); }
};

/// Empty when the problem is small enough to be enumerated, else a sentence that says why not.
CORNET_API std::string why_not_enumerable(const Problem& problem);

/// Throws InvalidProblem on a bad problem and InvalidOption when it is too large. A global problem is reduced to its contacts first.
CORNET_API Enumeration enumerate_solutions(const Problem& problem, const EnumerationOptions& options = {});

}  // namespace cornet
