// From the global form to the local one and back:
//
//   W = Hᵀ A H,  q = Hᵀ (A f − B b) + w      with  [ M  −G ]⁻¹   [ A  −B ]
//                                                  [ Gᵀ  0 ]   = [ .   . ]
//
// One factorisation per connected component of the graph of M and G (one per rigid body, one per flexible body, one per mechanism)
// serves W, q and the way back. M may be unsymmetric.
#pragma once

#include <memory>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

class CORNET_API Reduction {
 public:
  /// Throws InvalidProblem when M or the constrained system is singular.
  explicit Reduction(const GlobalProblem& problem);
  ~Reduction();
  Reduction(Reduction&&) noexcept;
  Reduction& operator=(Reduction&&) noexcept;

  /// The local problem with W in compressed columns, sorted, no explicit bilateral part. W is built on the first call, which no other
  /// thread may repeat meanwhile; expand() does without it.
  const LocalProblem& local() const;

  /// Adds v and λ, and u = Hᵀ v + w, to the reactions r of a local iterate.
  Iterate expand(const Iterate& local) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

inline Reduction reduce(const GlobalProblem& problem) { return Reduction(problem); }

/// Eliminates λ = −R⁻¹(Vᵀ r + s) from a local problem with bilateral constraints; a problem without them is returned as it is.
CORNET_API LocalProblem condense(const LocalProblem& problem);

/// λ of a local problem with bilateral constraints for given reactions; empty without them.
CORNET_API std::vector<double> multipliers(const LocalProblem& problem, const std::vector<double>& r);

/// u = W r + V λ + q of a local problem for given reactions.
CORNET_API std::vector<double> velocities(const LocalProblem& problem, const std::vector<double>& r);

}  // namespace cornet
