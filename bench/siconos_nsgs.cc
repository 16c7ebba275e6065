// Time of one Gauss–Seidel sweep, ours (nsgs-ac) against Siconos's NSGS with its Alart–Curnier one-contact solver, same file, same run.
//
//   siconos_nsgs FILE… [--sweeps N]
//
// Both start from r = 0 and run N sweeps; the least of nine repetitions is printed in nanoseconds per contact and sweep, with the ratio.
// Siconos gets the storage that suits it best (3×3 sparse blocks) and its cheap error evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"

#include "siconos_support.h"

namespace {

using Clock = std::chrono::steady_clock;

// The least of the repetitions: what the code costs when nothing else runs.
constexpr int kRepetitions = 9;
double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

/// Ours: seconds of `sweeps` sweeps, set-up included.
double our_sweeps(const cornet::LocalProblem& problem, int sweeps) {
  const cornet::Problem p = problem;
  const auto solver = cornet::find_solver("nsgs-ac").make({});
  std::vector<double> times;
  for (int k = 0; k < kRepetitions; ++k) {
    cornet::Iterate x;
    x.r.assign(problem.q.size(), 0.0);
    cornet::Limits limits;
    limits.tolerance = 0;
    limits.max_iterations = sweeps;
    cornet::Monitor monitor(limits);
    const auto start = Clock::now();
    solver->solve(p, x, monitor);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least(times);
}

/// Siconos: seconds of `sweeps` sweeps, set-up included.
double siconos_sweeps(const cornet::LocalProblem& problem, int sweeps) {
  const SiconosProblem peer(problem, true);
  std::vector<double> times;
  for (int k = 0; k < kRepetitions; ++k) {
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    options->dparam[SICONOS_DPARAM_TOL] = 1e-300;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
    std::vector<double> r(problem.q.size(), 0.0), u(problem.q.size(), 0.0);
    int info = 1;  // 0 would mean "already solved" to it
    const auto start = Clock::now();
    fc3d_nsgs(peer.get(), r.data(), u.data(), &info, options);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (options->iparam[SICONOS_IPARAM_ITER_DONE] != sweeps)
      fmt::print("Siconos did {} sweeps\n", options->iparam[SICONOS_IPARAM_ITER_DONE]);
    solver_options_delete(options);
  }
  return least(times);
}

void compare(const std::string& name, const cornet::LocalProblem& problem, int sweeps) {
  // The difference between many sweeps and one leaves the set-up of either code out.
  const double ours = (our_sweeps(problem, sweeps + 1) - our_sweeps(problem, 1)) / sweeps;
  const double theirs = (siconos_sweeps(problem, sweeps + 1) - siconos_sweeps(problem, 1)) / sweeps;
  const double contacts = problem.contacts();
  fmt::print("{:<40} {:>7} {:>12.1f} {:>12.1f} {:>8.2f}\n", name.substr(0, 40), problem.contacts(), ours / contacts * 1e9,
             theirs / contacts * 1e9, theirs / ours);
}

}  // namespace

int main(int argc, char** argv) {
  int sweeps = 200;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--sweeps") == 0 && k + 1 < argc) sweeps = std::stoi(argv[++k]);
    else files.emplace_back(argv[k]);
  }
  fmt::print("{:<40} {:>7} {:>12} {:>12} {:>8}\n", "problem", "nc", "cornet ns/c", "siconos ns/c", "ratio");
  for (const auto& file : files) {
    const cornet::Problem problem = cornet::read(file, cornet::Form::any);
    const auto* local = std::get_if<cornet::LocalProblem>(&problem);
    compare(file.substr(file.find_last_of('/') + 1), local ? *local : cornet::reduce(std::get<cornet::GlobalProblem>(problem)).local(),
            sweeps);
  }
  // Does the cost per contact grow with the size? The same lattice of spheres at about 500 and 10 000 contacts.
  compare("sphere lattice 6x6x6", cornet::reduce(cornet::samples::sphere_lattice(6, 6, 6, 0.5, 1)).local(), sweeps);
  compare("sphere lattice 16x16x16", cornet::reduce(cornet::samples::sphere_lattice(16, 16, 16, 0.5, 1)).local(), sweeps);
}
