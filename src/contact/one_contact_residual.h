// The error of a point of the one-contact problem, as defined at the top of one_contact.h, for the solvers of this folder.
#pragma once

#include <limits>

#include "contact/alart_curnier.h"
#include "contact/small_solve.h"
#include "linalg/small.h"

namespace cornet {

/// ‖(F_N/ρ_N, F_T/ρ_T)‖ with F of Jean and Moreau (61), a velocity; ∞ where it overflows.
template <int D>
inline double velocity_residual(const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec<D> v;
  v[0] = r[0] - rho.normal * u[0] > 0 ? u[0] : r[0] / rho.normal;
  const Vec<D> z = r - rho.tangent * u;
  const double t = tangent_norm<D>(z), radius = r[0] > 0 ? mu * r[0] : 0.0;
  if (mu == kInfinity || (mu > 0 && t <= radius)) {
    for (int i = 1; i < D; ++i) v[i] = u[i];
  } else {
    const double ratio = radius > 0 ? radius / t : 0.0;
    for (int i = 1; i < D; ++i) v[i] = (r[i] - ratio * z[i]) / rho.tangent;
  }
  const double norm = safe_norm<D>(v);
  return norm < kInfinity ? norm : kInfinity;
}

/// ‖q‖, or 1 when q = 0.
template <int D>
inline double data_scale(const Vec<D>& q) {
  const double norm = safe_norm<D>(q);
  return norm > 0 ? norm : 1.0;
}

}  // namespace cornet
