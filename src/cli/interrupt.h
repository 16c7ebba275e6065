// Ctrl-C and SIGTERM. The first one asks a run to stop and return its best point, the second one ends the program as it would without us.
#pragma once

#include <atomic>

namespace cornet::cli {

/// While it lives, the first SIGINT or SIGTERM only sets `flag()`.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static const std::atomic<bool>* flag();
  static bool requested() { return *flag(); }
};

}  // namespace cornet::cli
