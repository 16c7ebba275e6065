// What kind of problem is this? Figures for people and for choosing a solver; nothing here decides success.
#pragma once

#include <limits>
#include <string>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

struct Analysis {
  double asymmetry = 0;  ///< ‖W − Wᵀ‖_F / ‖W‖_F (for a global problem the same of M is in asymmetry_M)
  double asymmetry_M = std::numeric_limits<double>::quiet_NaN();
  int rank = -1;                                                ///< numerical rank of W, −1 when it was not computed
  double condition = std::numeric_limits<double>::quiet_NaN();  ///< largest / smallest nonzero singular value of W
  double largest = std::numeric_limits<double>::quiet_NaN();    ///< largest singular value of W
  double smallest = std::numeric_limits<double>::quiet_NaN();   ///< smallest singular value counted in the rank
  long blocks = 0;                                              ///< nonzero d×d blocks of W
  double blocks_per_row = 0;                                    ///< average number of blocks in a block row
  double norm_q = 0;                                            ///< ‖q‖
  std::string method;  ///< how rank and condition were found: "eigenvalues", "pivoted QR", or why they were not
};

/// Analyses W (formed by reduction for a global problem). Eigenvalues or a pivoted QR factorisation up to m = `dense_limit`; above it only
/// the largest singular value, by power iteration.
CORNET_API Analysis analyse(const Problem& problem, int dense_limit = 1800);

}  // namespace cornet
