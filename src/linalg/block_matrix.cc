#include "linalg/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/columns.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cornet {
namespace {

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
    const __m256d sum =
        _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(values), x0), _mm256_mul_pd(_mm256_loadu_pd(values + 3), x1)),
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
  if (take_whole_blocks(a)) return;
  const int n = a.rows / D;
  const Columns entries(a);
  start_.assign(n + 1, 0);
  row_.reserve(a.x.size() / (D * D) + n);
  diagonal_.assign(n, Mat<D>::Zero());
  // The pattern, column after column: the block rows that occur, and always the diagonal.
  std::vector<int> seen(n, -1);
  for (int column = 0; column < n; ++column) {
    row_.push_back(column);
    seen[column] = column;
    for (int k = entries.start[column * D]; k < entries.start[column * D + D]; ++k) {
      const int row = entries.row[k] / D;
      if (seen[row] == column) continue;
      seen[row] = column;
      row_.push_back(row);
    }
    std::sort(row_.begin() + start_[column], row_.end());
    start_[column + 1] = static_cast<int>(row_.size());
  }
  // The values; place[row] is the block of that row in the present column.
  values_.assign(row_.size() * D * D + 1, 0.0);
  std::vector<int>& place = seen;
  for (int column = 0; column < n; ++column) {
    for (int k = start_[column]; k < start_[column + 1]; ++k) place[row_[k]] = k;
    for (int j = 0; j < D; ++j)
      for (int k = entries.start[column * D + j]; k < entries.start[column * D + j + 1]; ++k) {
        const int row = entries.row[k] / D;
        values_[static_cast<std::size_t>(place[row]) * D * D + j * D + (entries.row[k] - row * D)] += entries.value[k];
      }
    diagonal_[column] = block(place[column]);
  }
}

// Most files, and the reduction, store whole blocks in order: the D rows (columns) of a block row (column) have the same indices, D in a row from a
// multiple of D on, ascending, the diagonal among them. Then blocks are moved, not entries. False, and nothing changed, where one place differs.
template <int D>
bool BlockMatrix<D>::take_whole_blocks(const SparseMatrix& a) {
  if (a.storage == Storage::triplet) return false;
  const int n = a.rows / D;
  std::vector<int> start(n + 1, 0), inner;
  inner.reserve(a.i.size() / (D * D));
  for (int o = 0; o < n; ++o) {
    const int begin = a.p[o * D], length = a.p[o * D + 1] - begin;
    const int* index = a.i.data() + begin;
    if (length % D != 0) return false;
    for (int j = 1; j < D; ++j)
      if (a.p[o * D + j + 1] - a.p[o * D + j] != length || !std::equal(index, index + length, index + j * length)) return false;
    bool diagonal = false;
    for (int k = 0, before = -1; k < length; k += D) {
      const int block = index[k] / D;
      if (block <= before) return false;
      for (int i = 0; i < D; ++i)
        if (index[k + i] != block * D + i) return false;
      diagonal = diagonal || block == o;
      inner.push_back(before = block);
    }
    if (!diagonal) return false;
    start[o + 1] = static_cast<int>(inner.size());
  }
  values_.resize(inner.size() * D * D + 1);
  diagonal_.resize(n);
  row_.resize(inner.size());
  // Stored block b of line o becomes block k of a column.
  const auto move_block = [&](int o, int b, int k, int row, int column, bool turned) {
    const int stride = (start[o + 1] - start[o]) * D;
    const double* x = a.x.data() + a.p[o * D] + static_cast<std::ptrdiff_t>(b) * D;
    double* to = values_.data() + static_cast<std::size_t>(k) * D * D;
    for (int j = 0; j < D; ++j)
      for (int i = 0; i < D; ++i) to[turned ? i * D + j : j * D + i] = x[j * stride + i];
    row_[k] = row;
    if (row == column) diagonal_[column] = block(k);
  };
  if (a.storage == Storage::csc) {
    start_ = start;
    for (int o = 0; o < n; ++o)
      for (int k = start[o]; k < start[o + 1]; ++k) move_block(o, k - start[o], k, inner[k], o, false);
  } else {
    start_.assign(n + 1, 0);
    for (int column : inner) ++start_[column + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<int> next(start_.begin(), start_.end() - 1);
    for (int o = 0; o < n; ++o)
      for (int k = start[o]; k < start[o + 1]; ++k) move_block(o, k - start[o], next[inner[k]]++, o, inner[k], true);
  }
  values_.back() = 0;
  return true;
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
void BlockMatrix<D>::shift_diagonal(double alpha) {
  for (int column = 0; column < columns(); ++column) {
    const int* place = std::lower_bound(row_.data() + start_[column], row_.data() + start_[column + 1], column);
    const auto k = static_cast<std::size_t>(place - row_.data());
    for (int i = 0; i < D; ++i) values_[k * D * D + i * D + i] += alpha;
    diagonal_[column].diagonal().array() += alpha;
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
