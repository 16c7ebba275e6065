// validate(): one wrong value per test throws InvalidProblem, and the message names the field, what was found and what was expected.
#include <gtest/gtest.h>

#include "cornet/error.h"
#include "cornet/problem.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::kInfinity;
using test::kNan;

// Two contacts in space, four dofs, legal.
LocalProblem legal_local() { return test::make_local(3, 2 * Eigen::MatrixXd::Identity(6, 6), {-1, 0.5, 0, -2, 0, 0.25}, {0.3, 0.7}); }

GlobalProblem legal_global() {
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(4, 6);
  h.topLeftCorner(3, 3).setIdentity();
  h.bottomRightCorner(3, 3).setIdentity();
  return test::make_global(3, 3 * Eigen::MatrixXd::Identity(4, 4), h, {1, 2, 3, 4}, {0, 0, 0, 0, 0, 0}, {0.3, 0.7});
}

GlobalProblem legal_with_joint() {
  GlobalProblem p = legal_global();
  p.G = test::sparse(Eigen::MatrixXd::Ones(4, 1));
  p.b = {0.5};
  return p;
}

LocalProblem legal_with_multipliers() {
  LocalProblem p = legal_local();
  p.V = test::sparse(Eigen::MatrixXd::Ones(6, 2));
  p.R = test::sparse(Eigen::MatrixXd::Identity(2, 2));
  p.s = {0.5, -0.5};
  return p;
}

// The message must contain every part and be one line.
template <class P>
void expect_invalid(const P& problem, const std::vector<std::string>& parts) {
  const std::string message = test::message_of<InvalidProblem>([&] { validate(problem); });
  for (const std::string& part : parts) EXPECT_TRUE(test::contains(message, part)) << "no '" << part << "' in: " << message;
  EXPECT_TRUE(test::contains(message, "expected")) << message;
  EXPECT_FALSE(test::contains(message, "\n")) << message;
  // The variant takes the same path.
  EXPECT_THROW(validate(Problem(problem)), InvalidProblem);
}

TEST(Validate, LegalProblemsPass) {
  EXPECT_NO_THROW(validate(legal_local()));
  EXPECT_NO_THROW(validate(legal_global()));
  EXPECT_NO_THROW(validate(legal_with_joint()));
  EXPECT_NO_THROW(validate(legal_with_multipliers()));
  EXPECT_NO_THROW(validate(Problem(legal_local())));
}

TEST(Validate, ExtremeFrictionIsLegal) {
  LocalProblem p = legal_local();
  p.mu = {0, kInfinity};
  EXPECT_NO_THROW(validate(p));
  GlobalProblem g = legal_global();
  g.mu = {kInfinity, 0};
  EXPECT_NO_THROW(validate(g));
}

TEST(Validate, NoContactIsLegal) {
  for (const int dim : {2, 3}) {
    EXPECT_NO_THROW(validate(test::make_local(dim, Eigen::MatrixXd(0, 0), {}, {})));
    EXPECT_NO_THROW(validate(test::make_global(dim, Eigen::MatrixXd::Identity(4, 4), Eigen::MatrixXd(4, 0), {0, 0, 0, 0}, {}, {})));
  }
}

TEST(Validate, EveryStorageIsLegal) {
  for (const Storage s : {Storage::triplet, Storage::csc, Storage::csr}) {
    LocalProblem p = legal_local();
    p.W = test::sparse(2 * Eigen::MatrixXd::Identity(6, 6), s);
    EXPECT_NO_THROW(validate(p));
  }
}

TEST(Validate, DuplicatesAndUnsortedIndicesAreLegal) {
  LocalProblem p = legal_local();
  test::Random random(1);
  p.W = test::shuffled_duplicates(Eigen::MatrixXd::Ones(6, 6), random);
  EXPECT_NO_THROW(validate(p));
}

TEST(Validate, CapacityAboveEntriesIsLegal) {
  LocalProblem p = legal_local();
  p.W.capacity = p.W.entries() + 100;
  EXPECT_NO_THROW(validate(p));
}

TEST(Validate, Dimension) {
  for (const int dim : {-3, 0, 1, 4}) {
    LocalProblem p = legal_local();
    p.dim = dim;
    expect_invalid(p, {"dim", std::to_string(dim)});
    GlobalProblem g = legal_global();
    g.dim = dim;
    expect_invalid(g, {"dim", std::to_string(dim)});
  }
}

TEST(Validate, NegativeFriction) {
  LocalProblem p = legal_local();
  p.mu[1] = -0.5;
  expect_invalid(p, {"mu", "1", "-0.5"});
  GlobalProblem g = legal_global();
  g.mu[0] = -0.5;
  expect_invalid(g, {"mu", "0", "-0.5"});
}

TEST(Validate, NegativeInfiniteFriction) {
  LocalProblem p = legal_local();
  p.mu[0] = -kInfinity;
  expect_invalid(p, {"mu", "-inf"});
}

TEST(Validate, FrictionNotANumber) {
  LocalProblem p = legal_local();
  p.mu[1] = kNan;
  expect_invalid(p, {"mu", "nan"});
  GlobalProblem g = legal_global();
  g.mu[1] = kNan;
  expect_invalid(g, {"mu", "nan"});
}

TEST(Validate, VectorsNotFiniteLocal) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const std::string text = std::isnan(bad) ? "nan" : "inf";
    LocalProblem p = legal_local();
    p.q[4] = bad;
    expect_invalid(p, {"q", "4", text});
    p = legal_with_multipliers();
    p.s[1] = bad;
    expect_invalid(p, {"s", "1", text});
  }
}

TEST(Validate, VectorsNotFiniteGlobal) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const std::string text = std::isnan(bad) ? "nan" : "inf";
    GlobalProblem p = legal_global();
    p.f[2] = bad;
    expect_invalid(p, {"f", "2", text});
    p = legal_global();
    p.w[5] = bad;
    expect_invalid(p, {"w", "5", text});
    p = legal_with_joint();
    p.b[0] = bad;
    expect_invalid(p, {"b", "0", text});
  }
}

TEST(Validate, MatricesNotFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const std::string text = std::isnan(bad) ? "nan" : "inf";
    LocalProblem p = legal_local();
    p.W.x[3] = bad;
    expect_invalid(p, {"W", text});
    p = legal_with_multipliers();
    p.V->x[3] = bad;
    expect_invalid(p, {"V", text});
    p = legal_with_multipliers();
    p.R->x[1] = bad;
    expect_invalid(p, {"R", text});
    GlobalProblem g = legal_global();
    g.M.x[3] = bad;
    expect_invalid(g, {"M", text});
    g = legal_global();
    g.H.x[3] = bad;
    expect_invalid(g, {"H", text});
    g = legal_with_joint();
    g.G->x[3] = bad;
    expect_invalid(g, {"G", text});
  }
}

TEST(Validate, LengthOfQ) {
  LocalProblem p = legal_local();
  p.q.pop_back();
  expect_invalid(p, {"q", "5", "6"});
  p = legal_local();
  p.q.push_back(0);
  expect_invalid(p, {"q", "7", "6"});
}

TEST(Validate, SizeOfWAgainstContacts) {
  LocalProblem p = legal_local();
  p.mu.push_back(0.5);  // three contacts need a 9×9 W
  expect_invalid(p, {"mu", "3", "2", "6"});
}

TEST(Validate, WNotSquare) {
  LocalProblem p = legal_local();
  p.W = test::sparse(Eigen::MatrixXd::Ones(6, 5));
  expect_invalid(p, {"W", "6", "5"});
}

TEST(Validate, SizeNotAMultipleOfDimension) {
  LocalProblem p = test::make_local(3, Eigen::MatrixXd::Identity(7, 7), {0, 0, 0, 0, 0, 0, 0}, {0.3, 0.7});
  expect_invalid(p, {"W", "7", "multiple", "3"});
}

TEST(Validate, LengthOfF) {
  GlobalProblem p = legal_global();
  p.f.pop_back();
  expect_invalid(p, {"f", "3", "4"});
}

TEST(Validate, LengthOfW) {
  GlobalProblem p = legal_global();
  p.w.push_back(1);
  expect_invalid(p, {"w", "7", "6"});
}

TEST(Validate, MNotSquare) {
  GlobalProblem p = legal_global();
  p.M = test::sparse(Eigen::MatrixXd::Ones(4, 3));
  expect_invalid(p, {"M", "4", "3"});
}

TEST(Validate, RowsOfH) {
  GlobalProblem p = legal_global();
  p.H = test::sparse(Eigen::MatrixXd::Ones(5, 6));
  expect_invalid(p, {"H", "5", "4"});
}

TEST(Validate, ColumnsOfH) {
  GlobalProblem p = legal_global();
  p.H = test::sparse(Eigen::MatrixXd::Ones(4, 5));
  expect_invalid(p, {"H", "5", "multiple", "3"});
  p.H = test::sparse(Eigen::MatrixXd::Ones(4, 9));  // three contacts, two mu
  EXPECT_THROW(validate(p), InvalidProblem);
}

TEST(Validate, ConstraintsWithoutRightHandSide) {
  GlobalProblem p = legal_with_joint();
  p.b.clear();
  expect_invalid(p, {"b", "0", "1"});
}

TEST(Validate, RightHandSideWithoutConstraints) {
  GlobalProblem p = legal_with_joint();
  p.G.reset();
  expect_invalid(p, {"b", "1", "0"});
}

TEST(Validate, RowsOfG) {
  GlobalProblem p = legal_with_joint();
  p.G = test::sparse(Eigen::MatrixXd::Ones(3, 1));
  expect_invalid(p, {"G", "3", "4"});
}

TEST(Validate, VWithoutR) {
  LocalProblem p = legal_with_multipliers();
  p.R.reset();
  expect_invalid(p, {"R"});
}

TEST(Validate, RWithoutV) {
  LocalProblem p = legal_with_multipliers();
  p.V.reset();
  expect_invalid(p, {"V"});
}

TEST(Validate, LengthOfS) {
  LocalProblem p = legal_with_multipliers();
  p.s.pop_back();
  expect_invalid(p, {"s", "1", "2"});
}

TEST(Validate, SWithoutV) {
  LocalProblem p = legal_local();
  p.s = {1};
  expect_invalid(p, {"s", "1", "0"});
}

TEST(Validate, RowsOfV) {
  LocalProblem p = legal_with_multipliers();
  p.V = test::sparse(Eigen::MatrixXd::Ones(5, 2));
  expect_invalid(p, {"V", "5", "6"});
}

TEST(Validate, RNotSquare) {
  LocalProblem p = legal_with_multipliers();
  p.R = test::sparse(Eigen::MatrixXd::Ones(2, 3));
  expect_invalid(p, {"R", "2", "3"});
}

TEST(Validate, SizeOfRAgainstV) {
  LocalProblem p = legal_with_multipliers();
  p.R = test::sparse(Eigen::MatrixXd::Identity(3, 3));
  expect_invalid(p, {"R", "3", "2"});
}

// The matrix alone, in every storage.
void expect_invalid_matrix(const SparseMatrix& a, const std::vector<std::string>& parts) {
  const std::string message = test::message_of<InvalidProblem>([&] { validate(a, "matrix A"); });
  EXPECT_EQ(message.rfind("matrix A", 0), 0u) << message;  // the name starts the message
  for (const std::string& part : parts) EXPECT_TRUE(test::contains(message, part)) << "no '" << part << "' in: " << message;
}

TEST(ValidateMatrix, IndexOutOfRange) {
  for (const Storage s : {Storage::triplet, Storage::csc, Storage::csr})
    for (const int bad : {-1, 4, 1000000}) {
      SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
      a.i[5] = bad;
      expect_invalid_matrix(a, {std::to_string(bad), "5"});
    }
}

TEST(ValidateMatrix, ColumnOfTripletOutOfRange) {
  for (const int bad : {-1, 3}) {
    SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 3), Storage::triplet);
    a.p[7] = bad;
    expect_invalid_matrix(a, {std::to_string(bad), "7"});
  }
}

// In a triplet p is the column and i the row: a wide matrix tells them apart.
TEST(ValidateMatrix, RolesOfTripletArrays) {
  SparseMatrix a;
  a.rows = 1;
  a.cols = 3;
  a.storage = Storage::triplet;
  a.p = {2};
  a.i = {0};
  a.x = {1};
  EXPECT_NO_THROW(validate(a, "A"));
  std::swap(a.p, a.i);
  EXPECT_THROW(validate(a, "A"), InvalidProblem);
}

TEST(ValidateMatrix, PointersNotMonotone) {
  for (const Storage s : {Storage::csc, Storage::csr}) {
    SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
    a.p[2] = 3;  // below p[1] = 4
    expect_invalid_matrix(a, {"p", "2", "3"});
  }
}

TEST(ValidateMatrix, FirstPointerNotZero) {
  for (const Storage s : {Storage::csc, Storage::csr}) {
    SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
    a.p[0] = 1;
    expect_invalid_matrix(a, {"p", "1", "0"});
  }
}

TEST(ValidateMatrix, LastPointerIsNotTheNumberOfEntries) {
  for (const Storage s : {Storage::csc, Storage::csr})
    for (const int change : {-1, 1}) {
      SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
      a.p.back() += change;
      expect_invalid_matrix(a, {"p", std::to_string(16 + change), "16"});
    }
}

// A hole in the middle cannot be hidden by a huge pointer: nothing may be read past the end.
TEST(ValidateMatrix, HugePointer) {
  SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4));
  a.p[1] = std::numeric_limits<int>::max();
  EXPECT_THROW(validate(a, "A"), InvalidProblem);
  a = test::sparse(Eigen::MatrixXd::Ones(4, 4));
  a.p[1] = std::numeric_limits<int>::min();
  EXPECT_THROW(validate(a, "A"), InvalidProblem);
}

TEST(ValidateMatrix, NumberOfPointers) {
  for (const Storage s : {Storage::csc, Storage::csr}) {
    SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
    a.p.push_back(16);
    expect_invalid_matrix(a, {"p", "6", "5"});
    a.p.clear();
    expect_invalid_matrix(a, {"p", "0", "5"});
  }
}

// Rows and columns are not exchanged: a 2×5 matrix has 6 column starts or 3 row starts.
TEST(ValidateMatrix, PointersOfAWideMatrix) {
  SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(2, 5), Storage::csc);
  EXPECT_NO_THROW(validate(a, "A"));
  a.storage = Storage::csr;
  EXPECT_THROW(validate(a, "A"), InvalidProblem);
  a = test::sparse(Eigen::MatrixXd::Ones(2, 5), Storage::csr);
  EXPECT_NO_THROW(validate(a, "A"));
  a.storage = Storage::csc;
  EXPECT_THROW(validate(a, "A"), InvalidProblem);
}

TEST(ValidateMatrix, LengthsOfArraysDiffer) {
  for (const Storage s : {Storage::triplet, Storage::csc, Storage::csr}) {
    SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
    a.i.pop_back();
    expect_invalid_matrix(a, {"15", "16"});
    a = test::sparse(Eigen::MatrixXd::Ones(4, 4), s);
    a.x.pop_back();
    expect_invalid_matrix(a, {"15", "16"});
  }
  SparseMatrix a = test::sparse(Eigen::MatrixXd::Ones(4, 4), Storage::triplet);
  a.p.pop_back();
  expect_invalid_matrix(a, {"p", "15", "16"});
}

TEST(ValidateMatrix, NegativeSizes) {
  SparseMatrix a;
  a.rows = -1;
  a.storage = Storage::triplet;
  expect_invalid_matrix(a, {"-1"});
  a.rows = 0;
  a.cols = -2;
  expect_invalid_matrix(a, {"-2"});
}

TEST(ValidateMatrix, EmptyMatrixIsLegal) {
  for (const Storage s : {Storage::triplet, Storage::csc, Storage::csr}) {
    EXPECT_NO_THROW(validate(test::sparse(Eigen::MatrixXd(0, 0), s), "A"));
    EXPECT_NO_THROW(validate(test::sparse(Eigen::MatrixXd::Zero(3, 3), s), "A"));
  }
}

TEST(Problem, Accessors) {
  const Problem local = legal_local(), global = legal_global();
  EXPECT_STREQ(form_name(local), "local");
  EXPECT_STREQ(form_name(global), "global");
  EXPECT_EQ(contacts(local), 2);
  EXPECT_EQ(contacts(global), 2);
  EXPECT_EQ(dimension(local), 3);
  EXPECT_EQ(name(global), "fixture");
}

}  // namespace
}  // namespace cornet
