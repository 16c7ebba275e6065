// Symbolic part of a supernodal factorisation of a sparse matrix with symmetric pattern: order, elimination tree, supernodes, fronts.
//
//   1. The graph of A + Aᵀ. Variables with the same closed neighbourhood (the six of a rigid body, the three of a contact) become one node.
//   2. Nodes with more than 10 √nodes neighbours are set aside and eliminated last.
//   3. Minimum degree; for a large graph nested dissection too, and the one with fewer operations is kept.
//   4. Elimination tree, postorder, and the length of every column of L, without forming L.
//   5. Columns of equal structure become supernodes; a child is merged into its parent where a model of the time says so.
//   6. Rows of every supernode, where they lie in the parent's front, where every entry of A goes, and a place for every update matrix.
//
// References: Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990); Gilbert, Ng, Peyton, An
// efficient algorithm to compute row and column counts for sparse Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994);
// Ashcraft, Grimes, The influence of relaxed supernode partitions on the multifrontal method, ACM Trans. Math. Softw. 15 (1989).
//
// Nested dissection comes from METIS, which seeds the random numbers of the C library: orders are the same in every run unless another
// thread draws from rand() meanwhile.
#pragma once

#include <vector>

#include "linalg/sparse.h"
#include "linalg/supernodal_kernels.h"

namespace cornet {

enum class PatternOf {
  lower,  ///< entries above the diagonal are ignored
  both    ///< all entries count, A + Aᵀ is analysed, and every supernode has a second panel for Uᵀ
};

/// Supernode s eliminates the positions first[s] … first[s + 1] − 1. Its front has these and then rows[row_start[s] …], sorted.
struct SupernodalAnalysis {
  SupernodalAnalysis() = default;
  SupernodalAnalysis(const SparseColumns& A, PatternOf pattern);

  int size = 0;
  long nonzeros = 0;                            ///< stored entries of the analysed matrix
  std::vector<int> place;                       ///< position of every variable in the elimination order
  std::vector<int> first;                       ///< supernodes + 1
  std::vector<int> parent;                      ///< of a supernode, −1 at a root; children come before their parents
  std::vector<long> row_start;                  ///< supernodes + 1
  std::vector<int> rows;                        ///< positions
  std::vector<int> child_start, children;       ///< supernodes + 1; children in ascending order
  std::vector<int> run_start;                   ///< supernodes + 1
  std::vector<FrontRun> runs;                   ///< where the rows of a supernode lie in the front of its parent
  std::vector<long> panel_start;                ///< supernodes + 1: the panel of L and, for both, the panel of Uᵀ after it
  std::vector<long> entry_start;                ///< supernodes + 1
  std::vector<int> entry_source, entry_target;  ///< index of an entry of A, and where it goes in the panels of its supernode
  std::vector<long> update_start;               ///< of the update matrix in the common workspace
  long workspace = 0;                           ///< doubles for the update matrices
  int largest_front = 0, largest_width = 0;     ///< rows of the largest front, columns of the widest panel
  long entries = 0;                             ///< of L, the zeros of merged supernodes included
  double flops = 0;                             ///< Σ (length of column)²: the operations of LLᵀ, half of those of LU
  bool nested_dissection = false;               ///< which order was kept

  int supernodes() const { return static_cast<int>(parent.size()); }
  int width(int s) const { return first[s + 1] - first[s]; }
  int below(int s) const { return static_cast<int>(row_start[s + 1] - row_start[s]); }
};

}  // namespace cornet
