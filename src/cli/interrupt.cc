// Ctrl-C and SIGTERM.
#include "cli/interrupt.h"

#include <csignal>

namespace cornet::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "only lock-free atomics are safe in a signal handler");

extern "C" void on_signal(int number) {
  if (stop.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

void install(int number, void (*handler)(int)) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // Reads and writes of files are taken up again; only the solver looks at the flag.
  action.sa_flags = SA_RESTART;
  // A shell starts background jobs with SIGINT ignored: that stays so.
  if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigaction(number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  install(SIGINT, on_signal);
  install(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  install(SIGINT, SIG_DFL);
  install(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* InterruptGuard::flag() { return &stop; }

}  // namespace cornet::cli
