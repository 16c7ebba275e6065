#include "fuzz/fclib_check.h"

#include "fuzz/target.h"
#include "io/fclib.h"

namespace cornet::fuzz {
namespace {

bool same(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && a.storage == b.storage && a.p == b.p && a.i == b.i && a.x == b.x;
}

bool same(const std::optional<SparseMatrix>& a, const std::optional<SparseMatrix>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same(const Iterate& a, const Iterate& b) { return a.r == b.r && a.u == b.u && a.v == b.v && a.lambda == b.lambda; }

bool same(const LocalProblem& a, const LocalProblem& b) {
  return a.dim == b.dim && same(a.W, b.W) && same(a.V, b.V) && same(a.R, b.R) && a.q == b.q && a.mu == b.mu && a.s == b.s;
}

bool same(const GlobalProblem& a, const GlobalProblem& b) {
  return a.dim == b.dim && same(a.M, b.M) && same(a.H, b.H) && same(a.G, b.G) && a.f == b.f && a.w == b.w && a.mu == b.mu && a.b == b.b;
}

template <class T>
bool same_or_absent(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

}  // namespace

bool check_fclib(const std::string& path, ProblemFile (*read)(const std::string& path)) {
  ProblemFile first;
  if (!accepts(path + ": ", [&] { first = read(path); })) return false;
  const MemoryFile copy("");
  io::write_fclib(copy.descriptor(), copy.path(), io::content_of(first));
  const ProblemFile second = read(copy.path());
  require(same_or_absent(first.local, second.local), "a local problem that changes on its way");
  require(same_or_absent(first.global, second.global), "a global problem that changes on its way");
  require(same_or_absent(first.solution, second.solution), "a solution that changes on its way");
  require(first.guesses.size() == second.guesses.size(), "guesses lost on the way");
  for (std::size_t k = 0; k < first.guesses.size(); ++k)
    require(same(first.guesses[k], second.guesses[k]), "a guess that changes on its way");
  require(first.attributes.size() == second.attributes.size(), "attributes lost on the way");
  require(second.warnings.empty(), "a warning about a file that we wrote");
  return true;
}

}  // namespace cornet::fuzz
