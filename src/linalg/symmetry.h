// Symmetric or not, definite or not: questions about a square sparse matrix.
#pragma once

#include "linalg/sparse.h"
#include "linalg/supernodal.h"

namespace cornet {

/// ‖A − Aᵀ‖_F / ‖A‖_F; 0 for A = 0.
inline double relative_asymmetry(const SparseColumns& a) {
  if (a.rows() == 0) return 0;
  const double norm = a.norm();
  return norm > 0 ? (a - SparseColumns(a.transpose())).norm() / norm : 0.0;
}

/// (A + Aᵀ)/2.
inline SparseColumns symmetric_part(const SparseColumns& a) { return 0.5 * (a + SparseColumns(a.transpose())); }

/// Is xᵀAx ≥ 0? Real files miss that by rounding and cut digits, and by as much as they are unsymmetric without reason: an indefinite matrix
/// is one that stays so after its diagonal has grown by 1e-4 plus the relative asymmetry. An asymmetry above 1e-2 is taken as meant.
inline bool positive_semidefinite(const SparseColumns& a) {
  const double asymmetry = relative_asymmetry(a);
  const double slack = 1e-4 + (asymmetry <= 1e-2 ? asymmetry : 0.0);
  SparseColumns lower = symmetric_part(a).triangularView<Eigen::Lower>();
  for (int j = 0; j < lower.cols(); ++j) lower.coeffRef(j, j) *= 1 + slack;
  lower.makeCompressed();
  SupernodalCholesky factor;
  factor.analyse(lower);
  return factor.factorise(lower);
}

}  // namespace cornet
