// Tracing the central path through its folds.
//
//   F(x, y) = θ F₀,   x ∘ y = θ τ₀ e,      θ from 1 to 0, starting at a central point with F₀ = F(x₀, y₀), τ₀ = x₀ᵀy₀/nc                 (1)
//
// The curve (x, y, θ) of (1) exists for every start and, where the existence criterion holds, ends in a solution; but friction is not monotone and θ
// need not fall along it: at a fold the matrix A + T P² (ipm_system.h) is singular and θ turns up for a while. So the curve is followed by
// its length, θ being one of the unknowns. With ϑ = log θ and the linearisation of (1) at a point,
//
//   w = d(x, y)/dϑ,   tangent t = ±(w, 1)/‖(w, 1)‖,   the sign that of −det(A + T P²) relative to its sign at the start                  (2)
//   predictor    (x, y, ϑ) + h t + ½h² k,   k: curvature for constant speed in ϑ, from the same factors
//   corrector    c = a + γ (w, 1),  a: Newton step of (1) for fixed θ,  γ = −⟨t, a⟩/⟨t, (w, 1)⟩, orthogonal to the tangent
//
// in the local norm: P dx and P⁻¹dy over √(θτ₀), so that a length of 1 reaches the boundary of a cone. One factorisation per corrector, and
// the last corrector of a point serves its tangent. Corrections must be small (`accept`) and shrink; otherwise the step is taken again, shorter, and the
// next ones have to be more exact; when a point turns out to be a bad base, the base before it is taken.
//
// A branch cannot be lost by a wrong turn: along a smooth curve of (1) the sign of (2) is right at every regular point (orientation of a
// curve of zeros). Cost: some 20 factorisations per turn, 30 to 60 without turns.
//
// Reference: Allgower, Georg, Introduction to numerical continuation methods (2003), ch. 2–6; the application to (1) is ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cornet/solver.h"
#include "solvers/ipm_system.h"

namespace cornet {

template <int D>
class CentralPath {
 public:
  using Point = typename IpmSystem<D>::Point;
  using Vector = Eigen::VectorXd;

  /// Follows the path from the central point p. `finished(error)` says at every point whether to stop; the run ends as stalled after `limit`
  /// factorisations or when the curve cannot be followed.
  template <class Finished>
  Termination run(IpmSystem<D>& system, Point p, long limit, Finished&& finished, Monitor& monitor) {
    begin(system, std::move(p));
    for (long k = 0; k < limit; ++k) {
      system.residual(at_.p, F_);
      if (const auto end = finished(system.error(at_.p))) return *end;
      if (!system.linearise(at_.p)) return Termination::breakdown;
      const double size = correction(system);
      if (k > 0 && size > accept_) {
        if (!correct(system, size) && !retreat(system, monitor)) return Termination::stalled;
        continue;
      }
      move(correction_, 1 * fraction(system, correction_), gamma_);
      set_tangent(system, k == 0);
      if (at_.log_theta > kAway) return Termination::stalled;
      at_.h = h_ = k == 0 ? 1.0 : h_ * (corrections_ > 0 ? std::pow(0.7, corrections_) : std::clamp(std::sqrt(kTarget / size), 0.7, 3.0));
      accept_ = std::min(kAccept, 1.15 * accept_);
      corrections_ = 0;
      bases_.push_back(at_);
      if (bases_.size() > kBases) bases_.erase(bases_.begin());
      advance(system);
    }
    return Termination::stalled;
  }

  long turns() const { return turns_; }  ///< folds passed

 private:
  static constexpr double kAccept = 0.5;  // largest correction of a point that is taken
  static constexpr double kTarget = 0.3;  // correction that the step length aims at
  static constexpr double kInside = 0.9;  // share of the way to the boundary that a step may take
  static constexpr double kAway = 7;      // θ = 1000: back past the start
  static constexpr std::size_t kBases = 6;

  struct State {
    Point p;
    double log_theta = 0;
    Point tangent, curvature;  // per unit of length
    double tangent_theta = 0;
    Vector local_tangent;
    double h = 1;
  };

  void begin(IpmSystem<D>& system, Point p) {
    at_ = State{};
    at_.p = std::move(p);
    tau0_ = system.complementarity(at_.p);
    system.residual(at_.p, F0_);
    bases_.clear();
    accept_ = kAccept;
    corrections_ = turns_ = 0;
    h_ = 1;
  }

  // a, w and the correction orthogonal to the tangent; returns its longest part of a contact.
  double correction(IpmSystem<D>& system) {
    const double theta = std::exp(at_.log_theta);
    system.lambda_squared(c_);
    c_ = -c_;
    w_c_.setZero(system.size());
    for (int a = 0; a < system.contacts(); ++a) {
      c_[a * D] += theta * tau0_;
      w_c_[a * D] = theta * tau0_;
    }
    system.direction(theta * F0_ - F_, c_, correction_);
    system.direction(theta * F0_, w_c_, w_);
    double worst = 0;
    const double scale = 1 / std::sqrt(static_cast<double>(system.contacts()));
    system.local(w_, theta * tau0_, local_w_, worst);
    local_w_ *= scale;
    gamma_ = 0;
    if (at_.local_tangent.size() > 0) {
      system.local(correction_, theta * tau0_, local_, worst);
      const double along = at_.local_tangent.dot(local_w_) + at_.tangent_theta;
      if (std::abs(along) > 1e-12) gamma_ = -scale * at_.local_tangent.dot(local_) / along;
      correction_.x += gamma_ * w_.x;
      correction_.y += gamma_ * w_.y;
    }
    system.local(correction_, theta * tau0_, local_, worst);
    return worst;
  }

  // One more corrector step if the corrections shrink.
  bool correct(IpmSystem<D>& system, double size) {
    const bool shrinking = corrections_ == 0 ? size < 3 : size < 0.6 * last_size_;
    if (!shrinking || corrections_ >= 6) return false;
    move(correction_, fraction(system, correction_), gamma_);
    last_size_ = size;
    ++corrections_;
    return true;
  }

  // Back to the last base with a shorter step, or to the one before it.
  bool retreat(IpmSystem<D>& system, Monitor& monitor) {
    monitor.count("path_retreats");
    corrections_ = 0;
    accept_ = std::max(0.5 * accept_, 0.02);
    h_ *= 0.4;
    if (h_ < 0.05 * bases_.back().h && bases_.size() > 1) {
      bases_.pop_back();
      h_ = 0.3 * bases_.back().h;
    }
    if (h_ < 1e-7) return false;
    at_ = bases_.back();
    advance(system);
    return true;
  }

  void set_tangent(IpmSystem<D>& system, bool first) {
    const double theta = std::exp(at_.log_theta);
    const int sign = system.matrix().determinant_sign();
    if (first) start_sign_ = last_sign_ = sign;
    if (sign != last_sign_) ++turns_;
    last_sign_ = sign;
    const double speed = (sign == start_sign_ ? -1 : 1) / std::sqrt(local_w_.squaredNorm() + 1);
    at_.tangent.x = speed * w_.x;
    at_.tangent.y = speed * w_.y;
    at_.tangent_theta = speed;
    at_.local_tangent = speed * local_w_;
    // H'' along the tangent: of the product, of the shift and of θ = exp ϑ.
    system.second_order(at_.tangent, c_);
    c_ *= -2;
    f_ = theta * speed * speed * F0_;
    for (int a = 0; a < system.contacts(); ++a) {
      c_[a * D] += theta * speed * speed * tau0_;
      f_[a * D] -= system.shift_curvature(at_.p, at_.tangent, a);
    }
    system.direction(f_, c_, at_.curvature);
  }

  double fraction(IpmSystem<D>& system, const Point& d) const { return std::min(1.0, kInside * system.largest_step(at_.p, d, 2)); }

  void move(const Point& d, double t, double log_theta) {
    at_.p.x += t * d.x;
    at_.p.y += t * d.y;
    at_.log_theta += t * log_theta;
  }

  // Predictor with the largest h ≤ h_ that stays inside.
  void advance(IpmSystem<D>& system) {
    for (int k = 0; k < 60; ++k, h_ *= 0.7) {
      step_.x = h_ * at_.tangent.x + 0.5 * h_ * h_ * at_.curvature.x;
      step_.y = h_ * at_.tangent.y + 0.5 * h_ * h_ * at_.curvature.y;
      if (kInside * system.largest_step(at_.p, step_, 10) >= 1) break;
    }
    move(step_, 1, h_ * at_.tangent_theta);
  }

  State at_;
  std::vector<State> bases_;
  Vector F_, F0_, f_, c_, w_c_, local_, local_w_;
  Point correction_, w_, step_;
  double tau0_ = 1, gamma_ = 0, h_ = 1, accept_ = kAccept, last_size_ = 0;
  long corrections_ = 0, turns_ = 0;
  int start_sign_ = 1, last_sign_ = 1;
};

}  // namespace cornet
