// Are the reactions and velocities of an answer the only ones with its statuses? The law linearised at the answer, statuses kept:
//
//   contact                 reactions it leaves free               equations
//   take-off                none (μ = ∞: dr_T)                      (μ = ∞: du_T = 0)
//   stick                   dr                                     du = 0
//   slide                   dr = a (1, μ e) + b (0, t)              du_N = 0,   t·du + s b/(μ r_N) = 0
//   contact with μ = 0      dr_N                                   du_N = 0
//
// with e = r_T/‖r_T‖, s = ‖u_T‖, t ⟂ e (in space only) and du = W dr. With S the basis of the free reactions these are C z = 0 for dr = S z, C
// square. Reactions are unique if C is regular. Where it is not, velocities are unique if every z of the kernel has W S z = 0.
//
// Rows and columns are scaled by the square root of the diagonal of W, so that C has no units. Rank: column-pivoted QR up to `dense_limit`
// unknowns, pivots below 1e-10 of the largest are zero. Above it by Sylvester's law: the positive pivots of the LDLᵀ factors of CᵀC − τ² I, and of
// CᵀC + (W S)ᵀ(W S) − τ² I for the velocities, τ = 1e-6 of the largest column; not at all where these matrices hold more than 2·10⁷ entries.
// No pivots are exchanged there; a pivot that is not finite gives −1.
//
// Fails: with a large error the statuses are not those of the solution. A singular value between the two thresholds is judged differently.
#pragma once

#include <vector>

#include "cornet/certificate.h"
#include "cornet/problem.h"

namespace cornet {

struct ActiveRank {
  int unknowns = 0;
  int rank = -1;  ///< −1: not computed
  bool reactions_unique = true;
  bool velocities_unique = true;
};

/// `problem` has no bilateral part; r and u belong to it, statuses by the certificate.
ActiveRank active_rank(const LocalProblem& problem, const std::vector<double>& r, const std::vector<double>& u,
                       const std::vector<ContactStatus>& status, int dense_limit = 1500);

}  // namespace cornet
