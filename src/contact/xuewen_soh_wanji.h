// The Xuewen–Soh–Wanji function of one contact and an element of its generalised Jacobian.
//
//   space   F₁ = min(ρ_N u_N, r_N),   F₂ = min(ρ_T‖u_T‖, μ r_N − ‖r_T‖),   F₃ = ρ_T (|u_T × r_T| + max(0, u_T·r_T))
//   plane   F₁ as above,   F₂ = |min(ρ_T|u_T|, μ r_N − |r_T|)| + max(0, min(r_T, ρ_T u_T), min(−r_T, −ρ_T u_T))
//
// Two corrections make F = 0 exactly at the solutions of the law. The printed (65) has max(0, u_T1 r_T1) in F₃, which does not see the
// sense of vectors along the second axis: it has to be u_T·r_T. In the plane there is no F₃ and nothing left that says that friction
// opposes sliding: the last term of F₂ (zero exactly when r_T u_T ≤ 0) says it. ρ_N, ρ_T > 0 only bring velocities to the unit of r; F₃ is
// a reaction squared.
// μ = 0: F_T = r_T. μ = ∞: F_T = ρ_T u_T.
// The rows F₂ and F₃ vanish together with u_T and r_T, so that the Jacobian is singular at contacts that stick without tangential load, and
// F₃ ≥ 0 touches zero without crossing it: of all functions of the family the hardest for Newton. On a kink the element is a limit: from
// the first argument of min, from u_T × r_T ≥ 0 and u_T·r_T ≤ 0; a missing u_T or r_T is taken opposite to the other one, both missing
// along the first axis.
// Reference: L. Xuewen, A.-K. Soh, C. Wanji 2000; Acary, Brémond, Huber, (65).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/alart_curnier.h"

namespace cornet {

/// F(r, u) with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> xuewen_soh_wanji(const Vec<D>& r, const Vec<D>& u, double mu, double rho_n, double rho_t) {
  ContactJacobian<D> out;
  out.dr.setZero();
  out.du.setZero();
  const bool rough = !(mu < std::numeric_limits<double>::infinity()), closed = rho_n * u[0] <= r[0];
  out.F[0] = closed ? rho_n * u[0] : r[0];
  (closed ? out.du : out.dr)(0, 0) = closed ? rho_n : 1.0;
  if (rough || mu == 0) {
    for (int i = 1; i < D; ++i) {
      out.F[i] = rough ? rho_t * u[i] : r[i];
      (rough ? out.du : out.dr)(i, i) = rough ? rho_t : 1.0;
    }
    return out;
  }
  // Unit vectors along u_T and r_T.
  const double u_t = tangent_norm<D>(u), r_t = tangent_norm<D>(r), margin = mu * r[0] - r_t;
  const auto direction = [](const Vec<D>& w, double norm, const Vec<D>& other, double other_norm, int i) {
    return norm > 0 ? w[i] / norm : other_norm > 0 ? -other[i] / other_norm : i == 1 ? 1.0 : 0.0;
  };
  const bool sticks = rho_t * u_t <= margin;
  const double second = sticks ? rho_t * u_t : margin, sign = D == 2 && second < 0 ? -1.0 : 1.0;
  out.F[1] = sign * second;
  if (!sticks) out.dr(1, 0) = sign * mu;
  for (int i = 1; i < D; ++i) {
    if (sticks) out.du(1, i) = sign * rho_t * direction(u, u_t, r, r_t, i);
    else out.dr(1, i) = -sign * direction(r, r_t, u, u_t, i);
  }
  if constexpr (D == 2) {
    const double v = rho_t * u[1];
    if (r[1] * v <= 0) return out;
    // Same sign: the smaller of the two magnitudes.
    const double sense = v > 0 ? 1.0 : -1.0;
    const bool of_u = std::abs(v) <= std::abs(r[1]);
    out.F[1] += std::min(std::abs(v), std::abs(r[1]));
    (of_u ? out.du : out.dr)(1, 1) += of_u ? sense * rho_t : sense;
  } else {
    const double cross = u[1] * r[2] - u[2] * r[1], dot = u[1] * r[1] + u[2] * r[2];
    const double side = cross < 0 ? -1.0 : 1.0, same = dot > 0 ? 1.0 : 0.0;
    out.F[2] = rho_t * (std::abs(cross) + std::max(0.0, dot));
    out.du(2, 1) = rho_t * (side * r[2] + same * r[1]);
    out.du(2, 2) = rho_t * (-side * r[1] + same * r[2]);
    out.dr(2, 1) = rho_t * (-side * u[2] + same * u[1]);
    out.dr(2, 2) = rho_t * (side * u[1] + same * u[2]);
  }
  return out;
}

}  // namespace cornet
