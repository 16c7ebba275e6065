// Seeded numbers that are the same with every standard library: std::mt19937_64 is fully specified, the distributions of <random> are not.
#pragma once

#include <cstdint>
#include <random>

namespace cornet::samples {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1) with 53 bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  double uniform(double lower, double upper) { return lower + (upper - lower) * unit(); }

  /// Uniform in {0, …, count − 1}.
  int index(int count) { return static_cast<int>(unit() * count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cornet::samples
