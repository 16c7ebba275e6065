// Convex quadratic programs over a product of small cones:
//
//   min ½ xᵀPx + cᵀx   subject to  A x + s = b,  s ∈ C          dual:  P x + c + Aᵀz = 0,  z ∈ C*,  s ⊥ z
//
// C is a product of {0}, half-lines and Lorentz cones { s₁ ≥ ‖(s₂, …)‖ } of dimension 2 or 3. Everything convex in this project is one of
// these: the conic problem for given sliding velocities in either form, Tresca's problem, faceted cones, the margin of the existence test.
//
// Method: the homogeneous embedding with a quadratic objective (Andersen, Ye 1999; Goulart, Chen 2024),
//
//   P x + Aᵀz + c τ = 0,   A x + s − b τ = 0,   κ + xᵀPx/τ + cᵀx + bᵀz = 0,   s ∘ z = σμ e,  τκ = σμ
//
// followed to μ → 0 by a predictor–corrector (Mehrotra) in the Nesterov–Todd scaling W z = W⁻¹s = λ. τ > 0 at the end gives an optimal pair
// (x, s, z)/τ; κ > 0 gives a certificate: bᵀz < 0, Aᵀz = 0, z ∈ C* (no feasible x) or cᵀx < 0, P x = 0, −A x ∈ C (unbounded).
// A step solves
//
//   [ P   Aᵀ  ] [dx]   [rhs_x]            (P + AᵀW⁻²A) dx = rhs_x + AᵀW⁻² rhs_z
//   [ A  −W²  ] [dz] = [rhs_z]     by
//
// one Cholesky factorisation for its three right-hand sides and iterative refinement on the whole system, so that rank-deficient P or A and
// the rows with s = 0 (W² = 0, replaced by a small number in the factor) lose no accuracy. A P that is slightly unsymmetric is treated
// exactly: its symmetric part is factorised, the refinement sees P itself, and the answer solves the variational inequality.
//
// Fails: on problems whose optimum or certificate is not attained μ stalls (status stalled, best point returned).
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <functional>
#include <memory>
#include <vector>

#include "linalg/sparse.h"

namespace cornet {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

enum class ConeKind { zero, half_line, lorentz };

struct Cone {
  ConeKind kind;
  int dim;  ///< 1, or 2 and 3 for lorentz
};

struct ConicQp {
  SparseColumns P;          ///< n×n, both triangles; no entries: a linear program
  Eigen::VectorXd c;        ///< n
  SparseRows A;             ///< rows of all cones, one after the other
  Eigen::VectorXd b;        ///< as many
  std::vector<Cone> cones;  ///< their dimensions add up to the rows of A
};

struct ConicPoint {
  Eigen::VectorXd x, s, z;
};

enum class ConicStatus { optimal, primal_infeasible, dual_infeasible, iteration_limit, stalled, stopped, breakdown };

struct ConicOptions {
  double tolerance = 1e-9;  ///< relative: residuals and gap
  int max_iterations = 100;
};

/// The iterate seen by a watcher after each step, in the problem's own units.
struct ConicProgress {
  int iteration = 0;
  double primal_residual = 0, dual_residual = 0, gap = 0, mu = 0;  ///< relative, of (x, s, z)/τ; μ of the embedding
  double primal_objective = 0, dual_objective = 0;
  const ConicPoint* point = nullptr;  ///< (x, s, z)/τ
};

struct ConicOutcome {
  ConicStatus status = ConicStatus::breakdown;
  ConicPoint point;  ///< the optimal pair, or the certificate in x or z, or the best point
  int iterations = 0;
  int factorisations = 0;
  double primal_residual = 0, dual_residual = 0, gap = 0;
};

/// Keeps the analysis of the sparsity between solves of problems with the same patterns of P and A and the same cones.
class ConicSolver {
 public:
  ConicSolver();
  ~ConicSolver();
  ConicSolver(ConicSolver&&) noexcept;
  ConicSolver& operator=(ConicSolver&&) noexcept;

  /// Before the first solve and whenever a pattern changes.
  void analyse(const ConicQp& problem);

  /// `watcher` may stop the run by returning false. A start (x, s, z) is moved inside the cones first.
  ConicOutcome solve(const ConicQp& problem, const ConicOptions& options, const ConicPoint* start = nullptr,
                     const std::function<bool(const ConicProgress&)>& watcher = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cornet
