// The problem of one contact: find r with  u = W r + q,  K* ∋ u + g(u) ⊥ r ∈ K.
//
// W is D×D, symmetric or not, its symmetric part positive definite or semidefinite; q and 0 ≤ μ ≤ ∞ are arbitrary. The solutions
// are take-off (r = 0, q_N ≥ 0), stick (u = 0, r ∈ K) and slide (u_N = 0, ‖r_T‖ = μ r_N, u_T = −α r_T, α > 0); with strong coupling
// between normal and tangent (μ‖W_NT‖ of the order of W_NN) there may be several, with singular W a continuum or none.
//
// The error of a point r is a natural map with ρ = 1/λ, λ = maxᵢ Wᵢᵢ, in the form of Jean and Moreau (61), a velocity relative to the data:
//
//   error(r) = ‖F‖ / (ρ‖q‖),   F_N = r_N − max(0, r_N − ρ u_N),   F_T = r_T − P_D(μ max(0, r_N))(r_T − ρ u_T)     (‖q‖ → 1 when q = 0)
//
// In stick it is ‖u‖/‖q‖. It vanishes exactly at the solutions and is within a factor of about 1 + μ of ‖natural map with that ρ‖/(ρ‖q‖).
// Unlike the natural map with ρ = 1 it does not change when W, q (and r with them) are multiplied by positive numbers; unlike it and
// the Alart–Curnier function it does not multiply the round-off of u by μ. Rounding limits it to about ε(1 + λ‖r‖/‖q‖).
//
// Every function: no allocation; finite input gives finite r (where an overflow cannot be avoided r is left unchanged,
// converged = false, error = ∞). Instantiated for D = 2 and 3.
#pragma once

#include "contact/alart_curnier.h"
#include "contact/cone.h"
#include "linalg/small.h"

namespace cornet {

/// What a one-contact solver did; `error` is the error of the r handed back, as defined at the top of this file.
struct LocalOutcome {
  bool converged;
  int iterations;
  double error;
};

/// error(r) with u = W r + q evaluated from scratch.
template <int D>
double local_error(const Mat<D>& W, const Vec<D>& q, double mu, const Vec<D>& r);

/// All solutions by case analysis (closed form in 2D, roots of the secular equation in 3D); the nearest to the incoming r is returned.
/// converged: error ≤ 1e-9, or at its limit by rounding, error ≤ 1e-13 (1 + min(tr W ‖r‖/‖q‖, 1e11)).
template <int D>
LocalOutcome solve_exact(const Mat<D>& W, const Vec<D>& q, double mu, Vec<D>& r);

/// Nonsmooth Newton on (63) from the incoming r, step by step in closed form; optional Goldstein–Price line search on ½‖F‖².
/// Stops when the error is at most `tolerance` or at its limit by rounding, 4ε(1 + tr W ‖r‖/‖q‖); both count as converged.
/// With `reduction` > 0 it is also enough to have reduced the error of the incoming r by that factor (inexact Gauss–Seidel).
/// Without line search it may cycle: then converged = false and r is the best point seen, which may be the incoming one.
template <int D>
LocalOutcome newton_ac(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations, bool line_search,
                       Vec<D>& r, double reduction = 0);

/// The same on the Jean–Moreau function (61).
template <int D>
LocalOutcome newton_jm(const Mat<D>& W, const Vec<D>& q, double mu, RhoPair rho, double tolerance, int max_iterations, bool line_search,
                       Vec<D>& r, double reduction = 0);

/// Projection iteration r ← P_K(r − ρ û) with the self-adaptive ρ of survey Algorithms 1 and 3, rule (101). `rho` is the first step
/// length tried and returns the last one; not positive or not finite: 1/‖W‖. `reduction` as for newton_ac.
template <int D>
LocalOutcome vi_fixed_point(const Mat<D>& W, const Vec<D>& q, double mu, double& rho, double tolerance, int max_iterations, Vec<D>& r,
                            double reduction = 0);

/// One step r ← P_K(r − ρ û), û = u + g(u), u = W r + q (De Saxcé–Feng).
template <int D>
Vec<D> one_projection(const Mat<D>& W, const Vec<D>& q, double mu, double rho, const Vec<D>& r);

}  // namespace cornet
