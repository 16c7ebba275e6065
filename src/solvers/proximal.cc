// Proximal point iteration (survey Algorithm 8): Coulomb problems with a regular matrix, one after the other.
//
//   z_k+1 ← solution of FC(W + αI, q − α r_k, μ)  at accuracy error/10,  started from r_k               (122)
//   r_k+1 ← (1 − ω) r_k + ω z_k+1                                                                       (124)
//
// A fixed point solves FC(W, q, μ) for every α > 0, and W + αI is regular although W is not: Newton and Gauss–Seidel work where they fail
// on W itself. α is measured in units of the mean diagonal w̄ of W. Rules:
//
//   error      α = σ w̄ errorᵛ                                        (125) Hager and Zhang
//   adaptive   α starts at alpha·w̄;  ÷ 10 when the inner solver reached its accuracy,  × 5 when it did not
//
// With either rule a failed inner solve is repeated with a larger α (in the first rule by a factor 5, which fades by 10 with each success),
// from r_k, unless its best point has a smaller exact error than r_k. The id names the inner solver: nonsmooth Newton on the Alart–Curnier
// function, without and with Goldstein–Price line search, or Gauss–Seidel with the same function per contact.
//
// The most robust of the classical methods with Newton inside, at the price of many factorisations. Fails: α must stay large where W is
// singular along the solution, the steps are then short and the outer convergence is slow.
//
// References: Moreau (1965); Rockafellar (1976); Hager, Zhang (2008); seed 004 §6.2–6.4.
#include "solvers/inner.h"
#include "solvers/nsgs.h"
#include "solvers/nsn.h"

namespace cornet {
namespace {

enum class AlphaRule { error, adaptive };

struct ProximalOptions {
  AlphaRule alpha_rule = AlphaRule::adaptive;
  double sigma = 1;
  double nu = 1;
  double alpha = 1;
  double omega = 1;
  double inner_tolerance = 0.1;
  long inner_iterations = 1000;
  long patience = 200;

  void visit(OptionVisitor& v) {
    const double inf = std::numeric_limits<double>::infinity();
    v.choice("alpha_rule", alpha_rule, {"error", "adaptive"},
             "error: α = σ w̄ errorᵛ; adaptive: α ÷ 10 after a success, × 5 after a failure");
    v.real("sigma", sigma, {0, inf, true, true}, "σ of the rule `error`, in units of the mean diagonal w̄ of W");
    v.real("nu", nu, {0, 10, true, false}, "ν of the rule `error`");
    v.real("alpha", alpha, {0, inf, true, true}, "first α of the rule `adaptive`, in units of w̄");
    v.real("omega", omega, {0, 2, true, true}, "relaxation ω of the outer step (124)");
    v.real("inner_tolerance", inner_tolerance, {0, 1, true, true}, "tolerance of the inner problem as a share of the outer error");
    v.integer("inner_iterations", inner_iterations, {1, 1e9}, "iteration limit of one inner solve; reaching it is a failure");
    v.integer("patience", patience, {1, 1e9}, "outer steps after which the least error must have fallen; else the run ends as stalled");
  }
};

template <int D, class Inner>
class Proximal {
 public:
  template <class InnerOptions>
  Proximal(const ProximalOptions& options, const InnerOptions& inner) : options_(options), inner_(inner) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    prepare(system);
    double error = exact_error(system, r);
    StallWatch watch(options_.patience);
    monitor.offer(error, r.data(), r.size());
    while (error > monitor.tolerance()) {
      const double alpha = std::min(proximal_parameter(error), kLargest * unit_);
      const bool success = solve_inner(system, alpha, r, options_.inner_tolerance * error, monitor);
      boost_ = success ? boost_ / 10 : boost_ * 5;
      if (options_.alpha_rule == AlphaRule::error) boost_ = std::max(boost_, 1.0);
      // (1 − ω) r + ω z, where z is worth it.
      for (std::size_t k = 0; k < r.size(); ++k) z_[k] = (1 - options_.omega) * r[k] + options_.omega * z_[k];
      const double reached = exact_error(system, z_);
      if (success || reached < error) {
        r.swap(z_);
        error = reached;
        monitor.offer(error, r.data(), r.size());
      }
      const auto stop = monitor.step(error);
      if (error <= monitor.tolerance()) break;
      if (stop) return *stop;
      if (watch.stalled(error) || alpha >= kLargest * unit_) return Termination::stalled;
    }
    return Termination::converged;
  }

 private:
  static constexpr double kLargest = 1e8;  // beyond it, in units of w̄, a step moves nothing

  void prepare(const LocalSystem<D>& system) {
    regular_.emplace(system);
    u_.resize(system.size());
    z_.resize(system.size());
    boost_ = 1;
    unit_ = 0;
    for (int a = 0; a < system.contacts(); ++a) unit_ += system.W.diagonal(a).trace();
    unit_ = unit_ > 0 ? unit_ / static_cast<double>(system.size()) : 1.0;
  }

  double proximal_parameter(double error) const {
    return unit_ * boost_ * (options_.alpha_rule == AlphaRule::error ? options_.sigma * std::pow(error, options_.nu) : options_.alpha);
  }

  // z = solution of FC(W + αI, q − α r, μ), or the best point on the way. True when the inner solver is content.
  bool solve_inner(const LocalSystem<D>& system, double alpha, const std::vector<double>& r, double tolerance, Monitor& monitor) {
    regular_->W = system.W;
    regular_->W.shift_diagonal(alpha);
    for (std::size_t k = 0; k < r.size(); ++k) regular_->q[k] = system.q[k] - alpha * r[k];
    z_ = r;
    Monitor inner = inner_monitor(monitor, tolerance, options_.inner_iterations);
    const Termination end = inner_.run(*regular_, z_, inner);
    add_statistics(inner, monitor);
    if (end == Termination::converged) return true;
    if (end != Termination::interrupted) monitor.count("inner_failures");
    if (!inner.best().empty()) z_ = inner.best();
    return false;
  }

  double exact_error(const LocalSystem<D>& system, const std::vector<double>& r) {
    system.W.times(r.data(), system.q.data(), u_.data());
    return natural_map_error(system, r.data(), u_.data());
  }

  ProximalOptions options_;
  Inner inner_;
  std::optional<LocalSystem<D>> regular_;  // FC(W + αI, q − α r_k, μ), with the ‖q‖ of the problem itself
  std::vector<double> u_, z_;
  double boost_ = 1;  // what failures and successes have made of α
  double unit_ = 1;   // w̄
};

struct ProximalNsnOptions : ProximalOptions {
  NsnOptions inner;
};

struct ProximalNsgsOptions : ProximalOptions {
  NsgsOptions inner;
};

template <int D>
struct ProximalNsn : Proximal<D, Nsn<D>> {
  explicit ProximalNsn(const ProximalNsnOptions& options) : Proximal<D, Nsn<D>>(options, options.inner) {}
};

template <int D>
struct ProximalNsgs : Proximal<D, Nsgs<D>> {
  explicit ProximalNsgs(const ProximalNsgsOptions& options) : Proximal<D, Nsgs<D>>(options, options.inner) {}
};

SolverInfo describe_proximal(const char* id, const char* inner, const char* algorithms) {
  SolverInfo info;
  info.id = id;
  info.title = std::string("Proximal point, inner ") + inner;
  info.family = "proximal point";
  info.summary = std::string("Solves FC(W + αI, q − α r_k, μ) by ") + inner + " and moves r_k there, α falling with success.";
  info.reference = std::string("Acary, Brémond, Huber (2018), ") + algorithms + ", (122)–(125); Rockafellar (1976)";
  info.max_iterations = 100000;
  info.memory = {.copies = 2};
  return info;
}

SolverInfo proximal_nsn(const char* id, LineSearch search, const char* inner, const char* algorithms) {
  SolverInfo info = describe_proximal(id, inner, algorithms);
  info.memory.factors = 2;
  info.use_when = "rank-deficient W at tight tolerances, where Newton alone meets singular Jacobians and Gauss–Seidel crawls";
  info.fails_when = "large problems: one factorisation per inner iteration; α stays large where W is singular along the solution";
  ProximalNsnOptions options;
  options.inner.function = ResidualFunction::alart_curnier;
  options.inner.search = search;
  options.inner_iterations = 100;
  return registered<ProximalNsnOptions>(std::move(info), options, [](const ProximalNsnOptions& o) {
    return std::make_unique<LocalSolver<ProximalNsn, ProximalNsnOptions>>(o);
  });
}

}  // namespace

SolverInfo ppa_nsn_ac() {
  return proximal_nsn("ppa-nsn-ac", LineSearch::none, "nonsmooth Newton on the Alart–Curnier function", "Algorithms 8 and 4");
}

SolverInfo ppa_nsn_ac_gp() {
  return proximal_nsn("ppa-nsn-ac-gp", LineSearch::goldstein_price,
                      "nonsmooth Newton on the Alart–Curnier function with Goldstein–Price line search", "Algorithms 8, 4 and 5");
}

SolverInfo ppa_nsgs_ac() {
  SolverInfo info = describe_proximal("ppa-nsgs-ac", "Gauss–Seidel with Alart–Curnier Newton per contact", "Algorithms 8 and 7");
  info.use_when = "problems on which Gauss–Seidel alone cycles";
  info.fails_when = "strongly hyperstatic problems: slow, inside and outside";
  ProximalNsgsOptions options;
  options.inner.method = LocalMethod::ac;
  return registered<ProximalNsgsOptions>(std::move(info), options, [](const ProximalNsgsOptions& o) {
    return std::make_unique<LocalSolver<ProximalNsgs, ProximalNsgsOptions>>(o);
  });
}

}  // namespace cornet
