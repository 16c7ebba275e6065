// The entries of a SparseMatrix of any storage by columns: rows within a column in any order, duplicates kept. A matrix that is stored by columns is
// looked at where it is, and must outlive the object; others are sorted by counting.
#pragma once

#include <vector>

#include "cornet/problem.h"

namespace cornet {

struct Columns {
  const int* start;
  const int* row;
  const double* value;
  std::vector<int> own_start, own_row;
  std::vector<double> own_value;

  Columns(const Columns&) = delete;  // start, row and value may point into it
  Columns& operator=(const Columns&) = delete;

  explicit Columns(const SparseMatrix& a) : start(a.p.data()), row(a.i.data()), value(a.x.data()) {
    if (a.storage == Storage::csc) return;
    // Counting sort by column.
    const std::vector<int>& column = a.storage == Storage::triplet ? a.p : a.i;
    own_start.assign(a.cols + 1, 0);
    for (int j : column) ++own_start[j + 1];
    for (int j = 0; j < a.cols; ++j) own_start[j + 1] += own_start[j];
    std::vector<int> next(own_start.begin(), own_start.end() - 1);
    own_row.resize(a.x.size());
    own_value.resize(a.x.size());
    const auto place = [&](int i, int j, double x) {
      own_row[next[j]] = i;
      own_value[next[j]++] = x;
    };
    if (a.storage == Storage::triplet)
      for (std::size_t k = 0; k < a.x.size(); ++k) place(a.i[k], a.p[k], a.x[k]);
    else
      for (int i = 0; i < a.rows; ++i)
        for (int k = a.p[i]; k < a.p[i + 1]; ++k) place(i, a.i[k], a.x[k]);
    start = own_start.data();
    row = own_row.data();
    value = own_value.data();
  }
};

}  // namespace cornet
