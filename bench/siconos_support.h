// Siconos as a peer: its problem from ours, for the programs bench/siconos_*.cc.
#pragma once

#include <vector>

#include "cornet/problem.h"

extern "C" {
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <siconos/numerics/fc3d_Solvers.h>
}

/// How Siconos stores a matrix: D×D sparse blocks, which Gauss–Seidel likes best; sparse, which the Newton methods need; dense, which its
/// plane solvers CPG and LEMKE need.
enum class SiconosStorage { blocks, sparse, dense };

/// A copy of our matrix in the storage asked for, with the conversions that its solvers want already made. Lives until the process ends.
inline NumericsMatrix* siconos_matrix(const cornet::SparseMatrix& a, SiconosStorage storage, int dim) {
  NumericsMatrix* sparse = NM_create(NM_SPARSE, a.rows, a.cols);
  NM_triplet_alloc(sparse, a.entries());
  const auto add = [&](int i, int j, double x) { NM_entry(sparse, i, j, x); };
  if (a.storage == cornet::Storage::triplet) {
    for (int k = 0; k < a.entries(); ++k) add(a.i[k], a.p[k], a.x[k]);
  } else {
    const bool columns = a.storage == cornet::Storage::csc;
    for (int o = 0; o < (columns ? a.cols : a.rows); ++o)
      for (int k = a.p[o]; k < a.p[o + 1]; ++k) columns ? add(a.i[k], o, a.x[k]) : add(o, a.i[k], a.x[k]);
  }
  NM_csc(sparse);
  if (storage == SiconosStorage::sparse) return sparse;
  if (storage == SiconosStorage::dense) {
    NumericsMatrix* dense = NM_create(NM_DENSE, a.rows, a.cols);
    NM_to_dense(sparse, dense);
    return dense;
  }
  auto* result = SBM_new();
  SBM_from_csparse(dim, NM_csc(sparse), result);
  return NM_new_SBM(a.rows, a.cols, result);
}

/// A local problem of Siconos over copies of our data; its memory lives until the process ends.
class SiconosProblem {
 public:
  SiconosProblem(const cornet::LocalProblem& problem, SiconosStorage storage)
      : q_(problem.q), mu_(problem.mu), fc_(frictionContactProblem_new()) {
    fc_->dimension = problem.dim;
    fc_->numberOfContacts = problem.contacts();
    fc_->M = siconos_matrix(problem.W, storage, problem.dim);
    fc_->q = q_.data();
    fc_->mu = mu_.data();
  }
  SiconosProblem(const cornet::LocalProblem& problem, bool blocks)
      : SiconosProblem(problem, blocks ? SiconosStorage::blocks : SiconosStorage::sparse) {}
  FrictionContactProblem* get() const { return fc_; }

 private:
  std::vector<double> q_, mu_;
  FrictionContactProblem* fc_;
};

/// A global problem of Siconos, M v = H r + q, u = Hᵀ v + b, over copies of our data; it knows no bilateral constraints.
class SiconosGlobalProblem {
 public:
  explicit SiconosGlobalProblem(const cornet::GlobalProblem& problem)
      : f_(problem.f), w_(problem.w), mu_(problem.mu), fc_(globalFrictionContactProblem_new()) {
    fc_->dimension = problem.dim;
    fc_->numberOfContacts = problem.contacts();
    fc_->M = siconos_matrix(problem.M, SiconosStorage::sparse, problem.dim);
    fc_->H = siconos_matrix(problem.H, SiconosStorage::sparse, problem.dim);
    fc_->q = f_.data();
    fc_->b = w_.data();
    fc_->mu = mu_.data();
  }
  GlobalFrictionContactProblem* get() const { return fc_; }

 private:
  std::vector<double> f_, w_, mu_;
  GlobalFrictionContactProblem* fc_;
};
