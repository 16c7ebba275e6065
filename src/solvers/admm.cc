#include "solvers/admm.h"

#include "linalg/symmetry.h"

namespace cornet {
namespace {

// Columns of A scaled from both sides by one number per block of D.
void scale(SparseColumns& A, const std::vector<double>& sigma, int D) {
  for (int j = 0; j < A.cols(); ++j)
    for (SparseColumns::InnerIterator it(A, j); it; ++it) it.valueRef() *= sigma[it.row() / D] * sigma[j / D];
}

// What a form costs: its factorisation and some hundred solves.
double predicted_cost(const SparseColumns& A) {
  const SupernodalAnalysis analysis(A, PatternOf::both);
  return analysis.flops + 200.0 * static_cast<double>(analysis.entries);
}

}  // namespace

// base + κ weight on the union of both patterns.
void PenaltySystem::use(const SparseColumns& base, const SparseColumns& weight) {
  symmetric_ = relative_asymmetry(base) <= 1e-15 && relative_asymmetry(weight) <= 1e-15;
  cholesky_works_ = true;
  const SparseColumns zero_weight = 0 * weight, zero_base = 0 * base;
  const SparseColumns full_base = base + zero_weight, full_weight = zero_base + weight;
  matrix_ = full_base;
  base_.assign(full_base.valuePtr(), full_base.valuePtr() + full_base.nonZeros());
  weight_.assign(full_weight.valuePtr(), full_weight.valuePtr() + full_weight.nonZeros());
  if (symmetric_) cholesky_.analyse(matrix_);
  else lu_.analyse(matrix_);
}

void PenaltySystem::use_delassus(const SparseColumns& A) {
  SparseColumns identity(A.rows(), A.cols());
  identity.setIdentity();
  condensed_ = false;
  use(A, identity);
}

template <int D>
void PenaltySystem::analyse(const ExplicitOperator<D>& op, const std::vector<double>& sigma) {
  const auto& W = op.system().W;
  std::vector<Eigen::Triplet<double, int>> list;
  list.reserve(static_cast<std::size_t>(W.blocks()) * D * D);
  for (int b = 0; b < W.columns(); ++b)
    for (int k = W.column_begin(b); k < W.column_end(b); ++k)
      for (int j = 0; j < D; ++j)
        for (int i = 0; i < D; ++i) list.emplace_back(W.row(k) * D + i, b * D + j, W.block(k)(i, j));
  SparseColumns A(static_cast<int>(op.size()), static_cast<int>(op.size()));
  A.setFromTriplets(list.begin(), list.end());
  scale(A, sigma, D);
  use_delassus(A);
}

template <int D>
void PenaltySystem::analyse(const GlobalOperator<D>& op, const std::vector<double>& sigma) {
  const Components& c = op.components();
  SparseColumns H = c.H;
  for (int j = 0; j < H.cols(); ++j)
    for (SparseColumns::InnerIterator it(H, j); it; ++it) it.valueRef() *= sigma[static_cast<std::size_t>(j / D)];
  const auto delassus = [&] {
    SparseColumns A = to_columns(delassus_matrix(c));
    scale(A, sigma, D);
    return A;
  };
  if (c.G.cols() > 0) return use_delassus(delassus());
  const SparseColumns HHt = H * SparseColumns(H.transpose());
  if (c.M.rows() > c.H.cols()) {
    const SparseColumns A = delassus();
    const SparseColumns global = HHt + 0 * c.M;
    if (predicted_cost(A) < predicted_cost(global)) return use_delassus(A);
  }
  condensed_ = true;
  H_.swap(H);
  force_.resize(H_.rows());
  use(HHt, c.M);
}

bool PenaltySystem::factorise(double kappa) {
  kappa_ = kappa;
  for (std::size_t k = 0; k < base_.size(); ++k) matrix_.valuePtr()[k] = base_[k] + kappa * weight_[k];
  if (!symmetric_) return lu_.factorise(matrix_);
  if (cholesky_works_ && cholesky_.factorise(matrix_)) return true;
  // A W that is not quite semidefinite.
  if (cholesky_works_) lu_.analyse(matrix_);
  cholesky_works_ = false;
  return lu_.factorise(matrix_);
}

void PenaltySystem::solve_factored(double* x) const {
  if (symmetric_ && cholesky_works_) cholesky_.solve(x);
  else lu_.solve(x);
}

void PenaltySystem::solve(double* x) const {
  if (!condensed_) return solve_factored(x);
  force_.setZero();
  for (int j = 0; j < H_.cols(); ++j)
    for (SparseColumns::InnerIterator it(H_, j); it; ++it) force_[it.row()] += it.value() * x[j];
  solve_factored(force_.data());
  for (int j = 0; j < H_.cols(); ++j) {
    double sum = 0;
    for (SparseColumns::InnerIterator it(H_, j); it; ++it) sum += it.value() * force_[it.row()];
    x[j] = (x[j] - sum) / kappa_;
  }
}

template void PenaltySystem::analyse<2>(const ExplicitOperator<2>&, const std::vector<double>&);
template void PenaltySystem::analyse<3>(const ExplicitOperator<3>&, const std::vector<double>&);
template void PenaltySystem::analyse<2>(const GlobalOperator<2>&, const std::vector<double>&);
template void PenaltySystem::analyse<3>(const GlobalOperator<3>&, const std::vector<double>&);

SolverInfo admm() {
  SolverInfo info;
  info.id = "admm";
  info.title = "Alternating directions with De Saxcé's shift";
  info.family = "First order";
  info.summary =
      "Douglas–Rachford splitting of the scaled problem: one factorisation of W + κI (or of M + HHᵀ/κ in global form, whichever is "
      "cheaper), then one solve and one projection per iteration; spectral updates of κ, Anderson acceleration on request.";
  info.use_when = "ill-conditioned problems of small and medium size, where gradient methods take many thousand iterations";
  info.fails_when = "large problems with much fill; large μ, where the shift makes it cycle";
  info.reference = "Eckstein, Bertsekas (1992); Xu, Figueiredo, Goldstein (2017); Walker, Ni (2011)";
  info.forms = {"local", "global"};
  info.max_iterations = 1000000;
  info.memory = {.factors = 2, .factor_bytes = 40};
  return registered<AdmmOptions>(std::move(info), {},
                                 [](const AdmmOptions& o) { return std::make_unique<OperatorSolver<Admm, AdmmOptions>>(o); });
}

}  // namespace cornet
