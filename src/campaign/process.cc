// One process per run.
#include "campaign/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "cornet/error.h"

namespace cornet::campaign {
namespace {

// Address space of this process, in bytes.
double address_space() {
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, double value) {
  rlimit both = {};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &both) != 0) return;
  const auto asked = static_cast<rlim_t>(value);
  both.rlim_cur = both.rlim_max == RLIM_INFINITY ? asked : std::min(asked, both.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// What a child does before its work. It must not hold the lock of the record file, outlive the campaign, hear Ctrl-C, or print.
void enter(const ProcessLimits& limits, int& file, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);
  for (int number : {SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
  const int silence = ::open("/dev/null", O_RDWR);
  for (int stream : {0, 1, 2}) ::dup2(silence, stream);
  ::dup2(file, 3);
  file = 3;
  ::syscall(SYS_close_range, 4U, ~0U, 0U);
  if (limits.memory > 0) limit(RLIMIT_AS, limits.memory * 1048576 + (limits.own_memory ? 0 : address_space()));
  limit(RLIMIT_CORE, 0);
  if (limits.cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(limits.cpu), &set);
    ::sched_setaffinity(0, sizeof set, &set);
  }
}

std::string content(int file) {
  std::string out;
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size <= 0) return out;
  out.resize(static_cast<std::size_t>(size));
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t count = ::pread(file, out.data() + have, out.size() - have, static_cast<off_t>(have));
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  out.resize(have);
  return out;
}

}  // namespace

Process::Process(const std::function<int(int file)>& body, const ProcessLimits& limits) : limits_(limits), start_(Clock::now()) {
  file_ = ::memfd_create("cornet-run", MFD_CLOEXEC);
  if (file_ < 0) throw IoError(fmt::format("no file in memory for a run ({})", std::generic_category().message(errno)));
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // or the child would print it again
  pid_ = ::fork();
  if (pid_ < 0) {
    const int reason = errno;
    ::close(file_);
    throw IoError(fmt::format("no process for a run ({})", std::generic_category().message(reason)));
  }
  if (pid_ == 0) {
    int file = file_;
    enter(limits, file, parent);
    int code = 1;
    try {
      code = body(file);
    } catch (...) {  // a run that fails is a record, whatever it throws
    }
    ::_exit(code);
  }
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U));
}

Process::~Process() {
  if (!ended_ && pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (pidfd_ >= 0) ::close(pidfd_);
  if (file_ >= 0) ::close(file_);
}

bool Process::poll() {
  if (ended_) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (time_left() > 0) return false;
    ending_.timed_out = true;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
  }
  ended_ = true;
  ending_.wall = since(start_);
  ending_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  ::kill(-pid_, SIGKILL);  // what a program outside may have left behind
  return true;
}

Ending Process::take() {
  ending_.output = content(file_);
  return std::move(ending_);
}

}  // namespace cornet::campaign
