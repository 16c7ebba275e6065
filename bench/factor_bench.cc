// Sparse factorisations on the graphs of sphere packings: ours against Eigen's and, where SuiteSparse is installed, CHOLMOD and KLU.
// Each line is one numeric factorisation with the analysis at hand, except the lines analyse and solve. "flops" of ours are those of the
// factors as stored. The slow ones run on the small packings only.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#if defined(CORNET_SUITESPARSE)
#include <Eigen/CholmodSupport>
#include <Eigen/KLUSupport>
#endif
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "linalg/supernodal.h"

namespace {

using namespace cornet;

/// Bodies near the points of a cubic lattice, in contact when they are close: about three contacts per body, d×d blocks, diagonal dominant.
SparseColumns packing(int bodies, int d, bool symmetric) {
  std::mt19937_64 engine(7);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  const int side = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(bodies))));
  const auto cell = [&](int k) { return std::array<int, 3>{k % side, k / side % side, k / side / side}; };
  std::vector<std::array<double, 3>> centre(bodies);
  for (int k = 0; k < bodies; ++k)
    for (int c = 0; c < 3; ++c) centre[k][c] = cell(k)[c] + 0.6 * uniform();
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto add = [&](int a, int b, double diagonal) {
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        const double x = 2 * uniform() - 1 + (i == j ? diagonal : 0.0);
        entries.emplace_back(a * d + i, b * d + j, x);
        if (a != b) entries.emplace_back(b * d + j, a * d + i, symmetric ? x : 2 * uniform() - 1);
      }
  };
  for (int a = 0; a < bodies; ++a) {
    add(a, a, 20.0 * d);
    const auto [x, y, z] = cell(a);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int b = (x + dx) + side * ((y + dy) + side * (z + dz));
          if (x + dx < 0 || y + dy < 0 || z + dz < 0 || x + dx >= side || y + dy >= side || b < 0 || b >= a) continue;
          double square = 0;
          for (int c = 0; c < 3; ++c) square += std::pow(centre[a][c] - centre[b][c], 2);
          if (square < 1.22 * 1.22) add(a, b, 0.0);
        }
  }
  SparseColumns A(bodies * d, bodies * d);
  A.setFromTriplets(entries.begin(), entries.end());
  if (symmetric) A = SparseColumns(A.triangularView<Eigen::Lower>());
  return A;
}

const SparseColumns& matrix(int bodies, bool symmetric) {
  static std::map<std::pair<int, bool>, SparseColumns> cache;
  auto it = cache.find({bodies, symmetric});
  if (it == cache.end()) it = cache.emplace(std::pair(bodies, symmetric), packing(bodies, 6, symmetric)).first;
  return it->second;
}

template <class Factors>
void count(benchmark::State& state, const Factors& factors) {
  state.counters["flops"] = benchmark::Counter(factors.flops(), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["entries"] = static_cast<double>(factors.factor_entries());
  state.counters["dissection"] = factors.analysis().nested_dissection;
}

template <class Factors, bool Symmetric>
void analyse(benchmark::State& state) {
  const SparseColumns& A = matrix(static_cast<int>(state.range(0)), Symmetric);
  Factors factors;
  for (auto _ : state) factors.analyse(A);
}

template <class Factors, bool Symmetric>
void factorise(benchmark::State& state) {
  const SparseColumns& A = matrix(static_cast<int>(state.range(0)), Symmetric);
  Factors factors;
  factors.analyse(A);
  for (auto _ : state)
    if (!factors.factorise(A)) state.SkipWithError("the factorisation failed");
  count(state, factors);
}

template <class Factors, bool Symmetric>
void solve(benchmark::State& state) {
  const SparseColumns& A = matrix(static_cast<int>(state.range(0)), Symmetric);
  Factors factors;
  factors.analyse(A);
  if (!factors.factorise(A)) state.SkipWithError("the factorisation failed");
  std::vector<double> x(A.rows(), 1.0);
  for (auto _ : state) factors.solve(x.data());
}

template <class Factors, bool Symmetric>
void eigen_factorise(benchmark::State& state) {
  const SparseColumns& A = matrix(static_cast<int>(state.range(0)), Symmetric);
  Factors factors;
  factors.analyzePattern(A);
  for (auto _ : state) factors.factorize(A);
  if (factors.info() != Eigen::Success) state.SkipWithError("the factorisation failed");
}

void small(benchmark::internal::Benchmark* b) { b->Arg(400)->Arg(2000)->Unit(benchmark::kMillisecond); }
void medium(benchmark::internal::Benchmark* b) { b->Arg(400)->Arg(2000)->Arg(8000)->Unit(benchmark::kMillisecond); }
void all(benchmark::internal::Benchmark* b) { b->Arg(400)->Arg(2000)->Arg(8000)->Arg(20000)->Unit(benchmark::kMillisecond); }

BENCHMARK(analyse<SupernodalCholesky, true>)->Apply(all);
BENCHMARK(factorise<SupernodalCholesky, true>)->Apply(all);
BENCHMARK(solve<SupernodalCholesky, true>)->Apply(all);
BENCHMARK(analyse<SupernodalLu, false>)->Apply(all);
BENCHMARK(factorise<SupernodalLu, false>)->Apply(all);
BENCHMARK(solve<SupernodalLu, false>)->Apply(all);
BENCHMARK(eigen_factorise<Eigen::SimplicialLLT<SparseColumns>, true>)->Apply(medium);
BENCHMARK(eigen_factorise<Eigen::SparseLU<SparseColumns>, false>)->Apply(small);
#if defined(CORNET_SUITESPARSE)
BENCHMARK(eigen_factorise<Eigen::CholmodSupernodalLLT<SparseColumns>, true>)->Apply(all);
BENCHMARK(eigen_factorise<Eigen::KLU<SparseColumns>, false>)->Apply(small);
#endif

}  // namespace

BENCHMARK_MAIN();
