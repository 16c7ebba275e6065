// All solutions of one contact in space by case analysis, each candidate polished by the exact one-contact solver.
//
//   take-off  r = 0, q_N ≥ 0
//   stick     W r = −q, r ∈ K: a point, a line or a plane of reactions according to the rank of W, met with the cone in closed form
//   slide     the roots α > 0 of the secular equation (secular.h), which isolates all of them; S + αI is regular for α > 0
//
// The list is complete when the secular equation applies (W_NN > 0, S positive semidefinite), when μ = 0, when the row of u_N is zero and
// q_N ≠ 0 (u_N = q_N decides alone), and for μ = ∞ when its two linear systems are regular. Otherwise it is not called complete.
// Reference: secular.h; Acary, Brémond, Huber §2.
#include "contact/one_contact_all.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <optional>

#include "contact/cone.h"
#include "contact/one_contact.h"
#include "contact/secular.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRank = 1e-11;  // singular values below this part of the largest count as zero

struct Stick {
  std::optional<Vec<3>> r;
  bool unique = true;
};

/// A point t of [p + t k], t real, inside K, the deepest one where the slack μ r_N − ‖r_T‖ has a maximum.
std::optional<Vec<3>> line_in_cone(const Vec<3>& p, const Vec<3>& k, double mu) {
  // ‖p_T + t k_T‖² ≤ μ²(p_N + t k_N)² is a quadratic in t; its roots, the middle between them and points beyond are all that can differ.
  const double a = k[1] * k[1] + k[2] * k[2] - mu * mu * k[0] * k[0], b = p[1] * k[1] + p[2] * k[2] - mu * mu * p[0] * k[0],
               c = p[1] * p[1] + p[2] * p[2] - mu * mu * p[0] * p[0];
  std::vector<double> at = {0};
  const double scale = 1 + p.norm();
  if (std::abs(a) > 1e-14 * (1 + mu * mu)) {
    const double root = std::sqrt(std::max(0.0, b * b - a * c));
    const double t1 = (-b - root) / a, t2 = (-b + root) / a, far = std::abs(t1 - t2) + scale;
    at = {t1, t2, 0.5 * (t1 + t2), std::min(t1, t2) - far, std::max(t1, t2) + far};
  } else if (std::abs(b) > 0) {
    const double t = -0.5 * c / b;
    at = {t, t - scale, t + scale};
  }
  std::optional<Vec<3>> best;
  double slack = -1e-12 * scale * (1 + mu);
  for (const double t : at) {
    const Vec<3> r = p + t * k;
    const double s = mu * r[0] - std::hypot(r[1], r[2]);
    if (r.allFinite() && r[0] >= 0 && s > slack) {
      slack = s;
      best = r;
    }
  }
  return best;
}

/// Some r ∈ K with W r = −q.
Stick stick_point(const Mat<3>& W, const Vec<3>& q, double mu) {
  const Eigen::JacobiSVD<Mat<3>> svd(W, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const auto& sigma = svd.singularValues();
  int rank = 0;
  while (rank < 3 && sigma[rank] > kRank * sigma[0]) ++rank;
  const Vec<3> y = -(svd.matrixU().transpose() * q);
  Vec<3> p = Vec<3>::Zero();
  for (int i = 0; i < 3; ++i) {
    if (i >= rank && std::abs(y[i]) > 1e-9 * (1 + q.norm())) return {};  // −q is not in the range of W
    if (i < rank) p += y[i] / sigma[i] * svd.matrixV().col(i);
  }
  if (rank == 3) return {p, true};
  if (rank == 2) return {line_in_cone(p, svd.matrixV().col(2), mu), false};
  if (rank == 0) return {Vec<3>(Vec<3>::Zero()), false};
  // The plane h·r = β: K reaches it where h·r has the sign of β on the best edge of the cone.
  const Vec<3> h = svd.matrixV().col(0);
  const double beta = h.dot(p), sign = beta >= 0 ? 1 : -1, tangent = std::hypot(h[1], h[2]);
  if (std::abs(beta) <= 1e-14 * (1 + q.norm())) return {Vec<3>(Vec<3>::Zero()), false};
  const double best = sign * h[0] + mu * tangent;
  if (!(best > 1e-11 * (1 + mu))) return {};
  const double size = std::abs(beta) / best, along = tangent > 0 ? sign * mu / tangent : 0;
  return {Vec<3>(size, size * along * h[1], size * along * h[2]), false};
}

}  // namespace

OneContactSolutions all_solutions(const Mat<3>& W_given, const Vec<3>& q_given, double mu) {
  OneContactSolutions out;
  const double W_size = W_given.cwiseAbs().maxCoeff(), q_size = q_given.cwiseAbs().maxCoeff();
  const double W_unit = W_size > 0 ? W_size : 1, q_unit = q_size > 0 ? q_size : 1;
  const Mat<3> W = W_given / W_unit;
  const Vec<3> q = q_given / q_unit;
  const auto propose = [&](const Vec<3>& r) {
    ++out.cases;
    Vec<3> point = r;
    if (!solve_exact<3>(W, q, mu, point).converged) return false;
    if ((point - r).norm() > 1e-6 * (1 + r.norm())) return false;
    out.r.push_back(point / W_unit * q_unit);
    return true;
  };

  // u_N does not depend on r.
  if (W.row(0).isZero(0)) {
    if (q[0] < 0) {
      out.complete = true;
      return out;
    }
    if (q[0] > 0 && mu < kInfinity) {
      out.complete = propose(Vec<3>::Zero());
      return out;
    }
  }
  if (mu == 0) {
    if (q[0] < 0 && !(W(0, 0) > 0)) return out;
    out.complete = propose({q[0] < 0 ? -q[0] / W(0, 0) : 0.0, 0, 0});
    return out;
  }
  if (mu == kInfinity) {
    // r_N = 0 with u_T = 0, and u = 0.
    const Mat<2> tangent = W.bottomRightCorner<2, 2>();
    const Eigen::FullPivLU<Mat<3>> closed(W);
    const Eigen::FullPivLU<Mat<2>> open(tangent);
    out.complete = closed.isInvertible() && open.isInvertible();
    if (closed.isInvertible()) {
      const Vec<3> r = closed.solve(-q);
      if (r[0] >= 0) out.complete &= propose(r);
    }
    if (open.isInvertible()) {
      const Vec<2> r_T = open.solve(-q.tail<2>());
      if (q[0] + W(0, 1) * r_T[0] + W(0, 2) * r_T[1] >= 0) out.complete &= propose({0, r_T[0], r_T[1]});
    }
    return out;
  }

  bool good = true;
  if (q[0] >= 0) good &= propose(Vec<3>::Zero());
  const Stick stick = stick_point(W, q, mu);
  if (stick.r && stick.r->allFinite()) {
    const Vec<3>& r = *stick.r;
    if (mu * r[0] >= std::hypot(r[1], r[2]) * (1 - 1e-13)) {
      good &= propose(r);
      out.unique_reactions = stick.unique;
    }
  }
  if (!(W(0, 0) > 0)) return out;
  const Secular h(W, q, mu);
  const SecularRoots roots(h);
  for (int i = 0; i < roots.count(); ++i)
    if (h.denominator(roots[i]) > 0 && h.normal(roots[i]) >= 0) propose(h.reaction(roots[i]));
  // S + αI must be regular on α > 0 for the roots to be all slides.
  out.complete = good && h.trace >= -1e-12 && h.det >= -1e-12 && !(h.trace <= 0 && h.det < 0);
  return out;
}

}  // namespace cornet
