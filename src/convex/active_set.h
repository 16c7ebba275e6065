// The solution of the cone problem as a function of s: the linear equations of its active set, used to differentiate and to polish.
//
//   r(s), ũ(s) = W r + q + E s̄:   K ∋ r ⊥ ũ ∈ K*,      s̄ = μ s (0 where μ = ∞), e the normal of a contact
//
// A contact of the solution takes off (r = 0), sticks (ũ = 0) or slides (r and ũ both on the boundaries of their cones). All three are
// r = P_K(z), z = r − ρũ with any ρ > 0 per contact, and the derivative P' of the projection at z is that of the active equations (0, the
// identity, or the boundary term with the curvature of the cone). The implicit function theorem then reads
//
//   (I − P' + ρP'W) dr = −ρP'E ds̄                           dũ = W dr + E ds̄                                    derivative
//   (I − P' + ρP'W) dr = −(r − P_K(r − ρũ))                                                                     polish
//   (I − P' + ρP'T W) dr = −ρP'E μ(F − s),  T = I + μ e τᵀ                                                        Newton step on s
//
// where F = ‖ũ_T‖, τ = ũ_T/F on sliding and open contacts (0 on sticking ones): the last line is the Newton equation
// F + F'ds = s + ds with ds = F − s + τ·(W dr)_T put into the first. One system for all three: A + B W with block-diagonal A, B
// (linalg/newton_system.h); where W is rank deficient the reactions of sticking contacts are not unique, a solution without large parts in the
// kernel is taken, and W dr is unique.
//
// In the plane the equations are linear on each piece: once the statuses are right one polishing step gives r(s) to machine accuracy.
// In space it converges quadratically. Fails: on a kink (two statuses at once) one of the neighbouring pieces is taken; statuses that are
// wrong by too much make the residual grow, and the step is refused.
//
// Reference: seed 001 §4.1, (26).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "contact/cone.h"
#include "core/local_system.h"
#include "linalg/newton_system.h"

namespace cornet {

template <int D>
class ActiveSet {
 public:
  enum class Piece { take_off, stick, slide };

  void prepare(const LocalSystem<D>& system) {
    system_.analyse(system.W);
    const int nc = system.contacts();
    A_.resize(system.mu.size());
    B_.resize(system.mu.size());
    slope_.resize(system.mu.size());
    piece_.resize(system.mu.size());
    rho_.resize(system.mu.size());
    for (auto* v : {&u_, &map_, &c_, &d_, &Wd_}) v->setZero(static_cast<Eigen::Index>(system.size()));
    trial_.resize(system.size());
    double mean = 0;
    for (int a = 0; a < nc; ++a) mean += system.W.diagonal(a).trace() / (D * nc);
    if (!(mean > 0)) mean = 1;
    for (int a = 0; a < nc; ++a) {
      const double own = system.W.diagonal(a).trace() / D;
      rho_[a] = 1 / (own > 1e-8 * mean ? own : mean);
    }
  }

  /// ũ, the pieces and the residual ‖r − P_K(r − ρũ)‖ at r for the shift s̄; the start of everything below.
  double locate(const LocalSystem<D>& system, const double* shift, const std::vector<double>& r) {
    system.W.times(r.data(), system.q.data(), u_.data());
    double sum = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      u_[a * D] += shift[a];
      const CoulombCone<D> cone{system.mu[a]};
      const Vec<D> r_a = at(r.data(), a), z = r_a - rho_[a] * velocity(a);
      const Vec<D> p = cone.project(z);
      map_.template segment<D>(a * D) = r_a - p;
      sum += (r_a - p).squaredNorm();
      piece_[a] = is_zero<D>(p) ? Piece::take_off : p == z ? Piece::stick : Piece::slide;
      slope_[a] = cone.project_jacobian(z);
    }
    return std::sqrt(sum);
  }

  Vec<D> velocity(int a) const { return u_.template segment<D>(a * D); }  ///< ũ of contact a
  double slip(int a) const { return tangent_norm<D>(velocity(a)); }
  Piece piece(int a) const { return piece_[a]; }
  /// ‖r − P_K(r − ũ)‖/‖q‖ at the located point, with ρ = 1.
  double natural_map(const LocalSystem<D>& system, const std::vector<double>& r) const {
    double sum = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      const Vec<D> r_a = at(r.data(), a);
      sum += squared_norm<D>(r_a - CoulombCone<D>{system.mu[a]}.project(r_a - velocity(a)));
    }
    return std::sqrt(sum) / system.norm_q;
  }

  /// Newton steps on the equations of the active set, at most `steps`, shortened up to 1/8 where the residual would grow; r and the located
  /// point are the best ones. Returns the residual.
  double polish(const LocalSystem<D>& system, const double* shift, std::vector<double>& r, int steps) {
    double residual = locate(system, shift, r);
    for (int k = 0; k < steps && residual > 0; ++k) {
      for (int a = 0; a < system.contacts(); ++a) set_row(a, Mat<D>::Identity(), -map_.template segment<D>(a * D));
      if (!system_.solve(system.W, A_, B_, c_, d_, Wd_) || !d_.allFinite()) break;
      double next = residual;
      for (double t = 1; t > 0.1 && !(next < residual); t *= 0.5) {
        trial_ = r;
        for (std::size_t i = 0; i < r.size(); ++i) trial_[i] += t * d_[static_cast<Eigen::Index>(i)];
        next = locate(system, shift, trial_);
      }
      if (!(next < residual)) {
        locate(system, shift, r);
        break;
      }
      const bool exhausted = next > 0.9 * residual;
      r.swap(trial_);
      residual = next;
      if (exhausted) break;
    }
    return residual;
  }

  /// dũ for ds̄ (nc) at the located point. False when the equations are singular beyond repair.
  bool derivative(const LocalSystem<D>& system, const std::vector<double>& d_shift, Eigen::VectorXd& du) {
    for (int a = 0; a < system.contacts(); ++a) {
      Vec<D> e = Vec<D>::Zero();
      e[0] = d_shift[a];
      set_row(a, Mat<D>::Identity(), -rho_[a] * (slope_[a] * e));
    }
    if (!system_.solve(system.W, A_, B_, c_, d_, Wd_) || !Wd_.allFinite()) return false;
    du = Wd_;
    for (int a = 0; a < system.contacts(); ++a) du[a * D] += d_shift[a];
    return true;
  }

  /// The Newton step ds on F(s) = s at the located point, and the dr that goes with it. ds = 0 where s has no influence (μ = 0, ∞) and where
  /// `fixed` says so (nc flags); the equations of these contacts are left out.
  bool newton_step(const LocalSystem<D>& system, const std::vector<double>& s, const std::vector<char>& fixed, std::vector<double>& ds,
                   std::vector<double>& dr) {
    for (int a = 0; a < system.contacts(); ++a) {
      Vec<D> e = Vec<D>::Zero();
      Mat<D> T = Mat<D>::Identity();
      if (matters(system.mu[a]) && !fixed[a]) {
        e[0] = system.mu[a] * (slip(a) - s[a]);
        T.row(0) += system.mu[a] * direction(a).transpose();
      }
      set_row(a, T, -rho_[a] * (slope_[a] * e));
    }
    if (!system_.solve(system.W, A_, B_, c_, d_, Wd_) || !d_.allFinite() || !Wd_.allFinite()) return false;
    for (int a = 0; a < system.contacts(); ++a)
      ds[a] = matters(system.mu[a]) && !fixed[a] ? slip(a) - s[a] + direction(a).dot(Wd_.template segment<D>(a * D)) : 0.0;
    dr.assign(d_.data(), d_.data() + d_.size());
    return true;
  }

  /// Whether s of a contact has any influence.
  static bool matters(double mu) { return mu > 0 && mu < std::numeric_limits<double>::infinity(); }

  long factorisations() const { return system_.factorisations(); }

 private:
  static Eigen::Map<const Vec<D>> at(const double* v, int a) { return Eigen::Map<const Vec<D>>(v + static_cast<std::size_t>(a) * D); }

  // Row block a of (I − P' + ρP'T W) d = rhs.
  void set_row(int a, const Mat<D>& T, const Vec<D>& rhs) {
    A_[a] = Mat<D>::Identity() - slope_[a];
    B_[a] = rho_[a] * (slope_[a] * T);
    c_.template segment<D>(a * D) = rhs;
  }

  // τ as a vector of the contact: the direction of sliding, 0 where it sticks.
  Vec<D> direction(int a) const {
    Vec<D> t = Vec<D>::Zero();
    const double length = slip(a);
    if (piece_[a] == Piece::stick || !(length > 0)) return t;
    for (int i = 1; i < D; ++i) t[i] = u_[a * D + i] / length;
    return t;
  }

  NewtonSystem<D> system_;
  std::vector<Mat<D>> A_, B_, slope_;  // slope_: P' per contact
  std::vector<Piece> piece_;
  std::vector<double> rho_, trial_;
  Eigen::VectorXd u_, map_, c_, d_, Wd_;
};

}  // namespace cornet
