#include "convex/conic_qp.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "convex/lorentz.h"
#include "linalg/supernodal.h"

namespace cornet {
namespace {

using Vector = Eigen::VectorXd;

constexpr int kEquilibrations = 4;
constexpr double kZeroRow = 1e-4;      // W of rows with s = 0 in the factor; refinement removes its influence
constexpr double kRegularise = 1e-14;  // relative increase of each diagonal entry where the factorisation breaks down, ×100 up to
constexpr double kMostRegular = 1e-6;  // this; removed by the refinement likewise
constexpr double kStepShare = 0.99;    // of the way to the boundary
constexpr double kCentral = 1e-4;      // least √(det s det z) of a cone against μ after a step
constexpr double kProximal = 1e-11;  // δ in the proximal term ½δ‖dx‖² of every step: keeps x from drifting where nothing depends on it
constexpr int kRefinements = 6;
constexpr int kKrylov = 12;    // longest GMRES run
constexpr int kPatience = 25;  // iterations after which the residuals must have halved

// One cone with its rows of A as a small dense matrix over the columns they touch.
struct Block {
  ConeKind kind;
  int dim;
  int row;                // first row
  int first, count;       // columns_[first … first + count)
  std::size_t values;     // dim × count, column by column
  std::size_t positions;  // where entry (i ≤ j) of the count × count product goes in the factorised matrix
};

}  // namespace

// The scaled problem E A D, D P D, with D over the variables and E one number per cone, so that rows and columns have entries near one; then
// b and c are brought to size one by `sb` and `sc`. Everything inside works on the scaled problem, and so are the residuals; points and objectives are reported in the problem's own units.
struct ConicSolver::Impl {
  int n = 0, m = 0;
  std::vector<Block> blocks;
  std::vector<int> columns;
  std::vector<double> values;  // scaled
  std::vector<int> positions;
  SparseColumns P;              // scaled
  std::vector<int> P_position;  // where each entry of P goes in S
  SparseColumns S;              // lower triangle of P + AᵀW⁻²A
  SupernodalCholesky factor;
  Vector D, E, c, b;
  double sb = 1, sc = 1;
  int degree = 0;  // of the cone C: half-lines and Lorentz cones, each counted once
  std::vector<Scaling> scaling;

  Vector x, s, z, dx, ds, dz, x2, z2, x1, z1, rhs_x, rhs_z, rest_x, rest_z, step_x, step_z, rx, rz, Px, work;
  double tau = 1, kappa = 1;
  double accuracy = 1e-15;  // of the refined solution of a linear system, relative; follows the accuracy of the iterate
  int factorisations = 0;

  const double* block_values(const Block& k) const { return values.data() + k.values; }

  void analyse(const ConicQp& p) {
    n = static_cast<int>(p.c.size());
    m = static_cast<int>(p.b.size());
    blocks.clear();
    columns.clear();
    degree = 0;
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<int> touched;
    int row = 0;
    std::size_t at = 0, place = 0;
    for (const Cone& cone : p.cones) {
      touched.clear();
      for (int i = row; i < row + cone.dim; ++i)
        for (SparseRows::InnerIterator e(p.A, i); e; ++e) touched.push_back(static_cast<int>(e.col()));
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      const int count = static_cast<int>(touched.size());
      blocks.push_back({cone.kind, cone.dim, row, static_cast<int>(columns.size()), count, at, place});
      columns.insert(columns.end(), touched.begin(), touched.end());
      for (int j = 0; j < count; ++j)
        for (int i = j; i < count; ++i) entries.emplace_back(touched[i], touched[j], 0.0);
      at += static_cast<std::size_t>(cone.dim) * count;
      place += static_cast<std::size_t>(count) * (count + 1) / 2;
      row += cone.dim;
      if (cone.kind != ConeKind::zero) ++degree;
    }
    values.assign(at, 0.0);
    for (int j = 0; j < p.P.outerSize(); ++j)
      for (SparseColumns::InnerIterator e(p.P, j); e; ++e)
        entries.emplace_back(std::max(static_cast<int>(e.row()), j), std::min(static_cast<int>(e.row()), j), 0.0);
    for (int j = 0; j < n; ++j) entries.emplace_back(j, j, 0.0);
    S.resize(n, n);
    S.setFromTriplets(entries.begin(), entries.end());
    S.makeCompressed();
    const auto find = [this](int i, int j) {
      const int* begin = S.innerIndexPtr() + S.outerIndexPtr()[j];
      const int* end = S.innerIndexPtr() + S.outerIndexPtr()[j + 1];
      return static_cast<int>(std::lower_bound(begin, end, i) - S.innerIndexPtr());
    };
    positions.resize(place);
    for (const Block& k : blocks) {
      std::size_t at_k = k.positions;
      for (int j = 0; j < k.count; ++j)
        for (int i = j; i < k.count; ++i) positions[at_k++] = find(columns[k.first + i], columns[k.first + j]);
    }
    P = p.P;
    P.makeCompressed();
    P_position.clear();
    for (int j = 0; j < P.outerSize(); ++j)
      for (SparseColumns::InnerIterator e(P, j); e; ++e)
        P_position.push_back(find(std::max(static_cast<int>(e.row()), j), std::min(static_cast<int>(e.row()), j)));
    factor.analyse(S);
    scaling.assign(blocks.size(), {});
    for (auto* v : {&x, &dx, &x2, &x1, &rhs_x, &rest_x, &step_x, &rx, &Px}) v->setZero(n);
    for (auto* v : {&s, &z, &ds, &dz, &z2, &z1, &rhs_z, &rest_z, &step_z, &rz, &work}) v->setZero(m);
  }

  void load(const ConicQp& p) {
    std::fill(values.begin(), values.end(), 0.0);
    for (const Block& k : blocks)
      for (int i = 0; i < k.dim; ++i) {
        int j = 0;
        for (SparseRows::InnerIterator e(p.A, k.row + i); e; ++e) {
          while (columns[k.first + j] != static_cast<int>(e.col())) ++j;
          values[k.values + static_cast<std::size_t>(j) * k.dim + i] += e.value();
        }
      }
    P = p.P;
    P.makeCompressed();
    equilibrate(p);
  }

  // Ruiz: rows and columns of [P Aᵀ; A 0] are divided by the square roots of their largest entries, one factor per cone.
  void equilibrate(const ConicQp& p) {
    D.setOnes(n);
    E.setOnes(m);
    Vector column(n);
    for (int pass = 0; pass < kEquilibrations; ++pass) {
      column.setZero();
      for (int j = 0; j < P.outerSize(); ++j)
        for (SparseColumns::InnerIterator e(P, j); e; ++e) column[j] = std::max(column[j], std::abs(e.value()));
      std::vector<double> row(blocks.size(), 0.0);
      for (std::size_t a = 0; a < blocks.size(); ++a) {
        const Block& k = blocks[a];
        for (int j = 0; j < k.count; ++j)
          for (int i = 0; i < k.dim; ++i) {
            const double v = std::abs(values[k.values + static_cast<std::size_t>(j) * k.dim + i]);
            row[a] = std::max(row[a], v);
            column[columns[k.first + j]] = std::max(column[columns[k.first + j]], v);
          }
      }
      for (int j = 0; j < n; ++j) column[j] = column[j] > 0 ? 1 / std::sqrt(column[j]) : 1;
      for (double& r : row) r = r > 0 ? 1 / std::sqrt(r) : 1;
      for (int j = 0; j < P.outerSize(); ++j)
        for (SparseColumns::InnerIterator e(P, j); e; ++e) e.valueRef() *= column[j] * column[e.row()];
      for (std::size_t a = 0; a < blocks.size(); ++a) {
        const Block& k = blocks[a];
        for (int j = 0; j < k.count; ++j)
          for (int i = 0; i < k.dim; ++i)
            values[k.values + static_cast<std::size_t>(j) * k.dim + i] *= row[a] * column[columns[k.first + j]];
        for (int i = 0; i < k.dim; ++i) E[k.row + i] *= row[a];
      }
      D.array() *= column.array();
    }
    b = E.cwiseProduct(p.b);
    c = D.cwiseProduct(p.c);
    // Sizes of the right-hand sides: x → x/sb·…, z → z/sc·…; P keeps its place when both are scaled by the same number, so use two only for
    // linear programs.
    const double size_b = m > 0 ? b.lpNorm<Eigen::Infinity>() : 0, size_c = n > 0 ? c.lpNorm<Eigen::Infinity>() : 0;
    if (P.nonZeros() == 0) {
      sb = size_b > 0 ? 1 / size_b : 1;
      sc = size_c > 0 ? 1 / size_c : 1;
    } else {
      const double size = std::max(size_b, size_c);
      sb = sc = size > 0 ? 1 / size : 1;
    }
    b *= sb;
    c *= sc;
  }

  // out = A v and out += Aᵀ v on the scaled problem.
  void multiply(const Vector& v, Vector& out) const {
    for (const Block& k : blocks) {
      const double* a = block_values(k);
      double sum[3] = {0, 0, 0};
      for (int j = 0; j < k.count; ++j, a += k.dim) {
        const double xj = v[columns[k.first + j]];
        for (int i = 0; i < k.dim; ++i) sum[i] += a[i] * xj;
      }
      for (int i = 0; i < k.dim; ++i) out[k.row + i] = sum[i];
    }
  }
  void add_transposed(const Vector& v, Vector& out) const {
    for (const Block& k : blocks) {
      const double* a = block_values(k);
      for (int j = 0; j < k.count; ++j, a += k.dim) {
        double sum = 0;
        for (int i = 0; i < k.dim; ++i) sum += a[i] * v[k.row + i];
        out[columns[k.first + j]] += sum;
      }
    }
  }

  // W, W⁻¹ and W⁻² of one cone; rows with s = 0 have a small number in place of W.
  static void scale(const Block& k, const Scaling& w, const double* in, double* out) {
    if (k.kind == ConeKind::zero) out[0] = kZeroRow * in[0];
    else w.apply(in, k.dim, out);
  }
  static void unscale(const Block& k, const Scaling& w, const double* in, double* out) {
    if (k.kind == ConeKind::zero) out[0] = in[0] / kZeroRow;
    else w.apply_inverse(in, k.dim, out);
  }
  static void unscale_twice(const Block& k, const Scaling& w, const double* in, double* out) {
    if (k.kind == ConeKind::zero) out[0] = in[0] / (kZeroRow * kZeroRow);
    else w.apply_inverse_square(in, k.dim, out);
  }

  bool factorise() {
    std::fill(S.valuePtr(), S.valuePtr() + S.nonZeros(), 0.0);
    int e_at = 0;
    for (int j = 0; j < P.outerSize(); ++j)
      for (SparseColumns::InnerIterator e(P, j); e; ++e) S.valuePtr()[P_position[e_at++]] += e.row() == j ? e.value() : 0.5 * e.value();
    std::vector<double> scaled;
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      const Block& k = blocks[a];
      const double* v = block_values(k);
      scaled.resize(static_cast<std::size_t>(k.dim) * k.count);
      for (int j = 0; j < k.count; ++j)
        unscale_twice(k, scaling[a], v + static_cast<std::size_t>(j) * k.dim, scaled.data() + static_cast<std::size_t>(j) * k.dim);
      const int* place = positions.data() + k.positions;
      for (int j = 0; j < k.count; ++j) {
        const double* right = scaled.data() + static_cast<std::size_t>(j) * k.dim;
        for (int i = j; i < k.count; ++i) S.valuePtr()[*place++] += Lorentz::dot(v + static_cast<std::size_t>(i) * k.dim, right, k.dim);
      }
    }
    if (n == 0) return true;
    double before = 0;
    for (double extra = 0; extra <= kMostRegular; extra = std::max(kRegularise, 100 * extra)) {
      for (int j = 0; j < n; ++j) {
        double& d = S.valuePtr()[S.outerIndexPtr()[j]];
        d = d * (1 + extra - before) + (extra == 0 ? kProximal : 0.0);
      }
      before = extra;
      ++factorisations;
      if (factor.factorise(S)) return true;
    }
    return false;
  }

  // One solve with the factor for the right-hand side (f, W ρ): dx = S⁻¹(f + AᵀW⁻¹ρ), dz = W⁻²A dx − W⁻¹ρ.
  void solve_once(const Vector& f, const Vector& rho, Vector& out_x, Vector& out_z) {
    for (std::size_t a = 0; a < blocks.size(); ++a) unscale(blocks[a], scaling[a], rho.data() + blocks[a].row, work.data() + blocks[a].row);
    out_x = f;
    add_transposed(work, out_x);
    if (n > 0) factor.solve(out_x.data());
    multiply(out_x, out_z);
    for (std::size_t a = 0; a < blocks.size(); ++a)
      unscale_twice(blocks[a], scaling[a], out_z.data() + blocks[a].row, out_z.data() + blocks[a].row);
    out_z -= work;
  }

  // (f, ρ) − (P x + Aᵀz, W⁻¹A x − W z) in (rest_x, rest_z). The second line of [P Aᵀ; A −W²](x, z) = (f, W ρ) is measured after W⁻¹: near the
  // end W and W⁻¹ grow like μ^−½, and W² z itself would drown the first line in rounding.
  double residual(const Vector& f, const Vector& rho, const Vector& at_x, const Vector& at_z) {
    rest_x = f - kProximal * at_x;
    if (P.nonZeros() > 0) rest_x.noalias() -= P * at_x;
    work = -at_z;
    add_transposed(work, rest_x);
    multiply(at_x, rest_z);
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      const Block& block = blocks[a];
      double left[3], right[3] = {0, 0, 0};
      unscale(block, scaling[a], rest_z.data() + block.row, left);
      if (block.kind != ConeKind::zero) scale(block, scaling[a], at_z.data() + block.row, right);
      for (int i = 0; i < block.dim; ++i) rest_z[block.row + i] = rho[block.row + i] - left[i] + right[i];
    }
    return std::sqrt(rest_x.squaredNorm() + rest_z.squaredNorm());
  }

  // [P Aᵀ; A −W²](dx, dz) = (f, W ρ): the factor, refinement as long as it halves the residual, then minimal residuals over what the factor
  // proposes (GMRES preconditioned by the factor), which repairs the few directions that the normal equations lost.
  bool solve_system(const Vector& f, const Vector& rho, Vector& out_x, Vector& out_z) {
    solve_once(f, rho, out_x, out_z);
    const double enough = accuracy * (f.norm() + rho.norm());
    double last = residual(f, rho, out_x, out_z);
    for (int k = 0; k < kRefinements && last > enough; ++k) {
      solve_once(rest_x, rest_z, step_x, step_z);
      out_x += step_x;
      out_z += step_z;
      const double now = residual(f, rho, out_x, out_z);
      if (!(now < 0.5 * last)) {
        if (!(now < last)) {  // the correction did harm: take it back
          out_x -= step_x;
          out_z -= step_z;
          last = residual(f, rho, out_x, out_z);
        } else {
          last = now;
        }
        if (last > enough) minimise_residual(f, rho, last, enough, out_x, out_z);
        break;
      }
      last = now;
    }
    return out_x.allFinite() && out_z.allFinite();
  }

  // Flexible GMRES (Saad 1993) from (x, z), whose residual is in (rest_x, rest_z) with the norm `beta`.
  void minimise_residual(const Vector& f, const Vector& rho, double beta, double enough, Vector& at_x, Vector& at_z) {
    if (!std::isfinite(beta)) return;
    const Vector zero_x = Vector::Zero(n), zero_z = Vector::Zero(m);
    std::vector<Vector> basis_x = {rest_x / beta}, basis_z = {rest_z / beta}, try_x, try_z;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(kKrylov + 1, kKrylov);
    Vector y;
    for (int j = 0; j < kKrylov; ++j) {
      solve_once(basis_x[j], basis_z[j], step_x, step_z);
      try_x.push_back(step_x);
      try_z.push_back(step_z);
      residual(zero_x, zero_z, step_x, step_z);  // minus the product
      Vector next_x = -rest_x, next_z = -rest_z;
      for (int i = 0; i <= j; ++i) {
        H(i, j) = next_x.dot(basis_x[i]) + next_z.dot(basis_z[i]);
        next_x -= H(i, j) * basis_x[i];
        next_z -= H(i, j) * basis_z[i];
      }
      H(j + 1, j) = std::sqrt(next_x.squaredNorm() + next_z.squaredNorm());
      const Eigen::MatrixXd part = H.topLeftCorner(j + 2, j + 1);
      const Vector rhs = beta * Vector::Unit(j + 2, 0);
      y = part.colPivHouseholderQr().solve(rhs);
      if (!(H(j + 1, j) > 0) || (rhs - part * y).norm() <= enough) break;
      basis_x.push_back(next_x / H(j + 1, j));
      basis_z.push_back(next_z / H(j + 1, j));
    }
    if (!y.allFinite()) return;
    Vector new_x = at_x, new_z = at_z;
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      new_x += y[j] * try_x[static_cast<std::size_t>(j)];
      new_z += y[j] * try_z[static_cast<std::size_t>(j)];
    }
    if (residual(f, rho, new_x, new_z) < beta) {
      at_x = std::move(new_x);
      at_z = std::move(new_z);
    }
  }

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
