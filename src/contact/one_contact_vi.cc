// Projection methods for one contact: K* ∋ û ⊥ r ∈ K as the variational inequality −û(r) ∈ N_K(r), û(r) = u + g(u), u = W r + q.
//
//   r̄ = P_K(r − ρ û(r)),    ratio = ρ‖û(r) − û(r̄)‖ / ‖r − r̄‖                                  (98), (101)
//   ratio > L = 0.9: ρ ← ⅔ρ and try again;   then r ← r̄;   ratio < L_min = 0.3: ρ ← ρ/⅔
//
// Also here: one such projection with a given ρ, and the error of a point.
// Reference: De Saxcé, Feng 1991; Khobotov 1987; Acary, Brémond, Huber, §4, Algorithms 1 and 3.
// Fails: linear convergence with a rate near 1 for ill-conditioned W; no theory for strong coupling, where û is not monotone.
#include <algorithm>
#include <cmath>

#include "contact/one_contact.h"
#include "contact/one_contact_residual.h"
#include "contact/small_solve.h"

namespace cornet {

template <int D>
double local_error(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& r) {
  const Vec<D> u = W * r + q;
  return velocity_error<D>(r, u, mu, mobility_scale<D>(W)) / data_scale<D>(q);
}

template <int D>
Vec<D> one_projection(const Mat<D>& W, const Vec<D>& q, double mu, double rho, const Vec<D>& r) {
  const CoulombCone<D> cone{mu};
  const Vec<D> next = cone.project(r - rho * cone.shifted(W * r + q));
  return next.allFinite() ? next : r;
}

template <int D>
LocalOutcome vi_fixed_point(const Mat<D>& W, const Vec<D>& q, double mu, double& rho, double tolerance, int max_iterations, Vec<D>& r,
                            double reduction) {
  constexpr double kL = 0.9, kLMin = 0.3, kNu = 2.0 / 3.0, kSmallest = 1e-250, kLargest = 1e250;
  const CoulombCone<D> cone{mu};
  const double lambda = mobility_scale<D>(W);
  const double scale = data_scale<D>(q);
  const double size = W.cwiseAbs().maxCoeff();
  if (!(rho > kSmallest && rho < kLargest)) {
    rho = size > 1 / kLargest && size < 1 / kSmallest ? 1 / size : 1.0;
  }

  Vec<D> u = W * r + q, shifted = cone.shifted(u);
  double error = velocity_error<D>(r, u, mu, lambda);
  const double target = std::max(tolerance * scale, reduction * error);
  int k = 0;
  for (; k < max_iterations && !(error <= target); ++k) {
    Vec<D> next, next_u, next_shifted;
    double ratio = 0;
    for (;;) {
      next = cone.project(r - rho * shifted);
      next_u = W * next + q;
      next_shifted = cone.shifted(next_u);
      const double moved = safe_norm<D>(r - next);
      ratio = moved > 0 ? rho * safe_norm<D>(shifted - next_shifted) / moved : 0.0;
      if (ratio <= kL || rho <= kSmallest) break;
      rho *= kNu;
    }
    if (!next_shifted.allFinite()) break;
    const bool fixed = next == r;
    r = next;
    u = next_u;
    shifted = next_shifted;
    error = velocity_error<D>(r, u, mu, lambda);
    // A fixed point to the last bit is all that projection can reach, unless ρ was too small to move at all.
    if (fixed && rho * size >= kLMin) break;
    if (ratio < kLMin && rho < kLargest) rho /= kNu;
  }
  return {error <= target, k, error / scale};
}

template double local_error<2>(const Mat<2>&, const Vec<2>&, double, const Vec<2>&);
template double local_error<3>(const Mat<3>&, const Vec<3>&, double, const Vec<3>&);
template Vec<2> one_projection<2>(const Mat<2>&, const Vec<2>&, double, double, const Vec<2>&);
template Vec<3> one_projection<3>(const Mat<3>&, const Vec<3>&, double, double, const Vec<3>&);
template LocalOutcome vi_fixed_point<2>(const Mat<2>&, const Vec<2>&, double, double&, double, int, Vec<2>&, double);
template LocalOutcome vi_fixed_point<3>(const Mat<3>&, const Vec<3>&, double, double&, double, int, Vec<3>&, double);

}  // namespace cornet
