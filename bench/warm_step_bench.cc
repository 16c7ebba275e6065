// What the guess of the step before saves in a time loop: a pile whose forces change by a thousandth from step to step, in local form, solved by
// `auto` cold (r = 0) and warm (the reactions of the step before), in turn.
//
//   warm_step_bench [--tol T] [--stages] [FILE.hdf5 …]      files with a global form; without files: lattices of spheres made by code
//
// Prints milliseconds per step in the solver (geometric mean over the steps), their ratio, and how many warm steps took sweeps and at most one polish;
// --stages prints the path of every warm step too.
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

namespace cornet {
namespace {

constexpr int kSteps = 10;
constexpr double kChange = 1e-3;

// Sweeps and at most one polish.
bool cheap(const Result& result) {
  int polishes = 0;
  for (const Stage& stage : result.stages) {
    polishes += stage.method == "nsn-polish";
    if (stage.method != "nsgs-ac" && stage.method != "nsn-polish") return false;
  }
  return polishes <= 1;
}

void measure(const std::string& name, const GlobalProblem& problem, double tolerance, bool show_stages) {
  RunOptions options;
  options.tolerance = tolerance;
  options.time_limit = 60;
  Session cold(options), warm(options);
  Iterate last = cold.solve(Reduction(problem).local()).x;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> change(-kChange, kChange);
  double sum_cold = 0, sum_warm = 0;
  int cheap_steps = 0, failed = 0;
  GlobalProblem moved = problem;
  for (int k = 0; k < kSteps; ++k) {
    for (std::size_t i = 0; i < moved.f.size(); ++i) moved.f[i] = problem.f[i] * (1 + change(random));
    const LocalProblem step = Reduction(moved).local();
    const Result a = cold.solve(step), b = warm.solve(step, last);
    last = b.x;
    if (show_stages)
      for (const Stage& stage : b.stages)
        fmt::print("    step {:<3} {:<12} {:>9.3f} ms {:>6} iterations  error {:.1e}\n", k, stage.method, 1e3 * stage.time,
                   stage.iterations, stage.error);
    failed += !a.solved() + !b.solved();
    sum_cold += std::log(a.time);
    sum_warm += std::log(b.time);
    cheap_steps += cheap(b);
  }
  fmt::print("{:<28} {:>6} contacts  cold {:>9.3f} ms  warm {:>9.3f} ms  ratio {:>5.1f}   cheap {:>2} of {}  failed {}\n", name,
             problem.contacts(), 1e3 * std::exp(sum_cold / kSteps), 1e3 * std::exp(sum_warm / kSteps),
             std::exp((sum_cold - sum_warm) / kSteps), cheap_steps, kSteps, failed);
}

}  // namespace
}  // namespace cornet

int main(int argc, char** argv) {
  double tolerance = 1e-8;
  bool show_stages = false;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--tol" && k + 1 < argc) tolerance = std::stod(argv[++k]);
    else if (word == "--stages") show_stages = true;
    else files.push_back(word);
  }
  for (const std::string& file : files)
    cornet::measure(file.substr(file.rfind('/') + 1), std::get<cornet::GlobalProblem>(cornet::read(file, cornet::Form::global)), tolerance,
                    show_stages);
  if (!files.empty()) return 0;
  for (const int contacts : {200, 400, 1000, 3000, 10000}) {
    const cornet::GlobalProblem problem = cornet::samples::spheres_with_contacts(contacts, 0.5, 1);
    cornet::measure(problem.name, problem, tolerance, show_stages);
  }
}
