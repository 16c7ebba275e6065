// Nonsmooth Gauss–Seidel: contact after contact, the one-contact problem with all other reactions frozen (survey Algorithm 7 with ω = 1).
//
//   for α = 1 … nc:   q̄^α = q^α + Σ_{β≠α} W^αβ r^β,   r^α ← solution of  u = W^αα r + q̄^α,  K ∋ r ⊥ u + g(u) ∈ K*
//
// The id names the one-contact solver: ac – nonsmooth Newton on the Alart–Curnier function; exact – closed form (quartic in space);
// fp-vi-upk – self-adaptive projection. Contacts that open or stick need no iteration and are settled in closed form first. When the named one gives up on a contact, the exact solution is used and counted in the statistics
// as local_fallbacks.
//
// u = W r + q is kept up to date column by column (block_matrix.h): a contact that does not move costs nothing, and the full error needs no
// product, only projections. Stopping (survey §8.1): the change of a sweep ‖r_k+1 − r_k‖ / ‖r_k‖ (132) says when the full error is worth
// computing; the switch adapts itself to the ratio of the two errors seen last. A fresh u confirms before the run ends.
//
// Cost per sweep: the columns of W of the contacts that move, plus nc small problems. Converges fast at loose tolerances and on full-rank problems; slow, or cycling,
// on strongly hyperstatic ones (rank of W much below m) with large μ.
//
// References: Jourdan, Alart, Jean (1998); Mitsopoulou, Doudoumis (1988); seed 004 §6.1.
#include <algorithm>
#include <limits>

#include <Eigen/LU>

#include "contact/alart_curnier.h"
#include "contact/one_contact.h"
#include "solvers/register.h"

namespace cornet {
namespace {

enum class LocalMethod { ac, exact, fp_vi_upk };

enum class LocalToleranceRule { fixed, adaptive };

struct NsgsOptions {
  LocalMethod method = LocalMethod::ac;  // set by the id
  LocalToleranceRule local_tolerance_rule = LocalToleranceRule::adaptive;
  double local_tolerance = 1e-14;
  long local_iterations = 30;

  void visit(OptionVisitor& v) {
    if (method == LocalMethod::exact) return;
    v.choice("local_tolerance_rule", local_tolerance_rule, {"fixed", "adaptive"},
             "fixed: local_tolerance always; adaptive: a tenth of the contact's own error before the solve, not below local_tolerance");
    v.real("local_tolerance", local_tolerance, {0, 1, true, false}, "relative tolerance of the one-contact solver");
    v.integer("local_iterations", local_iterations, {1, 1e6}, "its iteration limit");
  }
};

template <int D>
class Nsgs {
 public:
  explicit Nsgs(const NsgsOptions& options) : options_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    refresh(system, r, monitor);
    double error = full_error(system, r, monitor);
    double switch_at = monitor.tolerance();  // sweep changes below it make the full error worth computing
    long next_check = 8;                     // … and it is computed at growing intervals anyway
    while (error > monitor.tolerance()) {
      const double change = sweep(system, r, monitor);
      const long k = monitor.iterations() + 1;
      if (k % kRefreshEvery == 0) refresh(system, r, monitor);
      if (change <= switch_at || k >= next_check) {
        error = full_error(system, r, monitor);
        // Rounding piles up in u: only a fresh one may end the run.
        if (error <= monitor.tolerance()) refresh(system, r, monitor), error = full_error(system, r, monitor);
        if (change <= switch_at) switch_at = 0.9 * change * std::min(1.0, std::max(0.1, monitor.tolerance() / error));
        next_check = k + std::max(8L, k / 10);
      }
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) {
        full_error(system, r, monitor);  // the last point may be the best one
        return *stop;
      }
      if (change == 0) return full_error(system, r, monitor) <= monitor.tolerance() ? Termination::converged : Termination::stalled;
    }
    return Termination::converged;
  }

 private:
  static constexpr long kRefreshEvery = 100;

  void prepare(const LocalSystem<D>& system) {
    u_.resize(system.size());
    rho_.resize(system.contacts());
    vi_rho_.resize(system.contacts());
    inverse_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) {
      rho_[a] = rho_split<D>(system.W.diagonal(a));
      vi_rho_[a] = rho_[a].normal;
      bool regular = false;
      system.W.diagonal(a).computeInverseWithCheck(inverse_[a], regular, 0.0);
      if (!regular || !inverse_[a].allFinite()) inverse_[a].setConstant(std::numeric_limits<double>::quiet_NaN());  // no stick candidate
    }
  }

  // One pass over the contacts, u = W r + q kept up to date; returns ‖change of r‖ / ‖r‖.
  double sweep(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    double change = 0, norm = 0;
    long fallbacks = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      auto r_a = contact<D>(r.data(), a);
      const Vec<D> old = r_a;
      const Vec<D> u = contact<D>(u_.data(), a);
      const Mat<D>& W = system.W.diagonal(a);
      Vec<D> now = old;
      if (!opens_or_sticks(W, u, system.mu[a], inverse_[a], now)) {
        const Vec<D> q = u - W * old;
        if (!solve_contact(W, q, system.mu[a], a, now)) {
          ++fallbacks;
          now = old;
          solve_exact<D>(W, q, system.mu[a], now);
        }
      }
      norm += now.squaredNorm();
      const Vec<D> step = now - old;
      if ((step.array() == 0).all()) continue;
      r_a = now;
      change += step.squaredNorm();
      system.W.add_column(a, step, u_.data());
    }
    if (fallbacks > 0) monitor.count("local_fallbacks", static_cast<double>(fallbacks));
    return norm > 0 ? std::sqrt(change / norm) : std::sqrt(change);
  }

  // The two cases without iteration: take-off (q̄_N ≥ 0) and stick (−W⁻¹q̄ = r − W⁻¹u strictly inside K, W⁻¹ kept between sweeps).
  static bool opens_or_sticks(const Mat<D>& W, const Vec<D>& u, double mu, const Mat<D>& inverse, Vec<D>& r) {
    if (!(mu < std::numeric_limits<double>::infinity())) return false;
    if (u[0] - W.row(0).dot(r) >= 0) {
      r.setZero();
      return true;
    }
    const Vec<D> sticking = r - inverse * u;
    if (!(sticking[0] > 0) || !(sticking.template tail<D - 1>().squaredNorm() < mu * mu * sticking[0] * sticking[0])) return false;
    r = sticking;
    return true;
  }

  bool solve_contact(const Mat<D>& W, const Vec<D>& q, double mu, int a, Vec<D>& r) {
    const int limit = static_cast<int>(options_.local_iterations);
    const double tolerance = options_.local_tolerance;
    const double reduction = options_.local_tolerance_rule == LocalToleranceRule::adaptive ? 0.1 : 0.0;
    switch (options_.method) {
      case LocalMethod::ac: return newton_ac<D>(W, q, mu, rho_[a], tolerance, limit, false, r, reduction).converged;
      case LocalMethod::exact: solve_exact<D>(W, q, mu, r); return true;
      case LocalMethod::fp_vi_upk: return vi_fixed_point<D>(W, q, mu, vi_rho_[a], tolerance, limit, r, reduction).converged;
    }
    return false;
  }

  // u = W r + q from scratch.
  void refresh(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    monitor.count("products");
  }

  double full_error(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    const double error = natural_map_error(system, r.data(), u_.data());
    monitor.offer(error, r.data(), r.size());
    return error;
  }

  NsgsOptions options_;
  std::vector<double> u_;
  std::vector<RhoPair> rho_;
  std::vector<double> vi_rho_;
  std::vector<Mat<D>> inverse_;
};

SolverInfo nsgs_solver(SolverInfo info, NsgsOptions options) {
  info.family = "splitting";
  info.max_iterations = 200000;
  info.use_when = "plane and full-rank problems, loose tolerances, large problems";
  info.fails_when = "strongly hyperstatic problems (rank of W well below m) with large μ: slow or cycling";
  return registered<NsgsOptions>(std::move(info), options, [](const NsgsOptions& o) { return std::make_unique<LocalSolver<Nsgs, NsgsOptions>>(o); });
}

}  // namespace

SolverInfo nsgs_ac() {
  SolverInfo info;
  info.id = "nsgs-ac";
  info.title = "Nonsmooth Gauss–Seidel, Alart–Curnier Newton per contact";
  info.summary = "Sweeps over the contacts; each one-contact problem is solved by a nonsmooth Newton method on the Alart–Curnier function.";
  info.reference = "Acary, Brémond, Huber (2018), Algorithm 7; Jourdan, Alart, Jean (1998)";
  NsgsOptions options;
  options.method = LocalMethod::ac;
  return nsgs_solver(std::move(info), options);
}

SolverInfo nsgs_exact() {
  SolverInfo info;
  info.id = "nsgs-exact";
  info.title = "Nonsmooth Gauss–Seidel, exact one-contact solution";
  info.summary = "Sweeps over the contacts; each one-contact problem is solved in closed form (quartic equation in space).";
  info.reference = "Acary, Brémond, Huber (2018), Algorithm 7; Bonnefon, Daviet (2011)";
  NsgsOptions options;
  options.method = LocalMethod::exact;
  return nsgs_solver(std::move(info), options);
}

SolverInfo nsgs_fp_vi_upk() {
  SolverInfo info;
  info.id = "nsgs-fp-vi-upk";
  info.title = "Nonsmooth Gauss–Seidel, self-adaptive projection per contact";
  info.summary = "Sweeps over the contacts; each one-contact problem is solved by the fixed point with self-adaptive step (101).";
  info.reference = "Acary, Brémond, Huber (2018), Algorithms 7, 1 and 3";
  NsgsOptions options;
  options.method = LocalMethod::fp_vi_upk;
  options.local_iterations = 200;
  return nsgs_solver(std::move(info), options);
}

}  // namespace cornet
