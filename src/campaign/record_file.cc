// The append-only file of records.
#include "campaign/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace cornet::campaign {

RecordFile::RecordFile(const std::string& path, bool resume) : path_(path) {
  file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw IoError(fmt::format("{}: cannot be written ({})", path, std::generic_category().message(errno)));
  try {
    struct stat info = {};
    ::fstat(file_, &info);
    if (!S_ISREG(info.st_mode)) throw IoError(fmt::format("{}: found no regular file, expected one to append records to", path));
    // The last processes of a campaign that was killed a moment ago may still hold it.
    int tries = 0;
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (++tries > 20) throw IoError(fmt::format("{}: another campaign is writing to this file", path));
      ::usleep(100000);
    }
    ::fstat(file_, &info);
    if (!resume && info.st_size > 0)
      throw IoError(fmt::format("{}: found a file with records; --resume goes on with it, another name starts afresh", path));
    const long good = for_each_line(
        path, [&](std::string_view line) { keys_.insert(parse_line(line, Detail::measures).key); }, warnings_);
    if (good < info.st_size && ::ftruncate(file_, good) != 0)
      throw IoError(fmt::format("{}: the torn last line cannot be cut off ({})", path, std::generic_category().message(errno)));
  } catch (...) {
    ::close(file_);
    throw;
  }
  // The name of a new file is on the disk only when its folder is.
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

RecordFile::~RecordFile() {
  if (flusher_ >= 0) {
    ::close(flusher_);
    ::waitpid(flusher_pid_, nullptr, 0);
  }
  ::close(file_);
}

void RecordFile::append(const Record& record) {
  const std::string line = to_line(record) + "\n";
  const ssize_t written = ::write(file_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    throw IoError(
        fmt::format("{}: cannot be written ({})", path_, written < 0 ? std::generic_category().message(errno) : "the disk is full"));
  keys_.insert(record.key);
  dirty_ = true;
}

// A disk takes milliseconds, a run often less: the campaign must not wait for it.
void RecordFile::start_flusher() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw IoError(fmt::format("{}: cannot be flushed to the disk ({})", path_, std::generic_category().message(errno)));
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  flusher_pid_ = ::fork();
  if (flusher_pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // Ctrl-C is not for it
    ::close(ends[0]);
    char bytes[256];
    while (::read(ends[1], bytes, sizeof bytes) > 0)
      if (::fdatasync(file_) != 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(ends[1]);
  flusher_ = ends[0];
  if (flusher_pid_ < 0) throw IoError(fmt::format("{}: no process to flush it ({})", path_, std::generic_category().message(errno)));
}

void RecordFile::sync() {
  if (!dirty_) return;
  if (flusher_ < 0) start_flusher();
  if (::send(flusher_, "s", 1, MSG_NOSIGNAL) != 1) throw IoError(fmt::format("{}: cannot be flushed to the disk", path_));
  dirty_ = false;
}

void RecordFile::finish() {
  if (::fdatasync(file_) != 0)
    throw IoError(fmt::format("{}: cannot be flushed to the disk ({})", path_, std::generic_category().message(errno)));
  dirty_ = false;
}

}  // namespace cornet::campaign
