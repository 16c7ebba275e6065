// The search for all solutions in the plane, by cases (cornet/enumerate.h has the four cases of a contact).
//
// Every case is a set of bounds on linear functions of r: u = W r + q and the distances from the edges of the cone a± = r_N ± r_T/μ,
//
//   always u_N ≥ 0, a± ≥ 0;  atoms  A: a⁺ ≤ 0   B: a⁻ ≤ 0   C: u_N ≤ 0   D: u_T ≥ 0   E: u_T ≤ 0
//   take-off {A,B}   stick {C,D,E}   slide {A,C,D} or {B,C,E}          μ = 0: r_T = 0, {A} or {C};  μ = ∞: u_T = 0, r_T free, {A} or {C}
//
// Depth first over the contacts, most constrained one first (the one with the fewest cases left; all cases of all open contacts are tried).
// A node is left when linear programming finds its bounds contradictory; the contradiction names the atoms that cause it, which prunes the
// other nodes that contain them (no-goods) and jumps back over decisions that have no part in it. A case is also left out when its whole
// region lies in another one (a slide that cannot slide, a stick without reaction), and a node when all its points have the velocities of
// a known solution: contacts that graze would otherwise multiply the cases.
//
// Bounds that hold for every solution sharpen the linear programs. For semidefinite W, rᵀWr + qᵀr = rᵀu ≤ 0 confines r (as far as W sees
// it) and u to an ellipsoid; with bounds R, U on r_N, u_N the complementarity r_N u_N = 0 implies r_N/R + u_N/U ≤ 1, likewise for a⁺ and
// u_T, a⁻ and −u_T; maximising each variable over all that makes R and U smaller, which makes the next round sharper.
//
// Rounding: data are scaled to unit mobilities and unit q. A case is dropped only if it contradicts itself by 1e-8; a case that is neither
// that far from possible nor gives a certified solution leaves the enumeration incomplete, unless it belongs to a solution next door.
// Reactions more than about 1e8 times larger than the data are not looked for.
//
// References: seed 001 §5.3 and seed 002 §4.5 for the examples; Dutertre, de Moura (2006) for the use of conflicts.
// Fails: exponential in the worst case; strong coupling with many loosely determined contacts makes it slow.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <bitset>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "cornet/enumerate.h"
#include "linalg/bounded_simplex.h"
#include "linalg/sparse.h"
#include "solvers/register.h"

namespace cornet::plane {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMargin = 1e-8;     // a contradiction must be larger than this
constexpr double kStrict = 1e-12;    // bounds of an accepted point
constexpr double kNothing = 1e-9;    // a largest value below this is zero
constexpr double kSlackened = 1e-6;  // computed bounds are widened by this part, and by kNothing
constexpr int kRounds = 4;           // of bound tightening at the root

enum Atom { kA, kB, kC, kD, kE, kAtoms };
using Atoms = std::bitset<kAtoms * kEnumerableContacts>;

inline std::size_t bit(int contact, Atom atom) { return static_cast<std::size_t>(contact * kAtoms + atom); }

/// Cases of a contact, in the order in which they are tried; the fewest come with μ = 0 and μ = ∞.
enum Case { kTakeOff, kStick, kSlideUp, kSlideDown, kCases };

inline const std::vector<Atom>& atoms_of(bool friction, int which) {
  static const std::vector<Atom> with[kCases] = {{kA, kB}, {kC, kD, kE}, {kA, kC, kD}, {kB, kC, kE}};
  static const std::vector<Atom> without[kCases] = {{kA}, {kC}, {}, {}};
  return (friction ? with : without)[which];
}

/// Largest values over all solutions, in scaled units.
struct Bounds {
  double r_N = kInfinity, plus = kInfinity, minus = kInfinity, u_N = kInfinity, up = kInfinity, down = kInfinity;
};

/// The problem in scaled units and cone coordinates: which variable of the simplex is what.
class Model {
 public:
  explicit Model(const LocalProblem& problem) : nc(problem.contacts()), mu(problem.mu) {
    W = MatrixXd(to_columns(problem.W));
    q = as_vector(problem.q);
    // Unit mobilities, then unit q.
    mobility = VectorXd::Ones(nc);
    for (int c = 0; c < nc; ++c)
      if (const double m = std::max(std::abs(W(2 * c, 2 * c)), std::abs(W(2 * c + 1, 2 * c + 1))); m > 0) mobility[c] = std::sqrt(m);
    for (int i = 0; i < 2 * nc; ++i) {
      for (int j = 0; j < 2 * nc; ++j) W(i, j) /= mobility[i / 2] * mobility[j / 2];
      q[i] /= mobility[i / 2];
    }
    unit = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0;
    if (!(unit > 0)) unit = 1;
    q /= unit;

    // Columns: the reactions, without r_T where μ = 0, and r_T/μ where μ < 1.
    for (int c = 0; c < nc; ++c) {
      const double m = mu[static_cast<std::size_t>(c)];
      first.push_back(static_cast<int>(component.size()));
      component.push_back(2 * c);
      if (m > 0) component.push_back(2 * c + 1);
    }
    scale = VectorXd::Ones(columns());
    for (int c = 0; c < nc; ++c)
      if (friction(c)) scale[r_T(c)] = std::min(1.0, mu[static_cast<std::size_t>(c)]);
  }

  bool friction(int c) const { return mu[static_cast<std::size_t>(c)] > 0 && mu[static_cast<std::size_t>(c)] < kInfinity; }
  int cases(int c) const { return friction(c) ? kCases : 2; }

  // Variables of the simplex: columns, then per contact the rows u_N − q_N, u_T − q_T, a⁺, a⁻ and three cuts. Without friction, and with μ = ∞, r_N
  // stands for a⁺.
  int r_N(int c) const { return first[static_cast<std::size_t>(c)]; }
  int r_T(int c) const { return first[static_cast<std::size_t>(c)] + 1; }
  int columns() const { return static_cast<int>(component.size()); }
  int u(int i) const { return columns() + i; }
  int plus(int c) const { return friction(c) ? columns() + 2 * nc + 2 * c : r_N(c); }
  int minus(int c) const { return columns() + 2 * nc + 2 * c + 1; }
  int cut(int c, int k) const { return columns() + 4 * nc + 3 * c + k; }

  /// a⁺ (sign 1) or a⁻ (−1) as a function of the reactions.
  VectorXd distance(int c, double sign) const {
    return VectorXd::Unit(2 * nc, 2 * c) + sign / mu[static_cast<std::size_t>(c)] * VectorXd::Unit(2 * nc, 2 * c + 1);
  }
  /// A linear function of the reactions as one of the columns.
  Eigen::RowVectorXd of_columns(const VectorXd& of_r) const { return of_r(component).cwiseProduct(scale).transpose(); }

  /// The linear program of all contacts undecided, with every bound that is known.
  BoundedSimplex program(const std::vector<Bounds>& known) const {
    const MatrixXd columns_of_W = W(Eigen::all, component) * scale.asDiagonal();
    MatrixXd A = MatrixXd::Zero(7 * nc, columns());
    A.topRows(2 * nc) = columns_of_W;
    VectorXd cut_bound = VectorXd::Constant(3 * nc, kInfinity);
    for (int c = 0; c < nc; ++c) {
      const Bounds& b = known[static_cast<std::size_t>(c)];
      const auto set_cut = [&](int k, const VectorXd& of_r, double reaction_bound, double velocity_bound, int velocity, double sign) {
        if (!(reaction_bound < kInfinity && velocity_bound < kInfinity && reaction_bound > kNothing && velocity_bound > kNothing)) return;
        A.row(4 * nc + 3 * c + k) = columns_of_W.row(velocity) * (sign / velocity_bound) + of_columns(of_r) / reaction_bound;
        cut_bound[3 * c + k] = 1 - sign * q[velocity] / velocity_bound;
      };
      set_cut(0, VectorXd::Unit(2 * nc, 2 * c), b.r_N, b.u_N, 2 * c, 1);
      if (!friction(c)) continue;
      A.row(2 * nc + 2 * c) = of_columns(distance(c, 1));
      A.row(2 * nc + 2 * c + 1) = of_columns(distance(c, -1));
      set_cut(1, distance(c, 1), b.plus, b.up, 2 * c + 1, 1);
      set_cut(2, distance(c, -1), b.minus, b.down, 2 * c + 1, -1);
    }
    BoundedSimplex lp(A);
    for (int c = 0; c < nc; ++c) {
      const Bounds& b = known[static_cast<std::size_t>(c)];
      const double m = mu[static_cast<std::size_t>(c)];
      lp.set_lower(r_N(c), 0);
      lp.set_upper(r_N(c), b.r_N);
      if (friction(c)) {
        lp.set_lower(plus(c), 0);
        lp.set_upper(plus(c), b.plus);
        lp.set_lower(minus(c), 0);
        lp.set_upper(minus(c), b.minus);
        lp.set_upper(u(2 * c + 1), b.up - q[2 * c + 1]);
        lp.set_lower(u(2 * c + 1), -b.down - q[2 * c + 1]);
      } else if (m == kInfinity) {
        lp.set_lower(u(2 * c + 1), -q[2 * c + 1]);
        lp.set_upper(u(2 * c + 1), -q[2 * c + 1]);
      }
      lp.set_lower(u(2 * c), -q[2 * c]);
      lp.set_upper(u(2 * c), b.u_N - q[2 * c]);
      for (int k = 0; k < 3; ++k) lp.set_upper(cut(c, k), cut_bound[3 * c + k]);
    }
    return lp;
  }

  /// Bounds from rᵀWr + qᵀr ≤ 0, where W is semidefinite and sees q.
  std::vector<Bounds> energy_bounds() const {
    std::vector<Bounds> out(static_cast<std::size_t>(nc));
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (W + W.transpose()));
    const VectorXd& lambda = eigen.eigenvalues();
    const double largest = lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0;
    if (!(largest > 0) || lambda[0] < -1e-12 * largest) return out;
    std::vector<int> seen;
    for (int i = 0; i < lambda.size(); ++i)
      if (lambda[i] > 1e-9 * largest) seen.push_back(i);
    const MatrixXd Q = eigen.eigenvectors()(Eigen::all, seen);
    const VectorXd root = lambda(seen).cwiseSqrt().cwiseInverse();
    if ((q - Q * (Q.transpose() * q)).norm() > 1e-10) return out;
    const VectorXd b = root.cwiseProduct(Q.transpose() * q);
    // Largest value of g·r: the ellipsoid ‖z + b/2‖ ≤ ‖b‖/2 in z = √S r.
    const auto largest_of = [&](const VectorXd& g, double constant) {
      if ((g - Q * (Q.transpose() * g)).norm() > 1e-10 * (1 + g.norm())) return kInfinity;
      const VectorXd h = root.cwiseProduct(Q.transpose() * g);
      return widened(constant + 0.5 * (h.norm() * b.norm() - h.dot(b)));
    };
    for (int c = 0; c < nc; ++c) {
      Bounds& mine = out[static_cast<std::size_t>(c)];
      mine.r_N = std::max(0.0, largest_of(VectorXd::Unit(2 * nc, 2 * c), 0));
      mine.u_N = std::max(0.0, largest_of(W.row(2 * c).transpose(), q[2 * c]));
      if (!friction(c)) {
        mine.plus = mine.r_N;
        continue;
      }
      mine.plus = std::max(0.0, largest_of(distance(c, 1), 0));
      mine.minus = std::max(0.0, largest_of(distance(c, -1), 0));
      mine.up = largest_of(W.row(2 * c + 1).transpose(), q[2 * c + 1]);
      mine.down = largest_of(-W.row(2 * c + 1).transpose(), -q[2 * c + 1]);
    }
    return out;
  }

  static double widened(double bound) { return bound + kSlackened * std::abs(bound) + kNothing; }

  /// Reactions of the problem as it was given, on their cones to the last bit.
  std::vector<double> reactions(const VectorXd& r) const {
    std::vector<double> out(static_cast<std::size_t>(2 * nc));
    for (int c = 0; c < nc; ++c) {
      double &normal = out[static_cast<std::size_t>(2 * c)], &tangent = out[static_cast<std::size_t>(2 * c + 1)];
      normal = std::max(0.0, r[2 * c] * unit / mobility[c]);
      tangent = r[2 * c + 1] * unit / mobility[c];
      if (!friction(c)) continue;
      const double m = mu[static_cast<std::size_t>(c)];
      if (m > 1) normal = std::max(normal, std::abs(tangent) / m);  // by the component that is small there
      tangent = std::clamp(tangent, -m * normal, m * normal);
    }
    return out;
  }

  VectorXd velocities(const BoundedSimplex& lp) const {
    VectorXd v(2 * nc);
    for (int i = 0; i < 2 * nc; ++i) v[i] = lp.value(u(i)) + q[i];
    return v;
  }

  int nc;
  std::vector<double> mu;
  MatrixXd W;
  VectorXd q, mobility;
  double unit = 1;
  std::vector<int> component;  // of r that a column stands for,
  VectorXd scale;              // as so much of it
  std::vector<int> first;      // column of a contact
};

/// A solution found, in scaled units.
struct Found {
  std::vector<double> r;
  VectorXd u;
  bool isolated;
};

class PlaneSearch {
 public:
  PlaneSearch(const LocalProblem& problem, const EnumerationOptions& options)
      : problem_(problem),
        options_(options),
        model_(problem),
        bounds_(model_.energy_bounds()),
        lp_(model_.program(bounds_)),
        start_(std::chrono::steady_clock::now()) {}

  void run() {
    ++branches;
    if (!lp_.feasible(kMargin)) return;
    if (model_.nc > 3)
      for (int round = 0; round < kRounds && tighten(); ++round) {
        lp_ = model_.program(bounds_);
        if (!lp_.feasible(kMargin)) return;
      }
    if (stopped_) return;
    Domains domains;
    domains.alive.resize(static_cast<std::size_t>(model_.nc));
    for (int c = 0; c < model_.nc; ++c) domains.alive[static_cast<std::size_t>(c)] = (1u << model_.cases(c)) - 1;
    domains.reasons.resize(static_cast<std::size_t>(model_.nc) * kCases);
    domains.open = (1u << model_.nc) - 1;
    explore(domains);
    // A case at the edge of possibility belongs to a solution next door, or stays undecided.
    for (const VectorXd& u : doubtful_)
      if (!is_known(u, 1e-5)) ++undecided;
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  /// Largest minus smallest value of each reaction, in the units of the problem, among those that give the velocities u (scaled).
  std::vector<double> reaction_spread(const VectorXd& u) const {
    BoundedSimplex lp = model_.program(std::vector<Bounds>(static_cast<std::size_t>(model_.nc)));
    const double same = 0.1 * options_.distinct;
    for (int c = 0; c < model_.nc; ++c) {
      for (const int i : {2 * c, 2 * c + 1}) {
        lp.set_lower(model_.u(i), u[i] - model_.q[i] - kNothing);
        lp.set_upper(model_.u(i), u[i] - model_.q[i] + kNothing);
      }
      if (u[2 * c] > same) {
        lp.set_upper(model_.plus(c), 0);
        if (model_.friction(c)) lp.set_upper(model_.minus(c), 0);
      } else if (model_.friction(c)) {
        if (u[2 * c + 1] > same) lp.set_upper(model_.plus(c), 0);
        if (u[2 * c + 1] < -same) lp.set_upper(model_.minus(c), 0);
      }
    }
    std::vector<double> spread(static_cast<std::size_t>(2 * model_.nc), 0.0);
    if (!lp.feasible(kMargin)) return spread;
    for (int j = 0; j < model_.columns(); ++j) {
      const double range = lp.maximize(j, kMargin) - lp.minimize(j, kMargin);
      const int i = model_.component[static_cast<std::size_t>(j)];
      if (range > 1e-6) spread[static_cast<std::size_t>(i)] = range * model_.scale[j] * model_.unit / model_.mobility[i / 2];
    }
    return spread;
  }

  std::vector<Found> found;
  long branches = 0;
  int undecided = 0;
  bool stopped() const { return stopped_; }
  long pivots() const { return lp_.pivots(); }

 private:
  struct Domains {
    std::vector<unsigned> alive;  // per contact, a bit per case
    std::vector<Atoms> reasons;   // per contact and case: what else contradicts it, where it is not alive
    unsigned open = 0;            // contacts without a decision
    bool dominated = false;       // a case was left out because another one contains it: no reason is known then
  };

  static int count(unsigned bits) { return __builtin_popcount(bits); }

  void bound_atom(int c, Atom atom, bool on) {
    const Bounds& b = bounds_[static_cast<std::size_t>(c)];
    const double q_N = model_.q[2 * c], q_T = model_.q[2 * c + 1];
    switch (atom) {
      case kA: lp_.set_upper(model_.plus(c), on ? 0 : b.plus); break;
      case kB: lp_.set_upper(model_.minus(c), on ? 0 : b.minus); break;
      case kC: lp_.set_upper(model_.u(2 * c), (on ? 0 : b.u_N) - q_N); break;
      case kD: lp_.set_lower(model_.u(2 * c + 1), (on ? 0 : -b.down) - q_T); break;
      case kE: lp_.set_upper(model_.u(2 * c + 1), (on ? 0 : b.up) - q_T); break;
      case kAtoms: break;
    }
  }

  void assert_case(int c, int which, bool on) {
    for (const Atom atom : atoms_of(model_.friction(c), which)) {
      bound_atom(c, atom, on);
      asserted_.set(bit(c, atom), on);
    }
  }

  Atoms without_contact(Atoms set, int c) const {
    for (int a = 0; a < kAtoms; ++a) set.reset(bit(c, static_cast<Atom>(a)));
    return set;
  }

  /// The atoms among the bounds of the contradiction just found. Bounds that hold for every solution are no atoms.
  Atoms conflict() const {
    Atoms out;
    for (const auto& bound : lp_.conflict())
      for (int c = 0; c < model_.nc; ++c) {
        const auto add = [&](Atom atom) {
          if (asserted_.test(bit(c, atom))) out.set(bit(c, atom));
        };
        if (bound.variable == model_.plus(c) && bound.upper) add(kA);
        if (model_.friction(c) && bound.variable == model_.minus(c) && bound.upper) add(kB);
        if (bound.variable == model_.u(2 * c) && bound.upper) add(kC);
        if (model_.friction(c) && bound.variable == model_.u(2 * c + 1)) add(bound.upper ? kE : kD);
      }
    return out;
  }

  /// A contradiction in the asserted atoms, if there is one: remembered, or found by linear programming.
  std::optional<Atoms> contradiction() {
    for (auto& known : no_goods_)
      if ((known & ~asserted_).none()) return known;
    if (lp_.feasible(kMargin)) return std::nullopt;
    const Atoms found_now = conflict();
    constexpr std::size_t kRemembered = 4000;
    if (no_goods_.size() < kRemembered) no_goods_.push_back(found_now);
    else no_goods_[static_cast<std::size_t>(branches) % kRemembered] = found_now;
    return found_now;
  }

  bool vanishes(int variable, double offset) { return !lp_.can_exceed(variable, kNothing - offset, kMargin); }

  /// Whether all points of the case just asserted belong to another case of the contact as well.
  bool contained(int c, int which) {
    if (which == kTakeOff) return false;
    if (!model_.friction(c)) return vanishes(model_.plus(c), 0);
    if (vanishes(model_.r_N(c), 0)) return true;
    if (which == kStick) return false;
    const int u_T = model_.u(2 * c + 1);
    const double q_T = model_.q[2 * c + 1];
    if (which == kSlideUp) return vanishes(u_T, q_T);
    return !lp_.can_fall_below(u_T, -kNothing - q_T, kMargin);
  }

  bool is_known(const VectorXd& u, double tolerance) const {
    return std::any_of(found.begin(), found.end(), [&](const Found& f) { return (f.u - u).cwiseAbs().maxCoeff() <= tolerance; });
  }

  /// Whether every point of the region has the same velocities, up to `width`.
  bool one_velocity(double width, double tolerance) {
    for (int i = 0; i < 2 * model_.nc; ++i) {
      const double here = lp_.value(model_.u(i));
      if (lp_.can_exceed(model_.u(i), here + width, tolerance) || lp_.can_fall_below(model_.u(i), here - width, tolerance)) return false;
    }
    return true;
  }

  bool nothing_new() { return is_known(model_.velocities(lp_), options_.distinct) && one_velocity(options_.distinct, kMargin); }

  /// Before every linear program that a branch solves: one may take some hundredths of a second.
  bool late() {
    if (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed)) stopped_ = true;
    if (seconds() > options_.time_limit) stopped_ = true;
    return stopped_;
  }

  bool should_stop() {
    if (late()) return true;
    if (options_.callback && !options_.callback(branches, static_cast<int>(found.size()))) stopped_ = true;
    if (!options_.all && !found.empty()) stopped_ = true;
    return stopped_;
  }

  /// Bounds of every contact anew by linear programming. False: not worth another round.
  bool tighten() {
    bool gain = false;
    for (int c = 0; c < model_.nc; ++c) {
      Bounds& b = bounds_[static_cast<std::size_t>(c)];
      const auto improve = [&](double& bound, double least, auto&& compute) {
        if (late()) return;
        const double next = std::max(least, Model::widened(compute()));
        gain |= next < 0.9 * bound || (std::isinf(bound) && next < kInfinity);
        bound = std::min(bound, next);
      };
      const auto most = [&](int variable) { return lp_.maximize(variable, kMargin); };
      const double q_N = model_.q[2 * c], q_T = model_.q[2 * c + 1];
      improve(b.r_N, 0, [&] { return most(model_.r_N(c)); });
      improve(b.u_N, 0, [&] { return most(model_.u(2 * c)) + q_N; });
      if (!model_.friction(c)) {
        b.plus = std::min(b.plus, b.r_N);
        continue;
      }
      improve(b.plus, 0, [&] { return most(model_.plus(c)); });
      improve(b.minus, 0, [&] { return most(model_.minus(c)); });
      improve(b.up, -kInfinity, [&] { return most(model_.u(2 * c + 1)) + q_T; });
      improve(b.down, -kInfinity, [&] { return -(lp_.minimize(model_.u(2 * c + 1), kMargin) + q_T); });
    }
    return gain && !stopped_;
  }

  /// The reactions of the present leaf with its equations refined: the shortest step that satisfies them, twice.
  VectorXd refined() const {
    const int n = 2 * model_.nc;
    MatrixXd directions = MatrixXd::Zero(n, n);  // in which the case leaves r free: both of a contact, an edge of its cone, or none
    std::vector<int> zero;                       // velocities that vanish
    Eigen::Index free = 0;
    VectorXd r = VectorXd::Zero(n);
    for (int j = 0; j < model_.columns(); ++j) r[model_.component[static_cast<std::size_t>(j)]] = model_.scale[j] * lp_.value(j);
    for (int c = 0; c < model_.nc; ++c) {
      const auto is = [&](Atom atom) { return asserted_.test(bit(c, atom)); };
      const double mu = model_.mu[static_cast<std::size_t>(c)];
      if (model_.friction(c) && is(kA) != is(kB)) {
        directions.col(free++).segment<2>(2 * c) = Eigen::Vector2d(1, is(kA) ? -mu : mu).normalized();
      } else {
        if (!is(kA)) directions(2 * c, free++) = 1;
        if (mu == kInfinity || (mu > 0 && !is(kA))) directions(2 * c + 1, free++) = 1;
      }
      if (is(kC)) zero.push_back(2 * c);
      if (mu > 0 && (!model_.friction(c) || (is(kD) && is(kE)))) zero.push_back(2 * c + 1);
    }
    const MatrixXd F = directions.leftCols(free);
    r = F * (F.transpose() * r).eval();
    if (free > 0 && !zero.empty()) {
      const MatrixXd J = (model_.W * F)(zero, Eigen::all);
      const auto solver = J.completeOrthogonalDecomposition();
      for (int k = 0; k < 2; ++k) {
        const VectorXd u = (model_.W * r + model_.q)(zero), step = solver.solve(u);
        if (!((J * step - u).norm() <= 0.5 * u.norm())) break;  // not consistent to this accuracy, or beyond all numbers: nothing to gain
        r -= F * step;
      }
    }
    return r;
  }

  void accept_leaf() {
    // The loose point first: it is what stays when the strict one does not exist.
    const VectorXd loose = model_.velocities(lp_);
    double size = 1;
    for (int j = 0; j < model_.columns(); ++j) size = std::max(size, std::abs(lp_.value(j)));
    Iterate x;
    lp_.refresh();
    if (lp_.feasible(kStrict * size)) {
      lp_.refresh();
      if (const VectorXd r = refined(); r.allFinite()) x.r = model_.reactions(r);
    }
    if (x.r.empty() || certify(problem_, x).error > options_.tolerance) {
      doubtful_.push_back(loose);
      return;
    }
    Found point{x.r, model_.velocities(lp_), true};
    point.isolated = one_velocity(10 * options_.distinct, kMargin);
    for (Found& known : found)
      if ((known.u - point.u).cwiseAbs().maxCoeff() <= options_.distinct) {
        known.isolated &= point.isolated;
        return;
      }
    found.push_back(std::move(point));
  }

  /// Everything below the asserted atoms, which do not contradict each other. Nothing comes back when there is a solution or a doubt, else
  /// atoms that exclude the whole subtree.
  std::optional<Atoms> explore(Domains domains) {
    ++branches;
    if (should_stop()) return std::nullopt;
    if (!domains.open) {
      accept_leaf();
      return std::nullopt;
    }
    if (nothing_new()) return std::nullopt;

    // The contact with the fewest cases left.
    int next = -1;
    for (int c = 0; c < model_.nc; ++c) {
      if (!(domains.open >> c & 1)) continue;
      unsigned& alive = domains.alive[static_cast<std::size_t>(c)];
      for (int which = 0; which < model_.cases(c); ++which) {
        if (!(alive >> which & 1)) continue;
        if (late()) return std::nullopt;
        assert_case(c, which, true);
        if (const auto why = contradiction()) {
          alive &= ~(1u << which);
          domains.reasons[static_cast<std::size_t>(c * kCases + which)] = without_contact(*why, c);
        } else if (contained(c, which)) {
          alive &= ~(1u << which);
          domains.dominated = true;
        }
        assert_case(c, which, false);
      }
      if (next < 0 || count(alive) < count(domains.alive[static_cast<std::size_t>(next)])) next = c;
      if (count(alive) <= 1) break;
    }

    // Its cases one by one; the reasons against each of them together are the reason against this node.
    Atoms together;
    bool empty = true;
    const unsigned alive = domains.alive[static_cast<std::size_t>(next)];
    for (int which = 0; which < model_.cases(next); ++which)
      if (!(alive >> which & 1)) together |= domains.reasons[static_cast<std::size_t>(next * kCases + which)];
    Domains below = domains;
    below.open &= ~(1u << next);
    for (int which = 0; which < model_.cases(next); ++which) {
      if (!(alive >> which & 1)) continue;
      assert_case(next, which, true);
      std::optional<Atoms> why = contradiction();
      if (!why) why = explore(below);
      assert_case(next, which, false);
      if (!why) {
        empty = false;
        if (stopped_) return std::nullopt;
        continue;
      }
      const Atoms others = without_contact(*why, next);
      if (others == *why && !domains.dominated && empty) return why;
      together |= others;
    }
    if (!empty) return std::nullopt;
    if (domains.dominated) return asserted_;
    return together;
  }

  const LocalProblem& problem_;
  const EnumerationOptions& options_;
  Model model_;
  std::vector<Bounds> bounds_;
  BoundedSimplex lp_;
  std::chrono::steady_clock::time_point start_;
  Atoms asserted_;
  std::vector<Atoms> no_goods_;
  std::vector<VectorXd> doubtful_;
  bool stopped_ = false;
};

}  // namespace cornet::plane
