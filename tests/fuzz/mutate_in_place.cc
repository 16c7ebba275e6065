// A mutator for files whose parts point at each other by position, as those of HDF5 do: most changes stay within a few bytes and keep the
// length, so that they reach one number instead of shifting all.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  constexpr std::size_t kWindow = 8;
  if (seed % 16 == 0 || size <= kWindow) return LLVMFuzzerMutate(data, size, most);
  std::uint32_t state = seed;
  const auto random = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  for (unsigned change = 0; change <= random() % 3; ++change) {
    const std::size_t length = std::size_t{1} << random() % 4;
    const std::size_t at = random() % (size - length + 1);
    std::array<std::uint8_t, kWindow> window{};
    std::copy_n(data + at, length, window.begin());
    LLVMFuzzerMutate(window.data(), length, length);
    std::copy_n(window.begin(), length, data + at);
  }
  return size;
}
