// The convex problem of a given sliding velocity (cornet/convex.h) as a conic quadratic program (conic_qp.h), in both forms.
//
//   local    x = r,  s = (μ r_N, r_T) ∈ L,  z = (ũ_N/μ, ũ_T) ∈ L               P = W,  c = q + E s
//   global   x = v,  s = (ũ_N/μ, ũ_T) ∈ L,  z = (μ r_N, r_T) ∈ L               P = M,  c = −f,  s = D⁻¹(Hᵀv + w + E s)
//
// μ = 0 leaves one half-line per contact, μ = ∞ one half-line and free tangential reactions. A cylinder is a half-line and the Lorentz cone
// of (radius, r_T); a disk is the latter alone, with r_N as data. Bilateral constraints are rows with s = 0 (global form).
//
// The local form factorises W + (block diagonal), m×m; the global form M + H (block diagonal) Hᵀ, n×n.
#pragma once

#include <memory>

#include "convex/conic_qp.h"
#include "convex/engine.h"

namespace cornet {

struct InteriorPointOptions {
  bool warm_start = true;
  double asymmetry = 1e-2;

  void visit(OptionVisitor& v) {
    v.flag("warm_start", warm_start, "start from the given reactions, or from the last answer, moved inside the cones");
    v.real("asymmetry", asymmetry, {0, 2}, "largest ‖W − Wᵀ‖/‖W‖ accepted as symmetric; beyond it the engine ends as unsupported");
  }
};

template <int D>
std::unique_ptr<ConvexEngine<D>> make_interior_point(const InteriorPointOptions& options);

/// The global form: cones and half-lines only. x.r, x.v and x.lambda are the answer; on `infeasible` x.r is the ray.
ConvexStatus solve_interior_point(const GlobalProblem& problem, const ConvexQuestion& question, Iterate& x, Monitor& monitor);

}  // namespace cornet
