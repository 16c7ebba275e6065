// Newton steps of one contact in closed form, region by region, for the residual functions whose disk has a radius a = μ y:
// Alart–Curnier (63) with y = r_N − ρ_N u_N, Jean–Moreau (61) with y = r_N. Primes are new values, z_T = r_T − ρ_T u_T, e = z_T/‖z_T‖,
// f ⊥ e, β = a/‖z_T‖:
//
//   stick  ‖z_T‖ ≤ a:   u' = 0
//   slide  otherwise:   u_N' = 0,   e·r_T' = μ r_N',   (1 − β) f·r_T' + β ρ_T f·u_T' = 0
//
// (the derivation uses f·z_T = 0 and, for (63), du_N = −u_N from the first row). In 2D there is no f and slide is one division. Steps are
// increments computed from the present residual, so that a further iteration refines the rounding of the last one.
// Reference: Acary, Brémond, Huber, appendix 2, (160)–(170), reduced by hand.
#pragma once

#include <cmath>

#include "contact/small_solve.h"
#include "linalg/small.h"

namespace cornet {

/// Stick: W dr = −u, a basic solution if W is singular.
template <int D>
inline Vec<D> stick_step(const Mat<D>& W, const Vec<D>& u) {
  Vec<D> dr;
  const Vec<D> b = -u;
  if (!solve_cofactor<D>(W, b, dr)) dr = solve_rank_revealing<D>(W, b);
  return dr;
}

/// Slide in 2D: r_T' = ± μ r_N' and u_N' = 0. False when this is singular; the arguments that only 3D needs have no name.
inline bool slide_step(const Mat<2>& W, double mu, double rho_t, double, double, const Vec<2>& r, const Vec<2>& u, Vec<2>& dr) {
  const double slope = r[1] - rho_t * u[1] >= 0 ? mu : -mu;
  const double gap = r[1] - slope * r[0], pivot = W(0, 0) + slope * W(0, 1);
  if (!(std::abs(pivot) > 1e-14 * std::abs(W(0, 0)))) return false;
  dr[0] = (gap * W(0, 1) - u[0]) / pivot;
  dr[1] = slope * dr[0] - gap;
  return true;
}

/// Slide in 3D in the frame (e, f), unknowns dr_N and f·dr_T. `inverse` = 1/‖z_T‖, or 0 for z_T = 0, where any e will do (μ = 0).
/// False when the system is singular.
inline bool slide_step(const Mat<3>& W, double mu, double rho_t, double beta, double inverse, const Vec<3>& r, const Vec<3>& u,
                       Vec<3>& dr) {
  const double e1 = inverse > 0 ? (r[1] - rho_t * u[1]) * inverse : 1.0, e2 = (r[2] - rho_t * u[2]) * inverse;
  const double turn = beta * rho_t;
  const double gap = e1 * r[1] + e2 * r[2] - mu * r[0];
  const double W_Ne = W(0, 1) * e1 + W(0, 2) * e2, W_Nf = W(0, 2) * e1 - W(0, 1) * e2;
  // Row f of W_T·, applied to the normal, to e and to f.
  const double f_0 = W(2, 0) * e1 - W(1, 0) * e2, f_1 = W(2, 1) * e1 - W(1, 1) * e2, f_2 = W(2, 2) * e1 - W(1, 2) * e2;
  const double f_e = f_1 * e1 + f_2 * e2, f_f = f_2 * e1 - f_1 * e2;
  const double a11 = W(0, 0) + mu * W_Ne, a21 = turn * (f_0 + mu * f_e), a22 = (1 - beta) + turn * f_f;
  const double b1 = gap * W_Ne - u[0];
  const double b2 = turn * (gap * f_e - (u[2] * e1 - u[1] * e2)) - (1 - beta) * (r[2] * e1 - r[1] * e2);
  const double product = a11 * a22, det = product - W_Nf * a21;
  if (!(std::abs(det) > 1e-14 * std::abs(product))) return false;
  const double inverse_det = 1 / det;
  dr[0] = (b1 * a22 - W_Nf * b2) * inverse_det;
  const double along_e = mu * dr[0] - gap, along_f = (a11 * b2 - b1 * a21) * inverse_det;
  dr[1] = along_e * e1 - along_f * e2;
  dr[2] = along_e * e2 + along_f * e1;
  return true;
}

}  // namespace cornet
