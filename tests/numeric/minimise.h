// Makes a problem small while it still fails: contacts, joints and degrees of freedom out, friction and numbers made plain.
#pragma once

#include <functional>

#include "numeric/draw.h"

namespace cornet::numeric {

inline Eigen::MatrixXd without(const Eigen::MatrixXd& a, Eigen::Index row, Eigen::Index rows, Eigen::Index col, Eigen::Index cols) {
  Eigen::MatrixXd b(a.rows() - rows, a.cols() - cols);
  for (Eigen::Index i = 0; i < b.rows(); ++i)
    for (Eigen::Index j = 0; j < b.cols(); ++j) b(i, j) = a(i < row ? i : i + rows, j < col ? j : j + cols);
  return b;
}

inline Drawn without_contact(Drawn d, int contact) {
  const Eigen::Index at = d.dim * contact, k = d.dim;
  d.mu.erase(d.mu.begin() + contact);
  if (d.global) {
    d.H = without(d.H, 0, 0, at, k);
    d.w = without(d.w, at, k, 0, 0);
  } else {
    d.W = without(d.W, at, k, at, k);
    d.q = without(d.q, at, k, 0, 0);
    d.V = without(d.V, at, k, 0, 0);
  }
  return d;
}

inline Drawn without_joint(Drawn d, Eigen::Index joint) {
  if (d.global) {
    d.G = without(d.G, 0, 0, joint, 1);
    d.b = without(d.b, joint, 1, 0, 0);
  } else {
    d.V = without(d.V, 0, 0, joint, 1);
    d.R = without(d.R, joint, 1, joint, 1);
    d.s = without(d.s, joint, 1, 0, 0);
  }
  return d;
}

inline Drawn without_freedom(Drawn d, Eigen::Index dof) {
  d.M = without(d.M, dof, 1, dof, 1);
  d.H = without(d.H, dof, 1, 0, 0);
  d.G = without(d.G, dof, 1, 0, 0);
  d.f = without(d.f, dof, 1, 0, 0);
  return d;
}

inline Drawn minimised(Drawn d, const std::function<bool(const Drawn&)>& fails) {
  const auto accept = [&](Drawn smaller) {
    if (!fails(smaller)) return false;
    d = std::move(smaller);
    return true;
  };
  for (bool again = true; again;) {
    again = false;
    for (int c = d.contacts() - 1; c >= 0 && d.contacts() > 1; --c) again |= accept(without_contact(d, c));
    for (Eigen::Index j = (d.global ? d.G : d.V).cols() - 1; j >= 0; --j) again |= accept(without_joint(d, j));
    for (Eigen::Index k = d.M.rows() - 1; d.global && k >= 0 && d.M.rows() > 1 + d.G.cols(); --k) again |= accept(without_freedom(d, k));
  }
  for (std::size_t c = 0; c < d.mu.size(); ++c)
    for (const double plain : {0.0, 0.5, 1.0}) {
      Drawn other = d;
      other.mu[c] = plain;
      if (d.mu[c] == plain || accept(std::move(other))) break;
    }
  return d;
}

}  // namespace cornet::numeric
