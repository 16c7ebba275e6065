#include "linalg/newton_system.h"

#include <algorithm>

namespace cornet {
namespace {

constexpr int kDenseRows = 150;         // below it a dense LU beats any sparse one
constexpr double kDenseFill = 0.5;      // as it does when half of the blocks are there …
constexpr int kDenseRowsIfFull = 2000;  // … up to a size where memory counts
constexpr double kShift = 1e-8;         // relative regularisation of a singular matrix
constexpr double kSingular = 1e-15;     // reciprocal condition below which a matrix counts as singular

}  // namespace

template <int D>
void NewtonSystem<D>::analyse(const BlockMatrix<D>& W) {
  const int m = W.columns() * D;
  const double fill = W.columns() > 0 ? static_cast<double>(W.blocks()) / W.columns() / W.columns() : 1.0;
  factorisations_ = regularised_ = 0;
  dense_ = m <= kDenseRows || (fill >= kDenseFill && m <= kDenseRowsIfFull);
  if (dense_) {
    dense_matrix_.resize(m, m);
    return;
  }
  // Scalar column β·D + j holds, block after block, the D rows of each: entry e = j·D + i of block k goes to place(k, j) + i.
  matrix_.resize(m, m);
  matrix_.makeCompressed();
  matrix_.resizeNonZeros(W.blocks() * D * D);
  int* start = matrix_.outerIndexPtr();
  start[0] = 0;
  position_.resize(W.blocks() * D);
  diagonal_.resize(m);
  for (int column = 0; column < W.columns(); ++column)
    for (int j = 0; j < D; ++j) {
      int place = start[column * D + j];
      for (int k = W.column_begin(column); k < W.column_end(column); ++k) {
        position_[static_cast<std::size_t>(k) * D + j] = place;
        if (W.row(k) == column) diagonal_[column * D + j] = place + j;
        for (int i = 0; i < D; ++i) matrix_.innerIndexPtr()[place++] = W.row(k) * D + i;
      }
      start[column * D + j + 1] = place;
    }
  std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 1.0);
  sparse_lu_.analyzePattern(matrix_);
}

template <int D>
void NewtonSystem<D>::assemble(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  if (dense_) dense_matrix_.setZero();
  for (int column = 0; column < W.columns(); ++column)
    for (int k = W.column_begin(column); k < W.column_end(column); ++k) {
      Mat<D> block = B[W.row(k)] * W.block(k);
      if (W.row(k) == column) block += A[column];
      if (dense_) {
        dense_matrix_.template block<D, D>(W.row(k) * D, column * D) = block;
        continue;
      }
      for (int j = 0; j < D; ++j)
        for (int i = 0; i < D; ++i) matrix_.valuePtr()[position_[static_cast<std::size_t>(k) * D + j] + i] = block(i, j);
    }
}

template <int D>
bool NewtonSystem<D>::factorise_and_solve(double shift, const Eigen::VectorXd& c, Eigen::VectorXd& d) {
  ++factorisations_;
  if (dense_) {
    if (shift > 0) dense_matrix_.diagonal().array() += shift;
    dense_lu_.compute(dense_matrix_);
    if (!(dense_lu_.rcond() > kSingular)) return false;
    d = dense_lu_.solve(c);
    return d.allFinite();
  }
  if (shift > 0)
    for (int place : diagonal_) matrix_.valuePtr()[place] += shift;
  sparse_lu_.factorize(matrix_);
  if (sparse_lu_.info() != Eigen::Success) return false;
  d = sparse_lu_.solve(c);
  // A nearly singular factor shows as a residual that is not small.
  return d.allFinite() && (matrix_ * d - c).norm() <= 1e-6 * c.norm();
}

template <int D>
bool NewtonSystem<D>::solve(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                            Eigen::VectorXd& d) {
  assemble(W, A, B);
  if (factorise_and_solve(0, c, d)) return true;
  ++regularised_;
  const double largest = dense_ ? dense_matrix_.cwiseAbs().maxCoeff()
                                : Eigen::Map<const Eigen::VectorXd>(matrix_.valuePtr(), matrix_.nonZeros()).cwiseAbs().maxCoeff();
  // The shifts add up: 1e-8, then some 1e-6, then 1e-4 of the largest entry.
  for (double shift = kShift; shift <= 1e-4; shift *= 100)
    if (factorise_and_solve(shift * largest, c, d)) return true;
  return false;
}

template class NewtonSystem<2>;
template class NewtonSystem<3>;

}  // namespace cornet
