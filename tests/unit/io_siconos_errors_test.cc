// One wrong word per test: the kind of error and its one line, "FILE: line N: …: found …, expected …".
#include <clocale>

#include "support/io_problems.h"

namespace cornet::test {
namespace {

enum class Kind { io, invalid, missing };

struct BadText {
  const char* name;
  Kind kind;
  const char* text;
  const char* expected;  // the start of the message after "FILE: "
};

void PrintTo(const BadText& bad, std::ostream* stream) { *stream << bad.name; }
std::string test_name(const testing::TestParamInfo<BadText>& info) { return info.param.name; }

const char* const kBlocks = "2 1\n1\n2 2\n1\n1\n1\n2\n2\n2 1\n0 1\n0\n";
const char* const kSparse = "2 1\n2\n2 2\n";

class TextErrors : public testing::TestWithParam<BadText> {};

TEST_P(TextErrors, IsOneClearLine) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.dat";
  std::string text = GetParam().text;
  if (text.starts_with("BLOCKS")) text.replace(0, 6, kBlocks);
  if (text.starts_with("SPARSE")) text.replace(0, 6, kSparse);
  save_text(path, text);
  const std::string message = GetParam().kind == Kind::io        ? read_failure<IoError>(path)
                              : GetParam().kind == Kind::invalid ? read_failure<InvalidProblem>(path)
                                                                 : read_failure<MissingFeature>(path);
  EXPECT_TRUE(message.starts_with(GetParam().expected)) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Siconos, TextErrors,
    testing::Values(
        BadText{"not_a_text", Kind::io, "\x89PNG\r\n", "line 1: found '\\x89PNG', expected the dimension, 2 or 3, of Siconos text"},
        BadText{"words", Kind::io, "\nhello world", "line 2: found 'hello', expected the dimension"},
        BadText{"only_space", Kind::io, " \n\n", "line 3: found the end of the file, expected the dimension"},
        BadText{"four_dimensions", Kind::io, "4 2 0 9 9", "line 1: the dimension: found '4', expected 2 or 3"},
        BadText{"negative_contacts", Kind::io, "3\n-1\n0", "line 2: the number of contacts: found '-1', expected an integer ≥ 0"},
        BadText{"real_contacts", Kind::io, "3\n1.5\n0", "line 2: the number of contacts: found '1.5', expected an integer ≥ 0"},
        BadText{"too_many_contacts", Kind::io, "3\n2000000000\n0 1 1",
                "line 2: found at most 3 more numbers in the file, expected 2000000000"},
        BadText{"ends_early", Kind::io, "3\n1\n", "line 3: found the end of the file, expected the first matrix storage"},
        BadText{"unknown_storage", Kind::io, "3 1\n7\n",
                "line 2: the first matrix storage: found '7', expected 0 (dense), 1 (sparse block) or 2"},
        BadText{"sizes_differ", Kind::io, "2 1 0\n2 2\n2 3\n", "line 3: the first matrix columns: found '3', expected 2 as above"},
        BadText{"huge_dense", Kind::io, "2 1 0 60000 60000 60000 60000 1 2 3",
                "line 1: found at most 3 more numbers in the file, expected 3600000000"},
        BadText{"word_in_matrix", Kind::io, "2 1 0 2 2 2 2\n1 x\n0 1\n1 1 0.5 ",
                "line 2: the first matrix value[1]: found 'x', expected a number"},
        BadText{"nan_in_matrix", Kind::io, "2 1 0 2 2 2 2\n1 nan 0 1 1 1 0.5",
                "line 2: the first matrix value[1]: found 'nan', expected a finite number"},
        BadText{"infinity_in_q", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1\n-inf 0.5", "line 3: q[1]: found '-inf', expected a finite number"},
        BadText{"overflow_in_q", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1\n1e400 0.5", "line 3: q[1]: found '1e400', expected a finite number"},
        BadText{"decimal_comma", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1\n1,5 0.5", "line 3: q[1]: found '1,5', expected a number"},
        BadText{"nan_mu", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1 1\nnan", "line 3: mu[0]: found 'nan', expected a finite number"},
        BadText{"negative_mu", Kind::invalid, "2 1 0 2 2 2 2 1 0 0 1\n1 1\n-0.5", "line 3: mu[0]: found -0.5, expected a number ≥ 0"},
        BadText{"no_mu", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1 1\n", "line 3: found the end of the file, expected mu[0]"},
        BadText{"too_much", Kind::io, "2 1 0 2 2 2 2 1 0 0 1\n1 1 0.5\n1 2 3 4", "line 3: found '1', expected the end of the file"},
        BadText{"wrong_size", Kind::invalid, "3 1 0\n2 2 2 2 1 0 0 1\n1 1 0.5",
                "line 2: W: found 2×2, expected 3×3 (dimension × contacts), or a second"},
        BadText{"not_square", Kind::invalid, "2 1 0\n2 1 2 1 1 0\n1 1 0.5", "line 2: W: found 2×1, expected 2×2"},
        BadText{"m_not_square", Kind::invalid, "2 1 0 3 1 3 1 1 1 1\n0 3 2 3 2 1 2 3 4 5 6\n1 2 3 1 2 0.5",
                "line 1: M: found 3×1, expected a square matrix"},
        BadText{"rolling", Kind::missing, "5 2\n0\n10 10 ", "line 1: found dimension 5, which is rolling friction, expected 2 or 3"},
        BadText{"rolling_in_the_plane", Kind::missing,
                "3 2 0 6 6 6 6 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1\n"
                "1 2 3 4 5 6\n0.1 0.2\n0.3 0.4",
                "line 3: found a second list of friction coefficients (rolling friction)"},
        BadText{"soclcp", Kind::missing, "6 2\n0\n6 6 6 6", "line 1: found a second-order cone complementarity problem (SOCLCP)"},
        BadText{"soclcp_of_one_cone", Kind::missing, "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1\n1 2 3\n0 3\n0.5",
                "line 3: found a second-order cone complementarity problem (SOCLCP)"},
        BadText{"block_sizes_fall_short", Kind::io, "2 1 1 2 2 1 1 1\n1\n2 2 1 0 1 0 0 1 2 3 4 1 1 0.5",
                "line 2: row block size: found '1', expected 2 in the end"},
        BadText{"block_sizes_too_large", Kind::io, "2 1 1 2 2 1 1 1\n3\n2 2 1 0 1 0 0 1 2 3 4 1 1 0.5",
                "line 2: row block size[0]: found '3', expected a number from 0 to 2"},
        BadText{"block_counts_differ", Kind::io, "2 1 1 2 2 1 1 1 2 2 2\n2\n0 1 0 0 1 2 3 4 1 1 0.5",
                "line 2: the number of block indices: found '2', expected 1 blocks as above"},
        BadText{"block_column_too_large", Kind::io, "2 1 1 2 2 1 1 1 2 2 2 1 0 1\n1\n0 1 2 3 4 1 1 0.5",
                "line 2: the first matrix block column[0]: found '1', expected a block column below 1"},
        BadText{"row_starts_decrease", Kind::io, "2 1 1 2 2 1 1 1 2 2 2 1 1\n0\n0 0 1 2 3 4 1 1 0.5",
                "line 1: the first matrix row start[0]: found '1', expected 0"},
        BadText{"block_number", Kind::io, "BLOCKS5 1 2 3 4 1 1 0.5", "line 12: a block number: found '5', expected 0"},
        BadText{"block_value", Kind::io, "BLOCKS0 1 2 z 4 1 1 0.5", "line 12: the first matrix value: found 'z', expected a number"},
        BadText{"compressed_rows", Kind::missing, "SPARSE3\nCSparse",
                "line 4: the first matrix: found sparse storage 3 (compressed rows), expected 1"},
        BadText{"unknown_sparse", Kind::io, "SPARSE9\nCSparse", "line 4: the kind of sparse matrix: found '9', expected 1 (triplet) or 2"},
        BadText{"no_csparse", Kind::io, "SPARSE1\nOther", "line 5: found 'Other', expected 'CSparse'"},
        BadText{"kind_contradicts", Kind::io, "SPARSE2\nCSparse\ntriplet: 2-by-2,",
                "line 6: the first matrix: found 'triplet:', expected sizes of compressed columns"},
        BadText{"sparse_sizes", Kind::io, "SPARSE1\nCSparse\ntriplet: 2-by-3, nzmax: 1 nnz: 0",
                "line 6: the first matrix: found '2-by-3,', expected '2-by-2,' (the sizes above)"},
        BadText{"row_out_of_range", Kind::io, "SPARSE1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 2 0 : 1\n1 1 0.5",
                "line 7: a row index: found '2', expected an index below 2"},
        BadText{"column_out_of_range", Kind::io, "SPARSE1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 0 -1 : 1\n1 1 0.5",
                "line 7: a column index: found '-1', expected an integer ≥ 0"},
        BadText{"huge_nnz", Kind::io, "SPARSE1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1000000\n",
                "line 6: found at most 1 more numbers in the file, expected 3000000"},
        BadText{"column_number", Kind::io, "SPARSE2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\n col 1 : locations 0 to 0",
                "line 7: a column number: found '1', expected 0"},
        BadText{"last_location", Kind::io, "SPARSE2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\n col 0 : locations 0 to 1\n",
                "line 7: a last location: found '1', expected a number from -1 to 0"}),
    test_name);

// Numbers have a decimal point in every language.
TEST(SiconosText, IndependentOfTheLocale) {
  // NOLINTBEGIN(concurrency-mt-unsafe): the locale is that of the process, which has one thread
  const char* const before = std::setlocale(LC_ALL, nullptr);
  const std::string saved = before ? before : "C";
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8") && !std::setlocale(LC_ALL, "fr_FR.UTF-8")) GTEST_SKIP() << "no locale with a decimal comma";
  const ProblemFile file = read_file(CORNET_SUPPORT "/io_local_dense.dat");
  std::setlocale(LC_ALL, saved.c_str());
  // NOLINTEND(concurrency-mt-unsafe)
  EXPECT_EQ(file.local->q[1], 0.1);
}

}  // namespace
}  // namespace cornet::test
