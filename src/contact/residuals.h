// The residual functions of the nonsmooth Newton family by name, and the rules for their step lengths ρ_N, ρ_T.
//
//   fixed            ρ_N = ρ_T = given
//   norm             ρ_N = ρ_T = 1/‖W^αα‖ (Frobenius)                                            (109)
//   spectral         ρ_N = ρ_T = 1/λmax(W^αα)                                                    (110)
//   split            ρ_N = 1/W_NN, ρ_T = 1/λmax(W_TT)                                            (111)
//   split_condition  ρ_N = 1/W_NN, ρ_T = λmin(W_TT)/λmax(W_TT)²  (λmin(W_NN) in the print)        (112)
//
// Eigenvalues are those of the symmetric part of the contact's own block; 1 where a rule gives nothing positive and finite. The functions
// with one ρ (natural map, Fischer–Burmeister) take min(ρ_N, ρ_T).
// Reference: Acary, Brémond, Huber, §3.3, §5.4.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "contact/alart_curnier.h"
#include "contact/fischer_burmeister.h"
#include "contact/hueber_stadler_wohlmuth.h"
#include "contact/jean_moreau.h"
#include "contact/natural_map.h"
#include "contact/xuewen_soh_wanji.h"

namespace cornet {

enum class ResidualFunction { alart_curnier, jean_moreau, natural_map, fischer_burmeister, hueber_stadler_wohlmuth, xuewen_soh_wanji };

enum class RhoRule { fixed, norm, spectral, split, split_condition };

/// The two options of a solver that lets its user choose.
template <class Visitor>
void visit_rho(Visitor& v, RhoRule& rule, double& fixed) {
  v.choice("rho_rule", rule, {"fixed", "norm", "spectral", "split", "split_condition"},
           "step lengths ρ_N, ρ_T of each contact: fixed, 1/‖W^αα‖ (109), 1/λmax(W^αα) (110), by normal and tangent (111), the same with "
           "condition (112)");
  v.real("rho", fixed, {0, std::numeric_limits<double>::infinity(), true, true},
         "ρ_N = ρ_T for rho_rule=fixed, unit of r over unit of u");
}

/// F(r, u) of the function named, with an element of its generalised Jacobian.
template <int D>
ContactJacobian<D> residual(ResidualFunction function, const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho) {
  switch (function) {
    case ResidualFunction::jean_moreau: return jean_moreau<D>(r, u, mu, rho.normal, rho.tangent);
    case ResidualFunction::natural_map: return natural_map<D>(r, u, mu, std::min(rho.normal, rho.tangent));
    case ResidualFunction::fischer_burmeister: return fischer_burmeister<D>(r, u, mu, std::min(rho.normal, rho.tangent));
    case ResidualFunction::hueber_stadler_wohlmuth: return hueber_stadler_wohlmuth<D>(r, u, mu, rho.normal, rho.tangent);
    case ResidualFunction::xuewen_soh_wanji: return xuewen_soh_wanji<D>(r, u, mu, rho.normal, rho.tangent);
    case ResidualFunction::alart_curnier: break;
  }
  return alart_curnier<D>(r, u, mu, rho.normal, rho.tangent);
}

/// F(r, u) alone.
template <int D>
Vec<D> residual_value(ResidualFunction function, const Vec<D>& r, const Vec<D>& u, double mu, RhoPair rho) {
  if (function == ResidualFunction::alart_curnier) return alart_curnier_value<D>(r, u, mu, rho.normal, rho.tangent);
  if (function == ResidualFunction::natural_map) return natural_map_value<D>(r, u, mu, std::min(rho.normal, rho.tangent));
  if (function == ResidualFunction::fischer_burmeister) return fischer_burmeister<D>(r, u, mu, std::min(rho.normal, rho.tangent), false).F;
  return residual<D>(function, r, u, mu, rho).F;
}

/// ρ_N, ρ_T of a contact with the diagonal block W by one of the rules at the top of the file.
template <int D>
RhoPair choose_rho(RhoRule rule, double fixed, const Mat<D>& W) {
  const auto usable = [](double rho) { return rho > 0 && rho < std::numeric_limits<double>::infinity() ? rho : 1.0; };
  const auto eigenvalues = [](const auto& block) {
    using Block = typename std::decay_t<decltype(block)>::PlainObject;
    const Block symmetric = 0.5 * (block + block.transpose());
    return Eigen::SelfAdjointEigenSolver<Block>(symmetric, Eigen::EigenvaluesOnly).eigenvalues().eval();
  };
  double rho = 1;
  switch (rule) {
    case RhoRule::fixed: rho = fixed; break;
    case RhoRule::norm: {
      const double size = W.cwiseAbs().maxCoeff();  // scaled, so that the squares neither overflow nor underflow
      rho = usable(1 / (size * (W / size).norm()));
      break;
    }
    case RhoRule::spectral: rho = usable(1 / eigenvalues(W).maxCoeff()); break;
    case RhoRule::split: return rho_split<D>(W);
    case RhoRule::split_condition: {
      const auto lambda = eigenvalues(W.template bottomRightCorner<D - 1, D - 1>().eval());
      const double largest = lambda.maxCoeff();
      return {rho_split<D>(W).normal, usable(lambda.minCoeff() / largest / largest)};
    }
  }
  return {rho, rho};
}

}  // namespace cornet
