// The independent proof of an answer. Nothing here is used by a solver and nothing of a solver is used here.
//
//   F(r) = r − P_K( r − (u + g(u)) ),   err = ‖F(r)‖ / ‖q‖   (absolute if ‖q‖ is below machine accuracy)
//
// u is recomputed from the reactions alone: u = W r + q, or through a solve with M, so a wrong u or v in an answer cannot hide.
// Reactions so large that rounding moves F by more than 1e-8 ‖q‖ prove nothing: err is then at least that rounding. It is estimated from the
// sizes of the terms that cancel in u and, at contacts on the boundary of K, in r.
// For μ = ∞ the law reads u_T = 0, 0 ≤ u_N ⊥ r_N ≥ 0, and F = (r_N − max(0, r_N − u_N), u_T).
#pragma once

#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

/// Status of one contact.
enum class ContactStatus { take_off, stick, slide };

CORNET_API const char* to_string(ContactStatus status);

struct Certificate {
  double error = 0;            ///< the error of the whole project: ‖F(r)‖ / ‖q‖, or the rounding in it where that is larger than 1e-8
  double natural_map = 0;      ///< ‖F(r)‖
  double norm_q = 0;           ///< ‖q‖
  bool relative = true;        ///< false when ‖q‖ is below machine accuracy and the error is absolute
  double cone_violation = 0;   ///< max over contacts of the distance of r^α to K_μα
  double dual_violation = 0;   ///< max over contacts of the distance of û^α to K*_μα
  double complementarity = 0;  ///< max over contacts of |r^α · û^α|
  double dynamics = 0;     ///< ‖u_given − u‖ / max(‖q‖, ‖u‖), and the same for v: how far the given u and v are from r's own
  int worst_contact = -1;  ///< the contact with the largest ‖F^α‖, −1 when there is none
  double worst_value = 0;  ///< its ‖F^α‖
  std::vector<ContactStatus> status;  ///< nc
  int take_off = 0;
  int stick = 0;
  int slide = 0;
};

/// Certifies the reactions of `x`. Throws InvalidProblem when x.r has the wrong length or is not finite, or when M is singular.
CORNET_API Certificate certify(const Problem& problem, const Iterate& x);

}  // namespace cornet
