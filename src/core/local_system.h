// A local problem in the storage that solvers work on.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "cornet/problem.h"
#include "linalg/block_matrix.h"

namespace cornet {

template <int D>
struct LocalSystem {
  BlockMatrix<D> W;
  std::vector<double> q;
  std::vector<double> mu;
  double norm_q = 0;  ///< what the error is divided by: ‖q‖, or 1 when ‖q‖ is below machine accuracy

  /// `problem` has no bilateral part (the driver condenses it).
  explicit LocalSystem(const LocalProblem& problem) : W(problem.W), q(problem.q), mu(problem.mu) {
    for (double x : q) norm_q += x * x;
    norm_q = std::sqrt(norm_q);
    if (norm_q <= std::numeric_limits<double>::epsilon()) norm_q = 1;
  }

  int contacts() const { return static_cast<int>(mu.size()); }
  std::size_t size() const { return q.size(); }
};

}  // namespace cornet
