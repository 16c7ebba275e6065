#include "linalg/newton_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {
namespace {

constexpr int kDenseRows = 48;          // up to here a dense LU beats any sparse one
constexpr double kDenseFill = 0.6;      // as it does when most of the blocks are there …
constexpr int kDenseRowsIfFull = 2000;  // … up to a size where memory counts
constexpr double kShift = 1e-8;         // relative regularisation of a singular matrix
constexpr double kSingular = 1e-14;     // pivot below it, relative to the largest entry of its original column: singular
constexpr double kSmallPivot = 1e-6;    // pivot of the equilibrated block LU that counts as regularised
constexpr double kAccepted = 1e-8;      // relative residual of a step that is good enough …
constexpr double kRefined = 1e-12;      // … and one that need not be refined
constexpr double kStable = 1e-6;        // relative residual of the shifted system below which its factors can be trusted
constexpr int kRefinements = 4;
constexpr double kKept = 0.85;  // part of the analysed contacts that must still be coupled for the analysis to be kept

}  // namespace

template <int D>
void BlockLu<D>::analyse(const BlockMatrix<D>& W, const std::vector<int>& nodes, const std::vector<int>& place) {
  pattern_.d = D;
  pattern_.start.assign(1, 0);
  pattern_.row.clear();
  for (int node : nodes) {
    for (int k = W.column_begin(node); k < W.column_end(node); ++k)
      if (place[W.row(k)] >= 0) pattern_.row.push_back(place[W.row(k)]);
    pattern_.start.push_back(static_cast<int>(pattern_.row.size()));
  }
  values_.resize(static_cast<std::size_t>(pattern_.values()));
  shift_.assign(nodes.size(), 0.0);
  lu_.analyse(pattern_);
}

template <int D>
int BlockLu<D>::factorise(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B,
                          const std::vector<int>& nodes, const std::vector<int>& place, double shift) {
  double* value = values_.data();
  for (std::size_t j = 0; j < nodes.size(); ++j)
    for (int k = W.column_begin(nodes[j]); k < W.column_end(nodes[j]); ++k) {
      const int row = W.row(k);
      if (place[row] < 0) continue;
      Eigen::Map<Mat<D>> entry(value);
      value += D * D;
      entry.noalias() = B[row] * W.block(k);
      if (row != nodes[j]) continue;
      entry += A[row];
      shift_[j] = shift * entry.cwiseAbs().maxCoeff();
      entry.diagonal().array() += shift_[j];
    }
  return lu_.factorise(values_.data()) ? lu_.pivots_below(kSmallPivot) : D * static_cast<int>(nodes.size());
}

template <int D>
void NewtonSystem<D>::analyse(const BlockMatrix<D>& W) {
  factorisations_ = regularised_ = 0;
  analysed_.clear();
  dense_ = true;
  pattern_known_ = false;
  place_.assign(W.columns(), -1);
  coupled_.reserve(W.columns());
  zero_.setZero(static_cast<Eigen::Index>(W.columns()) * D);
}

// The contacts with B ≠ 0. A few more than necessary are cheaper than another analysis: they keep a row of their own with nothing left to solve.
template <int D>
void NewtonSystem<D>::find_coupled(const std::vector<Mat<D>>& B) {
  coupled_.clear();
  for (std::size_t a = 0; a < B.size(); ++a)
    if (!B[a].isZero(0)) coupled_.push_back(static_cast<int>(a));
  if (!dense_ && static_cast<double>(coupled_.size()) >= kKept * static_cast<double>(analysed_.size()) &&
      std::includes(analysed_.begin(), analysed_.end(), coupled_.begin(), coupled_.end()))
    coupled_ = analysed_;
  std::fill(place_.begin(), place_.end(), -1);
  for (std::size_t k = 0; k < coupled_.size(); ++k) place_[coupled_[k]] = static_cast<int>(k);
}

// Solves the contacts with B = 0 and moves their part to the right-hand side of the others.
template <int D>
void NewtonSystem<D>::eliminate_decoupled(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B,
                                          const Eigen::VectorXd& c, Eigen::VectorXd& d) {
  find_coupled(B);
  d.setZero();
  c_ = c;
  for (int a = 0; a < W.columns(); ++a) {
    if (!B[a].isZero(0)) continue;
    if (A[a].isIdentity(0)) d.template segment<D>(a * D) = c.template segment<D>(a * D);
    else d.template segment<D>(a * D) = A[a].fullPivLu().solve(c.template segment<D>(a * D));
  }
}

// rest := c − (A + B W) d on the coupled contacts, with W d; its norm relative to that of c.
template <int D>
double NewtonSystem<D>::residual(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B,
                                 const Eigen::VectorXd& d, Eigen::VectorXd& Wd) {
  W.times(d.data(), zero_.data(), Wd.data());
  rest_.resize(static_cast<Eigen::Index>(coupled_.size()) * D);
  for (std::size_t k = 0; k < coupled_.size(); ++k) {
    const int a = coupled_[k] * D;
    rest_.template segment<D>(static_cast<Eigen::Index>(k) * D) =
        c_.template segment<D>(a) - A[coupled_[k]] * d.template segment<D>(a) - B[coupled_[k]] * Wd.template segment<D>(a);
  }
  const double size = c_.norm();
  return size > 0 ? rest_.norm() / size : rest_.norm();
}

// A + B W of the coupled contacts.
template <int D>
void NewtonSystem<D>::assemble_dense(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  const auto n = static_cast<Eigen::Index>(coupled_.size()) * D;
  dense_matrix_.setZero(n, n);
  for (std::size_t j = 0; j < coupled_.size(); ++j)
    for (int k = W.column_begin(coupled_[j]); k < W.column_end(coupled_[j]); ++k) {
      const int row = W.row(k), i = place_[row];
      if (i < 0) continue;
      auto target = dense_matrix_.template block<D, D>(i * D, static_cast<Eigen::Index>(j) * D);
      target.noalias() = B[row] * W.block(k);
      if (row == coupled_[j]) target += A[row];
    }
}

// d += correction on the coupled contacts.
template <int D>
void NewtonSystem<D>::add_correction(const Eigen::VectorXd& correction, Eigen::VectorXd& d) const {
  for (std::size_t k = 0; k < coupled_.size(); ++k)
    d.template segment<D>(coupled_[k] * D) += correction.template segment<D>(static_cast<Eigen::Index>(k) * D);
}

template <int D>
bool NewtonSystem<D>::solve_dense(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  assemble_dense(W, A, B);
  const double largest = dense_matrix_.size() > 0 ? dense_matrix_.cwiseAbs().maxCoeff() : 0.0;
  column_scale_ = dense_matrix_.cwiseAbs().colwise().maxCoeff();
  for (double shift = 0; shift <= 1e-4; shift = shift == 0 ? kShift : 100 * shift) {
    if (shift == kShift) ++regularised_;
    ++factorisations_;
    dense_matrix_.diagonal().array() += shift * largest;
    dense_lu_.compute(dense_matrix_);
    const bool regular = (dense_lu_.matrixLU().diagonal().cwiseAbs().array() > kSingular * column_scale_.array()).all();
    if (!regular && shift == 0) continue;
    solution_ = dense_lu_.solve(rhs_);
    if (solution_.allFinite()) return true;
  }
  return false;
}

template <int D>
bool NewtonSystem<D>::solve_blocks(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, Eigen::VectorXd& d,
                                   Eigen::VectorXd& Wd) {
  ++factorisations_;
  const int small = block_lu_.factorise(W, A, B, coupled_, place_, kShift);
  const auto correct = [&] {
    solution_ = rest_;
    block_lu_.solve(solution_.data());
    add_correction(solution_, d);
    return residual(W, A, B, d, Wd);
  };
  // d holds the decoupled part. The first solution is that of the shifted matrix …
  double error = correct();
  if (!std::isfinite(error)) return false;
  double shifted = 0;
  for (std::size_t k = 0; k < coupled_.size(); ++k)
    shifted += (rest_.template segment<D>(static_cast<Eigen::Index>(k) * D) -
                block_lu_.shift(static_cast<int>(k)) * d.template segment<D>(coupled_[k] * D))
                   .squaredNorm();
  const bool stable = std::sqrt(shifted) <= kStable * c_.norm();
  // … which refinement turns into one of the matrix itself, unless that is singular and the equations contradict each other.
  for (int k = 0; k < kRefinements && error > kRefined; ++k) {
    const double before = error;
    first_d_ = d;
    first_Wd_ = Wd;
    error = correct();
    if (error < 0.1 * before) continue;
    if (!(error < before)) {
      d = first_d_;
      Wd = first_Wd_;
      error = before;
    }
    break;
  }
  if (!stable && !(error <= kAccepted)) return false;
  if (small > 0 || !(error <= kAccepted)) ++regularised_;
  return true;
}

template <int D>
bool NewtonSystem<D>::solve_sparse(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  // Scalar columns of the whole matrix, decoupled contacts included, so that the pattern is always that of W.
  const int m = W.columns() * D;
  if (!pattern_known_) {
    matrix_.resize(m, m);
    matrix_.makeCompressed();
    matrix_.resizeNonZeros(W.blocks() * D * D);
  }
  int place = 0;
  for (int column = 0; column < W.columns(); ++column)
    for (int j = 0; j < D; ++j) {
      matrix_.outerIndexPtr()[column * D + j] = place;
      for (int k = W.column_begin(column); k < W.column_end(column); ++k) {
        const int row = W.row(k);
        for (int i = 0; i < D; ++i) {
          matrix_.innerIndexPtr()[place] = row * D + i;
          matrix_.valuePtr()[place++] = B[row].row(i).dot(W.block(k).col(j)) + (row == column ? A[row](i, j) : 0.0);
        }
      }
    }
  matrix_.outerIndexPtr()[m] = place;
  if (!pattern_known_) sparse_lu_.analyzePattern(matrix_);
  pattern_known_ = true;
  const double largest = Eigen::Map<const Eigen::VectorXd>(matrix_.valuePtr(), matrix_.nonZeros()).cwiseAbs().maxCoeff();
  for (double shift = 0; shift <= 1e-4; shift = shift == 0 ? kShift : 100 * shift) {
    if (shift == kShift) ++regularised_;
    ++factorisations_;
    for (int i = 0; shift > 0 && i < m; ++i) matrix_.coeffRef(i, i) += shift * largest;
    sparse_lu_.factorize(matrix_);
    if (sparse_lu_.info() != Eigen::Success) continue;
    solution_ = sparse_lu_.solve(c_);
    // A nearly singular factor shows as a residual that is not small.
    if (solution_.allFinite() && (matrix_ * solution_ - c_).norm() <= 1e-6 * c_.norm()) return true;
  }
  return false;
}

// Dense or block LU for the coupled contacts, and the analysis of the latter, unless they are those of the last one.
template <int D>
void NewtonSystem<D>::analyse_coupled(const BlockMatrix<D>& W) {
  if (coupled_ == analysed_) return;
  double blocks = 0;
  for (int a : coupled_)
    for (int k = W.column_begin(a); k < W.column_end(a); ++k) blocks += place_[W.row(k)] >= 0;
  const double n = static_cast<double>(coupled_.size());
  dense_ = n * D <= kDenseRows || (blocks >= kDenseFill * n * n && n * D <= kDenseRowsIfFull);
  analysed_.clear();  // analyse() may be stopped
  if (!dense_) block_lu_.analyse(W, coupled_, place_);
  analysed_ = coupled_;
}

template <int D>
double NewtonSystem<D>::seconds(const BlockMatrix<D>& W, const std::vector<Mat<D>>& B) {
  find_coupled(B);
  analyse_coupled(W);
  const double n = static_cast<double>(coupled_.size()) * D;
  return dense_ ? factor_seconds(2.0 / 3 * n * n * n, n * n) : block_lu_.seconds();
}

template <int D>
bool NewtonSystem<D>::solve(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                            Eigen::VectorXd& d, Eigen::VectorXd& Wd) {
  eliminate_decoupled(W, A, B, c, d);
  residual(W, A, B, d, Wd);
  rhs_ = rest_;
  if (coupled_.empty()) return true;
  analyse_coupled(W);
  if (!dense_) {
    if (solve_blocks(W, A, B, d, Wd)) return true;
    if (!solve_sparse(W, A, B)) return false;
    d = solution_;
  } else {
    if (!solve_dense(W, A, B)) return false;
    for (std::size_t k = 0; k < coupled_.size(); ++k)
      d.template segment<D>(coupled_[k] * D) = solution_.template segment<D>(static_cast<Eigen::Index>(k) * D);
  }
  W.times(d.data(), zero_.data(), Wd.data());
  return true;
}

template <int D>
bool NewtonSystem<D>::solve_damped(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B,
                                   const Eigen::VectorXd& c, double shift, int refinements, Eigen::VectorXd& d, Eigen::VectorXd& Wd) {
  eliminate_decoupled(W, A, B, c, d);
  residual(W, A, B, d, Wd);
  if (coupled_.empty()) return true;
  analyse_coupled(W);
  const auto shift_of = [&](std::size_t k) {
    return shift *
           dense_matrix_.template block<D, D>(static_cast<Eigen::Index>(k) * D, static_cast<Eigen::Index>(k) * D).cwiseAbs().maxCoeff();
  };
  bool dense = dense_;
  const auto factorise = [&] {
    ++factorisations_;
    if (!dense) {
      block_lu_.factorise(W, A, B, coupled_, place_, shift);
      return;
    }
    assemble_dense(W, A, B);
    for (std::size_t k = 0; k < coupled_.size(); ++k)
      dense_matrix_.diagonal().template segment<D>(static_cast<Eigen::Index>(k) * D).array() += shift_of(k);
    dense_lu_.compute(dense_matrix_);
  };
  // One solution of the shifted system for the residual at hand; the residual of the true one after it.
  const auto correct = [&] {
    solution_ = rest_;
    if (dense) solution_ = dense_lu_.solve(solution_);
    else block_lu_.solve(solution_.data());
    add_correction(solution_, d);
    return residual(W, A, B, d, Wd);
  };
  factorise();
  first_d_ = d;
  double error = correct();
  if (!dense) {
    double shifted = 0;
    for (std::size_t k = 0; k < coupled_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k) * D;
      shifted += (rest_.template segment<D>(at) - block_lu_.shift(static_cast<int>(k)) * solution_.template segment<D>(at)).squaredNorm();
    }
    if (!(std::sqrt(shifted) <= kStable * c_.norm()) && static_cast<int>(coupled_.size()) * D <= kDenseRowsIfFull) {
      dense = true;
      d = first_d_;
      residual(W, A, B, d, Wd);
      factorise();
      error = correct();
    }
  }
  if (!std::isfinite(error) || !d.allFinite()) return false;
  for (int k = 0; k < refinements && error > kRefined; ++k) {
    const double before = error;
    first_d_ = d;
    first_Wd_ = Wd;
    error = correct();
    if (error < 0.5 * before) continue;
    d = first_d_;
    Wd = first_Wd_;
    break;
  }
  return true;
}

template class BlockLu<2>;
template class BlockLu<3>;
template class NewtonSystem<2>;
template class NewtonSystem<3>;

}  // namespace cornet
