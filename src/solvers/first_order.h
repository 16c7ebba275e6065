// What the first-order methods share: the metric of the contacts, and a solver that takes both forms.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "contact/accurate_natural_map.h"
#include "core/delassus.h"
#include "solvers/register.h"

namespace cornet {

/// ρ^α = 1/λ_max of the symmetric part of W^αα: one number per contact, so that the projection on the cone stays exact in the metric
/// ‖r‖² = Σ ‖r^α‖²/ρ^α, in which the diagonal blocks of W have norm one. Contacts that move nothing get the smallest ρ of the others, or 1.
template <class Operator>
void contact_metric(const Operator& op, std::vector<double>& rho) {
  constexpr int D = Operator::kDim;
  rho.resize(static_cast<std::size_t>(op.contacts()));
  double largest = 0;
  for (int a = 0; a < op.contacts(); ++a) {
    const Mat<D>& W = op.diagonal(a);
    const Mat<D> S = 0.5 * (W + W.transpose());
    Eigen::SelfAdjointEigenSolver<Mat<D>> eigen;
    eigen.computeDirect(S, Eigen::EigenvaluesOnly);
    const double top = eigen.eigenvalues().maxCoeff();
    rho[static_cast<std::size_t>(a)] = top;
    if (std::isfinite(top)) largest = std::max(largest, top);
  }
  for (double& x : rho) x = x > 1e-14 * largest && std::isfinite(x) ? 1 / x : largest > 0 ? 1 / largest : 1.0;
}

/// ‖r − P_K(r − û)‖ / ‖q‖.
template <class Operator>
double operator_error(const Operator& op, const double* r, const double* u) {
  constexpr int D = Operator::kDim;
  double sum = 0;
  for (int a = 0; a < op.contacts(); ++a)
    sum += accurate_natural_map<D>(contact<D>(r, a), contact<D>(u, a), op.mu()[static_cast<std::size_t>(a)]).squaredNorm();
  return std::sqrt(sum) / op.norm_q();
}

/// A solver of both forms from Method<Operator>, which has Method(const Options&) and
/// Termination run(const Operator&, std::vector<double>& r, Monitor&): explicit W for a local problem, matrix-free for a global one.
template <template <class> class Method, class Options>
class OperatorSolver : public Solver {
 public:
  explicit OperatorSolver(const Options& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    return with_dimension(dimension(problem), [&]<int D>() {
      if (const auto* local = std::get_if<LocalProblem>(&problem)) {
        const LocalSystem<D> system(*local);
        return Method<ExplicitOperator<D>>(options_).run(ExplicitOperator<D>(system), x.r, monitor);
      }
      return Method<GlobalOperator<D>>(options_).run(GlobalOperator<D>(std::get<GlobalProblem>(problem)), x.r, monitor);
    });
  }

 private:
  Options options_;
};

}  // namespace cornet
