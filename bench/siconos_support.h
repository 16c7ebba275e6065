// Siconos as a peer: its problem from ours, for the programs bench/siconos_*.cc.
#pragma once

#include <vector>

#include "cornet/problem.h"

extern "C" {
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <siconos/numerics/fc3d_Solvers.h>
}

/// A problem of Siconos over copies of our data; its memory lives until the process ends.
class SiconosProblem {
 public:
  /// `blocks`: 3×3 sparse blocks, which Gauss–Seidel likes best; otherwise a sparse matrix, which the Newton methods need.
  SiconosProblem(const cornet::LocalProblem& problem, bool blocks) : q_(problem.q), mu_(problem.mu), fc_(frictionContactProblem_new()) {
    fc_->dimension = 3;
    fc_->numberOfContacts = problem.contacts();
    fc_->M = matrix(problem.W, blocks);
    fc_->q = q_.data();
    fc_->mu = mu_.data();
  }
  FrictionContactProblem* get() const { return fc_; }

 private:
  static NumericsMatrix* matrix(const cornet::SparseMatrix& a, bool blocks) {
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
    if (!blocks) return sparse;
    auto* result = SBM_new();
    SBM_from_csparse(3, NM_csc(sparse), result);
    return NM_new_SBM(a.rows, a.cols, result);
  }

  std::vector<double> q_, mu_;
  FrictionContactProblem* fc_;
};
