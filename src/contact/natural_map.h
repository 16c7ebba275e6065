// The natural map of one contact with a step length ρ, and an element of its generalised Jacobian.
//
//   F = r − P_K(z),   z = r − ρ û,   û = u + g(u) = (u_N + μ‖u_T‖, u_T)
//   ∂F/∂r = I − J,    ∂F/∂u = ρ J (I + μ e_N (0, s)ᵀ),    J ∈ ∂P_K(z),   s = u_T/‖u_T‖
//
// F = 0 exactly at the solutions of K* ∋ û ⊥ r ∈ K for every ρ > 0; ρ = 1 is the error of the project. μ = 0: F = (r_N − max(0, r_N − ρ
// u_N), r_T).
// μ = ∞: F = (r_N − max(0, r_N − ρ u_N), ρ u_T), because there û = u and every solution has u_T = 0.
// Kinks: J as in cone.h. At u_T = 0 the limits have any unit s; the one returned is −r_T/‖r_T‖, the direction in which the contact would
// begin to slide, and for r_T = 0 too their mean s = 0 (an element of the convex hull that does not depend on the frame).
// Reference: Acary, Brémond, Huber, (51), appendix 2 (158)–(159); the printed (159) has the derivative of g transposed and without μ.
#pragma once

#include <limits>

#include "contact/alart_curnier.h"
#include "contact/cone.h"

namespace cornet {

/// I + μ e_N (0, s)ᵀ, an element of the generalised Jacobian of u ↦ û; the choice at u_T = 0 is explained at the top of the file.
template <int D>
Mat<D> shift_jacobian(const Vec<D>& r, const Vec<D>& u, double mu) {
  Mat<D> G = Mat<D>::Identity();
  const double t = tangent_norm<D>(u), back = tangent_norm<D>(r);
  for (int i = 1; i < D; ++i) G(0, i) = t > 0 ? mu * (u[i] / t) : back > 0 ? -mu * (r[i] / back) : 0.0;
  return G;
}

/// F(r, u) alone.
template <int D>
Vec<D> natural_map_value(const Vec<D>& r, const Vec<D>& u, double mu, double rho) {
  if (mu > 0 && mu < std::numeric_limits<double>::infinity()) {
    const CoulombCone<D> cone{mu};
    return r - cone.project(r - rho * cone.shifted(u));
  }
  Vec<D> F = mu == 0 ? r : Vec<D>(rho * u);
  F[0] = r[0] - rho * u[0] > 0 ? rho * u[0] : r[0];
  return F;
}

/// F(r, u) with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> natural_map(const Vec<D>& r, const Vec<D>& u, double mu, double rho) {
  ContactJacobian<D> out;
  if (mu > 0 && mu < std::numeric_limits<double>::infinity()) {
    const CoulombCone<D> cone{mu};
    const Vec<D> z = r - rho * cone.shifted(u);
    const Mat<D> J = cone.project_jacobian(z);
    out.F = r - cone.project(z);
    out.dr = Mat<D>::Identity() - J;
    out.du = rho * J * shift_jacobian<D>(r, u, mu);
    return out;
  }
  out.dr.setZero();
  out.du.setZero();
  const auto identity_row = [&](int i, bool of_reaction) {
    out.F[i] = of_reaction ? r[i] : rho * u[i];
    (of_reaction ? out.dr : out.du)(i, i) = of_reaction ? 1.0 : rho;
  };
  identity_row(0, !(r[0] - rho * u[0] > 0));
  for (int i = 1; i < D; ++i) identity_row(i, mu == 0);
  return out;
}

}  // namespace cornet
