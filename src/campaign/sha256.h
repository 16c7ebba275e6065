// SHA-256 (FIPS 180-4): the identity of problems, programs and runs by content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cornet::campaign {

class Sha256 {
 public:
  void add(const void* data, std::size_t size);
  void add(std::string_view text);  ///< with its length, so that neighbours cannot be mistaken for each other
  void add(double value) { add(&value, sizeof value); }
  void add(std::int64_t value) { add(&value, sizeof value); }
  template <class Number>
  void add(const std::vector<Number>& values) {
    add(static_cast<std::int64_t>(values.size()));
    add(values.data(), values.size() * sizeof(Number));
  }

  /// The first `digits` hexadecimal digits; the object is used up.
  std::string hex(std::size_t digits = 64);

 private:
  void block(const unsigned char* data);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_ = {};
  std::uint64_t size_ = 0;  // bytes so far
};

}  // namespace cornet::campaign
