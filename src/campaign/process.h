// One process per run: a fork of the campaign with the problem in memory, limits of its own, and a file in memory for what it has to say.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace cornet::campaign {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct ProcessLimits {
  double wall = 60;         ///< seconds until it is killed
  double memory = 0;        ///< MiB beyond what the campaign itself has; 0: no limit
  int cpu = -1;             ///< processor to stay on, −1: any
  bool own_memory = false;  ///< the process will exec another program: the limit is not beyond ours
};

/// How a process ended.
struct Ending {
  bool timed_out = false;
  int signal = 0;  ///< that ended it, 0: none
  int code = 0;    ///< exit code
  double wall = 0;
  std::string output;  ///< all that it wrote to its file
};

class Process {
 public:
  /// Runs `body(file)` in a child and ends it with the code that `body` returns. Throws IoError when there cannot be one.
  Process(const std::function<int(int file)>& body, const ProcessLimits& limits);
  /// Kills it, with what it has started, if it is still there.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int descriptor() const { return pidfd_; }  ///< becomes readable when the process has ended
  double time_left() const { return limits_.wall - since(start_); }

  /// True when it has ended; kills it when its time is over.
  bool poll();
  Ending take();  ///< after poll() was true

 private:
  ProcessLimits limits_;
  Clock::time_point start_;
  pid_t pid_ = -1;
  int pidfd_ = -1;
  int file_ = -1;
  bool ended_ = false;
  Ending ending_;
};

}  // namespace cornet::campaign
