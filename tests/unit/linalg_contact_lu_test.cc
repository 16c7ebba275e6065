#include "linalg/contact_lu.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cornet/error.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double number(std::mt19937_64& engine) { return 2 * static_cast<double>(engine() >> 11) * 0x1p-53 - 1; }

VectorXd vector(int n, unsigned seed) {
  std::mt19937_64 engine(seed);
  VectorXd x(n);
  for (auto& value : x) value = number(engine);
  return x;
}

/// A block-sparse matrix and the same numbers in full.
struct Sample {
  BlockPattern pattern;
  std::vector<double> values;

  MatrixXd dense() const {
    const int d = pattern.d;
    MatrixXd A = MatrixXd::Zero(pattern.size(), pattern.size());
    for (int j = 0, k = 0; j < pattern.columns(); ++j)
      for (; k < pattern.start[j + 1]; ++k)
        A.block(pattern.row[k] * d, j * d, d, d) = Eigen::Map<const MatrixXd>(values.data() + static_cast<std::ptrdiff_t>(k) * d * d, d, d);
    return A;
  }
};

/// The nonzero blocks of a full matrix.
Sample sample_of(const MatrixXd& A, int d) {
  Sample s;
  s.pattern.d = d;
  for (int j = 0; j < A.cols() / d; ++j) {
    for (int i = 0; i < A.rows() / d; ++i) {
      const MatrixXd block = A.block(i * d, j * d, d, d);
      if (block.isZero(0)) continue;
      s.pattern.row.push_back(i);
      s.values.insert(s.values.end(), block.data(), block.data() + d * d);
    }
    s.pattern.start.push_back(static_cast<int>(s.pattern.row.size()));
  }
  return s;
}

/// A chain with random chords; an edge may have a block on one side of the diagonal only.
MatrixXd random_matrix(int nodes, int chords, int d, double diagonal, unsigned seed) {
  std::mt19937_64 engine(seed);
  MatrixXd A = MatrixXd::Zero(nodes * d, nodes * d);
  const auto fill = [&](int i, int j) {
    for (int r = 0; r < d; ++r)
      for (int c = 0; c < d; ++c) A(i * d + r, j * d + c) = number(engine);
  };
  for (int k = 0; k < nodes; ++k) fill(k, k);
  for (int k = 1; k < nodes; ++k) fill(k, k - 1), fill(k - 1, k);
  for (int k = 0; k < chords; ++k) fill(static_cast<int>(engine() % nodes), static_cast<int>(engine() % nodes));
  A.diagonal().array() += diagonal;
  return A;
}

double residual(const MatrixXd& A, const VectorXd& x, const VectorXd& b) {
  return (A * x - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

TEST(ContactLu, AgreesWithDense) {
  for (const int d : {1, 2, 3, 6})
    for (const int nodes : {1, 2, 7, 40, 120}) {
      SCOPED_TRACE(testing::Message() << nodes << " blocks of " << d);
      const MatrixXd A = random_matrix(nodes, nodes / 2, d, 6.0 * d, 1);
      const Sample s = sample_of(A, d);
      ASSERT_EQ(s.dense(), A);
      ContactLu lu;
      EXPECT_TRUE(lu.analyse(s.pattern));
      ASSERT_TRUE(lu.factorise(s.values.data()));
      const VectorXd b = vector(nodes * d, 2), y = A.partialPivLu().solve(b);
      VectorXd x(nodes * d);
      EXPECT_LE(lu.solve(b.data(), x.data()), 1e-12);
      EXPECT_LE(residual(A, x, b), 1e-12);
      EXPECT_LE((x - y).norm(), 1e-12 * y.norm());
      EXPECT_EQ(lu.counts().general, 0);
      EXPECT_LT(lu.factors().growth(), 100);
    }
}

TEST(ContactLu, AnalysisIsKeptWhileThePatternStays) {
  const Sample one = sample_of(random_matrix(30, 10, 3, 10, 3), 3), other = sample_of(random_matrix(30, 10, 3, 10, 4), 3);
  ContactLu lu;
  EXPECT_TRUE(lu.analyse(one.pattern));
  EXPECT_FALSE(lu.analyse(one.pattern));
  BlockPattern wider = one.pattern;
  wider.d = 2;
  EXPECT_TRUE(lu.analyse(wider));
  EXPECT_TRUE(lu.analyse(other.pattern));
  EXPECT_FALSE(lu.analyse(other.pattern));
  EXPECT_EQ(lu.counts().analyses, 3);
  const VectorXd b = vector(90, 5);
  VectorXd x(90);
  for (double factor : {1.0, -3.0}) {
    std::vector<double> values = other.values;
    for (double& value : values) value *= factor;
    ASSERT_TRUE(lu.factorise(values.data()));
    EXPECT_LE(lu.solve(b.data(), x.data()), 1e-13);
    EXPECT_LE(residual(factor * other.dense(), x, b), 1e-12);
  }
}

// Rows and columns in units that differ by 2^±80: the answer must not notice, up to rounding, because the equilibration takes the units out.
TEST(ContactLu, UnitsOfRowsAndColumnsDoNotMatter) {
  const MatrixXd A = random_matrix(50, 20, 3, 8, 6);
  const VectorXd b = vector(150, 7);
  std::mt19937_64 engine(8);
  VectorXd rows(150), columns(150);
  for (int i = 0; i < 150; ++i) {
    rows[i] = std::ldexp(1.0, static_cast<int>(engine() % 161) - 80);
    columns[i] = std::ldexp(1.0, static_cast<int>(engine() % 161) - 80);
  }
  const Sample s = sample_of(rows.asDiagonal() * A * columns.asDiagonal(), 3);
  ContactLu lu;
  lu.analyse(s.pattern);
  ASSERT_TRUE(lu.factorise(s.values.data()));
  EXPECT_EQ(lu.factors().replaced_pivots(), 0);
  for (double value : lu.factors().scaled_values()) ASSERT_LE(std::abs(value), 4);
  const VectorXd scaled = rows.cwiseProduct(b), exact = A.partialPivLu().solve(b);
  VectorXd x(150);
  EXPECT_LE(lu.solve(scaled.data(), x.data()), 1e-12);
  EXPECT_LE((columns.cwiseProduct(x) - exact).norm(), 1e-11 * exact.norm());
}

// A permutation of one cycle plus a little noise: no pivot on the diagonal anywhere, and every supernode but the last lacks a row. Only
// exchanges between supernodes help.
TEST(ContactLu, MatricesThatNeedPivotingBetweenSupernodes) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const int n = 1500;
    std::mt19937_64 engine(seed);
    std::vector<int> next(n);
    for (int k = 0; k < n; ++k) next[k] = k;
    std::shuffle(next.begin(), next.end(), engine);
    MatrixXd A = MatrixXd::Zero(n, n);
    for (int k = 0; k < n; ++k) A(next[k], next[(k + 1) % n]) = 1 + number(engine) / 2, A(next[(k + 1) % n], next[k]) = number(engine) / 10;
    const Sample s = sample_of(A, 1);
    ContactLu lu;
    lu.analyse(s.pattern);
    ASSERT_TRUE(lu.factorise(s.values.data()));
    const VectorXd b = vector(n, 9);
    VectorXd x(n);
    EXPECT_LE(lu.solve(b.data(), x.data(), 1e-10), 1e-10) << seed;
    EXPECT_EQ(lu.method(), ContactLu::Method::general) << seed;
    EXPECT_LE(residual(A, x, b), 1e-9) << seed;
    // The general factorisation serves the next right-hand side at once.
    const VectorXd c = vector(n, 10);
    EXPECT_LE(lu.solve(c.data(), x.data(), 1e-10), 1e-10);
    EXPECT_EQ(lu.counts().general, 1);
  }
}

TEST(ContactLu, SingularButConsistent) {
  // Two equal copies of every equation and unknown: rank one half.
  const MatrixXd half = random_matrix(20, 5, 3, 8, 11);
  MatrixXd A(120, 120);
  A << half, half, half, half;
  const Sample s = sample_of(A, 3);
  ContactLu lu;
  lu.analyse(s.pattern);
  ASSERT_TRUE(lu.factorise(s.values.data()));
  EXPECT_GT(lu.factors().replaced_pivots(), 0);
  const VectorXd b = A * vector(120, 12);
  VectorXd x(120);
  EXPECT_LE(lu.solve(b.data(), x.data()), 1e-10);
  EXPECT_LE(residual(A, x, b), 1e-9);
}

TEST(ContactLu, ContradictionIsReportedAsResidual) {
  const Sample s{{1, {0, 2, 4}, {0, 1, 0, 1}}, {1, 1, 1, 1}};
  ContactLu lu;
  lu.analyse(s.pattern);
  ASSERT_TRUE(lu.factorise(s.values.data()));
  const double b[] = {1, -1};
  double x[2];
  const double reached = lu.solve(b, x);
  EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1]));
  EXPECT_GE(reached, 1e-9);
}

TEST(ContactLu, BadNumbersAndEmptyMatrices) {
  Sample s = sample_of(random_matrix(10, 3, 3, 8, 13), 3);
  ContactLu lu;
  lu.analyse(s.pattern);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> values = s.values;
    values[17] = bad;
    EXPECT_FALSE(lu.factorise(values.data()));
  }
  ASSERT_TRUE(lu.factorise(s.values.data()));
  VectorXd x = VectorXd::Ones(30);
  const VectorXd zero = VectorXd::Zero(30);
  EXPECT_EQ(lu.solve(zero.data(), x.data()), 0);
  EXPECT_EQ(x, zero);
  ContactLu empty;
  empty.analyse({3, {0}, {}});
  EXPECT_TRUE(empty.factorise(nullptr));
  EXPECT_EQ(empty.solve(nullptr, nullptr), 0);
  EXPECT_THROW(empty.analyse({5, {0, 1}, {0}}), Error);
}

}  // namespace
}  // namespace cornet
