#include "linalg/supernodal.h"

#include <algorithm>
#include <cmath>

#include "cornet/error.h"

namespace cornet {
namespace {

constexpr double kTiny = 1e-14;        // pivot below it, relative to its scale, is noise
constexpr double kReplacement = 1e-8;  // what it becomes: far above the noise, far below the matrix

void check_pattern(const SupernodalAnalysis& analysis, const SparseColumns& A) {
  if (A.rows() != analysis.size || A.cols() != analysis.size || A.nonZeros() != analysis.nonzeros || !A.isCompressed())
    throw Error("supernodal: the matrix has not the analysed pattern");
}

// A scale for every position from a number per variable: zeros get the largest of them, or 1.
void set_scale(const std::vector<int>& place, const std::vector<double>& size_of, std::vector<double>& scale) {
  const double largest = size_of.empty() ? 0.0 : *std::max_element(size_of.begin(), size_of.end());
  for (std::size_t j = 0; j < place.size(); ++j) scale[place[j]] = size_of[j] > 0 ? size_of[j] : largest > 0 ? largest : 1.0;
}

Front front_of(const SupernodalAnalysis& analysis, int s, double* values, double* updates) {
  const int nc = analysis.width(s), nb = analysis.below(s);
  double* panel = values + analysis.panel_start[s];
  return {panel, panel + static_cast<long>(nc) * (nc + nb), updates + analysis.update_start[s], nc, nb};
}

// Zero panels, then the entries of A.
void fill_panels(const SupernodalAnalysis& analysis, int s, const double* entries, double* values) {
  double* panel = values + analysis.panel_start[s];
  std::fill(panel, values + analysis.panel_start[s + 1], 0.0);
  for (long e = analysis.entry_start[s]; e < analysis.entry_start[s + 1]; ++e)
    panel[analysis.entry_target[e]] += entries[analysis.entry_source[e]];
}

using Add = void (*)(const double*, int, const FrontRun*, const FrontRun*, const Front&);

void add_children(const SupernodalAnalysis& analysis, int s, const double* updates, const Front& front, Add add) {
  for (int k = analysis.child_start[s]; k < analysis.child_start[s + 1]; ++k) {
    const int c = analysis.children[k];
    add(updates + analysis.update_start[c], analysis.below(c), analysis.runs.data() + analysis.run_start[c],
        analysis.runs.data() + analysis.run_start[c + 1], front);
  }
}

}  // namespace

void SupernodalCholesky::analyse(const SparseColumns& A) {
  analysis_ = SupernodalAnalysis(A, PatternOf::lower);
  diagonal_.assign(analysis_.size, -1);
  for (int j = 0; j < analysis_.size; ++j) {
    const int *begin = A.innerIndexPtr() + A.outerIndexPtr()[j], *end = A.innerIndexPtr() + A.outerIndexPtr()[j + 1];
    const int* found = std::lower_bound(begin, end, j);
    if (found != end && *found == j) diagonal_[j] = static_cast<int>(found - A.innerIndexPtr());
  }
  values_.assign(analysis_.panel_start.back(), 0.0);
  updates_.assign(analysis_.workspace, 0.0);
  pack_.assign(pack_size(analysis_.largest_front), 0.0);
  scale_.assign(analysis_.size, 0.0);
  x_.assign(analysis_.size, 0.0);
  front_.assign(analysis_.largest_front, 0.0);
  replaced_ = 0;
}

bool SupernodalCholesky::factorise(const SparseColumns& A) {
  check_pattern(analysis_, A);
  const DenseKernels& kernels = dense_kernels();
  for (int j = 0; j < analysis_.size; ++j) x_[j] = diagonal_[j] < 0 ? 0.0 : std::abs(A.valuePtr()[diagonal_[j]]);
  set_scale(analysis_.place, x_, scale_);
  replaced_ = 0;
  for (int s = 0; s < analysis_.supernodes(); ++s) {
    const Front front = front_of(analysis_, s, values_.data(), updates_.data());
    fill_panels(analysis_, s, A.valuePtr(), values_.data());
    add_children(analysis_, s, updates_.data(), front, kernels.add_to_panel_symmetric);
    PivotRule rule{scale_.data() + analysis_.first[s], kTiny, kReplacement, 0};
    const bool positive = kernels.cholesky(front, rule, pack_.data());
    replaced_ += rule.replaced;
    if (!positive) return false;
    if (front.nb == 0) continue;
    kernels.update_symmetric(front, pack_.data());
    add_children(analysis_, s, updates_.data(), front, kernels.add_to_update_symmetric);
  }
  return true;
}

void SupernodalCholesky::solve(double* x) const {
  const DenseKernels& kernels = dense_kernels();
  const auto& a = analysis_;
  for (int i = 0; i < a.size; ++i) x_[a.place[i]] = x[i];
  for (int s = 0; s < a.supernodes(); ++s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(x_.begin() + a.first[s], nc, front_.begin());
    std::fill_n(front_.begin() + nc, nb, 0.0);
    kernels.solve_forward(values_.data() + a.panel_start[s], nc, nb, false, front_.data());
    std::copy_n(front_.begin(), nc, x_.begin() + a.first[s]);
    for (int i = 0; i < nb; ++i) x_[rows[i]] += front_[nc + i];
  }
  for (int s = a.supernodes() - 1; s >= 0; --s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(x_.begin() + a.first[s], nc, front_.begin());
    for (int i = 0; i < nb; ++i) front_[nc + i] = x_[rows[i]];
    kernels.solve_backward(values_.data() + a.panel_start[s], nc, nb, false, front_.data());
    std::copy_n(front_.begin(), nc, x_.begin() + a.first[s]);
  }
  for (int i = 0; i < a.size; ++i) x[i] = x_[a.place[i]];
}

void SupernodalLu::analyse(const SparseColumns& A) {
  analysis_ = SupernodalAnalysis(A, PatternOf::both);
  swaps_.assign(analysis_.size, 0);
  values_.assign(analysis_.panel_start.back(), 0.0);
  updates_.assign(analysis_.workspace, 0.0);
  pack_.assign(pack_size(analysis_.largest_front), 0.0);
  scale_.assign(analysis_.size, 0.0);
  x_.assign(analysis_.size, 0.0);
  front_.assign(analysis_.largest_front, 0.0);
  replaced_ = 0;
}

bool SupernodalLu::factorise(const SparseColumns& A) {
  check_pattern(analysis_, A);
  const DenseKernels& kernels = dense_kernels();
  for (int j = 0; j < analysis_.size; ++j) {
    x_[j] = 0;
    for (int k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; ++k) x_[j] = std::max(x_[j], std::abs(A.valuePtr()[k]));
  }
  set_scale(analysis_.place, x_, scale_);
  replaced_ = 0;
  for (int s = 0; s < analysis_.supernodes(); ++s) {
    const Front front = front_of(analysis_, s, values_.data(), updates_.data());
    fill_panels(analysis_, s, A.valuePtr(), values_.data());
    add_children(analysis_, s, updates_.data(), front, kernels.add_to_panels_general);
    PivotRule rule{scale_.data() + analysis_.first[s], kTiny, kReplacement, 0};
    const bool finite = kernels.lu(front, rule, swaps_.data() + analysis_.first[s], pack_.data());
    replaced_ += rule.replaced;
    if (!finite) return false;
    if (front.nb == 0) continue;
    kernels.update_general(front, pack_.data());
    add_children(analysis_, s, updates_.data(), front, kernels.add_to_update_general);
  }
  return true;
}

void SupernodalLu::solve(double* x) const {
  const DenseKernels& kernels = dense_kernels();
  const auto& a = analysis_;
  for (int i = 0; i < a.size; ++i) x_[a.place[i]] = x[i];
  for (int s = 0; s < a.supernodes(); ++s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(x_.begin() + a.first[s], nc, front_.begin());
    for (int j = 0; j < nc; ++j) std::swap(front_[j], front_[swaps_[a.first[s] + j]]);
    std::fill_n(front_.begin() + nc, nb, 0.0);
    kernels.solve_forward(values_.data() + a.panel_start[s], nc, nb, true, front_.data());
    std::copy_n(front_.begin(), nc, x_.begin() + a.first[s]);
    for (int i = 0; i < nb; ++i) x_[rows[i]] += front_[nc + i];
  }
  for (int s = a.supernodes() - 1; s >= 0; --s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(x_.begin() + a.first[s], nc, front_.begin());
    for (int i = 0; i < nb; ++i) front_[nc + i] = x_[rows[i]];
    const double* upper = values_.data() + a.panel_start[s] + static_cast<long>(nc) * (nc + nb);
    kernels.solve_backward(upper, nc, nb, false, front_.data());
    std::copy_n(front_.begin(), nc, x_.begin() + a.first[s]);
  }
  for (int i = 0; i < a.size; ++i) x[i] = x_[a.place[i]];
}

}  // namespace cornet
