// Principal pivoting on the cases of a plane problem: guess take-off, stick or slide of every contact, solve, exchange what contradicts.
//
//   take-off  r = 0        → slide if u_N < 0 (against u_T)
//   stick     u = 0        → slide if |r_T| > μ r_N (on the edge of K on the side of r_T)
//   slide     u_N = 0, r_T = ∓μ r_N  → take-off if r_N < 0, stick if u_T does not oppose r_T
//
// All contradicting contacts change together while their number falls, ten times at most without a new least number; then only the one with
// the largest index until it falls again (Júdice, Pires). It could cycle: the cases met one by one are remembered, and when they come back
// another of the contradicting contacts is changed; when none is left, or after 100 + 5 nc such steps, the run ends as stalled.
//
// References: Murty (1974); Kostreva (1978); Júdice, Pires (1994). Fails: strong coupling between normal and tangent; singular cases are
// solved by least squares, which may not satisfy them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cornet/problem.h"
#include "cornet/solver.h"
#include "linalg/sparse.h"

namespace cornet {

/// A plane problem, dense, in units of unit mobilities and unit q.
struct PlaneData {
  explicit PlaneData(const LocalProblem& problem) : W(Eigen::MatrixXd(to_columns(problem.W))), q(as_vector(problem.q)), mu(problem.mu) {
    mobility = Eigen::VectorXd::Ones(q.size());
    for (int c = 0; c < contacts(); ++c)
      if (const double m = std::max(std::abs(W(2 * c, 2 * c)), std::abs(W(2 * c + 1, 2 * c + 1))); m > 0)
        mobility[2 * c] = mobility[2 * c + 1] = std::sqrt(m);
    W = mobility.cwiseInverse().asDiagonal() * W * mobility.cwiseInverse().asDiagonal();
    q = q.cwiseQuotient(mobility);
    unit = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0;
    if (!(unit > 0)) unit = 1;
    q /= unit;
  }

  int contacts() const { return static_cast<int>(mu.size()); }
  Eigen::VectorXd scaled(const std::vector<double>& r) const { return as_vector(r).cwiseProduct(mobility) / unit; }
  std::vector<double> given(const Eigen::VectorXd& r) const { return to_std(r.cwiseQuotient(mobility) * unit); }

  Eigen::MatrixXd W;
  Eigen::VectorXd q;
  std::vector<double> mu;
  Eigen::VectorXd mobility;  ///< 2nc, both entries of a contact equal
  double unit = 1;
};

class PrincipalPivoting {
 public:
  explicit PrincipalPivoting(const PlaneData& data)
      : data_(data), cases_(data.mu.size(), kOpen), r_(Eigen::VectorXd::Zero(data.q.size())) {}

  /// Starts from the cases of the reactions `start`.
  Termination run(const Eigen::VectorXd& start, Monitor& monitor) {
    guess(start);
    int fewest = std::numeric_limits<int>::max(), patience = kPatience, single = 0;
    std::map<std::string, std::size_t> visits;
    for (;;) {
      solve();
      std::string next = cases_;
      std::vector<std::size_t> wrong;
      for (int c = data_.contacts() - 1; c >= 0; --c) {
        next[index(c)] = better_case(c);
        if (next[index(c)] != cases_[index(c)]) wrong.push_back(index(c));
      }
      const int count = static_cast<int>(wrong.size());
      if (count == 0) return residual() <= kTolerance ? Termination::converged : Termination::stalled;
      if (const auto stop = monitor.step(count)) return *stop;
      if (count < fewest || patience > 0) {
        patience = count < fewest ? kPatience : patience - 1;
        fewest = std::min(fewest, count);
        cases_ = next;
        continue;
      }
      const std::size_t choice = visits[cases_]++;
      if (choice >= wrong.size() || ++single > 100 + 5 * data_.contacts()) return Termination::stalled;
      cases_[wrong[choice]] = next[wrong[choice]];
    }
  }

  const Eigen::VectorXd& reactions() const { return r_; }

 private:
  static constexpr char kOpen = 'o', kStick = 's', kUp = 'u', kDown = 'd';
  static constexpr int kPatience = 10;
  static constexpr double kTolerance = 1e-10;

  static std::size_t index(int c) { return static_cast<std::size_t>(c); }

  void guess(const Eigen::VectorXd& r) {
    for (int c = 0; c < data_.contacts(); ++c) {
      const double limit = data_.mu[index(c)] * r[2 * c] * (1 - 1e-9), r_T = r[2 * c + 1];
      if (r[2 * c] <= 0) cases_[index(c)] = kOpen;
      else if (data_.mu[index(c)] == 0) cases_[index(c)] = kUp;
      else cases_[index(c)] = std::abs(r_T) < limit ? kStick : r_T > 0 ? kDown : kUp;
    }
  }

  /// r and u of the present cases.
  void solve() {
    A_ = Eigen::MatrixXd::Zero(r_.size(), r_.size());
    b_ = Eigen::VectorXd::Zero(r_.size());
    for (int c = 0; c < data_.contacts(); ++c) {
      const int n = 2 * c, t = n + 1;
      const double mu = data_.mu[index(c)];
      const char now = cases_[index(c)];
      const auto velocity = [&](int i) {
        A_.row(i) = data_.W.row(i);
        b_[i] = -data_.q[i];
      };
      if (now == kOpen) A_(n, n) = 1;
      else velocity(n);
      if (now == kStick || (now == kOpen && std::isinf(mu))) velocity(t);
      else A_(t, t) = 1;
      if (now == kUp) A_(t, n) = mu;
      if (now == kDown) A_(t, n) = -mu;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A_);
    if (r_.size() > 0 && lu.rcond() > 1e-13) {
      r_ = lu.solve(b_);
      r_ += lu.solve(b_ - A_ * r_);
    } else if (r_.size() > 0) {
      r_ = A_.completeOrthogonalDecomposition().solve(b_);
    }
    u_ = data_.W * r_ + data_.q;
  }

  double residual() const { return r_.size() > 0 ? (A_ * r_ - b_).cwiseAbs().maxCoeff() : 0; }

  char better_case(int c) const {
    const double mu = data_.mu[index(c)], r_N = r_[2 * c], r_T = r_[2 * c + 1], u_N = u_[2 * c], u_T = u_[2 * c + 1];
    const char now = cases_[index(c)];
    constexpr double e = 1e-11;
    const bool rough = std::isinf(mu);
    if (now == kOpen) return u_N >= -e ? kOpen : rough ? kStick : u_T >= 0 ? kUp : kDown;
    if (now == kStick && !rough) return std::abs(r_T) <= mu * r_N + e ? kStick : r_T > 0 ? kDown : kUp;
    if (r_N < -e) return kOpen;
    if (mu == 0 || rough) return now;
    return (now == kUp ? u_T < -e : u_T > e) ? kStick : now;
  }

  const PlaneData& data_;
  std::string cases_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_, r_, u_;
};

}  // namespace cornet
