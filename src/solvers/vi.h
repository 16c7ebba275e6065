// Projection methods for the variational inequality of a law: find r ∈ X with F(r)ᵀ(s − r) ≥ 0 for all s ∈ X, F from W r + q (laws.h).
//
//   fixed point    r ← P_X,R(r − R⁻¹F(r))                                              [survey Algorithm 1, rule (98)]
//   extragradient  r̄ ← P_X,R(r − R⁻¹F(r)),  r ← P_X,R(r − R⁻¹F(r̄))                     [Algorithm 2, rule (99)]
//
// R = R₀/ρ with R₀ = I, or of the size of W^αα per contact: a multiple of I, a diagonal matrix, or W^αα itself (its symmetric part): the skewed
// projection (57). It stays closed for a diagonal R₀ (laws.h); for a block it is a small cone program, solved by the same fixed point inside
// the contact. ρ adapts itself (Algorithm 3): shrink by ν while the ratio κ > L, grow by
// 1/ν when κ < L_min, with
//
//   upk   κ = ‖F(r) − F(r̄)‖_R⁻¹ / ‖r − r̄‖_R            (101) Khobotov
//   upts  κ = (r − r̄)ᵀ(F(r) − F(r̄)) / ‖r − r̄‖²_R       (102) Solodov and Tseng
//
// One product with W per fixed-point step, two per extragradient step; the exact error costs only projections because F(r) is at hand, and a
// free lower bound tells when it need not be computed.
// No factorisation, no symmetry, no rank needed. Fails by being slow: the number of steps grows with the conditioning of W, and large μ
// makes F non-monotone, so the fixed point may cycle where the extragradient still converges.
//
// References: De Saxcé and Feng (1991, 1998); Sibony (1970); Korpelevich (1976); Khobotov (1987); Solodov and Tseng (1996); Han and Lo
// (2002); seed 004 §4.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contact/alart_curnier.h"
#include "contact/laws.h"
#include "solvers/register.h"

namespace cornet {

enum class StepRule { fixed, upk, upts };
enum class Metric { identity, contact, diagonal, block };
enum class Correction { plain, optimal };

struct ViOptions {
  bool extragradient = false;     // set by the id
  StepRule rule = StepRule::upk;  // set by the id
  Metric metric = Metric::identity;
  Correction correction = Correction::optimal;
  double rho = 0;
  double L = 0.9;
  double L_min = 0.3;
  double nu = 2.0 / 3.0;

  void visit(OptionVisitor& v) {
    const double inf = std::numeric_limits<double>::infinity();
    v.real("rho", rho, {0, inf}, rule == StepRule::fixed ? "step length ρ; 0: 1/√(‖W‖₁‖W‖∞)" : "first step length ρ; 0: 1/√(‖W‖₁‖W‖∞)");
    v.choice(
        "metric", metric, {"identity", "contact", "diagonal", "block"},
        "R of the skewed projection (57), per contact: identity, the mean diagonal of W^αα, its normal and tangential means, W^αα itself");
    if (extragradient)
      v.choice("correction", correction, {"plain", "optimal"},
               "length of the correction step: 1, or 1.8 times the optimal one of He and Liao");
    if (rule == StepRule::fixed) return;
    v.real("L", L, {0, 1, true, true}, "shrink ρ while the ratio κ is above it");
    v.real("L_min", L_min, {0, 1, true, true}, "grow ρ when κ is below it; less than L");
    v.real("nu", nu, {0, 1, true, true}, "factor by which ρ shrinks, and 1/ν by which it grows");
  }
};

template <int D, class Law>
class ViProjection {
 public:
  explicit ViProjection(const ViOptions& options) : options_(options) {}

  Termination run(const LocalSystem<D>& system, const Law& law, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    evaluate(system, law, r, F_, u_);
    const Termination end = iterate(system, law, r, monitor);
    monitor.count("products", static_cast<double>(products_));
    return end;
  }

 private:
  /// R₀⁻¹ of a contact as two numbers (for Metric::block: of its diagonal).
  struct Weight {
    double normal;
    double tangent;
  };

  Termination iterate(const LocalSystem<D>& system, const Law& law, std::vector<double>& r, Monitor& monitor) {
    double error = 0;
    for (long k = 0;; ++k) {
      const bool moved = predict(system, law, r, monitor);
      // ‖r − r̄‖ is the natural map for ρ·weight: divided by the largest of these (or 1) it is a lower bound of the error, and free.
      const double bound = distance_ / std::max(1.0, rho_ * largest_weight_) / system.norm_q;
      if (k % kErrorEvery == 0 || !moved || !(bound > monitor.tolerance())) {
        error = law_error(system, law, r.data(), u_.data());
        monitor.offer(error, r.data(), r.size());
        if (error <= monitor.tolerance()) return Termination::converged;
        if (!moved) return Termination::stalled;
      }
      if (options_.extragradient) {
        project_step(law, r, F_bar_, correction_length(r), r_);  // from the old point with the new F
        evaluate(system, law, r_, F_, u_);
      } else {
        r_.swap(r_bar_);
        F_.swap(F_bar_);
        u_.swap(u_bar_);
      }
      r.swap(r_);
      if (options_.rule != StepRule::fixed && ratio_ < options_.L_min) rho_ /= options_.nu;
      if (const auto stop = monitor.step(std::isfinite(bound) ? error : bound)) {
        monitor.offer(law_error(system, law, r.data(), u_.data()), r.data(), r.size());  // the last point may be the best one
        return *stop;
      }
    }
  }

  void prepare(const LocalSystem<D>& system) {
    for (auto* a : {&F_, &F_bar_, &u_, &u_bar_, &r_, &r_bar_}) a->resize(system.size());
    weight_.assign(system.contacts(), {1.0, 1.0});
    block_.clear();
    double bound = system.W.norm_bound();
    if (options_.metric != Metric::identity && bound > 0) {
      for (int a = 0; a < system.contacts(); ++a) weight_[a] = contact_weight(system.W.diagonal(a), bound);
      if (options_.metric == Metric::block) prepare_blocks(system, bound);
      bound = 1;  // W is of size one in this metric
    }
    largest_weight_ = 0;
    for (const auto& w : weight_) largest_weight_ = std::max({largest_weight_, w.normal, w.tangent});
    if (!block_.empty()) largest_weight_ = std::numeric_limits<double>::infinity();  // no free bound in a full metric
    rho_ = options_.rho > 0 ? options_.rho : bound > 0 ? 1 / bound : 1.0;
    products_ = 0;
  }

  // R₀⁻¹ of a contact as two numbers.
  Weight contact_weight(const Mat<D>& W, double bound) const {
    const auto inverse = [&](double x) { return x > 0 ? 1 / x : 1 / bound; };
    if (options_.metric == Metric::contact) return {inverse(W.trace() / D), inverse(W.trace() / D)};
    return {inverse(W(0, 0)), inverse((W.trace() - W(0, 0)) / (D - 1))};
  }

  // R₀ = symmetric part of W^αα, kept regular by a small multiple of its trace, with its inverse.
  void prepare_blocks(const LocalSystem<D>& system, double bound) {
    for (int a = 0; a < system.contacts(); ++a) {
      Mat<D> R = 0.5 * (system.W.diagonal(a) + system.W.diagonal(a).transpose());
      R.diagonal().array() += R.trace() > 0 ? 1e-6 * R.trace() : bound;
      block_.push_back({R, R.inverse()});
    }
  }

  // The point of X^α nearest to z in the metric R₀: y = P_X(y − D⁻¹R₀(y − z)) with D = diagonal weights of R₀, halved for convergence.
  Vec<D> project_in_block(const Law& law, int a, const Vec<D>& z) const {
    const Mat<D>& R = block_[a].R;
    const double n = weight_[a].normal / D, t = weight_[a].tangent / D;
    Vec<D> y = law.project_scaled(a, z, n, t);
    for (int k = 0; k < 200; ++k) {
      const Vec<D> gradient = R * (y - z);
      Vec<D> trial = y;
      trial[0] -= n * gradient[0];
      for (int i = 1; i < D; ++i) trial[i] -= t * gradient[i];
      const Vec<D> next = law.project_scaled(a, trial, n, t);
      const double change = squared_norm<D>(next - y);
      y = next;
      if (change <= 1e-30 * squared_norm<D>(y)) break;
    }
    return y;
  }

  // u = W r + q and F(u).
  void evaluate(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r, std::vector<double>& F,
                std::vector<double>& u) {
    ++products_;
    system.W.times(r.data(), system.q.data(), u.data());
    for (int a = 0; a < system.contacts(); ++a) contact<D>(F.data(), a) = law.shifted(a, contact<D>(u.data(), a));
  }

  // target = P_X,R(r − t R⁻¹F).
  void project_step(const Law& law, const std::vector<double>& r, const std::vector<double>& F, double t,
                    std::vector<double>& target) const {
    const double length = t * rho_;
    for (int a = 0; a < static_cast<int>(weight_.size()); ++a) {
      Vec<D> z = contact<D>(r.data(), a);
      const Vec<D> f = contact<D>(F.data(), a);
      if (!block_.empty()) {
        z -= length * (block_[a].inverse * f);
        contact<D>(target.data(), a) = project_in_block(law, a, z);
        continue;
      }
      const auto [n, s] = weight_[a];
      z[0] -= length * n * f[0];
      for (int i = 1; i < D; ++i) z[i] -= length * s * f[i];
      contact<D>(target.data(), a) = n == s ? law.project(a, z) : law.project_scaled(a, z, n, s);
    }
  }

  // Length of the correction: 1 (Korpelevich), or γ eᵀd/‖d‖² with e = r − r̄, d = e − R⁻¹(F(r) − F(r̄)) (He and Liao).
  double correction_length(const std::vector<double>& r) const {
    if (options_.correction == Correction::plain) return 1;
    double ed = 0, dd = 0;
    for (std::size_t a = 0; a < weight_.size(); ++a)
      for (int i = 0; i < D; ++i) {
        const std::size_t k = a * D + i;
        const double w = i == 0 ? weight_[a].normal : weight_[a].tangent;
        const double e = r[k] - r_bar_[k], d = e - rho_ * w * (F_[k] - F_bar_[k]);
        ed += e * d / w;
        dd += d * d / w;
      }
    return dd > 0 && ed > 0 ? kGamma * ed / dd : 1.0;
  }

  // Algorithm 3: the trial point r̄ with a ρ that satisfies κ ≤ L. False when ρ has vanished.
  bool predict(const LocalSystem<D>& system, const Law& law, const std::vector<double>& r, Monitor& monitor) {
    for (int trial = 0; trial < 300; ++trial) {
      project_step(law, r, F_, 1.0, r_bar_);
      evaluate(system, law, r_bar_, F_bar_, u_bar_);
      measure(r);
      if (options_.rule == StepRule::fixed) return true;
      if (ratio_ <= options_.L) return true;
      rho_ *= options_.nu;
      if (monitor.expired()) return true;  // the caller's step() ends the run
    }
    return false;
  }

  // κ of (101) or (102) in the metric R, and ‖r − r̄‖.
  void measure(const std::vector<double>& r) {
    double dF = 0, dr = 0, product = 0, plain = 0;
    for (std::size_t a = 0; a < weight_.size(); ++a)
      for (int i = 0; i < D; ++i) {
        const std::size_t k = a * D + i;
        const double w = i == 0 ? weight_[a].normal : weight_[a].tangent;
        const double f = F_[k] - F_bar_[k], s = r[k] - r_bar_[k];
        dF += w * f * f;
        dr += s * s / w;
        product += f * s;
        plain += s * s;
      }
    distance_ = std::sqrt(plain);
    ratio_ = !(dr > 0) ? 0.0 : options_.rule == StepRule::upk ? rho_ * std::sqrt(dF / dr) : rho_ * product / dr;
  }

  static constexpr long kErrorEvery = 10;
  ViOptions options_;
  struct Block {
    Mat<D> R;
    Mat<D> inverse;
  };
  std::vector<double> F_, F_bar_, u_, u_bar_, r_, r_bar_;
  std::vector<Weight> weight_;           // R₀⁻¹ per contact
  std::vector<Block> block_;             // R₀ per contact for Metric::block
  static constexpr double kGamma = 1.8;  // in (0, 2)
  double rho_ = 1;
  double ratio_ = 0;
  double distance_ = 0;
  double largest_weight_ = 1;
  long products_ = 0;
};

}  // namespace cornet
