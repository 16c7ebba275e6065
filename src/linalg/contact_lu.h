// Direct solution of A x = b on the contact graph, safely: A has d×d blocks (d = 2, 3: contacts, 6: rigid bodies, 1: no blocks), an unsymmetric
// matrix on a nearly symmetric pattern, as in an interior-point or Newton step.
//
//   1. Equilibrate, Ã = R A C with powers of two, and factorise Ã = L U supernode by supernode, exchanging rows inside a supernode only
//      (linalg/supernodal.h). A small or nearly full matrix is one supernode: dense LU with partial pivoting.
//   2. Solve, and refine with the true residual while it falls by more than half: x := x + C (LU)⁻¹ R (b − A x).
//   3. Where refinement stops short, GMRES with the factors as preconditioner from the right, twenty directions. It needs about as many of
//      them as there are replaced pivots.
//   4. Where that stops short as well and there was more than one supernode: Eigen's sparse LU with partial pivoting, refined as in 2. If it
//      does no better it is not tried again before the pattern changes.
//
// What is measured is ‖R (b − A x)‖ / ‖R b‖ in the largest entry. "Short" means above the tolerance asked for and above what rounding allows:
// the backward error ‖R (b − A x)‖ / (‖Ã‖ ‖C⁻¹ x‖ + ‖R b‖), with the largest row sum as ‖Ã‖, above 1e-15. The best x seen is returned,
// and its residual: a singular matrix with a contradictory b has none that is small.
//
// The analysis is kept while the pattern stays the same, between factorisations and between problems. Equal input gives equal bits, except that
// it may depend on earlier failures of step 4.
#pragma once

#include <Eigen/SparseLU>
#include <memory>
#include <vector>

#include "linalg/sparse.h"
#include "linalg/supernodal.h"

namespace cornet {

class ContactLu {
 public:
  /// How the last system was solved.
  enum class Method { factors, refinement, gmres, general };

  /// Returns whether the pattern is new; when it is the one analysed last, nothing is done.
  bool analyse(const BlockPattern& pattern);

  /// Values of the analysed blocks, in their order, each column by column; they are copied. False: a value is not finite, or no
  /// factorisation could be made.
  bool factorise(const double* values);

  /// Solves A x = b and returns the relative residual that was reached. b and x must not overlap.
  double solve(const double* b, double* x, double tolerance = 1e-12);

  int size() const { return factors_.size(); }
  const SupernodalLu& factors() const { return factors_; }
  Method method() const { return method_; }
  double residual() const { return residual_; }
  double backward_error();

  /// Since the object was made.
  struct Counts {
    long analyses = 0, factorisations = 0, solves = 0, refinements = 0, gmres = 0, general = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  using General = Eigen::SparseLU<SparseColumns, Eigen::COLAMDOrdering<int>>;

  void apply_factors(std::vector<double>& y) const;
  double measure(const std::vector<double>& y);
  void refine(double tolerance);
  void run_gmres(double tolerance);
  bool factorise_general();
  bool short_of(double tolerance) { return residual_ > tolerance && backward_error() > kFloor; }

  static constexpr double kFloor = 1e-15;
  static constexpr int kDirections = 20;

  SupernodalLu factors_;
  bool use_general_ = false;  // general_ holds the factorisation that serves
  bool general_hopeless_ = false;
  std::unique_ptr<General> general_;
  double norm_ = 0;                                      // largest row sum of |Ã|, 0: not known yet
  std::vector<double> rhs_, y_, best_, rest_;            // of the equilibrated system Ã y = R b, x = C y
  std::vector<std::vector<double>> basis_, hessenberg_;  // of GMRES, made when it is first needed
  double rhs_norm_ = 0, residual_ = 0;                   // of best_, as rest_ is
  Method method_ = Method::factors;
  Counts counts_;
};

}  // namespace cornet
