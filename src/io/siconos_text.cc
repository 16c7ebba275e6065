// Reads the text format of Siconos:
//
//   local:   dimension  contacts  W  q  mu  [flag]
//   global:  dimension  contacts  M  H  q (= f)  b (= w)  mu  [flag]
//
// with M v = H r + f, u = Hᵀ v + w as everywhere. Nothing in the file tells the two apart, nor from related formats, but what follows the
// first matrix. The flag, 0 or 1, was written by old versions and has no meaning here.
#include "io/siconos_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "cornet/error.h"
#include "io/siconos_matrix.h"
#include "io/text_scanner.h"

namespace cornet::io {
namespace {

constexpr double kRoundingAsymmetry = 1e-7;      // below: digits lost in printing; above: a matrix meant to be unsymmetric
constexpr double kSymmetric = 1e-14;             // below: symmetric
constexpr int kFewDigits = 8, kExactDigits = 4;  // up to 4 digits are data like 0.25, not rounded results

class Importer {
 public:
  explicit Importer(const std::string& path) : scanner_(path), stem_(std::filesystem::path(path).stem().string()) {}

  ProblemFile read() {
    dim_ = dimension();
    contacts_ = scanner_.integer("the number of contacts", 0);
    scanner_.require_words(contacts_, "the friction coefficients");
    const long long size = static_cast<long long>(dim_) * contacts_;
    if (size > std::numeric_limits<int>::max()) scanner_.fail("the number of contacts", "dimension × contacts below 2³¹");
    size_ = static_cast<int>(size);
    TextMatrix first = read_siconos_matrix(scanner_, "the first matrix");
    if (second_matrix_follows(first.matrix.rows)) out_.global = validated(global(std::move(first)));
    else out_.local = validated(local(std::move(first)));
    return std::move(out_);
  }

 private:
  int dimension() {
    const char* const expected = "the dimension, 2 or 3, of Siconos text (and the file is not HDF5 either)";
    const std::optional<int> first = scanner_.try_integer();
    if (!first) scanner_.fail_next(expected, expected);
    if (*first == 2 || *first == 3) return *first;
    // Other problems of Siconos start with the size of a cone, or of the whole matrix.
    const TextScanner::Mark mark = scanner_.mark();
    const auto contacts = scanner_.try_integer();
    scanner_.try_integer();  // the storage
    const auto rows = scanner_.try_integer();
    scanner_.rewind(mark);
    if (*first == 5 && contacts && rows && (*rows != 5 || *contacts == 1))
      throw MissingFeature(fmt::format("{}found dimension 5, which is rolling friction, expected 2 or 3", scanner_.place()));
    if (rows && *rows == *first) refuse_soclcp();
    scanner_.fail("the dimension", "2 or 3");
  }

  [[noreturn]] void refuse_soclcp() const {
    throw MissingFeature(scanner_.place() +
                         "found a second-order cone complementarity problem (SOCLCP), expected a friction contact problem: the friction "
                         "term of the law is missing in it");
  }

  bool second_matrix_follows(int rows) {
    const TextScanner::Mark mark = scanner_.mark();
    const auto storage = scanner_.try_integer();
    const auto second_rows = scanner_.try_integer();
    const auto second_cols = scanner_.try_integer();
    const bool header =
        storage && second_rows && second_cols && *storage >= 0 && *storage <= 2 && *second_rows == rows && *second_cols == size_;
    scanner_.rewind(mark);
    // q of a local problem may start with such integers, but then no more than q, mu and the flag follow.
    return header && (rows != size_ || scanner_.words_left() > static_cast<long long>(size_) + contacts_ + 1);
  }

  template <class SomeProblem>
  SomeProblem validated(SomeProblem problem) const {
    try {
      validate(problem);
    } catch (const InvalidProblem& error) {
      throw InvalidProblem(fmt::format("{}: {}", scanner_.file(), error.what()));
    }
    return problem;
  }

  LocalProblem local(TextMatrix first) {
    LocalProblem problem;
    problem.name = stem_;
    problem.dim = dim_;
    if (first.matrix.rows != size_ || first.matrix.cols != size_)
      throw InvalidProblem(fmt::format("{}W: found {}×{}, expected {}×{} (dimension × contacts), or a second matrix H of {}×{} after it",
                                       scanner_.place(), first.matrix.rows, first.matrix.cols, size_, size_, first.matrix.rows, size_));
    report("W", first, true);
    problem.W = std::move(first.matrix);
    problem.q = vector("q", size_);
    problem.mu = friction();
    finish(true);
    return problem;
  }

  GlobalProblem global(TextMatrix first) {
    GlobalProblem problem;
    problem.name = stem_;
    problem.dim = dim_;
    if (first.matrix.rows != first.matrix.cols)
      throw InvalidProblem(
          fmt::format("{}M: found {}×{}, expected a square matrix", scanner_.place(), first.matrix.rows, first.matrix.cols));
    report("M", first, true);
    problem.M = std::move(first.matrix);
    TextMatrix second = read_siconos_matrix(scanner_, "H");
    report("H", second, false);
    problem.H = std::move(second.matrix);
    problem.f = vector("f", problem.M.rows);
    problem.w = vector("w", size_);
    problem.mu = friction();
    finish(false);
    return problem;
  }

  std::vector<double> vector(const char* name, int count) {
    scanner_.require_words(count, name);
    std::vector<double> a;
    a.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) a.push_back(scanner_.number(Field(std::string_view(name), k)));
    return a;
  }

  std::vector<double> friction() {
    std::vector<double> mu;
    for (int k = 0; k < contacts_; ++k) {
      mu.push_back(scanner_.number(Field(std::string_view("mu"), k), true));
      if (mu.back() < 0) throw InvalidProblem(fmt::format("{}mu[{}]: found {}, expected a number ≥ 0", scanner_.place(), k, mu.back()));
    }
    return mu;
  }

  void finish(bool local) {
    const TextScanner::Mark mark = scanner_.mark();
    const auto flag = scanner_.try_integer();
    if ((!flag || *flag == 0 || *flag == 1) && scanner_.peek().empty()) return;
    scanner_.rewind(mark);
    // A SOCLCP has contacts + 1 cone starts before its mu, of which the first ones were just taken for mu.
    const long long left = scanner_.words_left();
    if (local && left == contacts_ + 1LL) refuse_soclcp();
    if (left == contacts_)
      throw MissingFeature(scanner_.place() +
                           "found a second list of friction coefficients (rolling friction), expected the end of the file");
    scanner_.fail_next("the end of the file", "the end of the file");
  }

  void warn(const std::string& name, const std::string& what) {
    out_.warnings.push_back(fmt::format("{}: {}: {}", scanner_.file(), name, what));
  }

  void report(const char* name, const TextMatrix& read, bool square) {
    if (read.digits > kExactDigits && read.digits <= kFewDigits)
      warn(name, fmt::format("printed with {} digits: symmetry and definiteness hold to that accuracy only; kept as it is", read.digits));
    if (!square) return;
    const double asymmetry = relative_asymmetry(read.matrix);
    if (asymmetry > kSymmetric && asymmetry <= kRoundingAsymmetry)
      warn(name, fmt::format("symmetric only to {:.1e} relative, as if digits were lost in printing; kept as it is", asymmetry));
    if (read.dense && asymmetry > kRoundingAsymmetry)
      warn(name, fmt::format("dense and unsymmetric ({:.1e} relative): read by columns, as Siconos prints it", asymmetry));
  }

  TextScanner scanner_;
  std::string stem_;
  ProblemFile out_;
  int dim_ = 3;
  int contacts_ = 0;
  int size_ = 0;
};

}  // namespace

ProblemFile read_siconos_text(const std::string& path) { return Importer(path).read(); }

}  // namespace cornet::io
