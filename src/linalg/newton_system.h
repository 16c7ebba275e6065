// The linear system of a nonsmooth Newton step: (A + B W) d = c with A, B block diagonal (one D×D block per contact) and W block sparse.
//
// 1. Contacts with B^α = 0 (take-off) have A^α d^α = c^α: they are solved by themselves and leave the system, which keeps the coupled
//    contacts only.
// 2. Small or full systems: dense LU with partial pivoting. Others: block LU on the contact graph with D×D pivots, ordered by minimum
//    degree; ordering and fill are computed again only when contacts join the coupled ones or many leave. What is factorised is A + B W + δ
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

namespace cornet {

/// LU of a block sparse matrix with a symmetric pattern, without exchanges between blocks.
template <int D>
class BlockLu {
 public:
  /// Orders the graph (columns of W restricted to `nodes`; place[α] is the index of contact α in nodes, −1 if absent) and computes the
  /// fill.
  void analyse(const BlockMatrix<D>& W, const std::vector<int>& nodes, const std::vector<int>& place);

  /// Factorises A + B W + δ restricted to the nodes, δ^α = `shift` times the largest entry of the diagonal block. Returns the number of pivots
  /// that were replaced.
  int factorise(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const std::vector<int>& nodes,
                const std::vector<int>& place, double shift);

  /// x := solution for the right-hand side x, block k belonging to nodes[k].
  void solve(double* x);

  double shift(int k) const { return shift_[k]; }  ///< what was added to the diagonal of nodes[k]

  long blocks() const { return static_cast<long>(lower_row_.size() + upper_row_.size() + order_.size()); }

 private:
  static constexpr int kStride = D == 3 ? 12 : 4;  // numbers per block; in space each column is padded to four
  static constexpr int kColumn = D == 3 ? 4 : 2;   // distance of its columns

  // x[row] −= block · U for all blocks of one column of the lower factor; the fastest version this processor has, same order of operations.
  using Update = void (*)(const double* blocks, const int* row, const int* row_end, const double* U, double* x);
  static Update fastest_update();

  std::vector<int> order_, rank_;             // order_[j]: node eliminated as the j-th; rank_ is its inverse
  std::vector<int> lower_start_, lower_row_;  // columns of L, rows sorted, without the unit diagonal
  std::vector<int> upper_start_, upper_row_;  // columns of U, rows sorted, without the diagonal
  std::vector<double> lower_, upper_, work_, x_, shift_;
  std::vector<Mat<D>> inverse_;  // inverted diagonal blocks of U
  Update update_ = fastest_update();
};

template <int D>
class NewtonSystem {
 public:
  /// Prepares for a W of another size or pattern.
  void analyse(const BlockMatrix<D>& W);

  /// Solves for d and returns W d with it. False when even the regularised matrix cannot be factorised.
  bool solve(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
             Eigen::VectorXd& d, Eigen::VectorXd& Wd);

  /// The same with factors of A + B W + δ, δ^α = `shift` > 0 times the largest entry of the diagonal block, and at most `refinements`
  /// corrections towards A + B W. False when the shifted matrix cannot be factorised.
  bool solve_damped(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                    double shift, int refinements, Eigen::VectorXd& d, Eigen::VectorXd& Wd);

  long factorisations() const { return factorisations_; }
  long regularised() const { return regularised_; }

 private:
  void eliminate_decoupled(const BlockMatrix<D>& W, const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                           Eigen::VectorXd& d);
  void choose_storage(const BlockMatrix<D>& W);
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
