#include "cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cornet/error.h"

namespace cornet::cli {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path))
    throw IoError(fmt::format("{}: cannot make this folder ({})", path, error ? error.message() : "not a folder"));
  if (::access(path.c_str(), W_OK) != 0) throw IoError(fmt::format("{}: found the folder not writable, expected a writable one", path));
}

}  // namespace cornet::cli
