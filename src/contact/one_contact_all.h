// All solutions of one contact in space, with the word on whether the list is complete.
#pragma once

#include <vector>

#include "linalg/small.h"

namespace cornet {

struct OneContactSolutions {
  std::vector<Vec<3>> r;         ///< solutions, each accurate to rounding; not yet told apart
  bool complete = false;         ///< every solution has the velocity of one of them; empty: there is none
  bool unique_reactions = true;  ///< false: stick with a continuum of reactions
  int cases = 0;                 ///< candidates looked at
};

/// W positive semidefinite (symmetric or not), any q, 0 ≤ μ ≤ ∞.
OneContactSolutions all_solutions(const Mat<3>& W, const Vec<3>& q, double mu);

}  // namespace cornet
