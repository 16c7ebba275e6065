// De Saxcé's bipotential of Coulomb's law as a diagnostic. Like the certificate it shares nothing with a solver.
//
//   b(−u, r) = μ r_N ‖u_T‖   for u_N ≥ 0 and r ∈ K, +∞ elsewhere;     b(−u, r) ≥ −u·r for every pair, with equality iff (u, r) obeys the law
//
// The gap of a contact is  b(−u, r) + u·r = r·û = u·r + μ r_N ‖u_T‖, the energy by which its pair misses the law: the cost function (81)–(84)
// of the survey is the sum of the gaps. Pairs that are not feasible (b = +∞) get their distance from feasibility instead of a finite gap
// that would mean nothing; `infeasible` counts them. A pair counts as feasible when it violates its bounds
// by no more than `tolerance` of the largest entry of u and of r.
//
// μ = 0: the gap is u_N r_N. μ = ∞: b = 0 on u_T = 0, u_N ≥ 0, r_N ≥ 0, and the gap is u_N r_N.
//
// Reference: De Saxcé, Feng (1998); Acary, Brémond, Huber (2018), (81)–(84).
#pragma once

#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

struct Bipotential {
  std::vector<double> gap;            ///< nc: r·û; of a feasible pair ≥ 0 up to rounding, 0 iff the law holds
  std::vector<double> infeasibility;  ///< nc: how far the pair is from u_N ≥ 0 and r ∈ K (0 ≤ u_N, r_N and u_T = 0 for μ = ∞), ≥ 0
  double total = 0;                   ///< sum of the gaps: the cost function (84)
  double value = 0;                   ///< Σ μ r_N ‖u_T‖, the bipotential itself where it is finite: the work that friction takes away
  int infeasible = 0;                 ///< contacts with b = +∞, beyond the tolerance
  int worst_contact = -1;             ///< largest |gap|, −1 without contacts
  double worst_gap = 0;               ///< its gap
};

/// u of given reactions, by the code of the certificate alone. Throws InvalidProblem as certify() does.
CORNET_API std::vector<double> certified_velocities(const Problem& problem, const std::vector<double>& r);

/// For the reactions of x; u is recomputed from them. Throws InvalidProblem as certify() does.
CORNET_API Bipotential bipotential(const Problem& problem, const Iterate& x, double tolerance = 1e-8);

}  // namespace cornet
