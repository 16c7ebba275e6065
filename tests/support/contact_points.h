// Seeded vectors and numbers for the laws of one contact.
#pragma once

#include <random>

#include "linalg/small.h"

namespace cornet::test {

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  template <int D>
  Vec<D> vector() {
    Vec<D> z;
    for (int i = 0; i < D; ++i) z[i] = normal_(engine_);
    return z;
  }
  double uniform() { return uniform_(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

}  // namespace cornet::test
