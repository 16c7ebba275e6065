#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cornet/error.h"

namespace cornet::cli {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path))
    throw IoError(fmt::format("{}: cannot make this folder ({})", path, error ? error.message() : "not a folder"));
  if (::access(path.c_str(), W_OK) != 0) throw IoError(fmt::format("{}: found the folder not writable, expected a writable one", path));
}

OutputLock::OutputLock(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool folder = std::filesystem::is_directory(status);
  if (!folder && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;  // /dev/null: nothing to protect
  descriptor_ = ::open(path.c_str(), folder ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw IoError(fmt::format("{}: cannot be written ({})", path, std::generic_category().message(errno)));
  // File systems without locks are used as they are.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw IoError(fmt::format("{}: another process of cornet is writing to this {}", path, folder ? "folder" : "file"));
}

OutputLock::~OutputLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace cornet::cli
