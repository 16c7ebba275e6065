// The convex relaxation: De Saxcé's shift is left out (s = 0), which gives a second-order cone linear complementarity problem
//
//   K* ∋ u ⊥ r ∈ K,   u = W r + q          ( min ½ rᵀWr + rᵀq, r ∈ K, for symmetric W )
//
// by Gauss–Seidel with a projection iteration per contact (pli). This is another problem than Coulomb's: a sliding contact separates with
// u_N = μ‖u_T‖. Its answer is exact where nothing slides and a good start elsewhere. The run ends when the error of the relaxation,
// ‖r − P_K(r − u)‖/‖q‖, is half of the tolerance; the statistics have it as relaxation_error, beside the exact error of the same point as
// coulomb_error. The certificate of the driver is about Coulomb's law, so a converged run normally ends as `inaccurate`.
//
// Converges for semidefinite W; slow when the rank of W is far below m, never when the relaxation has no solution.
//
// References: Tasora, Anitescu (2009, 2011); Anitescu, Tasora (2010); seed 004 §7.4.
#include "solvers/inner.h"

namespace cornet {
namespace {

template <int D>
class Relaxation {
 public:
  explicit Relaxation(const LawGaussSeidelOptions& options) : method_(options) {}

  Termination run(const LocalSystem<D>& system, std::vector<double>& r, Monitor& monitor) {
    s_.assign(system.mu.size(), 0.0);
    u_.resize(system.size());
    const ConeLaw<D> law{system.mu.data(), s_.data()};
    // The points are offered to a monitor of the relaxation's own: the outer one keeps the best point of another law.
    std::optional<Termination> stop;
    Monitor own({kAim * monitor.tolerance()}, nullptr, [&](const HistoryEntry& entry) {
      stop = monitor.step(entry.own_residual);
      return !stop;
    });
    method_.prepare(system);
    Termination end = method_.run(system, law, r, own);
    if (end == Termination::interrupted && stop) end = *stop;
    if (end != Termination::converged && !own.best().empty()) r = own.best();
    system.W.times(r.data(), system.q.data(), u_.data());
    const double relaxation = law_error(system, law, r.data(), u_.data()), coulomb = natural_map_error(system, r.data(), u_.data());
    for (const auto& [name, value] : own.counters()) monitor.count(name.c_str(), value);
    monitor.count("relaxation_error", relaxation);
    monitor.count("coulomb_error", coulomb);
    monitor.set_message(
        fmt::format("this solver treats the convex relaxation without the shift μ‖u_T‖, another problem: its error is "
                    "{:.2e}, the error of the same point in Coulomb's law {:.2e}",
                    relaxation, coulomb));
    return end;
  }

 private:
  static constexpr double kAim = 0.5;  // where nothing slides both errors agree but for a small factor: leave room for it

  LawGaussSeidel<D, ConeLaw<D>> method_;
  std::vector<double> s_, u_;
};

}  // namespace

SolverInfo soclcp_nsgs_pli() {
  SolverInfo info;
  info.id = "soclcp-nsgs-pli";
  info.title = "Convex relaxation (s = 0), Gauss–Seidel with a projection per contact";
  info.family = "convex relaxation";
  info.summary = "Solves K* ∋ u ⊥ r ∈ K without De Saxcé's shift: another problem, whose sliding contacts separate; reports both errors.";
  info.use_when = "as a start for the exact law, and to see what the relaxation costs in accuracy; exact where nothing slides";
  info.fails_when = "always, in the sense of Coulomb's law, as soon as a contact slides: the certificate then says inaccurate";
  info.reference = "Acary, Brémond, Huber (2018), §7.4; Anitescu, Tasora (2010)";
  info.max_iterations = 200000;
  info.memory = {.copies = 2};
  return registered<LawGaussSeidelOptions>(std::move(info), LawGaussSeidelOptions{}, [](const LawGaussSeidelOptions& o) {
    return std::make_unique<LocalSolver<Relaxation, LawGaussSeidelOptions>>(o);
  });
}

}  // namespace cornet
