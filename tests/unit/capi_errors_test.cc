// Bad input through the C interface: a code and one line with the argument, what was found and what was expected; never a crash.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cornet/cornet_c.h"

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The code, and every word in the text.
void expect_error(int code, int expected, const std::vector<std::string>& words) {
  EXPECT_EQ(code, expected) << cornet_last_error();
  const std::string text = cornet_last_error();
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

void expect_argument(int code, const std::vector<std::string>& words) { expect_error(code, CORNET_INVALID_ARGUMENT, words); }

// One contact in space; W = I, q, mu are good.
class CErrors : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cornet_local_new(3, 1, &problem), CORNET_OK);
    ASSERT_EQ(cornet_options_new(&options), CORNET_OK);
  }
  void TearDown() override {
    cornet_problem_free(problem);
    cornet_options_free(options);
    cornet_result_free(result);
  }
  void fill() {
    ASSERT_EQ(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, columns, ones), CORNET_OK);
    ASSERT_EQ(cornet_problem_set_vector(problem, "q", 3, q), CORNET_OK);
    ASSERT_EQ(cornet_problem_set_vector(problem, "mu", 1, mu), CORNET_OK);
  }
  cornet_problem* problem = nullptr;
  cornet_options* options = nullptr;
  cornet_result* result = nullptr;
  const std::int32_t starts[4] = {0, 1, 2, 3}, columns[3] = {0, 1, 2};
  const double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, q[3] = {-1, 3, 0}, mu[1] = {0.5};
};

TEST_F(CErrors, NullEverywhere) {
  fill();
  double real;
  std::int64_t integer;
  const char* text;
  const double* values;
  const std::int32_t* integers;
  cornet_problem* other = nullptr;
  cornet_session* session = nullptr;
  expect_argument(cornet_local_new(3, 1, nullptr), {"cornet_local_new", "problem", "found NULL", "expected a pointer"});
  expect_argument(cornet_global_new(3, 1, 1, nullptr), {"problem", "NULL"});
  expect_argument(cornet_problem_index_base(nullptr, 0), {"problem", "NULL"});
  expect_argument(cornet_problem_set_vector(nullptr, "q", 3, q), {"problem", "NULL"});
  expect_argument(cornet_problem_set_vector(problem, nullptr, 3, q), {"name", "NULL"});
  expect_argument(cornet_problem_set_vector(problem, "q", 3, nullptr), {"values", "NULL"});
  expect_argument(cornet_problem_set_dense(nullptr, "W", 3, 3, 0, ones), {"problem", "NULL"});
  expect_argument(cornet_problem_set_dense(problem, "W", 3, 3, 0, nullptr), {"values", "NULL"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, nullptr, columns, ones), {"starts", "NULL"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, nullptr, ones), {"columns", "NULL"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, columns, nullptr), {"values", "NULL"});
  expect_argument(cornet_problem_set_csc(problem, "W", 3, 3, 3, starts, nullptr, ones), {"row_indices", "NULL"});
  expect_argument(cornet_problem_set_coo(problem, "W", 3, 3, 3, nullptr, columns, ones), {"row_indices", "NULL"});
  expect_argument(cornet_problem_set_bsr(problem, "W", 3, 3, 3, 1, nullptr, columns, ones), {"starts", "NULL"});
  expect_argument(cornet_problem_validate(nullptr), {"problem", "NULL"});
  expect_argument(cornet_problem_integer(problem, "dim", nullptr), {"value", "NULL"});
  expect_argument(cornet_problem_integer(nullptr, "dim", &integer), {"problem", "NULL"});
  expect_argument(cornet_problem_vector(problem, "q", nullptr, &integer), {"values", "NULL"});
  expect_argument(cornet_problem_vector(problem, "q", &values, nullptr), {"length", "NULL"});
  expect_argument(cornet_problem_get_csr(problem, "W", 0, nullptr, nullptr, nullptr, nullptr), {"entries", "NULL"});
  expect_argument(cornet_problem_reduce(problem, nullptr), {"local", "NULL"});
  expect_argument(cornet_problem_reduce(nullptr, &other), {"problem", "NULL"});
  expect_argument(cornet_read(nullptr, nullptr, &other), {"path", "NULL"});
  expect_argument(cornet_read("x", nullptr, nullptr), {"problem", "NULL"});
  expect_argument(cornet_read_solution("x", nullptr), {"solution", "NULL"});
  expect_argument(cornet_write(nullptr, problem, nullptr), {"path", "NULL"});
  expect_argument(cornet_write("x.hdf5", nullptr, nullptr), {"problem", "NULL"});
  expect_argument(cornet_options_new(nullptr), {"options", "NULL"});
  expect_argument(cornet_options_set(nullptr, "tol", "1"), {"options", "NULL"});
  expect_argument(cornet_options_set(options, nullptr, "1"), {"name", "NULL"});
  expect_argument(cornet_options_set(options, "tol", nullptr), {"text", "NULL"});
  expect_argument(cornet_options_set_real(nullptr, "tol", 1), {"options", "NULL"});
  expect_argument(cornet_options_set_callback(nullptr, nullptr, nullptr), {"options", "NULL"});
  expect_argument(cornet_options_interrupt(nullptr, 1), {"options", "NULL"});
  expect_argument(cornet_solve(nullptr, nullptr, nullptr, &result), {"cornet_solve", "problem", "NULL"});
  expect_argument(cornet_solve(problem, nullptr, nullptr, nullptr), {"result", "NULL"});
  expect_argument(cornet_session_new(nullptr, nullptr), {"session", "NULL"});
  expect_argument(cornet_session_solve(session, problem, nullptr, &result), {"session", "NULL"});
  expect_argument(cornet_certify(problem, nullptr, 3, &result), {"r", "NULL"});
  expect_argument(cornet_certify(nullptr, q, 3, &result), {"problem", "NULL"});
  expect_argument(cornet_certify(problem, q, 3, nullptr), {"certificate", "NULL"});
  expect_argument(cornet_check_existence(nullptr, nullptr, &result), {"problem", "NULL"});
  expect_argument(cornet_check_existence(problem, nullptr, nullptr), {"existence", "NULL"});
  expect_argument(cornet_result_real(nullptr, "error", &real), {"result", "NULL"});
  expect_argument(cornet_result_integer(nullptr, "iterations", &integer), {"result", "NULL"});
  expect_argument(cornet_result_text(nullptr, "status", &text), {"result", "NULL"});
  expect_argument(cornet_result_vector(nullptr, "r", &values, &integer), {"result", "NULL"});
  expect_argument(cornet_result_integers(nullptr, "contact_status", &integers, &integer), {"result", "NULL"});
  EXPECT_EQ(cornet_result_status(nullptr), -1);
  EXPECT_EQ(cornet_result_name(nullptr, 0), nullptr);
  EXPECT_STREQ(cornet_status_name(-7), "unknown");
  EXPECT_STREQ(cornet_status_name(CORNET_TIME_LIMIT), "time_limit");
  cornet_problem_free(nullptr);
  cornet_options_free(nullptr);
  cornet_session_free(nullptr);
  cornet_result_free(nullptr);
  ASSERT_EQ(cornet_solve(problem, nullptr, nullptr, &result), CORNET_OK) << cornet_last_error();
  expect_argument(cornet_result_real(result, nullptr, &real), {"name", "NULL"});
  expect_argument(cornet_result_real(result, "error", nullptr), {"value", "NULL"});
  expect_argument(cornet_result_vector(result, "r", &values, nullptr), {"length", "NULL"});
  expect_argument(cornet_result_text(result, "status", nullptr), {"text", "NULL"});
}

TEST_F(CErrors, WrongSizes) {
  cornet_problem* other = nullptr;
  expect_argument(cornet_local_new(4, 1, &other), {"dim", "found 4", "expected 2 or 3"});
  expect_argument(cornet_local_new(3, -1, &other), {"contacts", "found -1"});
  EXPECT_EQ(other, nullptr);
  expect_argument(cornet_global_new(3, 1, -5, &other), {"dofs", "found -5"});
  expect_argument(cornet_problem_set_vector(problem, "q", 4, ones), {"length", "found 4", "expected 3", "dim · contacts"});
  expect_argument(cornet_problem_set_vector(problem, "mu", 3, ones), {"length", "found 3", "expected 1"});
  expect_argument(cornet_problem_set_vector(problem, "q", -1, ones), {"length", "found -1"});
  expect_argument(cornet_problem_set_vector(problem, "f", 3, ones), {"name", "'f'", "mu, q, s", "local problem"});
  expect_argument(cornet_problem_set_dense(problem, "W", 2, 3, 0, ones), {"rows", "found 2", "expected 3"});
  expect_argument(cornet_problem_set_dense(problem, "W", 3, 2, 0, ones), {"cols", "found 2", "expected 3"});
  expect_argument(cornet_problem_set_dense(problem, "W", 3, 3, 7, ones), {"order", "found 7"});
  expect_argument(cornet_problem_set_dense(problem, "M", 3, 3, 0, ones), {"name", "'M'", "R, V, W"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 2, starts, columns, ones), {"starts[3]", "found 3", "entries = 2"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 4, starts, columns, ones), {"starts[3]", "found 3", "entries = 4"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, -4, starts, columns, ones), {"entries", "found -4"});
  const std::int32_t block_starts[] = {0, 1};
  expect_argument(cornet_problem_set_bsr(problem, "W", 3, 3, 2, 1, block_starts, columns, ones),
                  {"rows", "found 3", "multiple of block = 2"});
  expect_argument(cornet_problem_set_bsr(problem, "W", 3, 3, 0, 1, block_starts, columns, ones), {"block", "found 0"});
  expect_argument(cornet_problem_index_base(problem, 2), {"base", "found 2", "0 or 1"});
  fill();
  std::int64_t entries = 0;
  expect_argument(cornet_certify(problem, ones, 4, &result), {"length", "found 4", "expected 3"});
  expect_argument(cornet_problem_get_csr(problem, "W", -1, &entries, nullptr, nullptr, nullptr), {"room", "found -1"});
}

TEST_F(CErrors, StartsAndIndices) {
  const std::int32_t falling[] = {0, 2, 1, 3}, negative_start[] = {-1, 1, 2, 3}, far[] = {0, 9, 9, 3}, below[] = {0, -2, 2, 3};
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, falling, columns, ones),
                  {"starts[2]", "found 1", "at least starts[1] = 2"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, negative_start, columns, ones), {"starts[0]", "found -1", "expected 0"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, far, columns, ones), {"starts[1]", "found 9", "at most entries = 3"});
  expect_argument(cornet_problem_set_csc(problem, "W", 3, 3, 3, below, columns, ones), {"starts[1]", "found -2"});
  const std::int32_t negative[] = {0, -1, 2}, large[] = {0, 1, 3}, lowest[] = {0, std::numeric_limits<std::int32_t>::min(), 2};
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, negative, ones), {"columns[1]", "found -1", "from 0 to 2"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, large, ones), {"columns[2]", "found 3", "from 0 to 2"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, lowest, ones), {"columns[1]", "found -2147483648"});
  expect_argument(cornet_problem_set_csc(problem, "W", 3, 3, 3, starts, large, ones), {"row_indices[2]", "found 3"});
  expect_argument(cornet_problem_set_coo(problem, "W", 3, 3, 3, negative, columns, ones), {"row_indices[1]", "found -1"});
  expect_argument(cornet_problem_set_coo(problem, "W", 3, 3, 3, columns, large, ones), {"columns[2]", "found 3"});
  const std::int32_t block_starts[] = {0, 1}, block_column[] = {1};
  expect_argument(cornet_problem_set_bsr(problem, "W", 3, 3, 3, 1, block_starts, block_column, ones),
                  {"columns[0]", "found 1", "from 0 to 0"});
  ASSERT_EQ(cornet_problem_index_base(problem, 1), CORNET_OK);
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, columns, ones),
                  {"starts[0]", "found 0", "expected 1", "index base"});
  const std::int32_t from_one[] = {1, 2, 3, 4};
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, from_one, columns, ones), {"columns[0]", "found 0", "from 1 to 3"});
}

TEST_F(CErrors, IntegerOverflow) {
  constexpr std::int64_t kHuge = 3000000000, kMax = std::numeric_limits<std::int64_t>::max();
  cornet_problem* other = nullptr;
  expect_argument(cornet_local_new(3, kHuge, &other), {"contacts", "found 3000000000", "2147483647"});
  expect_argument(cornet_local_new(3, 1000000000, &other), {"dim · contacts", "found 3000000000"});
  expect_argument(cornet_local_new(3, kMax, &other), {"contacts"});
  expect_argument(cornet_global_new(3, 1, kMax, &other), {"dofs"});
  expect_argument(cornet_problem_set_vector(problem, "q", kMax, ones), {"length"});
  expect_argument(cornet_problem_set_dense(problem, "W", kHuge, kHuge, 0, ones), {"rows", "found 3000000000"});
  expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, kHuge, starts, columns, ones), {"entries", "found 3000000000"});
  const std::int64_t wide_starts[] = {0, 1, 2, 3}, wide[] = {0, 4294967297, 2}, wide_start[] = {0, 1, 4294967298, 3};
  expect_argument(cornet_problem_set_csr64(problem, "W", 3, 3, 3, wide_starts, wide, ones), {"columns[1]", "found 4294967297"});
  expect_argument(cornet_problem_set_csr64(problem, "W", 3, 3, 3, wide_start, wide, ones), {"starts[2]", "found 4294967298"});
  expect_argument(cornet_problem_set_csc64(problem, "W", 3, 3, 3, wide_starts, wide, ones), {"row_indices[1]", "found 4294967297"});
  expect_argument(cornet_problem_set_coo64(problem, "W", 3, 3, 3, wide, wide, ones), {"row_indices[1]", "found 4294967297"});
  const std::int64_t one_block[] = {0, 1};
  expect_argument(cornet_problem_set_bsr64(problem, "W", 3, 3, 3, 1, one_block, wide + 1, ones), {"columns[0]", "found 4294967297"});
  expect_argument(cornet_problem_set_bsr64(problem, "W", 3, 3, 3, 2000000000, one_block, wide, ones), {"blocks", "found 2000000000"});
  expect_argument(cornet_problem_set_bsr64(problem, "W", 3, 3, kMax, 1, one_block, wide, ones), {"block"});
}

TEST_F(CErrors, NumbersThatAreNone) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    const double values[9] = {1, bad, 1, 1, 1, 1, 1, 1, 1};
    expect_argument(cornet_problem_set_vector(problem, "q", 3, values), {"values[1]", "found", "finite"});
    expect_argument(cornet_problem_set_dense(problem, "W", 3, 3, 0, values), {"values[1]", "finite"});
    expect_argument(cornet_problem_set_csr(problem, "W", 3, 3, 3, starts, columns, values), {"values[1]", "finite"});
    expect_argument(cornet_problem_set_coo(problem, "W", 3, 3, 3, columns, columns, values), {"values[1]", "finite"});
    const std::int32_t block_starts[] = {0, 1};
    expect_argument(cornet_problem_set_bsr(problem, "W", 3, 3, 3, 1, block_starts, columns, values), {"values[1]", "finite"});
    fill();
    expect_argument(cornet_solve(problem, nullptr, values, &result), {"guess[1]", "finite"});
    expect_argument(cornet_certify(problem, values, 3, &result), {"r[1]", "finite"});
  }
  const double minus[] = {-0.1}, nan[] = {kNaN}, infinite[] = {kInfinity}, zero[] = {0};
  expect_argument(cornet_problem_set_vector(problem, "mu", 1, minus), {"values[0]", "found -0.1", "≥ 0"});
  expect_argument(cornet_problem_set_vector(problem, "mu", 1, nan), {"values[0]", "found nan"});
  EXPECT_EQ(cornet_problem_set_vector(problem, "mu", 1, infinite), CORNET_OK);
  EXPECT_EQ(cornet_problem_set_vector(problem, "mu", 1, zero), CORNET_OK);
}

TEST_F(CErrors, IncompleteAndInconsistentProblems) {
  expect_error(cornet_problem_validate(problem), CORNET_INVALID_PROBLEM, {"W, mu, q not set"});
  expect_error(cornet_solve(problem, nullptr, nullptr, &result), CORNET_INVALID_PROBLEM, {"not set"});
  EXPECT_EQ(result, nullptr);
  std::int64_t integer = 0;
  const double* values = nullptr;
  expect_argument(cornet_problem_vector(problem, "q", &values, &integer), {"'q', which is not set"});
  expect_argument(cornet_problem_get_csr(problem, "W", 0, &integer, nullptr, nullptr, nullptr), {"'W', which is not set"});
  expect_argument(cornet_problem_get_csr(problem, "V", 0, &integer, nullptr, nullptr, nullptr), {"'V', which is not set"});
  expect_argument(cornet_problem_integer(problem, "size_of_it", &integer), {"name", "'size_of_it'", "contacts"});
  fill();
  EXPECT_EQ(cornet_problem_validate(problem), CORNET_OK);
  ASSERT_EQ(cornet_problem_set_dense(problem, "V", 3, 1, CORNET_BY_ROWS, ones), CORNET_OK);  // without R and s
  expect_error(cornet_problem_validate(problem), CORNET_INVALID_PROBLEM, {"found", "expected"});
  expect_argument(cornet_problem_set_dense(problem, "R", 2, 2, CORNET_BY_ROWS, ones), {"rows", "found 2", "expected 1"});
  expect_argument(cornet_problem_set_vector(problem, "s", 2, ones), {"length", "found 2", "expected 1"});

  cornet_problem* singular = nullptr;
  ASSERT_EQ(cornet_global_new(3, 1, 3, &singular), CORNET_OK);
  const double zeros[9] = {};
  EXPECT_EQ(cornet_problem_set_dense(singular, "M", 3, 3, 0, zeros), CORNET_OK);
  EXPECT_EQ(cornet_problem_set_dense(singular, "H", 3, 3, 0, ones), CORNET_OK);
  for (const char* name : {"f", "w"}) EXPECT_EQ(cornet_problem_set_vector(singular, name, 3, ones), CORNET_OK);
  EXPECT_EQ(cornet_problem_set_vector(singular, "mu", 1, mu), CORNET_OK);
  expect_error(cornet_solve(singular, nullptr, nullptr, &result), CORNET_INVALID_PROBLEM, {"M"});
  cornet_problem_free(singular);
}

TEST_F(CErrors, OptionsFilesAndNames) {
  expect_error(cornet_options_set(options, "solver", "nsgs-acc"), CORNET_INVALID_OPTION, {"nsgs-acc", "nsgs-ac"});
  expect_error(cornet_options_set(options, "tol", "abc"), CORNET_INVALID_OPTION, {"tol", "abc"});
  expect_error(cornet_options_set_real(options, "tol", 0), CORNET_INVALID_OPTION, {"tol", "0"});
  expect_error(cornet_options_set_real(options, "tol", kNaN), CORNET_INVALID_OPTION, {"tol", "nan"});
  expect_error(cornet_options_set_real(options, "max_iterations", 1.5), CORNET_INVALID_OPTION, {"max_iterations", "1.5"});
  expect_error(cornet_options_set(options, "existence", "maybe"), CORNET_INVALID_OPTION, {"existence", "maybe"});
  expect_argument(cornet_options_set(options, "", "1"), {"name", "empty"});
  fill();
  ASSERT_EQ(cornet_options_set(options, "no_such_option", "1"), CORNET_OK);  // the solver is asked later
  expect_error(cornet_solve(problem, options, nullptr, &result), CORNET_INVALID_OPTION, {"no_such_option"});
  cornet_session* session = nullptr;
  expect_error(cornet_session_new(options, &session), CORNET_INVALID_OPTION, {"no_such_option"});

  cornet_problem* other = nullptr;
  expect_error(cornet_read("no/such/file.hdf5", nullptr, &other), CORNET_IO_ERROR, {"no/such/file.hdf5"});
  expect_argument(cornet_read("x.hdf5", "both", &other), {"form", "'both'", "local or global"});
  expect_error(cornet_write("no/such/folder/x.hdf5", problem, nullptr), CORNET_IO_ERROR, {"no/such/folder"});

  ASSERT_EQ(cornet_solve(problem, nullptr, nullptr, &result), CORNET_OK) << cornet_last_error();
  double real;
  std::int64_t integer;
  expect_argument(cornet_result_real(result, "erorr", &real), {"name", "'erorr'", "error"});
  expect_argument(cornet_result_integer(result, "error", &integer), {"'error'", "another kind", "iterations"});
  cornet_problem* larger = nullptr;
  ASSERT_EQ(cornet_local_new(3, 2, &larger), CORNET_OK);
  const double twelve[12] = {1, 0, 0, 0, 0, 0, 1};
  ASSERT_EQ(cornet_problem_set_coo(larger, "W", 6, 6, 0, nullptr, nullptr, nullptr), CORNET_OK) << cornet_last_error();
  ASSERT_EQ(cornet_problem_set_vector(larger, "q", 6, twelve), CORNET_OK);
  ASSERT_EQ(cornet_problem_set_vector(larger, "mu", 2, twelve), CORNET_OK);
  expect_argument(cornet_write("x.hdf5", larger, result), {"answer", "found 3 reactions", "expected 6"});
  cornet_problem_free(larger);
}

TEST_F(CErrors, NoContacts) {
  cornet_problem* empty = nullptr;
  ASSERT_EQ(cornet_local_new(3, 0, &empty), CORNET_OK);
  const std::int32_t start[] = {0};
  EXPECT_EQ(cornet_problem_set_csr(empty, "W", 0, 0, 0, start, nullptr, nullptr), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_problem_set_vector(empty, "q", 0, nullptr), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_problem_set_vector(empty, "mu", 0, nullptr), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_solve(empty, nullptr, nullptr, &result), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_result_status(result), CORNET_SOLVED);
  cornet_problem_free(empty);
}

}  // namespace
