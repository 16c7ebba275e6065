// What happens inside the process of a run, and how its words are understood: solve, certify, analyse. Each writes one line of JSON and, for
// a solve, the reactions after it.
#pragma once

#include <string>
#include <vector>

#include "cornet/campaign.h"
#include "cornet/problem.h"

namespace cornet::campaign {

/// One solve, as asked.
struct Order {
  const SolverChoice* solver = nullptr;
  double tolerance = 0;
  double time_limit = 0;
  long max_iterations = 0;
  int repeat = 1;
  bool history = false;
};

/// What a solve said. Nothing of it is believed but r, the time and the counts.
struct Answer {
  bool present = false;  ///< it came to its end
  std::string status, termination, message, version;
  bool claimed = false;
  double time = Record::kUnknown;
  double reduce_time = 0;
  double busy = 0;  ///< seconds in the solver, all repetitions
  int repeats = 1;
  long iterations = -1;
  double products = Record::kUnknown;
  std::map<std::string, double> statistics;
  std::vector<HistoryPoint> history;
  std::vector<double> r;
};

int solve_into(int file, const Problem& problem, const Order& order);
Answer read_answer(const std::string& output);

/// Replaces the process by a peer's program; returns only when that fails.
int exec_peer(const Order& order, const std::string& problem_file, const char* form, const std::string& answer_file);
Answer read_peer_answer(const std::string& path, std::size_t reactions, double wall);

/// The certificate of r, or why there is none.
struct Verdict {
  bool present = false;
  std::string message;
  double error = Record::kUnknown;
  double busy = 0;
  int take_off = 0, stick = 0, slide = 0;
};
Verdict certify_here(const Problem& problem, const std::vector<double>& r);  ///< in this process: for problems where it takes microseconds
int certify_into(int file, const Problem& problem, const std::vector<double>& r);
Verdict read_verdict(const std::string& output);

int analyse_into(int file, const Problem& problem, int dense_limit);
/// Fills rank_ratio, condition, asymmetry and blocks_per_row.
void read_analysis(const std::string& output, int size, Record& record);

}  // namespace cornet::campaign
