// Jordan algebra of the Lorentz cone L = { x₁ ≥ ‖(x₂, …)‖ } for vectors of dimension 1 to 3; dimension 1 is the half-line.
//
//   x ∘ y = (xᵀy, x₁ȳ + y₁x̄),   det x = x₁² − ‖x̄‖² computed as (x₁ − ‖x̄‖)(x₁ + ‖x̄‖)
//
// Nesterov–Todd scaling of a pair s, z inside L: the symmetric W with W z = W⁻¹s = λ,
//   W = η ( w₁ w̄ᵀ ; w̄ I + w̄w̄ᵀ/(1 + w₁) ),  W² = η²(2wwᵀ − J),  W⁻² = η⁻²(2(Jw)(Jw)ᵀ − J),  J = diag(1, −1, …)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {

struct Lorentz {
  static double tail(const double* x, int dim) { return dim == 1 ? 0.0 : dim == 2 ? std::abs(x[1]) : std::hypot(x[1], x[2]); }

  static double det(const double* x, int dim) {
    const double t = tail(x, dim);
    return dim == 1 ? x[0] : (x[0] - t) * (x[0] + t);
  }

  /// x₁ − ‖x̄‖: positive inside.
  static double depth(const double* x, int dim) { return x[0] - tail(x, dim); }

  static double dot(const double* x, const double* y, int dim) {
    double sum = 0;
    for (int i = 0; i < dim; ++i) sum += x[i] * y[i];
    return sum;
  }

  /// x ∘ y.
  static void product(const double* x, const double* y, int dim, double* out) {
    const double first = dot(x, y, dim);
    for (int i = 1; i < dim; ++i) out[i] = x[0] * y[i] + y[0] * x[i];
    out[0] = first;
  }

  /// The solution of λ ∘ x = d.
  static void divide(const double* lambda, const double* d, int dim, double* out) {
    if (dim == 1) {
      out[0] = d[0] / lambda[0];
      return;
    }
    double inner = 0;
    for (int i = 1; i < dim; ++i) inner += lambda[i] * d[i];
    const double first = (lambda[0] * d[0] - inner) / det(lambda, dim);
    for (int i = 1; i < dim; ++i) out[i] = (d[i] - first * lambda[i]) / lambda[0];
    out[0] = first;
  }

  /// The largest α ≤ limit with x + α d in the cone, for x inside.
  static double step(const double* x, const double* d, int dim, double limit) {
    if (dim == 1) return d[0] < 0 ? std::min(limit, -x[0] / d[0]) : limit;
    // det(x + αd) = a α² + 2 b α + c; the smallest positive root, without cancellation.
    const double dt = tail(d, dim);
    const double a = (d[0] - dt) * (d[0] + dt);
    double b = x[0] * d[0];
    for (int i = 1; i < dim; ++i) b -= x[i] * d[i];
    const double c = det(x, dim);
    if (!(c > 0)) return 0;
    const double discriminant = b * b - a * c;
    double root = std::numeric_limits<double>::infinity();
    if (a < 0 || (b < 0 && discriminant >= 0)) {
      const double r = std::sqrt(std::max(discriminant, 0.0));
      root = b <= 0 ? c / (-b + r) : (b + r) / -a;
      if (!(root > 0)) root = 0;
    }
    if (d[0] < 0) root = std::min(root, -x[0] / d[0]);
    return std::min(limit, root);
  }
};

/// Scaling of one cone.
struct Scaling {
  double eta = 1;      ///< √(s/z) for dimension 1
  double w[3] = {1, 0, 0};
  double lambda[3] = {1, 0, 0};

  void update(const double* s, const double* z, int dim) {
    if (dim == 1) {
      eta = std::sqrt(s[0] / z[0]);
      lambda[0] = std::sqrt(s[0] * z[0]);
      w[0] = 1;
      return;
    }
    const double root_s = std::sqrt(Lorentz::det(s, dim)), root_z = std::sqrt(Lorentz::det(z, dim));
    double sbar[3], zbar[3];
    for (int i = 0; i < dim; ++i) {
      sbar[i] = s[i] / root_s;
      zbar[i] = z[i] / root_z;
    }
    const double gamma = std::sqrt(0.5 * (1 + Lorentz::dot(sbar, zbar, dim)));
    w[0] = (sbar[0] + zbar[0]) / (2 * gamma);
    double tail = 0;
    for (int i = 1; i < dim; ++i) {
      w[i] = (sbar[i] - zbar[i]) / (2 * gamma);
      tail += w[i] * w[i];
    }
    w[0] = std::sqrt(1 + tail);  // det w = 1 exactly, whatever rounding did above
    eta = std::sqrt(root_s / root_z);
    apply(z, dim, lambda);
  }

  /// W x.
  void apply(const double* x, int dim, double* out) const { apply_with(x, dim, eta, 1, out); }
  /// W⁻¹ x.
  void apply_inverse(const double* x, int dim, double* out) const { apply_with(x, dim, 1 / eta, -1, out); }

  /// W² x and W⁻² x; out may be x.
  void apply_square(const double* x, int dim, double* out) const { apply_square_with(x, dim, eta * eta, 1, out); }
  void apply_inverse_square(const double* x, int dim, double* out) const { apply_square_with(x, dim, 1 / (eta * eta), -1, out); }

 private:
  void apply_with(const double* x, int dim, double factor, double sign, double* out) const {
    if (dim == 1) {
      out[0] = factor * x[0];
      return;
    }
    double inner = 0;
    for (int i = 1; i < dim; ++i) inner += sign * w[i] * x[i];
    const double first = w[0] * x[0] + inner;
    const double along = x[0] + inner / (1 + w[0]);
    for (int i = 1; i < dim; ++i) out[i] = factor * (x[i] + along * sign * w[i]);
    out[0] = factor * first;
  }
  void apply_square_with(const double* x, int dim, double factor, double sign, double* out) const {
    if (dim == 1) {
      out[0] = factor * x[0];
      return;
    }
    double inner = w[0] * x[0];
    for (int i = 1; i < dim; ++i) inner += sign * w[i] * x[i];
    out[0] = factor * (2 * inner * w[0] - x[0]);
    for (int i = 1; i < dim; ++i) out[i] = factor * (2 * inner * sign * w[i] + x[i]);
  }
};

}  // namespace cornet
