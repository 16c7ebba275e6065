// The connected components of the graph of M and G in a global problem, each factorised alone:
//
//   A_c = [ M_c  −G_c ]      v_c = A_c⁻¹ (H_c r + f_c, −b_c),      W = Σ_c H_cᵀ A_c⁻¹ H_c
//         [ G_cᵀ   0  ]
//
// One rigid body, one flexible body, or one mechanism of jointed bodies each; neighbouring components that fit together into one rigid body
// count as one. Small components are factorised densely (Cholesky when M_c is symmetric and unconstrained), large ones sparsely. Redundant
// but consistent columns of G are dropped after a rank-revealing QR; their multipliers are 0. What the reduction (reduce.cc) and the
// matrix-free operator (delassus.h) share.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <memory>
#include <vector>

#include "cornet/problem.h"
#include "linalg/sparse.h"
#include "linalg/supernodal.h"

namespace cornet {

/// A factorised component: A_c x = rhs. One object serves one thread.
class Component {
 public:
  using Dense = Eigen::MatrixXd;
  static constexpr int kDenseLimit = 128;  ///< components up to this size are factorised densely

  std::vector<int> dofs;         ///< global indices of its degrees of freedom
  std::vector<int> constraints;  ///< global indices of its kept columns of G
  double joint_unit = 1;         ///< G in this unit, a power of two, is as large as M

  int size() const { return static_cast<int>(dofs.size() + constraints.size()); }
  bool small() const { return size() <= kDenseLimit; }

  /// `a` is A_c, dense for a small component and sparse otherwise. Returns false when it is singular to working accuracy.
  bool factorise(const Dense& a, bool symmetric);
  bool factorise(const SparseColumns& a, bool symmetric);

  /// x := A_c⁻¹ x. Allocates nothing, except for a large component with joints or an unsymmetric M_c whose pivots need row exchanges.
  void solve(double* x) const;

  /// hᵀ A_c⁻¹ h, symmetric to the last bit when M_c is symmetric and there are no joints.
  Dense congruence(const SparseColumns& h) const;

  /// L with A_c = L Lᵀ of a small definite component, null otherwise.
  const Eigen::LLT<Dense>* cholesky() const { return cholesky_.get(); }
  /// LU of a small component without Cholesky, null otherwise.
  const Eigen::PartialPivLU<Dense>* lu() const { return lu_.get(); }

  /// Numbers that one solve reads.
  double cost() const;

 private:
  template <class Matrix>
  bool probe(const Matrix& a) const;

  std::unique_ptr<Eigen::LLT<Dense>> cholesky_;
  std::unique_ptr<Eigen::PartialPivLU<Dense>> lu_;
  std::unique_ptr<SupernodalCholesky> sparse_cholesky_;
  std::unique_ptr<SupernodalLu> supernodal_lu_;
  std::unique_ptr<Eigen::SparseLU<SparseColumns>> sparse_lu_;
  mutable Eigen::VectorXd work_;
};

/// The matrices of a global problem, its components, and which contacts touch which component.
struct Components {
  /// Throws InvalidProblem when M or the constrained system is singular.
  explicit Components(const GlobalProblem& problem);

  /// Split, but not factorised: for estimates.
  struct Symbolic {};
  Components(const GlobalProblem& problem, Symbolic);

  int dim = 3;
  SparseColumns M, H, G;
  Eigen::VectorXd f, w, b;
  std::vector<Component> parts;
  std::vector<int> part_of, place;  ///< n: the component of a degree of freedom and its index there

  /// M v − G λ = force, Gᵀ v = −b.
  void solve(const Eigen::VectorXd& force, Eigen::VectorXd& v, Eigen::VectorXd& lambda) const;

  /// H of one component in its own numbering, for the given contacts (sorted).
  SparseColumns contact_columns(int part, const std::vector<int>& contacts) const;

 private:
  void split();
  void factorise_all();
  template <class Add>
  void entries(const Component& c, Add&& add) const;
  double unit_of_joints(const Component& c) const;
  bool factorise(Component& c, bool symmetric) const;
};

/// W = Σ_c H_cᵀ A_c⁻¹ H_c in compressed columns, sorted.
SparseMatrix delassus_matrix(const Components& components);

/// The local problem of a global one, W included, and the way back: r with v, λ and u = Hᵀ v + w.
LocalProblem local_problem(const GlobalProblem& problem, const Components& components);
Iterate expanded(const Components& components, const std::vector<double>& r);

/// Rigid bodies as the product u = Hᵀ M⁻¹ H r meets them: components without joints of at most kRows degrees of freedom. Larger ones are
/// kept as they are.
///
/// For body k and the contacts contact[start[k]] … contact[start[k + 1] − 1] (sorted), block j of `h` holds kRows × D numbers row by row:
/// L⁻¹ H of the body where M = L Lᵀ, so that W = Σ (L⁻¹H)ᵀ(L⁻¹H); the rows of H itself where M is unsymmetric, with M⁻¹ in `inverse`.
template <int D>
struct Bodies {
  static constexpr int kRows = D == 3 ? 6 : 3;
  static constexpr int kBlock = kRows * D;
  using Inverse = Eigen::Matrix<double, kRows, kRows>;

  explicit Bodies(const Components& components);

  int size() const { return static_cast<int>(start.size()) - 1; }

  std::vector<int> start = {0};
  std::vector<int> contact;
  std::vector<double> h;         ///< with one spare number at the end, for loads of four
  std::vector<int> unsymmetric;  ///< per body: index into inverse, −1 for L⁻¹H
  std::vector<Inverse> inverse;
  std::vector<int> parts;               ///< components that are no part of a body and touch a contact
  std::vector<std::vector<int>> lists;  ///< their contacts, sorted
};

extern template struct Bodies<2>;
extern template struct Bodies<3>;

}  // namespace cornet
