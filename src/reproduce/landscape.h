// Cadoux's function φ(s) = ½ Σ (s^α − ‖ũ_T^α(s)‖)², each value from one convex problem.
#pragma once

#include <vector>

#include "cornet/problem.h"

namespace cornet::reproduction {

/// `tolerance` is for the objective of the convex problem; the velocities are as good as its square root where φ has a kink, and
/// better elsewhere. NaN where the convex problem has no solution.
double landscape(const Problem& problem, const std::vector<double>& s, double tolerance = 1e-13);

}  // namespace cornet::reproduction
