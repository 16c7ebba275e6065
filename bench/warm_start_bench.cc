// What a warm start of the interior point saves on a sequence of convex problems: the ACLM steps s ← ‖u_T(s)‖ from s = 0, each problem
// solved to a gap of 1e-8 cold (r = 0) and warm (from the reactions of the step before). Prints iterations and milliseconds.
//
//   warm_start_bench [FILE.hdf5 …]      without files: problems made by code
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "contact/cone.h"
#include "convex/engine.h"
#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"

namespace cornet {
namespace {

constexpr int kSteps = 8;

struct Count {
  long iterations = 0;
  double time = 0;
  int failures = 0;
};

template <int D>
void solve_into(ConvexEngine<D>& engine, const LocalSystem<D>& system, const std::vector<double>& shift, std::vector<double>& r,
                Count& count) {
  const ConvexSets sets{ConvexSet::cone, system.mu.data(), shift.data(), nullptr, nullptr};
  Monitor monitor({1e-8, 60, 1000});
  const auto start = std::chrono::steady_clock::now();
  const ConvexStatus status = engine.solve(system, sets, r, monitor);
  count.time += 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  count.iterations += monitor.iterations();
  count.failures += status != ConvexStatus::optimal;
}

template <int D>
void measure(const std::string& name, const LocalProblem& problem) {
  const LocalSystem<D> system(problem);
  const auto engine = make_engine<D>("interior-point", {});
  engine->prepare(system);
  std::vector<double> shift(system.mu.size(), 0.0), r(system.size(), 0.0), u(system.size());
  Count cold, warm, first;
  double change = 0;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> from_zero(system.size(), 0.0);
    solve_into(*engine, system, shift, from_zero, step == 0 ? first : cold);
    if (step > 0) solve_into(*engine, system, shift, r, warm);
    r = from_zero;
    system.W.times(r.data(), system.q.data(), u.data());
    change = 0;
    for (int a = 0; a < system.contacts(); ++a) {
      const Vec<D> u_a = Eigen::Map<const Vec<D>>(u.data() + static_cast<std::size_t>(a) * D);
      const double next = system.mu[a] < std::numeric_limits<double>::infinity() ? system.mu[a] * tangent_norm<D>(u_a) : 0.0;
      change = std::max(change, std::abs(next - shift[a]));
      shift[a] = next;
    }
  }
  const double n = kSteps - 1;
  fmt::print(
      "{:<28} {:>5} contacts  cold {:5.1f} it {:8.2f} ms ({} failed)   warm {:5.1f} it {:8.2f} ms ({} failed)   last change of s {:.0e}\n",
      name, system.contacts(), static_cast<double>(cold.iterations) / n, cold.time / n, cold.failures,
      static_cast<double>(warm.iterations) / n, warm.time / n, warm.failures, change);
}

void measure_any(const std::string& name, const Problem& problem) {
  const LocalProblem local = std::holds_alternative<GlobalProblem>(problem) ? reduce(std::get<GlobalProblem>(problem)).local()
                                                                            : condense(std::get<LocalProblem>(problem));
  with_dimension(local.dim, [&]<int D>() { measure<D>(name, local); });
}

}  // namespace
}  // namespace cornet

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string path = argv[k];
    cornet::measure_any(path.substr(path.rfind('/') + 1), cornet::read(path));
  }
  if (argc > 1) return 0;
  cornet::measure_any("box-stack-10", cornet::samples::box_stack(10, 0.5));
  cornet::measure_any("sphere-lattice-6x6x4", cornet::samples::sphere_lattice(6, 6, 4, 0.4, 3));
  cornet::measure_any("disk-packing-12x10", cornet::samples::disk_packing(12, 10, 0.5, 3));
  cornet::measure_any("brick-wall-4x3", cornet::samples::brick_wall(4, 3, 0.6));
}
