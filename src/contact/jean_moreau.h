// The Jean–Moreau function of one contact and an element of its generalised Jacobian.
//
//   F_N = r_N − max(0, y),                y   = r_N − ρ_N u_N
//   F_T = r_T − P_D(μ max(0, r_N))(z_T),  z_T = r_T − ρ_T u_T,   D(a) = { ‖x‖ ≤ a }
//
// The radius of the disk is that of the reaction itself; Alart–Curnier takes y. F = 0 exactly at the solutions of K* ∋ u + g(u) ⊥ r ∈ K for
// every ρ_N, ρ_T > 0. μ = 0: the disk is a point, F_T = r_T. μ = ∞: the disk is the whole plane whatever r_N is, F_T = ρ_T u_T.
// On a kink the element is the limit from y ≤ 0, from r_N ≤ 0 and from inside the disk.
// Reference: M. Jean, J.-J. Moreau 1987; Acary, Brémond, Huber, (61), appendix 2 (167)–(170).
#pragma once

#include <cmath>
#include <limits>

#include "contact/alart_curnier.h"

namespace cornet {

/// F(r, u) with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> jean_moreau(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t) {
  ContactJacobian<D> out;
  out.dr.setZero();
  out.du.setZero();
  const bool takes_off = !(r[0] - rho_n * u[0] > 0), rough = !(mu < std::numeric_limits<double>::infinity());
  out.F[0] = takes_off ? r[0] : rho_n * u[0];
  (takes_off ? out.dr : out.du)(0, 0) = takes_off ? 1.0 : rho_n;

  const Vec<D> z = r - rho_t * u;
  const double radius = r[0] > 0 && !rough ? mu * r[0] : 0.0, t = tangent_norm<D>(z);
  if (rough || (radius > 0 && t <= radius)) {
    for (int i = 1; i < D; ++i) {
      out.F[i] = rho_t * u[i];
      out.du(i, i) = rho_t;
    }
    return out;
  }
  const double ratio = radius > 0 ? radius / t : 0.0;
  for (int i = 1; i < D; ++i) {
    out.F[i] = r[i] - ratio * z[i];
    out.dr(i, i) = 1;
    if (!(radius > 0)) continue;
    const double e_i = z[i] / t;
    out.dr(i, 0) = -mu * e_i;
    for (int j = 1; j < D; ++j) {
      const double turn = ratio * ((i == j ? 1.0 : 0.0) - e_i * (z[j] / t));
      out.dr(i, j) -= turn;
      out.du(i, j) = rho_t * turn;
    }
  }
  return out;
}

}  // namespace cornet
