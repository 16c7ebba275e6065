#include "convex/interior_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "convex/projected_gradient.h"
#include "linalg/symmetry.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAim = 0.3;  // share of the tolerance that the conic solver is given

ConvexStatus convex_status(ConicStatus status, ConicStatus infeasible, const Monitor& monitor) {
  if (status == ConicStatus::optimal) return ConvexStatus::optimal;
  if (status == infeasible) return ConvexStatus::infeasible;
  switch (status) {
    case ConicStatus::iteration_limit: return ConvexStatus::iteration_limit;
    case ConicStatus::stopped: {
      const auto why = monitor.expired();
      if (why == Termination::interrupted) return ConvexStatus::interrupted;
      return why == Termination::time_limit ? ConvexStatus::time_limit : ConvexStatus::iteration_limit;
    }
    case ConicStatus::breakdown: return ConvexStatus::numerical_error;
    default: return ConvexStatus::stalled;
  }
}

// Runs the conic solver under a monitor.
ConicOutcome run(ConicSolver& solver, const ConicQp& qp, const ConicPoint* start, Monitor& monitor) {
  ConicOptions options;
  options.tolerance = kAim * monitor.tolerance();
  options.max_iterations = 200;
  const auto watcher = [&](const ConicProgress& g) {
    return g.iteration == 0 ? !monitor.expired() : !monitor.step(std::max({g.primal_residual, g.dual_residual, g.gap}));
  };
  ConicOutcome out = solver.solve(qp, options, start, watcher);
  monitor.count("factorisations", out.factorisations);
  return out;
}

template <int D>
class LocalInteriorPoint : public ConvexEngine<D> {
 public:
  explicit LocalInteriorPoint(const InteriorPointOptions& options) : options_(options) {}

  void prepare(const LocalSystem<D>& system) override {
    asymmetry_ = relative_asymmetry(system.W);
    analysed_ = false;
  }

  ConvexStatus solve(const LocalSystem<D>& system, const ConvexSets& sets, std::vector<double>& r, Monitor& monitor) override {
    if (asymmetry_ > options_.asymmetry) {
      monitor.set_message(
          fmt::format("the convex problem needs a symmetric W: found ‖W − Wᵀ‖/‖W‖ = {:.1e}, accepted up to asymmetry = {:.0e}", asymmetry_,
                      options_.asymmetry));
      return ConvexStatus::unsupported;
    }
    build(system, sets);
    if (!convex_) {
      monitor.set_message("the problem is not convex: W is not positive semi-definite (xᵀWx < 0 for some x)");
      return ConvexStatus::unsupported;
    }
    ConicPoint start;
    const bool warm = options_.warm_start && std::any_of(r.begin(), r.end(), [](double x) { return x != 0; });
    if (warm) start = point_of(system, sets, r);
    const ConicOutcome out = run(solver_, qp_, warm ? &start : nullptr, monitor);
    const ConvexStatus status = convex_status(out.status, ConicStatus::dual_infeasible, monitor);
    if (out.point.x.size() == qp_.c.size()) read(system, sets, out.point, status == ConvexStatus::infeasible, r);
    return status;
  }

 private:
  // What a contact contributes: which of its components are unknowns, and its cones.
  struct Parts {
    bool normal;     // r_N is unknown
    bool tangent;    // r_T is unknown
    bool half_line;  // r_N ≥ 0 by itself
    bool lorentz;    // a Lorentz cone
    double scale;    // of r_N in the Lorentz cone (0: the radius stands there)
    double radius;
  };
  static Parts parts(const ConvexSets& sets, int a) {
    switch (sets.kind) {
      case ConvexSet::half_line: return {true, false, true, false, 0, 0};
      case ConvexSet::disk: {
        const double radius = sets.radius[a];
        return {false, radius > 0, false, radius > 0 && radius < kInfinity, 0, radius};
      }
      case ConvexSet::cylinder: {
        const double radius = sets.radius[a];
        return {true, radius > 0, true, radius > 0 && radius < kInfinity, 0, radius};
      }
      case ConvexSet::cone: break;
    }
    const double mu = sets.mu[a];
    if (mu == 0) return {true, false, true, false, 0, 0};
    if (mu == kInfinity) return {true, true, true, false, 0, 0};
    return {true, true, false, true, mu, 0};
  }

  void build(const LocalSystem<D>& system, const ConvexSets& sets) {
    const int nc = system.contacts();
    std::vector<int> index(system.size(), -1);
    int n = 0, rows = 0;
    std::vector<Cone> cones;
    std::vector<Eigen::Triplet<double>> a;
    std::vector<double> b;
    for (int k = 0; k < nc; ++k) {
      const Parts p = parts(sets, k);
      int* own = index.data() + static_cast<std::size_t>(k) * D;
      if (p.normal) own[0] = n++;
      if (p.tangent)
        for (int i = 1; i < D; ++i) own[i] = n++;
      if (p.half_line) {
        cones.push_back({ConeKind::half_line, 1});
        a.emplace_back(rows++, own[0], -1.0);
        b.push_back(0);
      }
      if (p.lorentz && D == 2) {  // a wedge: two half-lines, without the cancellation of a Lorentz cone
        for (const double sign : {1.0, -1.0}) {
          cones.push_back({ConeKind::half_line, 1});
          if (p.scale > 0) a.emplace_back(rows, own[0], -p.scale);
          a.emplace_back(rows++, own[1], -sign);
          b.push_back(p.scale > 0 ? 0.0 : p.radius);
        }
      } else if (p.lorentz) {
        cones.push_back({ConeKind::lorentz, D});
        if (p.scale > 0) a.emplace_back(rows, own[0], -p.scale);
        b.push_back(p.scale > 0 ? 0.0 : p.radius);
        ++rows;
        for (int i = 1; i < D; ++i) {
          a.emplace_back(rows++, own[i], -1.0);
          b.push_back(0);
        }
      }
    }
    // Linear term: q + E s, and for disks what the given normal reactions cause.
    std::vector<double> p(system.q);
    if (sets.kind == ConvexSet::disk && sets.normal) {
      std::vector<double> given(system.size(), 0.0);
      for (int k = 0; k < nc; ++k) given[static_cast<std::size_t>(k) * D] = sets.normal[k];
      system.W.times(given.data(), system.q.data(), p.data());
    }
    if (sets.shift)
      for (int k = 0; k < nc; ++k) p[static_cast<std::size_t>(k) * D] += sets.shift[k];
    qp_.c.resize(n);
    for (std::size_t k = 0; k < index.size(); ++k)
      if (index[k] >= 0) qp_.c[index[k]] = p[k];
    qp_.b = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
    if (analysed_ && index == index_ && same(cones, qp_.cones)) {  // another s: only c, b and the scales changed
      refresh(a);
      return;
    }
    index_ = std::move(index);
    qp_.cones = std::move(cones);
    qp_.A.resize(rows, n);
    qp_.A.setFromTriplets(a.begin(), a.end());
    std::vector<Eigen::Triplet<double>> w;
    for (int beta = 0; beta < nc; ++beta)
      for (int k = system.W.column_begin(beta); k < system.W.column_end(beta); ++k) {
        const int alpha = system.W.row(k);
        for (int j = 0; j < D; ++j)
          for (int i = 0; i < D; ++i) {
            const int row = index_[static_cast<std::size_t>(alpha) * D + i], column = index_[static_cast<std::size_t>(beta) * D + j];
            if (row >= 0 && column >= 0) w.emplace_back(row, column, system.W.block(k)(i, j));
          }
      }
    qp_.P.resize(n, n);
    qp_.P.setFromTriplets(w.begin(), w.end());
    convex_ = positive_semidefinite(qp_.P);
    solver_.analyse(qp_);
    analysed_ = true;
  }

  static bool same(const std::vector<Cone>& x, const std::vector<Cone>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const Cone& c, const Cone& d) { return c.kind == d.kind && c.dim == d.dim; });
  }

  void refresh(const std::vector<Eigen::Triplet<double>>& a) {
    for (const auto& entry : a) qp_.A.coeffRef(entry.row(), entry.col()) = entry.value();
  }

  // (x, s, z) of given reactions.
  ConicPoint point_of(const LocalSystem<D>& system, const ConvexSets& sets, const std::vector<double>& r) const {
    ConicPoint point;
    point.x.setZero(qp_.c.size());
    for (std::size_t k = 0; k < index_.size(); ++k)
      if (index_[k] >= 0) point.x[index_[k]] = r[k];
    point.s = qp_.b - qp_.A * point.x;
    point.z.setZero(qp_.b.size());
    const Eigen::VectorXd g = qp_.P * point.x + qp_.c;  // ũ on the unknown components
    int row = 0;
    for (int k = 0; k < system.contacts(); ++k) {
      const Parts p = parts(sets, k);
      const int* own = index_.data() + static_cast<std::size_t>(k) * D;
      if (p.half_line) point.z[row++] = g[own[0]];
      if (p.lorentz) {
        double tail = 0;
        for (int i = 1; i < D; ++i) tail = std::hypot(tail, g[own[i]]);
        const double head = p.scale > 0 ? g[own[0]] / p.scale : tail;
        if (D == 2) {
          point.z[row++] = 0.5 * (head + g[own[1]]);
          point.z[row++] = 0.5 * (head - g[own[1]]);
          continue;
        }
        point.z[row++] = head;
        for (int i = 1; i < D; ++i) point.z[row++] = g[own[i]];
      }
    }
    return point;
  }

  // Reactions from s, which is inside its cone exactly; free components and rays from x.
  void read(const LocalSystem<D>& system, const ConvexSets& sets, const ConicPoint& point, bool ray, std::vector<double>& r) const {
    std::fill(r.begin(), r.end(), 0.0);
    for (std::size_t k = 0; k < index_.size(); ++k)
      if (index_[k] >= 0) r[k] = point.x[index_[k]];
    int row = 0;
    for (int k = 0; k < system.contacts(); ++k) {
      const Parts p = parts(sets, k);
      double* own = r.data() + static_cast<std::size_t>(k) * D;
      if (!ray && sets.kind == ConvexSet::disk && sets.normal) own[0] = sets.normal[k];
      if (p.half_line) own[0] = point.s[row++];
      if (p.lorentz && D == 2) {
        if (p.scale > 0) own[0] = 0.5 * (point.s[row] + point.s[row + 1]) / p.scale;
        own[1] = 0.5 * (point.s[row] - point.s[row + 1]);
        row += 2;
      } else if (p.lorentz) {
        if (p.scale > 0) own[0] = point.s[row] / p.scale;
        ++row;
        for (int i = 1; i < D; ++i) own[i] = point.s[row++];
      }
    }
  }

  InteriorPointOptions options_;
  double asymmetry_ = 0;
  bool analysed_ = false;
  bool convex_ = true;
  std::vector<int> index_;  // m: the unknown of each component of r, or −1
  ConicQp qp_;
  ConicSolver solver_;
};

}  // namespace

template <int D>
std::unique_ptr<ConvexEngine<D>> make_interior_point(const InteriorPointOptions& options) {
  return std::make_unique<LocalInteriorPoint<D>>(options);
}
template std::unique_ptr<ConvexEngine<2>> make_interior_point<2>(const InteriorPointOptions&);
template std::unique_ptr<ConvexEngine<3>> make_interior_point<3>(const InteriorPointOptions&);

ConvexStatus solve_interior_point(const GlobalProblem& problem, const ConvexQuestion& question, Iterate& x, Monitor& monitor) {
  const int n = problem.dofs(), nc = problem.contacts(), d = problem.dim;
  const SparseRows HT = SparseColumns(to_columns(problem.H)).transpose();
  ConicQp qp;
  qp.P = to_columns(problem.M);
  qp.c = -as_vector(problem.f);
  std::vector<Eigen::Triplet<double>> a;
  std::vector<double> b;
  std::vector<Eigen::Triplet<double>> reaction;  // r from z
  // Adds −factor (Hᵀ)_i v to the last row and factor (w_i + shift) to its right-hand side.
  const auto add = [&](int i, double factor, double shift) {
    const int row = static_cast<int>(b.size()) - 1;
    for (SparseRows::InnerIterator e(HT, i); e; ++e) a.emplace_back(row, static_cast<int>(e.col()), -factor * e.value());
    b.back() += factor * (problem.w[i] + shift);
    reaction.emplace_back(i, row, factor);
  };
  const auto row_of = [&](int i, double factor, double shift) {
    b.push_back(0);
    add(i, factor, shift);
  };
  for (int k = 0; k < nc; ++k) {
    const double mu = question.set == ConvexSet::half_line ? 0.0 : problem.mu[k];
    const double shift = question.s.empty() || problem.mu[k] == kInfinity ? 0.0 : problem.mu[k] * question.s[k];
    if (mu == 0 || mu == kInfinity) {
      qp.cones.push_back({ConeKind::half_line, 1});
      row_of(d * k, 1, shift);
      for (int i = 1; i < d && mu > 0; ++i) {
        qp.cones.push_back({ConeKind::zero, 1});
        row_of(d * k + i, 1, 0);
      }
    } else if (d == 2) {
      for (const double sign : {1.0, -1.0}) {
        qp.cones.push_back({ConeKind::half_line, 1});
        row_of(2 * k, 1 / mu, shift);
        add(2 * k + 1, sign, 0);
      }
    } else {
      qp.cones.push_back({ConeKind::lorentz, d});
      row_of(d * k, 1 / mu, shift);
      for (int i = 1; i < d; ++i) row_of(d * k + i, 1, 0);
    }
  }
  const int contact_rows = static_cast<int>(b.size());
  if (problem.G) {
    const SparseRows GT = SparseColumns(to_columns(*problem.G)).transpose();
    for (int i = 0; i < GT.rows(); ++i) {
      qp.cones.push_back({ConeKind::zero, 1});
      for (SparseRows::InnerIterator e(GT, i); e; ++e) a.emplace_back(static_cast<int>(b.size()), static_cast<int>(e.col()), -e.value());
      b.push_back(problem.b[i]);
    }
  }
  qp.b = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  qp.A.resize(static_cast<int>(b.size()), n);
  qp.A.setFromTriplets(a.begin(), a.end());
  ConicSolver solver;
  solver.analyse(qp);
  const ConicOutcome out = run(solver, qp, nullptr, monitor);
  const ConvexStatus status = convex_status(out.status, ConicStatus::primal_infeasible, monitor);
  x.r.assign(static_cast<std::size_t>(d) * nc, 0.0);
  if (out.point.z.size() != qp.b.size()) return status;
  for (const auto& e : reaction) x.r[e.row()] += e.value() * out.point.z[e.col()];
  x.v = to_std(out.point.x);
  x.lambda = to_std(out.point.z.tail(qp.b.size() - contact_rows));
  return status;
}

}  // namespace cornet
