#include "linalg/block_matrix.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

template <class Visit>
void for_each_entry(const SparseMatrix& a, Visit&& visit) {
  switch (a.storage) {
    case Storage::triplet:
      for (std::size_t k = 0; k < a.x.size(); ++k) visit(a.i[k], a.p[k], a.x[k]);
      break;
    case Storage::csc:
      for (int j = 0; j < a.cols; ++j)
        for (int k = a.p[j]; k < a.p[j + 1]; ++k) visit(a.i[k], j, a.x[k]);
      break;
    case Storage::csr:
      for (int i = 0; i < a.rows; ++i)
        for (int k = a.p[i]; k < a.p[i + 1]; ++k) visit(i, a.i[k], a.x[k]);
      break;
  }
}

}  // namespace

template <int D>
BlockMatrix<D>::BlockMatrix(const SparseMatrix& a) {
  const int rows = a.rows / D;
  // Two counting sorts, by column then by row, give the block pattern with sorted columns; duplicates fall next to each other.
  std::vector<int> per_column(rows + 1, 0), per_row(rows + 1, 0);
  for_each_entry(a, [&](int i, int j, double) {
    ++per_column[j / D + 1];
    ++per_row[i / D + 1];
  });
  for (int k = 0; k < rows; ++k) {
    ++per_column[k + 1];  // the diagonal block is always stored
    ++per_row[k + 1];
    per_column[k + 1] += per_column[k];
    per_row[k + 1] += per_row[k];
  }
  std::vector<int> next = per_column, row_of(per_column.back()), column_of(per_column.back());
  for_each_entry(a, [&](int i, int j, double) { row_of[next[j / D]++] = i / D; });
  for (int k = 0; k < rows; ++k) row_of[next[k]++] = k;
  next = per_row;
  for (int column = 0; column < rows; ++column)
    for (int k = per_column[column]; k < per_column[column + 1]; ++k) column_of[next[row_of[k]]++] = column;

  start_.assign(rows + 1, 0);
  diagonal_.assign(rows, 0);
  for (int row = 0; row < rows; ++row) {
    for (int k = per_row[row]; k < per_row[row + 1]; ++k)
      if (k == per_row[row] || column_of[k] != column_of[k - 1]) {
        if (column_of[k] == row) diagonal_[row] = static_cast<int>(column_.size());
        column_.push_back(column_of[k]);
      }
    start_[row + 1] = static_cast<int>(column_.size());
  }
  values_.assign(column_.size() * D * D, 0.0);
  for_each_entry(a, [&](int i, int j, double x) {
    const auto first = column_.begin() + start_[i / D], last = column_.begin() + start_[i / D + 1];
    const auto k = std::lower_bound(first, last, j / D) - column_.begin();
    values_[static_cast<std::size_t>(k) * D * D + static_cast<std::size_t>(j % D) * D + i % D] += x;
  });
}

template <int D>
double BlockMatrix<D>::norm_bound() const {
  std::vector<double> column_sum(static_cast<std::size_t>(rows()) * D, 0.0);
  double largest_row = 0;
  for (int row = 0; row < rows(); ++row) {
    Vec<D> row_sum = Vec<D>::Zero();
    for (int k = start_[row]; k < start_[row + 1]; ++k) {
      const Mat<D> a = block(k).cwiseAbs();
      row_sum += a.rowwise().sum();
      Eigen::Map<Vec<D>>(column_sum.data() + static_cast<std::size_t>(column_[k]) * D) += a.colwise().sum().transpose();
    }
    largest_row = std::max(largest_row, row_sum.maxCoeff());
  }
  double largest_column = 0;
  for (double sum : column_sum) largest_column = std::max(largest_column, sum);
  return std::sqrt(largest_row * largest_column);
}

template class BlockMatrix<2>;
template class BlockMatrix<3>;

}  // namespace cornet
