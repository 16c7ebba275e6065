// A sparse matrix of D×D blocks in compressed block rows: the storage of W in every solver.
//
// Block k of row α stands at values[k·D²], column by column; the columns within a row are sorted. Every row holds its diagonal block, so
// diagonal(α) is always there (zero when the file has none).
#pragma once

#include <vector>

#include "cornet/problem.h"
#include "linalg/small.h"

namespace cornet {

template <int D>
class BlockMatrix {
 public:
  BlockMatrix() = default;

  /// From any storage, in time linear in the entries plus the block rows; duplicates add. The matrix must be square, a multiple of D.
  explicit BlockMatrix(const SparseMatrix& a);

  int rows() const { return static_cast<int>(start_.size()) - 1; }  ///< block rows
  long blocks() const { return static_cast<long>(column_.size()); }
  int row_begin(int row) const { return start_[row]; }
  int row_end(int row) const { return start_[row + 1]; }
  int column(int k) const { return column_[k]; }
  Eigen::Map<const Mat<D>> block(int k) const { return Eigen::Map<const Mat<D>>(values_.data() + static_cast<std::size_t>(k) * D * D); }
  Eigen::Map<const Mat<D>> diagonal(int row) const { return block(diagonal_[row]); }

  /// q^α + Σ_β W^αβ r^β, the relative velocity of one contact.
  Vec<D> row_times(int row, const double* r, const double* q) const {
    Vec<D> u = Eigen::Map<const Vec<D>>(q + static_cast<std::size_t>(row) * D);
    const double* value = values_.data() + static_cast<std::size_t>(start_[row]) * D * D;
    for (int k = start_[row]; k < start_[row + 1]; ++k, value += D * D) {
      const double* x = r + static_cast<std::size_t>(column_[k]) * D;
      for (int c = 0; c < D; ++c)
        for (int i = 0; i < D; ++i) u[i] += value[c * D + i] * x[c];
    }
    return u;
  }

  /// u = W r + q.
  void times(const double* r, const double* q, double* u) const {
    for (int row = 0; row < rows(); ++row) Eigen::Map<Vec<D>>(u + static_cast<std::size_t>(row) * D) = row_times(row, r, q);
  }

  /// An upper bound of the largest singular value: √(‖W‖₁ ‖W‖_∞).
  double norm_bound() const;

 private:
  std::vector<int> start_ = {0};
  std::vector<int> column_;
  std::vector<int> diagonal_;
  std::vector<double> values_;
};

extern template class BlockMatrix<2>;
extern template class BlockMatrix<3>;

}  // namespace cornet
