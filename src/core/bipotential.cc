// De Saxcé's bipotential (bipotential.h), on velocities that the certificate recomputes.
#include "cornet/bipotential.h"

#include <algorithm>
#include <cmath>

namespace cornet {

Bipotential bipotential(const Problem& problem, const Iterate& x, double tolerance) {
  const std::vector<double> u = certified_velocities(problem, x.r);
  const std::vector<double>& mu = std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, problem);
  const auto d = static_cast<std::size_t>(dimension(problem));
  const auto largest = [](const std::vector<double>& a) {
    double size = 0;
    for (const double value : a) size = std::max(size, std::abs(value));
    return size;
  };
  const double slack_u = tolerance * largest(u), slack_r = tolerance * largest(x.r);

  Bipotential out;
  for (std::size_t c = 0; c < mu.size(); ++c) {
    const double* r = &x.r[d * c];
    const double* v = &u[d * c];
    double tangent_r = 0, tangent_u = 0, product = r[0] * v[0];
    for (std::size_t i = 1; i < d; ++i) {
      tangent_r = std::hypot(tangent_r, r[i]);
      tangent_u = std::hypot(tangent_u, v[i]);
      product += r[i] * v[i];
    }
    const bool rough = std::isinf(mu[c]);
    const double wrong_u = std::hypot(std::max(0.0, -v[0]), rough ? tangent_u : 0.0);
    const double wrong_r = std::max({0.0, -r[0], rough ? 0.0 : tangent_r - mu[c] * std::max(0.0, r[0])});
    const double friction = rough ? 0 : mu[c] * r[0] * tangent_u;
    const double gap = rough ? r[0] * v[0] : product + friction;
    out.gap.push_back(gap);
    out.infeasibility.push_back(std::max(wrong_u, wrong_r));
    out.infeasible += wrong_u > slack_u || wrong_r > slack_r;
    out.total += gap;
    out.value += friction;
    if (out.worst_contact < 0 || std::abs(gap) > std::abs(out.worst_gap)) {
      out.worst_contact = static_cast<int>(c);
      out.worst_gap = gap;
    }
  }
  return out;
}

}  // namespace cornet
