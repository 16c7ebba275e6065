// The linear system of a nonsmooth Newton step: (A + B W) d = c with A, B block diagonal (one D×D block per contact) and W block sparse.
//
// 1. Contacts with B^α = 0 (take-off) have A^α d^α = c^α: they are solved by themselves and leave the system, which keeps the coupled
//    contacts only.
// 2. Small or full systems: dense LU with partial pivoting. Others: supernodal LU on the contact graph
//    (linalg/supernodal.h); ordering and fill are computed again only when contacts join the coupled ones or many leave. What is factorised is A + B W + δ
//    with δ^α = 1e-8 times the largest entry of the diagonal block; iterative refinement with the true matrix follows as long as it helps.
//    A regular matrix is then solved to working accuracy; on a singular one with consistent equations (rank-deficient W, the usual case
//    with rigid bodies) δ picks a solution without large parts in the kernel; if the equations contradict each other the step is that of
//    the shifted matrix.
// 3. If the block LU was not stable, the whole matrix is factorised by Eigen's sparse LU with pivoting; if that fails too, or a dense
//    matrix is singular to working accuracy (each pivot against the largest entry of its original column), the step solves (A + B W + δ I)
//    d = c with δ = 1e-8, 1e-6 or 1e-4 times the largest entry of the matrix.
//
// solve_damped() is for a step near a solution where the matrix is singular on purpose (hyperstatic reactions): it factorises A + B W + δ with
// a δ of the caller's choice in every storage, dense too, and refines towards the true matrix as long as each correction at least halves
// the residual. The step then stays near the row space, so that the reactions do not drift along the kernel, and a part of the right-hand
// side outside the range is damped by 1/δ instead of ending the run. A block LU that was not stable is followed by a dense one (up to 2000
// rows).
//
// `regularised()` counts the steps on which δ had an influence (small pivots, or no refinement to the true matrix): a documented change of
// the step, never of the problem.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <vector>

#include "linalg/block_matrix.h"
#include "linalg/sparse.h"
#include "linalg/supernodal.h"

namespace cornet {

/// LU of A + B W + δ restricted to some of the contacts (linalg/supernodal.h).
template <int D>
class BlockLu {
 public:
  /// Pattern: columns of W restricted to `nodes` (sorted); place[α] is the index of contact α in nodes, −1 if absent.
  void analyse(const BlockMatrix<D>& W, const std::vector<int>& nodes, const std::vector<int>& place);

  /// δ^α = `shift` times the largest entry of the diagonal block. Returns the number of small pivots.
  int factorise(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const std::vector<int>& nodes,
                const std::vector<int>& place, double shift);

  /// x := solution for the right-hand side x, block k belonging to nodes[k].
  void solve(double* x) { lu_.solve(x); }

  /// Predicted, of a factorisation.
  double seconds() const { return factor_seconds(lu_.flops(), static_cast<double>(lu_.factor_entries())); }

  double shift(int k) const { return shift_[k]; }  ///< what was added to the diagonal of nodes[k]

 private:
  BlockPattern pattern_;
  SupernodalLu lu_;
  std::vector<double> values_, shift_;
};

template <int D>
class NewtonSystem {
 public:
  /// Prepares for a W of another size or pattern.
  void analyse(const BlockMatrix<D>& W);

  /// Predicted seconds of a step with this B. Makes the analysis that the step needs.
  double seconds(const BlockMatrix<D>& W, const std::vector<Mat<D>>& B);

  /// Solves for d and returns W d with it. False when even the regularised matrix cannot be factorised.
  bool solve(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
             Eigen::VectorXd& d, Eigen::VectorXd& Wd);

  /// The same with factors of A + B W + δ, δ^α = `shift` ≥ 0 times the largest entry of the diagonal block, and at most `refinements`
  /// corrections towards A + B W. False when the shifted matrix cannot be factorised.
  bool solve_damped(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                    double shift, int refinements, Eigen::VectorXd& d, Eigen::VectorXd& Wd);

  long factorisations() const { return factorisations_; }
  long regularised() const { return regularised_; }

 private:
  void find_coupled(const std::vector<Mat<D>>& B);
  void eliminate_decoupled(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                           Eigen::VectorXd& d);
  void analyse_coupled(const BlockMatrix<D>& W);
  void assemble_dense(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B);
  void add_correction(const Eigen::VectorXd& correction, Eigen::VectorXd& d) const;
  bool solve_dense(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B);
  bool solve_blocks(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, Eigen::VectorXd& d,
                    Eigen::VectorXd& Wd);
  bool solve_sparse(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B);
  double residual(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& d,
                  Eigen::VectorXd& Wd);

  std::vector<int> coupled_, analysed_, place_;  // contacts in the system, those of the last analysis, index of a contact among them or −1
  bool dense_ = true;
  bool pattern_known_ = false;
  Eigen::VectorXd zero_, rhs_, solution_, rest_, column_scale_, first_d_, first_Wd_;
  Eigen::MatrixXd dense_matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_lu_;
  BlockLu<D> block_lu_;
  SparseColumns matrix_;
  Eigen::SparseLU<SparseColumns> sparse_lu_;
  Eigen::VectorXd c_;
  long factorisations_ = 0;
  long regularised_ = 0;
};

extern template class BlockLu<2>;
extern template class BlockLu<3>;
extern template class NewtonSystem<2>;
extern template class NewtonSystem<3>;

}  // namespace cornet
