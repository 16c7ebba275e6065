#include <algorithm>
#include <cmath>

#include "cornet/solver.h"

namespace cornet {

const char* to_string(Termination termination) {
  switch (termination) {
    case Termination::converged: return "converged";
    case Termination::iteration_limit: return "iteration_limit";
    case Termination::time_limit: return "time_limit";
    case Termination::stalled: return "stalled";
    case Termination::diverged: return "diverged";
    case Termination::breakdown: return "breakdown";
    case Termination::interrupted: return "interrupted";
    case Termination::unsupported: return "unsupported";
    case Termination::no_solution: return "no_solution";
  }
  return "unknown";
}

Monitor::Monitor(const Limits& limits, const std::atomic<bool>* interrupt, Callback callback, bool keep_history)
    : limits_(limits),
      interrupt_(interrupt),
      callback_(std::move(callback)),
      keep_history_(keep_history),
      start_(std::chrono::steady_clock::now()) {}

double Monitor::elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

std::optional<Termination> Monitor::expired() const {
  if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) return Termination::interrupted;
  if (elapsed() > limits_.time_limit) return Termination::time_limit;
  return std::nullopt;
}

std::optional<Termination> Monitor::step(double own_residual) {
  ++iterations_;
  if (keep_history_ || callback_) {
    const HistoryEntry entry{iterations_, elapsed(), own_residual};
    if (keep_history_) history_.push_back(entry);
    if (callback_ && !callback_(entry)) return Termination::interrupted;
  }
  if (!std::isfinite(own_residual)) return Termination::diverged;
  if (auto over = expired()) return over;
  if (iterations_ >= limits_.max_iterations) return Termination::iteration_limit;
  return std::nullopt;
}

void Monitor::offer(double error, const double* r, std::size_t size) {
  if (!(error < best_error_)) return;
  best_error_ = error;
  best_.resize(size);
  std::copy(r, r + size, best_.begin());
}

void Monitor::count(const char* name, double amount) { counters_[name] += amount; }

}  // namespace cornet
