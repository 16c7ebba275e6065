// Figures about a problem (analysis.h).
#include "cornet/analysis.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "cornet/reduce.h"
#include "linalg/block_matrix.h"
#include "linalg/sparse.h"
#include "linalg/symmetry.h"

namespace cornet {
namespace {

// √λmax(WᵀW) by power iteration from a fixed start: two digits are plenty for a figure.
double largest_singular_value(const SparseColumns& W) {
  Eigen::VectorXd x = Eigen::VectorXd::Ones(W.cols());
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] += 0.1 * std::sin(static_cast<double>(k));
  double value = 0;
  for (int k = 0; k < 100; ++k) {
    const double norm = x.norm();
    if (norm == 0) return 0;
    x = W.transpose() * (W * (x / norm)).eval();
    value = std::sqrt(x.norm());
  }
  return value;
}

// Decreasing estimates of the singular values: eigenvalues when W is symmetric, else the diagonal of a pivoted QR factorisation.
Eigen::VectorXd singular_values(const SparseColumns& W, bool symmetric) {
  const Eigen::MatrixXd dense(W);
  if (!symmetric) return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(dense).matrixQR().diagonal().cwiseAbs();
  Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense, Eigen::EigenvaluesOnly).eigenvalues().cwiseAbs();
  std::sort(values.data(), values.data() + values.size(), std::greater<>());
  return values;
}

Analysis analyse_local(const LocalProblem& problem, int dense_limit) {
  Analysis a;
  const SparseColumns W = to_columns(problem.W);
  a.asymmetry = relative_asymmetry(W);
  a.norm_q = as_vector(problem.q).norm();
  a.blocks = with_dimension(problem.dim, [&]<int D>() { return BlockMatrix<D>(problem.W).blocks(); });
  a.blocks_per_row = problem.contacts() > 0 ? static_cast<double>(a.blocks) / problem.contacts() : 0.0;
  if (problem.size() == 0) {
    a.rank = 0;
    a.method = "empty problem";
  } else if (problem.size() <= dense_limit) {
    const bool symmetric = a.asymmetry < 1e-12;
    const Eigen::VectorXd values = singular_values(W, symmetric);
    a.largest = values[0];
    // The usual threshold of numerical rank: what rounding can make of a zero.
    const double threshold = a.largest * problem.size() * std::numeric_limits<double>::epsilon();
    a.rank = static_cast<int>((values.array() > threshold).count());
    if (a.rank > 0) {
      a.smallest = values[a.rank - 1];
      a.condition = a.largest / a.smallest;
    }
    a.method = symmetric ? "eigenvalues" : "pivoted QR";
  } else {
    a.largest = largest_singular_value(W);
    a.method = fmt::format("not computed above {} rows", dense_limit);
  }
  return a;
}

}  // namespace

Analysis analyse(const Problem& problem, int dense_limit) {
  if (const auto* local = std::get_if<LocalProblem>(&problem)) return analyse_local(condense(*local), dense_limit);
  const auto& global = std::get<GlobalProblem>(problem);
  Analysis a = analyse_local(reduce(global).local(), dense_limit);
  a.asymmetry_M = relative_asymmetry(to_columns(global.M));
  return a;
}

}  // namespace cornet
