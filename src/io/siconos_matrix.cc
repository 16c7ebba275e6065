#include "io/siconos_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include "cornet/error.h"

namespace cornet::io {
namespace {

struct Entry {
  int row;
  int col;
  double value;
};

// Entries of one column must come in increasing rows; then the rows of each compressed column are sorted.
SparseMatrix compress(int rows, int cols, const std::vector<Entry>& entries) {
  if (entries.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw std::bad_alloc();
  SparseMatrix a;
  a.rows = rows;
  a.cols = cols;
  a.storage = Storage::csc;
  a.p.assign(static_cast<std::size_t>(cols) + 1, 0);
  for (const Entry& e : entries) ++a.p[e.col + 1];
  for (int j = 0; j < cols; ++j) a.p[j + 1] += a.p[j];
  std::vector<int> place(a.p.begin(), a.p.end() - 1);
  a.i.resize(entries.size());
  a.x.resize(entries.size());
  for (const Entry& e : entries) {
    const int k = place[e.col]++;
    a.i[k] = e.row;
    a.x[k] = e.value;
  }
  return a;
}

class MatrixReader {
 public:
  MatrixReader(TextScanner& scanner, const std::string& name)
      : scanner_(scanner), name_(name), rows_name_(name + " rows"), cols_name_(name + " columns"), value_name_(name + " value") {}

  TextMatrix read() {
    TextMatrix out;
    const std::string storage_name = name_ + " storage";
    const int storage = scanner_.integer(Field(storage_name), 0);
    if (storage > 2) scanner_.fail(Field(storage_name), "0 (dense), 1 (sparse block) or 2 (sparse)");
    rows_ = scanner_.integer(Field(rows_name_), 0);
    cols_ = scanner_.integer(Field(cols_name_), 0);
    scanner_.reset_digits();
    out.dense = storage == 0;
    if (!out.dense) require_sizes();
    out.matrix = storage == 0 ? dense() : storage == 1 ? blocks() : sparse();
    out.digits = scanner_.digits();
    return out;
  }

 private:
  void require(const std::string& name, int expected) {
    if (scanner_.integer(Field(name), 0) != expected) scanner_.fail(Field(name), fmt::format("{} as above", expected));
  }

  // Vectors with one number per row and per column follow in every form (q; f and w): sizes beyond the file are refused before memory or
  // time is spent on them.
  void require_sizes() const {
    scanner_.require_words(rows_, Field(rows_name_));
    scanner_.require_words(cols_, Field(cols_name_));
  }

  // By columns: that is how Siconos keeps and prints a dense matrix, whatever its line breaks suggest.
  SparseMatrix dense() {
    require(rows_name_, rows_);
    require(cols_name_, cols_);
    const long long count = static_cast<long long>(rows_) * cols_;
    scanner_.require_words(count, Field(value_name_));
    require_sizes();  // no values at all when one of the sizes is 0
    std::vector<Entry> entries;
    long long k = 0;
    for (int j = 0; j < cols_; ++j)
      for (int i = 0; i < rows_; ++i) {
        const double x = scanner_.number(Field(value_name_, k++));
        if (x != 0) entries.push_back({i, j, x});
      }
    return compress(rows_, cols_, entries);
  }

  // Sizes in the file are cumulated: 3 6 9. Returns the first row of every block row and the end.
  std::vector<int> block_starts(int count, int total, const std::string& name) {
    scanner_.require_words(count, Field(name));
    std::vector<int> starts = {0};
    for (int k = 0; k < count; ++k) {
      starts.push_back(scanner_.integer(Field(name, k), 0));
      if (starts[k + 1] < starts[k] || starts[k + 1] > total)
        scanner_.fail(Field(name, k), fmt::format("a number from {} to {} (cumulated sizes)", starts[k], total));
    }
    if (starts.back() != total) scanner_.fail(Field(name), fmt::format("{} in the end", total));
    return starts;
  }

  SparseMatrix blocks() {
    const std::string blocks_name = name_ + " number of blocks";
    const std::string starts_name = name_ + " row start";
    const std::string index_name = name_ + " block column";
    const int count = scanner_.integer(Field(blocks_name), 0);
    const int block_rows = scanner_.integer("the number of block rows", 0);
    const int block_cols = scanner_.integer("the number of block columns", 0);
    const std::vector<int> row_starts = block_starts(block_rows, rows_, "row block size");
    const std::vector<int> col_starts = block_starts(block_cols, cols_, "column block size");

    // filled1 may be less than block rows + 1: then the last block rows are empty.
    const int filled = scanner_.integer("the number of row starts", 0);
    if (filled > block_rows + 1LL) scanner_.fail("the number of row starts", fmt::format("at most {}", block_rows + 1LL));
    if (scanner_.integer("the number of block indices", 0) != count)
      scanner_.fail("the number of block indices", fmt::format("{} blocks as above", count));
    scanner_.require_words(static_cast<long long>(filled) + count, Field(index_name));
    std::vector<int> first;
    for (int k = 0; k < filled; ++k) {
      first.push_back(scanner_.integer(Field(starts_name, k), k == 0 ? 0 : first.back()));
      if (first.back() > count || (k == 0 && first[0] != 0))
        scanner_.fail(Field(starts_name, k), k == 0 ? "0" : fmt::format("at most {}", count));
    }
    if ((filled > 0 ? first.back() : 0) != count) scanner_.fail(Field(starts_name), fmt::format("{} blocks in the end", count));
    std::vector<int> block_col;
    for (int k = 0; k < count; ++k) {
      block_col.push_back(scanner_.integer(Field(index_name, k), 0));
      if (block_col.back() >= block_cols) scanner_.fail(Field(index_name, k), fmt::format("a block column below {}", block_cols));
    }

    std::vector<Entry> entries;
    for (int row = 0; row + 1 < filled; ++row)
      for (int k = first[row]; k < first[row + 1]; ++k)
        block(k, row_starts[row], row_starts[row + 1], col_starts[block_col[k]], col_starts[block_col[k] + 1], entries);
    return compress(rows_, cols_, entries);
  }

  // Its number, then its values by columns.
  void block(int number, int row_begin, int row_end, int col_begin, int col_end, std::vector<Entry>& entries) {
    if (scanner_.integer("a block number", 0) != number) scanner_.fail("a block number", fmt::format("{}", number));
    for (int j = col_begin; j < col_end; ++j)
      for (int i = row_begin; i < row_end; ++i) {
        const double x = scanner_.number(Field(value_name_));
        if (x != 0) entries.push_back({i, j, x});
      }
  }

  // What CSparse prints: a line of version, a line of sizes, the entries.
  SparseMatrix sparse() {
    int origin = 0;  // old files do not tell
    if (scanner_.peek() != "CSparse") {
      origin = scanner_.integer("the kind of sparse matrix", 0);
      if (origin == 3 || origin == 4)
        throw MissingFeature(fmt::format("{}{}: found sparse storage {}, expected 1 (triplet) or 2 (compressed columns)", scanner_.place(),
                                         name_, origin == 3 ? "3 (compressed rows)" : "4 (half a symmetric triplet)"));
      if (origin != 1 && origin != 2) scanner_.fail("the kind of sparse matrix", "1 (triplet) or 2 (compressed columns)");
    }
    scanner_.expect("CSparse");
    scanner_.skip_line();
    const bool triplet = scanner_.peek() == "triplet:";
    if (origin != 0 && triplet != (origin == 1))
      scanner_.fail_next(Field(name_), origin == 1 ? "'triplet:' (the kind is 1)" : "sizes of compressed columns (the kind is 2)");
    if (triplet) scanner_.expect("triplet:");
    const int entries = sparse_header(triplet);
    scanner_.require_words(3LL * entries, Field(value_name_));
    return triplet ? triplets(entries) : columns(entries);
  }

  // "6-by-6, nzmax: 18 nnz: 18, 1-norm: 25.002" → 18
  int sparse_header(bool triplet) {
    const std::string sizes = fmt::format("{}-by-{},", rows_, cols_);
    if (scanner_.next(Field(sizes)) != sizes) scanner_.fail(Field(name_), fmt::format("'{}' (the sizes above)", sizes));
    scanner_.expect("nzmax:");
    scanner_.integer("nzmax", 0);
    scanner_.expect("nnz:");
    std::string_view word = scanner_.next("nnz");
    if (!triplet && word.ends_with(',')) word.remove_suffix(1);
    int entries = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), entries);
    if (error != std::errc() || end != word.data() + word.size() || entries < 0) scanner_.fail("nnz", "an integer ≥ 0");
    if (!triplet) {
      scanner_.expect("1-norm:");
      scanner_.next("the norm");
    }
    return entries;
  }

  int index(const char* what, int bound) {
    const int value = scanner_.integer(what, 0);
    if (value >= bound) scanner_.fail(what, fmt::format("an index below {}", bound));
    return value;
  }

  // "    0 1 : 0.667667": row, column, value.
  SparseMatrix triplets(int entries) {
    SparseMatrix a;
    a.rows = rows_;
    a.cols = cols_;
    a.storage = Storage::triplet;
    for (int k = 0; k < entries; ++k) {
      a.i.push_back(index("a row index", rows_));
      a.p.push_back(index("a column index", cols_));
      scanner_.expect(":");
      a.x.push_back(scanner_.number(Field(value_name_, k)));
    }
    return a;
  }

  // "    col 0 : locations 0 to 2", then three lines "      0 : 2".
  SparseMatrix columns(int entries) {
    SparseMatrix a;
    a.rows = rows_;
    a.cols = cols_;
    a.storage = Storage::csc;
    a.p = {0};
    for (int j = 0; j < cols_; ++j) {
      scanner_.expect("col");
      if (scanner_.integer("a column number", 0) != j) scanner_.fail("a column number", fmt::format("{}", j));
      scanner_.expect(":");
      scanner_.expect("locations");
      if (scanner_.integer("a first location", 0) != a.p.back()) scanner_.fail("a first location", fmt::format("{}", a.p.back()));
      scanner_.expect("to");
      const int last = scanner_.integer("a last location", -1);
      if (last < a.p.back() - 1 || last >= entries)
        scanner_.fail("a last location", fmt::format("a number from {} to {}", a.p.back() - 1, entries - 1));
      for (int k = a.p.back(); k <= last; ++k) {
        a.i.push_back(index("a row index", rows_));
        scanner_.expect(":");
        a.x.push_back(scanner_.number(Field(value_name_, k)));
      }
      a.p.push_back(last + 1);
    }
    if (a.p.back() != entries) scanner_.fail("a last location", fmt::format("{}, the last of nnz entries", entries - 1));
    return a;
  }

  TextScanner& scanner_;
  std::string name_;
  std::string rows_name_;
  std::string cols_name_;
  std::string value_name_;
  int rows_ = 0;
  int cols_ = 0;
};

std::vector<Entry> entries_of(const SparseMatrix& a) {
  std::vector<Entry> entries;
  entries.reserve(2 * a.x.size());
  if (a.storage == Storage::triplet) {
    for (std::size_t k = 0; k < a.x.size(); ++k) entries.push_back({a.i[k], a.p[k], a.x[k]});
  } else {
    for (int j = 0; j < a.cols; ++j)
      for (int k = a.p[j]; k < a.p[j + 1]; ++k) entries.push_back({a.i[k], j, a.x[k]});
  }
  return entries;
}

}  // namespace

TextMatrix read_siconos_matrix(TextScanner& scanner, const std::string& name) { return MatrixReader(scanner, name).read(); }

double relative_asymmetry(const SparseMatrix& a) {
  // A − Aᵀ as a sorted list of entries; equal places add.
  std::vector<Entry> difference = entries_of(a);
  double largest = 0;
  for (const Entry& e : difference) largest = std::max(largest, std::abs(e.value));
  const std::size_t count = difference.size();
  for (std::size_t k = 0; k < count; ++k) difference.push_back({difference[k].col, difference[k].row, -difference[k].value});
  std::sort(difference.begin(), difference.end(),
            [](const Entry& l, const Entry& r) { return std::tie(l.row, l.col) < std::tie(r.row, r.col); });
  double worst = 0;
  for (std::size_t k = 0; k < difference.size();) {
    const Entry& first = difference[k];
    double sum = 0;
    for (; k < difference.size() && difference[k].row == first.row && difference[k].col == first.col; ++k) sum += difference[k].value;
    worst = std::max(worst, std::abs(sum));
  }
  return largest > 0 ? worst / largest : 0;
}

}  // namespace cornet::io
