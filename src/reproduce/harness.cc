// What the experiments share: see harness.h.
#include "reproduce/harness.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "cornet/certificate.h"

namespace cornet::reproduction {
namespace {

bool add(Report& report, ReportRow row) {
  const bool ok = row.ok;
  report.rows.push_back(std::move(row));
  return ok;
}

}  // namespace

bool expect_near(Report& report, const std::string& what, double expected, double found, double tolerance) {
  return add(report, {what, "=", expected, found, tolerance, std::abs(found - expected) <= tolerance});
}

bool expect_at_most(Report& report, const std::string& what, double bound, double found) {
  return add(report, {what, "≤", bound, found, std::nan(""), found <= bound});
}

bool expect_at_least(Report& report, const std::string& what, double bound, double found) {
  return add(report, {what, "≥", bound, found, std::nan(""), found >= bound});
}

bool expect_same(Report& report, const std::string& what, const std::string& expected, const std::string& found) {
  return add(report, {what, "=", expected, found, std::nan(""), found == expected});
}

bool expect_true(Report& report, const std::string& what, bool found) { return add(report, {what, "=", true, found, std::nan(""), found}); }

bool expect_false(Report& report, const std::string& what, bool found) {
  return add(report, {what, "=", false, found, std::nan(""), !found});
}

bool expect_all(Report& report, const std::string& what, int total, int found) {
  return expect_same(report, what, fmt::format("{0} of {0}", total), fmt::format("{} of {}", found, total));
}

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  return fmt::format("{:.{}g}", value, digits);
}

Eigen::VectorXd vec(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<double> list(const Eigen::VectorXd& values) { return {values.data(), values.data() + values.size()}; }

SparseMatrix sparse(const Eigen::MatrixXd& dense) {
  SparseMatrix a;
  a.rows = static_cast<int>(dense.rows());
  a.cols = static_cast<int>(dense.cols());
  a.p.push_back(0);
  for (int j = 0; j < a.cols; ++j) {
    for (int i = 0; i < a.rows; ++i)
      if (dense(i, j) != 0) {
        a.i.push_back(i);
        a.x.push_back(dense(i, j));
      }
    a.p.push_back(a.entries());
  }
  return a;
}

Eigen::MatrixXd dense(const SparseMatrix& matrix) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(matrix.rows, matrix.cols);
  const bool triplet = matrix.storage == Storage::triplet, by_rows = matrix.storage == Storage::csr;
  std::size_t outer = 0;
  for (std::size_t k = 0; k < matrix.x.size(); ++k) {
    if (triplet) outer = static_cast<std::size_t>(matrix.p[k]);
    else
      while (matrix.p[outer + 1] <= static_cast<int>(k)) ++outer;
    const int o = static_cast<int>(outer);
    a(by_rows ? o : matrix.i[k], by_rows ? matrix.i[k] : o) += matrix.x[k];
  }
  return a;
}

GlobalProblem global_problem(int dim, const Eigen::MatrixXd& m, const Eigen::MatrixXd& h, const Eigen::VectorXd& f,
                             const Eigen::VectorXd& w, const std::vector<double>& mu) {
  GlobalProblem problem;
  problem.dim = dim;
  problem.M = sparse(m);
  problem.H = sparse(h);
  problem.f = list(f);
  problem.w = list(w);
  problem.mu = mu;
  return problem;
}

Result solve_to(const Problem& problem, double tolerance, const std::string& solver, const std::vector<double>& guess) {
  RunOptions options;
  if (!solver.empty()) options.solver = solver;
  options.tolerance = tolerance;
  options.time_limit = 30;
  Iterate start;
  start.r = guess;
  return solve(problem, options, start);
}

double error_of(const Problem& problem, const Eigen::VectorXd& r) {
  Iterate x;
  x.r = list(r);
  return certify(problem, x).error;
}

double Random::unit() {
  state_ += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * std::numbers::pi * unit());
}

}  // namespace cornet::reproduction
