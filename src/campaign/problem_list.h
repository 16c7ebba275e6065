// From the groups of a spec to problem files: globs are expanded, test sets are made and written once.
#pragma once

#include <string>
#include <vector>

#include "cornet/campaign.h"
#include "cornet/problem.h"

namespace cornet::campaign {

struct ProblemEntry {
  std::string file;
  std::string set;
  Form form = Form::any;
  std::vector<double> tolerances;
  double time_limit = 0;
};

/// Throws IoError when a glob matches nothing or a set cannot be written. `folder` is where made problems go, one subfolder per set.
std::vector<ProblemEntry> list_problems(const Spec& spec, const std::string& folder, const std::atomic<bool>* interrupt);

/// A problem in memory with what records say about it.
struct LoadedProblem {
  Problem problem;
  Record facts;  ///< the fields of a record that belong to the problem
};

/// Throws what read_file throws.
LoadedProblem load_problem(const ProblemEntry& entry);

/// SHA-256 of the data of the problem: form, dimension, matrices as stored, vectors.
std::string hash_problem(const Problem& problem);

}  // namespace cornet::campaign
