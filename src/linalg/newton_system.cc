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
  const int m = W.rows() * D;
  const double fill = W.rows() > 0 ? static_cast<double>(W.blocks()) / W.rows() / W.rows() : 1.0;
  factorisations_ = regularised_ = 0;
  dense_ = m <= kDenseRows || (fill >= kDenseFill && m <= kDenseRowsIfFull);
  if (dense_) {
    dense_matrix_.resize(m, m);
    return;
  }
  std::vector<int> entries_per_column(m, 0);
  for (int k = 0; k < W.blocks(); ++k)
    for (int j = 0; j < D; ++j) entries_per_column[W.column(k) * D + j] += D;
  matrix_.resize(m, m);
  matrix_.makeCompressed();
  matrix_.resizeNonZeros(W.blocks() * D * D);
  int* start = matrix_.outerIndexPtr();
  start[0] = 0;
  for (int j = 0; j < m; ++j) start[j + 1] = start[j] + entries_per_column[j];
  std::vector<int> next(start, start + m);
  position_.resize(static_cast<std::size_t>(W.blocks()) * D * D);
  diagonal_.resize(m);
  for (int row = 0; row < W.rows(); ++row)
    for (int k = W.row_begin(row); k < W.row_end(row); ++k)
      for (int j = 0; j < D; ++j)
        for (int i = 0; i < D; ++i) {
          const int place = next[W.column(k) * D + j]++;
          matrix_.innerIndexPtr()[place] = row * D + i;
          position_[static_cast<std::size_t>(k) * D * D + j * D + i] = place;
          if (W.column(k) == row && i == j) diagonal_[row * D + i] = place;
        }
  std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 1.0);
  sparse_lu_.analyzePattern(matrix_);
}

template <int D>
void NewtonSystem<D>::assemble(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  if (dense_) dense_matrix_.setZero();
  for (int row = 0; row < W.rows(); ++row)
    for (int k = W.row_begin(row); k < W.row_end(row); ++k) {
      Mat<D> block = B[row] * W.block(k);
      if (W.column(k) == row) block += A[row];
      if (dense_) {
        dense_matrix_.template block<D, D>(row * D, W.column(k) * D) = block;
        continue;
      }
      const int* place = position_.data() + static_cast<std::size_t>(k) * D * D;
      for (int e = 0; e < D * D; ++e) matrix_.valuePtr()[place[e]] = block.data()[e];
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
