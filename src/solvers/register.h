// What a solver file needs to enter the table: options by visit(), dimension chosen once, natural-map error.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <variant>

#include "contact/accurate_natural_map.h"
#include "contact/laws.h"
#include "core/local_system.h"
#include "cornet/solver.h"

namespace cornet {

/// Completes a SolverInfo from an options struct with its defaults and a factory.
template <class Options>
SolverInfo registered(SolverInfo info, Options defaults, std::function<std::unique_ptr<Solver>(const Options&)> factory) {
  const std::string owner = "solver " + info.id;
  info.options = describe([&](OptionVisitor& v) { defaults.visit(v); });
  const auto read = [defaults, owner](const OptionTexts& texts) {
    Options options = defaults;
    assign([&](OptionVisitor& v) { options.visit(v); }, texts, owner);
    return options;
  };
  info.make = [read, factory](const OptionTexts& texts) { return factory(read(texts)); };
  info.used_options = [read](const OptionTexts& texts) {
    Options options = read(texts);
    return values([&](OptionVisitor& v) { options.visit(v); });
  };
  return info;
}

/// A solver of local problems from Algorithm<D>, which has Algorithm(const Options&) and
/// Termination run(const LocalSystem<D>&, std::vector<double>& r, Monitor&). The algorithm object is the workspace kept between solves.
template <template <int> class Algorithm, class Options>
class LocalSolver : public Solver {
 public:
  explicit LocalSolver(const Options& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    const auto& local = std::get<LocalProblem>(problem);
    return with_dimension(local.dim, [&]<int D>() {
      const LocalSystem<D> system(local);
      auto& algorithm = std::get<std::optional<Algorithm<D>>>(algorithms_);
      if (!algorithm) algorithm.emplace(options_);
      return algorithm->run(system, x.r, monitor);
    });
  }

 private:
  Options options_;
  std::tuple<std::optional<Algorithm<2>>, std::optional<Algorithm<3>>> algorithms_;
};

/// Contact α of a contact-major vector.
template <int D>
Eigen::Map<Vec<D>> contact(double* a, int alpha) {
  return Eigen::Map<Vec<D>>(a + static_cast<std::size_t>(alpha) * D);
}
template <int D>
Eigen::Map<const Vec<D>> contact(const double* a, int alpha) {
  return Eigen::Map<const Vec<D>>(a + static_cast<std::size_t>(alpha) * D);
}

/// ‖F(r)‖ / ‖q‖ of the exact law, for any storage of W: the solver's side of the error. Accurate where r is so large that r − û rounds to r.
template <int D>
double natural_map_error(const std::vector<double>& mu, double norm_q, const double* r, const double* u) {
  double sum = 0;
  for (std::size_t a = 0; a < mu.size(); ++a)
    sum += squared_norm<D>(accurate_natural_map<D>(contact<D>(r, static_cast<int>(a)), contact<D>(u, static_cast<int>(a)), mu[a]));
  return std::sqrt(sum) / norm_q;
}
template <int D>
double natural_map_error(const LocalSystem<D>& system, const double* r, const double* u) {
  return natural_map_error<D>(system.mu, system.norm_q, r, u);
}

/// ‖r − P_X(r − F(u))‖ / ‖q‖ for a law of laws.h: how far r is from solving its problem.
template <int D, class Law>
double law_error(const LocalSystem<D>& system, const Law& law, const double* r, const double* u) {
  if constexpr (std::is_same_v<Law, CoulombLaw<D>>) return natural_map_error(system, r, u);
  double sum = 0;
  for (int a = 0; a < system.contacts(); ++a) {
    const Vec<D> r_a = contact<D>(r, a);
    sum += squared_norm<D>(r_a - law.project(a, r_a - law.shifted(a, contact<D>(u, a))));
  }
  return std::sqrt(sum) / system.norm_q;
}

}  // namespace cornet
