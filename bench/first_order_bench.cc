// First-order methods against Gauss–Seidel, one thread, times of the solver alone unless said otherwise.
//
//   first_order_bench set [TOLERANCE [SECONDS [SOLVER …]]]    every problem of the data set in local form: how many are solved, time to 1e-2 … TOLERANCE
//   first_order_bench growth [SECONDS [LARGEST]]       time to 1e-4 on sphere packings and brick walls of growing size, with the fitted exponent
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cornet/error.h"
#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

namespace {

using namespace cornet;

struct Entry {
  std::string name, origin;
  Problem problem;
};

std::vector<Entry> data_set() {
  const std::filesystem::path root = CORNET_DATA;
  std::ifstream index(root / "index.csv");
  std::vector<Entry> set;
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    std::istringstream words(line);
    std::string file, origin;
    std::getline(words, file, ',');
    std::getline(words, origin, ',');
    const ProblemFile content = read_file(root / file);
    Problem problem = content.local ? Problem(*content.local) : Problem(reduce(*content.global).local());
    if (contacts(problem) > 0) set.push_back({file.substr(file.rfind('/') + 1), origin, std::move(problem)});
  }
  return set;
}

Result run(const std::string& solver, const Problem& problem, double tolerance, double seconds,
           const std::map<std::string, std::string>& options = {}) {
  RunOptions how;
  how.solver = solver;
  how.options = {options.begin(), options.end()};
  how.tolerance = tolerance;
  how.time_limit = seconds;
  how.max_iterations = 1000000000;
  how.existence = ExistenceCheck::never;
  how.keep_history = true;
  return solve(problem, how);
}

// Seconds after which the solver's own error was first at most `tolerance`; negative: never.
double time_to(const Result& result, double tolerance) {
  if (result.solved() && result.history.empty()) return 0;
  for (const auto& entry : result.history)
    if (entry.own_residual <= tolerance) return entry.time;
  return result.certificate.error <= tolerance ? result.time : -1.0;
}

int run_set(double tolerance, double seconds, std::vector<std::string> solvers) {
  if (solvers.empty()) solvers = {"nsgs-ac", "spg", "apgd", "admm"};
  std::vector<double> levels = {1e-2, 1e-3, 1e-4};
  if (tolerance < 1e-4) levels.push_back(tolerance);
  constexpr double kFloor = 1e-5;  // what a clock can tell
  std::map<std::string, int> total;
  std::map<std::pair<std::string, std::string>, int> solved;                 // (solver, origin)
  std::map<std::pair<std::string, double>, int> reached;                     // (solver, level)
  std::map<std::pair<std::string, double>, std::pair<double, int>> against;  // Σ log of time over that of the first solver, count
  for (const Entry& entry : data_set()) {
    ++total[entry.origin];
    std::string text = fmt::format("{:44} {:5}", entry.name.substr(0, 44), contacts(entry.problem));
    std::vector<Result> results;
    for (const auto& solver : solvers) {
      results.push_back(run(solver, entry.problem, tolerance, seconds));
      const Result& result = results.back();
      solved[{solver, entry.origin}] += result.solved();
      for (double level : levels) {
        const double time = time_to(result, level), first = time_to(results.front(), level);
        reached[{solver, level}] += time >= 0;
        if (time < 0 || first < 0 || contacts(entry.problem) < 20) continue;
        auto& [sum, count] = against[{solver, level}];
        sum += std::log(std::max(time, kFloor) / std::max(first, kFloor));
        ++count;
      }
      text +=
          fmt::format(" | {} {:9.5f} {:7} {:.0e}", result.solved() ? ' ' : 'X', result.time, result.iterations, result.certificate.error);
    }
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }
  for (const auto& solver : solvers) {
    fmt::print("{:8}", solver);
    for (const auto& [origin, count] : total) fmt::print("  {}: {} of {}", origin, solved[{solver, origin}], count);
    for (double level : levels) {
      const auto& [sum, count] = against[{solver, level}];
      fmt::print("  | {:.0e}: {} reached, time ratio {:.2f}", level, reached[{solver, level}], count > 0 ? std::exp(sum / count) : 0.0);
    }
    fmt::print("\n");
  }
  return 0;
}

int run_growth(double seconds, int largest) {
  const auto wall = [](int contacts) {
    const int edge = std::max(2, static_cast<int>(std::sqrt(contacts / 24.0) + 0.5));
    return samples::brick_wall(edge, edge, 0.5);
  };
  struct Method {
    const char *name, *solver;
    std::map<std::string, std::string> options;
  };
  const std::vector<Method> methods = {{"spg", "spg", {}},
                                       {"apgd", "apgd", {}},
                                       {"nsgs-ac", "nsgs-ac", {}},
                                       {"sweeps", "nsgs-ac", {{"focus", "10"}, {"gradients", "25"}}},  // as auto does them
                                       {"auto", "auto", {}}};
  for (const bool spheres : {true, false})
    for (const auto& [name, solver, options] : methods) {
      double sx = 0, sy = 0, sxx = 0, sxy = 0;
      int points = 0;
      for (const int size : {500, 1600, 5000, 16000, 50000}) {
        if (size > largest) continue;
        const GlobalProblem problem = spheres ? samples::spheres_with_contacts(size, 0.5, 1) : wall(size);
        const Result result = run(solver, problem, 1e-4, seconds, options);
        fmt::print("{:7} {:8} nc {:6}  {} time {:9.4f} s  set-up {:7.3f} s  iterations {:7}  error {:.1e}\n", spheres ? "spheres" : "wall",
                   name, problem.contacts(), result.solved() ? "solved" : "FAILED", result.time, result.statistics.at("reduce_time"),
                   result.iterations, result.certificate.error);
        std::fflush(stdout);
        if (!result.solved()) break;
        const double x = std::log(problem.contacts()), y = std::log(result.time);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        ++points;
      }
      if (points > 1)
        fmt::print("{:7} {:8} time ~ nc^{:.2f}\n", spheres ? "spheres" : "wall", name, (points * sxy - sx * sy) / (points * sxx - sx * sx));
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int k, double otherwise) { return argc > k ? std::stod(argv[k]) : otherwise; };
  try {
    if (what == "set") return run_set(number(2, 1e-8), number(3, 10), std::vector<std::string>(argv + std::min(argc, 4), argv + argc));
    if (what == "growth") return run_growth(number(2, 120), static_cast<int>(number(3, 50000)));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  fmt::print(stderr, "first_order_bench set [TOLERANCE [SECONDS [SOLVER …]]] | growth [SECONDS [LARGEST]]\n");
  return 2;
}
