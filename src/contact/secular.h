// The slide problem of one contact in space as scalar equation in α ≥ 0, u_T = −α r_T, and all its roots.
//
// With w = W_NT/W_NN, S = W_TT − W_TN w (Schur complement), b = q_T − W_TN q_N/W_NN:
//
//   (S + αI) r_T = −b,    r_N = −q_N/W_NN − w·r_T,    ‖r_T‖ = μ r_N,    α ≥ 0, r_N ≥ 0
//
// Cramer's rule, p(α) = det(S + αI) = α² + tr S α + det S > 0, gives r_N = N(α)/p(α), r_T = T(α)/p(α) with N quadratic and T affine
//
//   T = −(adj(S) b + α b),    N = −q_N/W_NN p(α) − w·T,    h(α) = s N(α) − c‖T(α)‖ = 0      (s : c = μ : 1, both ≤ 1)
//
// (its square is a quartic; h itself keeps the sign of r_N and half of the digits that squaring loses). h(0) ≥ 0 means stick.
// h'' = 2 s N₂ − c (T₀ × T₁)²/‖T‖³ vanishes at most twice, symmetrically about the minimum of ‖T‖: between those points h is convex or
// concave, has at most one extremum, and each monotone piece at most one root, found by safeguarded Newton.
// Reference: O. Bonnefon, G. Daviet, "Quartic formulation of Coulomb 3D frictional contact", INRIA RT-0400, for the quartic;
// the isolation by convexity is ours. Fails: roots closer than rounding are reported as their common extremum.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/small.h"

namespace cornet {

struct ValueAndSlope {
  double value;
  double slope;
};

struct Secular {
  double trace, det;  ///< of S
  double asymmetry;   ///< ½|S₁₂ − S₂₁|
  double coupling;    ///< ‖w‖
  double c, s;        ///< s : c = μ : 1
  double n0, n1, n2;  ///< N(α) = n0 + n1 α + n2 α²
  Vec<2> t0, t1;      ///< T(α) = t0 + t1 α

  /// Needs W_NN > 0 and 0 < μ < ∞.
  Secular(const Mat<3>& W, const Vec<3>& q, double mu) : c(mu <= 1 ? 1.0 : 1 / mu), s(mu <= 1 ? mu : 1.0) {
    const double inverse = 1 / W(0, 0), r0 = -q[0] * inverse, w1 = W(0, 1) * inverse, w2 = W(0, 2) * inverse;
    const double s11 = W(1, 1) - W(1, 0) * w1, s12 = W(1, 2) - W(1, 0) * w2, s21 = W(2, 1) - W(2, 0) * w1, s22 = W(2, 2) - W(2, 0) * w2;
    trace = s11 + s22;
    det = s11 * s22 - s12 * s21;
    asymmetry = 0.5 * std::abs(s12 - s21);
    coupling = std::sqrt(w1 * w1 + w2 * w2);
    t1[0] = -(q[1] + W(1, 0) * r0);
    t1[1] = -(q[2] + W(2, 0) * r0);
    t0[0] = s22 * t1[0] - s12 * t1[1];
    t0[1] = s11 * t1[1] - s21 * t1[0];
    n2 = r0;
    n1 = r0 * trace - (w1 * t1[0] + w2 * t1[1]);
    n0 = r0 * det - (w1 * t0[0] + w2 * t0[1]);
  }

  double normal(double alpha) const { return n0 + alpha * (n1 + alpha * n2); }
  Vec<2> tangent(double alpha) const { return t0 + alpha * t1; }
  double denominator(double alpha) const { return det + alpha * (trace + alpha); }

  /// h and h'.
  ValueAndSlope gap(double alpha) const {
    const Vec<2> T = tangent(alpha);
    const double norm = T.norm();
    return {s * normal(alpha) - c * norm, s * (n1 + 2 * n2 * alpha) - (norm > 0 ? c * T.dot(t1) / norm : 0.0)};
  }

  /// h' and h''.
  ValueAndSlope gap_slope(double alpha) const {
    const Vec<2> T = tangent(alpha);
    const double norm = T.norm(), cross = t0[0] * t1[1] - t0[1] * t1[0];
    if (!(norm > 0)) return {s * (n1 + 2 * n2 * alpha), 2 * s * n2};
    return {s * (n1 + 2 * n2 * alpha) - c * T.dot(t1) / norm, 2 * s * n2 - c * (cross / norm) * (cross / norm) / norm};
  }

  /// Whether any q has exactly one solution: ‖dr_T/d(μ r_N)‖ μ‖w‖ < 1, where Kantorovich's inequality bounds the first factor by
  /// tr S/(2√det S) for symmetric S, and the skew part k adds at most k/λmin ≤ k tr S/det S.
  bool unique(double mu) const {
    if (!(det > 0) || !(trace > 0)) return false;
    const double reach = mu * coupling * trace;
    if (asymmetry <= 1e-12 * trace) return reach * reach < 3.99 * det;
    const double symmetric_det = det - asymmetry * asymmetry;
    return symmetric_det > 0 && reach * (0.5 / std::sqrt(symmetric_det) + asymmetry / symmetric_det) < 0.999;
  }

  /// Reaction at α: whichever of r_N and r_T is computed with less cancellation fixes the other.
  Vec<3> reaction(double alpha) const {
    const Vec<2> T = tangent(alpha);
    const double norm = T.norm(), inverse = 1 / denominator(alpha);
    const double size = c < 1 ? norm * inverse * c : normal(alpha) * inverse;
    const double along = norm > 0 ? s / c * (size / norm) : 0.0;
    return {size, along * T[0], along * T[1]};
  }
};

/// Root of f in [a, b], 0 ≤ a, where f_a = f(a) and f(b) differ in sign: Newton steps while they stay inside the shrinking bracket and
/// halve it at least every third time, bisection (by orders of magnitude in a wide bracket) otherwise.
template <class F>
double bracketed_root(F&& f, double a, double b, double f_a) {
  constexpr double kRounding = 2 * std::numeric_limits<double>::epsilon();
  const auto middle = [&] {
    if (a > 0) return b > 16 * a ? std::sqrt(a) * std::sqrt(b) : 0.5 * (a + b);
    return b / 64;
  };
  double x = middle(), width = b - a;
  for (int k = 1; k < 300; ++k) {
    const ValueAndSlope at = f(x);
    if (at.value == 0) return x;
    ((at.value > 0) == (f_a > 0) ? a : b) = x;
    if (b - a <= kRounding * b) return x;
    double next = x - at.value / at.slope;
    if (!(next > a && next < b)) next = middle();
    if (k % 3 == 0) {
      if (b - a > 0.5 * width && std::abs(next - x) > 1e-6 * x) next = middle();
      width = b - a;
    }
    if (std::abs(next - x) <= kRounding * x) return next;
    x = next;
  }
  return x;
}

/// All α > 0 that may be roots of h, at most 12, not sorted: simple roots, and extrema standing in for double ones.
class SecularRoots {
 public:
  explicit SecularRoots(const Secular& h) {
    double at[5];
    int pieces = breakpoints(h, at);
    for (int i = 0; i < pieces; ++i) search_piece(h, at[i], at[i + 1]);
  }

  int count() const { return count_; }
  double operator[](int i) const { return roots_[i]; }

 private:
  /// 0 and the points that separate convex from concave pieces, up to a bound on all roots; returns the number of pieces.
  static int breakpoints(const Secular& h, double (&at)[5]) {
    const double t1 = h.t1.norm(), t0 = h.t0.norm();
    const double top = h.s * std::abs(h.n2), middle = h.s * std::abs(h.n1) + h.c * t1, low = h.s * std::abs(h.n0) + h.c * t0;
    const double tilt = std::abs(h.s * h.n1 - h.c * t1), largest = 1e40 * (h.trace > 0 ? h.trace : 1.0);
    double bound = top > 0 ? std::max(2 * middle / top, std::sqrt(2 * low / top)) : 2 * (low + h.c * t0) / tilt;
    if (!(bound < largest)) bound = largest;
    at[0] = 0;
    int n = 1;
    const auto add = [&](double alpha) {
      if (alpha > at[n - 1] && alpha < bound) at[n++] = alpha;
    };
    if (t1 > 0) {
      const double lowest = -h.t0.dot(h.t1) / (t1 * t1), cross = std::abs(h.t0[0] * h.t1[1] - h.t0[1] * h.t1[0]);
      // h'' = 0 where ‖T‖³ = c cross²/(2 s n2); ‖T‖² = (cross/t1)² + t1² (α − lowest)².
      double half = 0;
      if (h.n2 > 0) {
        const double norm = std::cbrt(h.c / (2 * h.s * h.n2)) * std::cbrt(cross) * std::cbrt(cross), base = cross / t1;
        half = norm > base ? std::sqrt((norm - base) * (norm + base)) / t1 : 0.0;
      }
      add(lowest - half);
      add(lowest);
      add(lowest + half);
    }
    at[n] = bound;
    return n;
  }

  void search_piece(const Secular& h, double a, double b) {
    const auto gap = [&](double alpha) { return h.gap(alpha); };
    const double h_a = h.gap(a).value, h_b = h.gap(b).value;
    // Slopes just inside the piece: T = 0 is a kink of h.
    const double slope_a = h.gap_slope(a + 1e-9 * std::min(a, b - a)).value, slope_b = h.gap_slope(b - 1e-9 * (b - a)).value;
    if ((slope_a > 0) == (slope_b > 0)) {
      if ((h_a > 0) != (h_b > 0)) push(bracketed_root(gap, a, b, h_a));
      return;
    }
    const double m = bracketed_root([&](double alpha) { return h.gap_slope(alpha); }, a, b, slope_a), h_m = h.gap(m).value;
    if ((h_a > 0) != (h_m > 0)) push(bracketed_root(gap, a, m, h_a));
    if ((h_m > 0) != (h_b > 0)) push(bracketed_root(gap, m, b, h_m));
    // Close to a double root rounding decides on which side of zero the extremum lies.
    if (std::abs(h_m) <= 1e-12 * (h.s * std::abs(h.normal(m)) + h.c * h.tangent(m).norm())) push(m);
  }

  void push(double alpha) {
    if (count_ < 12 && alpha >= 0 && alpha < std::numeric_limits<double>::infinity()) roots_[count_++] = alpha;
  }

  double roots_[12];
  int count_ = 0;
};

}  // namespace cornet
