// Helpers that the tests share: dense copies of sparse data, small problems, and a second implementation of the law written from the
// mathematics alone.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cornet/problem.h"
#include "cornet/result.h"
#include "samples/random.h"

namespace cornet::test {

using samples::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Both ends, both sides of 1 and a small coefficient, in turn.
template <class P>
P with_mixed_friction(P problem) {
  const double values[] = {0, 0.3, kInfinity, 1, 0.05};
  for (std::size_t a = 0; a < problem.mu.size(); ++a) problem.mu[a] = values[a % 5];
  return problem;
}

inline Eigen::VectorXd vec(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline std::vector<double> list(const Eigen::VectorXd& values) { return {values.data(), values.data() + values.size()}; }

/// Duplicates add, as problem.h says.
inline Eigen::MatrixXd dense(const SparseMatrix& a) {
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(a.rows, a.cols);
  const auto at = [](const std::vector<int>& v, int k) { return v[static_cast<std::size_t>(k)]; };
  const int outer = a.storage == Storage::csc ? a.cols : a.storage == Storage::csr ? a.rows : 0;
  for (int o = 0; o < outer; ++o)
    for (int k = at(a.p, o); k < at(a.p, o + 1); ++k) {
      const double x = a.x[static_cast<std::size_t>(k)];
      if (a.storage == Storage::csc) d(at(a.i, k), o) += x;
      else d(o, at(a.i, k)) += x;
    }
  for (int k = 0; a.storage == Storage::triplet && k < a.entries(); ++k) d(at(a.i, k), at(a.p, k)) += a.x[static_cast<std::size_t>(k)];
  return d;
}

/// The non-zeros of d.
inline SparseMatrix sparse(const Eigen::MatrixXd& d, Storage storage = Storage::csc) {
  SparseMatrix a;
  a.rows = static_cast<int>(d.rows());
  a.cols = static_cast<int>(d.cols());
  a.storage = storage;
  const bool by_rows = storage == Storage::csr;
  if (storage != Storage::triplet) a.p.push_back(0);
  for (int o = 0; o < (by_rows ? a.rows : a.cols); ++o) {
    for (int k = 0; k < (by_rows ? a.cols : a.rows); ++k) {
      const double x = by_rows ? d(o, k) : d(k, o);
      if (x == 0) continue;
      a.i.push_back(k);
      a.x.push_back(x);
      if (storage == Storage::triplet) a.p.push_back(o);
    }
    if (storage != Storage::triplet) a.p.push_back(a.entries());
  }
  return a;
}

/// The same matrix as triplets in random order, every entry as two that add up to it.
inline SparseMatrix shuffled_duplicates(const Eigen::MatrixXd& d, Random& random) {
  SparseMatrix once = sparse(d, Storage::triplet), a = once;
  a.p.clear();
  a.i.clear();
  a.x.clear();
  for (int piece = 0; piece < 2; ++piece)
    for (std::size_t k = 0; k < once.x.size(); ++k) {
      a.p.push_back(once.p[k]);
      a.i.push_back(once.i[k]);
      a.x.push_back(0.5 * once.x[k]);  // exact
    }
  for (std::size_t k = a.x.size(); k > 1; --k) {
    const auto other = static_cast<std::size_t>(random.index(static_cast<int>(k)));
    std::swap(a.p[k - 1], a.p[other]);
    std::swap(a.i[k - 1], a.i[other]);
    std::swap(a.x[k - 1], a.x[other]);
  }
  return a;
}

inline LocalProblem make_local(int dim, const Eigen::MatrixXd& w, const std::vector<double>& q, const std::vector<double>& mu,
                               Storage storage = Storage::csc) {
  LocalProblem problem;
  problem.dim = dim;
  problem.W = sparse(w, storage);
  problem.q = q;
  problem.mu = mu;
  problem.name = "fixture";
  return problem;
}

inline GlobalProblem make_global(int dim, const Eigen::MatrixXd& m, const Eigen::MatrixXd& h, const std::vector<double>& f,
                                 const std::vector<double>& w, const std::vector<double>& mu) {
  GlobalProblem problem;
  problem.dim = dim;
  problem.M = sparse(m);
  problem.H = sparse(h);
  problem.f = f;
  problem.w = w;
  problem.mu = mu;
  problem.name = "fixture";
  return problem;
}

inline Iterate reactions(const std::vector<double>& r) {
  Iterate x;
  x.r = r;
  return x;
}

inline Eigen::MatrixXd random_matrix(int rows, int cols, Random& random, double density = 1) {
  Eigen::MatrixXd a(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) a(i, j) = random.unit() < density ? random.uniform(-1, 1) : 0.0;
  return a;
}

inline std::vector<double> random_list(int size, Random& random, double lower = -1, double upper = 1) {
  std::vector<double> a;
  for (int k = 0; k < size; ++k) a.push_back(random.uniform(lower, upper));
  return a;
}

/// The law written from mathematics.md alone, one contact at a time, in double or long double.
template <class Real>
struct LawIn {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  /// P_K(z) of §2; for μ = 0 the half line r_T = 0, r_N ≥ 0.
  static Vector project(const Vector& z, Real mu) {
    const auto tail = z.tail(z.size() - 1);
    const Real t = tail.norm();
    Vector p = Vector::Zero(z.size());
    if (mu == 0) {
      p[0] = std::max<Real>(0, z[0]);
      return p;
    }
    if (t <= mu * z[0]) return z;
    if (mu * t <= -z[0]) return p;
    const Real s = (z[0] + mu * t) / (1 + mu * mu);
    p[0] = s;
    p.tail(z.size() - 1) = s * mu * tail / t;
    return p;
  }

  /// F^α of one contact.
  static Vector natural_map(const Vector& r, const Vector& u, Real mu) {
    if (std::isinf(mu)) {
      Vector f = u;
      f[0] = r[0] - std::max<Real>(0, r[0] - u[0]);
      return f;
    }
    Vector shifted = u;
    shifted[0] += mu * u.tail(u.size() - 1).norm();
    return r - project(r - shifted, mu);
  }

  /// ‖F(r)‖ over all contacts.
  static Real residual(int dim, const Vector& r, const Vector& u, const std::vector<double>& mu) {
    Real sum = 0;
    for (int k = 0; k < static_cast<int>(mu.size()); ++k)
      sum +=
          natural_map(r.segment(dim * k, dim), u.segment(dim * k, dim), static_cast<Real>(mu[static_cast<std::size_t>(k)])).squaredNorm();
    return std::sqrt(sum);
  }
};

using Law = LawIn<double>;

/// The default solver and two of other families.
inline std::vector<std::string> three_solvers() {
  std::vector<std::string> ids = {kDefaultSolver};
  for (const char* id : {"nsn-ac-gp", "fp-vi-upk", "nsgs-exact"})
    if (ids.size() < 3 && ids.front() != id) ids.push_back(id);
  return ids;
}

inline Result solve_with(const Problem& problem, const std::string& solver, double tolerance, const Iterate& guess = {}) {
  RunOptions options;
  options.solver = solver;
  options.tolerance = tolerance;
  options.time_limit = 60;
  return solve(problem, options, guess);
}

/// The one-line message of the exception of type E that `f` throws; a text that no message contains when it throws nothing or another type.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("<<another exception: ") + e.what() + ">>";
  }
  return "<<nothing was thrown>>";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace cornet::test
