// Symbolic part of a supernodal factorisation of a sparse matrix with symmetric pattern: order, elimination tree, supernodes, fronts.
//
//   1. The graph of A + Aᵀ on its blocks. Those with the same closed neighbourhood (the contacts between the same two bodies; without blocks
//      the six variables of a rigid body, the three of a contact) become one node.
//   2. Nodes with more than 10 √nodes neighbours are set aside and eliminated last.
//   3. Minimum degree; for a large graph nested dissection too, and the one with fewer operations is kept.
//   4. Elimination tree, postorder, and the length of every column of L, without forming L.
//   5. Columns of equal structure become supernodes; a child is merged into its parent where a model of the time says so.
//      If one dense front of all variables takes no longer by that model, it is taken instead: small and nearly full matrices.
//   6. Rows of every supernode, where they lie in the parent's front, where every entry of A goes, and a place for every update matrix.
//
// References: Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990); Gilbert, Ng, Peyton, An
// efficient algorithm to compute row and column counts for sparse Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994);
// Ashcraft, Grimes, The influence of relaxed supernode partitions on the multifrontal method, ACM Trans. Math. Softw. 15 (1989).
//
// Nested dissection comes from METIS, which seeds the random numbers of the C library: one thread at a time is let in, and orders are the same
// in every run unless somebody else draws from rand() meanwhile.
#pragma once

#include <vector>

#include "linalg/sparse.h"
#include "linalg/supernodal_kernels.h"

namespace cornet {

/// Pattern of a square matrix of d×d blocks: compressed block columns, rows sorted. Its values are the blocks in this order, each column by
/// column, as in BlockMatrix. d = 1 is an ordinary sparse matrix.
struct BlockPattern {
  int d = 1;
  std::vector<int> start = {0};  ///< block columns + 1
  std::vector<int> row;          ///< block row of every block

  int columns() const { return static_cast<int>(start.size()) - 1; }
  int size() const { return d * columns(); }
  long values() const { return static_cast<long>(row.size()) * d * d; }
  bool operator==(const BlockPattern&) const = default;
};

enum class PatternOf {
  lower,  ///< entries above the diagonal are ignored
  both    ///< all entries count, A + Aᵀ is analysed, and every supernode has a second panel for Uᵀ
};

/// Supernode s eliminates the positions first[s] … first[s + 1] − 1. Its front has these and then rows[row_start[s] …], sorted.
struct SupernodalAnalysis {
  SupernodalAnalysis() = default;
  SupernodalAnalysis(const SparseColumns& A, PatternOf pattern);
  /// All entries count.
  explicit SupernodalAnalysis(const BlockPattern& A);

  int size = 0;
  long nonzeros = 0;                            ///< stored entries, or blocks, of the analysed matrix
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
  std::vector<int> entry_source, entry_target;  ///< index of a block of A, and where its first number goes in the panels of its supernode
  std::vector<long> update_start;               ///< of the update matrix in the common workspace
  long workspace = 0;                           ///< doubles for the update matrices
  int largest_front = 0, largest_width = 0;     ///< rows of the largest front, columns of the widest panel
  long entries = 0;                             ///< of L, the zeros of merged supernodes included
  double cycles = 0;                            ///< predicted time of LLᵀ; LU takes about twice as long
  double flops = 0;                             ///< Σ (length of column)²: the operations of LLᵀ, half of those of LU
  bool nested_dissection = false;               ///< which order was kept

  int supernodes() const { return static_cast<int>(parent.size()); }
  int width(int s) const { return first[s + 1] - first[s]; }
  int below(int s) const { return static_cast<int>(row_start[s + 1] - row_start[s]); }

 private:
  struct Input;
  void build(const Input& input, PatternOf pattern);
};

}  // namespace cornet
