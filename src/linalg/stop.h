// Ends a long computation in its middle. Factorisations and assemblies know no limits of time; they poll() now and then, and whoever runs them
// under limits (core/driver.cc) installs a StopGuard for its thread and catches Stopped. Without a guard nothing happens.
//
// What is stopped may be half done: the objects that were worked on must be thrown away or start afresh.
#pragma once

#include <functional>

namespace cornet {

/// No std::exception, so that nobody who handles errors takes it for one.
struct Stopped {};

/// While it lives, poll() of this thread asks `left` for the seconds that are left, 0 or less: stop now. Guards nest; the innermost one is asked.
class StopGuard {
 public:
  explicit StopGuard(std::function<double()> left);
  ~StopGuard();
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

 private:
  friend void poll(double work);
  friend void poll_before(double seconds);
  std::function<double()> left_;
  StopGuard* outer_;
};

/// To be called with the floating-point operations done since the last call, or so; throws Stopped when it is time to. Asks every some
/// million operations, that is every millisecond.
void poll(double work);

/// Before a part of about so many seconds that cannot be stopped: throws Stopped when less is left.
void poll_before(double seconds);

}  // namespace cornet
