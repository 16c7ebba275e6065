#include "python/src/listener.h"

#include <signal.h>

#include <exception>
#include <utility>

namespace cornet::python {
namespace {

constexpr double kLookEvery = 0.05;  // s

std::atomic<std::atomic<bool>*> raised_by_sigint{nullptr};
struct sigaction python_action;

extern "C" void on_sigint(int number) {
  if (std::atomic<bool>* flag = raised_by_sigint.load()) *flag = true;
  python_action.sa_handler(number);
}

bool is_ours(const struct sigaction& action) { return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == on_sigint; }

// Main thread only. Guards may be nested (a callback that solves): the innermost computation gets the flag.
class SigintGuard {
 public:
  explicit SigintGuard(std::atomic<bool>* flag) {
    struct sigaction now;
    sigaction(SIGINT, nullptr, &now);
    if (is_ours(now)) {
      outer_ = raised_by_sigint.exchange(flag);
      active_ = true;
      return;
    }
    const py::module_ signals = py::module_::import("signal");
    const bool raises = signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
    if (!raises || (now.sa_flags & SA_SIGINFO) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
    python_action = now;
    raised_by_sigint = flag;
    struct sigaction ours = now;
    ours.sa_handler = on_sigint;
    sigaction(SIGINT, &ours, nullptr);
    active_ = installed_ = true;
  }
  ~SigintGuard() {
    if (!active_) return;
    raised_by_sigint = outer_;
    if (!installed_) return;
    struct sigaction now;
    sigaction(SIGINT, nullptr, &now);
    if (is_ours(now)) sigaction(SIGINT, &python_action, nullptr);  // a callback may have changed it
  }
  SigintGuard(const SigintGuard&) = delete;
  SigintGuard& operator=(const SigintGuard&) = delete;

 private:
  std::atomic<bool>* outer_ = nullptr;
  bool active_ = false, installed_ = false;
};

bool this_is_the_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return py::cast<unsigned long>(threading.attr("main_thread")().attr("ident")) == PyThread_get_thread_ident();
}

}  // namespace

Monitor::Callback Listener::callback() {
  return [this](const HistoryEntry& entry) { return attend(entry); };
}

void Listener::check_signals() {
  if (PyErr_CheckSignals() == 0) return;
  py::error_already_set error;
  if (!error_) error_.emplace(error);
  interrupt_ = true;
}

bool Listener::attend(const HistoryEntry& entry) {
  if (interrupt_) return true;  // the monitor looks at it next
  const bool call = !function_.is_none();
  if (!call) {
    if (!in_main_thread_) return true;
    if (entry.time < looked_) looked_ = entry.time;  // a new run
    if (entry.time < looked_ + kLookEvery) return true;
    looked_ = entry.time;
  }
  const py::gil_scoped_acquire gil;
  if (call) {
    try {
      const py::object answer = function_(entry.iteration, entry.time, entry.own_residual);
      if (answer.ptr() == Py_False) interrupt_ = true;
    } catch (py::error_already_set& error) {
      error_.emplace(error);
      interrupt_ = true;
    }
  }
  if (!error_) check_signals();
  return !interrupt_;
}

void Listener::run(const std::function<void()>& work) {
  interrupt_ = false;
  looked_ = 0;
  error_.reset();
  in_main_thread_ = this_is_the_main_thread();
  std::exception_ptr thrown;
  {
    std::optional<SigintGuard> guard;
    if (in_main_thread_) guard.emplace(&interrupt_);
    const py::gil_scoped_release free;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (!error_) check_signals();
  if (thrown && !error_) std::rethrow_exception(thrown);
}

void Listener::rethrow(const py::object& result) {
  if (!error_) return;
  py::error_already_set error = *error_;
  error_.reset();
  if (!result.is_none() && PyObject_SetAttrString(error.value().ptr(), "result", result.ptr()) != 0) PyErr_Clear();
  throw py::error_already_set(std::move(error));
}

}  // namespace cornet::python
