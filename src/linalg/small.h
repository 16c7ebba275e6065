// Fixed-size vectors and matrices of one contact.
#pragma once

#include <Eigen/Core>

namespace cornet {

template <int D>
using Vec = Eigen::Matrix<double, D, 1>;

template <int D>
using Mat = Eigen::Matrix<double, D, D>;

/// Calls f.template operator()<2>() or <3>(): the one place where the run-time dimension becomes a template parameter.
template <class F>
decltype(auto) with_dimension(int dim, F&& f) {
  return dim == 2 ? f.template operator()<2>() : f.template operator()<3>();
}

}  // namespace cornet
