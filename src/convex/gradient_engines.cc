// Engines from the gradient methods (projected_gradient.h, accelerated_gradient.h): they minimise θ(r) = ½ rᵀWr + rᵀ(q + E s) over X.
//
// The methods stop at a small natural map; an engine stops at a small gap. So a run is made of legs: the method runs to a natural-map
// tolerance, starting with that of the gap, and the tolerance is divided by ten until the gap is small as well. A leg is also ended after 100,
// 200, 400 … iterations to look for unboundedness: when no v satisfies Hᵀv + w + E s ∈ X°, the differences r_k+j − r_k of projected
// gradients tend to a ray d ∈ X∞ with W d = 0, dᵀp < 0, p = q + E s (Pazy 1971), and so does r itself, both slowly. Once one of them
// is close, as many steps of the accelerated gradient are spent on the ray,
//
//   min ½ dᵀWd + ½ ‖W‖ (1 + dᵀp/‖p‖)²,   d ∈ X∞          (zero exactly at a ray)
//
// Fails: slow where the methods are; a problem that is infeasible without a ray (not attained) runs to the limits.
#include "convex/gradient_engines.h"

#include <fmt/format.h>

#include <optional>

#include "convex/set_law.h"

namespace cornet {
namespace {

ConvexStatus status_of(Termination why) {
  switch (why) {
    case Termination::iteration_limit: return ConvexStatus::iteration_limit;
    case Termination::time_limit: return ConvexStatus::time_limit;
    case Termination::interrupted: return ConvexStatus::interrupted;
    case Termination::stalled: return ConvexStatus::stalled;
    default: return ConvexStatus::numerical_error;
  }
}

template <int D, class Method, class Options>
class GradientEngine : public ConvexEngine<D> {
 public:
  explicit GradientEngine(const Options& options) : options_(options), method_(options) {}

  void prepare(const LocalSystem<D>& system) override {
    method_.prepare(system);
    asymmetry_ = relative_asymmetry(system.W);
    norm_W_ = system.W.norm_bound();
  }

  ConvexStatus solve(const LocalSystem<D>& system, const ConvexSets& sets, std::vector<double>& r, Monitor& monitor) override {
    if (asymmetry_ > options_.asymmetry) {
      monitor.set_message(
          fmt::format("the convex problem needs a symmetric W: found ‖W − Wᵀ‖/‖W‖ = {:.1e}, accepted up to asymmetry = {:.0e}", asymmetry_,
                      options_.asymmetry));
      return ConvexStatus::unsupported;
    }
    const SetLaw<D> law{sets};
    const double smallest = 1e-16 * monitor.tolerance();
    double tolerance = monitor.tolerance() * std::min(1.0, shifted_norm(system, sets) / system.norm_q);
    u_.resize(system.size());
    for (long leg = kFirstLeg;; leg *= 2) {
      before_ = r;
      std::optional<Termination> stop;  // of the whole run
      Monitor inner({tolerance, std::numeric_limits<double>::infinity(), leg}, nullptr, [&](const HistoryEntry& entry) {
        stop = monitor.step(entry.own_residual);
        return !stop;
      });
      const Termination end = method_.run(system, law, r, inner);
      for (const auto& [name, value] : inner.counters()) monitor.count(name.c_str(), value);
      system.W.times(r.data(), system.q.data(), u_.data());
      const ConvexQuality quality = convex_quality(system, law, r, u_, norm_W_);
      monitor.offer(std::max(quality.gap, quality.violation), r.data(), r.size());
      if (quality.good(monitor.tolerance())) return ConvexStatus::optimal;
      if (is_unbounded(system, law, r, leg, monitor)) return ConvexStatus::infeasible;
      if (stop) return status_of(*stop);
      if (end == Termination::stalled || end == Termination::diverged) return status_of(end);
      if (end == Termination::converged) tolerance *= 0.1;
      if (tolerance < smallest) return ConvexStatus::stalled;
    }
  }

 private:
  static constexpr long kFirstLeg = 100;

  // Tries the displacement of the last leg and r itself; the ray replaces r.
  bool is_unbounded(const LocalSystem<D>& system, const SetLaw<D>& law, std::vector<double>& r, long steps, Monitor& monitor) {
    direction_ = r;
    for (std::size_t k = 0; k < r.size(); ++k) direction_[k] -= before_[k];
    double residual = ray_residual(system, law, direction_, norm_W_);
    std::vector<double> other = r;
    if (const double second = ray_residual(system, law, other, norm_W_); second < residual) {
      residual = second;
      direction_.swap(other);
    }
    if (residual > kRayResidual && residual < 0.1) {
      improve_ray(system, law, steps, monitor);
      residual = ray_residual(system, law, direction_, norm_W_);
    }
    if (residual > kRayResidual) return false;
    r = direction_;
    return true;
  }

  void improve_ray(const LocalSystem<D>& system, const SetLaw<D>& law, long steps, Monitor& monitor) {
    const double norm_p = shifted_norm(system, law.sets), step = 0.5 / norm_W_;
    const std::vector<double> zero(system.size(), 0.0);
    std::vector<double> p = system.q, y = direction_, next(system.size()), Wy(system.size());
    for (int a = 0; a < system.contacts(); ++a) at(p, a) = law.shifted(a, at(p, a)) / norm_p;
    const auto dot = [](const std::vector<double>& x, const std::vector<double>& z) {
      double sum = 0;
      for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * z[k];
      return sum;
    };
    const double start = -1 / dot(p, direction_);
    for (std::vector<double>* x : {&direction_, &y})
      for (double& v : *x) v *= start;
    double t = 1;
    for (long k = 0; k < steps && !monitor.expired(); ++k) {
      system.W.times(y.data(), zero.data(), Wy.data());
      const double pull = norm_W_ * (1 + dot(p, y));
      for (int a = 0; a < system.contacts(); ++a)
        at(next, a) = law.project_on_recession(a, at(y, a) - step * (at(Wy, a) + pull * at(p, a)));
      double uphill = 0;
      for (std::size_t j = 0; j < y.size(); ++j) uphill += (y[j] - next[j]) * (next[j] - direction_[j]);
      if (uphill > 0) t = 1;
      const double t_next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = next[j] + (t - 1) / t_next * (next[j] - direction_[j]);
      direction_.swap(next);
      t = t_next;
    }
    monitor.count("products", static_cast<double>(steps));
  }

  static Eigen::Map<Vec<D>> at(std::vector<double>& v, int a) { return Eigen::Map<Vec<D>>(v.data() + static_cast<std::size_t>(a) * D); }

  Options options_;
  Method method_;
  double asymmetry_ = 0, norm_W_ = 0;
  std::vector<double> u_, before_, direction_;
};

}  // namespace

template <int D>
std::unique_ptr<ConvexEngine<D>> make_projected_gradient(const ProjectedGradientOptions& options) {
  return std::make_unique<GradientEngine<D, ProjectedGradient<D, SetLaw<D>>, ProjectedGradientOptions>>(options);
}
template <int D>
std::unique_ptr<ConvexEngine<D>> make_accelerated_gradient(const AcceleratedGradientOptions& options) {
  return std::make_unique<GradientEngine<D, AcceleratedGradient<D, SetLaw<D>>, AcceleratedGradientOptions>>(options);
}
template std::unique_ptr<ConvexEngine<2>> make_projected_gradient<2>(const ProjectedGradientOptions&);
template std::unique_ptr<ConvexEngine<3>> make_projected_gradient<3>(const ProjectedGradientOptions&);
template std::unique_ptr<ConvexEngine<2>> make_accelerated_gradient<2>(const AcceleratedGradientOptions&);
template std::unique_ptr<ConvexEngine<3>> make_accelerated_gradient<3>(const AcceleratedGradientOptions&);

}  // namespace cornet
