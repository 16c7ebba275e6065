// Gauss–Seidel and PSOR (nsgs.h) as solvers: one table row per one-contact method.
#include "solvers/nsgs.h"

namespace cornet {
namespace {

SolverInfo nsgs_solver(const char* id, const char* local, NsgsOptions options, const char* reference) {
  SolverInfo info;
  info.id = id;
  info.family = "splitting";
  info.title =
      std::string(options.relaxed ? "Projected successive over-relaxation, " : "Nonsmooth Gauss–Seidel, ") + local + " per contact";
  info.summary = "Sweeps over the contacts; each one-contact problem, all other reactions frozen, by: " + std::string(local) + ".";
  info.use_when = "plane and full-rank problems, loose tolerances, large problems";
  info.fails_when = "strongly hyperstatic problems (rank of W well below m) with large μ: slow or cycling";
  info.reference = reference;
  info.max_iterations = 200000;
  return registered<NsgsOptions>(std::move(info), options,
                                 [](const NsgsOptions& o) { return std::make_unique<LocalSolver<Nsgs, NsgsOptions>>(o); });
}

NsgsOptions with(LocalMethod method, long local_iterations = 30) {
  NsgsOptions options;
  options.method = method;
  options.local_iterations = local_iterations;
  return options;
}

}  // namespace

SolverInfo nsgs_ac() {
  return nsgs_solver("nsgs-ac", "Alart–Curnier Newton", with(LocalMethod::ac),
                     "Acary, Brémond, Huber (2018), Algorithm 7; Jourdan, Alart, Jean (1998)");
}

SolverInfo nsgs_ac_gp() {
  return nsgs_solver("nsgs-ac-gp", "Alart–Curnier Newton with Goldstein–Price line search", with(LocalMethod::ac_gp),
                     "Acary, Brémond, Huber (2018), Algorithms 7 and 5");
}

SolverInfo nsgs_jm() {
  return nsgs_solver("nsgs-jm", "Jean–Moreau Newton", with(LocalMethod::jm),
                     "Acary, Brémond, Huber (2018), Algorithm 7; Jean, Moreau (1987)");
}

SolverInfo nsgs_jm_gp() {
  return nsgs_solver("nsgs-jm-gp", "Jean–Moreau Newton with Goldstein–Price line search", with(LocalMethod::jm_gp),
                     "Acary, Brémond, Huber (2018), Algorithms 7 and 5");
}

SolverInfo nsgs_exact() {
  return nsgs_solver("nsgs-exact", "exact solution", with(LocalMethod::exact),
                     "Acary, Brémond, Huber (2018), Algorithm 7; Bonnefon, Daviet (2011)");
}

SolverInfo nsgs_fp_ds_one() {
  return nsgs_solver("nsgs-fp-ds-one", "one projection", with(LocalMethod::fp_ds_one),
                     "Acary, Brémond, Huber (2018), Algorithm 7; De Saxcé, Feng (1998)");
}

SolverInfo nsgs_fp_vi_upk() {
  return nsgs_solver("nsgs-fp-vi-upk", "self-adaptive projection", with(LocalMethod::fp_vi_upk, 200),
                     "Acary, Brémond, Huber (2018), Algorithms 7, 1 and 3");
}

SolverInfo psor_ac() {
  NsgsOptions options = with(LocalMethod::ac);
  options.relaxed = true;
  options.omega_rule = OmegaRule::adaptive;
  return nsgs_solver("psor-ac", "Alart–Curnier Newton", options, "Acary, Brémond, Huber (2018), Algorithm 7, (117)–(119)");
}

}  // namespace cornet
