#include "python/src/listener.h"

#include <chrono>
#include <exception>
#include <thread>

namespace cornet::python {

Monitor::Callback Listener::callback() {
  if (function_.is_none()) return {};
  return [this](const HistoryEntry& entry) { return ask(entry); };
}

bool Listener::ask(const HistoryEntry& entry) {
  std::unique_lock lock(mutex_);
  if (!go_on_) return false;
  asked_ = &entry;
  changed_.notify_one();
  answered_.wait(lock, [this] { return asked_ == nullptr; });
  return go_on_;
}

void Listener::attend(const HistoryEntry* asked) {
  bool go_on = go_on_;
  {
    const py::gil_scoped_acquire gil;
    try {
      if (asked && go_on) {
        const py::object answer = function_(asked->iteration, asked->time, asked->own_residual);
        go_on = answer.ptr() != Py_False;
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    } catch (py::error_already_set& error) {
      go_on = false;
      if (!error_) error_.emplace(error);
    }
  }
  const std::lock_guard lock(mutex_);
  if (!go_on) {
    go_on_ = false;
    interrupt_ = true;
  }
  if (asked) {
    asked_ = nullptr;
    answered_.notify_one();
  }
}

void Listener::run(const std::function<void()>& work) {
  done_ = false;
  go_on_ = true;
  interrupt_ = false;
  error_.reset();
  std::exception_ptr thrown;
  {
    const py::gil_scoped_release free;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_one();
    });
    std::unique_lock lock(mutex_);
    while (!done_) {
      changed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return done_ || asked_; });
      if (done_) break;
      const HistoryEntry* asked = asked_;
      lock.unlock();
      attend(asked);
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (thrown && !error_) std::rethrow_exception(thrown);
}

void Listener::rethrow(const py::object& result) {
  if (!error_) return;
  py::error_already_set error = *error_;
  error_.reset();
  if (!result.is_none() && error.value()) PyObject_SetAttrString(error.value().ptr(), "result", result.ptr());
  PyErr_Clear();
  throw error;
}

}  // namespace cornet::python
