#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cornet/error.h"

namespace cornet::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const char* what, int code) {
  throw IoError(fmt::format("{}: {}: {}", file, what, std::generic_category().message(code)));
}

// The file behind links is replaced, never the link; devices and folders are never replaced.
std::string resolve(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw IoError(
        fmt::format("{}: found a {}, expected a regular file or nothing", path, fs::is_directory(status) ? "folder" : "special file"));
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  if (error) fail(path, "cannot follow the symbolic link", error.value());
  return target.string();
}

int sync_and_close(int descriptor) {
  int code = 0;
  // Some file systems cannot flush and say so with EINVAL; that is no loss of data.
  if (fsync(descriptor) != 0 && errno != EINVAL) code = errno;
  if (close(descriptor) != 0 && code == 0) code = errno;
  return code;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : shown_(path), target_(resolve(path)) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}.tmp-{}-{}", target_, getpid(), counter++);
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) fail(shown_, "cannot create the file", errno);
  }
  fail(shown_, "cannot create a temporary file beside it", EEXIST);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!committed_) unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  if (const int code = sync_and_close(std::exchange(descriptor_, -1))) fail(shown_, "cannot write the file", code);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(shown_, "cannot rename the temporary file", errno);
  committed_ = true;

  // The new name is on the disk only when its folder is. The file is complete already, so a failure here is not an error.
  const std::string folder = fs::path(target_).parent_path().string();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) sync_and_close(directory);
}

}  // namespace cornet::io
