// Import of Siconos text. The .dat files in tests/support were printed by Siconos 4.4 itself from the numbers repeated here.
#include <cmath>

#include "support/io_problems.h"

namespace cornet::test {
namespace {

const std::string kSupport = CORNET_SUPPORT;

std::vector<std::vector<double>> dense(const SparseMatrix& a) {
  std::vector<std::vector<double>> out(static_cast<std::size_t>(a.rows), std::vector<double>(static_cast<std::size_t>(a.cols), 0.0));
  for (int j = 0; a.storage == Storage::csc && j < a.cols; ++j)
    for (int k = a.p[j]; k < a.p[j + 1]; ++k) out[a.i[k]][j] += a.x[k];
  for (std::size_t k = 0; a.storage == Storage::triplet && k < a.x.size(); ++k) out[a.i[k]][a.p[k]] += a.x[k];
  return out;
}

// W(i, j) = 2 + i on the diagonal, (i + 1)(j + 1)/3 in the blocks on the diagonal, + 0.001 above it.
double expected_w(int i, int j) {
  if (i == j) return 2.0 + i;
  if (i / 3 != j / 3) return 0.0;
  return (i + 1) * (j + 1) / 3.0 + (i < j ? 0.001 : 0.0);
}

struct Fixture {
  const char* file;
  double tolerance;  // CSparse prints 6 digits, Siconos itself 25
  Storage storage;
};

class LocalText : public testing::TestWithParam<Fixture> {};
INSTANTIATE_TEST_SUITE_P(Siconos, LocalText,
                         testing::Values(Fixture{"io_local_dense.dat", 1e-15, Storage::csc},
                                         Fixture{"io_local_blocks.dat", 1e-15, Storage::csc},
                                         Fixture{"io_local_triplet.dat", 1e-5, Storage::triplet},
                                         Fixture{"io_local_columns.dat", 1e-5, Storage::csc}));

TEST_P(LocalText, ReadsEveryStorage) {
  const ProblemFile file = read_file(kSupport + "/" + GetParam().file);
  ASSERT_TRUE(file.local);
  EXPECT_FALSE(file.global);
  const LocalProblem& problem = *file.local;
  EXPECT_EQ(problem.dim, 3);
  EXPECT_EQ(problem.contacts(), 2);
  EXPECT_EQ(problem.name, std::filesystem::path(GetParam().file).stem().string());
  EXPECT_EQ(problem.W.storage, GetParam().storage);
  EXPECT_EQ(problem.W.entries(), 18) << "zeros of a dense matrix are not stored";
  const auto w = dense(problem.W);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(w[i][j], expected_w(i, j), GetParam().tolerance * 10) << i << " " << j;
  EXPECT_EQ(problem.q, (std::vector<double>{-1, 0.1, 0.2, -2, 0.3, 0.4}));
  EXPECT_EQ(problem.mu, (std::vector<double>{0.5, 0.7}));
}

TEST(SiconosText, GlobalDense) {
  const ProblemFile file = read_file(kSupport + "/io_global_dense.dat");
  ASSERT_TRUE(file.global);
  EXPECT_FALSE(file.local);
  EXPECT_TRUE(file.warnings.empty());
  const auto m = dense(file.global->M);
  const auto h = dense(file.global->H);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(m[i][j], i == j ? i + 1.0 : i + j == 1 ? 0.25 : 0.0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(h[i][j], 1.0 + i + 4 * j) << "by columns";
  EXPECT_EQ(file.global->f, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.global->w, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(file.global->mu, (std::vector<double>{0.5}));
}

TEST(SiconosText, GlobalSparse) {
  const ProblemFile a = read_file(kSupport + "/io_global_dense.dat");
  const ProblemFile b = read_file(kSupport + "/io_global_sparse.dat");
  ASSERT_TRUE(b.global);
  EXPECT_EQ(dense(a.global->M), dense(b.global->M));
  EXPECT_EQ(dense(a.global->H), dense(b.global->H));
  EXPECT_EQ(a.global->f, b.global->f);
}

TEST(SiconosText, GlobalWithoutContacts) {
  const ProblemFile file = read_file(kSupport + "/io_global_no_contact.dat");
  ASSERT_TRUE(file.global);
  EXPECT_EQ(file.global->contacts(), 0);
  EXPECT_EQ(file.global->dofs(), 4);
  EXPECT_EQ(file.global->H.cols, 0);
}

TEST(SiconosText, ConvertsToFclib) {
  const TemporaryFolder folder;
  const ProblemFile file = read_file(kSupport + "/io_local_blocks.dat");
  write_file(folder / "a.hdf5", file);
  EXPECT_EQ(read_file(folder / "a.hdf5").local->W.x, file.local->W.x);
}

// Small texts with one property each.
class InlineText : public testing::Test {
 protected:
  ProblemFile import(const std::string& text) {
    save_text(folder_ / "a.dat", text);
    return read_file(folder_ / "a.dat");
  }
  TemporaryFolder folder_;
};

TEST_F(InlineText, PlaneProblemWithLimitsOfFriction) {
  const ProblemFile file = import("2 2\n0 4 4\n4 4\n1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n+1 -2 3e0 .5\n0 inf\n");
  ASSERT_TRUE(file.local);
  EXPECT_EQ(file.local->dim, 2);
  EXPECT_EQ(file.local->q, (std::vector<double>{1, -2, 3, 0.5}));
  EXPECT_EQ(file.local->mu[0], 0.0);
  EXPECT_TRUE(std::isinf(file.local->mu[1]));
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(InlineText, OldFlagAtTheEndIsAccepted) {
  EXPECT_TRUE(import("2 1 0 2 2 2 2 1 0 0 1 1 1 0.5 1").local);
  EXPECT_TRUE(import("2 1 0 2 2 2 2 1 0 0 1 1 1 0.5\n0\n\n").local);
}

TEST_F(InlineText, SquareHIsToldFromQ) {
  // n = d·nc: only what follows tells a global file.
  EXPECT_TRUE(import("2 1 0 2 2 2 2 1 0 0 1  0 2 2 2 2 1 0 0 1  5 6 7 8 0.5").global);
  // q = (0, 2): a local file that could start a matrix header.
  EXPECT_TRUE(import("2 1 0 2 2 2 2 1 0 0 1  0 2 2").local);
}

TEST_F(InlineText, BlocksOfDifferentSizesAndEmptyRows) {
  // Block rows of 1, 2 and 1, only the first and the second filled; each block by columns. Two row starts are left out at the end.
  const ProblemFile file = import("2 2 1 4 4  3 3 3  1 3 4  1 3 4  3 3  0 1 3  0 1 2   0 5.5  1 1 2 3 4  2 7 8   1 2 3 4  0.1 0.2");
  ASSERT_TRUE(file.local);
  EXPECT_EQ(dense(file.local->W), (std::vector<std::vector<double>>{{5.5, 0, 0, 0}, {0, 1, 3, 7}, {0, 2, 4, 8}, {0, 0, 0, 0}}));
}

TEST_F(InlineText, FileOfAnOldCsparseWithoutKind) {
  const ProblemFile file = import("2 1 2 2 2 CSparse Version 3\ntriplet: 2-by-2, nzmax: 9 nnz: 3\n 0 0 : 1\n 1 1 : 2\n 1 1 : 3\n 0 0\n 1");
  ASSERT_TRUE(file.local);
  EXPECT_EQ(file.local->W.storage, Storage::triplet);
  EXPECT_EQ(dense(file.local->W), (std::vector<std::vector<double>>{{1, 0}, {0, 5}}));
}

TEST_F(InlineText, TinyNumbersBecomeZero) { EXPECT_EQ(import("2 1 0 2 2 2 2 1 0 0 1 1e-400 1 0.5").local->q[0], 0.0); }

TEST_F(InlineText, NoContacts) { EXPECT_EQ(import("3 0 0 0 0 0 0").local->contacts(), 0); }

TEST_F(InlineText, FewDigitsAreReported) {
  const ProblemFile file = import("2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1.386806e+00 8.031922e-04 8.031923e-04 1.402550e+00 1 1 0.5");
  ASSERT_EQ(file.warnings.size(), 2u);
  EXPECT_EQ(file.warnings[0], folder_ / "a.dat" + std::string(": W: printed with 7 digits: symmetry and definiteness hold to that accuracy "
                                                              "only; kept as it is"));
  EXPECT_TRUE(file.warnings[1].find("W: symmetric only to 7.1e-11 relative") != std::string::npos) << file.warnings[1];
}

TEST_F(InlineText, UnsymmetricDenseMatrixIsReadByColumns) {
  const ProblemFile file = import("2 1 0 2 2 2 2 1 0.25 0 1 1 1 0.5");
  EXPECT_EQ(dense(file.local->W), (std::vector<std::vector<double>>{{1, 0}, {0.25, 1}}));
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_TRUE(file.warnings[0].ends_with("W: dense and unsymmetric (2.5e-01 relative): read by columns, as Siconos prints it"))
      << file.warnings[0];
}

}  // namespace
}  // namespace cornet::test
