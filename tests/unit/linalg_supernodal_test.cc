// Supernodal factorisations against dense ones of Eigen, on graphs of many shapes; the dense kernels alone, in both versions.
#include "linalg/supernodal.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>

#include "cornet/error.h"
#include "linalg/supernodal_kernels.h"
#include "support/allocations.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1; }  // in [−1, 1)
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  MatrixXd matrix(int rows, int cols) {
    MatrixXd a(rows, cols);
    for (int k = 0; k < rows * cols; ++k) a.data()[k] = uniform();
    return a;
  }
  VectorXd vector(int n) { return matrix(n, 1); }

 private:
  std::mt19937_64 engine_;
};

struct Graph {
  const char* name;
  int nodes;
  std::vector<std::pair<int, int>> edges;
};

Graph path(int n) {
  Graph g{"path", n, {}};
  for (int v = 1; v < n; ++v) g.edges.emplace_back(v, v - 1);
  return g;
}

Graph random_tree(int n, unsigned seed) {
  Graph g{"tree", n, {}};
  Numbers numbers(seed);
  for (int v = 1; v < n; ++v) g.edges.emplace_back(v, numbers.below(v));
  return g;
}

Graph grid(int nx, int ny, int nz) {
  Graph g{"grid", nx * ny * nz, {}};
  const auto at = [&](int x, int y, int z) { return x + nx * (y + ny * z); };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        if (x > 0) g.edges.emplace_back(at(x, y, z), at(x - 1, y, z));
        if (y > 0) g.edges.emplace_back(at(x, y, z), at(x, y - 1, z));
        if (z > 0) g.edges.emplace_back(at(x, y, z), at(x, y, z - 1));
      }
  return g;
}

Graph random_graph(int n, int edges, unsigned seed) {
  Graph g{"random", n, {}};
  Numbers numbers(seed);
  for (int k = 0; k < edges; ++k) {
    const int a = numbers.below(n), b = numbers.below(n);
    if (a != b) g.edges.emplace_back(std::max(a, b), std::min(a, b));
  }
  return g;
}

/// Node `hub` is joined to all others.
Graph bordered(Graph g, int hub) {
  g.name = "bordered";
  for (int v = 0; v < g.nodes; ++v)
    if (v != hub) g.edges.emplace_back(std::max(v, hub), std::min(v, hub));
  return g;
}

Graph beside(const Graph& a, const Graph& b) {
  Graph g{"disconnected", a.nodes + b.nodes, a.edges};
  for (const auto& [i, j] : b.edges) g.edges.emplace_back(i + a.nodes, j + a.nodes);
  return g;
}

Graph complete(int n) {
  Graph g{"complete", n, {}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) g.edges.emplace_back(i, j);
  return g;
}

/// Random d×d blocks on the graph with a diagonal that dominates rows and columns.
SparseColumns matrix_on(const Graph& g, int d, bool symmetric, unsigned seed) {
  Numbers numbers(seed);
  const int n = g.nodes * d;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (const auto& [a, b] : g.edges)
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        const double x = numbers.uniform();
        entries.emplace_back(a * d + i, b * d + j, x);
        entries.emplace_back(b * d + j, a * d + i, symmetric ? x : numbers.uniform());
      }
  for (int a = 0; a < g.nodes; ++a)
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < i; ++j) {
        const double x = numbers.uniform();
        entries.emplace_back(a * d + i, a * d + j, x);
        entries.emplace_back(a * d + j, a * d + i, symmetric ? x : numbers.uniform());
      }
  std::vector<double> size(n, 1.0);
  for (const auto& e : entries) size[e.row()] += 0.5 * std::abs(e.value()), size[e.col()] += 0.5 * std::abs(e.value());
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, size[i] * (1 + 0.1 * numbers.uniform()));
  SparseColumns A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

SparseColumns lower_part(const SparseColumns& A) { return A.triangularView<Eigen::Lower>(); }

std::vector<Graph> graphs() {
  return {{"one", 1, {}},
          {"two", 2, {{1, 0}}},
          {"diagonal", 37, {}},
          path(50),
          random_tree(60, 3),
          grid(9, 7, 1),
          grid(4, 5, 4),
          random_graph(60, 150, 4),
          bordered(path(40), 39),
          bordered(random_tree(45, 5), 17),
          bordered({"star", 300, {}}, 0),
          beside(grid(5, 5, 1), random_tree(20, 6)),
          beside({"alone", 5, {}}, complete(12)),
          complete(25)};
}

template <class Factors>
VectorXd solved(const Factors& factors, const VectorXd& b) {
  VectorXd x = b;
  factors.solve(x.data());
  return x;
}

TEST(Supernodal, CholeskyAgreesWithDense) {
  for (const Graph& g : graphs())
    for (const int d : {1, 3, 6}) {
      SCOPED_TRACE(testing::Message() << g.name << " of " << g.nodes << " nodes of " << d);
      const SparseColumns A = matrix_on(g, d, true, 11);
      SupernodalCholesky cholesky;
      cholesky.analyse(lower_part(A));
      EXPECT_EQ(cholesky.size(), A.rows());
      ASSERT_TRUE(cholesky.factorise(lower_part(A)));
      EXPECT_EQ(cholesky.replaced_pivots(), 0);
      const VectorXd b = Numbers(12).vector(static_cast<int>(A.rows())), x = solved(cholesky, b), y = MatrixXd(A).llt().solve(b);
      EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm());
      EXPECT_LE((x - y).norm(), 1e-12 * y.norm());
      EXPECT_GE(cholesky.factor_entries(), (A.nonZeros() + A.rows()) / 2);
      EXPECT_LE(cholesky.factor_entries(), A.rows() * (A.rows() + 1) / 2);
      EXPECT_GE(cholesky.flops(), static_cast<double>(cholesky.factor_entries()));
    }
}

TEST(Supernodal, LuAgreesWithDense) {
  for (const Graph& g : graphs())
    for (const int d : {1, 3, 6}) {
      SCOPED_TRACE(testing::Message() << g.name << " of " << g.nodes << " nodes of " << d);
      const SparseColumns A = matrix_on(g, d, false, 13);
      SupernodalLu lu;
      lu.analyse(A);
      ASSERT_TRUE(lu.factorise(A));
      EXPECT_EQ(lu.replaced_pivots(), 0);
      const VectorXd b = Numbers(14).vector(static_cast<int>(A.rows())), x = solved(lu, b), y = MatrixXd(A).partialPivLu().solve(b);
      EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm());
      EXPECT_LE((x - y).norm(), 1e-12 * y.norm());
    }
}

TEST(Supernodal, EmptyMatrix) {
  const SparseColumns A(0, 0);
  SupernodalCholesky cholesky;
  cholesky.analyse(A);
  EXPECT_TRUE(cholesky.factorise(A));
  cholesky.solve(nullptr);
  EXPECT_EQ(cholesky.factor_entries(), 0);
  SupernodalLu lu;
  lu.analyse(A);
  EXPECT_TRUE(lu.factorise(A));
  lu.solve(nullptr);
  EXPECT_EQ(lu.factor_entries(), 0);
}

TEST(Supernodal, EntriesAboveTheDiagonalAreIgnored) {
  const SparseColumns A = matrix_on(grid(4, 4, 1), 3, true, 15);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): changed through the iterator
  SparseColumns garbage = A;
  for (int j = 0; j < garbage.outerSize(); ++j)
    for (SparseColumns::InnerIterator it(garbage, j); it; ++it)
      if (it.row() < j) it.valueRef() = std::numeric_limits<double>::quiet_NaN();
  const VectorXd b = Numbers(16).vector(48);
  SupernodalCholesky one, other;
  one.analyse(garbage);
  other.analyse(lower_part(A));
  ASSERT_TRUE(one.factorise(garbage));
  ASSERT_TRUE(other.factorise(lower_part(A)));
  EXPECT_EQ(solved(one, b), solved(other, b));
}

// A tree has no fill: all that is stored beyond the entries of A comes from merging, which trades numbers for fewer fronts.
TEST(Supernodal, FillOfTreesIsThatOfMergedSupernodesOnly) {
  for (const int d : {3, 6}) {
    const SparseColumns A = lower_part(matrix_on(random_tree(400, 17), d, true, 17));
    SupernodalCholesky cholesky;
    cholesky.analyse(A);
    EXPECT_LE(static_cast<double>(cholesky.factor_entries()), 2.5 * static_cast<double>(A.nonZeros())) << d;
    EXPECT_LT(cholesky.analysis().supernodes(), 400);
  }
}

TEST(Supernodal, DenseVariableIsEliminatedLast) {
  for (const int hub : {0, 700, 1999}) {
    const Graph g = bordered(path(2000), hub);
    const SparseColumns A = lower_part(matrix_on(g, 1, true, 18));
    SupernodalCholesky cholesky;
    cholesky.analyse(A);
    // The last front may hold a neighbour of the same structure after it.
    EXPECT_GE(cholesky.analysis().place[hub], 2000 - cholesky.analysis().width(cholesky.analysis().supernodes() - 1));
    EXPECT_LT(cholesky.factor_entries(), 20 * A.nonZeros());
    ASSERT_TRUE(cholesky.factorise(A));
    const VectorXd b = Numbers(19).vector(2000), x = solved(cholesky, b);
    EXPECT_LE((A.selfadjointView<Eigen::Lower>() * x - b).norm(), 1e-12 * b.norm());
  }
}

TEST(Supernodal, LargeGraphIsDissected) {
  const SparseColumns A = matrix_on(grid(20, 20, 20), 1, false, 20);
  SupernodalLu lu;
  lu.analyse(A);
  EXPECT_TRUE(lu.analysis().nested_dissection);
  // The order does not depend on what others have drawn from the generator that METIS shares with them.
  std::srand(99);
  SupernodalLu again;
  again.analyse(A);
  EXPECT_EQ(again.analysis().place, lu.analysis().place);
  EXPECT_GT(lu.analysis().largest_width, kPackColumns);
  ASSERT_TRUE(lu.factorise(A));
  const VectorXd b = Numbers(21).vector(8000), x = solved(lu, b);
  EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm());
}

// Every entry of the fill of this order, found by elimination on a dense pattern, has a place in the fronts.
TEST(Supernodal, FrontsHoldTheWholeFill) {
  const SparseColumns A = matrix_on(beside(grid(5, 4, 3), random_graph(40, 70, 22)), 1, true, 22);
  SupernodalCholesky cholesky;
  cholesky.analyse(lower_part(A));
  const SupernodalAnalysis& a = cholesky.analysis();
  const int n = a.size;
  Eigen::MatrixXi fill = Eigen::MatrixXi::Zero(n, n);
  for (int j = 0; j < n; ++j)
    for (SparseColumns::InnerIterator it(A, j); it; ++it) fill(a.place[it.row()], a.place[j]) = 1;
  for (int k = 0; k < n; ++k)
    for (int j = k + 1; j < n; ++j)
      if (fill(j, k))
        for (int i = k + 1; i < n; ++i) fill(i, j) |= fill(i, k);
  Eigen::MatrixXi held = Eigen::MatrixXi::Zero(n, n);
  long entries = 0;
  for (int s = 0; s < a.supernodes(); ++s)
    for (int j = a.first[s]; j < a.first[s + 1]; ++j) {
      for (int i = j; i < a.first[s + 1]; ++i) held(i, j) = 1, ++entries;
      for (long k = a.row_start[s]; k < a.row_start[s + 1]; ++k) held(a.rows[k], j) = 1, ++entries;
    }
  EXPECT_EQ(entries, cholesky.factor_entries());
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) EXPECT_LE(fill(i, j), held(i, j)) << i << ", " << j;
}

TEST(Supernodal, AnalysisIsReusedBitByBit) {
  const Graph g = random_graph(80, 200, 23);
  SupernodalCholesky cholesky;
  SupernodalLu lu;
  cholesky.analyse(lower_part(matrix_on(g, 6, true, 1)));
  lu.analyse(matrix_on(g, 6, false, 1));
  const VectorXd b = Numbers(24).vector(480);
  for (const unsigned seed : {2u, 3u, 2u}) {
    const SparseColumns A = lower_part(matrix_on(g, 6, true, seed)), B = matrix_on(g, 6, false, seed);
    SupernodalCholesky fresh;
    fresh.analyse(A);
    ASSERT_TRUE(fresh.factorise(A));
    ASSERT_TRUE(cholesky.factorise(A));
    EXPECT_EQ(solved(cholesky, b), solved(fresh, b));
    EXPECT_EQ(solved(cholesky, b), solved(cholesky, b));
    SupernodalLu fresh_lu;
    fresh_lu.analyse(B);
    ASSERT_TRUE(fresh_lu.factorise(B));
    ASSERT_TRUE(lu.factorise(B));
    EXPECT_EQ(solved(lu, b), solved(fresh_lu, b));
  }
}

#if CORNET_COUNTS_ALLOCATIONS
TEST(Supernodal, FactoriseAndSolveAllocateNothing) {
  const SparseColumns A = matrix_on(grid(8, 8, 4), 6, true, 25), L = lower_part(A);
  SupernodalCholesky cholesky;
  SupernodalLu lu;
  cholesky.analyse(L);
  lu.analyse(A);
  VectorXd x = Numbers(26).vector(static_cast<int>(A.rows()));
  const long before = allocations.load();
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(cholesky.factorise(L));
    cholesky.solve(x.data());
    ASSERT_TRUE(lu.factorise(A));
    lu.solve(x.data());
  }
  EXPECT_EQ(allocations.load(), before);
}
#endif

TEST(Supernodal, TinyPivotsAreReplacedAndCounted) {
  // The Laplacian of two separate grids: positive semi-definite with one zero eigenvalue each.
  const Graph g = beside(grid(5, 4, 1), grid(3, 3, 3));
  std::vector<Eigen::Triplet<double, int>> entries;
  for (const auto& [i, j] : g.edges) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(j, j, 1.0);
    entries.emplace_back(i, j, -1.0);
    entries.emplace_back(j, i, -1.0);
  }
  SparseColumns A(g.nodes, g.nodes);
  A.setFromTriplets(entries.begin(), entries.end());
  const VectorXd b = A * Numbers(27).vector(g.nodes);  // consistent
  SupernodalCholesky cholesky;
  cholesky.analyse(lower_part(A));
  ASSERT_TRUE(cholesky.factorise(lower_part(A)));
  EXPECT_EQ(cholesky.replaced_pivots(), 2);
  EXPECT_LE((A * solved(cholesky, b) - b).norm(), 1e-12 * b.norm());
  SupernodalLu lu;
  lu.analyse(A);
  ASSERT_TRUE(lu.factorise(A));
  EXPECT_EQ(lu.replaced_pivots(), 2);
  EXPECT_LE((A * solved(lu, b) - b).norm(), 1e-12 * b.norm());
}

TEST(Supernodal, ZeroMatrixHasOnlyReplacedPivots) {
  SparseColumns A(7, 7);
  A.makeCompressed();
  SupernodalCholesky cholesky;
  cholesky.analyse(A);
  ASSERT_TRUE(cholesky.factorise(A));
  EXPECT_EQ(cholesky.replaced_pivots(), 7);
  SupernodalLu lu;
  lu.analyse(A);
  ASSERT_TRUE(lu.factorise(A));
  EXPECT_EQ(lu.replaced_pivots(), 7);
  EXPECT_TRUE(solved(lu, VectorXd::Ones(7)).allFinite());
}

TEST(Supernodal, IndefiniteOrNotFiniteFails) {
  for (const Graph& g : {grid(4, 4, 2), path(1)}) {
    SparseColumns A = lower_part(matrix_on(g, 3, true, 28));
    SupernodalCholesky cholesky;
    cholesky.analyse(A);
    ASSERT_TRUE(cholesky.factorise(A));
    const int last = static_cast<int>(A.rows()) - 1;
    const double good = A.coeff(last, last);
    for (const double bad : {-good, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      A.coeffRef(last, last) = bad;
      EXPECT_FALSE(cholesky.factorise(A)) << bad;
    }
    A.coeffRef(last, last) = good;
    EXPECT_TRUE(cholesky.factorise(A));
    SparseColumns B = matrix_on(g, 3, false, 28);
    SupernodalLu lu;
    lu.analyse(B);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      B.coeffRef(last, last) = bad;
      EXPECT_FALSE(lu.factorise(B)) << bad;
    }
  }
}

// Blocks with a zero diagonal: hopeless without exchanges of rows inside the block.
TEST(Supernodal, LuExchangesRowsInsideABlock) {
  SparseColumns A = matrix_on(grid(4, 4, 2), 3, false, 29);
  for (int v = 0; v < 32; ++v)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A.coeffRef(3 * v + i, 3 * v + j) = (i + 1) % 3 == j ? 40.0 + v : 0.0;
  SupernodalLu lu;
  lu.analyse(A);
  ASSERT_TRUE(lu.factorise(A));
  EXPECT_EQ(lu.replaced_pivots(), 0);
  const VectorXd b = Numbers(30).vector(96), x = solved(lu, b);
  EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm());
}

TEST(Supernodal, LuTakesAnUnsymmetricPattern) {
  const SparseColumns full = matrix_on(random_graph(70, 160, 31), 2, false, 31);
  SparseColumns A = full;
  A.prune([](int i, int j, double) { return i == j || (i * 7 + j * 3) % 4 != 0; });
  SupernodalLu lu;
  lu.analyse(A);
  ASSERT_TRUE(lu.factorise(A));
  const VectorXd b = Numbers(32).vector(140), x = solved(lu, b);
  EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm());
}

TEST(Supernodal, AnotherPatternIsRefused) {
  const SparseColumns A = lower_part(matrix_on(path(10), 2, true, 33)), B = lower_part(matrix_on(path(11), 2, true, 33));
  SparseColumns rectangular(3, 4);
  rectangular.makeCompressed();
  SupernodalCholesky cholesky;
  SupernodalLu lu;
  cholesky.analyse(A);
  lu.analyse(A);
  EXPECT_THROW(cholesky.factorise(B), Error);
  EXPECT_THROW(lu.factorise(B), Error);
  EXPECT_THROW(cholesky.analyse(rectangular), Error);
  EXPECT_THROW(lu.analyse(rectangular), Error);
}

class Kernels : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    kernels_ = GetParam() ? avx2_kernels() : &portable_kernels();
    if (!kernels_) GTEST_SKIP() << "no AVX2 here";
  }
  const DenseKernels* kernels_ = nullptr;
  std::vector<double> pack_ = std::vector<double>(pack_size(1000));
};

const std::vector<std::pair<int, int>> kFronts = {{1, 0}, {1, 1},  {2, 5},   {3, 9},    {6, 0},    {6, 18},  {7, 13},  {8, 4},
                                                  {9, 1}, {12, 7}, {25, 31}, {48, 100}, {70, 205}, {130, 3}, {210, 0}, {300, 260}};

TEST_P(Kernels, CholeskyOfAFront) {
  for (const auto& [nc, nb] : kFronts) {
    SCOPED_TRACE(testing::Message() << nc << " + " << nb);
    const int m = nc + nb;
    Numbers numbers(40);
    MatrixXd F = numbers.matrix(m, m);
    F = (F * F.transpose() / m + MatrixXd::Identity(m, m)).eval();
    MatrixXd panel = F.leftCols(nc), update = MatrixXd::Constant(nb, nb, 7.0);
    const Front front{panel.data(), nullptr, update.data(), nc, nb};
    const std::vector<double> scale(nc, 1.0);
    PivotRule rule{scale.data(), 1e-14, 1e-8, 0};
    ASSERT_TRUE(kernels_->cholesky(front, rule, pack_.data()));
    EXPECT_EQ(rule.replaced, 0);
    MatrixXd L = panel;
    for (int j = 0; j < nc; ++j) {
      L.col(j).head(j).setZero();
      L(j, j) = 1 / L(j, j);
    }
    EXPECT_LE((L * L.topRows(nc).transpose() - F.leftCols(nc)).norm(), 1e-13 * F.norm());
    if (nb > 0) kernels_->update_symmetric(front, pack_.data());
    const MatrixXd expected = -L.bottomRows(nb) * L.bottomRows(nb).transpose();
    const MatrixXd difference = (update - expected).triangularView<Eigen::Lower>();
    EXPECT_LE(difference.norm(), 1e-13 * F.norm());

    VectorXd x = numbers.vector(m);
    const VectorXd given = x;
    kernels_->solve_forward(panel.data(), nc, nb, false, x.data());
    EXPECT_LE((L.topRows(nc) * x.head(nc) - given.head(nc)).norm(), 1e-12 * given.norm());
    EXPECT_LE((x.tail(nb) + L.bottomRows(nb) * x.head(nc) - given.tail(nb)).norm(), 1e-12 * given.norm());
    VectorXd y = given;
    kernels_->solve_backward(panel.data(), nc, nb, false, y.data());
    EXPECT_EQ(y.tail(nb), given.tail(nb));
    EXPECT_LE((L.topRows(nc).transpose() * y.head(nc) + L.bottomRows(nb).transpose() * given.tail(nb) - given.head(nc)).norm(),
              1e-12 * given.norm());
  }
}

TEST_P(Kernels, LuOfAFront) {
  for (const auto& [nc, nb] : kFronts) {
    SCOPED_TRACE(testing::Message() << nc << " + " << nb);
    const int m = nc + nb;
    Numbers numbers(41);
    const MatrixXd F = numbers.matrix(m, m);
    MatrixXd lower = F.leftCols(nc), upper = MatrixXd::Zero(m, nc), update = MatrixXd::Constant(nb, nb, 7.0);
    upper.bottomRows(nb) = F.topRightCorner(nc, nb).transpose();
    const Front front{lower.data(), upper.data(), update.data(), nc, nb};
    const std::vector<double> scale(nc, 1.0);
    std::vector<int> swaps(nc, -1);
    PivotRule rule{scale.data(), 1e-14, 1e-8, 0};
    ASSERT_TRUE(kernels_->lu(front, rule, swaps.data(), pack_.data()));
    EXPECT_EQ(rule.replaced, 0);
    MatrixXd L = lower, U = upper.transpose(), PF = F;
    for (int j = 0; j < nc; ++j) {
      ASSERT_GE(swaps[j], j);
      ASSERT_LT(swaps[j], nc);
      PF.row(j).swap(PF.row(swaps[j]));
      L.col(j).head(j).setZero();
      L(j, j) = 1;
      U.col(j).tail(nc - j).setZero();
      U(j, j) = 1 / upper(j, j);
      EXPECT_LE(L.col(j).head(nc).cwiseAbs().maxCoeff(), 1.0);
    }
    const double grown = 1e-13 * (L.norm() * U.norm());
    EXPECT_LE((L * U.leftCols(nc) - PF.leftCols(nc)).norm(), grown);
    EXPECT_LE((L.topRows(nc) * U - PF.topRows(nc)).norm(), grown);
    if (nb > 0) kernels_->update_general(front, pack_.data());
    EXPECT_LE((update + L.bottomRows(nb) * U.rightCols(nb)).norm(), grown);
  }
}

TEST_P(Kernels, PivotRules) {
  const std::vector<double> scale = {1.0, 4.0, 1.0};
  MatrixXd panel = Eigen::Vector3d(1.0, 1e-14, 9.0).asDiagonal();
  PivotRule rule{scale.data(), 1e-14, 1e-8, 0};
  ASSERT_TRUE(kernels_->cholesky({panel.data(), nullptr, nullptr, 3, 0}, rule, pack_.data()));
  EXPECT_EQ(rule.replaced, 1);
  EXPECT_DOUBLE_EQ(panel(1, 1), 1 / std::sqrt(4e-8));
  EXPECT_DOUBLE_EQ(panel(2, 2), 1.0 / 3);
  panel = Eigen::Vector3d(1.0, -5e-8, 9.0).asDiagonal();
  rule = {scale.data(), 1e-14, 1e-8, 0};
  EXPECT_FALSE(kernels_->cholesky({panel.data(), nullptr, nullptr, 3, 0}, rule, pack_.data()));

  MatrixXd lower = Eigen::Vector3d(1.0, -1e-14, 9.0).asDiagonal(), upper = MatrixXd::Zero(3, 3);
  int swaps[3];
  rule = {scale.data(), 1e-14, 1e-8, 0};
  ASSERT_TRUE(kernels_->lu({lower.data(), upper.data(), nullptr, 3, 0}, rule, swaps, pack_.data()));
  EXPECT_EQ(rule.replaced, 1);
  EXPECT_DOUBLE_EQ(upper(1, 1), -1 / 4e-8);
}

// A child of five rows, two of them eliminated by the parent.
TEST_P(Kernels, UpdatesOfAChildAreAdded) {
  const std::vector<FrontRun> runs = {{0, 1, 2}, {2, 3, 1}, {3, 6, 2}};
  const std::vector<int> to = {1, 2, 3, 6, 7};
  const int nc = 3, nb = 6, m = 9;
  const MatrixXd child = Numbers(42).matrix(5, 5);
  MatrixXd expected = MatrixXd::Zero(m, m);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) expected(to[i], to[j]) = child(i, j);
  MatrixXd lower = MatrixXd::Zero(m, nc), upper = MatrixXd::Zero(m, nc), update = MatrixXd::Zero(nb, nb);
  const Front parent{lower.data(), upper.data(), update.data(), nc, nb};
  kernels_->add_to_panel_symmetric(child.data(), 5, runs.data(), runs.data() + 3, parent);
  kernels_->add_to_update_symmetric(child.data(), 5, runs.data(), runs.data() + 3, parent);
  const MatrixXd low = expected.triangularView<Eigen::Lower>();
  EXPECT_EQ(lower, low.leftCols(nc));
  EXPECT_EQ(update, low.bottomRightCorner(nb, nb));
  lower.setZero();
  update.setZero();
  kernels_->add_to_panels_general(child.data(), 5, runs.data(), runs.data() + 3, parent);
  kernels_->add_to_update_general(child.data(), 5, runs.data(), runs.data() + 3, parent);
  EXPECT_EQ(lower, expected.leftCols(nc));
  EXPECT_EQ(upper.bottomRows(nb), expected.topRightCorner(nc, nb).transpose());
  EXPECT_EQ(update, expected.bottomRightCorner(nb, nb));
}

INSTANTIATE_TEST_SUITE_P(Versions, Kernels, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& i) { return std::string(i.param ? "Avx2" : "Portable"); });

}  // namespace
}  // namespace cornet
