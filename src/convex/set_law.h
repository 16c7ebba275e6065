// The convex problem of engine.h as a law (contact/laws.h), so that every method on laws is an engine: X^α and F(u) = u + shift e_N.
//
//   set         P_X(z)                                    recession cone X∞                          finite part of the support function σ_X(−ũ)
//   cone        P_K(z)                                    K                                          0
//   half_line   (max(z_N, 0), 0)                          { r_N ≥ 0, r_T = 0 }                       0
//   disk        (given, z_T cut to the radius)            0, or { r_N = 0 } for radius ∞             −given ũ_N + radius ‖ũ_T‖
//   cylinder    (max(z_N, 0), z_T cut to the radius)      { r_N ≥ 0, r_T = 0 (free: radius ∞) }      radius ‖ũ_T‖
//
// Also here: what an engine measures of a point (the same quantities as certify_convex, by other code), and the test for unboundedness.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contact/laws.h"
#include "convex/engine.h"

namespace cornet {

template <int D>
struct SetLaw {
  ConvexSets sets;

  Vec<D> project(int a, Vec<D> z) const {
    switch (sets.kind) {
      case ConvexSet::cone: return CoulombCone<D>{sets.mu[a]}.project(z);
      case ConvexSet::half_line: return half_line(z);
      case ConvexSet::cylinder: z[0] = std::max(z[0], 0.0); break;
      case ConvexSet::disk: z[0] = sets.normal ? sets.normal[a] : 0.0; break;
    }
    project_on_disk<D>(sets.radius[a], z);
    return z;
  }

  Vec<D> shifted(int a, Vec<D> u) const {
    if (sets.shift) u[0] += sets.shift[a];
    return u;
  }

  /// Projection on X∞.
  Vec<D> project_on_recession(int a, Vec<D> z) const {
    if (sets.kind == ConvexSet::cone) return CoulombCone<D>{sets.mu[a]}.project(z);
    if (sets.kind == ConvexSet::half_line) return half_line(z);
    z[0] = sets.kind == ConvexSet::cylinder ? std::max(z[0], 0.0) : 0.0;
    if (sets.radius[a] < std::numeric_limits<double>::infinity())
      for (int i = 1; i < D; ++i) z[i] = 0;
    return z;
  }

  /// Distance of ũ to the domain of the support function: K*, { ũ_N ≥ 0 }, all, and ũ_T = 0 where r_T is free.
  double dual_distance(int a, const Vec<D>& u) const {
    if (sets.kind == ConvexSet::cone) return (u - CoulombCone<D>{sets.mu[a]}.project_dual(u)).norm();
    const double normal = sets.kind == ConvexSet::disk ? 0.0 : std::max(-u[0], 0.0);
    const bool free = sets.kind != ConvexSet::half_line && !(sets.radius[a] < std::numeric_limits<double>::infinity());
    return free ? std::hypot(normal, tangent_norm<D>(u)) : normal;
  }

  /// r·ũ + σ_X(−ũ), the contact's share of the gap, ≥ 0 for r ∈ X and ũ in the domain.
  double gap(int a, const Vec<D>& r, const Vec<D>& u) const {
    double sum = r.dot(u);
    if (sets.kind == ConvexSet::disk && sets.normal) sum -= sets.normal[a] * u[0];
    if ((sets.kind == ConvexSet::disk || sets.kind == ConvexSet::cylinder) && sets.radius[a] < std::numeric_limits<double>::infinity())
      sum += sets.radius[a] * tangent_norm<D>(u);
    return sum;
  }

 private:
  static Vec<D> half_line(const Vec<D>& z) {
    Vec<D> p = Vec<D>::Zero();
    p[0] = std::max(z[0], 0.0);
    return p;
  }
};

/// What an engine knows about reactions r with velocities u = W r + q.
struct ConvexQuality {
  double natural_map = 0;  ///< ‖r − P_X(r − ũ)‖/‖q + E s‖
  double gap = 0;          ///< relative to the largest of |objectives| and ‖q + E s‖²/‖W‖ (1 if W or q + E s is 0)
  double violation = 0;  ///< distances of ũ to the dual domain, relative to ‖q + E s‖, and of r to X, relative to ‖r‖: the larger one
  bool good(double tolerance) const { return gap <= tolerance && violation <= tolerance; }
};

/// ‖q + E s‖, or 1 when it is below machine accuracy.
template <int D>
double shifted_norm(const LocalSystem<D>& system, const ConvexSets& sets) {
  double sum = 0;
  for (int a = 0; a < system.contacts(); ++a)
    for (int i = 0; i < D; ++i) {
      const double p = system.q[static_cast<std::size_t>(a) * D + i] + (i == 0 && sets.shift ? sets.shift[a] : 0.0);
      sum += p * p;
    }
  const double norm = std::sqrt(sum);
  return norm > std::numeric_limits<double>::epsilon() ? norm : 1.0;
}

template <int D>
ConvexQuality convex_quality(const LocalSystem<D>& system, const SetLaw<D>& law, const std::vector<double>& r, const std::vector<double>& u,
                             double norm_W) {
  ConvexQuality out;
  double energy = 0, linear = 0, load = 0;  // rᵀWr, rᵀp, pᵀp with p = q + E s
  double gap = 0, map = 0, outside = 0, violation = 0, length = 0;
  for (int a = 0; a < system.contacts(); ++a) {
    const Eigen::Map<const Vec<D>> r_a(r.data() + static_cast<std::size_t>(a) * D), q_a(system.q.data() + static_cast<std::size_t>(a) * D);
    const Vec<D> v = law.shifted(a, Eigen::Map<const Vec<D>>(u.data() + static_cast<std::size_t>(a) * D)), p = law.shifted(a, q_a);
    energy += r_a.dot(v - p);
    linear += r_a.dot(p);
    load += p.squaredNorm();
    gap += law.gap(a, r_a, v);
    map += (r_a - law.project(a, r_a - v)).squaredNorm();
    outside += (r_a - law.project(a, r_a)).squaredNorm();
    length += r_a.squaredNorm();
    const double distance = law.dual_distance(a, v);
    violation += distance * distance;
  }
  const double norm = shifted_norm(system, law.sets);
  const double dual = -0.5 * energy - linear, primal = dual + gap;
  out.natural_map = std::sqrt(map) / norm;
  const double energy_scale = norm_W > 0 && std::sqrt(load) > std::numeric_limits<double>::epsilon() ? load / norm_W : 1.0;
  out.gap = std::abs(gap) / std::max({std::abs(primal), std::abs(dual), energy_scale});
  out.violation = std::max(std::sqrt(violation) / norm, std::sqrt(length > 0 ? outside / length : outside));
  return out;
}

/// Projects `direction` on X∞, scales it to length 1, and returns how far it is from proving unboundedness: the larger of ‖W d‖/‖W‖ and
/// (dᵀWd/‖W‖)^½ over −dᵀ(q + E s)/‖q + E s‖, the measure of certify_infeasible; ∞ when d does not descend (one product with W).
template <int D>
double ray_residual(const LocalSystem<D>& system, const SetLaw<D>& law, std::vector<double>& direction, double norm_W) {
  const std::vector<double> zero(system.size(), 0.0);
  double length = 0, descent = 0;
  for (int a = 0; a < system.contacts(); ++a) {
    Eigen::Map<Vec<D>> d(direction.data() + static_cast<std::size_t>(a) * D);
    d = law.project_on_recession(a, d);
    length += d.squaredNorm();
    descent -= d.dot(law.shifted(a, Eigen::Map<const Vec<D>>(system.q.data() + static_cast<std::size_t>(a) * D)));
  }
  length = std::sqrt(length);
  if (!(length > 0) || !std::isfinite(length) || !(descent > 0)) return std::numeric_limits<double>::infinity();
  for (double& x : direction) x /= length;
  descent /= length * shifted_norm(system, law.sets);
  std::vector<double> Wd(system.size());
  system.W.times(direction.data(), zero.data(), Wd.data());
  double energy = 0, product = 0;
  for (std::size_t k = 0; k < Wd.size(); ++k) {
    energy += direction[k] * Wd[k];
    product += Wd[k] * Wd[k];
  }
  if (!(norm_W > 0)) return 0;
  return std::max(std::sqrt(product) / norm_W, std::sqrt(std::max(energy, 0.0) / norm_W)) / descent;
}

constexpr double kRayResidual = 3e-7;  ///< what an engine calls a ray; a little below what the certificate asks for

}  // namespace cornet
