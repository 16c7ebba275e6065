// Random local problems with a known solution: choose r and u that obey the law contact by contact, then W, then q = u − W r.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cornet/error.h"
#include "cornet/samples.h"
#include "samples/random.h"
#include "samples/rigid_bodies.h"

namespace cornet::samples {
namespace {

enum class Wanted { take_off, stick, slide };

// A direction of the tangent space, of length one.
Eigen::VectorXd tangent(int dim, Random& random) {
  if (dim == 2) return Eigen::VectorXd::Constant(1, random.unit() < 0.5 ? -1.0 : 1.0);
  const double angle = random.uniform(-3.14159265358979323846, 3.14159265358979323846);
  return Eigen::Vector2d(std::cos(angle), std::sin(angle));
}

// (r, u) of one contact with the wanted status. Margins keep it away from the borders between statuses.
void choose_point(Wanted wanted, double mu, Random& random, Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> u) {
  const int dim = static_cast<int>(r.size());
  const bool rough = std::isinf(mu);
  const Eigen::VectorXd t = tangent(dim, random);
  const double normal = random.uniform(0.5, 1.5), speed = random.uniform(0.5, 1.5), share = random.uniform(0.1, 0.8);
  r.setZero();
  u.setZero();
  if (wanted == Wanted::take_off) {
    u[0] = normal;
    // Without sliding at all (μ = ∞) the tangential velocity vanishes even where the normal reaction does.
    if (rough) r.tail(dim - 1) = share * t;
    else u.tail(dim - 1) = speed * t;
    return;
  }
  r[0] = normal;
  if (rough) {
    r.tail(dim - 1) = speed * t;
  } else if (wanted == Wanted::stick) {
    r.tail(dim - 1) = share * mu * normal * t;
  } else {
    r.tail(dim - 1) = mu * normal * t;
    u.tail(dim - 1) = -speed * t;
  }
}

}  // namespace

LocalProblem random_local(int dim, int contacts, int rank, double mu_min, double mu_max, double asymmetry, std::uint64_t seed,
                          Iterate& solution) {
  constexpr int kMost = 46340;  // W is full: indices of 32 bits
  if (contacts < 0 || contacts > kMost / dim)
    throw InvalidOption(fmt::format("random_local: found {} contacts, expected 0 to {} (indices of 32 bits)", contacts, kMost / dim));
  Random random(seed);
  const int m = dim * contacts, k = std::min(rank, m);
  LocalProblem problem;
  problem.dim = dim;
  problem.name = "random-" + std::to_string(dim) + "d-" + std::to_string(contacts);

  Eigen::VectorXd r(m), u(m);
  for (int contact = 0; contact < contacts; ++contact) {
    double mu;
    if (!std::isinf(mu_max)) mu = random.uniform(mu_min, mu_max);
    else if (std::isinf(mu_min) || contact % 3 == 2) mu = mu_max;
    else mu = random.uniform(mu_min, mu_min + 1);
    problem.mu.push_back(mu);
    choose_point(static_cast<Wanted>(random.index(3)), mu, random, r.segment(dim * contact, dim), u.segment(dim * contact, dim));
  }

  // W = A Aᵀ + skew part: xᵀ W x = ‖Aᵀ x‖² ≥ 0, of the rank of A.
  Eigen::MatrixXd a(m, k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < m; ++i) a(i, j) = random.uniform(-1, 1);
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(m, m);
  if (m > 0 && k > 0) w = a * a.transpose() / k;
  const double scale = m > 0 ? asymmetry * w.trace() / m : 0;
  for (int j = 0; j < m && asymmetry > 0; ++j)
    for (int i = 0; i < j; ++i) {
      const double part = scale * random.uniform(-1, 1);
      w(i, j) += part;
      w(j, i) -= part;
    }

  problem.W.rows = problem.W.cols = m;
  problem.W.p.push_back(0);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      problem.W.i.push_back(i);
      problem.W.x.push_back(w(i, j));
    }
    problem.W.p.push_back(problem.W.entries());
  }
  const Eigen::VectorXd q = u - w * r;
  problem.q.assign(q.data(), q.data() + m);
  solution = {};
  solution.r.assign(r.data(), r.data() + m);
  solution.u.assign(u.data(), u.data() + m);
  return problem;
}

}  // namespace cornet::samples
