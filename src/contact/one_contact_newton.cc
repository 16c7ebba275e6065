// Nonsmooth Newton for one contact on the Alart–Curnier function (63) or the Jean–Moreau function (61), the inner kernel of Gauss–Seidel.
//
// In each region of F the Newton equation F + J dr = 0 has a closed form: r' = 0 in take-off (y ≤ 0), W dr = −u in stick (‖z_T‖ ≤ μ y),
// two unknowns in slide, see newton_steps.h. A singular system is solved with rank-revealing elimination.
// Goldstein–Price line search on ½‖F‖² with m1 = 0.1, m2 = 0.9, extrapolation 2, at most 20 trials; the last trial is kept on failure.
// Reference: Acary, Brémond, Huber, §5, Algorithms 4 and 5, (63), (113), appendix 2.
// Fails: may cycle between regions when μ‖W_NT‖ is of the order of W_NN or ρ is badly chosen; then the best point seen is returned.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/laws.h"
#include "contact/newton_steps.h"
#include "contact/one_contact.h"
#include "contact/one_contact_residual.h"
#include "contact/small_solve.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Radius of the friction disk: μ(r_N − ρ_N u_N)₊ of Alart and Curnier (63), or μ(r_N)₊ of Jean and Moreau (61).
enum class Disk { predicted, current };

template <int D, Disk disk>
inline double disk_height(const Vec<D>& r, double y) {
  return disk == Disk::predicted ? y : std::max(r[0], 0.0);
}

/// F with the disk of the template parameter.
template <int D, Disk disk>
inline Vec<D> function_value(const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho) {
  if constexpr (disk == Disk::predicted) {
    return alart_curnier_value<D>(r, u, mu, rho.normal, rho.tangent);
  } else {
    Vec<D> p = r - rho.tangent * u;
    project_on_disk<D>(mu == kInfinity ? kInfinity : mu * std::max(r[0], 0.0), p);
    p[0] = std::max(r[0] - rho.normal * u[0], 0.0);
    return r - p;
  }
}

/// The region of F in which a point lies.
struct Region {
  bool takes_off;        ///< y = r_N − ρ_N u_N ≤ 0
  bool sticks;           ///< ‖z_T‖ ≤ μ y, or μ = ∞
  double beta, inverse;  ///< μ y/‖z_T‖ and 1/‖z_T‖ in slide
};

template <int D, Disk disk>
inline Region locate(const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho) {
  const double y = r[0] - rho.normal * u[0];
  if (!(y > 0)) return {true, mu == kInfinity, 0, 0};
  const double t = tangent_norm<D>(r - rho.tangent * u), radius = mu * disk_height<D, disk>(r, y);
  if (mu > 0 && t <= radius) return {false, true, 0, 0};
  const double inverse = t > 0 ? 1 / t : 0.0;
  return {false, false, radius * inverse, inverse};
}

/// Newton step from the assembled Jacobian of (63): for singular blocks and for take-off with μ = ∞, where (61) has the same rows.
template <int D>
Vec<D> assembled_step(const Mat<D>& W, double mu, RhoPair rho, const Vec<D>& r, const Vec<D>& u) {
  const ContactJacobian<D> at = alart_curnier<D>(r, u, mu, rho.normal, rho.tangent);
  return solve_rank_revealing<D>(at.dr + at.du * W, -at.F);
}

template <int D>
inline Vec<D> newton_step(const Mat<D>& W, double mu, RhoPair rho, const Vec<D>& r, const Vec<D>& u, const Region& at) {
  if (at.takes_off) return mu == kInfinity ? assembled_step<D>(W, mu, rho, r, u) : Vec<D>(-r);
  if (at.sticks) return stick_step<D>(W, u);
  Vec<D> dr;
  if (!slide_step(W, mu, rho.tangent, at.beta, at.inverse, r, u, dr)) dr = assembled_step<D>(W, mu, rho, r, u);
  return dr;
}

/// Goldstein–Price on θ(t) = ½‖F(r + t dr)‖², θ'(0) = −2θ(0) for a Newton direction; returns the step length.
template <int D, Disk disk>
double goldstein_price(const Vec<D>& r, const Vec<D>& u, const Vec<D>& dr, const Vec<D>& du, double mu, RhoPair rho) {
  constexpr double kFlat = 0.1, kSteep = 0.9, kExtrapolation = 2;
  constexpr int kTrials = 20;
  const auto merit = [&](double t) { return 0.5 * squared_norm<D>(function_value<D, disk>(r + t * dr, u + t * du, mu, rho)); };
  const double start = merit(0), slope = -2 * start;
  double t = 1, left = 0, right = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double change = (merit(t) - start) / t;
    const bool too_long = !(change <= kFlat * slope), too_short = change < kSteep * slope;
    if (!too_long && !too_short) break;
    (too_long ? right : left) = t;
    t = right > 0 ? 0.5 * (left + right) : kExtrapolation * t;
  }
  return t;
}

/// The iteration for ‖q‖ of moderate size, where squares neither overflow nor underflow.
template <int D, Disk disk>
inline LocalOutcome iterate(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations,
                            bool line_search, double reduction, Vec<D>& r) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const double q_squared = squared_norm<D>(q), scale = q_squared > 0 ? q_squared : 1.0;
  const double lambda = mobility_scale<D>(W), inverse = 1 / lambda;
  Vec<D> best = r, trial = r;
  double target = tolerance * tolerance * scale, best_error = kInfinity, last = kInfinity;
  double limit = target;
  int k = 0;
  for (;; ++k) {
    const Vec<D> u = W * trial + q;
    // An open contact without reaction is the commonest case and needs no residual.
    const bool open = q[0] >= 0 && mu < kInfinity && is_zero<D>(trial);
    const double error = open ? 0.0 : squared_norm<D>(velocity_residual<D>(trial, u, mu, lambda, inverse));
    if (error < best_error) {
      best_error = error;
      best = trial;
    }
    if (k == 0 && error < kInfinity) limit = target = std::max(target, reduction * reduction * error);
    if (error <= target || k >= max_iterations || !(error < kInfinity)) break;
    // No more progress: the error may have reached what rounding allows.
    if (!(error < 0.0625 * last)) {
      const double floor = kRounding * (std::sqrt(scale) + W.trace() * std::sqrt(squared_norm<D>(trial)));
      limit = std::max(target, floor * floor);
      if (error <= limit) break;
    }
    last = error;
    Vec<D> dr = newton_step<D>(W, mu, rho, trial, u, locate<D, disk>(trial, u, mu, rho));
    if (line_search) dr *= goldstein_price<D, disk>(trial, u, dr, W * dr, mu, rho);
    trial += dr;
  }
  r = best;
  return {best_error <= limit, k, std::sqrt(best_error / scale)};
}

/// Any size of q: the problem is homogeneous in (q, r), so extreme ones are solved for q of size one.
template <int D, Disk disk>
LocalOutcome scaled_iterate(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations,
                            bool line_search, double reduction, Vec<D>& r) {
  const double size = q.cwiseAbs().maxCoeff();
  if ((size > 1e-100 && size < 1e100) || size == 0)
    return iterate<D, disk>(W, q, mu, rho, tolerance, max_iterations, line_search, reduction, r);
  Vec<D> scaled = r / size;
  if (!scaled.allFinite()) scaled.setZero();
  const LocalOutcome out = iterate<D, disk>(W, q / size, mu, rho, tolerance, max_iterations, line_search, reduction, scaled);
  const Vec<D> back = size * scaled;
  if (!back.allFinite()) return {false, out.iterations, kInfinity};
  r = back;
  return out;
}

}  // namespace

template <int D>
[[gnu::flatten]] LocalOutcome newton_ac(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations,
                                        bool line_search, Vec<D>& r, double reduction) {
  return scaled_iterate<D, Disk::predicted>(W, q, mu, rho, tolerance, max_iterations, line_search, reduction, r);
}

template <int D>
LocalOutcome newton_jm(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations, bool line_search,
                       Vec<D>& r, double reduction) {
  return scaled_iterate<D, Disk::current>(W, q, mu, rho, tolerance, max_iterations, line_search, reduction, r);
}

template LocalOutcome newton_ac<2>(const Mat<2>&, const Vec<2>&, double, RhoPair, double, int, bool, Vec<2>&, double);
template LocalOutcome newton_ac<3>(const Mat<3>&, const Vec<3>&, double, RhoPair, double, int, bool, Vec<3>&, double);
template LocalOutcome newton_jm<2>(const Mat<2>&, const Vec<2>&, double, RhoPair, double, int, bool, Vec<2>&, double);
template LocalOutcome newton_jm<3>(const Mat<3>&, const Vec<3>&, double, RhoPair, double, int, bool, Vec<3>&, double);

}  // namespace cornet
