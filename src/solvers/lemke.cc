// The plane problem as a linear complementarity problem, by Lemke's method.
//
// Tangential reactions are split, r_T = β⁺ − β⁻, and λ stands for |u_T|. For each contact, with u = W r + q,
//
//   0 ≤ u_N ⊥ r_N ≥ 0     0 ≤ λ + u_T ⊥ β⁺ ≥ 0     0 ≤ λ − u_T ⊥ β⁻ ≥ 0     0 ≤ μ r_N − β⁺ − β⁻ ⊥ λ ≥ 0
//
// is Coulomb's law without approximation. μ = 0 keeps r_N alone, μ = ∞ has no λ and no cone: 0 ≤ ±u_T ⊥ β± ≥ 0. Together w = M z + b,
// 0 ≤ w ⊥ z ≥ 0; zᵀMz = rᵀWr + Σ μ r_N λ ≥ 0, so M is copositive for semidefinite W, symmetric or not.
//
// Lemke: an artificial z₀ covers the negative part of b (w = M z + b + d z₀, d > 0), complementary pivots keep w ⊥ z until z₀ leaves. Ties in
// the ratio test are broken lexicographically, so no basis comes twice; d is uneven, so that ties are rare. A ray is given two more chances
// with another d. Dense tableau of (4nc) × (4nc + 2), data scaled to unit mobilities, computed anew when it has drifted; the answer comes
// from its active set.
//
// rule = principal: principal pivots on the cases of the contacts instead, see principal_pivoting.h; a handful of
// factorisations where coupling is weak and the solution unique, no guarantee elsewhere.
//
// Ends in a solution whenever no r ∈ K with W r = 0 has qᵀr < 0 (so always when w = 0). Otherwise it may end in a ray, which proves nothing:
// a solution may exist all the same (`enumerate` decides).
//
// References: Lemke (1965); Klarbring (1986); Stewart, Trinkle (1996); Cottle, Pang, Stone, The Linear Complementarity Problem.
// Fails: more than 400 contacts (dense), space, secondary rays, W indefinite.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/sparse.h"
#include "solvers/principal_pivoting.h"
#include "solvers/register.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostContacts = 400;
constexpr int kAttempts = 3;  // covering vectors tried, each leads along another path

/// w = M z + b, 0 ≤ w ⊥ z ≥ 0, and how z gives the reactions.
struct Complementarity {
  enum class Kind { normal, plus, minus, slip };
  struct Unknown {
    int contact;
    Kind kind;
  };

  explicit Complementarity(const PlaneData& data) {
    const int nc = data.contacts();
    for (int c = 0; c < nc; ++c) {
      unknowns.push_back({c, Kind::normal});
      if (data.mu[static_cast<std::size_t>(c)] == 0) continue;
      unknowns.push_back({c, Kind::plus});
      unknowns.push_back({c, Kind::minus});
      if (data.mu[static_cast<std::size_t>(c)] < kInfinity) unknowns.push_back({c, Kind::slip});
    }
    const auto n = static_cast<Eigen::Index>(unknowns.size());
    M = MatrixXd::Zero(n, n);
    b = VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Unknown row = at(i);
      const double sign = row.kind == Kind::minus ? -1 : 1;
      const int velocity = 2 * row.contact + (row.kind == Kind::normal ? 0 : 1);
      if (row.kind != Kind::slip) b[i] = sign * data.q[velocity];
      for (Eigen::Index j = 0; j < n; ++j) {
        const Unknown column = at(j);
        if (row.kind == Kind::slip) {
          if (column.contact != row.contact) continue;
          if (column.kind == Kind::normal) M(i, j) = data.mu[static_cast<std::size_t>(row.contact)];
          if (column.kind == Kind::plus || column.kind == Kind::minus) M(i, j) = -1;
        } else if (column.kind == Kind::slip) {
          if (column.contact == row.contact && row.kind != Kind::normal) M(i, j) = 1;
        } else {
          const int reaction = 2 * column.contact + (column.kind == Kind::normal ? 0 : 1);
          M(i, j) = sign * (column.kind == Kind::minus ? -1 : 1) * data.W(velocity, reaction);
        }
      }
    }
  }

  Unknown at(Eigen::Index i) const { return unknowns[static_cast<std::size_t>(i)]; }

  VectorXd reactions(const VectorXd& z, int nc) const {
    VectorXd r = VectorXd::Zero(2 * nc);
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const Unknown u = at(i);
      if (u.kind == Kind::normal) r[2 * u.contact] = z[i];
      if (u.kind == Kind::plus) r[2 * u.contact + 1] += z[i];
      if (u.kind == Kind::minus) r[2 * u.contact + 1] -= z[i];
    }
    return r;
  }

  MatrixXd M;
  VectorXd b;
  std::vector<Unknown> unknowns;
};

/// Lemke's tableau: basic = T nonbasic + constant. Variables: w = 0 … n−1, z = n … 2n−1, z₀ = 2n.
class Lemke {
 public:
  /// `attempt` chooses the covering vector.
  Lemke(const MatrixXd& M, const VectorXd& b, int attempt)
      : M_(M), b_(b), n_(static_cast<int>(b.size())), cover_(n_), T_(n_, n_ + 1), constant_(b) {
    // Uneven by the golden ratio, so that equal contacts do not tie.
    for (int i = 0; i < n_; ++i) cover_[i] = 1 + std::fmod(0.6180339887498949 * (1 + attempt) * (i + 1), 1.0);
    T_.leftCols(n_) = M;
    T_.col(n_) = cover_;
    basic_.resize(static_cast<std::size_t>(n_));
    std::iota(basic_.begin(), basic_.end(), 0);
    nonbasic_.resize(static_cast<std::size_t>(n_) + 1);
    std::iota(nonbasic_.begin(), nonbasic_.end(), n_);
  }

  /// Runs until z₀ leaves (converged), a ray (stalled) or a limit.
  Termination run(Monitor& monitor) {
    Eigen::Index first = 0;
    if (n_ == 0 || constant_.minCoeff() >= 0) return Termination::converged;
    constant_.cwiseQuotient(cover_).minCoeff(&first);
    int entering = exchange(static_cast<int>(first), n_);
    for (;;) {
      if (const auto stop = monitor.step(covered())) return *stop;
      const int column = column_of(complement(entering));
      int row = blocking_row(column);
      if (row < 0 && refresh()) row = blocking_row(column);
      if (row < 0) return Termination::stalled;
      entering = exchange(row, column);
      if (entering == 2 * n_) return Termination::converged;
      if (++since_check_ >= kCheckAfter && drift() > kDrift) refresh();
    }
  }

  /// z of the present basis, from M and its active set alone where that is regular.
  VectorXd solution() const {
    VectorXd z = VectorXd::Zero(n_);
    std::vector<int> active;
    for (int i = 0; i < n_; ++i)
      if (const int k = basic_[static_cast<std::size_t>(i)]; k >= n_ && k < 2 * n_) {
        active.push_back(k - n_);
        z[k - n_] = std::max(0.0, constant_[i]);
      }
    if (active.empty()) return z;
    const MatrixXd part = M_(active, active);
    const Eigen::PartialPivLU<MatrixXd> lu(part);
    const VectorXd rhs = -b_(active);
    VectorXd x = lu.solve(rhs);
    x += lu.solve(rhs - part * x);
    if (!x.allFinite() || !(lu.rcond() > 1e-14)) return z;
    for (std::size_t k = 0; k < active.size(); ++k) z[active[k]] = std::max(0.0, x[static_cast<Eigen::Index>(k)]);
    return z;
  }

 private:
  static constexpr int kCheckAfter = 50;
  static constexpr double kDrift = 1e-10;

  int complement(int k) const { return k < n_ ? k + n_ : k - n_; }

  /// How far the basic solution is from w = M z + b + d z₀.
  double drift() {
    since_check_ = 0;
    VectorXd rest = b_;
    for (int i = 0; i < n_; ++i) {
      const int k = basic_[static_cast<std::size_t>(i)];
      if (k < n_) rest[k] -= constant_[i];
      else if (k < 2 * n_) rest += constant_[i] * M_.col(k - n_);
      else rest += constant_[i] * cover_;
    }
    return rest.cwiseAbs().maxCoeff();
  }

  /// The tableau anew from M and the basis: B x_B = b − N x_N.
  bool refresh() {
    const auto column = [&](int k) -> VectorXd {
      if (k < n_) return VectorXd::Unit(n_, k);
      return k < 2 * n_ ? VectorXd(-M_.col(k - n_)) : VectorXd(-cover_);
    };
    MatrixXd B(n_, n_), N(n_, n_ + 2);
    for (int i = 0; i < n_; ++i) B.col(i) = column(basic_[static_cast<std::size_t>(i)]);
    for (int j = 0; j <= n_; ++j) N.col(j) = -column(nonbasic_[static_cast<std::size_t>(j)]);
    N.col(n_ + 1) = b_;
    const Eigen::PartialPivLU<MatrixXd> lu(B);
    const MatrixXd fresh = lu.solve(N);
    if (!fresh.allFinite()) return false;
    T_ = fresh.leftCols(n_ + 1);
    constant_ = fresh.col(n_ + 1);
    return true;
  }

  double covered() const {
    for (int i = 0; i < n_; ++i)
      if (basic_[static_cast<std::size_t>(i)] == 2 * n_) return std::abs(constant_[i]);
    return 0;
  }

  int column_of(int k) const { return static_cast<int>(std::find(nonbasic_.begin(), nonbasic_.end(), k) - nonbasic_.begin()); }

  /// The basic variable that meets zero first as the variable of `column` grows; z₀ first among equals, else lexicographically.
  int blocking_row(int column) const {
    std::vector<int> tied;
    double least = kInfinity;
    const double none = 1e-11 * std::max(1.0, T_.col(column).cwiseAbs().maxCoeff());
    for (int i = 0; i < n_; ++i) {
      const double rate = -T_(i, column);
      if (rate <= none) continue;
      const double ratio = std::max(0.0, constant_[i]) / rate, equal = 1e-12 * (1 + std::abs(least));
      if (ratio < least - equal || tied.empty()) {
        tied = {i};
        least = ratio;
      } else if (ratio <= least + equal) {
        tied.push_back(i);
        least = std::min(least, ratio);
      }
    }
    if (tied.empty()) return -1;
    for (const int i : tied)
      if (basic_[static_cast<std::size_t>(i)] == 2 * n_) return i;
    // Coefficients of the starting basis w, one after the other: a nonbasic w has its column, a basic one is a unit vector.
    for (int w = 0; w < n_ && tied.size() > 1; ++w) {
      const auto where = std::find(nonbasic_.begin(), nonbasic_.end(), w);
      const auto entry = [&](int i) {
        const double value = where != nonbasic_.end() ? -T_(i, static_cast<int>(where - nonbasic_.begin()))
                                                      : (basic_[static_cast<std::size_t>(i)] == w ? 1.0 : 0.0);
        return value / -T_(i, column);
      };
      double smallest = kInfinity;
      for (const int i : tied) smallest = std::min(smallest, entry(i));
      std::erase_if(tied, [&](int i) { return entry(i) > smallest + 1e-12 * (1 + std::abs(smallest)); });
    }
    return tied.front();
  }

  /// Pivots; returns the variable that left.
  int exchange(int row, int column) {
    const double p = 1 / T_(row, column);
    T_.row(row) *= -p;
    T_(row, column) = p;
    constant_[row] *= -p;
    for (int i = 0; i < n_; ++i) {
      const double c = T_(i, column);
      if (i == row || c == 0) continue;
      T_(i, column) = 0;
      T_.row(i) += c * T_.row(row);
      constant_[i] += c * constant_[row];
    }
    std::swap(basic_[static_cast<std::size_t>(row)], nonbasic_[static_cast<std::size_t>(column)]);
    return nonbasic_[static_cast<std::size_t>(column)];
  }

  const MatrixXd& M_;
  const VectorXd& b_;
  int n_;
  VectorXd cover_;  // d
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> T_;
  VectorXd constant_;
  std::vector<int> basic_, nonbasic_;
  int since_check_ = 0;
};

enum class Rule { lemke, principal };

struct LemkeOptions {
  Rule rule = Rule::lemke;

  void visit(OptionVisitor& v) {
    v.choice("rule", rule, {"lemke", "principal"},
             "complementary pivots with a covering variable, or principal pivots on the contacts' cases");
  }
};

class LemkeSolver : public Solver {
 public:
  explicit LemkeSolver(const LemkeOptions& options) : options_(options) {}

  Termination solve(const Problem& problem, Iterate& x, Monitor& monitor) override {
    const auto& local = std::get<LocalProblem>(problem);
    if (local.dim != 2) {
      monitor.set_message("lemke takes plane problems only");
      return Termination::unsupported;
    }
    if (local.contacts() > kMostContacts) {
      monitor.set_message(
          fmt::format("lemke keeps a dense tableau and takes up to {} contacts, this problem has {}", kMostContacts, local.contacts()));
      return Termination::unsupported;
    }
    const PlaneData data(local);
    Termination end;
    VectorXd r;
    if (options_.rule == Rule::principal) {
      PrincipalPivoting method(data);
      end = method.run(data.scaled(x.r), monitor);
      r = method.reactions();
      if (end == Termination::stalled) monitor.set_message("the pivots came back to cases seen before; --set rule=lemke cannot cycle");
    } else {
      const Complementarity lcp(data);
      int attempt = 0;
      do {
        Lemke method(lcp.M, lcp.b, attempt);
        end = method.run(monitor);
        r = lcp.reactions(method.solution(), data.contacts());
      } while (end == Termination::stalled && ++attempt < kAttempts);
      if (attempt > 0) monitor.count("rays", attempt);
      if (end == Termination::stalled)
        monitor.set_message(
            "Lemke's path ended in a secondary ray for every covering vector tried, which does not prove that no solution exists; "
            "enumerate decides that for small problems");
    }
    if (r.allFinite()) x.r = data.given(r);
    return end;
  }

 private:
  LemkeOptions options_;
};

}  // namespace

SolverInfo lemke() {
  SolverInfo info;
  info.id = "lemke";
  info.title = "Lemke's method on the plane problem as an LCP";
  info.family = "plane";
  info.summary =
      "Coulomb's law in the plane is a linear complementarity problem; complementary pivoting with a covering variable and a "
      "lexicographic rule solves it exactly in finitely many steps, without a starting point.";
  info.use_when =
      "plane problems of up to a few hundred contacts, to machine precision, with any friction and singular or unsymmetric W; "
      "rule=principal needs only a few factorisations where friction is weak";
  info.fails_when = "ends in a ray where a solution is not guaranteed (moving obstacles); dense, so up to 400 contacts; space";
  info.reference = "Lemke (1965); Klarbring (1986); Stewart, Trinkle (1996); Cottle, Pang, Stone (1992)";
  info.dimensions = {2};
  info.max_iterations = 100000;
  info.memory = {.dense = 28};
  return registered<LemkeOptions>(info, {}, [](const LemkeOptions& o) { return std::make_unique<LemkeSolver>(o); });
}

}  // namespace cornet
