// φ(s) by solve_convex: see landscape.h.
#include "reproduce/landscape.h"

#include <cmath>

#include "cornet/convex.h"

namespace cornet::reproduction {

double landscape(const Problem& problem, const std::vector<double>& s, double tolerance) {
  ConvexQuestion question;
  question.s = s;
  ConvexOptions options;
  options.tolerance = tolerance;
  const ConvexResult result = solve_convex(problem, question, options);
  if (result.status != ConvexStatus::optimal) return std::nan("");
  const auto dim = static_cast<std::size_t>(dimension(problem));
  double phi = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    double slip = 0;
    for (std::size_t c = 1; c < dim; ++c) slip = std::hypot(slip, result.x.u[dim * k + c]);
    phi += 0.5 * (s[k] - slip) * (s[k] - slip);
  }
  return phi;
}

}  // namespace cornet::reproduction
