// Is there a point with  y = A x,  l ≤ (x, y) ≤ h ?  And how far can one of these variables go?
//
// Dense tableau over both kinds of variables: the basic ones are linear functions of the nonbasic ones, which sit at a bound or anywhere
// between. Bounds come and go (a search tree tightens and releases them) while basis and values stay, so that a node of the tree costs a
// few pivots:
//
//   feasible():  a basic variable outside its bounds moves onto the violated one; what enters is a nonbasic variable with room in the
//                right direction. None has room: the row proves that there is no such point, and names the bounds that contradict each
//                other (`conflict`).
//   maximize():  primal simplex from a feasible point, for one variable.
//
// Both take the largest violation or coefficient first and the least index after many pivots (Bland), so they end. Rounding: the tableau is
// computed anew from A after every 100 pivots, the values before every answer that denies something; a row that proves infeasibility is
// checked against A itself first; coefficients below 1e-9 count as zero, and a small pivot is only taken from a fresh tableau. What such
// coefficients could still do within the bounds, for x up to 1e6, is less than the violation of a row that proves infeasibility. A point
// with x above 1e6 proves nothing, because of its rounding: the answers are then `feasible` and an infinite extreme.
//
// References: Dutertre, de Moura, A fast linear-arithmetic solver for DPLL(T) (2006); Bland (1977).
// Fails: when A is so badly scaled that 1e-9 is not small against its meaningful entries; scale first.
#pragma once

#include <Eigen/Dense>
#include <limits>
#include <vector>

namespace cornet {

class BoundedSimplex {
 public:
  /// Variables 0 … cols−1 are x, cols … cols+rows−1 are y. All bounds are infinite at first, all values zero.
  explicit BoundedSimplex(const Eigen::MatrixXd& A);

  int columns() const { return static_cast<int>(A_.cols()); }
  int variables() const { return static_cast<int>(A_.cols() + A_.rows()); }

  double lower(int k) const { return lower_[index(k)]; }
  double upper(int k) const { return upper_[index(k)]; }
  double value(int k) const { return value_[index(k)]; }

  void set_lower(int k, double bound);
  void set_upper(int k, double bound);

  /// Looks for values within the bounds up to `tolerance`, absolute. False: there are none by more than the tolerance, `conflict` says why.
  /// True: there are, or rounding does not allow to deny it.
  bool feasible(double tolerance);

  /// A bound of a variable: the lower or the upper one.
  struct Bound {
    int variable;
    bool upper;
  };

  /// Bounds that cannot hold together, after feasible() returned false.
  const std::vector<Bound>& conflict() const { return conflict_; }

  /// Largest value of variable k over the feasible points, +∞ when there is no limit; call after feasible() returned true.
  double maximize(int k, double tolerance) { return extreme(k, 1, tolerance); }
  double minimize(int k, double tolerance) { return -extreme(k, -1, tolerance); }

  /// Whether some feasible point has more, or less, than `level`: stops there.
  bool can_exceed(int k, double level, double tolerance) { return extreme(k, 1, tolerance, level) > level; }
  bool can_fall_below(int k, double level, double tolerance) { return -extreme(k, -1, tolerance, -level) < level; }

  /// The tableau and the values of the basic variables anew from A.
  void refresh();

  long pivots() const { return pivots_; }

 private:
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  double extreme(int k, double sign, double tolerance, double enough = std::numeric_limits<double>::infinity());
  void settle(int k);
  void move(int column, double step);
  void pivot(int row, int column);
  void place();
  void reset();
  Eigen::RowVectorXd remainder(int row) const;
  bool row_holds(int row) const;
  double give(int row, bool rise) const;
  bool far() const;

  Eigen::MatrixXd A_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> T_;  // basic = T nonbasic; rows are what a pivot works on
  std::vector<double> lower_, upper_, value_;
  std::vector<int> basic_, nonbasic_;  // variable of each row and column of T
  std::vector<int> position_;          // ≥ 0: row of a basic variable; < 0: −1 − column of a nonbasic one
  std::vector<Bound> conflict_;
  long pivots_ = 0;
  int since_refresh_ = 0;
};

}  // namespace cornet
