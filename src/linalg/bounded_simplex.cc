// Feasibility and one-variable extremes of y = A x under bounds.
#include "linalg/bounded_simplex.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kZero = 1e-9;        // a coefficient that counts as none
constexpr double kFar = 1e6;          // a point with larger x, and rounding in proportion, proves nothing
constexpr double kNegligible = 0.01;  // part of a violation
constexpr double kSmallPivot = 1e-5;  // taken from a fresh tableau only
constexpr int kRefreshAfter = 100;    // pivots between two fresh tableaus
constexpr long kBlandAfter = 200;     // pivots of one call after which the least index decides
constexpr double kGive = 1e-10;       // of a bound in a ratio test
constexpr long kGiveUpAfter = 3000;   // rounding defeated Bland's rule: "feasible" or "no limit", which never prove anything wrong

}  // namespace

BoundedSimplex::BoundedSimplex(const Eigen::MatrixXd& A)
    : A_(A),
      T_(A),
      lower_(static_cast<std::size_t>(variables()), -kInfinity),
      upper_(static_cast<std::size_t>(variables()), kInfinity),
      value_(static_cast<std::size_t>(variables()), 0.0),
      position_(static_cast<std::size_t>(variables())) {
  reset();
}

void BoundedSimplex::reset() {
  T_ = A_;
  basic_.clear();
  nonbasic_.clear();
  for (int j = 0; j < columns(); ++j) {
    nonbasic_.push_back(j);
    position_[index(j)] = -1 - j;
    settle(j);
  }
  for (int i = 0; i < A_.rows(); ++i) {
    basic_.push_back(columns() + i);
    position_[index(columns() + i)] = i;
  }
  place();
}

// Within its bounds; a value that small pivots have made infinite, or no number, starts again.
void BoundedSimplex::settle(int k) {
  value_[index(k)] = std::clamp(std::isfinite(value(k)) ? value(k) : 0.0, lower(k), std::max(lower(k), upper(k)));
}

void BoundedSimplex::move(int column, double step) {
  value_[index(nonbasic_[index(column)])] += step;
  for (int i = 0; i < T_.rows(); ++i) value_[index(basic_[index(i)])] += T_(i, column) * step;
}

void BoundedSimplex::set_lower(int k, double bound) {
  lower_[index(k)] = bound;
  if (position_[index(k)] < 0 && value(k) < bound) move(-1 - position_[index(k)], bound - value(k));
}

void BoundedSimplex::set_upper(int k, double bound) {
  upper_[index(k)] = bound;
  if (position_[index(k)] < 0 && value(k) > bound) move(-1 - position_[index(k)], bound - value(k));
}

void BoundedSimplex::pivot(int row, int column) {
  const double p = 1 / T_(row, column);
  // The entering variable in terms of the leaving one and the others, then put into all other rows.
  T_.row(row) *= -p;
  T_(row, column) = p;
  for (int i = 0; i < T_.rows(); ++i) {
    if (i == row) continue;
    const double c = T_(i, column);
    if (c == 0) continue;
    T_(i, column) = 0;
    T_.row(i) += c * T_.row(row);
  }
  std::swap(basic_[index(row)], nonbasic_[index(column)]);
  position_[index(basic_[index(row)])] = row;
  position_[index(nonbasic_[index(column)])] = -1 - column;
  ++pivots_;
  if (++since_refresh_ >= kRefreshAfter) refresh();
}

void BoundedSimplex::place() {
  for (int i = 0; i < T_.rows(); ++i) {
    double sum = 0;
    for (int j = 0; j < T_.cols(); ++j) sum += T_(i, j) * value_[index(nonbasic_[index(j)])];
    value_[index(basic_[index(i)])] = sum;
  }
}

void BoundedSimplex::refresh() {
  since_refresh_ = 0;
  // Columns of A whose variable is basic now, against the rows whose variable is not: x_in = B⁻¹(y_out − A_out x_stay).
  std::vector<int> in, stay, out, rest;
  for (int j = 0; j < columns(); ++j) (position_[index(j)] >= 0 ? in : stay).push_back(j);
  for (int i = 0; i < A_.rows(); ++i) (position_[index(columns() + i)] < 0 ? out : rest).push_back(i);
  const Eigen::MatrixXd inverse = A_(out, in).partialPivLu().inverse();
  const Eigen::MatrixXd stayed = -inverse * A_(out, stay), rows = A_(rest, in) * inverse, corner = A_(rest, stay) + A_(rest, in) * stayed;
  const auto fill = [&](int row, const Eigen::RowVectorXd& from_out, const Eigen::RowVectorXd& from_stay) {
    for (std::size_t k = 0; k < out.size(); ++k)
      T_(row, -1 - position_[index(columns() + out[k])]) = from_out[static_cast<Eigen::Index>(k)];
    for (std::size_t k = 0; k < stay.size(); ++k) T_(row, -1 - position_[index(stay[k])]) = from_stay[static_cast<Eigen::Index>(k)];
  };
  for (std::size_t k = 0; k < in.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    fill(position_[index(in[k])], inverse.row(at), stayed.row(at));
  }
  for (std::size_t k = 0; k < rest.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    fill(position_[index(columns() + rest[k])], rows.row(at), corner.row(at));
  }
  // Ratio tests let bounds give way a little; here they hold again.
  for (const int k : nonbasic_) settle(k);
  place();
  // A basis that rounding made singular: back to the first one.
  if (!T_.allFinite() || T_.cwiseAbs().maxCoeff() > 1 / kZero) reset();
}

// basic − Σ T nonbasic as a function of x alone, which must vanish.
Eigen::RowVectorXd BoundedSimplex::remainder(int row) const {
  Eigen::RowVectorXd rest = Eigen::RowVectorXd::Zero(columns());
  const auto add = [&](int k, double c) {
    if (k < columns()) rest[k] += c;
    else rest += c * A_.row(k - columns());
  };
  add(basic_[index(row)], -1);
  for (int j = 0; j < T_.cols(); ++j)
    if (T_(row, j) != 0) add(nonbasic_[index(j)], T_(row, j));
  return rest;
}

bool BoundedSimplex::row_holds(int row) const { return remainder(row).cwiseAbs().maxCoeff() <= 1e-3 * kZero; }

// How far the basic variable could still move by what was taken for zero: small coefficients, as far as their variables have room, and the
// remainder of the row. x beyond kFar is not looked for.
double BoundedSimplex::give(int row, bool rise) const {
  double sum = 0;
  for (int j = 0; j < T_.cols(); ++j) {
    const double c = T_(row, j);
    if (c == 0 || std::abs(c) > kZero) continue;
    const int k = nonbasic_[index(j)];
    const double room = (c > 0) == rise ? upper(k) - value(k) : value(k) - lower(k);
    sum += std::abs(c) * std::clamp(room, 0.0, kFar);
  }
  const Eigen::RowVectorXd rest = remainder(row);
  for (int j = 0; j < columns(); ++j) sum += std::abs(rest[j]) * std::min(kFar, std::max(std::abs(lower(j)), std::abs(upper(j))));
  return sum;
}

bool BoundedSimplex::far() const {
  for (int j = 0; j < columns(); ++j)
    if (std::abs(value(j)) > kFar) return true;
  return false;
}

bool BoundedSimplex::feasible(double tolerance) {
  conflict_.clear();
  for (int k = 0; k < variables(); ++k)
    if (lower(k) > upper(k) + tolerance) {
      conflict_ = {{k, false}, {k, true}};
      return false;
    }
  bool fresh = since_refresh_ == 0, placed = false;
  for (long count = 0; count < kGiveUpAfter; ++count) {
    const bool bland = count > kBlandAfter;
    // The row to repair.
    int row = -1;
    double worst = tolerance;
    for (int i = 0; i < T_.rows(); ++i) {
      const int k = basic_[index(i)];
      const double violation = std::max(lower(k) - value(k), value(k) - upper(k));
      if (violation <= tolerance) continue;
      if (bland ? row < 0 || k < basic_[index(row)] : violation > worst) {
        row = i;
        worst = violation;
      }
    }
    if (row < 0 && !fresh && !std::all_of(value_.begin(), value_.end(), [](double x) { return std::isfinite(x); })) {
      refresh();
      fresh = true;
      continue;
    }
    if (row < 0) return true;
    const int leaving = basic_[index(row)];
    const bool rise = value(leaving) < lower(leaving);
    // What can push it.
    int column = -1;
    double best = kZero;
    for (int j = 0; j < T_.cols(); ++j) {
      const double c = T_(row, j);
      if (std::abs(c) <= kZero) continue;
      const int k = nonbasic_[index(j)];
      if ((c > 0) == rise ? value(k) >= upper(k) : value(k) <= lower(k)) continue;
      if (bland ? column < 0 || k < nonbasic_[index(column)] : std::abs(c) > best) {
        column = j;
        best = std::abs(c);
      }
    }
    if (!fresh && (column < 0 ? !row_holds(row) : best < kSmallPivot)) {
      refresh();
      fresh = true;
      continue;
    }
    if (column < 0 && !placed) {  // steps there and back over large distances have left rounding in the values
      place();
      placed = true;
      continue;
    }
    if (column < 0) {
      const double violation = rise ? lower(leaving) - value(leaving) : value(leaving) - upper(leaving);
      if (far() || violation <= give(row, rise)) return true;
      // Bounds of small coefficients belong to the proof where without them `give` could be more than a small part of the violation.
      conflict_.push_back({leaving, !rise});
      for (int j = 0; j < T_.cols(); ++j)
        if (const double c = T_(row, j); std::abs(c) > kZero || std::abs(c) * kFar > kNegligible * violation)
          conflict_.push_back({nonbasic_[index(j)], (c > 0) == rise});
      return false;
    }
    const double target = rise ? lower(leaving) : upper(leaving);
    move(column, (target - value(leaving)) / T_(row, column));
    value_[index(leaving)] = target;
    fresh = placed = false;
    pivot(row, column);
    fresh |= since_refresh_ == 0;
  }
  return true;
}

double BoundedSimplex::extreme(int k, double sign, double tolerance, double enough) {
  bool placed = false;
  const long last = pivots_ + kGiveUpAfter;  // those that repair what rounding broke are counted, too
  for (long count = 0; count < kGiveUpAfter && pivots_ < last; ++count) {
    const bool bland = count > kBlandAfter;
    if (sign * value(k) > enough) return sign * value(k);
    // Rate of growth of the variable along each nonbasic one.
    const int row = position_[index(k)];
    int column = -1;
    double direction = 0, best = kZero;
    for (int j = 0; j < T_.cols(); ++j) {
      const double rate = sign * (row >= 0 ? T_(row, j) : (-1 - row == j ? 1.0 : 0.0));
      if (std::abs(rate) <= kZero) continue;
      const int other = nonbasic_[index(j)];
      if (rate > 0 ? value(other) >= upper(other) : value(other) <= lower(other)) continue;
      if (bland ? column < 0 || other < nonbasic_[index(column)] : std::abs(rate) > best) {
        column = j;
        direction = rate > 0 ? 1 : -1;
        best = std::abs(rate);
      }
    }
    if (column < 0 && !placed) {
      place();
      placed = true;
      if (!feasible(tolerance)) return kInfinity;
      continue;
    }
    if (column < 0) return far() ? kInfinity : sign * value(k);
    // How far: its own opposite bound, or the first basic variable that meets one of its bounds. Bounds give way by kGive, which leaves a
    // choice of blocking variables: the one with the largest coefficient, or the least index.
    const int entering = nonbasic_[index(column)];
    const double own = direction > 0 ? upper(entering) - value(entering) : value(entering) - lower(entering);
    const auto reach = [&](int i, double give) {
      const double rate = direction * T_(i, column);
      if (std::abs(rate) <= kZero) return kInfinity;
      const int b = basic_[index(i)];
      return (std::max(0.0, rate > 0 ? upper(b) - value(b) : value(b) - lower(b)) + give) / std::abs(rate);
    };
    double farthest = own;
    for (int i = 0; i < T_.rows(); ++i) farthest = std::min(farthest, reach(i, bland ? 0 : kGive));
    int blocking = -1;
    double length = own, strength = 0;
    for (int i = 0; i < T_.rows() && own > farthest; ++i) {
      const double mine = reach(i, 0), size = std::abs(T_(i, column));
      if (mine > farthest * (1 + 1e-14) || !(mine < kInfinity)) continue;
      if (blocking >= 0 && (bland ? basic_[index(i)] > basic_[index(blocking)] : size <= strength)) continue;
      length = mine;
      blocking = i;
      strength = size;
    }
    if (since_refresh_ > 0 && (!(length < kInfinity) || (blocking >= 0 && strength < kSmallPivot))) {
      refresh();
      if (!feasible(tolerance)) return kInfinity;
      continue;
    }
    if (!(length < kInfinity)) return kInfinity;
    move(column, direction * length);
    placed = false;
    if (blocking >= 0) pivot(blocking, column);
    if (since_refresh_ == 0 && !feasible(tolerance)) return kInfinity;
  }
  return kInfinity;
}

}  // namespace cornet
