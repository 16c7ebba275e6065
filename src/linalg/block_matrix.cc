#include "linalg/block_matrix.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

template <int D>
void add_blocks(const double* values, const int* row, const int* row_end, const double* x, double* u) {
  for (; row != row_end; ++row, values += D * D) {
    double* target = u + static_cast<std::size_t>(*row) * D;
    for (int i = 0; i < D; ++i) {
      double sum = values[i] * x[0];
      for (int c = 1; c < D; ++c) sum += values[c * D + i] * x[c];
      target[i] += sum;
    }
  }
}

#if defined(__x86_64__)
// Three columns of a block as unaligned loads of four numbers (the fourth belongs to the neighbour and is dropped): the same products and
// sums in the same order as above, so the result is the same to the last bit. values has a spare number at its end for the last load.
__attribute__((target("avx"))) void add_blocks_avx(const double* values, const int* row, const int* row_end, const double* x, double* u) {
  const __m256d x0 = _mm256_set1_pd(x[0]), x1 = _mm256_set1_pd(x[1]), x2 = _mm256_set1_pd(x[2]);
  for (; row != row_end; ++row, values += 9) {
    double* target = u + static_cast<std::size_t>(*row) * 3;
    const __m256d sum = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(values), x0), _mm256_mul_pd(_mm256_loadu_pd(values + 3), x1)),
                                      _mm256_mul_pd(_mm256_loadu_pd(values + 6), x2));
    // Two stores, since a masked one is slow on many processors.
    _mm_storeu_pd(target, _mm_add_pd(_mm_loadu_pd(target), _mm256_castpd256_pd128(sum)));
    _mm_store_sd(target + 2, _mm_add_sd(_mm_load_sd(target + 2), _mm256_extractf128_pd(sum, 1)));
  }
}
#endif

}  // namespace

template <int D>
typename BlockMatrix<D>::AddBlocks BlockMatrix<D>::fastest_add_blocks() {
#if defined(__x86_64__)
  if constexpr (D == 3) {
    static const bool avx = __builtin_cpu_supports("avx");
    if (avx) return add_blocks_avx;
  }
#endif
  return add_blocks<D>;
}

template <int D>
BlockMatrix<D>::BlockMatrix(const SparseMatrix& a) {
  const int n = a.rows / D;
  // Two counting sorts, by row then by column, give the block pattern with sorted rows; duplicates fall next to each other.
  std::vector<int> per_row(n + 1, 0), per_column(n + 1, 0);
  for_each_entry(a, [&](int i, int j, double) {
    ++per_row[i / D + 1];
    ++per_column[j / D + 1];
  });
  for (int k = 0; k < n; ++k) {
    per_row[k + 1] += per_row[k] + 1;  // the diagonal block is always stored
    per_column[k + 1] += per_column[k] + 1;
  }
  std::vector<int> next = per_row, column_of(per_row.back()), row_of(per_row.back());
  for_each_entry(a, [&](int i, int j, double) { column_of[next[i / D]++] = j / D; });
  for (int k = 0; k < n; ++k) column_of[next[k]++] = k;
  next = per_column;
  for (int row = 0; row < n; ++row)
    for (int k = per_row[row]; k < per_row[row + 1]; ++k) row_of[next[column_of[k]]++] = row;

  start_.assign(n + 1, 0);
  for (int column = 0; column < n; ++column) {
    for (int k = per_column[column]; k < per_column[column + 1]; ++k)
      if (k == per_column[column] || row_of[k] != row_of[k - 1]) row_.push_back(row_of[k]);
    start_[column + 1] = static_cast<int>(row_.size());
  }
  values_.assign(row_.size() * D * D + 1, 0.0);
  diagonal_.assign(n, Mat<D>::Zero());
  for_each_entry(a, [&](int i, int j, double x) {
    const auto first = row_.begin() + start_[j / D], last = row_.begin() + start_[j / D + 1];
    const auto k = std::lower_bound(first, last, i / D) - row_.begin();
    values_[static_cast<std::size_t>(k) * D * D + static_cast<std::size_t>(j % D) * D + i % D] += x;
    if (i / D == j / D) diagonal_[i / D](i % D, j % D) += x;
  });
}

template <int D>
void BlockMatrix<D>::times(const double* r, const double* q, double* u) const {
  std::copy(q, q + static_cast<std::size_t>(columns()) * D, u);
  for (int column = 0; column < columns(); ++column) {
    const Vec<D> x = Eigen::Map<const Vec<D>>(r + static_cast<std::size_t>(column) * D);
    if (!x.isZero(0)) add_column(column, x, u);
  }
}

template <int D>
double BlockMatrix<D>::norm_bound() const {
  std::vector<double> row_sum(static_cast<std::size_t>(columns()) * D, 0.0);
  double largest_column = 0;
  for (int column = 0; column < columns(); ++column) {
    Vec<D> column_sum = Vec<D>::Zero();
    for (int k = start_[column]; k < start_[column + 1]; ++k) {
      const Mat<D> a = block(k).cwiseAbs();
      column_sum += a.colwise().sum().transpose();
      Eigen::Map<Vec<D>>(row_sum.data() + static_cast<std::size_t>(row_[k]) * D) += a.rowwise().sum();
    }
    largest_column = std::max(largest_column, column_sum.maxCoeff());
  }
  double largest_row = 0;
  for (double sum : row_sum) largest_row = std::max(largest_row, sum);
  return std::sqrt(largest_row * largest_column);
}

template class BlockMatrix<2>;
template class BlockMatrix<3>;

}  // namespace cornet
