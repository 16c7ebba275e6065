// Is xᵀAx ≥ 0? Real files miss that by rounding and cut digits, and by as much as they are unsymmetric without reason: an indefinite matrix
// is one that stays so after its diagonal has grown by 1e-4 plus the relative asymmetry. An asymmetry above 1e-2 is taken as meant.
#pragma once

#include "linalg/sparse.h"
#include "linalg/supernodal.h"

namespace cornet {

inline bool positive_semidefinite(const SparseColumns& a) {
  const double norm = a.norm();
  const double asymmetry = norm > 0 ? (a - SparseColumns(a.transpose())).norm() / norm : 0.0;
  const double slack = 1e-4 + (asymmetry <= 1e-2 ? asymmetry : 0.0);
  SparseColumns lower = SparseColumns(0.5 * (a + SparseColumns(a.transpose()))).triangularView<Eigen::Lower>();
  for (int j = 0; j < lower.cols(); ++j) lower.coeffRef(j, j) *= 1 + slack;
  lower.makeCompressed();
  SupernodalCholesky factor;
  factor.analyse(lower);
  return factor.factorise(lower);
}

}  // namespace cornet
