#include "linalg/sparse.h"

namespace cornet {

SparseColumns to_columns(const SparseMatrix& a) {
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(a.x.size());
  if (a.storage == Storage::triplet) {
    for (std::size_t k = 0; k < a.x.size(); ++k) entries.emplace_back(a.i[k], a.p[k], a.x[k]);
  } else {
    const bool by_columns = a.storage == Storage::csc;
    const int outer = by_columns ? a.cols : a.rows;
    for (int o = 0; o < outer; ++o)
      for (int k = a.p[o]; k < a.p[o + 1]; ++k) entries.emplace_back(by_columns ? a.i[k] : o, by_columns ? o : a.i[k], a.x[k]);
  }
  SparseColumns result(a.rows, a.cols);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

SparseMatrix from_columns(const SparseColumns& given) {
  SparseColumns a = given;
  a.makeCompressed();
  SparseMatrix result;
  result.rows = static_cast<int>(a.rows());
  result.cols = static_cast<int>(a.cols());
  result.storage = Storage::csc;
  result.p.assign(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1);
  result.i.assign(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros());
  result.x.assign(a.valuePtr(), a.valuePtr() + a.nonZeros());
  return result;
}

}  // namespace cornet
