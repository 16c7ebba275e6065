// How a long computation stays open to Ctrl-C: it runs in a thread of its own without the GIL, while the calling thread waits, also
// without the GIL, and lets Python handle its signals every 20 ms. When a handler raises (KeyboardInterrupt), the
// computation is told to stop and the exception leaves once it has. Python callbacks run in the calling thread, where a user expects them.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "cornet/solver.h"

namespace cornet::python {

namespace py = pybind11;

class Listener {
 public:
  /// `function`: None, or called as function(iteration, time, own_residual) once per iteration; False stops the computation.
  explicit Listener(py::object function = py::none()) : function_(std::move(function)) {}

  const std::atomic<bool>* interrupt() const { return &interrupt_; }

  /// For RunOptions::callback; empty without a function.
  Monitor::Callback callback();

  /// Runs `work` and returns when it has ended. Throws what it threw. The caller holds the GIL.
  void run(const std::function<void()>& work);

  /// After run(): a Python error ended the work.
  bool stopped() const { return error_.has_value(); }

  /// After run(): throws the Python error that ended the work, if there is one, with `result` as its attribute.
  void rethrow(const py::object& result = py::none());

 private:
  bool ask(const HistoryEntry& entry);
  void attend(const HistoryEntry* asked);  // in the calling thread: the callback if it is asked for, then signals

  py::object function_;
  std::atomic<bool> interrupt_{false};
  std::mutex mutex_;
  std::condition_variable changed_, answered_;
  bool done_ = false;
  bool go_on_ = true;
  const HistoryEntry* asked_ = nullptr;
  std::optional<py::error_already_set> error_;
};

/// One object serves one thread at a time. A second one gets an exception instead of a race.
class Turn {
 public:
  Turn(std::mutex& mutex, const char* what) : lock_(mutex, std::try_to_lock) {
    if (!lock_.owns_lock())
      throw std::runtime_error(std::string("this ") + what + " is at work in another thread; use one for each thread");
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace cornet::python
