// The natural map F = r − P_K(r − û) of one contact, by cases: û where r − û lies in K, r where it lies in the polar cone, and between them,
// with the outward normal n of the boundary at the projection,
//
//   F = û − (n·û) n + (n·r) n,   n = (−s, c z_T/‖z_T‖),   z = r − û,   K = { c‖z_T‖ ≤ s z_N },  c² + s² = 1
//
// The difference r − P_K(r − û) itself loses û where ‖r‖ is so large that r − û rounds to r: squeezed contacts, whose velocity then looks like
// zero. For μ = ∞ F = (min(r_N, u_N), u_T).
#pragma once

#include <cmath>

#include "contact/cone.h"

namespace cornet {

template <int D>
Vec<D> accurate_natural_map(const Vec<D>& r, const Vec<D>& u, double mu) {
  if (!(mu < std::numeric_limits<double>::infinity())) {
    Vec<D> F = u;
    F[0] = std::min(r[0], u[0]);
    return F;
  }
  if (u[0] >= 0 && is_zero<D>(r)) return r;                         // open
  const double a = mu <= 1 ? 1.0 : 1 / mu, b = mu <= 1 ? mu : 1.0;  // c and s but for their length
  Vec<D> shifted = CoulombCone<D>{mu}.shifted(u);
  const Vec<D> z = r - shifted;
  const double t = tangent_norm<D>(z);
  if (z[0] >= 0 && a * t <= b * z[0]) return shifted;
  if (b * t <= -a * z[0]) return r;
  const double length = std::sqrt(a * a + b * b), c = a / length;
  Vec<D> n;
  n[0] = -b / length;
  for (int i = 1; i < D; ++i) n[i] = c * (z[i] / t);
  return shifted + (n.dot(r) - n.dot(shifted)) * n;
}

}  // namespace cornet
