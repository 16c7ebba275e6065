// The linear algebra of the interior-point method (conic_qp.h): the problem scaled, the reduced system P + AᵀW⁻²A with its factor, and solutions
// of the Newton system [P Aᵀ; A −W²] refined beyond what the normal equations keep.
#pragma once

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "convex/conic_qp.h"
#include "convex/lorentz.h"
#include "linalg/supernodal.h"

namespace cornet::conic {

using Vector = Eigen::VectorXd;

constexpr int kEquilibrations = 4;
constexpr double kZeroRow = 1e-4;      // W of rows with s = 0 in the factor; refinement removes its influence
constexpr double kRegularise = 1e-14;  // relative increase of each diagonal entry where the factorisation breaks down, ×100 up to
constexpr double kMostRegular = 1e-6;  // this; removed by the refinement likewise
constexpr double kProximal = 1e-11;  // δ in the proximal term ½δ‖dx‖² of every step: keeps x from drifting where nothing depends on it
constexpr int kRefinements = 6;
constexpr int kKrylov = 12;  // longest GMRES run

// One cone with its rows of A as a small dense matrix over the columns they touch.
struct Block {
  ConeKind kind;
  int dim;
  int row;                // first row
  int first, count;       // columns_[first … first + count)
  std::size_t values;     // dim × count, column by column
  std::size_t positions;  // where entry (i ≤ j) of the count × count product goes in the factorised matrix
};

// The scaled problem E A D, D P D, with D over the variables and E one number per cone, so that rows and columns have entries near one; then
// b and c are brought to size one by `sb` and `sc`. Everything inside works on the scaled problem, and so are the residuals; points and
// objectives are reported in the problem's own units.
struct ConicSystem {
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
};

}  // namespace cornet::conic
