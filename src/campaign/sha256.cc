// SHA-256. The round constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
#include "campaign/sha256.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cornet::campaign {
namespace {

std::array<std::uint32_t, 64> round_constants() {
  std::array<std::uint32_t, 64> out{};
  std::size_t count = 0;
  for (int n = 2; count < out.size(); ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    const long double root = std::cbrt(static_cast<long double>(n));
    out[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  }
  return out;
}

}  // namespace

void Sha256::block(const unsigned char* data) {
  static const std::array<std::uint32_t, 64> k = round_constants();
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t)
    w[t] = static_cast<std::uint32_t>(data[4 * t]) << 24 | static_cast<std::uint32_t>(data[4 * t + 1]) << 16 |
           static_cast<std::uint32_t>(data[4 * t + 2]) << 8 | data[4 * t + 3];
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + k[t] + w[t];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += change[i];
}

void Sha256::add(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  while (size > 0) {
    const std::size_t used = size_ % 64, take = std::min(size, 64 - used);
    if (used == 0 && take == 64) {
      block(bytes);
    } else {
      std::memcpy(buffer_.data() + used, bytes, take);
      if (used + take == 64) block(buffer_.data());
    }
    size_ += take, bytes += take, size -= take;
  }
}

void Sha256::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  add(text.data(), text.size());
}

std::string Sha256::hex(std::size_t digits) {
  const std::uint64_t bits = 8 * size_;
  const unsigned char one = 0x80, zero = 0;
  add(&one, 1);
  while (size_ % 64 != 56) add(&zero, 1);
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  add(length.data(), length.size());
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(digits, 64); ++i) out += "0123456789abcdef"[state_[i / 8] >> (28 - 4 * (i % 8)) & 15];
  return out;
}

}  // namespace cornet::campaign
