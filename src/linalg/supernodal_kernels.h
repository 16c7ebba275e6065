// Dense operations on column-major panels, the arithmetic of a supernodal factorisation (linalg/supernodal.h).
//
// Nearly all of it is one operation, C := C − A Bᵀ: a panel stored by columns gives the rows of A and of B that belong to one k as
// neighbours in memory, so both factors of LLᵀ and LU (with Uᵀ stored instead of U) run on the same register tile of 12×4 numbers,
// from the panels themselves when they are small and from packed copies when they are large. Triangles are halved recursively until
// at most eight columns are left, which fit in registers.
//
// Two versions of one text: AVX2 with fused multiply–add where the processor has it, and a portable one. They round differently; each gives
// the same bits in every run.
//
// A diagonal entry of a triangular factor is stored as its reciprocal.
#pragma once

namespace cornet {

/// What to do with the pivots of a panel, and what was done.
/// Cholesky: a pivot p ≤ tiny·scale is replaced by replacement·scale; p ≤ −replacement·scale is a failure.
/// LU: |p| ≤ tiny·scale is replaced by ±replacement·scale. A pivot that is not finite is a failure.
struct PivotRule {
  const double* scale = nullptr;  ///< one positive number per column of the panel
  double tiny = 0;
  double replacement = 0;
  int replaced = 0;
};

/// Rows `from … from + length − 1` of a child's update matrix are the rows `to …` of its parent's front.
struct FrontRun {
  int from, to, length;
};

/// One front: nc eliminated columns (the panel, leading dimension m = nc + nb) and the nb×nb update matrix.
struct Front {
  double* lower;   ///< m×nc: L
  double* upper;   ///< m×nc: Uᵀ, for LU only
  double* update;  ///< nb×nb
  int nc, nb;
};

struct DenseKernels {
  /// LLᵀ of the leading nc×nc block of the panel and the rows below; false when a pivot fails.
  bool (*cholesky)(const Front& front, PivotRule& rule, double* pack);
  /// PA = LU of the leading block, rows exchanged inside it only: swaps[j] ≥ j is the row exchanged with row j. A column that is noise keeps
  /// its own row, which in a nearly symmetric matrix is the dependent one; any other would hide an equation behind a replaced pivot. Then the
  /// rows below of L and Uᵀ.
  bool (*lu)(const Front& front, PivotRule& rule, int* swaps, double* pack);
  /// update := −L₂ L₂ᵀ, lower triangle; what stands above the diagonal is undefined.
  void (*update_symmetric)(const Front& front, double* pack);
  /// update := −L₂ U₂.
  void (*update_general)(const Front& front, double* pack);
  /// Adds the nb×nb update matrix of a child to its parent's panel (columns < nc) or, afterwards, to the parent's update matrix.
  void (*add_to_panel_symmetric)(const double* child, int nb, const FrontRun* run, const FrontRun* run_end, const Front& parent);
  void (*add_to_panels_general)(const double* child, int nb, const FrontRun* run, const FrontRun* run_end, const Front& parent);
  void (*add_to_update_symmetric)(const double* child, int nb, const FrontRun* run, const FrontRun* run_end, const Front& parent);
  void (*add_to_update_general)(const double* child, int nb, const FrontRun* run, const FrontRun* run_end, const Front& parent);
  /// x₁ := T₁⁻¹ x₁, x₂ := x₂ − T₂ x₁ with the panel T = (T₁; T₂) of nc columns and nc + nb rows, T₁ lower triangular.
  void (*solve_forward)(const double* T, int nc, int nb, bool unit, double* x);
  /// x₁ := T₁⁻ᵀ (x₁ − T₂ᵀ x₂).
  void (*solve_backward)(const double* T, int nc, int nb, bool unit, double* x);
};

/// The fastest version that this processor runs.
const DenseKernels& dense_kernels();

/// Both versions, for tests and benchmarks; AVX2 is null where the processor or the compiler has none.
const DenseKernels& portable_kernels();
const DenseKernels* avx2_kernels();

inline constexpr int kPackColumns = 192, kPackDepth = 256, kTileRows = 12, kTileColumns = 4;
inline constexpr long kPackFrom = 40000;  // multiplications of one product from which packing pays

/// Doubles that `pack` must have room for when no front has more rows than this.
inline int pack_size(int front_rows) {
  const long rows = front_rows;
  return rows * rows * rows < kPackFrom ? 0 : (kPackColumns + kTileRows) * kPackDepth;
}

}  // namespace cornet
