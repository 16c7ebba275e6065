// Laws of contact: what the splitting, projection and gradient methods need to know about one contact, so that one code of a method serves
// the exact Coulomb law and every convex problem that approximates it (Tresca, ACLM, Panagiotopoulos, relaxation).
//
// A law is a closed convex set X = ∏ X^α and a map F^α(u^α); its problem is  −F(W r + q) ∈ N_X(r), that is r = P_X(r − ρ F) for any ρ > 0.
//
//   law          X^α                                      F(u)                  problem
//   Coulomb      cone K_μ                                 u + (μ‖u_T‖, 0)       the exact law
//   Cone         cone K_μ                                 u + (s, 0)            second-order cone program for a given s ≥ 0 (s = 0: relaxation)
//   Cylinder     { r_N ≥ 0, ‖r_T‖ ≤ radius }              u                     Tresca friction
//   Normal       { r_N ≥ 0, r_T = given }                 (u_N, 0)              frictionless normal problem
//   Tangent      { r_N = given, ‖r_T‖ ≤ radius }          (0, u_T)              tangential problem with given thresholds
//
// Each law is a light value of pointers to per-contact data and has project(α, z), shifted(α, u) = F and project_scaled(α, z, n, t), the
// projection in the metric (·)_N²/n + ‖(·)_T‖²/t: a cone K_μ becomes K_μ' with μ' = μ √(n/t) after scaling, the other sets do not mix normal and
// tangent and project as before. μ = 0 and ∞ are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/cone.h"
#include "linalg/small.h"

namespace cornet {

/// Projection of the tangential part of z on the disk of the given radius (∞: unchanged).
template <int D>
void project_on_disk(double radius, Vec<D>& z) {
  if (!(radius < std::numeric_limits<double>::infinity())) return;
  const double t = tangent_norm<D>(z);
  if (t <= radius) return;
  const double ratio = radius > 0 ? radius / t : 0.0;
  for (int i = 1; i < D; ++i) z[i] *= ratio;
}

/// Projection on K_μ in the metric (·)_N²/n + ‖(·)_T‖²/t.
template <int D>
Vec<D> project_on_scaled_cone(double mu, double n, double t, Vec<D> z) {
  const double root_n = std::sqrt(n), root_t = std::sqrt(t);
  z[0] /= root_n;
  for (int i = 1; i < D; ++i) z[i] /= root_t;
  Vec<D> p = CoulombCone<D>{mu * (root_n / root_t)}.project(z);
  p[0] *= root_n;
  for (int i = 1; i < D; ++i) p[i] *= root_t;
  return p;
}

template <int D>
struct CoulombLaw {
  const double* mu;
  Vec<D> project(int a, const Vec<D>& z) const { return CoulombCone<D>{mu[a]}.project(z); }
  Vec<D> project_scaled(int a, const Vec<D>& z, double n, double t) const { return project_on_scaled_cone<D>(mu[a], n, t, z); }
  Vec<D> shifted(int a, const Vec<D>& u) const { return CoulombCone<D>{mu[a]}.shifted(u); }
};

template <int D>
struct ConeLaw {
  const double* mu;
  const double* s;  ///< nc, shift of the normal velocity
  Vec<D> project(int a, const Vec<D>& z) const { return CoulombCone<D>{mu[a]}.project(z); }
  Vec<D> project_scaled(int a, const Vec<D>& z, double n, double t) const { return project_on_scaled_cone<D>(mu[a], n, t, z); }
  Vec<D> shifted(int a, Vec<D> u) const {
    u[0] += s[a];
    return u;
  }
};

template <int D>
struct CylinderLaw {
  const double* radius;  ///< nc, ∞ allowed
  Vec<D> project(int a, Vec<D> z) const {
    z[0] = std::max(z[0], 0.0);
    project_on_disk<D>(radius[a], z);
    return z;
  }
  Vec<D> project_scaled(int a, const Vec<D>& z, double, double) const { return project(a, z); }
  Vec<D> shifted(int, const Vec<D>& u) const { return u; }
};

template <int D>
struct NormalLaw {
  const double* given;  ///< m, its tangential components are kept
  Vec<D> project(int a, Vec<D> z) const {
    z[0] = std::max(z[0], 0.0);
    for (int i = 1; i < D; ++i) z[i] = given[static_cast<std::size_t>(a) * D + i];
    return z;
  }
  Vec<D> project_scaled(int a, const Vec<D>& z, double, double) const { return project(a, z); }
  Vec<D> shifted(int, const Vec<D>& u) const {
    Vec<D> f = Vec<D>::Zero();
    f[0] = u[0];
    return f;
  }
};

template <int D>
struct TangentLaw {
  const double* given;   ///< m, its normal components are kept
  const double* radius;  ///< nc, ∞ allowed
  Vec<D> project(int a, Vec<D> z) const {
    z[0] = given[static_cast<std::size_t>(a) * D];
    project_on_disk<D>(radius[a], z);
    return z;
  }
  Vec<D> project_scaled(int a, const Vec<D>& z, double, double) const { return project(a, z); }
  Vec<D> shifted(int, Vec<D> u) const {
    u[0] = 0;
    return u;
  }
};

}  // namespace cornet
