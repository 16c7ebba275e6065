// Counts the allocations of a test program; include it in one file of it. Sanitizers have a malloc of their own: nothing is counted there.
#pragma once

#include <atomic>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORNET_COUNTS_ALLOCATIONS 0
#else
#define CORNET_COUNTS_ALLOCATIONS 1
static std::atomic<long> allocations{0};
// Eigen and operator new both end in malloc, which glibc lets a program replace.
extern "C" void* __libc_malloc(std::size_t size);
// NOLINTNEXTLINE(misc-definitions-in-headers): stands for that of the C library, in the one file that includes it
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif
