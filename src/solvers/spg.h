// Spectral projected gradient on the exact law, for u = W r + q from any operator of core/delassus.h:
//
//   r⁺ = P_K( r − t R⁻¹ F ),   F = u + s e_N              R⁻¹ = diag(ρ^α), ρ^α = 1/λ_max(W^αα): the projection stays that of the cone
//   s⁺ = s + θ (μ‖u_T‖ − s)                               De Saxcé's shift, moved by the fraction θ each iteration (θ = 1: recomputed)
//   t  = ‖Δr‖²_R / ΔrᵀΔF  and  ΔrᵀΔF / ‖ΔF‖²_R⁻¹ in turn   Barzilai and Borwein, without line search
//
// One product and one projection per iteration; no symmetry, no rank, no factorisation. The step lengths sweep the spectrum of W, so the error
// is far from monotone, and that is what makes the method fast: every search for descent that was tried made it several times slower. What
// guards it is a long patience: when no point better by a tenth was found for `patience` iterations, it goes back to the best one with a short
// step, and waits longer and longer. Every second such leg takes the shorter of the two steps only: with a large skew part of W the
// longer one is far beyond stability. θ = ½ is never much slower than θ = 1 and damps the cycles that the shift causes at large μ.
// Fails by being slow on ill-conditioned W with strong friction (walls, towers), where the restarts bring nothing: it ends as stalled.
//
// References: Barzilai, Borwein (1988); Birgin, Martínez, Raydan (2000); Dai, Fletcher (2005); De Saxcé, Feng (1998).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/first_order.h"

namespace cornet {

inline constexpr double kGradient = 0.6;  // time of an iteration, in sweeps of Gauss–Seidel

struct SpgOptions {
  double damping = 0.5;
  long patience = 5000;
  long restarts = 6;

  void visit(OptionVisitor& v) {
    v.real("damping", damping, {0, 1, true, false}, "θ: share of the change of De Saxcé's shift that an iteration takes over");
    v.integer("patience", patience, {1, 1e15},
              "iterations without a better point before the first restart; doubled by every second in a row");
    v.integer("restarts", restarts, {0, 1e15}, "restarts in a row without a better point that end the run as stalled");
  }
};

template <class Operator>
class Spg {
 public:
  static constexpr int D = Operator::kDim;
  explicit Spg(const SpgOptions& options = {}) : options_(options) {}

  /// Starts from r and leaves the last point there; the best one is offered to the monitor.
  Termination run(const Operator& op, std::vector<double>& r, Monitor& monitor) {
    prepare(op, r);
    double error = evaluate(op, r, F_, options_.damping);
    double best = error, restarted_from = error, step = 1;
    best_ = r;
    monitor.offer(error, r.data(), r.size());
    long waited = 0, restarts = 0, still = 0;
    while (error > monitor.tolerance()) {
      advance(op, r, step);
      error = evaluate(op, next_, next_F_, options_.damping);
      const Products p = products(r);
      r.swap(next_);
      F_.swap(next_F_);
      step = next_step(p, step, monitor.iterations() % 2 == 0, restarts % 2 == 1);
      if (error < 0.9 * best || error <= monitor.tolerance()) {
        best = error;
        best_ = r;
        waited = 0;
        if (error < 0.1 * restarted_from) restarts = 0;
        monitor.offer(error, r.data(), r.size());
      }
      still = p.ss > 0 ? 0 : still + 1;
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) return finish(*stop, error, r, monitor);
      if (still > kStill) return finish(Termination::stalled, error, r, monitor);
      // A wait that brought nothing, or a point that has run away.
      if (++waited > options_.patience << std::min(restarts / 2, 30L) || !(error < 1e8 * best)) {
        if (restarts++ >= options_.restarts) return finish(Termination::stalled, error, r, monitor);
        monitor.count("restarts");
        r = best_;
        restarted_from = best;
        error = evaluate(op, r, F_, 1.0);
        step = std::ldexp(1.0, -static_cast<int>(restarts));
        waited = 0;
      }
    }
    return Termination::converged;
  }

 private:
  static constexpr long kStill = 200;  // iterations in which r stands while the shift settles
  struct Products {
    double ss = 0, sy = 0, yy = 0;  // of Δr and ΔF, in the metric
  };

  static Termination finish(Termination why, double error, const std::vector<double>& r, Monitor& monitor) {
    monitor.offer(error, r.data(), r.size());
    return why;
  }

  void prepare(const Operator& op, std::vector<double>& r) {
    for (auto* a : {&F_, &next_, &next_F_}) a->resize(op.size());
    shift_.resize(static_cast<std::size_t>(op.contacts()));
    contact_metric(op, rho_);
    for (int a = 0; a < op.contacts(); ++a) contact<D>(r.data(), a) = CoulombCone<D>{op.mu()[a]}.project(contact<D>(r.data(), a));
    // The shift of the start.
    op.velocities(r.data(), F_.data());
    for (int a = 0; a < op.contacts(); ++a) shift_[a] = shift_of(op.mu()[a], contact<D>(F_.data(), a));
  }

  static double shift_of(double mu, const Vec<D>& u) {
    return mu < std::numeric_limits<double>::infinity() ? mu * tangent_norm<D>(u) : 0.0;
  }

  // F = W r + q + s e_N with the shift moved by theta, and the error of r.
  double evaluate(const Operator& op, const std::vector<double>& r, std::vector<double>& F, double theta) {
    op.velocities(r.data(), F.data());
    double sum = 0;
    for (int a = 0; a < op.contacts(); ++a) {
      const double mu = op.mu()[a];
      const Vec<D> r_a = contact<D>(r.data(), a), u_a = contact<D>(F.data(), a);
      const double exact = shift_of(mu, u_a);
      sum += accurate_natural_map<D>(r_a, u_a, mu).squaredNorm();
      shift_[a] += theta * (exact - shift_[a]);
      F[static_cast<std::size_t>(a) * D] += shift_[a];
    }
    return std::sqrt(sum) / op.norm_q();
  }

  // next_ = P_K(r − t R⁻¹F).
  void advance(const Operator& op, const std::vector<double>& r, double step) {
    for (int a = 0; a < op.contacts(); ++a) {
      const Vec<D> r_a = contact<D>(r.data(), a), F_a = contact<D>(F_.data(), a);
      contact<D>(next_.data(), a) = CoulombCone<D>{op.mu()[a]}.project(r_a - (step * rho_[a]) * F_a);
    }
  }

  Products products(const std::vector<double>& r) const {
    Products p;
    for (std::size_t a = 0, k = 0; a < rho_.size(); ++a) {
      double ss = 0, sy = 0, yy = 0;
      for (int i = 0; i < D; ++i, ++k) {
        const double s = next_[k] - r[k], y = next_F_[k] - F_[k];
        ss += s * s;
        sy += s * y;
        yy += y * y;
      }
      p.ss += ss / rho_[a];
      p.sy += sy;
      p.yy += yy * rho_[a];
    }
    return p;
  }

  // One of the two spectral steps; twice the last one where the operator shows no curvature, unless only short ones are wanted.
  static double next_step(const Products& p, double step, bool short_one, bool short_only) {
    if (!(p.ss > 0)) return 1;
    const double next = !(p.sy > 1e-14 * std::sqrt(p.ss * p.yy)) ? (short_only ? step : 2 * step)
                        : short_one || short_only                ? p.sy / p.yy
                                                                 : p.ss / p.sy;
    return std::clamp(next, 1e-4, 1e6);
  }

  SpgOptions options_;
  std::vector<double> F_, next_, next_F_, shift_, rho_, best_;
};

}  // namespace cornet
