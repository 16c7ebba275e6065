// The solvers of Siconos that are compared with, by name.
//
// Names of variants as in the survey: NSGS-X has the one-contact solver X; AC and JM are the Alart–Curnier and Jean–Moreau functions; GP is
// Goldstein–Price line search; UPK and UPTS are the step rules of Khobotov and of Solodov and Tseng; FULL evaluates the complete error in
// every iteration (the others look at the increments first); FP-DS-L takes ρ = 1/λmax(W) instead of 1; ADMM-RB balances the residuals, ADMM-N-RB
// also starts from ρ by norms; _WR reduces to the local form first; IPM solves the convex problem of s = 0, IPM-S updates s.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cornet/reduce.h"
#include "siconos_support.h"

namespace siconos {

/// One solver of Siconos with its settings.
struct Variant {
  std::string name;
  int id;
  SiconosStorage storage;
  std::function<void(SolverOptions*, double lipschitz)> adjust;
};

// Ids, positions and values of Siconos whose headers are not installed: variational inequalities and SOCLCP.
inline constexpr int kViLineSearch = 6, kViErrorEvaluation = 7, kViSolodovTseng = 1, kViFullError = 0;
inline constexpr int kSoclcpFixedPoint = 1106;

using Adjust = std::function<void(SolverOptions*, double)>;

inline Adjust both(Adjust a, Adjust b) {
  return [=](SolverOptions* o, double lipschitz) {
    a(o, lipschitz);
    b(o, lipschitz);
  };
}
inline Adjust integer(int position, int value) {
  return [=](SolverOptions* o, double) { o->iparam[position] = value; };
}
inline Adjust number(int position, double value) {
  return [=](SolverOptions* o, double) { o->dparam[position] = value; };
}
inline Adjust inner(int id) {
  return [=](SolverOptions* o, double) { solver_options_update_internal(o, 0, id); };
}
inline Adjust local_newton(int id, int formulation) {
  return [=](SolverOptions* o, double) {
    solver_options_update_internal(o, 0, id);
    o->internalSolvers[0]->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] = formulation;
  };
}
inline Adjust newton(int formulation, int line_search) {
  return both(integer(SICONOS_FRICTION_3D_NSN_FORMULATION, formulation), integer(SICONOS_FRICTION_3D_NSN_LINESEARCH, line_search));
}
inline void plain(SolverOptions*, double) {}

// In the order of how often each is the best one, so that the limits of the others shrink early.
inline std::vector<Variant> local_variants() {
  const auto blocks = SiconosStorage::blocks, sparse = SiconosStorage::sparse;
  const int ac = SICONOS_FRICTION_3D_NSN_FORMULATION_ALARTCURNIER_STD, jm = SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD;
  const int gp = SICONOS_FRICTION_3D_NSN_LINESEARCH_GOLDSTEINPRICE, none = SICONOS_FRICTION_3D_NSN_LINESEARCH_NO;
  const int nsgs = SICONOS_FRICTION_3D_NSGS, fpp = SICONOS_FRICTION_3D_VI_FPP, eg = SICONOS_FRICTION_3D_VI_EG;
  const int nsn = SICONOS_FRICTION_3D_NSN_AC, admm = SICONOS_FRICTION_3D_ADMM;
  const Adjust full = integer(SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION, SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL);
  const Adjust exact = inner(SICONOS_FRICTION_3D_ONECONTACT_QUARTIC), p1 = inner(SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone);
  const Adjust pli = inner(SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
  const Adjust ac_gp = local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, ac),
               jm_gp = local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, jm);
  const Adjust sor = both(integer(SICONOS_FRICTION_3D_NSGS_RELAXATION, SICONOS_FRICTION_3D_NSGS_RELAXATION_TRUE),
                          number(SICONOS_FRICTION_3D_NSGS_RELAXATION_VALUE, 1.5));
  const Adjust tseng = integer(kViLineSearch, kViSolodovTseng), vi_full = integer(kViErrorEvaluation, kViFullError);
  const Adjust balance = integer(SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY, SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING);
  const Adjust by_norms = integer(SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO, SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF);
  const Adjust step = [](SolverOptions* o, double lipschitz) { o->dparam[SICONOS_FRICTION_3D_NSN_RHO] = 1 / lipschitz; };
  return {
      {"NSGS-P1-FULL", nsgs, blocks, both(p1, full)},
      {"NSGS-JM-GP-FULL", nsgs, blocks, both(jm_gp, full)},
      {"NSGS-EXACT-FULL", nsgs, blocks, both(exact, full)},
      {"FP-DS", SICONOS_FRICTION_3D_DSFP, blocks, plain},
      {"ADMM", admm, sparse, plain},
      {"PSOR-1.5-FULL", nsgs, blocks, both(sor, full)},
      {"NSGS-P1", nsgs, blocks, p1},
      {"FP-DS-L", SICONOS_FRICTION_3D_DSFP, blocks, step},
      {"NSGS-PLI-FULL", nsgs, blocks, both(pli, full)},
      {"NSGS-AC-GP-FULL", nsgs, blocks, both(ac_gp, full)},
      {"PPA-NSN-AC-GP", SICONOS_FRICTION_3D_PROX, sparse, plain},
      {"EG-VI-UPK-FULL", eg, blocks, vi_full},
      {"PSOR-1.5", nsgs, blocks, sor},
      {"ADMM-RB", admm, sparse, balance},
      {"PANA", SICONOS_FRICTION_3D_PFP, blocks, plain},
      {"NSN-JM-GP", nsn, sparse, newton(jm, gp)},
      {"NSGS-JM", nsgs, blocks, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN, jm)},
      {"NSN-AC-HYBRID", nsn, sparse, integer(SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY, SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN)},
      {"NSGS-AC", nsgs, blocks, local_newton(SICONOS_FRICTION_3D_ONECONTACT_NSN, ac)},
      {"NSGS-AC-GP", nsgs, blocks, ac_gp},
      {"NSGS-JM-GP", nsgs, blocks, jm_gp},
      {"NSGS-EXACT", nsgs, blocks, exact},
      {"NSGS-PLI", nsgs, blocks, pli},
      {"NSGS-HYBRID", nsgs, blocks, inner(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID)},
      {"EG-VI-UPK", eg, blocks, plain},
      {"EG-VI-UPTS", eg, blocks, tseng},
      {"FP-VI-UPK", fpp, blocks, plain},
      {"FP-VI-UPTS", fpp, blocks, tseng},
      {"ADMM-N-RB", admm, sparse, both(balance, by_norms)},
      {"NSN-AC", nsn, sparse, newton(ac, none)},
      {"NSN-AC-GP", nsn, sparse, newton(ac, gp)},
      {"NSN-JM", nsn, sparse, newton(jm, none)},
      {"NSN-FB", SICONOS_FRICTION_3D_NSN_FB, sparse, integer(SICONOS_FRICTION_3D_NSN_LINESEARCH, none)},
      {"NSN-FB-GP", SICONOS_FRICTION_3D_NSN_FB, sparse, plain},
      {"NSN-NM", SICONOS_FRICTION_3D_NSN_NM, sparse, integer(SICONOS_FRICTION_3D_NSN_LINESEARCH, none)},
      {"NSN-NM-GP", SICONOS_FRICTION_3D_NSN_NM, sparse, plain},
      {"PPA-NSGS-AC", SICONOS_FRICTION_3D_PROX, blocks, inner(nsgs)},
      {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP, blocks, plain},
      {"TRESCA-NSGS", SICONOS_FRICTION_3D_TFP, blocks, plain},
      {"TRESCA-PG", SICONOS_FRICTION_3D_TFP, blocks, inner(SICONOS_FRICTION_3D_CONVEXQP_PG_CYLINDER)},
      {"ACLM-NSGS", SICONOS_FRICTION_3D_ACLMFP, blocks, plain},
      {"ACLM-FP-VI", SICONOS_FRICTION_3D_ACLMFP, blocks, inner(kSoclcpFixedPoint)},
  };
}

inline std::vector<Variant> plane_variants() {
  return {
      {"FC2D-NSGS", SICONOS_FRICTION_2D_NSGS, SiconosStorage::blocks, plain},
      {"FC2D-NSGS-DENSE", SICONOS_FRICTION_2D_NSGS, SiconosStorage::dense, plain},
      {"FC2D-CPG", SICONOS_FRICTION_2D_CPG, SiconosStorage::dense, plain},
      {"FC2D-LEMKE", SICONOS_FRICTION_2D_LEMKE, SiconosStorage::dense, plain},
  };
}

inline std::vector<Variant> global_variants() {
  const auto sparse = SiconosStorage::sparse;
  return {
      {"G-VI-EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG, sparse, plain},
      {"G-ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, sparse, plain},
      {"G-TFP_WR", SICONOS_GLOBAL_FRICTION_3D_TFP_WR, sparse, plain},
      {"G-NSN-AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, sparse, plain},
      {"G-NSGS", SICONOS_GLOBAL_FRICTION_3D_NSGS, sparse, plain},
      {"G-NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, sparse, plain},
      {"G-ACLM", SICONOS_GLOBAL_FRICTION_3D_ACLMFP, sparse, plain},
      {"G-ADMM-RB", SICONOS_GLOBAL_FRICTION_3D_ADMM, sparse,
       integer(SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY, SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING)},
      {"G-ADMM_WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, sparse, plain},
      {"G-NSN-AC_WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, sparse, plain},
      {"G-PROX_WR", SICONOS_GLOBAL_FRICTION_3D_PROX_WR, sparse, plain},
      {"G-VI-FPP", SICONOS_GLOBAL_FRICTION_3D_VI_FPP, sparse, plain},
      {"G-IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, sparse, plain},
      {"G-IPM-S", SICONOS_GLOBAL_FRICTION_3D_IPM, sparse,
       integer(SICONOS_FRICTION_3D_ADMM_IPARAM_UPDATE_S, SICONOS_FRICTION_3D_ADMM_UPDATE_S_YES)},
      {"G-DSFP_WR", SICONOS_GLOBAL_FRICTION_3D_DSFP_WR, sparse, plain},
  };
}

/// λmax of W, roughly, by power iteration.
inline double spectral_norm(const cornet::LocalProblem& p) {
  std::vector<double> x(p.q.size(), 1.0);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += 0.1 * static_cast<double>(k % 7);
  cornet::LocalProblem linear = p;
  std::fill(linear.q.begin(), linear.q.end(), 0.0);
  double norm = 1;
  for (int k = 0; k < 30; ++k) {
    auto y = cornet::velocities(linear, x);
    norm = 0;
    for (double value : y) norm += value * value;
    norm = std::sqrt(norm);
    if (!(norm > 0)) return 1;
    for (std::size_t i = 0; i < y.size(); ++i) x[i] = y[i] / norm;
  }
  return norm;
}

/// One call of a solver from r = 0 on a problem in one of the two forms; `start` is called when the problem is converted and the clock begins.
/// The reactions end in x. Returns seconds.
inline double call(const Variant& variant, const cornet::GlobalProblem* global, const cornet::LocalProblem* local, double lipschitz,
                   double tolerance, const std::function<void()>& start, cornet::Iterate& x, int& iterations) {
  SolverOptions* options = solver_options_create(variant.id);
  variant.adjust(options, lipschitz);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
  const auto size = static_cast<std::size_t>(global ? global->size() : local->size());
  x.r.assign(size, 0.0);
  std::vector<double> u(size, 0.0);
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin;
  if (global) {
    const SiconosGlobalProblem peer(*global);
    std::vector<double> v(global->f.size(), 0.0);
    start();
    begin = Clock::now();
    gfc3d_driver(peer.get(), x.r.data(), u.data(), v.data(), options);
  } else {
    const SiconosProblem peer(*local, variant.storage);
    start();
    begin = Clock::now();
    if (local->dim == 2) fc2d_driver(peer.get(), x.r.data(), u.data(), options);
    else fc3d_driver(peer.get(), x.r.data(), u.data(), options);
  }
  const double time = std::chrono::duration<double>(Clock::now() - begin).count();
  iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  return time;
}

}  // namespace siconos
