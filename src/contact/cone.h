// The Coulomb cone of one contact, normal component first.
//
//   K  = { r : ‖r_T‖ ≤ μ r_N }          K* = { u : μ‖u_T‖ ≤ u_N }
//   μ = 0:  K = { r_T = 0, r_N ≥ 0 }     K* = { u_N ≥ 0 }
//   μ = ∞:  K = { r_N ≥ 0 }              K* = { u_T = 0, u_N ≥ 0 }
//
// Both cones are written as { c‖z_T‖ ≤ s z_N } with the bounded slopes (c, s) = (1, μ) for μ ≤ 1 and (1/μ, 1) beyond, c and s
// exchanged for the dual. No number larger than the data then ever appears, and μ = 0 and μ = ∞ are ordinary values:
//
//   P(z) = 0                                             if s‖z_T‖ ≤ −c z_N     (polar cone)
//        = z                                             if c‖z_T‖ ≤ s z_N      (inside)
//        = (c z_N + s‖z_T‖)/(c² + s²) · (c, s z_T/‖z_T‖)  otherwise             (boundary)
//
// Reference: V. Acary, M. Brémond, O. Huber, "On solving contact problems with Coulomb friction", (26)-(28), (51), appendix 1.
// Fails: never on finite data below 1e300 in magnitude; the shift μ‖u_T‖ of shifted() itself may overflow to ∞.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/small.h"

namespace cornet {

/// ‖(z₁ … z_{D−1})‖: absolute value in 2D; in 3D without overflow or underflow of the squares.
template <int D>
inline double tangent_norm(const Vec<D>& z) {
  static_assert(D == 2 || D == 3);
  if constexpr (D == 2) {
    return std::abs(z[1]);
  } else {
    const double t = std::sqrt(z[1] * z[1] + z[2] * z[2]);
    if (t > 1e-150 && t < 1e150) return t;
    return std::hypot(z[1], z[2]);
  }
}

template <int D>
struct CoulombCone {
  double mu;  ///< friction coefficient, 0 ≤ μ ≤ ∞

  /// Euclidean projection on K.
  Vec<D> project(const Vec<D>& z) const { return project_on(cosine(), sine(), z); }

  /// Euclidean projection on K*.
  Vec<D> project_dual(const Vec<D>& z) const { return project_on(sine(), cosine(), z); }

  /// Whether the distance of r to K is at most `tolerance` (same unit as r); 0 asks for the inequality itself.
  bool contains(const Vec<D>& r, double tolerance = 0) const { return is_in(cosine(), sine(), r, tolerance); }

  /// The same for K*.
  bool contains_dual(const Vec<D>& u, double tolerance = 0) const { return is_in(sine(), cosine(), u, tolerance); }

  /// De Saxcé's û = u + g(u) = (u_N + μ‖u_T‖, u_T); û = u for μ = ∞, where every solution has u_T = 0.
  Vec<D> shifted(const Vec<D>& u) const {
    Vec<D> v = u;
    if (mu < std::numeric_limits<double>::infinity()) v[0] += mu * tangent_norm<D>(u);
    return v;
  }

  /// Natural map with ρ = 1: r − P_K(r − û), zero exactly at K* ∋ û ⊥ r ∈ K; for μ = ∞ (r_N − max(0, r_N − u_N), u_T).
  Vec<D> natural_map(const Vec<D>& r, const Vec<D>& u) const {
    if (mu < std::numeric_limits<double>::infinity()) return r - project(r - shifted(u));
    Vec<D> f = u;
    f[0] = std::min(r[0], u[0]);
    return f;
  }

  /// An element of the generalised Jacobian ∂P_K(z): the derivative where it exists, on a kink the limit from the polar cone or from
  /// inside (for μ = 0 and ∞, where one of the two has no interior, the limit from z_N < 0 at z_N = 0).
  Mat<D> project_jacobian(const Vec<D>& z) const {
    const double c = cosine(), s = sine(), t = tangent_norm<D>(z);
    if (c == 0 || s == 0) {
      Mat<D> J = s * Mat<D>::Identity();
      J(0, 0) = z[0] > 0 ? 1 : 0;
      return J;
    }
    if (z[0] <= 0 && s * t <= -c * z[0]) return Mat<D>::Zero();
    if (z[0] >= 0 && c * t <= s * z[0]) return Mat<D>::Identity();
    // Here t > 0. With e = z_T/t the map is w·(c, s e): rank one along (c, s e) plus the turn of e at radius s w.
    const double scale = 1 / (c * c + s * s), w = (c * z[0] + s * t) * scale;
    const double turn = s * w / t;
    Mat<D> J;
    J(0, 0) = c * c * scale;
    for (int i = 1; i < D; ++i) {
      const double e_i = z[i] / t;
      J(0, i) = J(i, 0) = c * s * scale * e_i;
      for (int j = 1; j < D; ++j) {
        const double ee = e_i * (z[j] / t);
        J(i, j) = s * s * scale * ee + turn * ((i == j ? 1.0 : 0.0) - ee);
      }
    }
    return J;
  }

 private:
  double cosine() const { return mu <= 1 ? 1.0 : 1 / mu; }
  double sine() const { return mu <= 1 ? mu : 1.0; }

  static Vec<D> project_on(double c, double s, const Vec<D>& z) {
    const double t = tangent_norm<D>(z);
    if (z[0] <= 0 && s * t <= -c * z[0]) return Vec<D>::Zero();
    if (z[0] >= 0 && c * t <= s * z[0]) return z;
    const double w = (c * z[0] + s * t) / (c * c + s * s);
    Vec<D> p;
    p[0] = c * w;
    if constexpr (D == 2) {
      p[1] = std::copysign(s * w, z[1]);
    } else {
      const double turn = s * w / t;
      p[1] = turn * z[1];
      p[2] = turn * z[2];
    }
    return p;
  }

  static bool is_in(double c, double s, const Vec<D>& z, double tolerance) {
    if (z[0] >= 0 && c * tangent_norm<D>(z) <= s * z[0]) return true;
    if (!(tolerance > 0)) return false;
    return (z - project_on(c, s, z)).norm() <= tolerance;
  }
};

}  // namespace cornet
