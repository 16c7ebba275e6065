// Matrices from plain arrays. Nothing is trusted: sizes, row starts and indices are checked before they are used as such.
#pragma once

#include <cstdint>

#include "cornet/problem.h"

namespace cornet::capi {

struct Shape {
  std::int64_t rows, cols;
};

SparseMatrix from_dense(Shape shape, int order, const double* values);

/// `compressed`: starts along the rows (csr) or the columns (csc); `storage` says which.
template <class Index>
SparseMatrix from_compressed(Storage storage, Shape shape, std::int64_t entries, int base, const Index* starts, const Index* indices,
                             const double* values);

template <class Index>
SparseMatrix from_triplets(Shape shape, std::int64_t entries, int base, const Index* row_indices, const Index* columns,
                           const double* values);

template <class Index>
SparseMatrix from_blocks(Shape shape, std::int64_t block, std::int64_t blocks, int base, const Index* starts, const Index* columns,
                         const double* values);

/// Compressed rows with base 0, columns ascending, duplicates added.
SparseMatrix sorted_rows(const SparseMatrix& matrix);

}  // namespace cornet::capi
