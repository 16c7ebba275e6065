#include "linalg/contact_lu.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

double largest(const std::vector<double>& x) {
  double result = 0;
  for (double value : x) result = std::max(result, std::abs(value));
  return result;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double value : x) sum += value * value;
  return std::sqrt(sum);
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// r −= Ã y.
template <int D>
void subtract_product(const BlockPattern& pattern, const double* values, const double* y, double* r) {
  for (int j = 0; j < pattern.columns(); ++j) {
    double x[D];
    std::copy_n(y + j * D, D, x);
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      const double* block = values + static_cast<long>(k) * D * D;
      double* to = r + pattern.row[k] * D;
      for (int i = 0; i < D; ++i) {
        double sum = block[i] * x[0];
        for (int c = 1; c < D; ++c) sum += block[i + c * D] * x[c];
        to[i] -= sum;
      }
    }
  }
}

void subtract_product(const SupernodalLu& factors, const std::vector<double>& y, std::vector<double>& r) {
  const double* values = factors.scaled_values().data();
  switch (factors.pattern().d) {
    case 1: return subtract_product<1>(factors.pattern(), values, y.data(), r.data());
    case 2: return subtract_product<2>(factors.pattern(), values, y.data(), r.data());
    case 3: return subtract_product<3>(factors.pattern(), values, y.data(), r.data());
    default: return subtract_product<6>(factors.pattern(), values, y.data(), r.data());
  }
}

// Largest row sum of |Ã|.
double row_sum_norm(const BlockPattern& pattern, const double* values, std::vector<double>& sums) {
  const int d = pattern.d;
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    const double* block = values + k * d * d;
    double* to = sums.data() + static_cast<std::ptrdiff_t>(pattern.row[k]) * d;
    for (int c = 0; c < d; ++c)
      for (int i = 0; i < d; ++i) to[i] += std::abs(block[i + c * d]);
  }
  return largest(sums);
}

}  // namespace

bool ContactLu::analyse(const BlockPattern& pattern) {
  if (!factors_.analyse(pattern)) return false;
  ++counts_.analyses;
  use_general_ = general_hopeless_ = false;
  general_.reset();
  for (auto* v : {&rhs_, &y_, &best_, &rest_}) v->assign(pattern.size(), 0.0);
  basis_.clear();
  return true;
}

bool ContactLu::factorise(const double* values) {
  ++counts_.factorisations;
  use_general_ = false;
  norm_ = 0;
  if (factors_.factorise(values)) return true;
  // Numbers that are not finite are nobody's to factorise; pivots that overflowed may be.
  if (!std::all_of(values, values + factors_.pattern().values(), [](double x) { return std::isfinite(x); })) return false;
  use_general_ = factorise_general();
  return use_general_;
}

// y := (L U)⁻¹ y, for Ã.
void ContactLu::apply_factors(std::vector<double>& y) const {
  if (use_general_) {
    Eigen::Map<Eigen::VectorXd> map(y.data(), static_cast<Eigen::Index>(y.size()));
    map = general_->solve(map).eval();
  } else {
    factors_.solve_scaled(y.data());
  }
}

// Sets rest_ = R b − Ã y and the relative residual, which it returns.
double ContactLu::measure(const std::vector<double>& y) {
  rest_ = rhs_;
  subtract_product(factors_, y, rest_);
  const double rest = largest(rest_);
  return residual_ = std::isfinite(rest) ? rest / rhs_norm_ : INFINITY;
}

double ContactLu::backward_error() {
  if (!std::isfinite(residual_)) return INFINITY;
  if (norm_ == 0) norm_ = row_sum_norm(factors_.pattern(), factors_.scaled_values().data(), y_);
  return residual_ * rhs_norm_ / (norm_ * largest(best_) + rhs_norm_);
}

// From zero to the best point that refinement reaches; rest_ and residual_ are those of best_ afterwards.
void ContactLu::refine(double tolerance) {
  y_ = rhs_;
  apply_factors(y_);
  for (double last = INFINITY; measure(y_) < last;) {
    best_.swap(y_);
    if (!short_of(tolerance) || !(residual_ < 0.5 * last)) return;
    last = residual_;
    y_ = rest_;
    apply_factors(y_);
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += best_[i];
    ++counts_.refinements;
    method_ = use_general_ ? Method::general : Method::refinement;
  }
  measure(best_);
}

// Minimal residual over the directions (Ã (LU)⁻¹)^k rest, added to best_.
void ContactLu::run_gmres(double tolerance) {
  ++counts_.gmres;
  const std::size_t n = rhs_.size();
  if (basis_.empty()) {
    basis_.assign(kDirections + 1, std::vector<double>(n));
    hessenberg_.assign(kDirections, std::vector<double>(kDirections + 1));
  }
  const double start = norm(rest_), before = residual_;
  for (std::size_t i = 0; i < n; ++i) basis_[0][i] = rest_[i] / start;
  std::vector<double> cosine(kDirections), sine(kDirections), g(kDirections + 1, 0.0);
  g[0] = start;
  const double goal = 0.1 * tolerance * rhs_norm_;
  int count = 0;
  while (count < kDirections && std::abs(g[count]) > goal) {
    auto& w = basis_[count + 1];
    auto& h = hessenberg_[count];
    y_ = basis_[count];
    apply_factors(y_);
    std::fill(w.begin(), w.end(), 0.0);
    subtract_product(factors_, y_, w);
    for (double& value : w) value = -value;
    for (int k = 0; k <= count; ++k) {
      h[k] = dot(w, basis_[k]);
      for (std::size_t i = 0; i < n; ++i) w[i] -= h[k] * basis_[k][i];
    }
    h[count + 1] = norm(w);
    const double next = h[count + 1];
    if (!std::isfinite(next)) break;
    if (next > 0)
      for (double& value : w) value /= next;
    for (int k = 0; k < count; ++k) {
      const double kept = cosine[k] * h[k] + sine[k] * h[k + 1];
      h[k + 1] = cosine[k] * h[k + 1] - sine[k] * h[k];
      h[k] = kept;
    }
    const double length = std::hypot(h[count], h[count + 1]);
    if (length == 0) break;
    cosine[count] = h[count] / length;
    sine[count] = h[count + 1] / length;
    h[count] = length;
    g[count + 1] = -sine[count] * g[count];
    g[count] *= cosine[count];
    ++count;
    if (next == 0) break;
  }
  std::vector<double> z(count);
  for (int k = count - 1; k >= 0; --k) {
    z[k] = g[k];
    for (int j = k + 1; j < count; ++j) z[k] -= hessenberg_[j][k] * z[j];
    z[k] /= hessenberg_[k][k];
  }
  std::fill(y_.begin(), y_.end(), 0.0);
  for (int k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) y_[i] += z[k] * basis_[k][i];
  apply_factors(y_);
  for (std::size_t i = 0; i < n; ++i) y_[i] += best_[i];
  if (measure(y_) < before) {
    best_.swap(y_);
    method_ = Method::gmres;
  } else {
    measure(best_);
  }
}

bool ContactLu::factorise_general() {
  ++counts_.general;
  const BlockPattern& pattern = factors_.pattern();
  const int d = pattern.d, n = pattern.size();
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(pattern.values()));
  const double* value = factors_.scaled_values().data();
  for (int j = 0; j < pattern.columns(); ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      for (int c = 0; c < d; ++c)
        for (int i = 0; i < d; ++i) entries.emplace_back(pattern.row[k] * d + i, j * d + c, *value++);
  SparseColumns A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  general_ = std::make_unique<General>();
  general_->compute(A);
  return general_->info() == Eigen::Success;
}

double ContactLu::solve(const double* b, double* x, double tolerance) {
  ++counts_.solves;
  const auto& row = factors_.row_scale();
  const auto& column = factors_.column_scale();
  for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] = row[i] * b[i];
  rhs_norm_ = largest(rhs_);
  method_ = use_general_ ? Method::general : Method::factors;
  residual_ = 0;
  if (rhs_norm_ == 0) {
    std::fill_n(x, rhs_.size(), 0.0);
    return 0;
  }
  std::fill(best_.begin(), best_.end(), 0.0);
  refine(tolerance);
  if (short_of(tolerance) && std::isfinite(residual_)) run_gmres(tolerance);
  if (short_of(tolerance) && !use_general_ && !general_hopeless_ && factors_.analysis().supernodes() > 1) {
    const std::vector<double> kept = best_;
    const double before = residual_;
    const Method before_method = method_;
    use_general_ = factorise_general();
    if (use_general_) {
      method_ = Method::general;
      refine(tolerance);
    }
    if (!use_general_ || !(residual_ < 0.1 * before)) general_hopeless_ = true;
    if (!use_general_ || !(residual_ < before)) {
      use_general_ = false;
      best_ = kept;
      residual_ = before;
      method_ = before_method;
    }
  }
  for (std::size_t i = 0; i < rhs_.size(); ++i) x[i] = column[i] * best_[i];
  return residual_;
}

}  // namespace cornet
