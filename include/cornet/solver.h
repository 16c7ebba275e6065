// Solvers and their registry. A solver proposes a point; it never decides that the point is a solution (certificate.h does, for the driver).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/options.h"
#include "cornet/problem.h"

namespace cornet {

/// The solver's own word on how it ended.
enum class Termination {
  converged,        ///< its own measure of the error met the tolerance
  iteration_limit,  ///< max_iterations reached
  time_limit,       ///< time limit reached
  stalled,          ///< no progress any more
  diverged,         ///< iterates grow without bound or are not finite
  breakdown,        ///< a linear system or a local problem could not be solved
  interrupted,      ///< the user asked to stop
  unsupported,      ///< the solver cannot take this problem; Monitor::message() says why
  no_solution       ///< the solver proved that there is none; Monitor::message() says how
};

CORNET_API const char* to_string(Termination termination);

/// One line of the history of a solve.
struct HistoryEntry {
  long iteration = 0;
  double time = 0;          ///< seconds since the start of the solve
  double own_residual = 0;  ///< the solver's own measure; the certified error is in the certificate only
};

/// One part of the path of a solver that combines several methods.
struct Stage {
  std::string method;   ///< id of the method, or a word for a part that has none
  std::string reason;   ///< why it was taken, for people
  double time = 0;      ///< seconds spent in it
  long iterations = 0;  ///< its own count
  double error = 0;     ///< natural-map error of the best point known after it
};

struct Limits {
  double tolerance = 1e-8;
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
  long max_iterations = std::numeric_limits<long>::max();
};

/// What a running solver talks to: limits, clock, interruption, history, best point, counters. One `step` per iteration.
class CORNET_API Monitor {
 public:
  using Callback = std::function<bool(const HistoryEntry&)>;  ///< return false to interrupt

  explicit Monitor(const Limits& limits, const std::atomic<bool>* interrupt = nullptr, Callback callback = {}, bool keep_history = false);

  /// Ends an iteration. Returns why to stop, or nothing. Does not allocate unless a history is kept.
  std::optional<Termination> step(double own_residual);

  /// Offers a point with the natural-map error the solver computed for it. The best one is kept for the driver.
  void offer(double error, const double* r, std::size_t size);

  /// True when the time is over or the user asked to stop: for long inner loops.
  std::optional<Termination> expired() const;

  double tolerance() const { return limits_.tolerance; }
  double time_left() const { return limits_.time_limit - elapsed(); }  ///< seconds; not positive when the time is over
  long iterations() const { return iterations_; }
  double elapsed() const;

  /// Adds to a named counter that ends in Result::statistics ("local_fallbacks", "factorisations", "products" …).
  void count(const char* name, double amount = 1);

  /// Adds to the path that ends in Result::stages.
  void add_stage(Stage stage) { stages_.push_back(std::move(stage)); }

  void set_message(std::string message) { message_ = std::move(message); }
  const std::string& message() const { return message_; }

  double best_error() const { return best_error_; }
  const std::vector<double>& best() const { return best_; }
  const std::vector<HistoryEntry>& history() const { return history_; }
  const std::map<std::string, double>& counters() const { return counters_; }
  const std::vector<Stage>& stages() const { return stages_; }

 private:
  Limits limits_;
  const std::atomic<bool>* interrupt_;
  Callback callback_;
  bool keep_history_;
  std::chrono::steady_clock::time_point start_;
  long iterations_ = 0;
  double best_error_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_;
  std::vector<HistoryEntry> history_;
  std::map<std::string, double> counters_;
  std::vector<Stage> stages_;
  std::string message_;
};

class CORNET_API Solver {
 public:
  virtual ~Solver() = default;

  /// Starts from x (x.r of the right length) and leaves its answer there. Never throws on non-convergence, never prints. The object keeps
  /// its workspace, so a time loop reuses it.
  virtual Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) = 0;

  /// The certificate did not confirm what solve() called converged, or solve() stalled: solver and certificate count rounding differently. Proposes
  /// other answers to the same problem until one is confirmed or it has no more. A solver with one method has none.
  using Confirm = std::function<bool(const std::vector<double>& r)>;
  virtual void propose(const Problem&, const Confirm&, Monitor&) {}
};

/// What a solver holds besides vectors: for the estimate of memory (RunOptions::memory_limit).
struct MemoryNeeds {
  static constexpr int kAlways = std::numeric_limits<int>::max();

  int copies = 1;            ///< of W in blocks
  int factors = 0;           ///< LU of W
  double factor_bytes = 16;  ///< with factors: more bytes for each number of W
  double dense = 0;          ///< matrices of m × m
  int contacts_with_W = 0;   ///< a solver for the global form makes W as well up to this number of contacts
};

/// One row of the table of solvers.
struct SolverInfo {
  std::string id;  ///< stable for ever, mathematics §4
  std::string title;
  std::string family;
  std::string summary;  ///< the method in a sentence or two
  std::string use_when;
  std::string fails_when;
  std::string reference;
  std::vector<int> dimensions = {2, 3};
  std::vector<std::string> forms = {"local"};  ///< what `solve` takes; the driver reduces a global problem for a local solver
  bool needs_symmetry = false;
  bool proposes = false;        ///< it implements Solver::propose
  long max_iterations = 10000;  ///< default limit
  MemoryNeeds memory;
  std::vector<OptionInfo> options;
  std::function<std::unique_ptr<Solver>(const OptionTexts&)> make;  ///< throws InvalidOption
  std::function<OptionTexts(const OptionTexts&)> used_options;      ///< every option with the value used
};

/// All solvers, in the order of solvers.inc.
CORNET_API const std::vector<SolverInfo>& solvers();

/// Throws InvalidOption with the nearest ids when there is none of that name.
CORNET_API const SolverInfo& find_solver(const std::string& id);

}  // namespace cornet
