#include "linalg/supernodal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cornet/error.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

constexpr double kTiny = 1e-14;        // pivot below it, relative to its scale, is noise
constexpr double kReplacement = 1e-8;  // what it becomes: far above the noise, far below the matrix
constexpr int kBalanced = 4;           // exponent up to which the largest entry of a row or column may differ from 1
constexpr int kPasses = 10;            // of the equilibration: each halves the exponents
constexpr double kFillSeconds = 8e-9;  // to get memory, per number

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

// What a front costs besides the products, which poll by themselves: it is filled, and triangles are solved in small pieces.
double assembly_work(const Front& front) { return (20.0 * front.nc + front.nb) * (front.nc + front.nb); }

// Zero panels, then the entries of A.
void fill_panels(const SupernodalAnalysis& analysis, int s, const double* entries, double* values) {
  double* panel = values + analysis.panel_start[s];
  std::fill(panel, values + analysis.panel_start[s + 1], 0.0);
  for (long e = analysis.entry_start[s]; e < analysis.entry_start[s + 1]; ++e)
    panel[analysis.entry_target[e]] += entries[analysis.entry_source[e]];
}

// The same with d×d blocks; those of the second panel are turned over.
template <int D>
void fill_panels(const SupernodalAnalysis& analysis, int s, const double* blocks, double* values) {
  const int front = analysis.width(s) + analysis.below(s), second = analysis.width(s) * front;
  double* panel = values + analysis.panel_start[s];
  std::fill(panel, values + analysis.panel_start[s + 1], 0.0);
  for (long e = analysis.entry_start[s]; e < analysis.entry_start[s + 1]; ++e) {
    const double* from = blocks + static_cast<long>(analysis.entry_source[e]) * D * D;
    double* to = panel + analysis.entry_target[e];
    if (analysis.entry_target[e] < second) {
      for (int c = 0; c < D; ++c)
        for (int r = 0; r < D; ++r) to[r + c * front] = from[r + c * D];
    } else {
      for (int r = 0; r < D; ++r)
        for (int c = 0; c < D; ++c) to[c + r * front] = from[r + c * D];
    }
  }
}

using Fill = void (*)(const SupernodalAnalysis&, int, const double*, double*);

// Exponent of a positive number, 0 for zero and for what is subnormal.
int exponent(double x) {
  const int stored = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  return stored == 0 ? 0 : stored - 1023;
}

// 2^−⌊e/2⌋ for a number of exponent e.
double half_scale(double x) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - (exponent(x) >> 1)) << 52); }

// R, C and R A C, and the largest entry of every column of it. False when a value is not finite.
template <int D>
bool equilibrate(const BlockPattern& pattern, const double* values, double* row_scale, double* column_scale, double* scaled,
                 double* largest, double* row_largest) {
  const int n = pattern.columns();
  for (int j = 0; j < n; ++j) {
    const auto begin = pattern.row.begin() + pattern.start[j], end = pattern.row.begin() + pattern.start[j + 1];
    const auto found = std::lower_bound(begin, end, j);
    const double* block = found != end && *found == j ? values + (found - pattern.row.begin()) * D * D : nullptr;
    for (int c = 0; c < D; ++c) row_scale[j * D + c] = column_scale[j * D + c] = block ? half_scale(std::abs(block[c + c * D])) : 1.0;
  }
  for (int pass = 0;; ++pass) {
    std::fill_n(row_largest, n * D, 0.0);
    bool balanced = true;
    const auto look_at = [&](double x) { balanced = balanced && (x == 0 || std::abs(exponent(x)) <= kBalanced); };
    for (int j = 0; j < n; ++j) {
      double column[D] = {};
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        const double* block = values + static_cast<long>(k) * D * D;
        double* to = scaled + static_cast<long>(k) * D * D;
        const double* row = row_scale + pattern.row[k] * D;
        double* row_max = row_largest + pattern.row[k] * D;
        for (int c = 0; c < D; ++c)
          for (int r = 0; r < D; ++r) {
            const double x = block[r + c * D] * row[r] * column_scale[j * D + c];
            to[r + c * D] = x;
            column[c] = std::max(column[c], std::abs(x));
            row_max[r] = std::max(row_max[r], std::abs(x));
          }
      }
      for (int c = 0; c < D; ++c) look_at(largest[j * D + c] = column[c]);
    }
    for (int i = 0; i < n * D; ++i) look_at(row_largest[i]);
    if (balanced || pass == kPasses) break;
    for (int i = 0; i < n * D; ++i) row_scale[i] *= half_scale(row_largest[i]), column_scale[i] *= half_scale(largest[i]);
  }
  // Comparisons drop what is not a number, products of it do not.
  double sum = 0;
  for (long k = 0; k < pattern.values(); ++k) sum += scaled[k] * 0;
  return sum == 0;
}

using Equilibrate = bool (*)(const BlockPattern&, const double*, double*, double*, double*, double*, double*);

struct BlockKernels {
  Equilibrate equilibrate;
  Fill fill;
};

BlockKernels block_kernels(int d) {
  switch (d) {
    case 1: return {equilibrate<1>, fill_panels<1>};
    case 2: return {equilibrate<2>, fill_panels<2>};
    case 3: return {equilibrate<3>, fill_panels<3>};
    case 6: return {equilibrate<6>, fill_panels<6>};
  }
  throw Error("supernodal: blocks must have 1, 2, 3 or 6 rows");
}

using Add = void (*)(const double*, int, const FrontRun*, const FrontRun*, const Front&);

void add_children(const SupernodalAnalysis& analysis, int s, const double* updates, const Front& front, Add add) {
  for (int k = analysis.child_start[s]; k < analysis.child_start[s + 1]; ++k) {
    const int c = analysis.children[k];
    add(updates + analysis.update_start[c], analysis.below(c), analysis.runs.data() + analysis.run_start[c],
        analysis.runs.data() + analysis.run_start[c + 1], front);
  }
}

// Both triangular solves in place. `forward` and `backward` do those of a supernode on its front: the nc unknowns of its columns, then its nb rows
// below.
template <class Forward, class Backward>
void substitute(const SupernodalAnalysis& a, double* x, std::vector<double>& y, std::vector<double>& front, Forward&& forward,
                Backward&& backward) {
  poll(4.0 * static_cast<double>(a.entries));
  for (int i = 0; i < a.size; ++i) y[a.place[i]] = x[i];
  for (int s = 0; s < a.supernodes(); ++s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(y.begin() + a.first[s], nc, front.begin());
    std::fill_n(front.begin() + nc, nb, 0.0);
    forward(s, nc, nb, front.data());
    std::copy_n(front.begin(), nc, y.begin() + a.first[s]);
    for (int i = 0; i < nb; ++i) y[rows[i]] += front[nc + i];
  }
  for (int s = a.supernodes() - 1; s >= 0; --s) {
    const int nc = a.width(s), nb = a.below(s);
    const int* rows = a.rows.data() + a.row_start[s];
    std::copy_n(y.begin() + a.first[s], nc, front.begin());
    for (int i = 0; i < nb; ++i) front[nc + i] = y[rows[i]];
    backward(s, nc, nb, front.data());
    std::copy_n(front.begin(), nc, y.begin() + a.first[s]);
  }
  for (int i = 0; i < a.size; ++i) x[i] = y[a.place[i]];
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
  poll_before(kFillSeconds * static_cast<double>(analysis_.panel_start.back() + analysis_.workspace));
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
    poll(assembly_work(front));
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
  const auto panel = [&](int s) { return values_.data() + analysis_.panel_start[s]; };
  substitute(
      analysis_, x, x_, front_, [&](int s, int nc, int nb, double* front) { kernels.solve_forward(panel(s), nc, nb, false, front); },
      [&](int s, int nc, int nb, double* front) { kernels.solve_backward(panel(s), nc, nb, false, front); });
}

bool SupernodalLu::analyse(const BlockPattern& pattern) {
  if (analysis_.size == pattern.size() && !analysis_.first.empty() && pattern == pattern_) return false;
  block_kernels(pattern.d);
  pattern_ = pattern;
  analysis_ = SupernodalAnalysis(pattern);
  swaps_.assign(analysis_.size, 0);
  scaled_.assign(pattern_.values(), 0.0);
  row_scale_.assign(analysis_.size, 0.0);
  column_scale_.assign(analysis_.size, 0.0);
  poll_before(kFillSeconds * static_cast<double>(analysis_.panel_start.back() + analysis_.workspace));
  values_.assign(analysis_.panel_start.back(), 0.0);
  updates_.assign(analysis_.workspace, 0.0);
  pack_.assign(pack_size(analysis_.largest_front), 0.0);
  scale_.assign(analysis_.size, 0.0);
  x_.assign(analysis_.size, 0.0);
  front_.assign(analysis_.largest_front, 0.0);
  replaced_ = 0;
  return true;
}

bool SupernodalLu::analyse(const SparseColumns& A) {
  if (A.rows() != A.cols()) throw Error("supernodal: the matrix is not square");
  if (!A.isCompressed()) throw Error("supernodal: the matrix is not compressed");
  return analyse(
      BlockPattern{1, {A.outerIndexPtr(), A.outerIndexPtr() + A.cols() + 1}, {A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros()}});
}

bool SupernodalLu::factorise(const SparseColumns& A) {
  check_pattern(analysis_, A);
  return factorise(A.valuePtr());
}

bool SupernodalLu::factorise(const double* values) {
  const DenseKernels& kernels = dense_kernels();
  const BlockKernels blocks = block_kernels(pattern_.d);
  if (!blocks.equilibrate(pattern_, values, row_scale_.data(), column_scale_.data(), scaled_.data(), x_.data(), scale_.data()))
    return false;
  set_scale(analysis_.place, x_, scale_);
  replaced_ = 0;
  for (int s = 0; s < analysis_.supernodes(); ++s) {
    const Front front = front_of(analysis_, s, values_.data(), updates_.data());
    poll(assembly_work(front));
    blocks.fill(analysis_, s, scaled_.data(), values_.data());
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
  for (int i = 0; i < analysis_.size; ++i) x[i] *= row_scale_[i];
  solve_scaled(x);
  for (int i = 0; i < analysis_.size; ++i) x[i] *= column_scale_[i];
}

void SupernodalLu::solve_scaled(double* x) const {
  const DenseKernels& kernels = dense_kernels();
  const auto panel = [&](int s) { return values_.data() + analysis_.panel_start[s]; };
  substitute(
      analysis_, x, x_, front_,
      [&](int s, int nc, int nb, double* front) {
        const int* swaps = swaps_.data() + analysis_.first[s];
        for (int j = 0; j < nc; ++j) std::swap(front[j], front[swaps[j]]);
        kernels.solve_forward(panel(s), nc, nb, true, front);
      },
      [&](int s, int nc, int nb, double* front) {  // the upper panel lies behind the lower one
        kernels.solve_backward(panel(s) + static_cast<long>(nc) * (nc + nb), nc, nb, false, front);
      });
}

// Calls f(pivot, whether its rows were exchanged) for every pivot.
template <class F>
void SupernodalLu::each_pivot(F&& f) const {
  const auto& a = analysis_;
  for (int s = 0; s < a.supernodes(); ++s) {
    const int nc = a.width(s);
    const long height = nc + a.below(s);
    const double* upper = values_.data() + a.panel_start[s] + nc * height;
    for (int j = 0; j < nc; ++j) f(upper[j * height + j], swaps_[a.first[s] + j] != j);
  }
}

int SupernodalLu::determinant_sign() const {
  bool negative = false;
  each_pivot([&](double pivot, bool exchanged) { negative ^= (pivot < 0) != exchanged; });
  return negative ? -1 : 1;
}

int SupernodalLu::pivots_below(double size) const {
  int count = 0;
  each_pivot([&](double pivot, bool) { count += !(std::abs(pivot) > size); });
  return count;
}

double SupernodalLu::growth() const {
  double largest = 0;
  for (int s = 0; s < analysis_.supernodes(); ++s) {
    // The diagonals of U are reciprocals; what lies above the diagonals of both panels is not part of the factors.
    const int nc = analysis_.width(s), front = nc + analysis_.below(s);
    for (int half = 0; half < 2; ++half) {
      const double* panel = values_.data() + analysis_.panel_start[s] + static_cast<long>(half) * nc * front;
      for (int j = 0; j < nc; ++j)
        for (int i = j + 1; i < front; ++i) largest = std::max(largest, std::abs(panel[i + static_cast<long>(j) * front]));
    }
  }
  const double entry = scale_.empty() ? 1.0 : *std::max_element(scale_.begin(), scale_.end());
  return largest / entry;
}

}  // namespace cornet
