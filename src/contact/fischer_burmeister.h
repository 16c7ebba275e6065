// The Fischer–Burmeister function of one contact by the Jordan algebra of the Lorentz cone L, and an element of its generalised Jacobian.
//
//   x = (μ r_N, r_T),   y = ρ (û_N/μ, û_T),   û = (u_N + μ‖u_T‖, u_T)                     x, y ∈ L,  x·y = ρ r·û
//   F = φ(x, y) = x + y − (x∘x + y∘y)^½,   x∘y = (x·y, y_N x_T + x_N y_T)
//
// F = 0 ⇔ L ∋ x ⊥ y ∈ L ⇔ K* ∋ û ⊥ r ∈ K, for every ρ > 0 (unit of r over unit of u) and 0 < μ < ∞. μ = 0 and ∞ by the scalar function
// φ(a, b) = a + b − √(a² + b²) in the normal direction, F_T = r_T for μ = 0 and ρ u_T for μ = ∞: then too F = 0 exactly at the solutions.
//
// With v = x∘x + y∘y, e = v_T/‖v_T‖ and the spectral values  λ∓ = Σ_{w ∈ {x, y}} (w_N ∓ e·w_T)² + ‖w_T‖² − (e·w_T)²  (a sum of squares, no
// cancellation) the root is z = ½(√λ₊ (1, e) + √λ₋ (1, −e)), and with L_w the matrix of w∘
//   ∂φ/∂x = I − L_z⁻¹ L_x,   L_z⁻¹ = ½ (1, e)(1, e)ᵀ/√λ₊ + ½ (1, −e)(1, −e)ᵀ/√λ₋ + 2/(√λ₋ + √λ₊) (0 ⊕ (I − eeᵀ)).
// φ has a kink where λ₋ = 0 (x and y on one ray of ∂L, or zero): the element is the limit along (x + t e_N, y + t e_N), t ↓ 0.
// Reference: M. Fukushima, Z.-Q. Luo, P. Tseng 2002; D. Sun, J. Sun 2005; Acary, Brémond, Huber, (69)–(79).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/alart_curnier.h"
#include "contact/cone.h"
#include "contact/natural_map.h"

namespace cornet {

/// Scalar φ(a, b) = a + b − √(a² + b²) with its two derivatives; at (0, 0) those of the limit along (t, t).
struct ScalarFischerBurmeister {
  double value, da, db;
  ScalarFischerBurmeister(double a, double b) {
    const double norm = std::hypot(a, b), sum = a + b;
    value = sum > 0 ? 2 * a * (b / (sum + norm)) : sum - norm;
    da = 1 - (norm > 0 ? a / norm : std::sqrt(0.5));
    db = 1 - (norm > 0 ? b / norm : std::sqrt(0.5));
  }
};

/// φ(x, y) on the Lorentz cone with elements of ∂φ/∂x (in dr) and ∂φ/∂y (in du); without `jacobian` those are left unset.
template <int D>
ContactJacobian<D> lorentz_fischer_burmeister(const Vec<D>& x, const Vec<D>& y, bool jacobian = true) {
  using Tangent = Eigen::Matrix<double, D - 1, 1>;
  const auto tangent = [](const Vec<D>& w) -> Tangent { return w.template tail<D - 1>(); };
  ContactJacobian<D> out;
  // e is the direction of v_T; where v_T = 0 the two spectral values agree and any e will do.
  Tangent e = x[0] * tangent(x) + y[0] * tangent(y);
  const double length = e.stableNorm();
  if (length > 0) e /= length;
  else e = Tangent::Unit(0);
  double lower = 0, upper = 0;
  for (const Vec<D>* w : {&x, &y}) {
    const double along = e.dot(tangent(*w)), across = (tangent(*w) - along * e).squaredNorm();
    lower += ((*w)[0] - along) * ((*w)[0] - along) + across;
    upper += ((*w)[0] + along) * ((*w)[0] + along) + across;
  }
  if (lower > upper) std::swap(lower, upper);  // rounding, when v_T is next to 0
  const double root_lower = std::sqrt(lower), root_upper = std::sqrt(upper);
  if (!(upper > 0)) {
    out.F = x + y;
    out.dr = out.du = (1 - std::sqrt(0.5)) * Mat<D>::Identity();
    return out;
  }
  out.F[0] = x[0] + y[0] - 0.5 * (root_upper + root_lower);
  out.F.template tail<D - 1>() = tangent(x) + tangent(y) - 0.5 * (root_upper - root_lower) * e;

  if (!jacobian) return out;
  const bool kink = !(root_lower > 1e-15 * root_upper);
  Vec<D> plus, minus;
  plus << 1, e;
  minus << 1, -e;
  const auto one_minus_quotient = [&](const Vec<D>& w) {
    // Rows of L_w applied to the eigenvectors of L_z.
    Mat<D> L = w[0] * Mat<D>::Identity();
    L.template block<1, D - 1>(0, 1) = tangent(w).transpose();
    L.template block<D - 1, 1>(1, 0) = tangent(w);
    const Vec<D> along_plus = L * plus / root_upper;
    const Vec<D> along_minus = kink ? Vec<D>(std::sqrt(0.5) * minus) : Vec<D>(L * minus / root_lower);
    Mat<D> Q = 0.5 * (plus * along_plus.transpose() + minus * along_minus.transpose());
    if constexpr (D == 3) {
      const Vec<3> across(0, -e[1], e[0]);
      Q += 2 / (root_lower + root_upper) * across * (L * across).transpose();
    }
    return Mat<D>(Mat<D>::Identity() - Q);
  };
  out.dr = one_minus_quotient(x);
  out.du = one_minus_quotient(y);
  return out;
}

/// F(r, u) with an element of its generalised Jacobian; without `jacobian` the derivatives may be left unset.
template <int D>
ContactJacobian<D> fischer_burmeister(const Vec<D>& r, const Vec<D>& u, double mu, double rho, bool jacobian = true) {
  if (mu > 0 && mu < std::numeric_limits<double>::infinity()) {
    Vec<D> x = r, y = rho * u;
    x[0] *= mu;
    y[0] = rho * (u[0] / mu + tangent_norm<D>(u));
    ContactJacobian<D> out = lorentz_fischer_burmeister<D>(x, y, jacobian);
    if (!jacobian) return out;
    out.dr.col(0) *= mu;
    Mat<D> dy = shift_jacobian<D>(r, u, mu);
    dy.row(0) /= mu;
    out.du = rho * out.du * dy;
    return out;
  }
  ContactJacobian<D> out;
  out.dr.setZero();
  out.du.setZero();
  const ScalarFischerBurmeister normal(r[0], rho * u[0]);
  out.F[0] = normal.value;
  out.dr(0, 0) = normal.da;
  out.du(0, 0) = rho * normal.db;
  for (int i = 1; i < D; ++i) {
    out.F[i] = mu == 0 ? r[i] : rho * u[i];
    (mu == 0 ? out.dr : out.du)(i, i) = mu == 0 ? 1.0 : rho;
  }
  return out;
}

}  // namespace cornet
