// Nonsmooth Newton on the Alart–Curnier function with the Goldstein–Price line search (survey Algorithms 4 and 5).
//
//   G(r) = F_ac(r, u),  u = W r + q,   F_ac = [ r_N − max(0, r_N − ρ_N u_N) ;  r_T − P_D(μ max(0, r_N − ρ_N u_N))(r_T − ρ_T u_T) ]   (63)
//   (∂F/∂r + ∂F/∂u W) d = −G,   r ← r + t d,   t by Goldstein–Price on the merit ½‖G(r + t d)‖²
//
// ρ_N, ρ_T per contact by rule (111). Quadratic convergence near a solution where the generalised Jacobian is regular: full-rank W (flexible
// bodies) above all. Far from it, or with rank-deficient W, the Jacobian may be singular: the step is then regularised (newton_system.h) and
// counted in the statistics. The line search may end at a stationary point of the merit that is no solution: that ends as `stalled`.
//
// References: Alart, Curnier (1991); Bonnans et al. (2003) ch. 3; seed 004 §5.
#include <limits>

#include "contact/alart_curnier.h"
#include "linalg/newton_system.h"
#include "solvers/register.h"

namespace cornet {
namespace {

struct NsnOptions {
  double m1 = 0.01;
  double m2 = 0.99;
  double extrapolation = 2;
  long line_search_steps = 30;
  long patience = 60;

  void visit(OptionVisitor& v) {
    v.real("m1", m1, {0, 0.5, true, true}, "Goldstein–Price: least decrease, as a part of the slope");
    v.real("m2", m2, {0.5, 1, true, true}, "Goldstein–Price: most decrease, as a part of the slope");
    v.real("extrapolation", extrapolation, {1, 10, true, false}, "Goldstein–Price: factor a > 1 by which a too short step grows");
    v.integer("line_search_steps", line_search_steps, {1, 1000}, "Goldstein–Price: trials per iteration; then the last step is taken");
    v.integer("patience", patience, {1, 1e6}, "iterations without a better error after which the run ends as stalled");
  }
};

template <int D>
class Nsn {
 public:
  explicit Nsn(const NsnOptions& options) : options_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system, r);
    Termination end = Termination::converged;
    long best_at = 0;
    while (true) {
      const double error = natural_map_error(system, r_.data(), u_.data());
      if (error < monitor.best_error()) best_at = monitor.iterations();
      monitor.offer(error, r_.data(), r.size());
      if (error <= monitor.tolerance()) break;
      if (monitor.iterations() - best_at > options_.patience) { end = Termination::stalled; break; }
      linearise(system);
      if (!newton_.solve(system.W, A_, B_, -G_, d_)) { end = Termination::breakdown; break; }
      line_search(system);
      if (const auto stop = monitor.step(error)) { end = *stop; break; }
    }
    Eigen::Map<Eigen::VectorXd>(r.data(), r_.size()) = r_;
    monitor.count("factorisations", static_cast<double>(newton_.factorisations()));
    if (newton_.regularised() > 0) monitor.count("regularised_steps", static_cast<double>(newton_.regularised()));
    return end;
  }

 private:
  void prepare(const LocalSystem<D>& system, const std::vector<double>& r) {
    const auto m = static_cast<Eigen::Index>(system.size());
    r_ = Eigen::Map<const Eigen::VectorXd>(r.data(), m);
    for (auto* a : {&u_, &G_, &d_, &Wd_, &trial_r_, &trial_u_}) a->resize(m);
    zero_.assign(system.size(), 0.0);
    A_.resize(system.contacts());
    B_.resize(system.contacts());
    rho_.resize(system.contacts());
    for (int a = 0; a < system.contacts(); ++a) rho_[a] = rho_split<D>(system.W.diagonal(a));
    newton_.analyse(system.W);
    system.W.times(r_.data(), system.q.data(), u_.data());
  }

  // G, ∂F/∂r and ∂F/∂u at (r, u).
  void linearise(const LocalSystem<D>& system) {
    for (int a = 0; a < system.contacts(); ++a) {
      const auto j = alart_curnier<D>(contact<D>(r_.data(), a), contact<D>(u_.data(), a), system.mu[a], rho_[a].normal, rho_[a].tangent);
      contact<D>(G_.data(), a) = j.F;
      A_[a] = j.dr;
      B_[a] = j.du;
    }
  }

  double merit(const LocalSystem<D>& system, double t) {
    trial_r_ = r_ + t * d_;
    trial_u_ = u_ + t * Wd_;
    double sum = 0;
    for (int a = 0; a < system.contacts(); ++a)
      sum += alart_curnier_value<D>(contact<D>(trial_r_.data(), a), contact<D>(trial_u_.data(), a), system.mu[a], rho_[a].normal, rho_[a].tangent)
                 .squaredNorm();
    return 0.5 * sum;
  }

  // Algorithm 5. Moves (r, u) along d; u is recomputed from r so that rounding does not pile up.
  void line_search(const LocalSystem<D>& system) {
    system.W.times(d_.data(), zero_.data(), Wd_.data());
    double slope = 0;
    for (int a = 0; a < system.contacts(); ++a)
      slope += contact<D>(G_.data(), a).dot(A_[a] * contact<D>(d_.data(), a) + B_[a] * contact<D>(Wd_.data(), a));
    const double start = 0.5 * G_.squaredNorm();
    double t = 1, left = 0, right = 0;
    if (slope < 0)
      for (long k = 0; k < options_.line_search_steps; ++k) {
        const double difference = (merit(system, t) - start) / t;
        if (difference > options_.m1 * slope) right = t;
        else if (difference < options_.m2 * slope) left = t;
        else break;
        t = right == 0 ? options_.extrapolation * t : 0.5 * (left + right);
      }
    r_ += t * d_;
    system.W.times(r_.data(), system.q.data(), u_.data());
  }

  NsnOptions options_;
  NewtonSystem<D> newton_;
  Eigen::VectorXd r_, u_, G_, d_, Wd_, trial_r_, trial_u_;
  std::vector<double> zero_;
  std::vector<Mat<D>> A_, B_;
  std::vector<RhoPair> rho_;
};

}  // namespace

SolverInfo nsn_ac_gp() {
  SolverInfo info;
  info.id = "nsn-ac-gp";
  info.title = "Nonsmooth Newton, Alart–Curnier function, Goldstein–Price line search";
  info.family = "nonsmooth Newton";
  info.summary = "Newton on all contacts at once with a generalised Jacobian of the Alart–Curnier function; one sparse factorisation per iteration.";
  info.use_when = "flexible bodies and other full-rank W, tight tolerances, a good guess";
  info.fails_when = "rank-deficient W far from the solution: singular Jacobians, line search stalls";
  info.reference = "Acary, Brémond, Huber (2018), Algorithms 4 and 5, function (63), rule (111); Alart, Curnier (1991)";
  info.max_iterations = 2000;
  return registered<NsnOptions>(std::move(info), NsnOptions{}, [](const NsnOptions& o) { return std::make_unique<LocalSolver<Nsn, NsnOptions>>(o); });
}

}  // namespace cornet
