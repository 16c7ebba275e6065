// The linear system of a nonsmooth Newton step: (A + B W) d = c with A, B block diagonal (one D×D block per contact) and W block sparse.
//
// Small or dense systems are factorised densely, others by Eigen's sparse LU with the symbolic phase done once per W. When the matrix is
// singular to working accuracy (W rank deficient, or a contact at a kink), the step solves (A + B W + δ I) d = c with δ = 1e-8 times the
// largest entry of the matrix instead and `regularised()` counts it: a documented change of the step, never of the problem.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <vector>

#include "linalg/block_matrix.h"
#include "linalg/sparse.h"

namespace cornet {

template <int D>
class NewtonSystem {
 public:
  /// Analyses the pattern of W.
  void analyse(const BlockMatrix<D>& W);

  /// Solves for d. Returns false when even the regularised matrix cannot be factorised.
  bool solve(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c, Eigen::VectorXd& d);

  long factorisations() const { return factorisations_; }
  long regularised() const { return regularised_; }

 private:
  void assemble(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B);
  bool factorise_and_solve(double shift, const Eigen::VectorXd& c, Eigen::VectorXd& d);

  bool dense_ = true;
  Eigen::MatrixXd dense_matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_lu_;
  SparseColumns matrix_;
  std::vector<int> position_;  // where column j of block k starts in matrix_: position_[k·D + j]
  std::vector<int> diagonal_;  // where the scalar diagonal entries stand
  Eigen::SparseLU<SparseColumns> sparse_lu_;
  long factorisations_ = 0;
  long regularised_ = 0;
};

extern template class NewtonSystem<2>;
extern template class NewtonSystem<3>;

}  // namespace cornet
