// The storage of W: the same blocks from every storage of a sparse matrix, whether or not it holds whole blocks in order.
#include "linalg/block_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/fixtures.h"

namespace cornet {
namespace {

// Full blocks at the diagonal and at a share of the other places, unsymmetric.
Eigen::MatrixXd of_whole_blocks(int d, int n, double share, test::Random& random) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(d * n, d * n);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      if (row != column && random.uniform(0, 1) > share) continue;
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) a(row * d + i, column * d + j) = random.uniform(1, 2);
    }
  return a;
}

template <int D>
void expect_equal(const BlockMatrix<D>& blocks, const Eigen::MatrixXd& a) {
  ASSERT_EQ(blocks.columns() * D, a.cols());
  Eigen::MatrixXd found = Eigen::MatrixXd::Zero(a.rows(), a.cols());
  for (int column = 0; column < blocks.columns(); ++column) {
    for (int k = blocks.column_begin(column); k < blocks.column_end(column); ++k) {
      found.block<D, D>(blocks.row(k) * D, column * D) = blocks.block(k);
      if (k > blocks.column_begin(column)) {
        EXPECT_LT(blocks.row(k - 1), blocks.row(k));
      }
    }
    EXPECT_EQ(blocks.diagonal(column), (a.block<D, D>(column * D, column * D)));
  }
  EXPECT_EQ(found, a);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(a.cols(), -1, 2), q = Eigen::VectorXd::LinSpaced(a.cols(), 3, 4);
  Eigen::VectorXd u(a.rows());
  blocks.times(r.data(), q.data(), u.data());
  EXPECT_LE((u - a * r - q).norm(), 1e-14 * (a * r).norm());
}

template <int D>
void expect_equal_from_every_storage(const Eigen::MatrixXd& a) {
  for (const Storage storage : {Storage::csc, Storage::csr, Storage::triplet}) {
    SCOPED_TRACE(static_cast<int>(storage));
    expect_equal<D>(BlockMatrix<D>(test::sparse(a, storage)), a);
  }
}

template <int D>
void expect_equal_with_every_flaw() {
  test::Random random(11 + D);
  for (const double share : {0.0, 0.2, 1.0}) {
    const Eigen::MatrixXd whole = of_whole_blocks(D, 9, share, random);
    expect_equal_from_every_storage<D>(whole);
    for (const int at : {0, 4 * D + 1, 9 * D - 1}) {
      Eigen::MatrixXd a = whole;
      a(at, at) = 0;  // one entry is not stored
      expect_equal_from_every_storage<D>(a);
      a = whole;
      a.block<D, D>(at / D * D, at / D * D).setZero();  // a diagonal block
      expect_equal_from_every_storage<D>(a);
      a = whole;
      a.col(at).setZero();  // as many entries in a row or column as before, or none
      a.row(at).setZero();
      expect_equal_from_every_storage<D>(a);
    }
  }
}

TEST(BlockMatrix, HoldsTheSameWhateverTheStorage) {
  expect_equal_with_every_flaw<2>();
  expect_equal_with_every_flaw<3>();
}

TEST(BlockMatrix, RowsOfAColumnInAnyOrderAndTwice) {
  test::Random random(5);
  const Eigen::MatrixXd a = of_whole_blocks(3, 6, 0.4, random);
  SparseMatrix turned = test::sparse(a, Storage::csc);
  for (int j = 0; j < turned.cols; ++j) {
    std::reverse(turned.i.begin() + turned.p[j], turned.i.begin() + turned.p[j + 1]);
    std::reverse(turned.x.begin() + turned.p[j], turned.x.begin() + turned.p[j + 1]);
  }
  expect_equal<3>(BlockMatrix<3>(turned), a);

  SparseMatrix twice;  // every column its entries as halves, one list after the other
  const SparseMatrix once = test::sparse(a, Storage::csc);
  twice.rows = twice.cols = once.cols;
  twice.storage = Storage::csc;
  twice.p.push_back(0);
  for (int j = 0; j < once.cols; ++j) {
    for (int piece = 0; piece < 2; ++piece)
      for (int k = once.p[j]; k < once.p[j + 1]; ++k) {
        twice.i.push_back(once.i[k]);
        twice.x.push_back(0.5 * once.x[k]);
      }
    twice.p.push_back(static_cast<int>(twice.x.size()));
  }
  expect_equal<3>(BlockMatrix<3>(twice), a);
}

TEST(BlockMatrix, Empty) {
  SparseMatrix none;
  for (const Storage storage : {Storage::csc, Storage::csr, Storage::triplet}) {
    none.storage = storage;
    none.p = storage == Storage::triplet ? std::vector<int>{} : std::vector<int>{0};
    EXPECT_EQ(BlockMatrix<3>(none).columns(), 0);
  }
}

}  // namespace
}  // namespace cornet
