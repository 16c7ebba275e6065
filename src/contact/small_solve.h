// Linear algebra of one contact: D×D systems A x = b, D = 2 or 3, regular or not, on the stack.
//
// solve_cofactor: Cramer's rule, the fast path of the Newton kernels, refuses matrices that are singular to working accuracy
//   relative to their diagonal. Its forward error is that of an elimination; callers iterate on residuals, which removes the rest.
// solve_rank_revealing: Gaussian elimination with complete pivoting; pivots below D·ε of the largest entry count as zero and their
//   unknowns are set to 0 (a basic solution). If b is not in the range of A the remaining equations are ignored.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/small.h"

namespace cornet {

/// ‖x‖ without overflow or underflow of the squares.
template <int D>
inline double safe_norm(const Vec<D>& x) {
  const double n = x.norm();
  return n > 1e-150 && n < 1e150 ? n : x.stableNorm();
}

/// Solves A x = b by Cramer's rule; false, x untouched, when A is close to singular.
template <int D>
inline bool solve_cofactor(const Mat<D>& A, const Vec<D>& b, Vec<D>& x) {
  static_assert(D == 2 || D == 3);
  constexpr double kSingular = 1e-13;
  if constexpr (D == 2) {
    const double product = A(0, 0) * A(1, 1), det = product - A(0, 1) * A(1, 0);
    if (!(std::abs(det) > kSingular * std::abs(product))) return false;
    const double inverse = 1 / det, b0 = b[0], b1 = b[1];
    x[0] = (b0 * A(1, 1) - A(0, 1) * b1) * inverse;
    x[1] = (A(0, 0) * b1 - b0 * A(1, 0)) * inverse;
  } else {
    const double c00 = A(1, 1) * A(2, 2) - A(1, 2) * A(2, 1), c10 = A(1, 2) * A(2, 0) - A(1, 0) * A(2, 2),
                 c20 = A(1, 0) * A(2, 1) - A(1, 1) * A(2, 0);
    const double det = A(0, 0) * c00 + A(0, 1) * c10 + A(0, 2) * c20;
    if (!(std::abs(det) > kSingular * std::abs(A(0, 0) * A(1, 1) * A(2, 2)))) return false;
    const double inverse = 1 / det, b0 = b[0], b1 = b[1], b2 = b[2];
    // x = adj(A) b / det, adj(A) the transposed cofactors.
    x[0] = (c00 * b0 + (A(0, 2) * A(2, 1) - A(0, 1) * A(2, 2)) * b1 + (A(0, 1) * A(1, 2) - A(0, 2) * A(1, 1)) * b2) * inverse;
    x[1] = (c10 * b0 + (A(0, 0) * A(2, 2) - A(0, 2) * A(2, 0)) * b1 + (A(0, 2) * A(1, 0) - A(0, 0) * A(1, 2)) * b2) * inverse;
    x[2] = (c20 * b0 + (A(0, 1) * A(2, 0) - A(0, 0) * A(2, 1)) * b1 + (A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0)) * b2) * inverse;
  }
  return x.allFinite();
}

/// A basic solution of A x = b for any A; see the top of the file.
template <int D>
Vec<D> solve_rank_revealing(Mat<D> A, Vec<D> b) {
  int column[D];
  for (int i = 0; i < D; ++i) column[i] = i;
  const double zero = D * std::numeric_limits<double>::epsilon() * A.cwiseAbs().maxCoeff();
  int rank = 0;
  for (; rank < D; ++rank) {
    int row_best = rank, column_best = rank;
    for (int i = rank; i < D; ++i) {
      for (int j = rank; j < D; ++j) {
        if (std::abs(A(i, j)) > std::abs(A(row_best, column_best))) row_best = i, column_best = j;
      }
    }
    if (!(std::abs(A(row_best, column_best)) > zero)) break;
    A.row(rank).swap(A.row(row_best));
    std::swap(b[rank], b[row_best]);
    A.col(rank).swap(A.col(column_best));
    std::swap(column[rank], column[column_best]);
    for (int i = rank + 1; i < D; ++i) {
      const double factor = A(i, rank) / A(rank, rank);
      for (int j = rank + 1; j < D; ++j) A(i, j) -= factor * A(rank, j);
      b[i] -= factor * b[rank];
    }
  }
  Vec<D> x = Vec<D>::Zero();
  for (int i = rank - 1; i >= 0; --i) {
    double sum = b[i];
    for (int j = i + 1; j < rank; ++j) sum -= A(i, j) * x[column[j]];
    x[column[i]] = sum / A(i, i);
  }
  return x;
}

}  // namespace cornet
