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
  double time_limit = 300;  ///< seconds of wall clock for the solver; reduction and certificate come on top
  long max_iterations = 0;  ///< 0: the solver's own default
  int threads = 1;          ///< recorded; the solvers of this version use one thread
  double memory_limit = 0;  ///< bytes that the solve may take beyond the problem; 0: none. Refused before it starts, see estimate_memory
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

/// What a solve takes in memory beyond the problem, in bytes: upper bounds of its parts from sizes and symbolic factorisations, without doing
/// any of it. How each is computed, and how far it is from what was measured: docs/reliability.md.
struct MemoryEstimate {
  double reduction = 0;    ///< factors of M, and W while it is put together
  double solver = 0;       ///< W, vectors and factors of the solver, with what is kept of the reduction
  double certificate = 0;  ///< M and its factors

  double total() const {
    const double larger = reduction > solver ? reduction : solver;
    return larger > certificate ? larger : certificate;
  }
};

/// Of solve(problem, options). Throws InvalidProblem and InvalidOption.
CORNET_API MemoryEstimate estimate_memory(const Problem& problem, const RunOptions& options = {});

/// Of check_existence(problem), in bytes.
CORNET_API double estimate_existence_memory(const Problem& problem);

/// Throws MemoryLimit when the estimate is larger than the limit; `what` is who needs it. A limit of 0 is none.
CORNET_API void require_memory(double estimate, double limit, const std::string& what);

/// Validates, reduces if the solver needs it, solves, certifies. Throws InvalidProblem, InvalidOption, MissingFeature (more than 2³¹ entries)
/// and MemoryLimit only.
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
