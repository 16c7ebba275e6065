// The nonsmooth Newton methods (nsn.h) as solvers: residual function × line search, and the hybrid start.
#include "solvers/nsn.h"

#include <string>

namespace cornet {
namespace {

struct FunctionText {
  const char* id;
  const char* name;
  const char* use_when;
  const char* fails_when;
  const char* reference;
  RhoRule rho_rule;
};

const FunctionText& text(ResidualFunction function) {
  static const FunctionText table[] = {
      {"ac", "Alart–Curnier", "flexible bodies and other full-rank W, tight tolerances, a good guess: the first choice of the family",
       "rank-deficient W far from the solution: singular Jacobians", "function (63), rule (110); Alart, Curnier (1991)", RhoRule::spectral},
      {"jm", "Jean–Moreau", "as nsn-ac; sometimes fewer iterations, because the disk does not depend on the normal velocity",
       "rank-deficient W; from a zero guess every contact first appears without friction", "function (61), rule (111); Jean, Moreau (1987)",
       RhoRule::split},
      {"nm", "natural map", "full-rank W with weak friction; the only one of the family whose merit with ρ = 1 is the error itself",
       "strong friction: the derivative of μ‖u_T‖ makes the Jacobian of sliding contacts unsymmetric and often singular",
       "function (51), rule (110)", RhoRule::spectral},
      {"fb", "Fischer–Burmeister",
       "full-rank W when the projections of the others make the line search stall: the merit is smooth almost everywhere",
       "rank-deficient W; no contact ever leaves the linear system, so that each step costs more",
       "function (79), Jordan algebra (69)–(78); Fukushima, Luo, Tseng (2002)", RhoRule::spectral},
      {"hsw", "Hüeber–Stadler–Wohlmuth", "full-rank W from a good guess; rows without quotients",
       "far from the solution, where the products of unknowns dominate; rank-deficient W",
       "function (66), rule (111); Hüeber, Stadler, Wohlmuth (2008)", RhoRule::split},
      {"xsw", "Xuewen–Soh–Wanji", "comparison with the literature; few contacts, all sliding or open",
       "contacts that stick without tangential load: two zero rows; most problems with more than some ten contacts",
       "function (65), rule (111); Xuewen, Soh, Wanji (2000)", RhoRule::split}};
  return table[static_cast<int>(function)];
}

SolverInfo nsn_solver(ResidualFunction function, LineSearch search, bool hybrid = false) {
  const FunctionText& f = text(function);
  const bool gp = search == LineSearch::goldstein_price, armijo = search == LineSearch::armijo;
  SolverInfo info;
  info.id = std::string("nsn-") + f.id + (gp ? "-gp" : armijo ? "-a" : hybrid ? "-hybrid" : "");
  info.title = std::string("Nonsmooth Newton, ") + f.name + " function" +
               (gp       ? ", Goldstein–Price line search"
                : armijo ? ", Armijo line search"
                : hybrid ? ", started by extragradient steps"
                         : "");
  info.family = "nonsmooth Newton";
  info.summary = std::string("Newton on all contacts at once with a generalised Jacobian of the ") + f.name +
                 " function; one sparse factorisation per iteration" +
                 (search == LineSearch::none ? ", full steps" : ", damped by a line search on ½‖G‖²") +
                 (hybrid ? ", after 100 extragradient steps." : ".");
  info.use_when = hybrid ? "no guess at hand: the projection steps bring most contacts to their final status before the first factorisation"
                         : f.use_when;
  info.fails_when =
      std::string(f.fails_when) +
      (search == LineSearch::none ? "; full steps may cycle" : "; the line search may stall at a stationary point of the merit");
  info.reference = std::string("Acary, Brémond, Huber (2018), Algorithm 4") +
                   (gp       ? " with 5"
                    : armijo ? " with 6"
                    : hybrid ? " after 2"
                             : "") +
                   ", " + f.reference;
  info.max_iterations = 2000;
  info.memory = {.factors = 2};
  NsnOptions options;
  options.function = function;
  options.search = search;
  options.hybrid = hybrid;
  options.rho_rule = f.rho_rule;
  return registered<NsnOptions>(std::move(info), options,
                                [](const NsnOptions& o) { return std::make_unique<LocalSolver<Nsn, NsnOptions>>(o); });
}

using Function = ResidualFunction;
using Search = LineSearch;

}  // namespace

SolverInfo nsn_ac() { return nsn_solver(Function::alart_curnier, Search::none); }
SolverInfo nsn_ac_gp() { return nsn_solver(Function::alart_curnier, Search::goldstein_price); }
SolverInfo nsn_ac_a() { return nsn_solver(Function::alart_curnier, Search::armijo); }
SolverInfo nsn_ac_hybrid() { return nsn_solver(Function::alart_curnier, Search::none, true); }
SolverInfo nsn_jm() { return nsn_solver(Function::jean_moreau, Search::none); }
SolverInfo nsn_jm_gp() { return nsn_solver(Function::jean_moreau, Search::goldstein_price); }
SolverInfo nsn_jm_a() { return nsn_solver(Function::jean_moreau, Search::armijo); }
SolverInfo nsn_nm() { return nsn_solver(Function::natural_map, Search::none); }
SolverInfo nsn_nm_gp() { return nsn_solver(Function::natural_map, Search::goldstein_price); }
SolverInfo nsn_nm_a() { return nsn_solver(Function::natural_map, Search::armijo); }
SolverInfo nsn_fb() { return nsn_solver(Function::fischer_burmeister, Search::none); }
SolverInfo nsn_fb_gp() { return nsn_solver(Function::fischer_burmeister, Search::goldstein_price); }
SolverInfo nsn_fb_a() { return nsn_solver(Function::fischer_burmeister, Search::armijo); }
SolverInfo nsn_hsw() { return nsn_solver(Function::hueber_stadler_wohlmuth, Search::none); }
SolverInfo nsn_xsw() { return nsn_solver(Function::xuewen_soh_wanji, Search::none); }

}  // namespace cornet
