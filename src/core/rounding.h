// How small the error of an answer can get in double precision.
//
//   floor = ε ‖ |W| |r| + |q| + |r| ‖ / ‖q‖,   ε = 2.2e-16
//
// u = W r + q cannot be known better than about ε (|W||r| + |q|): the products and sums round, and so do the reactions themselves. Where
// ‖W‖‖r‖ ≫ ‖q‖ (heavy piles, small velocities) this is far above ε. |r| stands for the cone: ‖r_T‖ = μ r_N holds up to ε ‖r‖. An estimate,
// not a bound: rounding errors of many terms partly cancel, their worst case is larger.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "core/local_system.h"

namespace cornet {

/// |W| |r| + |q|, into `sizes`.
template <int D>
void sizes_of_velocities(const LocalSystem<D>& system, const double* r, std::vector<double>& sizes) {
  sizes.assign(system.size(), 0.0);
  for (int j = 0; j < system.contacts(); ++j)
    for (int k = system.W.column_begin(j); k < system.W.column_end(j); ++k) {
      const auto block = system.W.block(k);
      double* target = sizes.data() + static_cast<std::size_t>(system.W.row(k)) * D;
      for (int i = 0; i < D; ++i)
        for (int l = 0; l < D; ++l) target[i] += std::abs(block(i, l) * r[static_cast<std::size_t>(j) * D + l]);
    }
  for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] += std::abs(system.q[k]);
}

/// The floor above, in the measure of the certified error, for an operator of core/delassus.h. `work` is scratch and grows to the size of r once.
template <class Operator>
double rounding_floor(const Operator& op, const double* r, std::vector<double>& work) {
  op.sizes(r, work);
  double sum = 0;
  for (std::size_t k = 0; k < work.size(); ++k) sum += (work[k] + std::abs(r[k])) * (work[k] + std::abs(r[k]));
  return std::numeric_limits<double>::epsilon() * std::sqrt(sum) / op.norm_q();
}

}  // namespace cornet
