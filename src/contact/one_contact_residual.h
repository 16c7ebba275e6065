// The error of a point of the one-contact problem, as defined at the top of one_contact.h, for the solvers of this folder.
#pragma once

#include <cmath>
#include <limits>

#include "contact/cone.h"
#include "contact/small_solve.h"
#include "linalg/small.h"

namespace cornet {

/// λ, the largest diagonal entry of W; for a W that is not positive semidefinite its largest entry, 1 for W = 0.
template <int D>
inline double mobility_scale(const Mat<D>& W) {
  const double largest = W.diagonal().maxCoeff();
  if (largest > 0) return largest;
  const double entry = W.cwiseAbs().maxCoeff();
  return entry > 0 ? entry : 1.0;
}

/// λF with F of Jean and Moreau (61) for ρ_N = ρ_T = ρ = 1/λ: the velocity that should vanish.
template <int D>
inline Vec<D> velocity_residual(const Vec<D>& r, const Vec<D>& u, double mu, double lambda, double rho) {
  Vec<D> v = u;
  if (!(r[0] > rho * u[0])) v[0] = lambda * r[0];
  const Vec<D> z = r - rho * u;
  const double t = tangent_norm<D>(z), radius = r[0] > 0 ? mu * r[0] : 0.0;
  if (mu < std::numeric_limits<double>::infinity() && !(mu > 0 && t <= radius)) {
    const double ratio = radius > 0 ? radius / t : 0.0;
    for (int i = 1; i < D; ++i) v[i] = lambda * (r[i] - ratio * z[i]);
  }
  return v;
}

/// Its norm; ∞ where something overflows.
template <int D>
inline double velocity_error(const Vec<D>& r, const Vec<D>& u, double mu, double lambda) {
  const double norm = safe_norm<D>(velocity_residual<D>(r, u, mu, lambda, 1 / lambda));
  return norm < std::numeric_limits<double>::infinity() ? norm : std::numeric_limits<double>::infinity();
}

/// ‖q‖, or 1 when q = 0.
template <int D>
inline double data_scale(const Vec<D>& q) {
  const double norm = safe_norm<D>(q);
  return norm > 0 ? norm : 1.0;
}

}  // namespace cornet
