// The Hüeber–Stadler–Wohlmuth function of one contact and an element of its generalised Jacobian.
//
//   F_N = r_N − max(0, y),                              y   = r_N − ρ_N u_N
//   F_T = max(μ y, ‖z_T‖) r_T − μ max(0, y) z_T         z_T = r_T − ρ_T u_T,   for y > 0
//       = r_T                                           for y ≤ 0
//
// The tangential rows are those of Alart–Curnier times max(μ y, ‖z_T‖): no quotient, so no blow-up at small z_T, and F_T is a reaction
// squared. For y ≤ 0 the printed (66) reads ‖z_T‖ r_T = 0, which r_T = ρ_T u_T satisfies without being a solution; like Hüeber, Stadler and
// Wohlmuth on their inactive set we take r_T = 0 instead. Then F = 0 exactly at the solutions; F jumps at y = 0, which only a line search
// would notice.
// μ = 0: F_T = r_T. μ = ∞: F_T = ρ_T u_T. On a kink the element is the limit from y ≤ 0, then from stick.
// Reference: S. Hüeber, G. Stadler, B. Wohlmuth 2008; Acary, Brémond, Huber, (66).
#pragma once

#include <limits>

#include "contact/alart_curnier.h"

namespace cornet {

/// F(r, u) with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> hueber_stadler_wohlmuth(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t) {
  ContactJacobian<D> out;
  out.dr.setZero();
  out.du.setZero();
  const double y = r[0] - rho_n * u[0];
  const bool takes_off = !(y > 0), rough = !(mu < std::numeric_limits<double>::infinity());
  out.F[0] = takes_off ? r[0] : rho_n * u[0];
  (takes_off ? out.dr : out.du)(0, 0) = takes_off ? 1.0 : rho_n;
  if (rough || takes_off || mu == 0) {
    for (int i = 1; i < D; ++i) {
      out.F[i] = rough ? rho_t * u[i] : r[i];
      (rough ? out.du : out.dr)(i, i) = rough ? rho_t : 1.0;
    }
    return out;
  }
  const Vec<D> z = r - rho_t * u;
  const double radius = mu * y, t = tangent_norm<D>(z);
  for (int i = 1; i < D; ++i) {
    if (t <= radius) {
      // μ y ρ_T u_T
      out.F[i] = radius * rho_t * u[i];
      out.dr(i, 0) = mu * rho_t * u[i];
      out.du(i, 0) = -rho_n * mu * rho_t * u[i];
      out.du(i, i) = radius * rho_t;
      continue;
    }
    // ‖z_T‖ r_T − μ y z_T
    out.F[i] = t * r[i] - radius * z[i];
    out.dr(i, 0) = -mu * z[i];
    out.du(i, 0) = rho_n * mu * z[i];
    for (int j = 1; j < D; ++j) {
      const double of_z = r[i] * (z[j] / t) - (i == j ? radius : 0.0);
      out.dr(i, j) = of_z + (i == j ? t : 0.0);
      out.du(i, j) = -rho_t * of_z;
    }
  }
  return out;
}

}  // namespace cornet
