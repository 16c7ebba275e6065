// Our solvers against Siconos's solvers of the same name: who solves what, and how fast, both to a certified error, in one run.
//
//   siconos_compare FILE… [--tol 1e-4] [--time-limit 5] [--family nsgs|vi|nsn|ppa|opt] [--csv OUT.csv]
//
// Every run, ours and theirs, has a process of its own with a time limit, one thread, and starts from r = 0. The time is that of the solve
// alone, the least of up to five runs for short ones. Siconos measures its error differently, so its tolerance is tightened tenfold until our
// certificate agrees; only the last, successful run is timed. Global problems are reduced first, for both. Prints a table per pair and the
// geometric mean of the time ratios over the problems that both solve, per pair and per family.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "siconos_support.h"

namespace {

using Clock = std::chrono::steady_clock;

/// One pair of solvers of the same name.
struct Pair {
  const char* family;
  const char* ours;
  const char* name;  // of Siconos's
  int id;
  bool blocks;
  std::function<void(SolverOptions*)> adjust;
};

void local_solver(SolverOptions* options, int id) { solver_options_update_internal(options, 0, id); }

void newton(SolverOptions* options, int formulation, int line_search) {
  options->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] = formulation;
  options->iparam[SICONOS_FRICTION_3D_NSN_LINESEARCH] = line_search;
}

std::vector<Pair> pairs() {
  const int ac = SICONOS_FRICTION_3D_NSN_FORMULATION_ALARTCURNIER_STD, jm = SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD;
  const int gp = SICONOS_FRICTION_3D_NSN_LINESEARCH_GOLDSTEINPRICE, none = SICONOS_FRICTION_3D_NSN_LINESEARCH_NO;
  const auto inner = [](int id) { return [id](SolverOptions* o) { local_solver(o, id); }; };
  const auto local_newton = [=](int id, int formulation) {
    return [=](SolverOptions* o) {
      local_solver(o, id);
      o->internalSolvers[0]->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] = formulation;
    };
  };
  const auto nsn = [](int formulation, int search) { return [=](SolverOptions* o) { newton(o, formulation, search); }; };
  const auto plain = [](SolverOptions*) {};
  return {
      {"nsgs", "nsgs-ac", "NSGS-AC", SICONOS_FRICTION_3D_NSGS, true, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN, ac)},
      {"nsgs", "nsgs-ac-gp", "NSGS-AC-GP", SICONOS_FRICTION_3D_NSGS, true, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, ac)},
      {"nsgs", "nsgs-jm", "NSGS-JM", SICONOS_FRICTION_3D_NSGS, true, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN, jm)},
      {"nsgs", "nsgs-jm-gp", "NSGS-JM-GP", SICONOS_FRICTION_3D_NSGS, true, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, jm)},
      {"nsgs", "nsgs-exact", "NSGS-EXACT", SICONOS_FRICTION_3D_NSGS, true, inner(SICONOS_FRICTION_3D_ONECONTACT_QUARTIC)},
      {"nsgs", "nsgs-fp-ds-one", "NSGS-P1", SICONOS_FRICTION_3D_NSGS, true, inner(SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone)},
      {"nsgs", "nsgs-fp-vi-upk", "NSGS-PLI", SICONOS_FRICTION_3D_NSGS, true,
       inner(SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)},
      {"vi", "fp-ds", "FP-DS", SICONOS_FRICTION_3D_DSFP, true, plain},
      {"vi", "fp-vi-upk", "FP-VI-UPK", SICONOS_FRICTION_3D_VI_FPP, true, plain},
      {"vi", "eg-vi-upk", "EG-VI-UPK", SICONOS_FRICTION_3D_VI_EG, true, plain},
      {"nsn", "nsn-ac", "NSN-AC", SICONOS_FRICTION_3D_NSN_AC, false, nsn(ac, none)},
      {"nsn", "nsn-ac-gp", "NSN-AC-GP", SICONOS_FRICTION_3D_NSN_AC, false, nsn(ac, gp)},
      {"nsn", "nsn-jm", "NSN-JM", SICONOS_FRICTION_3D_NSN_AC, false, nsn(jm, none)},
      {"nsn", "nsn-jm-gp", "NSN-JM-GP", SICONOS_FRICTION_3D_NSN_AC, false, nsn(jm, gp)},
      {"nsn", "nsn-fb-gp", "NSN-FB-GP", SICONOS_FRICTION_3D_NSN_FB, false, plain},
      {"nsn", "nsn-nm-gp", "NSN-NM-GP", SICONOS_FRICTION_3D_NSN_NM, false, plain},
      {"ppa", "ppa-nsn-ac-gp", "PPA-NSN-AC-GP", SICONOS_FRICTION_3D_PROX, false, plain},
      {"opt", "tresca-nsgs-fp-vi-upk", "TRESCA-NSGS", SICONOS_FRICTION_3D_TFP, true, plain},
      {"opt", "aclm-nsgs-fp-vi-upk", "ACLM-NSGS", SICONOS_FRICTION_3D_ACLMFP, true, plain},
      {"opt", "pana-pgs-fp-vi-upk", "PANA", SICONOS_FRICTION_3D_PFP, true, plain},
  };
}

/// What a run left: solved to the certified tolerance, and in which time.
struct Outcome {
  bool solved = false;
  double time = -1;
  double error = -1;
};

// Runs `job` in a process of its own; a crash or a run over the limit is an outcome, not an end.
Outcome in_own_process(double limit, const std::function<Outcome()>& job) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  std::fflush(stdout);  // or the child would print it again
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    alarm(static_cast<unsigned>(std::ceil(limit)));
    const Outcome outcome = job();
    const auto written = write(channel[1], &outcome, sizeof outcome);
    _exit(written == static_cast<long>(sizeof outcome) ? 0 : 1);
  }
  close(channel[1]);
  Outcome outcome;
  if (read(channel[0], &outcome, sizeof outcome) != static_cast<long>(sizeof outcome)) outcome = {};
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return outcome;
}

// Short runs are repeated and the least time counts.
template <class Run>
Outcome timed(Run&& run) {
  Outcome best = run();
  for (int k = 0; k < 4 && best.solved && best.time < 0.05; ++k) best.time = std::min(best.time, run().time);
  return best;
}

Outcome ours(const Pair& pair, const cornet::LocalProblem& problem, double tolerance, double limit) {
  const cornet::Problem p = problem;
  cornet::RunOptions options;
  options.solver = pair.ours;
  options.tolerance = tolerance;
  options.time_limit = limit;
  return timed([&] {
    const auto result = cornet::solve(p, options);
    return Outcome{result.solved(), result.time, result.certificate.error};
  });
}

Outcome theirs(const Pair& pair, const cornet::LocalProblem& problem, double tolerance) {
  const cornet::Problem p = problem;
  Outcome outcome;
  for (double asked = tolerance; asked > 1e-5 * tolerance; asked /= 10) {
    outcome = timed([&] {
      const SiconosProblem peer(problem, pair.blocks);
      SolverOptions* options = solver_options_create(pair.id);
      pair.adjust(options);
      options->dparam[SICONOS_DPARAM_TOL] = asked;
      options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
      cornet::Iterate x;
      x.r.assign(problem.q.size(), 0.0);
      std::vector<double> u(problem.q.size(), 0.0);
      const auto start = Clock::now();
      fc3d_driver(peer.get(), x.r.data(), u.data(), options);
      const double time = std::chrono::duration<double>(Clock::now() - start).count();
      for (double value : x.r)
        if (!std::isfinite(value)) return Outcome{false, time, -1};
      const double error = cornet::certify(p, x).error;
      return Outcome{error <= tolerance, time, error};
    });
    if (outcome.solved) break;
  }
  return outcome;
}

struct Sum {
  int both = 0, ours_only = 0, theirs_only = 0, neither = 0;
  double log_ratio = 0;
  void add(const Outcome& a, const Outcome& b) {
    if (a.solved && b.solved) {
      ++both;
      log_ratio += std::log(a.time / b.time);
    } else {
      ++(a.solved ? ours_only : b.solved ? theirs_only : neither);
    }
  }
  double ratio() const { return both > 0 ? std::exp(log_ratio / both) : std::nan(""); }
};

}  // namespace

int main(int argc, char** argv) {
  double tolerance = 1e-4, limit = 5;
  std::string family, csv;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--tol") tolerance = std::stod(argv[++k]);
    else if (word == "--time-limit") limit = std::stod(argv[++k]);
    else if (word == "--family") family = argv[++k];
    else if (word == "--csv") csv = argv[++k];
    else files.push_back(word);
  }
  std::map<std::string, cornet::LocalProblem> problems;
  for (const auto& file : files) {
    const cornet::Problem problem = cornet::read(file);
    const auto* local = std::get_if<cornet::LocalProblem>(&problem);
    if (cornet::dimension(problem) != 3 || cornet::contacts(problem) == 0) continue;
    problems[file] = local ? *local : cornet::reduce(std::get<cornet::GlobalProblem>(problem)).local();
  }
  std::ofstream rows;
  if (!csv.empty()) {
    rows.open(csv);
    rows << "file,contacts,ours,siconos,solved,time,error,siconos_solved,siconos_time,siconos_error\n";
  }
  std::map<std::string, Sum> by_family;
  fmt::print("{:<24} {:>5} {:>9} {:>12} {:>8} {:>12}\n", "solver", "both", "ours only", "Siconos only", "neither", "time ratio");
  for (const auto& pair : pairs()) {
    if (!family.empty() && family != pair.family) continue;
    const auto& known = cornet::solvers();
    if (std::none_of(known.begin(), known.end(), [&](const auto& s) { return s.id == pair.ours; })) continue;
    Sum sum;
    for (const auto& [file, problem] : problems) {
      const Outcome a = in_own_process(2 * limit + 2, [&] { return ours(pair, problem, tolerance, limit); });
      const Outcome b = in_own_process(limit, [&] { return theirs(pair, problem, tolerance); });
      sum.add(a, b);
      by_family[pair.family].add(a, b);
      if (rows)
        rows << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", file.substr(file.find_last_of('/') + 1), problem.contacts(), pair.ours,
                            pair.name, int(a.solved), a.time, a.error, int(b.solved), b.time, b.error);
    }
    fmt::print("{:<24} {:>5} {:>9} {:>12} {:>8} {:>12.3f}\n", pair.ours, sum.both, sum.ours_only, sum.theirs_only, sum.neither,
               sum.ratio());
    std::fflush(stdout);
  }
  for (const auto& [name, sum] : by_family)
    fmt::print("family {:<17} {:>5} {:>9} {:>12} {:>8} {:>12.3f}\n", name, sum.both, sum.ours_only, sum.theirs_only, sum.neither,
               sum.ratio());
}
