// The system that newton-ipm solves, its Newton directions and its starting point.
//
// Scaling that removes μ (mathematics §3), per contact S = diag(1/μ, 1, …):  r = S x,   A = S W S,   b = S q,
//
//   F(x, y) = A x + b + s(y) e₁ − y = 0,      L ∋ x ⊥ y ∈ L,      L = { x₁ ≥ ‖x_T‖ }                                    (1)
//
// with the shift s(y) = ‖y_T‖²/y₁ in place of De Saxcé's ‖y_T‖. Both say the same: at a solution y is zero, on the boundary of L
// (y₁ = ‖y_T‖, so s = ‖y_T‖), or inside with x = 0, where (1) reads u_N/μ = y₁ − ‖y_T‖²/y₁ = det(y)/y₁, which is positive
// exactly when y is inside: the contact opens. But s is smooth in the interior of L, where ‖y_T‖ has a kink at y_T = 0, and its curvature is
// bounded by 1/y₁, the scale on which the cone itself limits a step.
//
// μ = 0: one half-line, x = r_N, y = u_N; S_T = 0 decouples r_T, which stays 0. μ = ∞: the half-line and free r_T with u_T = 0.
//
// Linearisation in the Nesterov–Todd scaling P (P x = P⁻¹y = λ, convex/lorentz.h), T = ∂(y − s(y) e₁)/∂y = I − e₁ ∇sᵀ:
//
//   A dx − T dy = f,   λ ∘ (P dx + P⁻¹dy) = c      ⟹      (A + T P²) dx = f + T P(λ\c),   dy = P(λ\c) − P² dx                 (2)
//
// A + T P² is regular off the folds of the central path although A is rank deficient.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "convex/lorentz.h"
#include "solvers/ipm_matrix.h"

namespace cornet {

template <int D>
class IpmSystem {
 public:
  using Vector = Eigen::VectorXd;

  /// A point strictly inside the cones.
  struct Point {
    Vector x, y;
  };

  /// `matrix` must outlive the object's use.
  void prepare(IpmMatrix<D>& matrix);

  int contacts() const { return nc_; }
  int size() const { return m_; }
  IpmMatrix<D>& matrix() { return *matrix_; }
  int cone(int a) const { return dim_[a]; }  ///< D, or 1 for μ = 0 and ∞

  /// x = ξ a^-½ e, y = ξ a^½ e with a the mean diagonal of A^αα and ξ² the mean of ‖b^α‖²/a: exactly central, x·y the same for all contacts,
  /// and free of units.
  Point start() const;
  /// The reactions r with their velocities, recentred: what is known of a solution is kept down to the size of τ.
  Point near(const std::vector<double>& r, double tau);
  /// Every contact onto x ∘ y = τe with x − y/a kept, a the mean diagonal of A^αα: the smoothed projection of its x − y/a on the cone (Chen, Harker, Kanzow,
  /// Smale; Fukushima, Luo, Tseng 2002). Where x and y had been far from central, the pair changes by some √(τ/a) only.
  void recentre(Point& p, double tau) const;

  /// F(x, y); keeps A x + b for error().
  void residual(const Point& p, Vector& F);
  /// Natural-map error of r = S x at the point of the last residual().
  double error(const Point& p);
  /// r = S x of the last error().
  const std::vector<double>& reactions() const { return r_; }

  /// xᵀy/nc.
  double complementarity(const Point& p) const;
  /// The largest α ≤ limit with p + α d in the cones.
  double largest_step(const Point& p, const Point& d, double limit) const;

  /// Whether √(det x det y) ≥ gamma τ in every contact at p + α d.
  bool central(const Point& p, const Point& d, double alpha, double gamma) const;

  /// Scaling and factorisation at p, with the given share of ∇s in T: 1 is Newton's method, 0 would keep A + TP² as monotone as A. False: not finite.
  bool linearise(const Point& p, double share = 1);
  /// (2) at the last linearise(). Entries of c beyond the cone of a contact are ignored.
  void direction(const Vector& f, const Vector& c, Point& d);
  /// λ∘λ of the last linearise().
  void lambda_squared(Vector& out) const;
  /// (P dx) ∘ (P⁻¹ dy).
  void second_order(const Point& d, Vector& out) const;
  /// Local length of d per contact: P dx and P⁻¹dy over √τ, in one vector; `worst` is the longest of a contact.
  void local(const Point& d, double tau, Vector& out, double& worst) const;

  /// s(y^α + t dy^α) − s(y^α) − t ∇s·dy^α with the ∇s of linearise(): what it leaves out.
  double shift_remainder(const Point& p, const Point& d, double t, int a) const;
  /// ∂²s(y^α)[dy, dy].
  double shift_curvature(const Point& p, const Point& d, int a) const;

 private:
  double shift(const double* y, int n) const {
    if (n == 1) return 0;
    const double t = Lorentz::tail(y, n);
    return t * (t / y[0]);
  }
  void shift_gradient(const double* y, int n, double* g) const;
  void mean_diagonal();
  void invert();

  IpmMatrix<D>* matrix_ = nullptr;
  int nc_ = 0, m_ = 0;
  std::vector<int> dim_;
  std::vector<Vec<D>> S_;
  std::vector<double> mean_;  // of the diagonal of A^αα
  Vector b_, z_, c_, rhs_;    // z = A x + b
  std::vector<double> r_, u_;
  std::vector<Scaling> scaling_;
  std::vector<Mat<D>> P2_, E_, inverse_;
  std::vector<Vec<D>> gradient_;  // ∇s, or the share of it
};

extern template class IpmSystem<2>;
extern template class IpmSystem<3>;

}  // namespace cornet
