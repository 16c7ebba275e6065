// What the experiments share: comparisons, small dense problems, solving to a certified error.
#pragma once

#include <Eigen/Dense>
#include <limits>
#include <string>
#include <vector>

#include "cornet/problem.h"
#include "cornet/reproduce.h"
#include "cornet/result.h"

namespace cornet::reproduction {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Comparisons: one row of the report each. All return whether it holds.
bool expect_near(Report& report, const std::string& what, double expected, double found, double tolerance);
bool expect_at_most(Report& report, const std::string& what, double bound, double found);
bool expect_at_least(Report& report, const std::string& what, double bound, double found);
bool expect_same(Report& report, const std::string& what, const std::string& expected, const std::string& found);
bool expect_true(Report& report, const std::string& what, bool found);
bool expect_false(Report& report, const std::string& what, bool found);
/// Found count out of `total`: for statements about many cases.
bool expect_all(Report& report, const std::string& what, int total, int found);

/// "1.2e-09", "0.25": for tables.
std::string short_number(double value, int digits = 3);

Eigen::VectorXd vec(const std::vector<double>& values);
std::vector<double> list(const Eigen::VectorXd& values);
SparseMatrix sparse(const Eigen::MatrixXd& dense);
Eigen::MatrixXd dense(const SparseMatrix& matrix);

GlobalProblem global_problem(int dim, const Eigen::MatrixXd& m, const Eigen::MatrixXd& h, const Eigen::VectorXd& f,
                             const Eigen::VectorXd& w, const std::vector<double>& mu);

/// Solves with a solver by id (the default one when empty). `guess` are reactions, or empty.
Result solve_to(const Problem& problem, double tolerance, const std::string& solver = "", const std::vector<double>& guess = {});

/// The certified error of given reactions.
double error_of(const Problem& problem, const Eigen::VectorXd& r);

/// Seeded numbers, the same on every machine: a generator of our own (splitmix64) and Box and Muller's normal distribution.
class Random {
 public:
  explicit Random(unsigned long long seed) : state_(seed) {}
  double unit();  ///< in [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  double normal();
  int index(int count) { return static_cast<int>(unit() * count); }  ///< in 0 … count − 1

 private:
  unsigned long long state_;
};

}  // namespace cornet::reproduction
