#include "solvers/ipm_system.h"

#include <algorithm>
#include <cmath>

#include "contact/cone.h"
#include "solvers/register.h"

namespace cornet {

template <int D>
void IpmSystem<D>::prepare(IpmMatrix<D>& matrix) {
  matrix_ = &matrix;
  nc_ = matrix.contacts();
  m_ = nc_ * D;
  dim_.resize(nc_);
  S_.resize(nc_);
  b_.resize(m_);
  for (int a = 0; a < nc_; ++a) {
    const double mu = matrix.mu()[a];
    const bool rough = !(mu < std::numeric_limits<double>::infinity());
    dim_[a] = mu == 0 || rough ? 1 : D;
    S_[a].setConstant(mu == 0 ? 0.0 : 1.0);
    S_[a][0] = dim_[a] == 1 ? 1.0 : 1 / mu;
    for (int i = 0; i < D; ++i) b_[a * D + i] = S_[a][i] * matrix.q()[a * D + i];
  }
  matrix.scale(S_);
  mean_diagonal();
  z_.resize(m_);
  c_.resize(m_);
  rhs_.resize(m_);
  r_.resize(m_);
  u_.resize(m_);
  scaling_.resize(nc_);
  P2_.resize(nc_);
  E_.resize(nc_);
  gradient_.resize(nc_);
}

template <int D>
void IpmSystem<D>::mean_diagonal() {
  std::vector<double> size(nc_);  // of W^αα
  mean_.assign(nc_, 0.0);
  double mean = 0;
  for (int a = 0; a < nc_; ++a) {
    const Mat<D> W = matrix_->diagonal(a);
    for (int i = 0; i < dim_[a]; ++i) {
      size[a] += W(i, i) / dim_[a];
      mean_[a] += S_[a][i] * S_[a][i] * W(i, i) / dim_[a];
    }
    mean += size[a] / nc_;
  }
  if (!(mean > 0)) mean = 1;
  // W^αα = 0: nothing moves at this contact, and the others lend their size. Judged on W, since a small μ makes A^αα large.
  for (int a = 0; a < nc_; ++a)
    if (!(size[a] > 1e-12 * mean)) mean_[a] = mean * S_[a].head(dim_[a]).squaredNorm() / dim_[a];
}

template <int D>
typename IpmSystem<D>::Point IpmSystem<D>::start() const {
  double xi = 0;
  for (int a = 0; a < nc_; ++a) xi += b_.segment<D>(a * D).squaredNorm() / mean_[a] / nc_;
  xi = xi > 0 ? std::sqrt(xi) : 1;
  Point p{Vector::Zero(m_), Vector::Zero(m_)};
  for (int a = 0; a < nc_; ++a) {
    p.x[a * D] = xi / std::sqrt(mean_[a]);
    p.y[a * D] = xi * std::sqrt(mean_[a]);
  }
  return p;
}

template <int D>
typename IpmSystem<D>::Point IpmSystem<D>::near(const std::vector<double>& r, double tau) {
  Point p{Vector::Zero(m_), Vector::Zero(m_)};
  matrix_->velocities(r.data(), u_.data());
  for (int a = 0; a < nc_; ++a) {
    for (int i = 0; i < D; ++i)
      if (S_[a][i] > 0) p.x[a * D + i] = r[a * D + i] / S_[a][i];
    for (int i = 0; i < dim_[a]; ++i) p.y[a * D + i] = S_[a][i] * u_[a * D + i];
    // y₁ − ‖y_T‖²/y₁ = u_N/μ
    const double normal = p.y[a * D], tangent = 2 * Lorentz::tail(&p.y[a * D], dim_[a]);
    if (tangent > 0) p.y[a * D] = 0.5 * (normal + std::hypot(normal, tangent));
  }
  recentre(p, tau);
  return p;
}

template <int D>
void IpmSystem<D>::recentre(Point& p, double tau) const {
  for (int a = 0; a < nc_; ++a) {
    const int n = dim_[a];
    double *x = &p.x[a * D], *y = &p.y[a * D], z[D];
    for (int i = 0; i < n; ++i) z[i] = x[i] - y[i] / mean_[a];
    // On the eigenvalues l of z: x → (l + √(l² + 4τ/a))/2, without cancellation; y = τ x⁻¹.
    const double length = Lorentz::tail(z, n), product = tau / mean_[a];
    const auto smooth = [product](double l) {
      const double root = std::sqrt(l * l + 4 * product);
      return l > 0 ? 0.5 * (l + root) : 2 * product / (root - l);
    };
    const double low = smooth(z[0] - length), high = smooth(z[0] + length);
    x[0] = 0.5 * (low + high);
    y[0] = 0.5 * tau * (1 / low + 1 / high);
    for (int i = 1; i < n; ++i) {
      const double direction = length > 0 ? z[i] / length : 0;
      x[i] = 0.5 * (high - low) * direction;
      y[i] = 0.5 * tau * (1 / high - 1 / low) * direction;
    }
  }
}

template <int D>
void IpmSystem<D>::residual(const Point& p, Vector& F) {
  for (int a = 0; a < nc_; ++a)
    for (int i = 0; i < D; ++i) r_[a * D + i] = S_[a][i] * p.x[a * D + i];
  matrix_->velocities(r_.data(), u_.data());
  F.resize(m_);
  for (int a = 0; a < nc_; ++a) {
    for (int i = 0; i < D; ++i) F[a * D + i] = S_[a][i] * u_[a * D + i] - p.y[a * D + i];
    F[a * D] += shift(&p.y[a * D], dim_[a]);
  }
}

template <int D>
double IpmSystem<D>::error(const Point&) {
  return natural_map_error<D>(matrix_->mu(), matrix_->norm_q(), r_.data(), u_.data());
}

template <int D>
double IpmSystem<D>::complementarity(const Point& p) const {
  double sum = 0;
  for (int a = 0; a < nc_; ++a) sum += Lorentz::dot(&p.x[a * D], &p.y[a * D], dim_[a]);
  return sum / nc_;
}

template <int D>
double IpmSystem<D>::largest_step(const Point& p, const Point& d, double limit) const {
  for (int a = 0; a < nc_; ++a) {
    limit = Lorentz::step(&p.x[a * D], &d.x[a * D], dim_[a], limit);
    limit = Lorentz::step(&p.y[a * D], &d.y[a * D], dim_[a], limit);
  }
  return limit;
}

template <int D>
bool IpmSystem<D>::central(const Point& p, const Point& d, double alpha, double gamma) const {
  double sum = 0, least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < nc_; ++a) {
    double x[D], y[D];
    const int n = dim_[a];
    for (int i = 0; i < n; ++i) {
      x[i] = p.x[a * D + i] + alpha * d.x[a * D + i];
      y[i] = p.y[a * D + i] + alpha * d.y[a * D + i];
    }
    sum += Lorentz::dot(x, y, n);
    const double product = std::max(0.0, Lorentz::det(x, n)) * std::max(0.0, Lorentz::det(y, n));
    least = std::min(least, n == 1 ? product : std::sqrt(product));
  }
  return least >= gamma * sum / nc_;
}

template <int D>
void IpmSystem<D>::shift_gradient(const double* y, int n, double* g) const {
  if (n == 1) {
    g[0] = 0;
    return;
  }
  const double ratio = Lorentz::tail(y, n) / y[0];
  g[0] = -ratio * ratio;
  for (int i = 1; i < n; ++i) g[i] = 2 * y[i] / y[0];
}

template <int D>
double IpmSystem<D>::shift_remainder(const Point& p, const Point& d, double t, int a) const {
  const int n = dim_[a];
  if (n == 1) return 0;
  double moved[D], linear = shift(&p.y[a * D], n);
  for (int i = 0; i < n; ++i) {
    moved[i] = p.y[a * D + i] + t * d.y[a * D + i];
    linear += t * gradient_[a][i] * d.y[a * D + i];
  }
  return moved[0] > 0 ? shift(moved, n) - linear : 0;
}

template <int D>
double IpmSystem<D>::shift_curvature(const Point& p, const Point& d, int a) const {
  const int n = dim_[a];
  if (n == 1) return 0;
  const double *y = &p.y[a * D], *v = &d.y[a * D];
  double sum = 0;  // ‖v_T − y_T v₁/y₁‖²
  for (int i = 1; i < n; ++i) {
    const double part = v[i] - y[i] * (v[0] / y[0]);
    sum += part * part;
  }
  return 2 * sum / y[0];
}

template <int D>
bool IpmSystem<D>::linearise(const Point& p, double share) {
  for (int a = 0; a < nc_; ++a) {
    const int n = dim_[a];
    scaling_[a].update(&p.y[a * D], &p.x[a * D], n);
    auto& P2 = P2_[a];
    P2.setZero();
    for (int j = 0; j < n; ++j) {
      double unit[D] = {}, column[D];
      unit[j] = 1;
      scaling_[a].apply_square(unit, n, column);
      for (int i = 0; i < n; ++i) P2(i, j) = column[i];
    }
    // μ = 0: r_T keeps its 0. μ = ∞: u_T = 0 has no second unknown.
    if (n < D && S_[a][D - 1] == 0)
      for (int i = 1; i < D; ++i) P2(i, i) = 1;
    gradient_[a].setZero();
    shift_gradient(&p.y[a * D], n, gradient_[a].data());
    gradient_[a] *= share;
    E_[a] = P2;
    E_[a].row(0) -= gradient_[a].transpose() * P2;
  }
  if (matrix_->wants_inverse()) invert();
  return matrix_->factorise(E_, inverse_);
}

// E⁻¹ = P⁻² T⁻¹ with T⁻¹ = I + e₁ ∇sᵀ/(1 − ∂₁s): exact where P² itself is too ill conditioned to be inverted.
template <int D>
void IpmSystem<D>::invert() {
  inverse_.resize(nc_);
  for (int a = 0; a < nc_; ++a) {
    const int n = dim_[a];
    auto& E = inverse_[a];
    E.setZero();
    for (int j = 0; j < n; ++j) {
      double column[D] = {};
      column[j] = 1;
      column[0] += gradient_[a][j] / (1 - gradient_[a][0]);
      scaling_[a].apply_inverse_square(column, n, column);
      for (int i = 0; i < n; ++i) E(i, j) = column[i];
    }
    if (n < D && S_[a][D - 1] == 0)
      for (int i = 1; i < D; ++i) E(i, i) = 1;
  }
}

template <int D>
void IpmSystem<D>::direction(const Vector& f, const Vector& c, Point& d) {
  c_.setZero();
  for (int a = 0; a < nc_; ++a) {
    double quotient[D];
    Lorentz::divide(scaling_[a].lambda, &c[a * D], dim_[a], quotient);
    scaling_[a].apply(quotient, dim_[a], &c_[a * D]);
    rhs_.template segment<D>(a * D) = f.segment<D>(a * D) + c_.segment<D>(a * D);
    rhs_[a * D] -= gradient_[a].dot(c_.segment<D>(a * D));
  }
  d.x.resize(m_);
  d.y.resize(m_);
  matrix_->solve(rhs_, d.x);
  for (int a = 0; a < nc_; ++a) {
    d.y.template segment<D>(a * D) = c_.segment<D>(a * D) - P2_[a] * d.x.template segment<D>(a * D);
    for (int i = dim_[a]; i < D; ++i) d.y[a * D + i] = 0;
  }
}

template <int D>
void IpmSystem<D>::lambda_squared(Vector& out) const {
  out.setZero(m_);
  for (int a = 0; a < nc_; ++a) Lorentz::product(scaling_[a].lambda, scaling_[a].lambda, dim_[a], &out[a * D]);
}

template <int D>
void IpmSystem<D>::second_order(const Point& d, Vector& out) const {
  out.setZero(m_);
  for (int a = 0; a < nc_; ++a) {
    double px[D], py[D];
    scaling_[a].apply(&d.x[a * D], dim_[a], px);
    scaling_[a].apply_inverse(&d.y[a * D], dim_[a], py);
    Lorentz::product(px, py, dim_[a], &out[a * D]);
  }
}

template <int D>
void IpmSystem<D>::local(const Point& d, double tau, Vector& out, double& worst) const {
  out.setZero(2 * m_);
  worst = 0;
  const double unit = 1 / std::sqrt(tau);
  for (int a = 0; a < nc_; ++a) {
    double *px = &out[a * D], *py = &out[m_ + a * D], sum = 0;
    scaling_[a].apply(&d.x[a * D], dim_[a], px);
    scaling_[a].apply_inverse(&d.y[a * D], dim_[a], py);
    for (int i = 0; i < dim_[a]; ++i) {
      px[i] *= unit;
      py[i] *= unit;
      sum += px[i] * px[i] + py[i] * py[i];
    }
    worst = std::max(worst, std::sqrt(sum));
  }
}

template class IpmSystem<2>;
template class IpmSystem<3>;

}  // namespace cornet
