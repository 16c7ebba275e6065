// Alternating directions (Douglas–Rachford splitting) on the exact law, for the scaled problem of x = S⁻¹r, S = diag(√ρ^α) (first_order.h):
//
//   z = P_K(v)                                          a point of the cone; v − z is the scaled dual variable, κ(z − v) estimates û
//   (S W S + κ I) x = κ (2z − v) − S q − s e_N          one factorisation per κ
//   s ← s + θ (μ‖κ(z − v)_T‖ − s)                       De Saxcé's shift
//   v ← v + α (x − z)                                   over-relaxation α ∈ (1, 2)
//
// u(x) = κ(2z − v − x) − s e_N costs nothing, so the error of r = S x is known in each iteration; a product with W confirms the last one.
//
// The linear system has size m, or n in global form without joints when that is predicted to be cheaper:
// (S W S + κI)⁻¹ = (I − S Hᵀ (κM + H S² Hᵀ)⁻¹ H S)/κ. LLᵀ where the matrix is symmetric, LU otherwise.
//
// The penalty κ follows the curvatures of the two parts seen along the iterates (spectral rule): with Δ over some iterations, the quadratic
// shows a = Δx·Δg/‖Δx‖² (g = u(x) + s e_N), the cone b = Δz·Δŷ/‖Δz‖² (ŷ = κ(v − z)), each as mean of its two Barzilai–Borwein values, and
// κ = √(ab) balances them. It is refactorised only when κ changes by more than `refactor`, at growing intervals.
//
// Anderson acceleration (option): v is extrapolated from the last `anderson` residuals x − z; a step after which the residual has more than
// doubled is taken back.
//
// Fails: large problems (fill of the factors); cycles of the shift at large μ; no proof of convergence but for fixed s.
//
// References: Eckstein, Bertsekas (1992); Xu, Figueiredo, Goldstein (2017); Walker, Ni (2011); De Saxcé, Feng (1998).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "linalg/supernodal.h"
#include "solvers/first_order.h"

namespace cornet {

struct AdmmOptions {
  double kappa = 0.05;
  double relaxation = 1.6;
  double damping = 0.5;
  double refactor = 5;
  long anderson = 0;

  void visit(OptionVisitor& v) {
    const double inf = std::numeric_limits<double>::infinity();
    v.real("kappa", kappa, {0, inf, true, false}, "first penalty κ, for diagonal blocks of norm one");
    v.real("relaxation", relaxation, {0, 2, true, true}, "over-relaxation α");
    v.real("damping", damping, {0, 1, true, false}, "θ: share of the change of De Saxcé's shift that an iteration takes over");
    v.real("refactor", refactor, {1, inf, true, false}, "κ changes only by more than this factor; inf: never");
    v.integer("anderson", anderson, {0, kLongestMemory}, "memory of Anderson acceleration; 0: none");
  }
  static constexpr long kLongestMemory = 30;
};

/// (A + κ I)⁻¹ b for A = S W S, in the cheaper of the forms that the operator has.
class PenaltySystem {
 public:
  /// `sigma` is the diagonal of S, one number per contact.
  template <int D>
  void analyse(const ExplicitOperator<D>& op, const std::vector<double>& sigma);
  template <int D>
  void analyse(const GlobalOperator<D>& op, const std::vector<double>& sigma);

  /// False: the matrix is not finite.
  bool factorise(double kappa);
  /// x := (A + κ I)⁻¹ x.
  void solve(double* x) const;

  bool condensed() const { return condensed_; }

 private:
  void use(const SparseColumns& base, const SparseColumns& weight);
  void use_delassus(const SparseColumns& A);
  void solve_factored(double* x) const;

  // In either form the factorised matrix is base_ + κ weight_ on one pattern.
  SparseColumns matrix_;
  std::vector<double> base_, weight_;
  bool symmetric_ = true, condensed_ = false, cholesky_works_ = true;
  SupernodalCholesky cholesky_;
  SupernodalLu lu_;
  SparseColumns H_;  // H S of the condensed form
  double kappa_ = 1;
  mutable Eigen::VectorXd force_;
};

template <class Operator>
class Admm {
 public:
  static constexpr int D = Operator::kDim;
  explicit Admm(const AdmmOptions& options = {}) : options_(options) {}

  /// Starts from r and leaves the last point there; the best one is offered to the monitor.
  Termination run(const Operator& op, std::vector<double>& r, Monitor& monitor) {
    prepare(op, monitor);
    double error = confirm(op, r, monitor);
    if (error <= monitor.tolerance()) return Termination::converged;
    for (int a = 0; a < op.contacts(); ++a) contact<D>(r.data(), a) = CoulombCone<D>{op.mu()[a]}.project(contact<D>(r.data(), a));
    error = confirm(op, r, monitor);
    start(op, r);
    kappa_ = options_.kappa;
    if (!refactorise(monitor)) return Termination::breakdown;
    next_update_ = kFirstUpdate;
    double best = error, last_best = error;
    for (long k = 1;; ++k) {
      iterate(op);
      error = error_of_x(op);
      if (error < 0.9 * best || error <= monitor.tolerance()) {
        unscale(r);
        error = confirm(op, r, monitor);
        best = std::min(best, error);
      }
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) return Termination::converged;
      if (stop || (k % kPatience == 0 && !(best < last_best))) {
        unscale(r);
        confirm(op, r, monitor);
        return stop ? *stop : Termination::stalled;
      }
      if (k % kPatience == 0) last_best = best;
      if (options_.anderson > 0) accelerate();
      else
        for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += options_.relaxation * (x_[i] - z_[i]);
      if (k >= next_update_ && !update_penalty(monitor, k)) return Termination::breakdown;
    }
  }

 private:
  static constexpr long kFirstUpdate = 10;
  static constexpr long kPatience = 20000;
  using Vector = Eigen::VectorXd;

  void prepare(const Operator& op, Monitor& monitor) {
    for (auto* a : {&u_, &v_, &z_, &x_, &g_, &old_x_, &old_g_, &old_z_, &old_y_}) a->resize(op.size());
    contact_metric(op, sigma_);
    for (double& s : sigma_) s = std::sqrt(s);
    shift_.assign(sigma_.size(), 0.0);
    system_.analyse(op, sigma_);
    if (system_.condensed()) monitor.count("condensed_to_dofs");
    const auto m = static_cast<Eigen::Index>(op.size());
    memory_ = static_cast<Eigen::Index>(options_.anderson);
    if (memory_ == 0) return;
    df_.resize(m, memory_);
    dv_.resize(m, memory_);
    f_.resize(m);
    last_f_.resize(m);
    last_v_.resize(m);
    for (auto* a : {&gram_, &factor_}) a->resize(memory_, memory_);
    gamma_.resize(memory_);
    stored_ = 0;
  }

  // v of the start: r and its velocities; S q is u − S W r.
  void start(const Operator& op, const std::vector<double>& r) {
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = 0;
    q_.resize(z_.size());
    op.velocities(z_.data(), q_.data());
    for (int a = 0; a < op.contacts(); ++a) {
      Vec<D> u = contact<D>(u_.data(), a);
      shift_[a] = CoulombCone<D>{op.mu()[a]}.shifted(u)[0] - u[0];
      u[0] += shift_[a];
      contact<D>(q_.data(), a) *= sigma_[a];
      contact<D>(v_.data(), a) = contact<D>(r.data(), a) / sigma_[a] - u * (sigma_[a] / options_.kappa);
      shift_[a] *= sigma_[a];
    }
    has_old_ = false;
  }

  // z, x and the shift from v; x_ and u_ hold S⁻¹r and S u afterwards.
  void iterate(const Operator& op) {
    for (int a = 0; a < op.contacts(); ++a) {
      const double mu = op.mu()[a];
      const Vec<D> v = contact<D>(v_.data(), a), z = CoulombCone<D>{mu}.project(v);
      contact<D>(z_.data(), a) = z;
      const Vec<D> y = kappa_ * (z - v);
      if (mu < std::numeric_limits<double>::infinity()) shift_[a] += options_.damping * (mu * tangent_norm<D>(y) - shift_[a]);
      Vec<D> rhs = kappa_ * (2 * z - v);
      rhs[0] -= shift_[a];
      contact<D>(u_.data(), a) = rhs;
      contact<D>(x_.data(), a) = rhs - contact<D>(q_.data(), a);
    }
    system_.solve(x_.data());
    for (std::size_t i = 0; i < x_.size(); ++i) u_[i] -= kappa_ * x_[i];
  }

  double error_of_x(const Operator& op) const {
    double sum = 0;
    for (int a = 0; a < op.contacts(); ++a) {
      const Vec<D> r = contact<D>(x_.data(), a) * sigma_[a], u = contact<D>(u_.data(), a) / sigma_[a];
      sum += squared_norm<D>(CoulombCone<D>{op.mu()[a]}.natural_map(r, u));
    }
    return std::sqrt(sum) / op.norm_q();
  }

  void unscale(std::vector<double>& r) const {
    for (std::size_t a = 0, i = 0; a < sigma_.size(); ++a)
      for (int c = 0; c < D; ++c, ++i) r[i] = sigma_[a] * x_[i];
  }

  // The error of r with fresh velocities.
  double confirm(const Operator& op, const std::vector<double>& r, Monitor& monitor) {
    op.velocities(r.data(), u_.data());
    const double error = operator_error(op, r.data(), u_.data());
    monitor.offer(error, r.data(), r.size());
    return error;
  }

  bool refactorise(Monitor& monitor) {
    monitor.count("factorisations");
    return system_.factorise(kappa_);
  }

  // One of the two curvatures: the mean that Xu et al. take of the Barzilai–Borwein pair, or nothing when Δ and its image hardly correlate.
  static std::optional<double> curvature(double xx, double xy, double yy) {
    if (!(xx > 0 && yy > 0) || !(xy > 0.2 * std::sqrt(xx * yy))) return std::nullopt;
    const double steep = yy / xy, flat = xy / xx;
    return 2 * flat > steep ? flat : steep - 0.5 * flat;
  }

  bool update_penalty(Monitor& monitor, long k) {
    for (std::size_t i = 0; i < x_.size(); ++i) g_[i] = u_[i];
    for (std::size_t a = 0; a < shift_.size(); ++a) g_[a * D] += shift_[a];
    if (!has_old_) {
      remember();
      next_update_ = k + std::max(2L, k / 10);
      return true;
    }
    double xx = 0, xg = 0, gg = 0, zz = 0, zy = 0, yy = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double dx = x_[i] - old_x_[i], dg = g_[i] - old_g_[i];
      const double dz = z_[i] - old_z_[i], dy = kappa_ * (v_[i] - z_[i]) - old_y_[i];
      xx += dx * dx;
      xg += dx * dg;
      gg += dg * dg;
      zz += dz * dz;
      zy += dz * dy;
      yy += dy * dy;
    }
    has_old_ = false;
    next_update_ = k + std::max(10L, k / 4);
    const auto a = curvature(xx, xg, gg), b = curvature(zz, zy, yy);
    if (!a && !b) return true;
    const double wanted = std::clamp(a && b ? std::sqrt(*a * *b) : a ? *a : *b, kappa_ / 1e3, kappa_ * 1e3);
    if (wanted < kappa_ * options_.refactor && wanted > kappa_ / options_.refactor) return true;
    // The dual variable κ(v − z) stays what it is.
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = z_[i] + (v_[i] - z_[i]) * (kappa_ / wanted);
    kappa_ = wanted;
    stored_ = 0;
    return refactorise(monitor);
  }

  void remember() {
    old_x_ = x_;
    old_g_ = g_;
    old_z_ = z_;
    for (std::size_t i = 0; i < v_.size(); ++i) old_y_[i] = kappa_ * (v_[i] - z_[i]);
    has_old_ = true;
  }

  // v ← v + α f − Σ γ (Δv + α Δf) with γ = argmin ‖f − Σ γ Δf‖, f = x − z.
  void accelerate() {
    Eigen::Map<Vector> v(v_.data(), static_cast<Eigen::Index>(v_.size()));
    const Eigen::Map<const Vector> x(x_.data(), v.size()), z(z_.data(), v.size());
    f_ = x - z;
    const double alpha = options_.relaxation, norm = f_.norm();
    if (stored_ > 0 && norm > 2 * last_norm_) {
      // Taken back: the plain step from the point before.
      v = last_v_ + alpha * last_f_;
      stored_ = 0;
      last_norm_ = std::numeric_limits<double>::infinity();
      return;
    }
    if (stored_ > 0) {
      const Eigen::Index column = (stored_ - 1) % memory_;
      df_.col(column) = f_ - last_f_;
      dv_.col(column) = v - last_v_;
      for (Eigen::Index l = 0; l < std::min(stored_, memory_); ++l) gram_(column, l) = gram_(l, column) = df_.col(column).dot(df_.col(l));
    }
    last_f_ = f_;
    last_v_ = v;
    last_norm_ = norm;
    const Eigen::Index used = std::min(stored_, memory_);
    ++stored_;
    v += alpha * f_;
    if (used == 0) return;
    if (!solve_normal(used)) return;
    for (Eigen::Index l = 0; l < used; ++l) v -= gamma_[l] * (dv_.col(l) + alpha * df_.col(l));
  }

  // (ΔfᵀΔf + ε) γ = Δfᵀf by Cholesky in place; false when it breaks down.
  bool solve_normal(Eigen::Index used) {
    double trace = 0;
    for (Eigen::Index l = 0; l < used; ++l) {
      trace += gram_(l, l);
      gamma_[l] = df_.col(l).dot(f_);
    }
    for (Eigen::Index j = 0; j < used; ++j) {
      for (Eigen::Index i = j; i < used; ++i) {
        double sum = gram_(i, j) + (i == j ? 1e-12 * trace : 0.0);
        for (Eigen::Index k = 0; k < j; ++k) sum -= factor_(i, k) * factor_(j, k);
        if (i == j && !(sum > 0)) return false;
        factor_(i, j) = i == j ? std::sqrt(sum) : sum / factor_(j, j);
      }
      for (Eigen::Index k = 0; k < j; ++k) gamma_[j] -= factor_(j, k) * gamma_[k];
      gamma_[j] /= factor_(j, j);
    }
    for (Eigen::Index j = used; j-- > 0;) {
      for (Eigen::Index k = j + 1; k < used; ++k) gamma_[j] -= factor_(k, j) * gamma_[k];
      gamma_[j] /= factor_(j, j);
      if (!std::isfinite(gamma_[j])) return false;
    }
    return true;
  }

  AdmmOptions options_;
  PenaltySystem system_;
  std::vector<double> sigma_, shift_, q_, u_, v_, z_, x_, g_;  // all scaled
  std::vector<double> old_x_, old_g_, old_z_, old_y_;          // of the last look at the curvatures
  bool has_old_ = false;
  long next_update_ = 0;
  double kappa_ = 1;
  Eigen::MatrixXd df_, dv_, gram_, factor_;
  Vector f_, last_f_, last_v_, gamma_;
  Eigen::Index memory_ = 0, stored_ = 0;
  double last_norm_ = 0;
};

extern template void PenaltySystem::analyse<2>(const ExplicitOperator<2>&, const std::vector<double>&);
extern template void PenaltySystem::analyse<3>(const ExplicitOperator<3>&, const std::vector<double>&);
extern template void PenaltySystem::analyse<2>(const GlobalOperator<2>&, const std::vector<double>&);
extern template void PenaltySystem::analyse<3>(const GlobalOperator<3>&, const std::vector<double>&);

}  // namespace cornet
