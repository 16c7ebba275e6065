// One solver for every problem: cheap sweeps first, Newton as soon as it can end the run, interior point where sweeps are slow, everything else
// after that.
//
//   1  few         up to 60 unknowns (20 contacts in space): sweeps, then Newton steps with a dense matrix, before anything is prepared
//                  (few_contacts.h)
//   1a bodies      rigid bodies in global form whose W is large beside them (walls: 80 to 100 blocks per contact), where 15 iterations of newton-ipm on the
//                  graph of bodies are predicted to take no longer than 120 sweeps: spg as in 2 but without W, then newton-ipm without tracing.
//                  W is made when that was not enough
//   2  sweeps      from the guess, Gauss–Seidel, focused on the contacts that move most and smoothed by some spectral gradients now and then
//                  (nsgs.h), in chunks of growing length. The contraction of the last chunk predicts the time to the tolerance; sweeps go on
//                  while that is less than the predicted time of a polish or of 4, or than that of the analysis without which these cannot be predicted. Below
//                  `polish_at` the polish may take over; after a failure it is not tried again before the error is a tenth. The first time
//                  that neither goes on, spg does for up to 600 iterations, for as long as it contracts fast enough to end within them. Where
//                  4 is predicted to be long (large problems) sweeps and spg take turns before it, half as long and then as long as 4
//   3  walk        from a point that the polish could end (`polish_at`) 60 steps of prox-newton: where few statuses are wrong they are found now
//   4  interior    newton-ipm without tracing, in the form (contacts or bodies) with fewer predicted operations
//   5  again       sweeps and spg, each from where it stood before 4, for as long as 15 iterations of 4 are predicted to take, 75 on large problems;
//                  then the polish
//   6  existence   a verified certificate of impossibility ends the run
//   7  turns       prox-newton goes on: slower, and nearly nothing stops it. Sweeps and gradients take turns with it, of equal
//                  predicted time, twice as long every time, while their own error is within 30 of the tolerance: their error falls like
//                  1/iterations on large piles, where the walk may need thousands of factorisations
//   8  path        newton-ipm traces the central path
//   9  fall-back   the walk of 7 with more restarts and the other methods from the best point known, in slices of time, a polish after every gain
//  10  proposals   solver and certificate count rounding differently: answers that the stages left out for it are for the certificate to judge;
//                  where it counts too much in the answer of 1 to 9, the other methods go again from zero, for at most ten times what that took
//
// The time of 4 is predicted from the analysis of its matrix: 15 iterations; a polish counts as 5 steps of half the cost of an iteration.
// The sweeps of 2 may not take longer than 4 is predicted to, 3 not longer than twice and 5 not longer than twice that (ten times on large problems):
// auto is at most about four times as slow as sweeps, polish or interior point alone (seventeen times on large problems), up to the error of the
// prediction; where only the walk of 7 succeeds it is later by what 2 to 5 took, some 110 factorisations, and by the turns of the others, twice its
// own time.
// All times that decide are predicted from sizes, never measured, so that equal input gives equal bits – up to 9 and 10, which are by the clock.
// Every stage reports method, reason, time, iterations and error in Result::stages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/newton_ipm.h"
#include "solvers/nsgs.h"
#include "solvers/polish.h"
#include "solvers/prox_newton.h"
#include "solvers/spg.h"

namespace cornet {

struct AutoOptions {
  double polish_at = 3e-3;
  double sweep_share = 1;
  long first_sweeps = 4;
  bool fall_back = true;

  void visit(OptionVisitor& v) {
    v.real("polish_at", polish_at, {0, 1, true, true},
           "error of the sweeps at which the polish may be tried first; less above 300 contacts");
    v.real("sweep_share", sweep_share, {0, 1e6, true, true},
           "longest time for sweeps, as a multiple of the predicted time of the interior point");
    v.integer("first_sweeps", first_sweeps, {1, 1e6}, "sweeps of the first two chunks; every further one is twice as long");
    v.flag("fall_back", fall_back, "after the traced path go on with the other methods until the time is over");
  }
};

template <int D>
class Auto {
 public:
  explicit Auto(const AutoOptions& options);

  Termination run(const Problem& problem, std::vector<double>& r, Monitor& monitor);

  /// Stage 10, after a run whose answer is not confirmed. First the answers that it left out for their rounding; true: one is confirmed, or there is
  /// nothing more to propose.
  bool judged(const Solver::Confirm& confirm);
  /// Then those of the other methods, until one is confirmed.
  void propose(const LocalProblem& problem, const Solver::Confirm& confirm, Monitor& monitor);

 private:
  using End = std::optional<Termination>;  // of the run, or nothing to go on with the next stage

  bool nothing_to_do(const std::vector<double>& q, const std::vector<double>& mu, const std::vector<double>& r, Monitor& monitor);
  // Without W.
  End on_bodies(const GlobalProblem& problem, Monitor& monitor);
  // With W; where that is too large for its indices, the best point so far ends the run.
  End with_W(const GlobalProblem& global, const Problem& problem, Monitor& monitor);
  // `problem` is what the user gave, for the existence check and, in global form, for the matrix on bodies; `local` is its local form. From r_.
  End on_contacts(const Problem& problem, const LocalProblem& local, Monitor& monitor);
  // Before anything is prepared.
  End few_contacts(const LocalProblem& problem, Monitor& monitor);
  End sweeps(const Problem& problem, const LocalSystem<D>& system, Monitor& monitor);
  End polish(Polish<D>& polish, const LocalSystem<D>& system, const char* reason, Monitor& monitor);
  // Null: without W.
  End interior(const LocalSystem<D>* system, Monitor& monitor);
  // From the best point, for as long as the best error falls fast enough to end soon.
  template <class Operator>
  End quick_gradients(const Operator& op, Monitor& monitor);
  // Sweeps, then gradients, for so many predicted seconds each, from where their last turn ended; a polish where they came near.
  End first_order(const LocalSystem<D>& system, double seconds, const char* reason, Monitor& monitor);
  // prox-newton for as many steps as so many iterations of the interior point take; from a good point, and in turns with sweeps and gradients.
  End walk(const LocalSystem<D>& system, const char* reason, double iterations, Termination& how, Monitor& monitor);
  End first_walk(const LocalSystem<D>& system, Monitor& monitor);
  End turns(const LocalSystem<D>& system, Monitor& monitor);
  End path(const LocalSystem<D>& system, Monitor& monitor);
  struct Other {
    const char* id;
    bool from_zero;  // or from the best point
    double slices;   // of time
  };
  static std::vector<Other> other_methods(const LocalProblem& problem);
  End other(const Other& method, const char* reason, double seconds, const LocalProblem& problem, Termination& how, Monitor& monitor);
  End fall_back(const LocalProblem& problem, const LocalSystem<D>& system, Monitor& monitor);
  void into_cones(const LocalSystem<D>& system, Monitor& monitor);
  bool projected(const LocalSystem<D>& system, const Monitor& monitor);  // onto the cones, unless that is no solution

  // The error of r, and the part of it that may be rounding of velocities.
  struct Measured {
    double error, rounding;
  };
  Measured measured(const std::vector<double>& r);
  double error_of(const LocalSystem<D>& system, const std::vector<double>& r);
  double sweep_seconds(const LocalSystem<D>& system) const;  // predicted
  // Analyses the matrix of newton-ipm once, in the cheaper form, and predicts the seconds of one iteration.
  void analyse(const Problem& problem, const LocalSystem<D>& system, Monitor& monitor);
  // The polish; `system` may be null where there is no W.
  typename InteriorPoint<D>::Finish finish(const LocalSystem<D>* system, Monitor& monitor);
  using GoOn = std::function<bool(const HistoryEntry&)>;
  // Runs `method(r, inner)` from the best point, while `go_on`, and takes over what it found.
  template <class Method>
  End stage(const std::string& id, const char* reason, double tolerance, double seconds, long iterations, Monitor& monitor, Method&& method,
            const GoOn& go_on = {});
  void report(Monitor& monitor);

  // What is made when sweeps alone do not end a run: making it takes longer than solving a problem of a few contacts.
  struct Newton {
    Newton();
    // The graph of bodies where a polish on it is predicted to be faster, or null.
    GlobalIpmMatrix<D>* polish_form();
    Polish<D> quick_polish, long_polish;
    IpmForms<D> forms;
    InteriorPoint<D> interior;
    ProxNewton<D> walk;
  };
  Newton& newton() { return newton_ ? *newton_ : newton_.emplace(); }

  AutoOptions options_;
  Nsgs<D> sweeps_;
  std::optional<Newton> newton_;
  const LocalSystem<D>* system_ = nullptr;     // of the present stages,
  const GlobalOperator<D>* bodies_ = nullptr;  // or this, where there is no W
  bool analysed_ = false;                      // the graph of bodies of this problem
  std::vector<double> work_;
  std::vector<double> r_, u_;              // the best point
  double error_ = 0;                       // its error
  std::vector<double> swept_, descended_;  // where the turns of sweeps and of gradients have come to
  double near_ = 0;                        // their least error
  double pace_ = 1;                        // what an iteration of focused sweeps costs, in sweeps over all contacts
  std::optional<double> walked_;           // error after the first walk, where there was one
  double polish_at_ = 0;
  double iteration_seconds_ = 0;  // of newton-ipm, predicted; 0: not yet
  long last_iterations_ = 0;      // of the last stage
  bool converged_ = false;        // the last run
  std::vector<std::vector<double>>
      noisy_;                     // its answers that the stages call solutions, but for rounding that the certificate may not count
  std::optional<Stage> pending_;  // not yet reported: stages of one method in a row are one
};

extern template class Auto<2>;
extern template class Auto<3>;

}  // namespace cornet
