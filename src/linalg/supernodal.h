// Direct solution of A x = b by a supernodal multifrontal factorisation: LLᵀ for symmetric positive definite A (normal equations of an
// interior-point method), LU for unsymmetric values on a symmetric pattern (Newton matrices on the contact graph).
//
//   Q A Qᵀ = L Lᵀ      or      P Q A Qᵀ = L U
//
// Q reduces fill and forms supernodes (linalg/supernodal_analysis.h). A supernode of nc columns with nb rows below works on the dense front
//
//   F = ( F₁₁ F₁₂ )  = entries of A + Σ update matrices of the children
//       ( F₂₁ F₂₂ )
//
// takes the factors from its first nc columns and rows, and hands the update matrix F₂₂ − F₂₁ F₁₁⁻¹ F₁₂ to its parent.
//
// P exchanges rows inside F₁₁ only, so the fronts are known before any number is, and the analysis serves all matrices of one pattern. The
// price: a pivot may be tiny although the matrix is regular. Such a pivot is replaced and counted (static regularisation, Li and Demmel,
// Making sparse Gaussian elimination scalable by static pivoting, SC98); then the solution is that of a nearby matrix and needs refinement.
//
// LLᵀ: p ≤ 1e-14·a_jj becomes 1e-8·a_jj; it fails on p ≤ −1e-8·a_jj (A is not positive semi-definite).
// LU:  |p| ≤ 1e-14·max_i |ã_ij| becomes ±1e-8·max_i |ã_ij| with the equilibrated matrix Ã = R A C, R and C diagonal powers of two (no rounding):
//      first r_i = c_i ≈ |a_ii|^-½, then steps of Ruiz's scaling, r_i ← r_i (max_j |ã_ij|)^-½ and the same for columns, until the largest entry of
//      every row and column is between 1/16 and 32. Rows below a supernode are not searched, so multipliers may grow there: growth() tells, and
//      linalg/contact_lu.h looks at the residual.
// Both fail on numbers that are not finite. A zero diagonal or column counts as the largest number of the matrix, or 1.
//
// Equal input gives equal bits. After analyse() neither factorise() nor solve() allocates. One object serves one thread.
#pragma once

#include <vector>

#include "linalg/sparse.h"
#include "linalg/supernodal_analysis.h"

namespace cornet {

/// A model of the seconds that a factorisation with so many operations and numbers takes, with its assembly and some solves, on current
/// processors: for choices between forms, the same on all machines. Only ratios matter, and a factor of two does no harm.
inline double factor_seconds(double flops, double entries) {
  constexpr double kFlops = 1.5e10;  // per second, with some hundred unknowns
  constexpr double kEntry = 2e-9;    // seconds
  return flops / kFlops + kEntry * entries;
}

class SupernodalCholesky {
 public:
  /// Pattern only. A is square, compressed, sorted; entries above the diagonal are ignored.
  void analyse(const SparseColumns& A);

  /// A has the analysed pattern. False: not positive semi-definite, or not finite; there is nothing to solve with then.
  bool factorise(const SparseColumns& A);

  /// x := A⁻¹ x, after factorise() was true.
  void solve(double* x) const;

  int size() const { return analysis_.size; }
  long factor_entries() const { return analysis_.entries; }
  double flops() const { return analysis_.flops; }
  /// Of the last factorisation.
  int replaced_pivots() const { return replaced_; }
  const SupernodalAnalysis& analysis() const { return analysis_; }

 private:
  SupernodalAnalysis analysis_;
  std::vector<int> diagonal_;  // index of a_jj among the entries of A, −1 where it is not stored
  std::vector<double> values_, updates_, pack_, scale_;
  mutable std::vector<double> x_, front_;
  int replaced_ = 0;
};

class SupernodalLu {
 public:
  /// Pattern only; the pattern of A + Aᵀ is used. Does nothing when it is the one analysed last and returns false then.
  bool analyse(const BlockPattern& pattern);
  /// A is square, compressed, sorted.
  bool analyse(const SparseColumns& A);

  /// The values of the analysed blocks. False: not finite; there is nothing to solve with then.
  bool factorise(const double* values);
  /// A has the analysed pattern.
  bool factorise(const SparseColumns& A);

  /// x := A⁻¹ x, after factorise() was true.
  void solve(double* x) const;
  /// y := Ã⁻¹ y.
  void solve_scaled(double* y) const;

  int size() const { return analysis_.size; }
  /// Of L and U together.
  long factor_entries() const { return 2 * analysis_.entries - analysis_.size; }
  double flops() const { return 2 * analysis_.flops; }
  /// Of the last factorisation.
  int replaced_pivots() const { return replaced_; }
  /// Pivots of à that are at most `size` in magnitude, in the last factorisation.
  int pivots_below(double size) const;
  /// Sign of det A, ±1, of the last factorisation.
  int determinant_sign() const;
  /// Largest number of the factors against the largest of Ã: the digits that may be lost. Looks at all of them.
  double growth() const;
  const SupernodalAnalysis& analysis() const { return analysis_; }

  const BlockPattern& pattern() const { return pattern_; }
  /// Values of Ã, and the diagonals of R and C.
  const std::vector<double>& scaled_values() const { return scaled_; }
  const std::vector<double>& row_scale() const { return row_scale_; }
  const std::vector<double>& column_scale() const { return column_scale_; }

 private:
  template <class F>
  void each_pivot(F&& f) const;

  BlockPattern pattern_;
  SupernodalAnalysis analysis_;
  std::vector<int> swaps_;
  std::vector<double> scaled_, row_scale_, column_scale_;
  std::vector<double> values_, updates_, pack_, scale_;
  mutable std::vector<double> x_, front_;
  int replaced_ = 0;
};

}  // namespace cornet
