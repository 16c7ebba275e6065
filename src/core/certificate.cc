// The certificate (certificate.h). On purpose this file has its own matrix assembly, factorisation and projection: it includes public headers
// and Eigen only, so that an error in the code of a solver or of the reduction cannot repeat itself here.
#include "cornet/certificate.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "cornet/bipotential.h"
#include "cornet/error.h"

namespace cornet {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

// Calls visit(row, column, value) for every stored entry.
template <class Visit>
void for_each_entry(const SparseMatrix& a, Visit&& visit) {
  if (a.storage == Storage::triplet) {
    for (std::size_t k = 0; k < a.x.size(); ++k) visit(a.i[k], a.p[k], a.x[k]);
    return;
  }
  const int outer = a.storage == Storage::csc ? a.cols : a.rows;
  for (int o = 0; o < outer; ++o)
    for (int k = a.p[o]; k < a.p[o + 1]; ++k) a.storage == Storage::csc ? visit(a.i[k], o, a.x[k]) : visit(o, a.i[k], a.x[k]);
}

constexpr auto kSize = [](double value) { return std::abs(value); };

/// A x; with `of` = kSize, |A| x.
template <class Of = std::identity>
Vector times(const SparseMatrix& a, const Vector& x, Of of = {}) {
  Vector y = Vector::Zero(a.rows);
  for_each_entry(a, [&](int row, int column, double value) { y[row] += of(value) * x[column]; });
  return y;
}

template <class Of = std::identity>
Vector transposed_times(const SparseMatrix& a, const Vector& x, Of of = {}) {
  Vector y = Vector::Zero(a.cols);
  for_each_entry(a, [&](int row, int column, double value) { y[column] += of(value) * x[row]; });
  return y;
}

Vector copied(const std::vector<double>& a) { return Eigen::Map<const Vector>(a.data(), static_cast<Eigen::Index>(a.size())); }

/// Solves [M −G; Gᵀ 0] x = rhs and refuses an answer that is not determined: direct first; orthogonal factors when columns of G are redundant,
/// which leaves v unique and is told from a singular M by the rank.
class LinearSystem {
 public:
  LinearSystem(Sparse a, int dofs) {
    a_.swap(a);  // Eigen 3.4 copies a sparse matrix that is moved
    a_.makeCompressed();
    if (a_.rows() == 0) return;
    // A probe with a known answer: a (nearly) singular system does not give it back.
    const Vector ones = Vector::Ones(a_.cols()), image = a_ * ones;
    const auto answers = [&](auto& factors) {
      return factors.info() == Eigen::Success && (Vector(factors.solve(image)) - ones).lpNorm<Eigen::Infinity>() < 1e-2;
    };
    // Cholesky needs a fraction of the memory of LU, but takes the lower half for the whole.
    if (a_.rows() == dofs && Sparse(a_.transpose()).isApprox(a_, 0)) {
      cholesky_.compute(a_);
      if (answers(cholesky_)) {
        method_ = Method::cholesky;
        return;
      }
    }
    lu_.compute(a_);
    if (answers(lu_)) {
      method_ = Method::lu;
      return;
    }
    if (a_.rows() == dofs) throw InvalidProblem("M: found a singular matrix, expected a positive definite one");
    Sparse g = a_.bottomLeftCorner(a_.rows() - dofs, dofs).transpose();
    g.makeCompressed();
    Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> constraints(g);
    qr_.compute(a_);
    if (qr_.rank() != dofs + constraints.rank())
      throw InvalidProblem("M, G: found a singular constrained system, expected one that determines v");
  }

  Vector solve(const Vector& rhs) {
    if (a_.rows() == 0) return rhs;
    Vector x = apply(rhs);
    if (method_ != Method::qr) x += apply(rhs - a_ * x);  // one step of refinement
    // Backward error: small relative to |A||x| + |b|, in the maximum norm.
    const double scale = (a_.cwiseAbs() * x.cwiseAbs() + rhs.cwiseAbs()).maxCoeff();
    if (!((a_ * x - rhs).lpNorm<Eigen::Infinity>() <= 1e-9 * scale))
      throw InvalidProblem("M, G, b: found a system without solution, expected consistent dynamics and constraints");
    return x;
  }

  /// A⁻¹ rhs without a look at the answer: for the sizes of errors.
  Vector solve_roughly(const Vector& rhs) const { return a_.rows() == 0 ? rhs : apply(rhs); }

  /// |A||x|.
  Vector sizes(const Vector& x) const { return a_.cwiseAbs() * x.cwiseAbs(); }

 private:
  enum class Method { cholesky, lu, qr };

  Vector apply(const Vector& rhs) const {
    switch (method_) {
      case Method::cholesky: return cholesky_.solve(rhs);
      case Method::lu: return lu_.solve(rhs);
      case Method::qr: break;
    }
    return qr_.solve(rhs);
  }

  Sparse a_;
  Method method_ = Method::qr;
  Eigen::SimplicialLLT<Sparse> cholesky_;
  Eigen::SparseLU<Sparse> lu_;
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr_;
};

constexpr double kRounding = std::numeric_limits<double>::epsilon();

// Rounding of F up to here, relative to ‖q‖, is not counted; what is above is error: a finer claim could not be kept.
constexpr double kNoise = 1e-8;

// Rounding of numbers of these sizes, with signs that do not favour a direction.
Vector rounded(const Vector& sizes) {
  Vector d = kRounding * sizes;
  for (Eigen::Index k = 1; k < d.size(); k += 2) d[k] = -d[k];
  return d;
}

/// The velocities that belong to given reactions, and the multipliers or generalised velocities from which they come.
struct Velocities {
  Vector u;
  Vector v;
  Vector inner;  ///< −λ in local form, v and λ in the unit of the joints in global form
};

class LocalDynamics {
 public:
  explicit LocalDynamics(const LocalProblem& p) : p_(p) {
    if (!p.V || p.V->cols == 0) return;
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(p.R->rows, p.R->cols);
    for_each_entry(*p.R, [&](int row, int column, double value) { R(row, column) += value; });
    lu_.compute(R);
    if (!lu_.isInvertible())
      throw InvalidProblem("R: found a singular matrix, expected a regular one (bilateral constraints of a local problem)");
  }
  Velocities operator()(const Vector& r) const {
    Velocities out{times(p_.W, r) + copied(p_.q), Vector(), Vector()};
    if (!p_.V || p_.V->cols == 0) return out;
    out.inner = lu_.solve(transposed_times(*p_.V, r) + copied(p_.s));
    out.u -= times(*p_.V, out.inner);
    return out;
  }

  /// Rounding of u: sums of large terms that cancel leave nothing but that.
  Vector noise(const Vector& r, const Velocities& at) const {
    const Vector r_size = r.cwiseAbs(), inner_size = at.inner.cwiseAbs();
    Vector out = kRounding * (times(p_.W, r_size, kSize) + copied(p_.q).cwiseAbs());
    if (!p_.V || p_.V->cols == 0) return out;
    const Vector terms = transposed_times(*p_.V, r_size, kSize) + copied(p_.s).cwiseAbs() + times(*p_.R, inner_size, kSize);
    return out + kRounding * times(*p_.V, inner_size, kSize) + times(*p_.V, lu_.solve(rounded(terms))).cwiseAbs();
  }

 private:
  const LocalProblem& p_;
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

class GlobalDynamics {
 public:
  explicit GlobalDynamics(const GlobalProblem& p)
      : p_(p), n_(p.dofs()), constraints_(p.G ? p.G->cols : 0), joint_unit_(unit_of_joints(p)), system_(assemble(), n_) {}

  Velocities operator()(const Vector& r) {
    Vector rhs(n_ + constraints_);
    rhs.head(n_) = times(p_.H, r) + copied(p_.f);
    if (constraints_ > 0) rhs.tail(constraints_) = -joint_unit_ * copied(p_.b);
    const Vector y = system_.solve(rhs), v = y.head(n_);
    return {transposed_times(p_.H, v) + copied(p_.w), v, y};
  }

  Vector noise(const Vector& r, const Velocities& at) const {
    Vector terms = system_.sizes(at.inner);
    terms.head(n_) += times(p_.H, r.cwiseAbs(), kSize) + copied(p_.f).cwiseAbs();
    if (constraints_ > 0) terms.tail(constraints_) += joint_unit_ * copied(p_.b).cwiseAbs();
    const Vector drift = system_.solve_roughly(rounded(terms)).head(n_);
    return kRounding * (transposed_times(p_.H, at.v.cwiseAbs(), kSize) + copied(p_.w).cwiseAbs()) +
           transposed_times(p_.H, drift).cwiseAbs();
  }

 private:
  // G in a unit in which it is as large as M, a power of two: light bodies with joints of size one are no singular system.
  static double unit_of_joints(const GlobalProblem& p) {
    double mass = 0, joint = 0;
    for_each_entry(p.M, [&](int, int, double value) { mass = std::max(mass, std::abs(value)); });
    if (p.G) for_each_entry(*p.G, [&](int, int, double value) { joint = std::max(joint, std::abs(value)); });
    return mass > 0 && joint > 0 ? std::exp2(std::round(std::log2(mass) - std::log2(joint))) : 1.0;
  }

  // [M −G; Gᵀ 0].
  Sparse assemble() const {
    std::vector<Eigen::Triplet<double>> entries;
    for_each_entry(p_.M, [&](int row, int column, double value) { entries.emplace_back(row, column, value); });
    if (p_.G)
      for_each_entry(*p_.G, [&](int row, int column, double value) {
        entries.emplace_back(row, n_ + column, -joint_unit_ * value);
        entries.emplace_back(n_ + column, row, joint_unit_ * value);
      });
    Sparse a(n_ + constraints_, n_ + constraints_);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
  }

  const GlobalProblem& p_;
  int n_;
  int constraints_;
  double joint_unit_;
  LinearSystem system_;
};

/// One contact: residuals of the law for reaction r and velocity u, normal first.
struct ContactCheck {
  double natural_map = 0;
  double noise = 0;   ///< rounding in ‖F‖ that comes from r alone
  bool open = false;  ///< F = r, whatever u is
  double cone = 0;
  double dual = 0;
  double product = 0;
  ContactStatus status = ContactStatus::take_off;
};

// P_K for 0 ≤ μ < ∞: inside, polar, or the nearest point of the boundary ray at distance t ≥ 0 along (1, μ e)/√(1+μ²).
Vector projected(const Vector& z, double mu) {
  const double normal = z[0], tangent = z.tail(z.size() - 1).norm();
  if (normal >= 0 && tangent <= mu * normal) return z;  // μ = 0: 0 ≤ 0·normal holds below the apex too
  if (mu * tangent <= -normal) return Vector::Zero(z.size());
  const double hyp = std::hypot(1.0, mu);
  const double along = (normal + mu * tangent) / hyp;
  Vector result(z.size());
  result[0] = along / hyp;
  result.tail(z.size() - 1) = z.tail(z.size() - 1) * (along * (mu / hyp) / tangent);
  return result;
}

// F = r − P_K(r − û), case by case, without the difference of r and a point close to it: with reactions so large that r − û rounds to r that
// difference vanishes whatever û is. Inside K it is û, in the polar cone r; on the boundary, with the outward normal n = (−μ, e)/√(1+μ²),
// it is û − (n·û) n + (n·r) n.
Vector natural_map(const Vector& r, const Vector& shifted, double mu) {
  const Eigen::Index t = r.size() - 1;
  const Vector z = r - shifted;
  const double tangent = z.tail(t).norm();
  if (z[0] >= 0 && tangent <= mu * z[0]) return shifted;
  if (mu * tangent <= -z[0]) return r;
  const double hyp = std::hypot(1.0, mu);
  Vector n(r.size());
  n[0] = -mu / hyp;
  n.tail(t) = z.tail(t) / (tangent * hyp);
  return shifted + (n.dot(r) - n.dot(shifted)) * n;
}

// zero_reaction and zero_velocity are what counts as rounding.
ContactCheck check_contact(const Vector& r, const Vector& u, double mu, double zero_reaction, double zero_velocity) {
  ContactCheck c;
  const Eigen::Index t = r.size() - 1;
  const double slip = u.tail(t).norm();
  if (std::isinf(mu)) {
    const double normal = std::min(r[0], u[0]);  // r_N − max(0, r_N − u_N)
    c.natural_map = std::hypot(normal, slip);
    c.cone = std::max(0.0, -r[0]);
    c.dual = std::hypot(std::max(0.0, -u[0]), slip);
    c.product = std::abs(r[0] * u[0] + r.tail(t).dot(u.tail(t)));
    c.status = r.norm() <= zero_reaction ? ContactStatus::take_off : ContactStatus::stick;
    return c;
  }
  Vector shifted = u;
  shifted[0] += mu * slip;
  const Vector z = r - shifted;
  const Vector p = projected(z, mu);
  c.natural_map = natural_map(r, shifted, mu).norm();
  // Between the cones, or so close to them that rounding decides, ‖F‖ has n·r, a difference of μ r_N and ‖r_T‖.
  const double rounding = kRounding * (mu * std::abs(r[0]) + r.tail(t).norm()), slide = z.tail(t).norm();
  const bool inside = slide < mu * z[0] - 2 * rounding, polar = mu * slide < -z[0] - 2 * rounding;
  c.open = polar;
  if (!inside && !polar) c.noise = rounding / std::hypot(1.0, mu);
  c.cone = (r - projected(r, mu)).norm();
  c.dual = projected(-shifted, mu).norm();  // Moreau: û − P_K*(û) = −P_K(−û)
  c.product = std::abs(r.dot(shifted));
  // z in the polar cone: take-off; in K: stick; between them: slide, unless the slip cannot be told from the error of this contact.
  if (r.norm() <= zero_reaction || p.isZero(0)) c.status = ContactStatus::take_off;
  else if (z.tail(t).norm() <= mu * z[0] || slip <= c.natural_map + zero_velocity) c.status = ContactStatus::stick;
  else c.status = ContactStatus::slide;
  return c;
}

// What rounding of u, at most `size` in every component, does to ‖F‖ of a contact. û_N = u_N + μ‖u_T‖ multiplies that of u_T by μ. But û then stays
// in K* up to u_N < 0, whatever u_T is, and for û within a distance δ of K* the projections give ‖F‖ ≤ 2‖r‖ + δ: P_K does not expand, and it
// takes −K* to 0.
double noise_of_velocity(const Vector& r, double u_N, const Vector& size, double mu) {
  const double slip = size.tail(size.size() - 1).norm();
  if (std::isinf(mu)) return std::hypot(size[0], slip);
  return std::min(std::hypot(size[0] + mu * slip, slip), 2 * r.norm() + std::max(0.0, -u_N) + size[0]);
}

double relative_distance(const std::vector<double>& given, const Vector& computed, double scale) {
  if (given.empty() || computed.size() == 0) return 0;
  if (static_cast<Eigen::Index>(given.size()) != computed.size()) return std::numeric_limits<double>::infinity();
  const double reference = std::max(scale, computed.norm());
  const double distance = (copied(given) - computed).norm();
  return reference > 0 ? distance / reference : distance;
}

template <class Dynamics>
Certificate certify_with(Dynamics&& velocities, int dim, const std::vector<double>& mu, const Iterate& x) {
  const Eigen::Index m = static_cast<Eigen::Index>(mu.size()) * dim;
  if (static_cast<Eigen::Index>(x.r.size()) != m)
    throw InvalidProblem(fmt::format("r: found {} numbers, expected {} (dimension × contacts)", x.r.size(), m));
  const Vector r = copied(x.r);
  if (!r.allFinite()) throw InvalidProblem("r: found a number that is not finite, expected finite reactions");

  const Velocities at_rest = velocities(Vector::Zero(m));  // q = u(r = 0)
  const Velocities now = velocities(r);
  Certificate c;
  c.norm_q = at_rest.u.norm();
  c.relative = c.norm_q > std::numeric_limits<double>::epsilon();
  c.dynamics = std::max(relative_distance(x.u, now.u, c.norm_q), relative_distance(x.v, now.v, at_rest.v.norm()));
  const double zero_reaction = m > 0 ? 1e-14 * r.lpNorm<Eigen::Infinity>() : 0.0;
  const double zero_velocity = m > 0 ? 1e-12 * std::max(at_rest.u.lpNorm<Eigen::Infinity>(), now.u.lpNorm<Eigen::Infinity>()) : 0.0;
  const Vector u_noise = velocities.noise(r, now);
  double sum = 0, noise = 0;
  for (std::size_t a = 0; a < mu.size(); ++a) {
    const Eigen::Index k = static_cast<Eigen::Index>(a) * dim;
    const ContactCheck check = check_contact(r.segment(k, dim), now.u.segment(k, dim), mu[a], zero_reaction, zero_velocity);
    sum += check.natural_map * check.natural_map;
    const double of_velocity = check.open ? 0.0 : noise_of_velocity(r.segment(k, dim), now.u[k], u_noise.segment(k, dim), mu[a]);
    noise += check.noise * check.noise + of_velocity * of_velocity;
    c.cone_violation = std::max(c.cone_violation, check.cone);
    c.dual_violation = std::max(c.dual_violation, check.dual);
    c.complementarity = std::max(c.complementarity, check.product);
    // ! (a ≤ b) lets a NaN become the worst contact instead of hiding.
    if (c.worst_contact < 0 || !(check.natural_map <= c.worst_value)) {
      c.worst_contact = static_cast<int>(a);
      c.worst_value = check.natural_map;
    }
    c.status.push_back(check.status);
    ++(check.status == ContactStatus::take_off ? c.take_off : check.status == ContactStatus::stick ? c.stick : c.slide);
  }
  c.natural_map = std::sqrt(sum);
  c.error = c.relative ? c.natural_map / c.norm_q : c.natural_map;
  const double rounding = std::sqrt(noise) / (c.relative ? c.norm_q : 1.0);
  if (!(rounding <= kNoise)) c.error = std::max(c.error, rounding);
  // Where squares overflow nothing can be measured: whatever is divided by infinity would look like a solution.
  if (std::isnan(c.error) || !std::isfinite(c.norm_q) || !std::isfinite(r.norm())) c.error = std::numeric_limits<double>::infinity();
  return c;
}

}  // namespace

const char* to_string(ContactStatus status) {
  switch (status) {
    case ContactStatus::take_off: return "take_off";
    case ContactStatus::stick: return "stick";
    case ContactStatus::slide: return "slide";
  }
  return "unknown";
}

std::vector<double> certified_velocities(const Problem& problem, const std::vector<double>& r) {
  validate(problem);
  const std::size_t m = static_cast<std::size_t>(contacts(problem)) * dimension(problem);
  if (r.size() != m) throw InvalidProblem(fmt::format("r: found {} numbers, expected {} (dimension × contacts)", r.size(), m));
  for (const double value : r)
    if (!std::isfinite(value)) throw InvalidProblem("r: found a number that is not finite, expected finite reactions");
  const auto* local = std::get_if<LocalProblem>(&problem);
  const Vector u = local ? LocalDynamics(*local)(copied(r)).u : GlobalDynamics(std::get<GlobalProblem>(problem))(copied(r)).u;
  return {u.data(), u.data() + u.size()};
}

Certificate certify(const Problem& problem, const Iterate& x) {
  validate(problem);
  if (const auto* local = std::get_if<LocalProblem>(&problem)) return certify_with(LocalDynamics(*local), local->dim, local->mu, x);
  const auto& global = std::get<GlobalProblem>(problem);
  return certify_with(GlobalDynamics(global), global.dim, global.mu, x);
}

}  // namespace cornet
