// Fixed-size vectors and matrices of one contact.
#pragma once

#include <Eigen/Core>

namespace cornet {

template <int D>
using Vec = Eigen::Matrix<double, D, 1>;

template <int D>
using Mat = Eigen::Matrix<double, D, D>;

/// ‖a‖² component by component. Eigen loads the first two of three components as one packet, which stalls when they were just stored one by
/// one; in the inner loops this costs more than the arithmetic.
template <int D>
inline double squared_norm(const Vec<D>& a) {
  double sum = a[0] * a[0];
  for (int i = 1; i < D; ++i) sum += a[i] * a[i];
  return sum;
}

/// Whether every component is 0.
template <int D>
inline bool is_zero(const Vec<D>& a) {
  bool zero = a[0] == 0;
  for (int i = 1; i < D; ++i) zero = zero && a[i] == 0;
  return zero;
}

/// Calls f.template operator()<2>() or <3>(): the one place where the run-time dimension becomes a template parameter.
template <class F>
decltype(auto) with_dimension(int dim, F&& f) {
  return dim == 2 ? f.template operator()<2>() : f.template operator()<3>();
}

}  // namespace cornet
