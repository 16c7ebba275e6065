// A local problem in the storage that solvers work on.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "cornet/problem.h"
#include "linalg/block_matrix.h"

namespace cornet {

/// What the error is divided by: ‖q‖, or 1 when ‖q‖ is below machine accuracy.
inline double error_unit(const std::vector<double>& q) {
  double sum = 0;
  for (double x : q) sum += x * x;
  const double norm = std::sqrt(sum);
  return norm > std::numeric_limits<double>::epsilon() ? norm : 1;
}

template <int D>
struct LocalSystem {
  BlockMatrix<D> W;
  std::vector<double> q;
  std::vector<double> mu;
  double norm_q = 0;  ///< error_unit(q)

  /// `problem` has no bilateral part (the driver condenses it).
  explicit LocalSystem(const LocalProblem& problem) : W(problem.W), q(problem.q), mu(problem.mu), norm_q(error_unit(q)) {}

  int contacts() const { return static_cast<int>(mu.size()); }
  std::size_t size() const { return q.size(); }
};

}  // namespace cornet
