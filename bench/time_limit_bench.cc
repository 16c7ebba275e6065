// How well a time limit is kept: every solver on a packing of spheres, in both forms, at several limits. Prints the worst overruns of the solver
// (Result::time) and of the whole call, which has the reduction before it and the certificate after it.
//
//   time_limit_bench [--contacts N] [--solvers ID,ID…] [--forms local,global] [LIMIT…]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

namespace {

using namespace cornet;
using Clock = std::chrono::steady_clock;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  int contacts = 10000;
  std::vector<std::string> ids, forms = {"local", "global"};
  std::vector<double> limits;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--contacts" && k + 1 < argc) contacts = std::stoi(argv[++k]);
    else if (word == "--solvers" && k + 1 < argc) ids = split(argv[++k]);
    else if (word == "--forms" && k + 1 < argc) forms = split(argv[++k]);
    else limits.push_back(std::stod(word));
  }
  if (limits.empty()) limits = {0.2, 1, 3};
  if (ids.empty())
    for (const SolverInfo& info : solvers()) ids.push_back(info.id);

  const GlobalProblem global = samples::spheres_with_contacts(contacts, 0.5, 1);
  const LocalProblem local = reduce(global).local();
  fmt::print("{} contacts, {} degrees of freedom, {} entries of W\n", global.contacts(), global.dofs(), local.W.entries());
  fmt::print("{:28} {:7} {:>6} {:>9} {:>12} {:>12} {:>10} {:>10}  {}\n", "solver", "form", "limit", "time", "overrun", "whole call",
             "reduction", "certif.", "status");
  double worst = 0;
  for (const std::string& id : ids)
    for (const std::string& form : forms)
      for (const double limit : limits) {
        RunOptions options;
        options.solver = id;
        options.tolerance = 1e-13;  // nothing gets there in time
        options.max_iterations = 1000000000;
        options.time_limit = limit;
        const Problem problem = form == "local" ? Problem(local) : Problem(global);
        const auto start = Clock::now();
        const Result result = solve(problem, options);
        const double wall = std::chrono::duration<double>(Clock::now() - start).count();
        const double over = result.time - limit;
        worst = std::max(worst, over);
        fmt::print("{:28} {:7} {:6g} {:9.3f} {:>9.0f} ms {:>9.0f} ms {:10.3f} {:10.3f}  {}\n", id, form, limit, result.time,
                   std::max(0.0, over) * 1e3, std::max(0.0, wall - limit) * 1e3, result.statistics.at("reduce_time"),
                   result.statistics.at("certify_time"), to_string(result.status));
        std::fflush(stdout);
      }
  fmt::print("largest overrun of a solver: {:.0f} ms\n", worst * 1e3);
  return worst <= 0.1 ? 0 : 1;
}
