// Each set is a list of runs: a scene, and from which to which step its problems are taken. Sets whose number of bodies grows in the survey
// (bodies are poured in one by one there) are runs of growing size here. Nothing is sorted out: the runs are made so that every step between
// the two lies in the ranges of the set.
#include "cornet/sim_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/sim.h"
#include "sim/sets.h"

namespace cornet::sim {
namespace {

constexpr double kAnswerTime = 100;  // s, most for the answer of one problem

// The answer that goes with a problem: of the default solver, certified at the tolerance of the set; none when that is not reached.
Iterate certified(const TestSet& set, const GlobalProblem& p, const Iterate& start) {
  RunOptions options;
  options.tolerance = set.tolerance;
  options.time_limit = kAnswerTime;
  const Result result = solve(p, options, start);
  return result.solved() ? result.x : Iterate{};
}

// One contact alone, the others held at their reactions: M = 1, H = 1 in the frame scaled so that W = Hᵀ M⁻¹ H is the block of the contact.
GlobalProblem one_contact(const GlobalProblem& p, const Iterate& x, int contact) {
  const Reduction reduction(p);
  const LocalProblem& local = reduction.local();
  double W[9] = {};
  const int first = 3 * contact;
  for (int col = 0; col < 3; ++col)
    for (int k = local.W.p[first + col]; k < local.W.p[first + col + 1]; ++k)
      if (local.W.i[k] >= first && local.W.i[k] < first + 3) W[3 * col + local.W.i[k] - first] += local.W.x[k];
  // u = W_αα r + (u − W_αα r_α): q holds what the others do. M = W_αα⁻¹ and H = 1 give the same local problem.
  const Eigen::Map<const Eigen::Matrix3d> block(W);
  const Eigen::Vector3d r(x.r[first], x.r[first + 1], x.r[first + 2]), u(x.u[first], x.u[first + 1], x.u[first + 2]);
  const Eigen::Matrix3d M = block.inverse();
  const Eigen::Vector3d f = M * (u - block * r);
  GlobalProblem out;
  out.dim = 3;
  out.mu = {p.mu[contact]};
  out.M.rows = out.M.cols = out.H.rows = out.H.cols = 3;
  for (int col = 0; col < 3; ++col) {
    out.M.p.push_back(3 * col);
    out.H.p.push_back(col);
    out.H.i.push_back(col);
    out.H.x.push_back(1);
    for (int row = 0; row < 3; ++row) {
      out.M.i.push_back(row);
      out.M.x.push_back((M(row, col) + M(col, row)) / 2);
    }
    out.f.push_back(f[col]);
  }
  out.M.p.push_back(9);
  out.H.p.push_back(3);
  out.w = {0, 0, 0};
  return out;
}

}  // namespace

int generate(const std::string& name, int count, std::uint64_t seed, const ProblemSink& sink, bool answers) {
  const TestSet* set = nullptr;
  std::string list;
  for (const TestSet& s : test_sets()) {
    if (s.name == name) set = &s;
    list += (list.empty() ? "" : ", ") + s.name;
  }
  if (!set) throw InvalidOption(fmt::format("unknown set '{}', expected one of {}", name, list));
  if (count == 0) count = set->problems;
  const bool local = name == "Chute_local_problems";

  const std::vector<SetRun> runs = set_runs(name, seed);
  int made = 0;
  for (std::size_t k = 0; k < runs.size() && made < count; ++k) {
    const SetRun& run = runs[k];
    // What is still wanted, shared among the runs that are left.
    const int left = static_cast<int>(runs.size() - k), share = (count - made + left - 1) / left;
    Scene scene = run.scene;
    scene.name = set->name;
    scene.on_failure = FailurePolicy::go_on;  // what goes to the next step need not be as good as what goes to the file
    scene.tolerance = std::max(scene.tolerance, 1e-6);
    if (scene.max_iterations == 0) scene.max_iterations = 300;
    Simulation simulation(scene);
    int taken = 0;
    const double every = static_cast<double>(run.last - run.first + 1) / share;
    for (long step = 1; step <= run.last && taken < share; ++step) {
      simulation.step();
      if (step < run.first + static_cast<long>(every * taken)) continue;
      const GlobalProblem& p = simulation.problem();
      if (local) {
        for (int c = 0; c < p.contacts() && taken < share; c += 7) {
          if (simulation.contacts()[c].status == ContactStatus::take_off) continue;
          GlobalProblem one = one_contact(p, simulation.answer(), c);
          one.name = fmt::format("{}-{:04}", set->name, made);
          ++taken;
          if (!sink(one, answers ? certified(*set, one, {}) : Iterate{}, made++)) return made;
        }
        continue;
      }
      GlobalProblem named = p;
      named.name = fmt::format("{}-{:04}", set->name, made);
      ++taken;
      if (!sink(named, answers ? certified(*set, named, simulation.answer()) : Iterate{}, made++)) return made;
    }
  }
  return made;
}

}  // namespace cornet::sim
