// The certificates of the convex problem (convex.h): optimality of reactions r, and infeasibility proved by a ray. Like core/certificate.cc
// this file has its own products, factorisation and projections and includes public headers and Eigen only.
//
//   ũ = W r + q + E s           gap = r·ũ + σ_X(−ũ)          σ_X(−ũ) per contact:
//
//   cone  0 for ũ ∈ K*;   half_line  0 for ũ_N ≥ 0;   cylinder  radius ‖ũ_T‖ for ũ_N ≥ 0;   disk  −given ũ_N + radius ‖ũ_T‖
//
// where radius = ∞ asks for ũ_T = 0. Weak duality: for r ∈ X and any feasible v the primal objective is at least the dual one, so a gap
// of zero proves both. A ray r ∈ X∞ with W r = 0 and rᵀ(q + E s) < 0 proves that no v is feasible: 0 ≤ r·(Hᵀv + w + E s) would be equal to
// rᵀ(q + E s).
#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/convex.h"
#include "cornet/error.h"

namespace cornet {
namespace {

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Vector copied(const std::vector<double>& a) { return Eigen::Map<const Vector>(a.data(), static_cast<Eigen::Index>(a.size())); }

// Eigen's own assembly; duplicates add.
Sparse assembled(const SparseMatrix& a) {
  std::vector<Eigen::Triplet<double>> entries;
  if (a.storage == Storage::triplet)
    for (std::size_t k = 0; k < a.x.size(); ++k) entries.emplace_back(a.i[k], a.p[k], a.x[k]);
  else
    for (int outer = 0; outer + 1 < static_cast<int>(a.p.size()); ++outer)
      for (int k = a.p[outer]; k < a.p[outer + 1]; ++k)
        if (a.storage == Storage::csc) entries.emplace_back(a.i[k], outer, a.x[k]);
        else entries.emplace_back(outer, a.i[k], a.x[k]);
  Sparse out(a.rows, a.cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

// r → W r and the vector q, in either form, bilateral constraints eliminated.
class Operator {
 public:
  explicit Operator(const Problem& problem) {
    if (const auto* local = std::get_if<LocalProblem>(&problem)) {
      W_ = assembled(local->W);
      q_ = copied(local->q);
      if (local->V && local->V->cols > 0) {
        V_ = assembled(*local->V);
        R_.compute(Eigen::MatrixXd(assembled(*local->R)));
        if (!R_.isInvertible())
          throw InvalidProblem("R: found a singular matrix, expected a regular one (bilateral constraints of a local problem)");
        q_ -= V_ * Vector(R_.solve(copied(local->s)));
      }
      return;
    }
    const auto& global = std::get<GlobalProblem>(problem);
    H_ = assembled(global.H);
    const int n = global.dofs(), p = global.G ? global.G->cols : 0;
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](const Sparse& a, int row, int column, double sign, bool transposed) {
      for (int k = 0; k < a.outerSize(); ++k)
        for (Sparse::InnerIterator e(a, k); e; ++e)
          entries.emplace_back(row + static_cast<int>(transposed ? e.col() : e.row()),
                               column + static_cast<int>(transposed ? e.row() : e.col()), sign * e.value());
    };
    add(assembled(global.M), 0, 0, 1, false);
    if (p > 0) {
      joint_unit_ = unit_of_joints(global);
      add(assembled(*global.G), 0, n, -joint_unit_, false);
      add(assembled(*global.G), n, 0, joint_unit_, true);
    }
    system_.resize(n + p, n + p);
    system_.setFromTriplets(entries.begin(), entries.end());
    system_.makeCompressed();
    factorise();
    Vector load(n + p);
    load << copied(global.f), -joint_unit_ * copied(global.b);
    q_ = H_.transpose() * Vector(solved(load).head(n)) + copied(global.w);
  }

  const Vector& q() const { return q_; }

  Vector operator()(const Vector& r) {
    if (H_.cols() == 0 && W_.cols() == r.size()) {
      Vector u = W_ * r;
      if (V_.cols() > 0) u -= V_ * Vector(R_.solve(V_.transpose() * r));
      return u;
    }
    Vector load = Vector::Zero(system_.rows());
    load.head(H_.rows()) = H_ * r;
    return H_.transpose() * Vector(solved(load).head(H_.rows()));
  }

  // The largest singular value, from below.
  double norm() {
    Vector x(q_.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = 1 + 0.5 * std::sin(static_cast<double>(k));
    double norm = 0;
    for (int k = 0; k < 10 && x.norm() > 0; ++k) {
      x /= x.norm();
      x = (*this)(x);
      norm = x.norm();
    }
    return norm;
  }

 private:
  // A power of two that makes G as large as M: light bodies with joints of size one are no singular system, heavy ones no inconsistent one.
  static double unit_of_joints(const GlobalProblem& p) {
    const auto largest = [](const SparseMatrix& a) {
      double out = 0;
      for (const double x : a.x) out = std::max(out, std::abs(x));
      return out;
    };
    const double mass = largest(p.M), joint = largest(*p.G);
    return mass > 0 && joint > 0 ? std::exp2(std::round(std::log2(mass) - std::log2(joint))) : 1.0;
  }

  void factorise() {
    if (system_.rows() == 0) return;
    lu_.compute(system_);
    const Vector ones = Vector::Ones(system_.cols());
    direct_ = lu_.info() == Eigen::Success && (Vector(lu_.solve(system_ * ones)) - ones).lpNorm<Eigen::Infinity>() < 1e-2;
    if (!direct_) qr_.compute(system_);  // redundant columns of G leave v unique
  }
  Vector solved(const Vector& rhs) {
    if (rhs.size() == 0) return rhs;
    Vector x = direct_ ? Vector(lu_.solve(rhs)) : Vector(qr_.solve(rhs));
    if (direct_) x += lu_.solve(rhs - system_ * x);
    const double scale = (system_.cwiseAbs() * x.cwiseAbs() + rhs.cwiseAbs()).maxCoeff();
    if (!((system_ * x - rhs).lpNorm<Eigen::Infinity>() <= 1e-9 * scale))
      throw InvalidProblem("M, G, b: found a system without solution, expected consistent dynamics and constraints");
    return x;
  }

  Sparse W_, V_, H_, system_;
  Vector q_;
  Eigen::FullPivLU<Eigen::MatrixXd> R_;
  double joint_unit_ = 1;
  bool direct_ = true;
  Eigen::SparseLU<Sparse> lu_;
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr_;
};

const std::vector<double>& friction(const Problem& problem) {
  return std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, problem);
}

// The set of one contact.
struct ContactSet {
  ConvexSet kind;
  double mu, radius, normal;

  bool free_tangent() const { return kind == ConvexSet::cone ? std::isinf(mu) : kind != ConvexSet::half_line && std::isinf(radius); }
  bool no_tangent() const { return kind == ConvexSet::half_line || (kind == ConvexSet::cone ? mu == 0 : radius == 0); }

  Vector nearest(Vector z) const {
    const Eigen::Index t = z.size() - 1;
    const bool round_cone = kind == ConvexSet::cone && mu > 0 && !std::isinf(mu);
    if (round_cone) return nearest_in_cone(z, mu);
    z[0] = kind == ConvexSet::disk ? normal : std::max(0.0, z[0]);
    if (no_tangent()) z.tail(t).setZero();
    else if (!free_tangent() && z.tail(t).norm() > radius) z.tail(t) *= radius / z.tail(t).norm();
    return z;
  }

  Vector nearest_direction(Vector z) const {  // X∞
    if (kind == ConvexSet::cone) return nearest(z);
    z[0] = kind == ConvexSet::disk ? 0.0 : std::max(0.0, z[0]);
    if (!free_tangent()) z.tail(z.size() - 1).setZero();
    return z;
  }

  double dual_violation(const Vector& u) const {
    const double slip = u.tail(u.size() - 1).norm();
    if (kind == ConvexSet::cone && mu > 0 && !std::isinf(mu)) return nearest_in_cone(-u, mu).norm();  // Moreau: ũ − P_K*(ũ) = −P_K(−ũ)
    const double normal_part = kind == ConvexSet::disk ? 0.0 : std::max(0.0, -u[0]);
    return free_tangent() ? std::hypot(normal_part, slip) : normal_part;
  }

  double support(const Vector& u) const {  // σ_X(−ũ) on its domain
    if (kind == ConvexSet::cone || kind == ConvexSet::half_line) return 0;
    const double sliding = free_tangent() ? 0.0 : radius * u.tail(u.size() - 1).norm();
    return kind == ConvexSet::disk ? sliding - normal * u[0] : sliding;
  }

  static Vector nearest_in_cone(const Vector& z, double mu) {
    const Eigen::Index t = z.size() - 1;
    const double n = z[0], length = z.tail(t).norm();
    if (n >= 0 && length <= mu * n) return z;  // μ = 0: 0 ≤ 0·n holds below the apex too
    if (mu * length <= -n) return Vector::Zero(z.size());
    const double hyp = std::hypot(1.0, mu), along = (n + mu * length) / hyp;
    Vector p(z.size());
    p[0] = along / hyp;
    p.tail(t) = z.tail(t) * (along * (mu / hyp) / length);
    return p;
  }
};

ContactSet set_of(const ConvexQuestion& question, const std::vector<double>& mu, std::size_t a) {
  const double normal = question.normal.empty() ? 0.0 : question.normal[a];
  const double radius = !question.radius.empty() ? question.radius[a] : std::isinf(mu[a]) ? kInfinity : mu[a] * std::max(0.0, normal);
  return {question.set, mu[a], radius, normal};
}

// q + E s.
Vector linear_term(const ConvexQuestion& question, const std::vector<double>& mu, int dim, Vector q) {
  for (std::size_t a = 0; a < question.s.size(); ++a)
    if (!std::isinf(mu[a])) q[static_cast<Eigen::Index>(a) * dim] += mu[a] * question.s[a];
  return q;
}

Vector point(const Iterate& x, Eigen::Index m) {
  if (static_cast<Eigen::Index>(x.r.size()) != m)
    throw InvalidProblem(fmt::format("r: found {} numbers, expected {} (dimension × contacts)", x.r.size(), m));
  Vector r = copied(x.r);
  if (!r.allFinite()) throw InvalidProblem("r: found a number that is not finite, expected finite reactions");
  return r;
}

// Relative, unless the scale is below machine accuracy.
double over(double value, double scale) { return scale > std::numeric_limits<double>::epsilon() ? value / scale : value; }

}  // namespace

void validate(const Problem& problem, const ConvexQuestion& question) {
  const std::size_t nc = friction(problem).size();
  const auto length = [&](const std::vector<double>& a, const char* name) {
    if (!a.empty() && a.size() != nc)
      throw InvalidProblem(fmt::format("{}: found {} numbers, expected {} (one per contact)", name, a.size(), nc));
  };
  length(question.s, "s");
  length(question.radius, "radius");
  length(question.normal, "normal");
  for (double s : question.s)
    if (!(s >= 0 && s < kInfinity)) throw InvalidProblem(fmt::format("s: found {}, expected finite sliding velocities ≥ 0", s));
  for (double radius : question.radius)
    if (!(radius >= 0)) throw InvalidProblem(fmt::format("radius: found {}, expected radii in [0, ∞]", radius));
  for (double normal : question.normal)
    if (!std::isfinite(normal)) throw InvalidProblem(fmt::format("normal: found {}, expected finite normal reactions", normal));
}

ConvexCertificate certify_convex(const Problem& problem, const ConvexQuestion& question, const Iterate& x, double tolerance) {
  validate(problem);
  validate(problem, question);
  const std::vector<double>& mu = friction(problem);
  const int dim = dimension(problem);
  Operator W(problem);
  const Vector p = linear_term(question, mu, dim, W.q());
  const Vector r = point(x, p.size()), Wr = W(r), u = Wr + p;

  ConvexCertificate c;
  double support = 0, map = 0, cone = 0, dual = 0;
  for (std::size_t a = 0; a < mu.size(); ++a) {
    const ContactSet set = set_of(question, mu, a);
    const Eigen::Index k = static_cast<Eigen::Index>(a) * dim;
    const Vector r_a = r.segment(k, dim), u_a = u.segment(k, dim);
    support += set.support(u_a);
    map += (r_a - set.nearest(r_a - u_a)).squaredNorm();
    cone += (r_a - set.nearest(r_a)).squaredNorm();
    const double violation = set.dual_violation(u_a);
    dual += violation * violation;
  }
  c.dual_objective = -0.5 * r.dot(Wr) - r.dot(p);
  c.primal_objective = 0.5 * r.dot(Wr) + support;
  // r·ũ + σ rather than the difference of the objectives, which would lose digits.
  // The scale of the energies; 1 where the data have none (W = 0, or q + E s below machine accuracy).
  const double norm = W.norm(), length = p.norm();
  const double energy = norm > 0 && length > std::numeric_limits<double>::epsilon() ? length * length / norm : 1.0;
  c.gap = std::abs(r.dot(u) + support) / std::max({std::abs(c.primal_objective), std::abs(c.dual_objective), energy});
  c.cone_violation = r.norm() > 0 ? std::sqrt(cone) / r.norm() : std::sqrt(cone);
  c.dual_violation = over(std::sqrt(dual), p.norm());
  c.natural_map = over(std::sqrt(map), p.norm());
  c.verified = c.gap <= tolerance && c.cone_violation <= tolerance && c.dual_violation <= tolerance;
  return c;
}

ConvexCertificate certify_infeasible(const Problem& problem, const ConvexQuestion& question, const Iterate& direction) {
  constexpr double kLargestResidual = 1e-6;
  validate(problem);
  validate(problem, question);
  const std::vector<double>& mu = friction(problem);
  const int dim = dimension(problem);
  Operator W(problem);
  const Vector p = linear_term(question, mu, dim, W.q());
  const Vector given = point(direction, p.size());

  ConvexCertificate c;
  Vector r = given;
  for (std::size_t a = 0; a < mu.size(); ++a) {
    const Eigen::Index k = static_cast<Eigen::Index>(a) * dim;
    r.segment(k, dim) = set_of(question, mu, a).nearest_direction(given.segment(k, dim));
  }
  const double length = r.norm();
  if (!(length > 0)) return c;
  r /= length;
  c.ray.assign(r.data(), r.data() + r.size());
  c.ray_descent = over(-r.dot(p), p.norm());
  const Vector Wr = W(r);
  const double norm = W.norm(), energy = std::max(0.0, r.dot(Wr));
  c.ray_residual = !(c.ray_descent > 0) ? kInfinity : norm > 0 ? std::max(Wr.norm() / norm, std::sqrt(energy / norm)) / c.ray_descent : 0.0;
  c.verified = c.ray_residual <= kLargestResidual;
  return c;
}

}  // namespace cornet
