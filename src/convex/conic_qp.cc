#include "convex/conic_qp.h"

#include <algorithm>
#include <cmath>

#include "convex/conic_system.h"
#include "convex/lorentz.h"

namespace cornet {

using namespace conic;

namespace {

constexpr double kStepShare = 0.99;  // of the way to the boundary
constexpr double kCentral = 1e-4;    // least √(det s det z) of a cone against μ after a step
constexpr int kPatience = 25;        // iterations after which the residuals must have halved

}  // namespace

struct ConicSolver::Impl : ConicSystem {
  // Moves v inside the cones by adding e where it is outside or close to the boundary.
  void push_inside(Vector& v) const {
    double least = std::numeric_limits<double>::infinity(), size = 0;
    for (const Block& k : blocks)
      if (k.kind != ConeKind::zero) {
        least = std::min(least, Lorentz::depth(v.data() + k.row, k.dim));
        size = std::max(size, std::abs(v[k.row]));
      }
    if (least > 1e-4 * std::max(1.0, size)) return;
    for (const Block& k : blocks)
      if (k.kind != ConeKind::zero) v[k.row] += 1 - std::min(least, 0.0);
  }

  // Least squares for A x + s = b and the smallest z with P x + Aᵀz = −c, moved inside the cones. In a linear program s and z can be scaled
  // by themselves: both are brought to size one, so that thousands of multipliers that add up to one do not look like zero.
  bool cold_start() {
    for (Scaling& w : scaling) w = {};
    if (!factorise()) return false;
    for (std::size_t a = 0; a < blocks.size(); ++a) unscale(blocks[a], scaling[a], b.data() + blocks[a].row, rhs_z.data() + blocks[a].row);
    if (P.nonZeros() > 0) {
      rhs_x = -c;
      if (!solve_system(rhs_x, rhs_z, x, z)) return false;
      s = -z;
    } else {
      rhs_x.setZero();
      if (!solve_system(rhs_x, rhs_z, x, s)) return false;
      s = -s;
      rhs_x = -c;
      rhs_z.setZero();
      if (!solve_system(rhs_x, rhs_z, x1, z)) return false;
      double size_s = 0, size_z = 0;
      for (const Block& k : blocks)
        if (k.kind != ConeKind::zero) {
          size_s = std::max(size_s, s.segment(k.row, k.dim).lpNorm<Eigen::Infinity>());
          size_z = std::max(size_z, z.segment(k.row, k.dim).lpNorm<Eigen::Infinity>());
        }
      if (size_s > 0) {
        for (auto* v : {&s, &x, &b}) *v /= size_s;
        sb /= size_s;
      }
      if (size_z > 0) {
        for (auto* v : {&z, &c}) *v /= size_z;
        sc /= size_z;
      }
    }
    for (const Block& k : blocks)
      if (k.kind == ConeKind::zero) s.segment(k.row, k.dim).setZero();
    push_inside(s);
    push_inside(z);
    tau = kappa = 1;
    return true;
  }

  // A point near the solution of a neighbouring problem: each contact pair is moved onto its own central path,
  // s = ½(a + (a² + 4μe)^½), z = ½(−a + (a² + 4μe)^½) with a = s₀ − z₀ (Jordan square root), which keeps s − z and makes s ∘ z = μ e.
  void warm_start(const ConicPoint& start) {
    x = sb * start.x.cwiseQuotient(D);
    s = sb * start.s.cwiseProduct(E);
    z = sc * start.z.cwiseQuotient(E);
    double mismatch = 0;
    rx = c + P_times(x);
    add_transposed(z, rx);
    multiply(x, rz);
    rz += s - b;
    mismatch = std::max(rx.size() ? rx.lpNorm<Eigen::Infinity>() : 0.0, rz.size() ? rz.lpNorm<Eigen::Infinity>() : 0.0);
    const double mu = std::clamp(0.1 * mismatch * mismatch + 1e-3 * mismatch, 1e-8, 1.0);
    for (const Block& k : blocks) {
      if (k.kind == ConeKind::zero) continue;
      double* sk = s.data() + k.row;
      double* zk = z.data() + k.row;
      double a[3], root[3];
      for (int i = 0; i < k.dim; ++i) a[i] = sk[i] - zk[i];
      const double t = Lorentz::tail(a, k.dim);
      const double low = a[0] - t, high = a[0] + t;  // eigenvalues
      const double rl = std::sqrt(low * low + 4 * mu), rh = std::sqrt(high * high + 4 * mu);
      root[0] = 0.5 * (rl + rh);
      for (int i = 1; i < k.dim; ++i) root[i] = t > 0 ? 0.5 * (rh - rl) * a[i] / t : 0.0;
      if (k.dim == 1) root[0] = rl;
      for (int i = 0; i < k.dim; ++i) {
        sk[i] = 0.5 * (root[i] + a[i]);
        zk[i] = 0.5 * (root[i] - a[i]);
      }
      // Cancellation in the halves: the smaller one from the product of eigenvalues.
      repair(sk, k.dim, mu, low, high, rl, rh, a, t, 1);
      repair(zk, k.dim, mu, low, high, rl, rh, a, t, -1);
    }
    tau = 1;
    kappa = mu;
  }

  // (±a + √(a² + 4μ))/2 for both eigenvalues without cancellation, put together again.
  static void repair(double* v, int dim, double mu, double low, double high, double rl, double rh, const double* a, double t, int sign) {
    const auto half = [mu](double e, double r) { return e >= 0 ? 0.5 * (e + r) : 2 * mu / (r - e); };
    const double l = half(sign * low, rl), h = half(sign * high, rh);
    if (dim == 1) {
      v[0] = l;
      return;
    }
    v[0] = 0.5 * (l + h);
    for (int i = 1; i < dim; ++i) v[i] = t > 0 ? 0.5 * (h - l) * a[i] / t : 0.0;
  }

  Vector P_times(const Vector& v) const { return P.nonZeros() > 0 ? Vector(P * v) : Vector::Zero(n); }

  double complementarity() const {
    double sum = tau * kappa;
    for (const Block& k : blocks)
      if (k.kind != ConeKind::zero) sum += Lorentz::dot(s.data() + k.row, z.data() + k.row, k.dim);
    return sum / (degree + 1);
  }

  // Largest step for all cones, τ and κ.
  double longest_step(double dtau, double dkappa) const {
    double alpha = 1 / kStepShare;
    for (const Block& k : blocks)
      if (k.kind != ConeKind::zero) {
        alpha = Lorentz::step(s.data() + k.row, ds.data() + k.row, k.dim, alpha);
        alpha = Lorentz::step(z.data() + k.row, dz.data() + k.row, k.dim, alpha);
      }
    if (dtau < 0) alpha = std::min(alpha, -tau / dtau);
    if (dkappa < 0) alpha = std::min(alpha, -kappa / dkappa);
    return std::min(1.0, kStepShare * alpha);
  }

  // Shortens a step until no cone is far from the central path: a pair that runs ahead to the boundary spoils the scaling for all the others.
  double central_step(double alpha, double dtau, double dkappa) const {
    for (int trial = 0; trial < 12; ++trial, alpha *= 0.8) {
      double sum = (tau + alpha * dtau) * (kappa + alpha * dkappa), least = sum;
      for (const Block& k : blocks) {
        if (k.kind == ConeKind::zero) continue;
        double p[3], q[3];
        for (int i = 0; i < k.dim; ++i) {
          p[i] = s[k.row + i] + alpha * ds[k.row + i];
          q[i] = z[k.row + i] + alpha * dz[k.row + i];
        }
        sum += Lorentz::dot(p, q, k.dim);
        const double product = Lorentz::det(p, k.dim) * Lorentz::det(q, k.dim);
        least = std::min(least, k.dim == 1 ? product : product > 0 ? std::sqrt(product) : 0.0);
      }
      if (least >= kCentral * sum / (degree + 1)) break;
    }
    return alpha;
  }

  // Newton direction for the residuals (share·rx, share·rz, share·rt) and the complementarity targets in `target` (λ \ d_s per cone) and dk.
  bool direction(double share, double rt, double dk, const Vector& target, bool refined, double& dtau, double& dkappa) {
    rhs_x = -share * rx;
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      const Block& k = blocks[a];
      double t[3];
      unscale(k, scaling[a], rz.data() + k.row, t);
      for (int i = 0; i < k.dim; ++i) rhs_z[k.row + i] = target[k.row + i] - share * t[i];
    }
    if (refined ? !solve_system(rhs_x, rhs_z, x1, z1) : (solve_once(rhs_x, rhs_z, x1, z1), false)) return false;
    const double xPx = x.dot(Px);
    const Vector& g = gradient_of_form;
    const double numerator = -share * rt + dk / tau - g.dot(x1) / tau - c.dot(x1) - b.dot(z1);
    const double denominator = -kappa / tau + g.dot(x2) / tau - xPx / (tau * tau) + c.dot(x2) + b.dot(z2);
    dtau = numerator / denominator;
    dx = x1 + dtau * x2;
    dz = z1 + dtau * z2;
    dkappa = (-dk - kappa * dtau) / tau;
    // ds from A dx + ds − b dτ = −share·rz: what the linear solve left undone goes into the complementarity, which corrects itself, and not
    // into the feasibility.
    multiply(dx, ds);
    ds = dtau * b - share * rz - ds;
    for (const Block& k : blocks)
      if (k.kind == ConeKind::zero) ds.segment(k.row, k.dim).setZero();
    return std::isfinite(dtau) && std::isfinite(dkappa);
  }

  Vector gradient_of_form;  // (P + Pᵀ) x

  void own_units(ConicPoint& p, double by) const {
    p.x = (1 / (sb * by)) * x.cwiseProduct(D);
    p.s = (1 / (sb * by)) * s.cwiseQuotient(E);
    p.z = (1 / (sc * by)) * z.cwiseProduct(E);
  }

  // Residuals, relative to the larger of their parts and one, in the scaled problem, whose data have size one: a solution that is zero, or an
  // objective that vanishes, is then judged against the data. Objectives in the problem's own units.
  ConicProgress measure(const ConicPoint& point, int iteration, double xPx) const {
    ConicProgress g;
    g.iteration = iteration;
    g.point = &point;
    g.mu = complementarity();
    const auto inf = [](const Vector& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0.0; };
    g.primal_residual = inf(rz) / std::max({tau, tau * inf(b), inf(s)});
    g.dual_residual = inf(rx) / std::max({tau, tau * inf(c), inf(Px), inf(z)});
    const double form = xPx / (tau * tau);
    const double primal = 0.5 * form + c.dot(x) / tau, dual = -0.5 * form - b.dot(z) / tau;
    g.gap = std::abs(primal - dual) / std::max({std::abs(primal), std::abs(dual), 1.0});
    g.primal_objective = primal / (sb * sc);
    g.dual_objective = dual / (sb * sc);
    return g;
  }
};

ConicSolver::ConicSolver() : impl_(std::make_unique<Impl>()) {}
ConicSolver::~ConicSolver() = default;
ConicSolver::ConicSolver(ConicSolver&&) noexcept = default;
ConicSolver& ConicSolver::operator=(ConicSolver&&) noexcept = default;

void ConicSolver::analyse(const ConicQp& problem) { impl_->analyse(problem); }

ConicOutcome ConicSolver::solve(const ConicQp& problem, const ConicOptions& options, const ConicPoint* start,
                                const std::function<bool(const ConicProgress&)>& watcher) {
  Impl& I = *impl_;
  I.load(problem);
  I.factorisations = 0;
  I.accuracy = 1e-10;
  ConicOutcome out, best;
  best.gap = std::numeric_limits<double>::infinity();
  double best_merit = std::numeric_limits<double>::infinity(), progress_merit = best_merit;
  const auto finish = [&](ConicStatus status) {
    if (status != ConicStatus::optimal && status != ConicStatus::primal_infeasible && status != ConicStatus::dual_infeasible &&
        best.point.x.size() == I.n)
      out = best;
    out.status = status;
    out.factorisations = I.factorisations;
    return out;
  };
  if (start) I.warm_start(*start);
  else if (!I.cold_start()) return finish(ConicStatus::breakdown);

  Vector target(I.m);
  int short_steps = 0, last_progress = 0;
  for (int iteration = 0;; ++iteration) {
    out.iterations = best.iterations = iteration;
    // Residuals of the embedding.
    I.Px = I.P_times(I.x);
    I.gradient_of_form = I.Px;
    if (I.P.nonZeros() > 0) I.gradient_of_form.noalias() += I.P.transpose() * I.x;
    I.rx = I.Px + I.tau * I.c;
    I.add_transposed(I.z, I.rx);
    I.multiply(I.x, I.rz);
    I.rz += I.s - I.tau * I.b;
    const double xPx = I.x.dot(I.Px);
    const double cx = I.c.dot(I.x), bz = I.b.dot(I.z);
    const double rt = I.kappa + xPx / I.tau + cx + bz;
    const double mu = I.complementarity();

    I.own_units(out.point, I.tau);
    const ConicProgress g = I.measure(out.point, iteration, xPx);
    out.primal_residual = g.primal_residual;
    out.dual_residual = g.dual_residual;
    out.gap = g.gap;
    const double merit = std::max({g.primal_residual, g.dual_residual, g.gap});
    if (merit < 0.5 * progress_merit) {
      progress_merit = merit;
      last_progress = iteration;
    }
    if (merit < best_merit && (I.tau > I.kappa || iteration == 0)) {  // else the iterate is on its way to a ray
      best_merit = merit;
      best.point = out.point;
      best.primal_residual = g.primal_residual;
      best.dual_residual = g.dual_residual;
      best.gap = g.gap;
    }
    if (watcher && !watcher(g)) return finish(ConicStatus::stopped);
    if (merit <= options.tolerance && I.tau > I.kappa) return finish(ConicStatus::optimal);
    // Certificates, in own units, relative to the data they multiply; a loose tolerance does not make a proof.
    const double ray_tolerance = std::min(options.tolerance, 1e-8);
    if (I.kappa > I.tau) {
      const auto inf = [](const Vector& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0.0; };
      ConicPoint ray;
      I.own_units(ray, 1);
      const double ray_bz = problem.b.dot(ray.z);
      if (ray_bz < 0) {
        const Vector ATz = problem.A.transpose() * ray.z;
        const double reference = inf(problem.b) > 0 ? -ray_bz / inf(problem.b) : 0;
        if (inf(ATz) <= ray_tolerance * reference) {
          out.point = ray;
          out.point.z /= -ray_bz;
          return finish(ConicStatus::primal_infeasible);
        }
      }
      const double ray_cx = problem.c.dot(ray.x);
      if (ray_cx < 0) {
        const Vector Ax = problem.A * ray.x;
        const Vector Pv = problem.P.nonZeros() > 0 ? Vector(problem.P * ray.x) : Vector::Zero(I.n);
        const double reference = inf(problem.c) > 0 ? -ray_cx / inf(problem.c) : 0;
        if (std::max(inf(Pv), inf(Ax + ray.s)) <= ray_tolerance * reference) {
          out.point = ray;
          out.point.x /= -ray_cx;
          return finish(ConicStatus::dual_infeasible);
        }
      }
    }
    if (iteration >= options.max_iterations) return finish(ConicStatus::iteration_limit);
    if (!(mu > 1e-300) || !std::isfinite(mu) || short_steps >= 5 || iteration - last_progress > kPatience)
      return finish(ConicStatus::stalled);

    for (std::size_t a = 0; a < I.blocks.size(); ++a)
      if (I.blocks[a].kind != ConeKind::zero)
        I.scaling[a].update(I.s.data() + I.blocks[a].row, I.z.data() + I.blocks[a].row, I.blocks[a].dim);
    I.accuracy = std::clamp(1e-4 * merit, 1e-15, 1e-6);
    if (!I.factorise()) return finish(ConicStatus::breakdown);
    I.rhs_x = -I.c;
    for (std::size_t a = 0; a < I.blocks.size(); ++a)
      Impl::unscale(I.blocks[a], I.scaling[a], I.b.data() + I.blocks[a].row, I.rhs_z.data() + I.blocks[a].row);
    if (!I.solve_system(I.rhs_x, I.rhs_z, I.x2, I.z2)) return finish(ConicStatus::breakdown);

    // Predictor: λ \ (λ ∘ λ) = λ. It serves σ and the second-order term only: no refinement.
    for (std::size_t a = 0; a < I.blocks.size(); ++a)
      for (int i = 0; i < I.blocks[a].dim; ++i)
        target[I.blocks[a].row + i] = I.blocks[a].kind == ConeKind::zero ? 0.0 : I.scaling[a].lambda[i];
    double dtau = 0, dkappa = 0;
    if (!I.direction(1, rt, I.tau * I.kappa, target, false, dtau, dkappa)) return finish(ConicStatus::breakdown);
    double alpha = I.longest_step(dtau, dkappa);
    // When the last step lost what an earlier one had, the second-order term misleads (it can cycle): a plain, more central step instead.
    const bool cautious = merit > 3 * best_merit;
    const double sigma = cautious ? std::max(0.2, std::pow(1 - alpha, 3)) : std::pow(1 - alpha, 3);
    // Corrector: λ \ (λ ∘ λ + (W⁻¹ds) ∘ (W dz) − σμ e).
    for (std::size_t a = 0; a < I.blocks.size(); ++a) {
      const Block& k = I.blocks[a];
      if (k.kind == ConeKind::zero) continue;
      const Scaling& w = I.scaling[a];
      double p[3], q[3], product[3], own[3];
      w.apply_inverse(I.ds.data() + k.row, k.dim, p);
      w.apply(I.dz.data() + k.row, k.dim, q);
      Lorentz::product(p, q, k.dim, product);
      Lorentz::product(w.lambda, w.lambda, k.dim, own);
      for (int i = 0; i < k.dim && !cautious; ++i) own[i] += product[i];
      own[0] -= sigma * mu;
      Lorentz::divide(w.lambda, own, k.dim, target.data() + k.row);
    }
    const double dk = I.tau * I.kappa + (cautious ? 0.0 : dtau * dkappa) - sigma * mu;
    if (!I.direction(1 - sigma, rt, dk, target, true, dtau, dkappa)) return finish(ConicStatus::breakdown);
    alpha = I.central_step(I.longest_step(dtau, dkappa), dtau, dkappa);
    short_steps = alpha < 1e-3 ? short_steps + 1 : 0;
    I.x += alpha * I.dx;
    I.s += alpha * I.ds;
    I.z += alpha * I.dz;
    I.tau += alpha * dtau;
    I.kappa += alpha * dkappa;
    // The embedding is homogeneous: keep its numbers near one.
    const double size = std::max(I.tau, I.kappa);
    if (size > 1e6 || size < 1e-6) {
      const double by = 1 / size;
      for (auto* v : {&I.x, &I.s, &I.z}) *v *= by;
      I.tau *= by;
      I.kappa *= by;
    }
  }
}

}  // namespace cornet
