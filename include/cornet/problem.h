// The discrete Coulomb friction problem, in its two forms.
//
// n degrees of freedom, nc contacts, d = dim ∈ {2, 3}, m = d·nc. Vectors over contacts are contact-major, the normal component first:
// r^α = (r_N, r_T). K = ∏ K_μα with K_μ = { ‖r_T‖ ≤ μ r_N }, g(u)^α = (μ^α ‖u_T^α‖, 0).
//
//   global:  M v = H r + G λ + f,  Gᵀ v + b = 0,  u = Hᵀ v + w      M: n×n, positive definite, symmetric or not; H: n×m; G: n×p
//   local:   u = W r + V λ + q,    Vᵀ r + R λ + s = 0               W: m×m, positive semi-definite, symmetric or not; V: m×p; R: p×p
//   law:     K* ∋ u + g(u) ⊥ r ∈ K
//
// G, b (global) and V, R, s (local) are bilateral constraints and may be absent. μ = 0 (no friction) and μ = ∞ (no sliding) are legal
// and exact: μ = 0 gives K = {r_T = 0, r_N ≥ 0}, μ = ∞ gives K = {r_N ≥ 0} and K* = {u_T = 0, u_N ≥ 0}.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cornet/export.h"

namespace cornet {

/// How a SparseMatrix stores its entries.
enum class Storage { triplet, csc, csr };

/// A sparse matrix kept exactly as its file stores it, so that reading and writing lose nothing. Indices start at 0; duplicates add.
struct SparseMatrix {
  int rows = 0;
  int cols = 0;
  Storage storage = Storage::csc;
  std::vector<int> p;     ///< csc: cols + 1 column starts; csr: rows + 1 row starts; triplet: the COLUMN of each entry
  std::vector<int> i;     ///< csc: the row of each entry; csr: the column of each entry; triplet: the ROW of each entry
  std::vector<double> x;  ///< the values
  int capacity = -1;      ///< nzmax of the file; −1 means x.size()

  /// What a file says about the matrix (FCLIB matrix info). Not verified, not used by any solver.
  struct Info {
    std::string comment;
    double conditioning = 0;
    double determinant = 0;
    int rank = 0;
  };
  std::optional<Info> info;

  int entries() const { return static_cast<int>(x.size()); }
};

/// What a file says about a problem.
struct ProblemInfo {
  std::string title;
  std::string description;
  std::string math_info;
};

struct LocalProblem {
  int dim = 3;                    ///< d ∈ {2, 3}
  SparseMatrix W;                 ///< m×m
  std::vector<double> q;          ///< m
  std::vector<double> mu;         ///< nc, each in [0, ∞]
  std::optional<SparseMatrix> V;  ///< m×p, bilateral constraints, or absent
  std::optional<SparseMatrix> R;  ///< p×p, present iff V is
  std::vector<double> s;          ///< p
  std::string name;               ///< for messages and reports
  std::optional<ProblemInfo> info;

  int contacts() const { return static_cast<int>(mu.size()); }
  int size() const { return dim * contacts(); }  ///< m
};

struct GlobalProblem {
  int dim = 3;                    ///< d ∈ {2, 3}
  SparseMatrix M;                 ///< n×n
  SparseMatrix H;                 ///< n×m
  std::vector<double> f;          ///< n
  std::vector<double> w;          ///< m
  std::vector<double> mu;         ///< nc, each in [0, ∞]
  std::optional<SparseMatrix> G;  ///< n×p, bilateral constraints, or absent
  std::vector<double> b;          ///< p
  std::string name;               ///< for messages and reports
  std::optional<ProblemInfo> info;

  int contacts() const { return static_cast<int>(mu.size()); }
  int size() const { return dim * contacts(); }  ///< m
  int dofs() const { return M.rows; }            ///< n
};

/// What a file gives and what the driver takes.
using Problem = std::variant<LocalProblem, GlobalProblem>;

/// A point: guess in, answer out. It holds no residuals; certificate.h computes them. Empty vectors mean "not known".
struct Iterate {
  std::vector<double> r;       ///< m, reactions
  std::vector<double> u;       ///< m, relative velocities
  std::vector<double> v;       ///< n, generalised velocities (global form)
  std::vector<double> lambda;  ///< p, multipliers of the bilateral constraints
};

/// Throws InvalidProblem with the field, what was found and what was expected. Checks sizes, index ranges, finiteness, μ ≥ 0, squareness.
/// Definiteness is not checked here: it costs a factorisation (see reduce.h).
CORNET_API void validate(const LocalProblem& problem);
CORNET_API void validate(const GlobalProblem& problem);
CORNET_API void validate(const Problem& problem);

/// Checks one matrix by itself; `name` starts the message.
CORNET_API void validate(const SparseMatrix& matrix, const std::string& name);

/// "local" or "global".
CORNET_API const char* form_name(const Problem& problem);

CORNET_API int contacts(const Problem& problem);
CORNET_API int dimension(const Problem& problem);
CORNET_API const std::string& name(const Problem& problem);

}  // namespace cornet
