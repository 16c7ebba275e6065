// The existence check against the solve: on problems of about 1000 contacts in space the check has to cost less than the fastest survey
// solver to 1e-4 in the same run; then its growth, to 50 000 contacts in space and 100 000 variables in the plane.
//
//   existence_bench [CONTACTS …]        sizes of the growth part; default 1000 10000 50000
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/io.h"
#include "cornet/result.h"
#include "cornet/samples.h"

using namespace cornet;

namespace {

struct Named {
  std::string name;
  Problem problem;
};

double best_of(int repeats, const std::function<double()>& run) {
  double best = run();
  for (int k = 1; k < repeats; ++k) best = std::min(best, run());
  return best;
}

void against_the_solvers() {
  std::vector<Named> set = {{"spheres_with_contacts(1000, 0.3)", samples::spheres_with_contacts(1000, 0.3, 1)},
                            {"spheres_with_contacts(1000, 0.8)", samples::spheres_with_contacts(1000, 0.8, 1)},
                            {"brick_wall(8, 8, 0.6)", samples::brick_wall(8, 8, 0.6)}};
  for (const char* file : {"BrickWall/BrickWall-ndof-1050-nc-1064-12", "SP945_Box/SP945_Box-ndof-5670-nc-1041-4",
                           "SP945_Box/SP945_Box-ndof-5670-nc-1186-6", "Spheres/Spheres-ndof-2400-nc-701-26"}) {
    try {
      set.push_back({file, read(std::string(CORNET_DATA) + "/fclib/sim/" + file + ".hdf5")});
    } catch (const Error&) {  // the data set is not part of the project
    }
  }
  // Solving a global problem takes its reduction and the solver; the check takes H and w as they are.
  fmt::print("{:45} {:>8} {:>9} {:>9} {:>9} {:>15} {:>6}  {}\n", "problem", "contacts", "check ms", "reduce ms", "solver ms",
             "fastest at 1e-4", "ratio", "verdict");
  for (const Named& p : set) {
    Existence verdict;
    const double check = best_of(5, [&] {
      verdict = check_existence(p.problem);
      return verdict.time;
    });
    double solve_time = 1e300, least_reduce = 1e300;
    std::string fastest = "none";
    for (const char* id : {"nsgs-ac", "nsgs-ac-gp", "nsgs-fp-vi-upk", "psor-ac", "nsn-ac-gp", "ppa-nsn-ac-gp", "fp-vi-upk", "eg-vi-upk"}) {
      RunOptions options;
      options.solver = id;
      options.tolerance = 1e-4;
      options.time_limit = std::min(5.0, solve_time * 5);
      bool solved = true;
      const double time = best_of(3, [&] {
        const Result r = solve(p.problem, options);
        solved = solved && r.solved();
        least_reduce = std::min(least_reduce, r.statistics.at("reduce_time"));
        return r.time;
      });
      if (solved && time < solve_time) {
        solve_time = time;
        fastest = id;
      }
    }
    fmt::print("{:45} {:8} {:9.2f} {:9.2f} {:9.2f} {:>15} {:6.3f}  {} ({}, {} iterations)\n", p.name, contacts(p.problem), 1e3 * check,
               1e3 * least_reduce, 1e3 * solve_time, fastest, check / (least_reduce + solve_time), to_string(verdict.verdict),
               verdict.reason, verdict.iterations);
  }
}

// Bodies of the plane on a square grid, each touching its neighbours with random normals and lever arms; imposed velocities in K* (`open`), or
// such that a loop of four bodies is squeezed.
GlobalProblem plane_network(int side, bool open) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  GlobalProblem p;
  p.dim = 2;
  const int n = 3 * side * side;
  p.M = {.rows = n, .cols = n, .storage = Storage::triplet, .p = {}, .i = {}, .x = {}, .info = {}};
  p.H = p.M;
  for (int j = 0; j < n; ++j) {
    p.M.p.push_back(j);
    p.M.i.push_back(j);
    p.M.x.push_back(1);
  }
  const auto add = [&](int row, int column, double value) {
    p.H.i.push_back(row);
    p.H.p.push_back(column);
    p.H.x.push_back(value);
  };
  const auto contact = [&](int a, int b) {
    const double angle = 6.28 * uniform(random);
    for (int k = 0; k < 2; ++k) {
      const double x = std::cos(angle + 1.5707963 * k), y = std::sin(angle + 1.5707963 * k);
      const int column = static_cast<int>(p.w.size());
      for (const auto& [body, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
        add(3 * body, column, sign * x);
        add(3 * body + 1, column, sign * y);
        add(3 * body + 2, column, 0.5 * normal(random));
      }
      p.w.push_back(k == 0 ? (open ? 1.0 : -0.3) * uniform(random) : 0.3 * normal(random));
    }
    p.mu.push_back(0.2 + 0.6 * uniform(random));
  };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      if (i + 1 < side) contact(i * side + j, (i + 1) * side + j);
      if (j + 1 < side) contact(i * side + j, i * side + j + 1);
    }
  p.H.cols = static_cast<int>(p.w.size());
  p.f.assign(static_cast<std::size_t>(n), 0.0);
  return p;
}

void growth(const std::string& name, const Problem& problem, int variables) {
  const Existence e = check_existence(problem);
  fmt::print("{:45} {:8} {:10} {:10.2f} s  {} ({}, {} iterations, certificate {:.1e})\n", name, contacts(problem), variables, e.time,
             to_string(e.verdict), e.reason, e.iterations, e.certificate.residual);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  against_the_solvers();
  fmt::print("\n{:45} {:>8} {:>10} {:>10}\n", "growth", "contacts", "variables", "check");
  std::fflush(stdout);
  std::vector<int> sizes;
  for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {1000, 10000, 50000};
  for (int size : sizes) {
    const GlobalProblem spheres = samples::spheres_with_contacts(size, 0.5, 1);
    growth(fmt::format("spheres in a box, {} contacts", size), spheres, spheres.dofs());
  }
  for (const bool open : {true, false})
    for (int side : {60, 183}) {
      const GlobalProblem network = plane_network(side, open);
      growth(fmt::format("plane network, {} × {}, w {}", side, side, open ? "opens" : "closes"), network, network.dofs());
    }
  for (int side : {20, 60, 183}) {
    const GlobalProblem disks = samples::disk_packing(side, side, 0.5, 1);
    growth(fmt::format("disks in a box, {} × {}", side, side), disks, disks.dofs());
  }
}
