// min ½ rᵀWr + rᵀ(q + E s) over sets whose circles ‖r_T‖ ≤ ρ (ρ = μ r_N, or the radius of a disk or cylinder) are replaced by polygons:
//
//   inscribed, corners d_1 … d_N on the circle:     r_T = ρ Σ λ_k d_k, λ ≥ 0, Σ λ_k ≤ 1   ⇔   n_k·r_T ≤ ρ cos h_k,  k = 1 … N
//   circumscribed, touching the circle at n_k:      n_k·r_T ≤ ρ
//
// with n_k halfway between neighbouring corners and h_k half their angle. The rows of the right-hand side describe the same set as the ray
// weights λ and keep the unknowns r, so the matrix that is factorised has the size of W whatever N is. In the plane N = 2 is exact.
// Each program is solved by the interior-point method of conic_qp.h with half-lines only.
//
// Column generation: with ũ = W r + q + E s of the current answer, the ray (1, μ d) that lowers the objective most has d = −ũ_T/‖ũ_T‖ (its
// reduced cost is ũ_N − μ‖ũ_T‖). Where the natural map of the exact set is not small, this corner and that of r_T itself are added, and
// corners that stopped mattering leave. For circumscribed polygons the same directions become facets: cutting planes. Ends when the exact
// problem is solved to the tolerance. The angles between neighbours near the answer are about halved each round: 20 to 40 rounds for 1e-8, each
// with a factorisation per interior-point step. That is why round cones are not solved this way in earnest (docs/convex.md).
//
// Without column generation the answer is that of the polygon, and the certificate of the exact problem shows by how much it differs.
//
// References: seed 000 §6 (iv); Klarbring (1986); Al-Fahed, Stavroulakis, Panagiotopoulos (1991).
#include "convex/faceted.h"

#include <fmt/format.h>

#include <numbers>

#include "convex/conic_qp.h"
#include "convex/projected_gradient.h"
#include "convex/set_law.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

template <int D>
class Faceted : public ConvexEngine<D> {
 public:
  explicit Faceted(const FacetedOptions& options) : options_(options) {}

  void prepare(const LocalSystem<D>& system) override {
    asymmetry_ = relative_asymmetry(system.W);
    norm_W_ = system.W.norm_bound();
    u_.resize(system.size());
  }

  ConvexStatus solve(const LocalSystem<D>& system, const ConvexSets& sets, std::vector<double>& r, Monitor& monitor) override {
    if (asymmetry_ > options_.asymmetry) {
      monitor.set_message(
          fmt::format("the convex problem needs a symmetric W: found ‖W − Wᵀ‖/‖W‖ = {:.1e}, accepted up to asymmetry = {:.0e}", asymmetry_,
                      options_.asymmetry));
      return ConvexStatus::unsupported;
    }
    const SetLaw<D> law{sets};
    start_directions(system, sets);
    for (long round = 1;; ++round) {
      const ConicStatus end = solve_program(system, sets, r, monitor);
      if (end == ConicStatus::dual_infeasible && ray_residual(system, law, r, norm_W_) <= kRayResidual) return ConvexStatus::infeasible;
      const bool bounded = end == ConicStatus::optimal || end == ConicStatus::stalled;
      if (!bounded && end != ConicStatus::dual_infeasible) return failure(end, monitor);
      system.W.times(r.data(), system.q.data(), u_.data());
      const ConvexQuality quality = convex_quality(system, law, r, u_, norm_W_);
      const auto stop = monitor.step(quality.natural_map);
      monitor.offer(std::max(quality.gap, quality.violation), r.data(), r.size());
      if (bounded && quality.good(monitor.tolerance())) return ConvexStatus::optimal;
      if (!options_.column_generation) {
        monitor.set_message(
            fmt::format("{} {} facets per contact: this is the answer for polygons", side_name(), D == 2 ? 2 : options_.facets));
        return end == ConicStatus::optimal ? ConvexStatus::optimal : ConvexStatus::stalled;
      }
      if (stop)
        return *stop == Termination::interrupted  ? ConvexStatus::interrupted
               : *stop == Termination::time_limit ? ConvexStatus::time_limit
                                                  : ConvexStatus::iteration_limit;
      if (round >= options_.rounds) return ConvexStatus::iteration_limit;
      if (!add_directions(system, law, r, monitor)) return ConvexStatus::stalled;
    }
  }

 private:
  const char* side_name() const { return options_.side == FacetSide::inscribed ? "inscribed" : "circumscribed"; }

  static ConvexStatus failure(ConicStatus end, const Monitor& monitor) {
    if (end == ConicStatus::breakdown) return ConvexStatus::numerical_error;
    if (end != ConicStatus::stopped) return ConvexStatus::stalled;
    return monitor.expired() == Termination::interrupted ? ConvexStatus::interrupted : ConvexStatus::time_limit;
  }

  // A contact's unknowns, and whether its tangential part is bounded by a circle.
  struct Parts {
    bool normal, tangent, round, half_line;
  };
  static Parts parts(const ConvexSets& sets, int a) {
    if (sets.kind == ConvexSet::half_line) return {true, false, false, true};
    const double width = sets.kind == ConvexSet::cone ? sets.mu[a] : sets.radius[a];
    const bool tangent = width > 0, round = tangent && width < kInfinity;
    if (sets.kind == ConvexSet::disk) return {false, tangent, round, false};
    return {true, tangent, round, sets.kind == ConvexSet::cylinder || !round};
  }

  void start_directions(const LocalSystem<D>& system, const ConvexSets& sets) {
    angles_.assign(system.mu.size(), {});
    if constexpr (D == 3)
      for (int a = 0; a < system.contacts(); ++a)
        for (long k = 0; parts(sets, a).round && k < options_.facets; ++k)
          angles_[a].push_back(-kPi + 2 * kPi * static_cast<double>(k) / static_cast<double>(options_.facets));
  }

  // Calls row(n, bound) for every facet n·r_T ≤ ρ·bound of contact a.
  template <class Row>
  void for_each_facet(int a, Row&& row) const {
    if constexpr (D == 2) {
      for (double n : {1.0, -1.0}) row(std::array<double, 1>{n}, 1.0);
    } else {
      const auto& angle = angles_[a];
      for (std::size_t k = 0; k < angle.size(); ++k) {
        const double next = k + 1 < angle.size() ? angle[k + 1] : angle[0] + 2 * kPi;
        const double half = 0.5 * (next - angle[k]);
        const bool inside = options_.side == FacetSide::inscribed;
        const double middle = inside ? angle[k] + half : angle[k];
        row(std::array<double, 2>{std::cos(middle), std::sin(middle)}, inside ? std::cos(half) : 1.0);
      }
    }
  }

  // The program of the current polygons; r is its answer, or the ray.
  ConicStatus solve_program(const LocalSystem<D>& system, const ConvexSets& sets, std::vector<double>& r, Monitor& monitor) {
    ConicQp qp;
    const int nc = system.contacts();
    std::vector<int> index(system.size(), -1);
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> b;
    int n = 0;
    for (int a = 0; a < nc; ++a) {
      const Parts p = parts(sets, a);
      int* own = index.data() + static_cast<std::size_t>(a) * D;
      if (p.normal) own[0] = n++;
      for (int i = 1; i < D && p.tangent; ++i) own[i] = n++;
      if (p.half_line) {
        entries.emplace_back(static_cast<int>(b.size()), own[0], -1.0);
        b.push_back(0);
      }
      if (!p.round) continue;
      for_each_facet(a, [&](const auto& normal, double bound) {
        const int row = static_cast<int>(b.size());
        for (int i = 1; i < D; ++i) entries.emplace_back(row, own[i], normal[static_cast<std::size_t>(i - 1)]);
        if (sets.kind == ConvexSet::cone) entries.emplace_back(row, own[0], -sets.mu[a] * bound);
        b.push_back(sets.kind == ConvexSet::cone ? 0.0 : sets.radius[a] * bound);
      });
    }
    qp.A.resize(static_cast<int>(b.size()), n);
    qp.A.setFromTriplets(entries.begin(), entries.end());
    qp.b = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
    qp.cones.assign(b.size(), {ConeKind::half_line, 1});
    set_objective(system, sets, index, n, qp);

    solver_.analyse(qp);
    ConicOptions options;
    options.tolerance = 0.03 * monitor.tolerance();
    const ConicOutcome out = solver_.solve(qp, options, nullptr, [&](const ConicProgress&) { return !monitor.expired(); });
    monitor.count("inner_iterations", out.iterations);
    monitor.count("factorisations", out.factorisations);
    const bool ray = out.status == ConicStatus::dual_infeasible;
    if (out.point.x.size() != n) return out.status;
    for (int a = 0; a < nc; ++a)
      for (int i = 0; i < D; ++i) {
        const std::size_t k = static_cast<std::size_t>(a) * D + i;
        r[k] = index[k] >= 0 ? out.point.x[index[k]] : i == 0 && sets.kind == ConvexSet::disk && sets.normal && !ray ? sets.normal[a] : 0.0;
      }
    // Interior points are inside up to the residual of the constraints; inscribed polygons promise r ∈ X.
    if (!ray && options_.side == FacetSide::inscribed)
      for (int a = 0; a < nc; ++a) {
        Eigen::Map<Vec<D>> r_a(r.data() + static_cast<std::size_t>(a) * D);
        r_a = SetLaw<D>{sets}.project(a, r_a);
      }
    return out.status;
  }

  static void set_objective(const LocalSystem<D>& system, const ConvexSets& sets, const std::vector<int>& index, int n, ConicQp& qp) {
    std::vector<double> given(system.size(), 0.0), p(system.size());
    for (int a = 0; a < system.contacts() && sets.kind == ConvexSet::disk && sets.normal; ++a)
      given[static_cast<std::size_t>(a) * D] = sets.normal[a];
    system.W.times(given.data(), system.q.data(), p.data());
    for (int a = 0; a < system.contacts() && sets.shift; ++a) p[static_cast<std::size_t>(a) * D] += sets.shift[a];
    qp.c.resize(n);
    for (std::size_t k = 0; k < index.size(); ++k)
      if (index[k] >= 0) qp.c[index[k]] = p[k];
    std::vector<Eigen::Triplet<double>> entries;
    for (int column = 0; column < system.contacts(); ++column)
      for (int k = system.W.column_begin(column); k < system.W.column_end(column); ++k)
        for (int j = 0; j < D; ++j)
          for (int i = 0; i < D; ++i) {
            const int row = index[static_cast<std::size_t>(system.W.row(k)) * D + i], col = index[static_cast<std::size_t>(column) * D + j];
            if (row >= 0 && col >= 0) entries.emplace_back(row, col, system.W.block(k)(i, j));
          }
    qp.P.resize(n, n);
    qp.P.setFromTriplets(entries.begin(), entries.end());
  }

  // New corners where the exact natural map is not small; false when there is nothing to add.
  bool add_directions(const LocalSystem<D>& system, const SetLaw<D>& law, const std::vector<double>& r, Monitor& monitor) {
    bool added = false;
    if constexpr (D == 3) {
      const double enough =
          0.1 * monitor.tolerance() * shifted_norm(system, law.sets) / std::sqrt(static_cast<double>(std::max(system.contacts(), 1)));
      for (int a = 0; a < system.contacts(); ++a) {
        if (!parts(law.sets, a).round) continue;
        const std::size_t k = static_cast<std::size_t>(a) * D;
        const Eigen::Map<const Vec<D>> r_a(r.data() + k);
        const Vec<D> u = law.shifted(a, Eigen::Map<const Vec<D>>(u_.data() + k));
        if ((r_a - law.project(a, r_a - u)).norm() <= enough) continue;
        forget(a, r_a, u);
        if (tangent_norm<D>(u) > 0) added = insert(a, std::atan2(-u[2], -u[1])) || added;
        if (tangent_norm<D>(r_a) > 0) added = insert(a, std::atan2(r_a[2], r_a[1])) || added;
      }
      monitor.count("facets_added", added ? 1 : 0);
    }
    return added;
  }

  bool insert(int a, double angle) {
    auto& all = angles_[a];
    const auto place = std::lower_bound(all.begin(), all.end(), angle);
    const auto near = [&](double other) { return std::abs(std::remainder(other - angle, 2 * kPi)) < 1e-13; };
    if (near(place == all.end() ? all.front() : *place) || near(place == all.begin() ? all.back() : *(place - 1))) return false;
    all.insert(place, angle);
    return true;
  }

  // Of the corners that were added, those nearest to the two directions of interest stay (two on each side), and the first ones always.
  void forget(int a, const Vec<D>& r, const Vec<D>& u) {
    if constexpr (D == 3) {
      auto& all = angles_[a];
      const long first = options_.facets;
      if (static_cast<long>(all.size()) <= first + 12) return;
      const auto is_first = [&](double angle) {
        const double step = (angle + kPi) * static_cast<double>(first) / (2 * kPi);
        return std::abs(step - std::round(step)) < 1e-12;
      };
      std::vector<double> kept;
      const std::array<double, 2> wanted = {std::atan2(-u[2], -u[1]), std::atan2(r[2], r[1])};
      std::vector<bool> keep(all.size(), false);
      for (double angle : wanted) {
        const long n = static_cast<long>(all.size()), place = std::lower_bound(all.begin(), all.end(), angle) - all.begin();
        for (long k = place - 3; k < place + 3; ++k) keep[static_cast<std::size_t>(((k % n) + n) % n)] = true;
      }
      for (std::size_t k = 0; k < all.size(); ++k)
        if (keep[k] || is_first(all[k])) kept.push_back(all[k]);
      all = std::move(kept);
    }
  }

  FacetedOptions options_;
  double asymmetry_ = 0, norm_W_ = 0;
  std::vector<double> u_;
  std::vector<std::vector<double>> angles_;  // per contact, sorted, in [−π, π]
  ConicSolver solver_;
};

}  // namespace

template <int D>
std::unique_ptr<ConvexEngine<D>> make_faceted(const FacetedOptions& options) {
  return std::make_unique<Faceted<D>>(options);
}
template std::unique_ptr<ConvexEngine<2>> make_faceted<2>(const FacetedOptions&);
template std::unique_ptr<ConvexEngine<3>> make_faceted<3>(const FacetedOptions&);

}  // namespace cornet
