// The Alart–Curnier function of one contact and an element of its generalised Jacobian.
//
//   F_N = r_N − max(0, y),              y   = r_N − ρ_N u_N
//   F_T = r_T − P_D(μ max(0, y))(z_T),  z_T = r_T − ρ_T u_T,   D(a) = { ‖x‖ ≤ a }
//
// F = 0 exactly at the solutions of K* ∋ u + g(u) ⊥ r ∈ K, for every ρ_N, ρ_T > 0. μ = 0: the disk is a point, F_T = r_T.
// μ = ∞: the disk is the whole plane whatever y is, F_T = ρ_T u_T.
// Jacobian by regions: take-off y ≤ 0, stick ‖z_T‖ ≤ μ y, slide otherwise with e = z_T/‖z_T‖, Γ = (I − eeᵀ)/‖z_T‖; on a kink the
// element is the limit from the region named first in this list.
// Reference: P. Alart, A. Curnier 1991; Acary, Brémond, Huber, (63), (111), appendix 2 (160)–(166).
// Other residual functions of the family are headers beside this one with the same signature and the same ContactJacobian.
#pragma once

#include <cmath>
#include <limits>

#include "contact/cone.h"
#include "linalg/small.h"

namespace cornet {

/// Value of a residual function F(r, u) of one contact and its partial derivatives ∂F/∂r, ∂F/∂u.
template <int D>
struct ContactJacobian {
  Vec<D> F;
  Mat<D> dr;
  Mat<D> du;
};

/// The case that the Alart–Curnier function takes a contact for; bits, so that sets of them can be kept.
enum ContactCase { kTakesOff = 1, kSticks = 2, kSlides = 4 };

/// … read off its Jacobian.
template <int D>
ContactCase case_of(const ContactJacobian<D>& j) {
  return j.dr(0, 0) != 0 ? kTakesOff : j.dr.isZero(0) ? kSticks : kSlides;
}

/// Step lengths of the normal and tangential projections: unit of r over unit of u.
struct RhoPair {
  double normal;
  double tangent;
};

/// Rule (111): ρ_N = 1/W_NN, ρ_T = 1/λmax(W_TT) of the symmetric part; 1 where the block is zero, negative or not invertible.
template <int D>
RhoPair rho_split(const Mat<D>& W) {
  double lambda = W(1, 1);
  if constexpr (D == 3) {
    const double half_gap = 0.5 * (W(1, 1) - W(2, 2)), off = 0.5 * (W(1, 2) + W(2, 1));
    Vec<3> h(0, half_gap, off);
    lambda = 0.5 * (W(1, 1) + W(2, 2)) + tangent_norm<3>(h);
  }
  const auto inverse_or_one = [](double x) {
    const double inverse = 1 / x;
    return x > 0 && inverse > 0 && inverse < std::numeric_limits<double>::infinity() ? inverse : 1.0;
  };
  return {inverse_or_one(W(0, 0)), inverse_or_one(lambda)};
}

/// F(r, u) alone.
template <int D>
Vec<D> alart_curnier_value(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t) {
  const double y = r[0] - rho_n * u[0];
  Vec<D> F;
  F[0] = y > 0 ? rho_n * u[0] : r[0];
  if (!(mu < std::numeric_limits<double>::infinity())) {
    for (int i = 1; i < D; ++i) F[i] = rho_t * u[i];
    return F;
  }
  const Vec<D> z = r - rho_t * u;
  const double radius = y > 0 ? mu * y : 0.0, t = tangent_norm<D>(z);
  if (y > 0 && mu > 0 && t <= radius) {
    for (int i = 1; i < D; ++i) F[i] = rho_t * u[i];
  } else {
    const double ratio = radius > 0 ? radius / t : 0.0;
    for (int i = 1; i < D; ++i) F[i] = r[i] - ratio * z[i];
  }
  return F;
}

/// F(r, u) with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> alart_curnier(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t) {
  ContactJacobian<D> out;
  out.dr.setZero();
  out.du.setZero();
  const double y = r[0] - rho_n * u[0];
  const bool takes_off = !(y > 0), rough = !(mu < std::numeric_limits<double>::infinity());
  out.F[0] = takes_off ? r[0] : rho_n * u[0];
  (takes_off ? out.dr : out.du)(0, 0) = takes_off ? 1.0 : rho_n;

  const Vec<D> z = r - rho_t * u;
  const double radius = takes_off ? 0.0 : mu * y, t = tangent_norm<D>(z);
  if (rough || (!takes_off && mu > 0 && t <= radius)) {
    for (int i = 1; i < D; ++i) {
      out.F[i] = rho_t * u[i];
      out.du(i, i) = rho_t;
    }
    return out;
  }
  // The disk is a point and stays one.
  if (takes_off || mu == 0) {
    for (int i = 1; i < D; ++i) {
      out.F[i] = r[i];
      out.dr(i, i) = 1;
    }
    return out;
  }
  const double ratio = radius / t;
  for (int i = 1; i < D; ++i) {
    const double e_i = z[i] / t;
    out.F[i] = r[i] - ratio * z[i];
    out.dr(i, 0) = -mu * e_i;
    out.du(i, 0) = mu * rho_n * e_i;
    for (int j = 1; j < D; ++j) {
      const double delta = i == j ? 1.0 : 0.0, turn = ratio * (delta - e_i * (z[j] / t));
      out.dr(i, j) = delta - turn;
      out.du(i, j) = rho_t * turn;
    }
  }
  return out;
}

}  // namespace cornet
