// Campaigns: solvers × problems × tolerances, one process per run, one line of JSON per run in an append-only file.
//
// spec → plan (problems, keys of runs) → runs, each in a process of its own → certificate, computed by the harness from the written answer
// → record. A record is identified by the content of the problem, the solver with every option, tolerance and limits, and the bytes of
// the program: what is in the file already is skipped by `resume`, anything that changed is a new record.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/io.h"
#include "cornet/options.h"

namespace cornet::campaign {

/// One solver of a campaign: an id of ours with options, or a program outside ("siconos:NSGS-AC", or any command).
struct SolverChoice {
  std::string id;                    ///< as in `cornet solvers`, or "siconos:NAME", or the name given to a peer
  OptionTexts options;               ///< those that differ from the defaults
  std::string label;                 ///< what tables show; the id with its options unless the spec names it
  std::vector<std::string> command;  ///< for a peer: the program and its arguments; empty for ours
};

/// "nsgs-ac", "psor-ac:omega=1.5:omega_rule=fixed", "siconos:NSGS-AC". Throws InvalidOption: unknown id, option or value.
CORNET_API SolverChoice parse_solver(const std::string& text);

/// "NAME=COMMAND" or "COMMAND", whose first word then is the name. Throws InvalidOption when there is no such program.
CORNET_API SolverChoice parse_peer(const std::string& text);

/// Some problems: files, or a test set of the survey made by code.
struct ProblemGroup {
  std::string set;                 ///< name in the records; empty: the folder that a file is in
  std::vector<std::string> files;  ///< names and globs
  std::string generate;            ///< name of a test set (sim_sets.h), or "samples" for the bundled ones
  int count = 0;                   ///< of the problems made, 0: as many as the survey has
  std::uint64_t seed = 1;
  Form form = Form::any;
  std::vector<double> tolerances;                                ///< empty: those of the spec
  double time_limit = std::numeric_limits<double>::quiet_NaN();  ///< NaN: that of the spec
};

struct Spec {
  std::string name;
  std::string what;  ///< one sentence
  std::vector<ProblemGroup> problems;
  std::vector<SolverChoice> solvers;
  std::vector<double> tolerances = {1e-4, 1e-8};
  double time_limit = 60;      ///< seconds of wall clock for one solve; the process is killed a little later
  double memory_limit = 4096;  ///< MiB that a run may take beyond the problem itself
  long max_iterations = 0;     ///< 0: the solvers' own
  int repeat = 5;              ///< runs shorter than 50 ms are repeated up to so often in their process; the least time counts
  bool history = false;        ///< keep the residuals of the iterations, at most 200 per run
  int analyse = 900;           ///< rank and conditioning of W up to this size m; 0: never
};

/// Throws IoError (not readable, not JSON, unknown or wrong fields) and InvalidOption (solvers, sets).
CORNET_API Spec read_spec(const std::string& path);
CORNET_API Spec parse_spec(const std::string& text, const std::string& where);

struct RecordProvenance {
  std::string version;
  std::string compiler;
  std::string binary;  ///< hash of the program that solved
  std::string cpu;
  std::string date;  ///< UTC, when the run ended
  std::string peer;  ///< what a program outside said about itself, else empty
  int threads = 1;
  double time_limit = 0;
  double memory_limit = 0;
  long max_iterations = 0;
  int repeats = 1;
  bool pinned = false;
  OptionTexts options;  ///< every option with the value used
};

/// One point of a convergence history.
struct HistoryPoint {
  long iteration = 0;
  double time = 0;
  double residual = 0;
};

/// One run. Unknown numbers are NaN.
struct Record {
  static constexpr int kFormat = 1;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string key;  ///< identifies the run, see above
  std::string problem;
  std::string file;
  std::string problem_hash;
  std::string set;
  std::string form;
  int dimension = 0;
  int number_of_contacts = 0;
  int dofs = -1;  ///< −1: not known (a local problem)
  std::string solver;
  std::string label;
  std::string family;
  double tolerance = 0;
  std::string status;       ///< a Status, or crashed, memory_limit: the harness's word
  bool claimed = false;     ///< the solver said that it converged
  std::string termination;  ///< the solver's own word
  std::string message;
  double error = kUnknown;     ///< certified by the harness
  double time = kUnknown;      ///< seconds from the problem to the answer: reduction and solve
  double reduce_time = 0;      ///< part of it
  double wall = kUnknown;      ///< of the process, all repetitions
  double overhead = kUnknown;  ///< seconds that the harness added to this run
  long iterations = -1;
  double products = kUnknown;  ///< products with W, of solvers that count them
  int take_off = 0, stick = 0, slide = 0;
  double mu_min = kUnknown, mu_max = kUnknown;
  double rank_ratio = kUnknown;  ///< m / rank(W)
  double density = kUnknown;     ///< m / n
  double condition = kUnknown;
  double asymmetry = kUnknown;
  double blocks_per_row = kUnknown;
  std::map<std::string, double> statistics;
  std::vector<HistoryPoint> history;
  RecordProvenance provenance;

  bool solved() const { return status == "solved"; }
};

/// One line without the line break.
CORNET_API std::string to_line(const Record& record);

enum class Detail { measures, everything };  ///< measures: without options, statistics and history, several times as fast

struct RecordSet {
  std::vector<Record> records;
  std::vector<std::string> warnings;  ///< torn last lines
};

/// Throws IoError: not readable, a broken line that is not the last one, a record of a newer version.
CORNET_API RecordSet read_records(const std::vector<std::string>& paths, Detail detail = Detail::measures);

/// Joins record files into one; of equal keys the first is kept. Returns {lines written, duplicates left out}.
struct MergeResult {
  long records = 0;
  long duplicates = 0;
  std::vector<std::string> warnings;
};
CORNET_API MergeResult merge_records(const std::vector<std::string>& paths, const std::string& output);

/// How a campaign is carried out.
struct RunSettings {
  std::string records;  ///< file to append to
  bool resume = false;  ///< without it the file must not hold records
  int jobs = 1;
  bool pin = false;             ///< each job on a processor of its own
  int shard = 1, shards = 1;    ///< this part of so many, from 1
  std::string problems_folder;  ///< where made problems are written; empty: RECORDS with .problems for its extension
  const std::atomic<bool>* interrupt = nullptr;
  struct State {
    long total = 0, skipped = 0, done = 0, solved = 0;
    double elapsed = 0;
    std::string current;
  };
  std::function<void(const State&)> progress;  ///< called some ten times a second and after each run
};

struct RunSummary {
  long total = 0;    ///< runs of this shard
  long skipped = 0;  ///< were in the file
  long done = 0;
  long unreadable = 0;                   ///< problems
  std::map<std::string, long> statuses;  ///< of those done
  double wall = 0;
  double overhead = 0;                ///< mean seconds per run that were not spent in solvers, certificates and analyses
  std::vector<std::string> warnings;  ///< unreadable problems, torn lines
  bool interrupted = false;
};

/// Throws IoError and InvalidOption before anything runs; an unreadable problem is a warning and has no records.
CORNET_API RunSummary run(const Spec& spec, const RunSettings& settings);

}  // namespace cornet::campaign
