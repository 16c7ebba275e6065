// Does a solution exist? The criterion of Acary, Cadoux, Lemaréchal and Malick, with a certificate for every verdict.
//
//   (A)   ∃v:  Hᵀv + w ∈ K*              sufficient for a solution                (and Gᵀv + b = 0 with bilateral constraints)
//   (A')  ∃v: (Hᵀv + w)_N ≥ 0            necessary for a solution
//
//   margin  t* = max { t ≤ 1 :  Hᵀv + w − t |w| e_N ∈ K* }       |w| = max over contacts of ‖w^α‖, replaced by 1 when w = 0
//
// t* > 0: a solution exists and survives small perturbations. t* = 0: a solution exists. t* < 0: (A) fails, r ∈ K, H r = 0, wᵀr < 0 proves
// it; if r_T = 0 can be had as well, (A') fails and no solution exists. Both sides of the margin have a witness: v gives the lower bound
// min_α (u_N − μ‖u_T‖)/|w| with u = Hᵀv + w, and r ∈ K with H r = 0 the upper bound wᵀr/(|w| Σ r_N).
// A local problem hides H; W and Hᵀ have the same range and q differs from w by an element of it, so W and q take the place of Hᵀ and w.
#pragma once

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

enum class Verdict { guaranteed_robust, guaranteed, not_guaranteed, impossible };

CORNET_API const char* to_string(Verdict verdict);

/// What proves a verdict. `kind` says what the vectors are; with bilateral constraints Gᵀv + b = 0, H r + G λ = 0 and wᵀr + bᵀλ are meant:
///   "velocity"         v (or, for a local problem, x in W x + q) with Hᵀv + w ∈ K*, inside it when the verdict is guaranteed_robust
///   "boundary"         v as above, and r ∈ K, H r = 0, wᵀr = 0, r ≠ 0: the margin cannot be positive
///   "reaction"         r ∈ K, H r = 0, wᵀr < 0: (A) fails
///   "normal_reaction"  the same with r_T = 0: (A') fails
struct ExistenceCertificate {
  std::string kind;
  std::vector<double> v;       ///< n (global), m (local), or empty
  std::vector<double> r;       ///< m, or empty; scaled to ‖r‖ = 1
  std::vector<double> lambda;  ///< p, or empty; in the scale of r
  bool verified = false;       ///< recomputed from the problem's own data by code that the optimisation does not share
  double residual = 0;         ///< largest violation found by that check, relative
};

struct Existence {
  Verdict verdict = Verdict::not_guaranteed;
  double margin = std::numeric_limits<double>::quiet_NaN();  ///< t*, relative, at most 1; −∞ when no v satisfies the equalities
  double tolerance = 0;  ///< |margin| up to it counts as zero
  std::string reason;    ///< which argument decided: a shortcut by name, or "margin"
  std::string sentence;  ///< what the verdict means, for people
  ExistenceCertificate certificate;
  std::vector<std::string> notes;  ///< assumptions and facts met on the way, one sentence each
  long iterations = 0;             ///< of the interior-point method, all stages together
  double time = 0;                 ///< seconds
};

struct ExistenceOptions {
  double tolerance = 1e-6;  ///< |margin| up to it counts as zero
  double time_limit = std::numeric_limits<double>::infinity();
  bool shortcuts = true;  ///< cheap sufficient arguments first; without them the margin is always computed
  const std::atomic<bool>* interrupt = nullptr;
};

/// Throws InvalidProblem on a bad problem, Error when the optimisation could not decide within the limits.
CORNET_API Existence check_existence(const Problem& problem, const ExistenceOptions& options = {});

/// The separate check of a certificate: true when every claim of its kind holds for this problem within `tolerance`, relative, and, for `impossible`,
/// leaves out no solutions but those 1e8 times out of scale. The largest violation is stored in `residual` when it is given.
CORNET_API bool verify_existence(const Problem& problem, Verdict verdict, const ExistenceCertificate& certificate, double tolerance = 1e-6,
                                 double* residual = nullptr);

}  // namespace cornet
