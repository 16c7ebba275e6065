// The entry points of libFuzzer, for the target that CORNET_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cornet::fuzz::CORNET_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
