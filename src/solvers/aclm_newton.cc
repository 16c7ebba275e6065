// Newton's method on the sliding velocities (seed 001; Cadoux 2009):
//
//   F(s) = (‖ũ_T^α(s)‖)_α,   ũ(s) = W r(s) + q + E μ s,   r(s) = argmin ½ rᵀWr + rᵀ(q + E μ s),  r ∈ K          (any convex engine)
//   s = F(s)   ⇔   r(s) solves Coulomb's law;         φ(s) = ½ Σ (s^α − F^α(s))²   over the contacts with 0 < μ < ∞
//
// Elsewhere s has no influence on the convex problem and is left out. Per iteration, at s with r(s) known:
//
//   newton        F + F'ds = s + ds, F' by the implicit function theorem on the active set (convex/active_set.h);
//                 s⁺ = max(0, s + t ds), t = 1, ½, ¼ … until the convex problem is feasible and φ(s⁺) ≤ (1 − 2σt) φ(s)          (Armijo)
//                 when this ds gives no descent: the Newton step of the contacts that are not held at s = 0, then ds = F(s) − s
//   fixed_point   s⁺ = F(s), half of the way as long as the convex problem is infeasible there                               (ACLM)
//   anderson      the same, accelerated over the last `depth` steps; forgets them when φ has grown fourfold
//
// Infeasible s and s outside the orthant are thus met by halving and by projection. Start (seed 001 §4.2): s from the given reactions,
// s = ‖(W r + q)_T‖; without a guess s = 0, which is feasible whenever v = 0 is (w_N ≥ μ‖w_T‖; w = 0 in most problems); when that is
// infeasible s = max(0, ‖q_T‖ − q_N/μ), for which the free velocity M⁻¹f, r = 0, is feasible (the seed's max(−w_N/μ, 0) is the same for
// v = 0, but w is not known in local form). Feasible sets grow with s, so a guess is enlarged to that if need be.
//
// r(s) is found in two ways: first the active-set equations are solved from the prediction r + t dr (`predict`); if that does not solve the
// convex problem to the inner tolerance, the engine runs, started from the last r, and its answer is polished by the same equations.
// The velocities ũ(s) are unique, so both give the same F. In the plane φ is piecewise quadratic: the last step lands on machine accuracy.
//
// History: own_residual is φ. Stopping and the best point: the natural-map error, as everywhere. Statistics: phi_initial, phi_final,
// engine_calls, inner_iterations, halvings, infeasible_steps.
//
// Fails: φ may have local minima that are no solutions (seed 001 §5.4: s = 0 there); the run then ends as stalled and says so with φ. Also
// where I − F' is singular (strong friction, many redundant contacts), and where F has no fixed point.
//
// References: Cadoux (2009), §3–5; Acary, Cadoux, Lemaréchal, Malick (2011); Walker, Ni (2011) for anderson.
#include <Eigen/QR>
#include <algorithm>

#include "convex/active_set.h"
#include "convex/engine.h"
#include "solvers/inner.h"

namespace cornet {
namespace {

enum class Outer { newton, fixed_point, anderson };
enum class EngineChoice { interior_point, projected_gradient, accelerated_gradient, faceted };
enum class Start { automatic, guess, zero, feasible, value };

struct AclmNewtonOptions {
  Outer outer = Outer::newton;
  EngineChoice engine = EngineChoice::interior_point;
  Start start = Start::automatic;
  double start_value = 0;
  long depth = 8;
  double sigma = 1e-4;
  long halvings = 30;
  double inner_tolerance = 0.1;
  long inner_iterations = 100000;
  bool predict = true;
  bool polish = true;
  bool warm_start = true;
  long patience = 50;
  double asymmetry = 1e-2;

  void visit(OptionVisitor& v) {
    v.choice("outer", outer, {"newton", "fixed_point", "anderson"},
             "how s is updated: damped Newton, successive approximations, or these accelerated");
    v.choice("engine", engine, {"interior-point", "projected-gradient", "accelerated-gradient", "faceted"},
             "convex engine that computes r(s)");
    v.choice("start", start, {"automatic", "guess", "zero", "feasible", "value"},
             "first s: automatic (guess if there is one, else zero, else feasible), the sliding velocities of the guess, 0, max(0, ‖q_T‖ − "
             "q_N/μ), or "
             "start_value");
    v.real("start_value", start_value, {0, std::numeric_limits<double>::infinity(), false, true}, "s of every contact for start = value");
    v.integer("depth", depth, {1, 100}, "steps that anderson remembers");
    v.real("sigma", sigma, {0, 0.5, true, true}, "share of the predicted decrease of φ that the Armijo search asks for");
    v.integer("halvings", halvings, {1, 100}, "halvings of a step before it is given up");
    v.real("inner_tolerance", inner_tolerance, {0, 1, true, true}, "natural-map error of the convex problem as a share of the outer error");
    v.integer("inner_iterations", inner_iterations, {1, 1e9}, "iteration limit of one run of the engine");
    v.flag("predict", predict, "try the equations of the active set before the engine");
    v.flag("polish", polish, "polish the answers of the engine by the equations of the active set");
    v.flag("warm_start", warm_start, "start the engine from the last reactions instead of r = 0");
    v.integer("patience", patience, {1, 1e9}, "fixed_point, anderson: steps after which the least error must have fallen, else stalled");
    v.real("asymmetry", asymmetry, {0, 2}, "largest ‖W − Wᵀ‖/‖W‖ accepted as symmetric; beyond it the solver ends as unsupported");
  }

  const char* engine_id() const {
    static const char* const ids[] = {"interior-point", "projected-gradient", "accelerated-gradient", "faceted"};
    return ids[static_cast<int>(engine)];
  }
};

template <int D>
class AclmNewton {
 public:
  explicit AclmNewton(const AclmNewtonOptions& options) : options_(options) {
    OptionTexts texts = {{"asymmetry", fmt::format("{}", options.asymmetry)}};
    if (options.engine == EngineChoice::interior_point) texts["warm_start"] = options.warm_start ? "true" : "false";
    engine_ = make_engine<D>(options.engine_id(), texts);
  }

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    if (const double asymmetry = relative_asymmetry(system.W); asymmetry > options_.asymmetry) {
      monitor.set_message(
          fmt::format("F(s) is defined by a minimum and needs a symmetric W: found ‖W − Wᵀ‖/‖W‖ = {:.1e}, accepted up to "
                      "asymmetry = {:.0e}; take aclm-fp-vi-upk, aclm-eg-vi-upk or aclm-nsgs-fp-vi-upk",
                      asymmetry, options_.asymmetry));
      return Termination::unsupported;
    }
    engine_->prepare(system);
    active_.prepare(system);
    u_.resize(system.size());
    now_ = Point{};
    for (auto* a : {&ds_, &s_}) a->resize(system.mu.size());
    for (auto* a : {&dr_, &predicted_}) a->resize(system.size());
    // A start that does not look at the reactions does not try them either.
    const bool looks = options_.start == Start::automatic || options_.start == Start::guess;
    if (looks && coulomb_error(system, r, monitor) <= monitor.tolerance()) return Termination::converged;
    if (const auto failed = first_point(system, r, monitor)) return *failed;
    monitor.count("phi_initial", now_.phi);
    const Termination end = options_.outer == Outer::newton ? newton(system, monitor) : successive(system, monitor);
    if (end == Termination::converged) finish(system, monitor);
    r = now_.r;
    monitor.count("phi_final", now_.phi);
    if (end == Termination::stalled)
      monitor.set_message(
          options_.outer == Outer::newton
              ? fmt::format("φ = {:.3g} is not zero and no step decreases it: a local minimum of φ that solves nothing, or a "
                            "singular Newton equation; another start may help (options start, start_value, or a guess)",
                            now_.phi)
              : fmt::format("s makes no more progress at φ = {:.3g}", now_.phi));
    return end;
  }

 private:
  // s with the answer of its convex problem.
  struct Point {
    std::vector<double> s, r, F;
    double phi = 0;
    double error = std::numeric_limits<double>::infinity();  // natural map of Coulomb's law
  };
  enum class Inner { solved, infeasible, failed, stopped };
  enum class Direction { newton, bounded, fixed_point };
  static constexpr int kPolish = 10;  // steps
  static constexpr long kFirstHalvings = 10;

  // One iteration: a Newton step with Armijo halving, or one of the directions that follow when it does not descend.
  Termination newton(const LocalSystem<D>& system, Monitor& monitor) {
    while (true) {
      if (now_.error <= monitor.tolerance()) return Termination::converged;
      bool descended = false;
      for (Direction direction : {Direction::newton, Direction::bounded, Direction::fixed_point}) {
        if (!set_direction(system, direction)) continue;
        if (const auto stop = search(system, direction, descended, monitor)) return *stop;
        if (!descended) continue;
        if (direction == Direction::bounded) monitor.count("bounded_steps");
        if (direction == Direction::fixed_point) monitor.count("fixed_point_steps");
        break;
      }
      if (!descended) return Termination::stalled;
      std::swap(now_, trial_);
      const auto stop = monitor.step(now_.phi);
      if (now_.error <= monitor.tolerance()) return Termination::converged;
      if (stop) return *stop;
    }
  }

  // ds_ and dr_ at now_; false when there is no such direction.
  bool set_direction(const LocalSystem<D>& system, Direction direction) {
    if (direction == Direction::fixed_point) {
      for (std::size_t a = 0; a < ds_.size(); ++a) ds_[a] = ActiveSet<D>::matters(system.mu[a]) ? now_.F[a] - now_.s[a] : 0.0;
      std::fill(dr_.begin(), dr_.end(), 0.0);
      return true;
    }
    locate(system, now_);
    fixed_.assign(now_.s.size(), 0);
    if (!active_.newton_step(system, now_.s, fixed_, ds_, dr_)) return false;
    if (direction == Direction::newton) return true;
    // Contacts at s = 0 that the step would push below stay there, and the others solve their equations without them.
    for (int pass = 0; pass < 5; ++pass) {
      bool more = false;
      for (std::size_t a = 0; a < ds_.size(); ++a)
        if (now_.s[a] == 0 && ds_[a] < 0 && !fixed_[a]) fixed_[a] = more = true;
      if (!more) return pass > 0;
      if (!active_.newton_step(system, now_.s, fixed_, ds_, dr_)) return false;
    }
    return true;
  }

  // Armijo halving along max(0, s + t ds): trial_ is the accepted point when `descended`.
  std::optional<Termination> search(const LocalSystem<D>& system, Direction direction, bool& descended, Monitor& monitor) {
    // The full number of halvings is for the last direction.
    const long most = direction == Direction::fixed_point ? options_.halvings : std::min(options_.halvings, kFirstHalvings);
    double t = 1;
    for (long k = 0; k <= most; ++k, t *= 0.5) {
      double moved = 0, size = 0;
      for (std::size_t a = 0; a < s_.size(); ++a) {
        s_[a] = std::max(0.0, now_.s[a] + t * ds_[a]);
        moved = std::max(moved, std::abs(s_[a] - now_.s[a]));
        size = std::max(size, now_.s[a]);
      }
      if (!(moved > 1e-15 * size)) return std::nullopt;
      for (std::size_t i = 0; i < predicted_.size(); ++i) predicted_[i] = now_.r[i] + t * dr_[i];
      const Inner inner = evaluate(system, s_, now_.r, options_.predict ? &predicted_ : nullptr, monitor);
      if (inner == Inner::stopped) return monitor.expired();
      if (inner == Inner::infeasible) monitor.count("infeasible_steps");
      descended = inner == Inner::solved && (trial_.phi <= (1 - 2 * options_.sigma * t) * now_.phi || trial_.error <= monitor.tolerance());
      if (descended) return std::nullopt;
      monitor.count("halvings");
    }
    return std::nullopt;
  }

  // One iteration: s ← F(s), accelerated or not.
  Termination successive(const LocalSystem<D>& system, Monitor& monitor) {
    StallWatch watch(options_.patience);
    std::vector<Eigen::VectorXd> s_steps, f_steps;  // differences of s and of f = F − s
    std::vector<double> s(system.mu.size());
    while (true) {
      if (now_.error <= monitor.tolerance()) return Termination::converged;
      const Eigen::VectorXd at = restricted(system, now_.s), f = restricted(system, now_.F) - at;
      Eigen::VectorXd step = f;
      if (!f_steps.empty()) step -= correction(s_steps, f_steps, f);
      for (long k = 0;; ++k, step *= 0.5) {
        if (k > options_.halvings) return Termination::stalled;
        for (std::size_t a = 0; a < s.size(); ++a)
          s[a] = std::max(0.0, at[static_cast<Eigen::Index>(a)] + step[static_cast<Eigen::Index>(a)]);
        const Inner inner = evaluate(system, s, now_.r, options_.predict ? &now_.r : nullptr, monitor);
        if (inner == Inner::stopped) return *monitor.expired();
        if (inner == Inner::solved) break;
        monitor.count(inner == Inner::infeasible ? "infeasible_steps" : "inner_failures");
      }
      if (options_.outer == Outer::anderson) {
        if (trial_.phi > 4 * now_.phi) {
          s_steps.clear();
          f_steps.clear();
        } else {
          const Eigen::VectorXd next = restricted(system, trial_.s);
          s_steps.push_back(next - at);
          f_steps.push_back(restricted(system, trial_.F) - next - f);
          if (static_cast<long>(s_steps.size()) > options_.depth) {
            s_steps.erase(s_steps.begin());
            f_steps.erase(f_steps.begin());
          }
        }
      }
      std::swap(now_, trial_);
      const auto stop = monitor.step(now_.phi);
      if (now_.error <= monitor.tolerance()) return Termination::converged;
      if (stop) return *stop;
      if (watch.stalled(now_.error)) return Termination::stalled;
    }
  }

  // r may solve Coulomb's law while s is far from F(s), at open contacts: s = F(s) then belongs to the same r.
  void finish(const LocalSystem<D>& system, Monitor& monitor) {
    const double small = monitor.tolerance() * system.norm_q;
    if (now_.phi <= 0.5 * small * small) return;
    if (evaluate(system, now_.F, now_.r, &now_.r, monitor) == Inner::solved && trial_.error <= monitor.tolerance()) std::swap(now_, trial_);
  }

  // Anderson: (ΔS + ΔF) γ with γ = argmin ‖f − ΔF γ‖.
  static Eigen::VectorXd correction(const std::vector<Eigen::VectorXd>& s_steps, const std::vector<Eigen::VectorXd>& f_steps,
                                    const Eigen::VectorXd& f) {
    Eigen::MatrixXd dF(f.size(), static_cast<Eigen::Index>(f_steps.size())), dS(dF);
    for (Eigen::Index k = 0; k < dF.cols(); ++k) {
      dF.col(k) = f_steps[static_cast<std::size_t>(k)];
      dS.col(k) = s_steps[static_cast<std::size_t>(k)];
    }
    return (dS + dF) * Eigen::VectorXd(dF.completeOrthogonalDecomposition().solve(f));
  }

  // The components that matter; 0 elsewhere.
  static Eigen::VectorXd restricted(const LocalSystem<D>& system, const std::vector<double>& s) {
    Eigen::VectorXd out = Eigen::Map<const Eigen::VectorXd>(s.data(), static_cast<Eigen::Index>(s.size()));
    for (int a = 0; a < system.contacts(); ++a)
      if (!ActiveSet<D>::matters(system.mu[a])) out[a] = 0;
    return out;
  }

  // now_ at the first s for which the convex problem has an answer.
  std::optional<Termination> first_point(const LocalSystem<D>& system, const std::vector<double>& guess, Monitor& monitor) {
    const bool has_guess = std::any_of(guess.begin(), guess.end(), [](double x) { return x != 0; });
    const Start start = options_.start != Start::automatic ? options_.start : has_guess ? Start::guess : Start::zero;
    first_s_.assign(system.mu.size(), 0.0);
    for (int a = 0; a < system.contacts(); ++a)
      if (ActiveSet<D>::matters(system.mu[a]))
        first_s_[a] = start == Start::guess      ? tangent_norm<D>(contact<D>(u_.data(), a))
                      : start == Start::feasible ? feasible(system, a)
                      : start == Start::value    ? options_.start_value
                                                 : 0.0;
    Inner inner = evaluate(system, first_s_, guess, nullptr, monitor);
    if (inner == Inner::infeasible) {
      monitor.count("infeasible_steps");
      for (int a = 0; a < system.contacts(); ++a)
        if (ActiveSet<D>::matters(system.mu[a])) first_s_[a] = std::max(first_s_[a], feasible(system, a));
      inner = evaluate(system, first_s_, guess, nullptr, monitor);
    }
    switch (inner) {
      case Inner::solved: break;
      case Inner::stopped: return monitor.expired();
      case Inner::infeasible:
        monitor.set_message(
            "the convex problem is infeasible at every s tried: contacts with μ = 0 or ∞ contradict each other (cornet check)");
        return Termination::stalled;
      case Inner::failed: monitor.set_message("the engine did not solve the first convex problem"); return Termination::breakdown;
    }
    std::swap(now_, trial_);
    return std::nullopt;
  }

  // The least s of a contact for which the free velocity is feasible.
  static double feasible(const LocalSystem<D>& system, int a) {
    const Vec<D> q = contact<D>(system.q.data(), a);
    return std::max(0.0, tangent_norm<D>(q) - q[0] / system.mu[a]);
  }

  // trial_ at s. `predicted`: where to start the equations of the active set, or null to go straight to the engine.
  Inner evaluate(const LocalSystem<D>& system, const std::vector<double>& s, const std::vector<double>& start,
                 const std::vector<double>* predicted, Monitor& monitor) {
    shift_.resize(s.size());
    for (std::size_t a = 0; a < s.size(); ++a) shift_[a] = ActiveSet<D>::matters(system.mu[a]) ? system.mu[a] * s[a] : 0.0;
    // For gradients a digit is dear; for the others it is cheap, and Newton steps square the error.
    const bool gradient = options_.engine == EngineChoice::projected_gradient || options_.engine == EngineChoice::accelerated_gradient;
    const double relaxed = gradient ? std::min(1e-4, 0.01 * now_.error) : std::min(1e-4, 1e-2 * now_.error * now_.error);
    const double wanted = options_.inner_tolerance * std::max(monitor.tolerance(), relaxed);
    trial_.s = s;
    if (predicted) {
      trial_.r = *predicted;
      active_.polish(system, shift_.data(), trial_.r, kPolish);
      if (active_.natural_map(system, trial_.r) <= wanted) return accept(system, monitor);
    }
    const Inner inner = run_engine(system, start, wanted, monitor);
    return inner == Inner::solved ? accept(system, monitor) : inner;
  }

  // The engine at a tolerance that is made tighter until its polished answer has the wanted natural map.
  Inner run_engine(const LocalSystem<D>& system, const std::vector<double>& start, double wanted, Monitor& monitor) {
    const ConvexSets sets{ConvexSet::cone, system.mu.data(), shift_.data(), nullptr, nullptr};
    const bool interior = options_.engine == EngineChoice::interior_point;
    double natural = std::numeric_limits<double>::infinity();
    trial_.r = start;
    // Interior points: the natural map may be no better than the root of the gap, and a digit costs little; one warm try, then cold ones.
    bool cold = !options_.warm_start;
    for (double tolerance = interior ? 1e-9 : wanted; tolerance > 1e-13; tolerance *= 1e-3) {
      if (cold) std::fill(trial_.r.begin(), trial_.r.end(), 0.0);
      cold = interior;
      Monitor inner = inner_monitor(monitor, tolerance, options_.inner_iterations);
      const ConvexStatus status = engine_->solve(system, sets, trial_.r, inner);
      add_statistics(inner, monitor);
      monitor.count("engine_calls");
      if (monitor.expired()) return Inner::stopped;
      if (status == ConvexStatus::infeasible) return Inner::infeasible;
      if (status != ConvexStatus::optimal && !inner.best().empty()) trial_.r = inner.best();
      active_.polish(system, shift_.data(), trial_.r, options_.polish ? kPolish : 0);
      natural = active_.natural_map(system, trial_.r);
      if (natural <= wanted) return Inner::solved;
      if (status != ConvexStatus::optimal && !interior) break;
    }
    // An answer of less than the wanted quality is still F(s) within its error.
    monitor.count("inner_failures");
    return natural <= 1e-4 || natural <= 10 * wanted ? Inner::solved : Inner::failed;
  }

  // F, φ and the error at the point that active_ has located.
  Inner accept(const LocalSystem<D>& system, Monitor& monitor) {
    trial_.F.resize(system.mu.size());
    trial_.phi = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      trial_.F[a] = active_.slip(a);
      if (!ActiveSet<D>::matters(system.mu[a])) trial_.s[a] = trial_.F[a];
      trial_.phi += 0.5 * (trial_.s[a] - trial_.F[a]) * (trial_.s[a] - trial_.F[a]);
    }
    trial_.error = coulomb_error(system, trial_.r, monitor);
    return Inner::solved;
  }

  void locate(const LocalSystem<D>& system, const Point& point) {
    for (std::size_t a = 0; a < point.s.size(); ++a) shift_[a] = ActiveSet<D>::matters(system.mu[a]) ? system.mu[a] * point.s[a] : 0.0;
    active_.locate(system, shift_.data(), point.r);
  }

  double coulomb_error(const LocalSystem<D>& system, const std::vector<double>& r, Monitor& monitor) {
    system.W.times(r.data(), system.q.data(), u_.data());
    const double error = natural_map_error(system, r.data(), u_.data());
    monitor.offer(error, r.data(), r.size());
    return error;
  }

  AclmNewtonOptions options_;
  std::unique_ptr<ConvexEngine<D>> engine_;
  ActiveSet<D> active_;
  Point now_, trial_;
  std::vector<double> ds_, dr_, s_, predicted_, first_s_, shift_, u_;
  std::vector<char> fixed_;  // nc, for bounded steps
};

}  // namespace

SolverInfo aclm_newton() {
  SolverInfo info;
  info.id = "aclm-newton";
  info.title = "Newton on the sliding velocities s = F(s)";
  info.family = "ACLM";
  info.summary =
      "Solves the second-order cone program of a given s by a convex engine, differentiates its answer on the active set, and takes damped "
      "Newton steps on φ(s) = ½ Σ (s − ‖u_T(s)‖)². Successive approximations and Anderson acceleration as options.";
  info.use_when = "few to some hundred contacts, tight tolerances; in the plane it ends at machine accuracy; as a check of other solvers";
  info.fails_when =
      "φ has a local minimum that is no solution (it says so); strong friction with many redundant contacts, where I − F' is singular";
  info.reference = "Cadoux (2009), §3–5; Acary, Cadoux, Lemaréchal, Malick (2011)";
  info.needs_symmetry = true;
  info.max_iterations = 1000;
  info.memory = {.factors = 2};
  return registered<AclmNewtonOptions>(std::move(info), AclmNewtonOptions{}, [](const AclmNewtonOptions& o) {
    return std::make_unique<LocalSolver<AclmNewton, AclmNewtonOptions>>(o);
  });
}

}  // namespace cornet
