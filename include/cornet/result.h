// The driver: problem in, certified result out.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/existence.h"
#include "cornet/export.h"
#include "cornet/problem.h"
#include "cornet/quality.h"
#include "cornet/solver.h"

namespace cornet {

/// The driver's word, after certification. `solved` is written here and nowhere else, iff the certified error is at most the tolerance.
enum class Status {
  solved,      ///< certified error ≤ tolerance
  inaccurate,  ///< the solver said converged, the certificate says no
  iteration_limit,
  time_limit,
  stalled,
  diverged,
  numerical_error,  ///< breakdown of the solver's linear algebra
  no_solution,      ///< proved: there is none
  unsupported,      ///< the solver cannot take this problem; the message says why
  interrupted
};

CORNET_API const char* to_string(Status status);

/// The id used when nothing is asked for: the most robust solver there is (docs/solvers.md says on what grounds).
CORNET_API extern const char* const kDefaultSolver;

/// When the driver looks whether a solution must exist: never, after a failed solve, or before every solve.
enum class ExistenceCheck { never, on_failure, always };

struct RunOptions {
  std::string solver = kDefaultSolver;
  double tolerance = 1e-8;  ///< on the certified error, in (0, 1]
  double time_limit = 300;  ///< seconds of wall clock for the solve
  long max_iterations = 0;  ///< 0: the solver's own default
  int threads = 1;          ///< recorded; the solvers of this version use one thread
  OptionTexts options;      ///< solver options, name → text
  ExistenceCheck existence = ExistenceCheck::never;
  bool quality = false;  ///< assess the answer as well (quality.h)
  bool keep_history = false;
  const std::atomic<bool>* interrupt = nullptr;  ///< set to true from a signal handler or another thread to stop
  Monitor::Callback callback;                    ///< called once per iteration; return false to stop
};

/// What produced a result.
struct Provenance {
  std::string version;
  std::string compiler;
  int threads = 1;
  OptionTexts options;  ///< every option of the solver with the value used
};

struct Result {
  Status status = Status::numerical_error;
  std::string message;  ///< one sentence for people
  std::string solver;
  double tolerance = 0;
  Termination termination = Termination::breakdown;  ///< the solver's own word
  long iterations = 0;
  double time = 0;  ///< seconds in the solver alone (reduction and certification are in `statistics`)
  Iterate x;        ///< r, u, and v, λ in global form; the best point found when not solved
  Certificate certificate;
  std::optional<Existence> existence;        ///< when it was looked for and decided
  std::optional<Quality> quality;            ///< when it was asked for
  std::vector<Stage> stages;                 ///< the path of a solver that combines several methods
  std::map<std::string, double> statistics;  ///< reduce_time, certify_time, factorisations, local_fallbacks …
  std::vector<HistoryEntry> history;
  Provenance provenance;

  bool solved() const { return status == Status::solved; }
};

/// Validates, reduces if the solver needs it, solves, certifies. Throws InvalidProblem and InvalidOption only.
CORNET_API Result solve(const Problem& problem, const RunOptions& options = {}, const Iterate& guess = {});

/// The same for a sequence of problems, as in a time loop: the solver keeps its workspace (orderings of the contact graph, step lengths)
/// from one problem to the next. The answers do not depend on what was solved before, beyond rounding. One object serves one thread.
class CORNET_API Session {
 public:
  explicit Session(RunOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  Result solve(const Problem& problem, const Iterate& guess = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

CORNET_API const char* version();
CORNET_API const char* compiler();

}  // namespace cornet
