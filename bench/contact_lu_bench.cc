// Newton matrices of interior-point steps on contact graphs: our factorisation against Eigen's, KLU and MUMPS, where they are installed.
//
//   contact_lu_bench [FILE…] [--spread 4] [--only REGEX] [--largest N]
//
//   local form    W + T P²                      3×3 blocks on the contact graph
//   global form   M + H (T P²)⁻¹ Hᵀ              6×6 blocks on the graph of the bodies
//
// P² is a Nesterov–Todd scaling whose eigenvalues lie between 10^−2·spread and 10^2·spread: a third of the contacts each as on its way to
// take-off (all large), stick (all small) and slide (one of each, and one of size 1); T = I − e₁ tᵀ with ‖t‖ < 1. Statuses are drawn.
//
// One row per matrix and code, one thread, in microseconds, the least of several runs: analysis (ordering and symbolic), one factorisation
// with the analysis at hand, one solve; then the relative residual of a plain solve and the error in x against a known x, in the largest
// entry. For ours the solve includes residual and refinement, for the others it does not. KLU factorises again with its old pivots
// (klu_refactor), which is what a Newton method would do; "first" is its first factorisation, with pivoting.
#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SparseLU>
#if defined(CORNET_SUITESPARSE)
#include <klu.h>
#endif
#if defined(CORNET_MUMPS)
#include <dmumps_c.h>
#endif
#include <chrono>
#include <cmath>
#include <functional>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "linalg/contact_lu.h"

namespace {

using namespace cornet;
using Eigen::Matrix3d;
using Eigen::VectorXd;

double microseconds(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY, total = 0;
  for (int k = 0; k < 200 && (k < 3 || total < 0.1); ++k) {
    const auto start = Clock::now();
    run();
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, time);
    total += time;
    if (total > 5) break;
  }
  return 1e6 * best;
}

/// T P² of every contact.
std::vector<Matrix3d> scalings(int contacts, double spread) {
  std::mt19937_64 engine(11);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<Matrix3d> result;
  for (int k = 0; k < contacts; ++k) {
    const int status = static_cast<int>(3 * uniform());
    const double size = std::pow(10.0, spread * (0.7 + 0.3 * uniform()));
    // Spectral values of w⁻¹: P² = Q(w⁻¹) has their squares and their product as eigenvalues.
    const double one = status == 0 ? size : 1 / size, two = status == 1 ? 1 / size : size;
    const double angle = 2 * M_PI * uniform(), slip = 2 * M_PI * uniform(), part = 0.95 * uniform();
    const Eigen::Vector3d w((one + two) / 2, (one - two) / 2 * std::cos(angle), (one - two) / 2 * std::sin(angle));
    Matrix3d Q = 2 * w * w.transpose();
    Q.diagonal() += one * two * Eigen::Vector3d(-1, 1, 1);
    Matrix3d T = Matrix3d::Identity();
    T(0, 1) = -part * std::cos(slip);
    T(0, 2) = -part * std::sin(slip);
    result.push_back(T * Q);
  }
  return result;
}

SparseColumns block_diagonal(const std::vector<Matrix3d>& blocks) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) entries.emplace_back(static_cast<int>(3 * k) + i, static_cast<int>(3 * k) + j, blocks[k](i, j));
  SparseColumns A(3 * static_cast<int>(blocks.size()), 3 * static_cast<int>(blocks.size()));
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

struct Matrix {
  std::string name;
  int contacts, d;
  SparseColumns A;
  BlockPattern pattern;
  std::vector<double> blocks;
};

/// The matrix with every block that it touches stored in full.
Matrix in_blocks(std::string name, int contacts, int d, const SparseColumns& given) {
  Matrix m{std::move(name), contacts, d, {}, {}, {}};
  m.pattern.d = d;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int J = 0; J < given.cols() / d; ++J) {
    std::vector<int> rows{J};
    for (int j = J * d; j < (J + 1) * d; ++j)
      for (SparseColumns::InnerIterator it(given, j); it; ++it) rows.push_back(static_cast<int>(it.row()) / d);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int I : rows)
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) {
          m.blocks.push_back(given.coeff(I * d + r, J * d + c));
          entries.emplace_back(I * d + r, J * d + c, m.blocks.back());
        }
    m.pattern.row.insert(m.pattern.row.end(), rows.begin(), rows.end());
    m.pattern.start.push_back(static_cast<int>(m.pattern.row.size()));
  }
  m.A.resize(given.rows(), given.cols());
  m.A.setFromTriplets(entries.begin(), entries.end());
  m.A.makeCompressed();
  return m;
}

struct Times {
  double analysis = NAN, first = NAN, factorisation = NAN, solve = NAN;
  VectorXd x;
  std::string note;
};

Times ours(const Matrix& m, const VectorXd& b) {
  Times t;
  t.analysis = microseconds([&] {
    ContactLu fresh;
    fresh.analyse(m.pattern);
  });
  ContactLu lu;
  lu.analyse(m.pattern);
  t.factorisation = microseconds([&] { lu.factorise(m.blocks.data()); });
  t.x.resize(b.size());
  t.solve = microseconds([&] { lu.solve(b.data(), t.x.data()); });
  const char* const words[] = {"factors", "refined", "gmres", "general"};
  t.note = fmt::format("{} supernodes, {} replaced, growth {:.0e}, {}{}", lu.factors().analysis().supernodes(),
                       lu.factors().replaced_pivots(), lu.factors().growth(), words[static_cast<int>(lu.method())],
                       lu.factors().analysis().nested_dissection ? ", dissected" : "");
  return t;
}

// The same factorisation without knowledge of the blocks.
Times ours_scalar(const Matrix& m, const VectorXd& b) {
  Times t;
  t.analysis = microseconds([&] {
    SupernodalLu fresh;
    fresh.analyse(m.A);
  });
  SupernodalLu lu;
  lu.analyse(m.A);
  t.factorisation = microseconds([&] { lu.factorise(m.A); });
  t.solve = microseconds([&] {
    t.x = b;
    lu.solve(t.x.data());
  });
  return t;
}

Times eigen(const Matrix& m, const VectorXd& b) {
  Times t;
  Eigen::SparseLU<SparseColumns> lu;
  t.analysis = microseconds([&] { lu.analyzePattern(m.A); });
  t.factorisation = microseconds([&] { lu.factorize(m.A); });
  if (lu.info() != Eigen::Success) return t;
  t.solve = microseconds([&] { t.x = lu.solve(b); });
  return t;
}

Times eigen_dense(const Matrix& m, const VectorXd& b) {
  Times t;
  t.analysis = 0;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(m.A.rows());
  Eigen::MatrixXd dense(m.A.rows(), m.A.cols());
  t.factorisation = microseconds([&] {
    dense = m.A;
    lu.compute(dense);
  });
  t.solve = microseconds([&] { t.x = lu.solve(b); });
  return t;
}

#if defined(CORNET_SUITESPARSE)
Times klu(const Matrix& m, const VectorXd& b) {
  Times t;
  SparseColumns A = m.A;
  const int n = static_cast<int>(A.rows());
  klu_common common;
  klu_defaults(&common);
  klu_symbolic* symbolic = nullptr;
  t.analysis = microseconds([&] {
    if (symbolic) klu_free_symbolic(&symbolic, &common);
    symbolic = klu_analyze(n, A.outerIndexPtr(), A.innerIndexPtr(), &common);
  });
  klu_numeric* numeric = nullptr;
  t.first = microseconds([&] {
    if (numeric) klu_free_numeric(&numeric, &common);
    numeric = klu_factor(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), symbolic, &common);
  });
  if (!numeric) return t;
  t.factorisation = microseconds([&] { klu_refactor(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), symbolic, numeric, &common); });
  t.solve = microseconds([&] {
    t.x = b;
    klu_solve(symbolic, numeric, n, 1, t.x.data(), &common);
  });
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return t;
}
#endif

#if defined(CORNET_MUMPS)
Times mumps(const Matrix& m, const VectorXd& b) {
  Times t;
  std::vector<MUMPS_INT> row, column;
  SparseColumns A = m.A;
  for (int j = 0; j < A.cols(); ++j)
    for (SparseColumns::InnerIterator it(A, j); it; ++it) row.push_back(static_cast<int>(it.row()) + 1), column.push_back(j + 1);
  DMUMPS_STRUC_C id{};
  id.comm_fortran = -987654;
  id.par = 1;
  id.sym = 0;
  const auto job = [&](int which) {
    id.job = which;
    dmumps_c(&id);
  };
  job(-1);
  for (int k = 0; k < 4; ++k) id.icntl[k] = k == 3 ? 0 : -1;
  id.icntl[13] = 100;  // room for delayed pivots, per cent
  id.n = static_cast<int>(A.rows());
  id.nnz = A.nonZeros();
  id.irn = row.data();
  id.jcn = column.data();
  id.a = A.valuePtr();
  t.analysis = microseconds([&] { job(1); });
  t.factorisation = microseconds([&] { job(2); });
  if (id.infog[0] >= 0)
    t.solve = microseconds([&] {
      t.x = b;
      id.rhs = t.x.data();
      job(3);
    });
  job(-2);
  return t;
}
#endif

void report(const Matrix& m, const char* code, const Times& t, const VectorXd& exact, const VectorXd& b) {
  const bool there = t.x.size() == b.size();
  const double residual = there ? (m.A * t.x - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff() : NAN;
  const double error = there ? (t.x - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff() : NAN;
  fmt::print("| {:<30} | {:>6} | {:>6} | {:<12} | {:>9.0f} | {:>9.0f} | {:>8.1f} | {:.0e} | {:.0e} | {}\n", m.name, m.contacts, m.A.rows(),
             code, t.analysis, t.factorisation, t.solve, residual, error,
             std::isnan(t.first) ? t.note : fmt::format("first {:.0f}", t.first));
  std::fflush(stdout);
}

void compare(const Matrix& m) {
  std::mt19937_64 engine(5);
  VectorXd exact(m.A.rows());
  for (auto& value : exact) value = 2 * static_cast<double>(engine() >> 11) * 0x1p-53 - 1;
  const VectorXd b = m.A * exact;
  report(m, "ContactLu", ours(m, b), exact, b);
  if (m.d > 1) report(m, "no blocks", ours_scalar(m, b), exact, b);
  if (m.A.rows() <= 1500) report(m, "Eigen dense", eigen_dense(m, b), exact, b);
  const bool slow = m.A.nonZeros() > 1000000;
  if (!slow) report(m, "Eigen sparse", eigen(m, b), exact, b);
#if defined(CORNET_SUITESPARSE)
  if (!slow) report(m, "KLU", klu(m, b), exact, b);
#endif
#if defined(CORNET_MUMPS)
  report(m, "MUMPS", mumps(m, b), exact, b);
#endif
}

void add(std::vector<Matrix>& all, const std::string& name, const Problem& problem, double spread, int largest) {
  if (dimension(problem) != 3 || contacts(problem) > largest || contacts(problem) == 0) return;
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const auto P = scalings(contacts(problem), spread);
  const LocalProblem local = global ? reduce(*global).local() : condense(std::get<LocalProblem>(problem));
  SparseColumns W = to_columns(local.W);
  W *= static_cast<double>(W.rows()) / VectorXd(W.diagonal()).sum();
  all.push_back(in_blocks(name + " local", contacts(problem), 3, W + block_diagonal(P)));
  if (!global || global->G || global->dofs() % 6 != 0) return;
  std::vector<Matrix3d> inverse;
  for (const auto& block : P) inverse.push_back(block.inverse());
  const SparseColumns H = to_columns(global->H), M = to_columns(global->M);
  const SparseColumns S = M + SparseColumns(H * block_diagonal(inverse) * SparseColumns(H.transpose()));
  all.push_back(in_blocks(name + " global", contacts(problem), 6, S));
}

}  // namespace

int main(int argc, char** argv) {
  double spread = 4;
  int largest = 1 << 30;
  std::string only;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--spread") spread = std::stod(argv[++k]);
    else if (word == "--only") only = argv[++k];
    else if (word == "--largest") largest = std::stoi(argv[++k]);
    else files.push_back(word);
  }
  std::vector<Matrix> all;
  for (const auto& file : files) {
    const auto slash = file.find_last_of('/');
    add(all, file.substr(slash == std::string::npos ? 0 : slash + 1, 22), read(file), spread, largest);
  }
  if (files.empty()) {
    add(all, "boxes 12", samples::box_stack(12, 0.5), spread, largest);
    add(all, "spheres 50", samples::spheres_with_contacts(50, 0.5, 1), spread, largest);
    add(all, "spheres 300", samples::spheres_with_contacts(300, 0.5, 1), spread, largest);
    add(all, "wall 6x6", samples::brick_wall(6, 6, 0.5), spread, largest);
    add(all, "spheres 2000", samples::spheres_with_contacts(2000, 0.5, 1), spread, largest);
    add(all, "wall 12x12", samples::brick_wall(12, 12, 0.5), spread, largest);
    add(all, "spheres 20000", samples::spheres_with_contacts(20000, 0.5, 1), spread, largest);
  }
  fmt::print("| matrix | contacts | rows | code | analysis µs | factorisation µs | solve µs | residual | error | notes\n");
  for (const auto& m : all)
    if (only.empty() || std::regex_search(m.name, std::regex(only))) compare(m);
}
