// SparseMatrix (the faithful file storage) as Eigen matrices.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "cornet/problem.h"

namespace cornet {

using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// Compressed columns, sorted, duplicates added, explicit zeros kept.
SparseColumns to_columns(const SparseMatrix& a);

/// The way back, as csc.
SparseMatrix from_columns(const SparseColumns& a);

inline Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& a) { return {a.data(), static_cast<Eigen::Index>(a.size())}; }

inline std::vector<double> to_std(const Eigen::VectorXd& a) { return {a.data(), a.data() + a.size()}; }

}  // namespace cornet
