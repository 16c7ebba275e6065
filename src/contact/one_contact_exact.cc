// Exact solution of one contact by case analysis: take-off, stick, slide.
//
//   μ = 0:  r_T = 0, r_N = max(0, −q_N/W_NN).      μ = ∞:  u_T = 0 and (r_N = 0, u_N ≥ 0) or u = 0.
//   2D slide:  r_T = ±μ r_N,  (W_NN ± μ W_NT) r_N = −q_N.
//   3D slide:  the roots α of the secular equation, secular.h.
//
// Two ways. If the coupling is weak enough for uniqueness (2D: μ|W_NT| < W_NN, 3D: Secular::unique) the first case that fits is the
// answer: q_N ≥ 0, then stick, then the only root of s N/(c‖T‖) = 1, which is nearly linear in α (exactly for S = λI), by Newton.
// Otherwise, and when that answer is not accurate to rounding, the problem is scaled to unit W and q, every case proposes its points,
// each is polished by Newton steps within its case, and among those that solve the problem to rounding the nearest to the incoming r
// wins (r itself included). The residual decides, not the inequalities of the cases: borders between cases need no tolerances. Singular S
// adds the limit α → 0.
// Last resort (W_NN ≤ 0, no admissible point): nonsmooth Newton with line search, then projections.
// Reference: Acary, Brémond, Huber, §2; RT-0400 as in secular.h. Fails: returns converged = false where no solution exists
// (W singular), or where a problem is conditioned beyond 1/ε.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/newton_steps.h"
#include "contact/one_contact.h"
#include "contact/one_contact_residual.h"
#include "contact/secular.h"
#include "contact/small_solve.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Residuals relative to ‖q‖ + ‖W‖‖r‖: no need to polish; what competes as a solution. Relative to ‖q‖: what is reported as converged.
constexpr double kRounding = 1e-14, kAccepted = 1e-13, kConverged = 1e-9;

/// The solution in the plane if weak coupling makes it the only one; false: not this case. Needs W_NN > 0.
bool solve_unique(const Mat<2>& W, const Vec<2>& q, double mu, Vec<2>& r, int&) {
  if (!(mu * std::abs(W(0, 1)) < 0.999 * W(0, 0))) return false;
  const double inverse = 1 / W(0, 0), S = W(1, 1) - W(1, 0) * W(0, 1) * inverse, b = q[1] - W(1, 0) * q[0] * inverse;
  if (!(S > 0)) return false;
  r.setZero();
  if (q[0] >= 0) return true;
  r[1] = -b / S;
  r[0] = -(q[0] + W(0, 1) * r[1]) * inverse;
  if (std::abs(r[1]) <= mu * r[0]) return true;
  const double slope = b > 0 ? -mu : mu;
  r[0] = -q[0] / (W(0, 0) + slope * W(0, 1));
  r[1] = slope * r[0];
  return true;
}

/// The same in space.
bool solve_unique(const Mat<3>& W, const Vec<3>& q, double mu, Vec<3>& r, int& iterations) {
  const Secular h(W, q, mu);
  if (!h.unique(mu)) return false;
  r.setZero();
  if (q[0] >= 0) return true;
  if (h.s * h.n0 >= h.c * h.t0.norm()) {
    const double inverse = 1 / h.det;
    r = Vec<3>(h.n0 * inverse, h.t0[0] * inverse, h.t0[1] * inverse);
    return true;
  }
  // s N/‖T‖ − c rises through zero once; Newton from the left end, bisection as soon as it leaves the bracket.
  double low = 0, high = kInfinity, alpha = 0;
  for (int k = 0; k < 60; ++k, ++iterations) {
    const Vec<2> T = h.tangent(alpha);
    const double norm = T.norm(), N = h.normal(alpha);
    if (!(norm > 0)) return false;
    const double value = h.s * N - h.c * norm, slope = h.s * (h.n1 + 2 * h.n2 * alpha) - h.s * N * T.dot(h.t1) / (norm * norm);
    if (std::abs(value) <= 4e-16 * h.c * norm) break;
    (value < 0 ? low : high) = alpha;
    double next = alpha - value / slope;
    if (!(next > low && next < high)) next = high < kInfinity ? 0.5 * (low + high) : 2 * (low + h.trace);
    const double step = std::abs(next - alpha);
    alpha = next;
    if (step <= 1e-15 * alpha) break;
  }
  r = h.reaction(alpha);
  return true;
}

/// ‖q‖ + ‖W‖‖r‖, the size of the terms that cancel in u, by which a residual is judged. Capped, or a reaction that runs away in an
/// unsolvable problem would look like a solution.
template <int D>
double cancelling_size(double q_norm, double W_norm, const Vec<D>& r) {
  const double size = q_norm + std::min(W_norm * safe_norm<D>(r), 1e11 * q_norm);
  return size > 0 ? size : 1.0;
}

/// Collects proposed points of a scaled problem and keeps the one to return.
template <int D>
class Choice {
 public:
  Choice(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& wish)
      : W_(W),
        q_(q),
        mu_(mu),
        wish_(wish),
        rho_(rho_split<D>(W)),
        lambda_(mobility_scale<D>(W)),
        q_norm_(safe_norm<D>(q)),
        W_norm_(W.norm()) {}

  /// Takes r, or its projection on K, polished as a slide or stick point if it is close to a solution.
  void offer(Vec<D> r, bool slides) {
    r = CoulombCone<D>{mu_}.project(r);
    if (!r.allFinite()) return;
    double part = relative_residual(r);
    if (part > kRounding && part < 1e-2) {
      const Vec<D> polished = CoulombCone<D>{mu_}.project(polish(r, part, slides));
      const double polished_part = relative_residual(polished);
      if (polished_part < part) {
        r = polished;
        part = polished_part;
      }
    }
    const double distance = safe_norm<D>(r - wish_);
    const bool solves = part <= kAccepted, solved = part_ <= kAccepted;
    if (solves != solved ? solves : solves ? distance < distance_ : part < part_) {
      r_ = r;
      part_ = part;
      distance_ = distance;
    }
  }

  const Vec<D>& r() const { return r_; }
  double part() const { return part_; }

  double relative_residual(const Vec<D>& r) const {
    return velocity_error<D>(r, W_ * r + q_, mu_, lambda_) / cancelling_size<D>(q_norm_, W_norm_, r);
  }

 private:
  /// A few Newton steps that stay in the case that proposed r: refinement of W r = −q in stick, slide steps of (61) in slide.
  Vec<D> polish(Vec<D> r, double part, bool slides) const {
    Vec<D> best = r;
    for (int k = 0; k < 10 && part > kRounding; ++k) {
      const Vec<D> u = W_ * r + q_;
      const double t = tangent_norm<D>(r - rho_.tangent * u);
      Vec<D> dr;
      if (!slides) {
        dr = stick_step<D>(W_, u);
      } else if (!(r[0] > 0 && t > 0) || !slide_step(W_, mu_, rho_.tangent, std::min(mu_ * r[0] / t, 1.0), 1 / t, r, u, dr)) {
        break;
      }
      r += dr;
      const double next = relative_residual(r);
      if (!(next < part)) break;
      part = next;
      best = r;
    }
    return best;
  }

  const Mat<D>& W_;
  const Vec<D>& q_;
  const double mu_;
  const Vec<D> wish_;
  const RhoPair rho_;
  const double lambda_, q_norm_, W_norm_;
  Vec<D> r_ = Vec<D>::Zero();
  double part_ = kInfinity, distance_ = kInfinity;
};

/// μ = ∞: u_T = 0 with r_N = 0, or u = 0.
template <int D>
void offer_rough(const Mat<D>& W, const Vec<D>& q, Choice<D>& choice) {
  Mat<D> A = W;
  Vec<D> b = -q;
  choice.offer(solve_rank_revealing<D>(A, b), false);
  A.row(0).setZero();
  A(0, 0) = W.cwiseAbs().maxCoeff();
  b[0] = 0;
  choice.offer(solve_rank_revealing<D>(A, b), false);
}

void offer_slides(const Mat<2>& W, const Vec<2>& q, double mu, Choice<2>& choice) {
  const double c = mu <= 1 ? 1.0 : 1 / mu, s = mu <= 1 ? mu : 1.0;
  for (const double side : {s, -s}) {
    const double pivot = c * W(0, 0) + side * W(0, 1), size = -q[0] / pivot;
    if (size >= 0) choice.offer({c * size, side * size}, true);
  }
  // Rank one: u vanishes on a line, which meets K on its axis if anywhere.
  choice.offer({-q[0] / W(0, 0), 0}, false);
}

void offer_slides(const Mat<3>& W, const Vec<3>& q, double mu, Choice<3>& choice) {
  if (!(W(0, 0) > 0)) return;
  const Secular h(W, q, mu);
  const SecularRoots roots(h);
  for (int i = 0; i < roots.count(); ++i) {
    if (h.denominator(roots[i]) > 0) choice.offer(h.reaction(roots[i]), true);
  }
  if (h.det > 1e-10 * h.trace * h.trace) return;
  // S singular: limits of r_T(α) for α → 0, if b lies in the range of S (then (S + α)⁻¹b → b/tr S) or S vanishes.
  for (const double inverse : {1 / h.trace, 0.0}) {
    const Vec<2> r_T = inverse * h.t1;
    choice.offer({-(q[0] + W(0, 1) * r_T[0] + W(0, 2) * r_T[1]) / W(0, 0), r_T[0], r_T[1]}, false);
  }
}

/// Whether r lies on the border of K or outside.
template <int D>
bool slides(const Vec<D>& r, double mu) {
  return mu < kInfinity && tangent_norm<D>(r) > (1 - 1e-6) * mu * r[0];
}

/// Newton with line search from several starts, then projections, for what the cases did not solve.
template <int D>
int iterate(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& wish, Choice<D>& choice) {
  int iterations = 0;
  const RhoPair rho = rho_split<D>(W);
  for (const Vec<D>& start : {wish, choice.r(), Vec<D>(Vec<D>::Zero())}) {
    if (choice.part() <= kAccepted) return iterations;
    Vec<D> r = start;
    iterations += newton_ac<D>(W, q, mu, rho, kRounding, 50, true, r).iterations;
    choice.offer(r, slides(r, mu));
  }
  if (choice.part() <= kAccepted) return iterations;
  Vec<D> r = choice.r();
  double step = 0;
  iterations += vi_fixed_point<D>(W, q, mu, step, kRounding, 2000, r).iterations;
  choice.offer(r, slides(r, mu));
  return iterations;
}

/// The complete search, on a problem whose largest entries of W and q are 1.
template <int D>
int solve_scaled(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& wish, Choice<D>& choice) {
  if (mu == kInfinity) {
    offer_rough<D>(W, q, choice);
  } else {
    if (q[0] >= 0) choice.offer(Vec<D>::Zero(), false);
    Vec<D> stick;
    const Vec<D> b = -q;
    if (solve_cofactor<D>(W, b, stick)) choice.offer(stick, false);
    if (choice.part() > kAccepted) choice.offer(solve_rank_revealing<D>(W, b), false);
    offer_slides(W, q, mu, choice);
  }
  choice.offer(wish, slides(wish, mu));
  return choice.part() <= kAccepted ? 0 : iterate<D>(W, q, mu, wish, choice);
}

}  // namespace

template <int D>
LocalOutcome solve_exact(const Mat<D>& W, const Vec<D>& q, double mu, Vec<D>& r) {
  const double q_norm = safe_norm<D>(q);
  const auto finish = [&](const Vec<D>& x, double limit, int iterations, LocalOutcome& out) {
    const double v = velocity_error<D>(x, W * x + q, mu, mobility_scale<D>(W));
    const bool converged = v <= limit * q_norm || v <= std::min(limit, kAccepted) * cancelling_size<D>(q_norm, W.trace(), x);
    out = {converged, iterations, v / (q_norm > 0 ? q_norm : 1.0)};
    return converged;
  };
  LocalOutcome out{true, 0, 0};
  int iterations = 0;
  Vec<D> x = Vec<D>::Zero();
  // No friction, or no mobility at all.
  if (mu == 0 || W.isZero(0)) {
    if (q[0] < 0 && W(0, 0) > 0) x[0] = -q[0] / W(0, 0);
    finish(x, kConverged, 0, out);
    if (x.allFinite()) r = x;
    return out;
  }
  // Weak coupling: one solution, found in order.
  const bool unique = mu < kInfinity && W(0, 0) > 0 && solve_unique(W, q, mu, x, iterations);
  if (unique && x.allFinite() && finish(x, kRounding, iterations, out)) {
    r = x;
    return out;
  }
  // Everything else, in units where W and q are of order one.
  const double W_unit = W.cwiseAbs().maxCoeff(), q_size = q.cwiseAbs().maxCoeff(), q_unit = q_size > 0 ? q_size : 1.0;
  const Mat<D> W_scaled = W / W_unit;
  const Vec<D> q_scaled = q / q_unit;
  Vec<D> wish = (r / q_unit) * W_unit;
  if (!wish.allFinite()) wish.setZero();
  Choice<D> choice(W_scaled, q_scaled, mu, wish);
  iterations += solve_scaled<D>(W_scaled, q_scaled, mu, wish, choice);
  x = (choice.r() / W_unit) * q_unit;
  if (!x.allFinite()) return {false, iterations, kInfinity};
  r = x;
  finish(x, kConverged, iterations, out);
  return out;
}

template LocalOutcome solve_exact<2>(const Mat<2>&, const Vec<2>&, double, Vec<2>&);
template LocalOutcome solve_exact<3>(const Mat<3>&, const Vec<3>&, double, Vec<3>&);

}  // namespace cornet
