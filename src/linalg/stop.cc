#include "linalg/stop.h"

#include <utility>

namespace cornet {
namespace {

constexpr double kEvery = 4e6;  // operations between two questions

thread_local StopGuard* innermost = nullptr;
thread_local double done = 0;

}  // namespace

StopGuard::StopGuard(std::function<double()> left) : left_(std::move(left)), outer_(innermost) { innermost = this; }
StopGuard::~StopGuard() { innermost = outer_; }

void poll(double work) {
  if (!innermost || (done += work) < kEvery) return;
  done = 0;
  if (!(innermost->left_() > 0)) throw Stopped{};
}

void poll_before(double seconds) {
  if (innermost && !(innermost->left_() > seconds)) throw Stopped{};
}

}  // namespace cornet
