// The interface of the convex engines on the local form: min ½ rᵀWr + rᵀ(q + E s), r ∈ X (convex.h). One object per matrix size keeps its
// workspace between solves, so that a sequence of problems in s (ACLM, Cadoux's Newton method) pays for analysis once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/local_system.h"
#include "cornet/convex.h"

namespace cornet {

/// X and the shift of the normal velocity, per contact. Pointers a kind does not use may be null.
struct ConvexSets {
  ConvexSet kind = ConvexSet::cone;
  const double* mu = nullptr;      ///< nc: cone
  const double* shift = nullptr;   ///< nc, E s: μ^α s^α added to u_N^α; null: zero
  const double* radius = nullptr;  ///< nc: disk, cylinder
  const double* normal = nullptr;  ///< nc, given r_N: disk
};

template <int D>
class ConvexEngine {
 public:
  virtual ~ConvexEngine() = default;

  /// Before the first solve with a new matrix.
  virtual void prepare(const LocalSystem<D>& system) = 0;

  /// r: starting point in (engines that cannot use one ignore it), answer out; on `infeasible` it is the ray. One monitor.step per
  /// iteration; the tolerance of the monitor is on the relative gap and the relative violations of certify_convex.
  virtual ConvexStatus solve(const LocalSystem<D>& system, const ConvexSets& sets, std::vector<double>& r, Monitor& monitor) = 0;
};

/// Throws InvalidOption for an unknown id or option.
template <int D>
std::unique_ptr<ConvexEngine<D>> make_engine(const std::string& id, const OptionTexts& options);

}  // namespace cornet
