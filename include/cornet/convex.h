// The convex problem of the friction problem for a given sliding velocity s:
//
//   dual     min ½ rᵀWr + rᵀ(q + E s),  r ∈ X                      r: reactions
//   primal   min ½ vᵀMv − fᵀv,  Hᵀv + w + E s ∈ X°                 v: velocities, same optimal pair; X° = K* for cones
//
// E s adds μ^α s^α to the normal velocity of contact α (nothing where μ = ∞). X is a product over the contacts of
//
//   cone        K_μ = { ‖r_T‖ ≤ μ r_N }           the ACLM problem; s = 0 is the convex relaxation
//   half_line   { r_N ≥ 0, r_T = 0 }              the frictionless problem
//   disk        { r_N given, ‖r_T‖ ≤ radius }     tangential problem with given thresholds
//   cylinder    { r_N ≥ 0, ‖r_T‖ ≤ radius }       Tresca friction
#pragma once

#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/options.h"
#include "cornet/problem.h"
#include "cornet/solver.h"

namespace cornet {

enum class ConvexSet { cone, half_line, disk, cylinder };

CORNET_API const char* to_string(ConvexSet set);

/// What is asked beside the contact problem. An empty s or normal stands for zero, an empty radius for Coulomb's threshold μ max(0, normal)
/// (∞ where μ = ∞).
struct ConvexQuestion {
  ConvexSet set = ConvexSet::cone;
  std::vector<double> s;       ///< nc, ≥ 0, sliding velocities ‖u_T‖
  std::vector<double> radius;  ///< nc, in [0, ∞]: disks and cylinders only
  std::vector<double> normal;  ///< nc, given r_N: of disks; of cylinders for the radius alone
};

enum class ConvexStatus {
  optimal,     ///< certified: feasible on both sides and relative gap ≤ tolerance
  infeasible,  ///< proved: no v with Hᵀv + w + E s ∈ X°; the dual is unbounded along `ray`
  inaccurate,  ///< the engine said converged, the certificate says no
  iteration_limit,
  time_limit,
  stalled,
  numerical_error,
  unsupported,
  interrupted
};

CORNET_API const char* to_string(ConvexStatus status);

/// Recomputed from the reactions alone by code that no engine uses.
struct ConvexCertificate {
  double dual_objective = 0;    ///< −½ rᵀWr − rᵀ(q + E s): the lower bound given by r, up to the constant ½ fᵀM⁻¹f
  double primal_objective = 0;  ///< the upper bound given by v = M⁻¹(H r + f): ½ rᵀWr + the support function of X at −ũ
  double gap = 0;  ///< their difference, relative to the largest of |objectives| and ‖q + E s‖²/‖W‖ (1 if W or q + E s is 0)
  double cone_violation = 0;  ///< distance of r to X, relative to ‖r‖
  double dual_violation = 0;  ///< distance of ũ = W r + q + E s to X°, relative to ‖q + E s‖
  double natural_map = 0;     ///< ‖r − P_X(r − ũ)‖ / ‖q + E s‖
  std::vector<double> ray;    ///< infeasible: r ∈ X∞, ‖r‖ = 1, W r = 0, rᵀ(q + E s) < 0
  double ray_descent = 0;     ///< −rᵀ(q + E s)/‖q + E s‖ of the ray, in (0, 1]
  double ray_residual = 0;    ///< of the ray: the larger of ‖W r‖/‖W‖ and (rᵀWr/‖W‖)^½, divided by ray_descent
  bool verified = false;      ///< the claim of the status holds
};

struct ConvexOptions {
  std::string engine = "interior-point";
  double tolerance = 1e-8;  ///< on the relative gap and the relative violations
  double time_limit = std::numeric_limits<double>::infinity();
  long max_iterations = 0;  ///< 0: the engine's own default
  OptionTexts options;      ///< of the engine, name → text
  bool keep_history = false;
  const std::atomic<bool>* interrupt = nullptr;
  Monitor::Callback callback;  ///< called once per iteration; return false to stop
};

struct ConvexResult {
  ConvexStatus status = ConvexStatus::numerical_error;
  std::string message;
  std::string engine;
  long iterations = 0;
  double time = 0;  ///< seconds in the engine
  Iterate x;        ///< r, u = W r + q (without the shift), v and λ in global form
  ConvexCertificate certificate;
  std::map<std::string, double> statistics;
  std::vector<HistoryEntry> history;
  OptionTexts options;  ///< every option of the engine with the value used
};

struct EngineInfo {
  std::string id;
  std::string title;
  std::string summary;
  std::string reference;
  std::vector<std::string> forms;
  std::vector<OptionInfo> options;
};

/// projected-gradient, accelerated-gradient, interior-point, faceted.
CORNET_API const std::vector<EngineInfo>& convex_engines();

/// Throws InvalidProblem when sizes or values do not fit: s ≥ 0 and finite, radius in [0, ∞], normal finite.
CORNET_API void validate(const Problem& problem, const ConvexQuestion& question);

/// Solves the convex problem and certifies the answer. Throws InvalidProblem and InvalidOption only. `guess.r` is a starting point for
/// engines that can use one.
CORNET_API ConvexResult solve_convex(const Problem& problem, const ConvexQuestion& question = {}, const ConvexOptions& options = {},
                                     const Iterate& guess = {});

/// The certificate of reactions r for a convex problem. `verified`: gap and violations are at most `tolerance`.
CORNET_API ConvexCertificate certify_convex(const Problem& problem, const ConvexQuestion& question, const Iterate& x,
                                            double tolerance = 1e-8);

/// The certificate of infeasibility for the direction r: normalised, moved onto X∞ and measured. `verified`: ray_residual ≤ 1e-6. Every v
/// with Hᵀv + w + E s ∈ X° then is at least 1e6 ‖q + E s‖/‖W‖^½ away from the free velocity M⁻¹f in the norm of M.
CORNET_API ConvexCertificate certify_infeasible(const Problem& problem, const ConvexQuestion& question, const Iterate& direction);

}  // namespace cornet
