// The entry points of libFuzzer, for the target that CORNET_FUZZ_TARGET names.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// A child that HDF5 brings down is no finding: its parent must go on. Without this the child would report one.
int LLVMFuzzerInitialize(int*, char***) {
  pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cornet::fuzz::CORNET_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
