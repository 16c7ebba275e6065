// Kernels: block product, one Gauss–Seidel sweep, the one-contact solvers. Items per second are contacts per second.
#include <benchmark/benchmark.h>

#include <random>

#include "contact/one_contact.h"
#include "core/local_system.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "cornet/solver.h"

namespace {

using namespace cornet;

const LocalProblem& lattice(int side) {
  static std::map<int, LocalProblem> cache;
  auto it = cache.find(side);
  if (it == cache.end()) it = cache.emplace(side, reduce(samples::sphere_lattice(side, side, side, 0.5, 1)).local()).first;
  return it->second;
}

void block_product(benchmark::State& state) {
  const LocalSystem<3> system(lattice(static_cast<int>(state.range(0))));
  std::vector<double> r(system.size(), 1.0), u(system.size());
  for (auto _ : state) {
    system.W.times(r.data(), system.q.data(), u.data());
    benchmark::DoNotOptimize(u.data());
  }
  state.SetItemsProcessed(state.iterations() * system.contacts());
  state.SetBytesProcessed(state.iterations() * system.W.blocks() * 76);
}
BENCHMARK(block_product)->Arg(6)->Arg(16)->Arg(28);

void nsgs_sweeps(benchmark::State& state, const char* id) {
  const Problem problem = lattice(static_cast<int>(state.range(0)));
  const auto solver = find_solver(id).make({});
  constexpr int kSweeps = 50;
  for (auto _ : state) {
    Iterate x;
    x.r.assign(std::get<LocalProblem>(problem).q.size(), 0.0);
    Limits limits;
    limits.tolerance = 0;
    limits.max_iterations = kSweeps;
    Monitor monitor(limits);
    solver->solve(problem, x, monitor);
  }
  state.SetItemsProcessed(state.iterations() * kSweeps * contacts(problem));
}
BENCHMARK_CAPTURE(nsgs_sweeps, ac, "nsgs-ac")->Arg(6)->Arg(16);
BENCHMARK_CAPTURE(nsgs_sweeps, exact, "nsgs-exact")->Arg(6)->Arg(16);
BENCHMARK_CAPTURE(nsgs_sweeps, fp_vi_upk, "nsgs-fp-vi-upk")->Arg(6);

struct OneContact {
  Mat<3> W;
  Vec<3> q;
};

std::vector<OneContact> one_contacts() {
  std::mt19937_64 engine(7);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  std::vector<OneContact> result(1024);
  for (auto& c : result) {
    Mat<3> a;
    for (int k = 0; k < 9; ++k) a.data()[k] = uniform();
    c.W = a * a.transpose() + 0.1 * Mat<3>::Identity();
    for (int k = 0; k < 3; ++k) c.q[k] = uniform();
    c.q[0] -= 0.5;  // most contacts are loaded
  }
  return result;
}

template <class Solve>
void one_contact(benchmark::State& state, Solve solve) {
  const auto problems = one_contacts();
  for (auto _ : state)
    for (const auto& p : problems) {
      Vec<3> r = Vec<3>::Zero();
      solve(p, r);
      benchmark::DoNotOptimize(r);
    }
  state.SetItemsProcessed(state.iterations() * static_cast<long>(problems.size()));
}
BENCHMARK_CAPTURE(one_contact, exact, [](const OneContact& p, Vec<3>& r) { solve_exact<3>(p.W, p.q, 0.5, r); });
BENCHMARK_CAPTURE(one_contact, newton_ac,
                  [](const OneContact& p, Vec<3>& r) { newton_ac<3>(p.W, p.q, 0.5, rho_split<3>(p.W), 1e-14, 30, false, r); });
BENCHMARK_CAPTURE(one_contact, vi_fixed_point, [](const OneContact& p, Vec<3>& r) {
  double rho = 1;
  vi_fixed_point<3>(p.W, p.q, 0.5, rho, 1e-14, 200, r);
});

}  // namespace

BENCHMARK_MAIN();
