// A sparse matrix of D×D blocks in compressed block columns: the storage of W in every solver.
//
// Block k of column β stands at values[k·D²], column by column; the rows within a column are sorted. Every column holds its diagonal block,
// so diagonal(α) is always there (zero when the file has none).
//
// Why columns: Gauss–Seidel keeps u = W r + q at hand and, when contact β changes by δ, adds W(:, β) δ to it. A contact that does not change
// (take-off, most of the time) then costs nothing, the error of the whole system is free, and the inner loop has no chain of dependent sums.
#pragma once

#include <vector>

#include "cornet/problem.h"
#include "linalg/small.h"

namespace cornet {

template <int D>
class BlockMatrix {
 public:
  BlockMatrix() = default;

  /// From any storage, in time linear in the entries plus the block columns; duplicates add. The matrix must be square, a multiple of D.
  explicit BlockMatrix(const SparseMatrix& a);

  int columns() const { return static_cast<int>(start_.size()) - 1; }  ///< block columns
  long blocks() const { return static_cast<long>(row_.size()); }
  int column_begin(int column) const { return start_[column]; }
  int column_end(int column) const { return start_[column + 1]; }
  int row(int k) const { return row_[k]; }
  Eigen::Map<const Mat<D>> block(int k) const { return Eigen::Map<const Mat<D>>(values_.data() + static_cast<std::size_t>(k) * D * D); }
  const Mat<D>& diagonal(int column) const { return diagonal_[column]; }

  /// u += W(:, column) x.
  void add_column(int column, const Vec<D>& x, double* u) const {
    add_blocks_(values_.data() + static_cast<std::size_t>(start_[column]) * D * D, row_.data() + start_[column],
                row_.data() + start_[column + 1], x.data(), u);
  }

  /// u = W r + q.
  void times(const double* r, const double* q, double* u) const;

  /// W ← W + α I.
  void shift_diagonal(double alpha);

  /// An upper bound of the largest singular value: √(‖W‖₁ ‖W‖_∞).
  double norm_bound() const;

 private:
  bool take_whole_blocks(const SparseMatrix& a);

  // u^row += block · x for the blocks of one column; the fastest version that this processor has, all with the same order of operations.
  using AddBlocks = void (*)(const double* values, const int* row, const int* row_end, const double* x, double* u);
  static AddBlocks fastest_add_blocks();

  std::vector<int> start_ = {0};
  std::vector<int> row_;
  std::vector<Mat<D>, Eigen::aligned_allocator<Mat<D>>> diagonal_;
  std::vector<double> values_;
  AddBlocks add_blocks_ = fastest_add_blocks();
};

extern template class BlockMatrix<2>;
extern template class BlockMatrix<3>;

}  // namespace cornet
