// Checks of problem data, one pass over each array. Every message: field, what was found, what was expected.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/error.h"
#include "cornet/problem.h"

namespace cornet {
namespace {

[[noreturn]] void fail(const std::string& field, const std::string& found, const std::string& expected) {
  throw InvalidProblem(fmt::format("{}: found {}, expected {}", field, found, expected));
}

void check_length(const std::vector<double>& a, long expected, const char* field, const char* why) {
  if (static_cast<long>(a.size()) != expected) fail(field, fmt::format("{} numbers", a.size()), fmt::format("{} ({})", expected, why));
}

// A sum is finite only if all terms are (or on overflow, which the slow path sorts out): one fast pass for the common case.
void check_finite(const std::vector<double>& a, const std::string& field) {
  double sum = 0;
  for (double x : a) sum += x * 0.0;
  if (sum == 0) return;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isfinite(a[k])) fail(fmt::format("{}[{}]", field, k), fmt::format("{}", a[k]), "a finite number");
}

void check_vector(const std::vector<double>& a, long expected, const char* field, const char* why) {
  check_length(a, expected, field, why);
  check_finite(a, field);
}

void check_dimension_and_mu(int dim, const std::vector<double>& mu) {
  if (dim != 2 && dim != 3) fail("spacedim", std::to_string(dim), "2 or 3");
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (mu.size() > kMost / static_cast<std::size_t>(dim))
    fail("mu", fmt::format("{} numbers", mu.size()), fmt::format("at most {} (indices of 32 bits)", kMost / static_cast<std::size_t>(dim)));
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (!(mu[k] >= 0)) fail(fmt::format("mu[{}]", k), fmt::format("{}", mu[k]), "a number ≥ 0 (0 and inf are legal)");
}

void check_shape(const SparseMatrix& a, int rows, int cols, const char* name, const char* why) {
  validate(a, name);
  if (a.rows != rows || a.cols != cols) fail(name, fmt::format("{}×{}", a.rows, a.cols), fmt::format("{}×{} ({})", rows, cols, why));
}

// One index array against [0, bound).
void check_indices(const std::vector<int>& index, int bound, const std::string& field, const char* meaning) {
  unsigned worst = 0;
  for (int k : index) worst = std::max(worst, static_cast<unsigned>(k));
  if (index.empty() || worst < static_cast<unsigned>(bound)) return;
  for (std::size_t k = 0; k < index.size(); ++k)
    if (index[k] < 0 || index[k] >= bound)
      fail(fmt::format("{}[{}]", field, k), fmt::format("{} index {}", meaning, index[k]), fmt::format("0 ≤ index < {}", bound));
}

void check_pointers(const SparseMatrix& a, int count, const std::string& name) {
  if (a.p.size() != static_cast<std::size_t>(count) + 1)
    fail(name + ".p", fmt::format("{} pointers", a.p.size()), fmt::format("{}", count + 1L));
  if (a.p.front() != 0) fail(name + ".p[0]", std::to_string(a.p.front()), "0");
  for (int k = 0; k < count; ++k)
    if (a.p[k + 1] < a.p[k])
      fail(fmt::format("{}.p[{}]", name, k + 1), std::to_string(a.p[k + 1]), fmt::format("at least {}, the pointer before it", a.p[k]));
  if (static_cast<std::size_t>(a.p.back()) != a.x.size())
    fail(fmt::format("{}.p[{}]", name, count), std::to_string(a.p.back()), fmt::format("{}, the number of entries", a.x.size()));
}

}  // namespace

void validate(const SparseMatrix& a, const std::string& name) {
  if (a.x.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail(name + ".x", fmt::format("{} entries", a.x.size()),
         fmt::format("at most {} (indices of 32 bits)", std::numeric_limits<int>::max()));
  if (a.rows < 0 || a.cols < 0) fail(name, fmt::format("{}×{}", a.rows, a.cols), "sizes ≥ 0");
  if (a.i.size() != a.x.size()) fail(name + ".i", fmt::format("{} indices", a.i.size()), fmt::format("{}, one per value", a.x.size()));
  switch (a.storage) {
    case Storage::triplet:
      if (a.p.size() != a.x.size()) fail(name + ".p", fmt::format("{} indices", a.p.size()), fmt::format("{}, one per value", a.x.size()));
      check_indices(a.i, a.rows, name + ".i", "row");
      check_indices(a.p, a.cols, name + ".p", "column");
      break;
    case Storage::csc:
      check_pointers(a, a.cols, name);
      check_indices(a.i, a.rows, name + ".i", "row");
      break;
    case Storage::csr:
      check_pointers(a, a.rows, name);
      check_indices(a.i, a.cols, name + ".i", "column");
      break;
  }
  check_finite(a.x, name + ".x");
}

void validate(const LocalProblem& problem) {
  check_dimension_and_mu(problem.dim, problem.mu);
  validate(problem.W, "W");
  if (problem.W.rows != problem.W.cols) fail("W", fmt::format("{}×{}", problem.W.rows, problem.W.cols), "a square matrix");
  if (problem.W.rows % problem.dim != 0)
    fail("W", fmt::format("{} rows", problem.W.rows), fmt::format("a multiple of the dimension {}", problem.dim));
  if (problem.W.rows != problem.size())
    fail("mu", fmt::format("{} numbers", problem.mu.size()),
         fmt::format("{}, one per contact (W has {} rows in dimension {})", problem.W.rows / problem.dim, problem.W.rows, problem.dim));
  check_vector(problem.q, problem.size(), "q", "dimension × contacts");
  if (problem.V.has_value() != problem.R.has_value())
    fail(problem.V ? "R" : "V", "nothing", "a matrix: V and R belong together (bilateral constraints)");
  if (problem.V) {
    check_shape(*problem.V, problem.size(), problem.V->cols, "V", "one row per component of r");
    check_shape(*problem.R, problem.V->cols, problem.V->cols, "R", "square, one row per column of V");
    check_vector(problem.s, problem.V->cols, "s", "one per column of V");
  } else {
    check_length(problem.s, 0, "s", "there is no V");
  }
}

void validate(const GlobalProblem& problem) {
  check_dimension_and_mu(problem.dim, problem.mu);
  validate(problem.M, "M");
  if (problem.M.rows != problem.M.cols) fail("M", fmt::format("{}×{}", problem.M.rows, problem.M.cols), "a square matrix");
  validate(problem.H, "H");
  if (problem.H.cols % problem.dim != 0)
    fail("H", fmt::format("{} columns", problem.H.cols), fmt::format("a multiple of the dimension {}", problem.dim));
  if (problem.H.cols != problem.size())
    fail("mu", fmt::format("{} numbers", problem.mu.size()),
         fmt::format("{}, one per contact (H has {} columns in dimension {})", problem.H.cols / problem.dim, problem.H.cols, problem.dim));
  check_shape(problem.H, problem.M.rows, problem.size(), "H", "degrees of freedom × dimension·contacts");
  check_vector(problem.f, problem.M.rows, "f", "one per degree of freedom");
  check_vector(problem.w, problem.size(), "w", "dimension × contacts");
  if (problem.G) {
    check_shape(*problem.G, problem.M.rows, problem.G->cols, "G", "one row per degree of freedom");
    check_vector(problem.b, problem.G->cols, "b", "one per column of G");
  } else {
    check_length(problem.b, 0, "b", "there is no G");
  }
}

void validate(const Problem& problem) {
  std::visit([](const auto& p) { validate(p); }, problem);
}

const char* form_name(const Problem& problem) { return std::holds_alternative<LocalProblem>(problem) ? "local" : "global"; }

int contacts(const Problem& problem) {
  return std::visit([](const auto& p) { return p.contacts(); }, problem);
}

int dimension(const Problem& problem) {
  return std::visit([](const auto& p) { return p.dim; }, problem);
}

const std::string& name(const Problem& problem) {
  return std::visit([](const auto& p) -> const std::string& { return p.name; }, problem);
}

}  // namespace cornet
