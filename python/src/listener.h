// How a long computation stays open to Ctrl-C and to callbacks. It runs in the calling thread without the GIL.
//
// Ctrl-C: while the main thread computes, SIGINT has a handler of ours that raises the flag of the computation, wherever it is, and then
// calls Python's own. The computation ends soon, and KeyboardInterrupt leaves. This holds when SIGINT means KeyboardInterrupt, that is with
// Python's default handler. Other handlers of Python run between two iterations, looked for every 50 ms, and end the computation if they
// raise.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
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

  /// For RunOptions::callback.
  Monitor::Callback callback();

  /// Runs `work`. Throws what it threw. The caller holds the GIL.
  void run(const std::function<void()>& work);

  /// After run(): a Python error ended the work.
  bool stopped() const { return error_.has_value(); }

  /// After run(): throws the Python error that ended the work, if there is one, with `result` as its attribute.
  void rethrow(const py::object& result = py::none());

 private:
  bool attend(const HistoryEntry& entry);
  void check_signals();  // with the GIL

  py::object function_;
  std::atomic<bool> interrupt_{false};
  bool in_main_thread_ = false;
  double looked_ = 0;  // seconds, on the clock of the entries
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
