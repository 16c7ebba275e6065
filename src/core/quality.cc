// Quality of an answer (quality.h): margins of the statuses, uniqueness, attainable error. Formulas: docs/quality.md.
#include "cornet/quality.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/active_rank.h"
#include "core/delassus.h"
#include "core/local_system.h"
#include "core/rounding.h"
#include "cornet/reduce.h"
#include "linalg/sparse.h"

namespace cornet {
namespace {

constexpr double kUndecided = 10;  // distances to another status up to this multiple of the answer's own uncertainty are nothing

// Distance to the nearest other status: of the reaction and of the velocity, +∞ where that one cannot change it; and the margin.
struct Distance {
  double reaction = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  double margin = 1;
};

Distance distance(const double* r, const double* u, int dim, double mu, ContactStatus status, double largest_r, double largest_u) {
  const auto tangent = [&](const double* a) { return dim == 2 ? std::abs(a[1]) : std::hypot(a[1], a[2]); };
  const auto part = [](double x, double of) { return of > 0 ? std::clamp(x / of, 0.0, 1.0) : 0.0; };
  Distance d;
  if (status == ContactStatus::take_off) {
    d.velocity = std::max(0.0, u[0]);
    d.margin = part(u[0], largest_u);
    return d;
  }
  d.reaction = std::max(0.0, r[0]);
  d.margin = part(r[0], largest_r);
  if (mu == 0 || std::isinf(mu)) return d;
  if (status == ContactStatus::stick) {
    const double slack = mu * r[0] - tangent(r);
    d.reaction = std::min(d.reaction, std::max(0.0, slack));
    d.margin = std::min(d.margin, part(slack, mu * r[0]));
  } else {
    d.velocity = tangent(u);
    d.margin = std::min(d.margin, part(d.velocity, largest_u));
  }
  return d;
}

}  // namespace

Quality assess(const Problem& problem, const Iterate& x) {
  const Certificate certificate = certify(problem, x);
  const auto* given = std::get_if<LocalProblem>(&problem);
  const LocalProblem local = given ? condense(*given) : reduce(std::get<GlobalProblem>(problem)).local();
  const std::vector<double> u = velocities(local, x.r);

  Quality quality;
  quality.attainable_error = with_dimension(local.dim, [&]<int D>() {
    std::vector<double> work;
    const LocalSystem<D> system(local);
    return rounding_floor(ExplicitOperator<D>(system), x.r.data(), work);
  });

  const auto d = static_cast<std::size_t>(local.dim);
  std::vector<double> w(local.mu.size(), 0.0);  // largest diagonal entry of W at each contact
  const SparseColumns W = to_columns(local.W);
  for (std::size_t k = 0; k < x.r.size(); ++k) w[k / d] = std::max(w[k / d], W.coeff(static_cast<int>(k), static_cast<int>(k)));
  double largest_r = 0, largest_u = 0;
  for (std::size_t k = 0; k < x.r.size(); ++k) {
    largest_r = std::max(largest_r, std::abs(x.r[k]));
    largest_u = std::max({largest_u, std::abs(u[k]), std::abs(local.q[k])});
  }
  // ‖F‖ is a velocity where a contact sticks and a reaction where it takes off; W of the contact turns one into the other.
  const double unit = certificate.relative ? certificate.norm_q : 1.0;
  const double uncertain = kUndecided * std::max(certificate.natural_map, unit * quality.attainable_error);
  for (std::size_t a = 0; a < local.mu.size(); ++a) {
    const Distance to = distance(x.r.data() + a * d, u.data() + a * d, local.dim, local.mu[a], certificate.status[a], largest_r, largest_u);
    quality.contacts.push_back({certificate.status[a], to.margin});
    const double of_r = uncertain * std::max(1.0, w[a] > 0 ? 1 / w[a] : 0.0), of_u = uncertain * std::max(1.0, w[a]);
    quality.degenerate += to.reaction <= of_r || to.velocity <= of_u;
  }

  const ActiveRank rank = active_rank(local, x.r, u, certificate.status);
  quality.unknowns = rank.unknowns;
  quality.rank = rank.rank;
  quality.reactions_unique = rank.reactions_unique;
  quality.velocities_unique = rank.velocities_unique;
  return quality;
}

}  // namespace cornet
