// Matrices from plain arrays.
#include "capi/matrix_input.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "capi/handles.h"

namespace cornet::capi {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

SparseMatrix empty(Storage storage, Shape shape) {
  SparseMatrix out;
  out.storage = storage;
  out.rows = checked_size(shape.rows, "rows");
  out.cols = checked_size(shape.cols, "cols");
  return out;
}

void check_values(const double* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    if (!std::isfinite(values[k])) refuse(fmt::format("values[{}]", k), fmt::format("{}", values[k]), "a finite number");
}

// Arrays may be NULL only when they have nothing to hold.
template <class Value>
void check_array(const Value* array, std::int64_t length, const char* argument) {
  if (length > 0) not_null(array, argument);
}

template <class Index>
std::vector<int> checked_starts(const Index* starts, int count, std::int64_t entries, int base, const char* counted) {
  not_null(starts, "starts");
  std::vector<int> out(static_cast<std::size_t>(count) + 1);
  if (starts[0] != base) refuse("starts[0]", std::to_string(starts[0]), fmt::format("{} (the index base)", base));
  for (int k = 0; k < count; ++k) {
    if (starts[k + 1] < starts[k])
      refuse(fmt::format("starts[{}]", k + 1), std::to_string(starts[k + 1]), fmt::format("at least starts[{}] = {}", k, starts[k]));
    if (starts[k + 1] - base > entries)
      refuse(fmt::format("starts[{}]", k + 1), std::to_string(starts[k + 1]),
             fmt::format("at most {} = {}{}", counted, entries, base ? " + 1" : ""));
    out[k + 1] = static_cast<int>(starts[k + 1] - base);
  }
  if (out.back() != entries)
    refuse(fmt::format("starts[{}]", count), std::to_string(starts[count]), fmt::format("{} = {}{}", counted, entries, base ? " + 1" : ""));
  return out;
}

template <class Index>
std::vector<int> checked_indices(const Index* indices, std::int64_t count, int bound, int base, const char* argument) {
  check_array(indices, count, argument);
  std::vector<int> out(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    if (indices[k] < base || indices[k] - base >= bound)
      refuse(fmt::format("{}[{}]", argument, k), std::to_string(indices[k]), fmt::format("an index from {} to {}", base, bound + base - 1));
    out[k] = static_cast<int>(indices[k] - base);
  }
  return out;
}

}  // namespace

SparseMatrix from_dense(Shape shape, int order, const double* values) {
  SparseMatrix out = empty(order == CORNET_BY_ROWS ? Storage::csr : Storage::csc, shape);
  if (order != CORNET_BY_ROWS && order != CORNET_BY_COLUMNS) refuse("order", std::to_string(order), "0 (by rows) or 1 (by columns)");
  check_array(values, shape.rows * shape.cols, "values");
  const int outer = order == CORNET_BY_ROWS ? out.rows : out.cols;
  const int inner = order == CORNET_BY_ROWS ? out.cols : out.rows;
  out.p.push_back(0);
  for (int a = 0; a < outer; ++a) {
    const double* line = values + static_cast<std::size_t>(a) * inner;
    for (int b = 0; b < inner; ++b) {
      if (!std::isfinite(line[b]))
        refuse(fmt::format("values[{}]", static_cast<std::int64_t>(a) * inner + b), fmt::format("{}", line[b]), "a finite number");
      if (line[b] == 0) continue;
      out.i.push_back(b);
      out.x.push_back(line[b]);
    }
    if (static_cast<std::int64_t>(out.x.size()) > kMost)
      refuse("values", "more numbers that are not zero", fmt::format("at most {}", kMost));
    out.p.push_back(static_cast<int>(out.x.size()));
  }
  return out;
}

template <class Index>
SparseMatrix from_compressed(Storage storage, Shape shape, std::int64_t entries, int base, const Index* starts, const Index* indices,
                             const double* values) {
  SparseMatrix out = empty(storage, shape);
  const bool by_rows = storage == Storage::csr;
  checked_size(entries, "entries");
  out.p = checked_starts(starts, by_rows ? out.rows : out.cols, entries, base, "entries");
  out.i = checked_indices(indices, entries, by_rows ? out.cols : out.rows, base, by_rows ? "columns" : "row_indices");
  check_array(values, entries, "values");
  check_values(values, static_cast<std::size_t>(entries));
  out.x.assign(values, values + entries);
  return out;
}

template <class Index>
SparseMatrix from_triplets(Shape shape, std::int64_t entries, int base, const Index* row_indices, const Index* columns,
                           const double* values) {
  SparseMatrix out = empty(Storage::triplet, shape);
  checked_size(entries, "entries");
  out.i = checked_indices(row_indices, entries, out.rows, base, "row_indices");
  out.p = checked_indices(columns, entries, out.cols, base, "columns");
  check_array(values, entries, "values");
  check_values(values, static_cast<std::size_t>(entries));
  out.x.assign(values, values + entries);
  return out;
}

template <class Index>
SparseMatrix from_blocks(Shape shape, std::int64_t block, std::int64_t blocks, int base, const Index* starts, const Index* columns,
                         const double* values) {
  SparseMatrix out = empty(Storage::csr, shape);
  const int d = checked_size(block, "block", 1);
  if (out.rows % d != 0) refuse("rows", std::to_string(out.rows), fmt::format("a multiple of block = {}", d));
  if (out.cols % d != 0) refuse("cols", std::to_string(out.cols), fmt::format("a multiple of block = {}", d));
  checked_size(blocks, "blocks");
  const std::int64_t square = static_cast<std::int64_t>(d) * d;
  if (blocks > kMost / square)
    refuse("blocks", std::to_string(blocks), fmt::format("at most {} (blocks · block² ≤ {})", kMost / square, kMost));
  const std::vector<int> p = checked_starts(starts, out.rows / d, blocks, base, "blocks");
  const std::vector<int> j = checked_indices(columns, blocks, out.cols / d, base, "columns");
  check_array(values, blocks, "values");
  check_values(values, static_cast<std::size_t>(blocks * square));
  out.p.push_back(0);
  for (int row = 0; row < out.rows; ++row) {
    for (int k = p[row / d]; k < p[row / d + 1]; ++k)
      for (int b = 0; b < d; ++b) {
        out.i.push_back(j[k] * d + b);
        out.x.push_back(values[k * square + static_cast<std::int64_t>(row % d) * d + b]);
      }
    out.p.push_back(static_cast<int>(out.x.size()));
  }
  return out;
}

template SparseMatrix from_compressed(Storage, Shape, std::int64_t, int, const std::int32_t*, const std::int32_t*, const double*);
template SparseMatrix from_compressed(Storage, Shape, std::int64_t, int, const std::int64_t*, const std::int64_t*, const double*);
template SparseMatrix from_triplets(Shape, std::int64_t, int, const std::int32_t*, const std::int32_t*, const double*);
template SparseMatrix from_triplets(Shape, std::int64_t, int, const std::int64_t*, const std::int64_t*, const double*);
template SparseMatrix from_blocks(Shape, std::int64_t, std::int64_t, int, const std::int32_t*, const std::int32_t*, const double*);
template SparseMatrix from_blocks(Shape, std::int64_t, std::int64_t, int, const std::int64_t*, const std::int64_t*, const double*);

SparseMatrix sorted_rows(const SparseMatrix& matrix) {
  const std::size_t count = matrix.x.size();
  std::vector<int> row(count), column(count);
  if (matrix.storage == Storage::triplet) {
    row = matrix.i;
    column = matrix.p;
  } else {
    const bool by_rows = matrix.storage == Storage::csr;
    std::vector<int>& outer = by_rows ? row : column;
    (by_rows ? column : row) = matrix.i;
    for (int a = 0; a + 1 < static_cast<int>(matrix.p.size()); ++a)
      for (int k = matrix.p[a]; k < matrix.p[a + 1]; ++k) outer[k] = a;
  }
  // Two stable passes of counting: first by column, then by row.
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto sort_by = [&](const std::vector<int>& key, int bound) {
    std::vector<int> start(static_cast<std::size_t>(bound) + 1);
    for (const int k : key) ++start[k + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> sorted(count);
    for (const int k : order) sorted[start[key[k]]++] = k;
    order = std::move(sorted);
  };
  sort_by(column, matrix.cols);
  sort_by(row, matrix.rows);

  SparseMatrix out;
  out.storage = Storage::csr;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.p.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
  int last_row = -1;
  for (const int k : order) {
    if (row[k] == last_row && out.i.back() == column[k]) {
      out.x.back() += matrix.x[k];
      continue;
    }
    last_row = row[k];
    out.i.push_back(column[k]);
    out.x.push_back(matrix.x[k]);
    ++out.p[row[k] + 1];
  }
  std::partial_sum(out.p.begin(), out.p.end(), out.p.begin());
  return out;
}

}  // namespace cornet::capi
