// How good an answer is beyond its error: how far each contact is from another status, whether reactions and velocities are the only ones
// with these statuses, and how small an error the numbers of the problem allow at all.
#pragma once

#include <vector>

#include "cornet/certificate.h"
#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

struct ContactQuality {
  ContactStatus status = ContactStatus::take_off;
  double margin = 0;  ///< relative distance to another status, in [0, 1]; 0: on the boundary (docs/quality.md has the formulas)
};

struct Quality {
  std::vector<ContactQuality> contacts;  ///< nc
  int degenerate = 0;                    ///< contacts whose margin is below what the error of the answer can decide
  int unknowns = 0;                      ///< reaction components that the statuses leave free
  int rank = -1;                         ///< of the equations for them; −1: not computed (too large)
  bool reactions_unique = true;          ///< false: other reactions with the same statuses have the same velocities (hyperstatic)
  bool velocities_unique = true;         ///< false: other velocities with the same statuses solve the linearised problem
  double attainable_error = 0;           ///< estimate of the certified error that rounding allows at this answer
};

/// Assesses the reactions of `x`, which should be a solution: with a large error the statuses mean little. Throws as certify() does.
CORNET_API Quality assess(const Problem& problem, const Iterate& x);

}  // namespace cornet
