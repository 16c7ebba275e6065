#include "io/isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "cornet/error.h"

namespace cornet::io {
namespace {

// What the child hands back: the bytes, a letter that says what they are, and a mark at the very end: they are complete.
enum Kind : char { kBytes = 'b', kIo = 'i', kInvalid = 'p', kMissing = 'm', kMemory = 'o', kOther = 'x' };
constexpr char kComplete = '.';

constexpr rlim_t kSeconds = 5;                // of the processor, and one more per MB
constexpr rlim_t kMemory0 = rlim_t{2} << 30;  // beyond what this process has
constexpr rlim_t kMemoryPerByte = 64;         // of the file
constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShadow = true;  // sanitizers reserve terabytes of addresses
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kShadow = true;
#else
constexpr bool kShadow = false;
#endif
#else
constexpr bool kShadow = false;
#endif

class Descriptor {
 public:
  explicit Descriptor(int id) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int id() const { return id_; }

 private:
  int id_;
};

std::string reason(int code) { return std::generic_category().message(code); }

rlim_t address_space() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;  // 0 when it cannot be read
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void lower(decltype(RLIMIT_CPU) what, rlim_t value) {
  rlimit limit = {};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, value);
  limit.rlim_max = std::min(limit.rlim_max, value + 1);
  ::setrlimit(what, &limit);
}

void confine(std::uint64_t file_bytes, rlim_t space, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  sigset_t fatal;
  sigemptyset(&fatal);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
    ::signal(number, SIG_DFL);  // not the handlers of the caller
    sigaddset(&fatal, number);
  }
  ::pthread_sigmask(SIG_UNBLOCK, &fatal, nullptr);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_CPU, kSeconds + file_bytes / kMegabyte);
  if (!kShadow) lower(RLIMIT_AS, space + kMemory0 + kMemoryPerByte * file_bytes);
  // The C library reports a corrupted heap in words.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

std::string answer(const std::function<std::string()>& work) {
  const auto said = [](Kind kind, std::string text) {
    text += static_cast<char>(kind);
    text += kComplete;
    return text;
  };
  try {
    return said(kBytes, work());
  } catch (const IoError& error) {
    return said(kIo, error.what());
  } catch (const InvalidProblem& error) {
    return said(kInvalid, error.what());
  } catch (const MissingFeature& error) {
    return said(kMissing, error.what());
  } catch (const std::bad_alloc&) {
    return said(kMemory, "");
  } catch (const std::length_error&) {
    return said(kMemory, "");
  } catch (const std::exception& error) {
    return said(kOther, error.what());
  }
}

[[noreturn]] void serve(int out, const std::function<std::string()>& work) {
  const std::string bytes = answer(work);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(out, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);
    done += static_cast<std::size_t>(count);
  }
  ::_exit(0);
}

// How the child ended, in words. It is unknown where the caller's program ignores or collects its children itself.
std::string wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    while (::kill(child, 0) == 0) ::usleep(1000);
    return "it ended early";
  }
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return number == SIGXCPU ? "it took too long" : fmt::format("it was ended by signal {} ({})", number, ::sigabbrev_np(number));
  }
  return "it ended early";
}

std::string content(int descriptor) {
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0) return {};
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

std::string run_isolated(const std::string& file, std::uint64_t file_bytes, const std::function<std::string()>& work) {
  const Descriptor pages(::memfd_create("cornet", MFD_CLOEXEC));
  if (pages.id() < 0) throw IoError(fmt::format("{}: cannot be read: no memory for its content ({})", file, reason(errno)));
  const rlim_t space = address_space();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw IoError(fmt::format("{}: cannot be read: no process to read it in ({})", file, reason(errno)));
  if (child == 0) {
    confine(file_bytes, space, parent);
    serve(pages.id(), work);
  }
  const std::string end = wait_for(child);
  std::string bytes = content(pages.id());
  if (bytes.size() < 2 || bytes.back() != kComplete)
    throw IoError(fmt::format("{}: found a damaged file on which the process that reads it failed ({}), expected a sound one", file, end));
  bytes.pop_back();
  const char kind = bytes.back();
  bytes.pop_back();
  switch (kind) {
    case kBytes: return bytes;
    case kInvalid: throw InvalidProblem(bytes);
    case kMissing: throw MissingFeature(bytes);
    case kMemory: throw IoError(fmt::format("{}: not enough memory to read the file", file));
    case kIo: throw IoError(bytes);
    default: throw IoError(fmt::format("{}: {}", file, bytes));
  }
}

}  // namespace cornet::io
