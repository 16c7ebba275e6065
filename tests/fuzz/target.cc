#include "fuzz/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "cornet/error.h"

namespace cornet::fuzz {
namespace {

constexpr std::size_t kLongestMessage = 1000;

bool printable(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  return true;
}

}  // namespace

// A file without a name (memfd) will not do: HDF5 looks up where a file really is.
MemoryFile::MemoryFile(std::string_view bytes)
    : path_((std::filesystem::exists("/dev/shm") ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string()) +
            "/cornet-fuzz-XXXXXX") {
  descriptor_ = ::mkstemp(path_.data());
  while (descriptor_ >= 0 && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (descriptor_ < 0 || !bytes.empty()) throw std::runtime_error("no file in memory could be made");
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

std::string MemoryFile::bytes() const {
  struct stat info = {};
  require(::fstat(descriptor_, &info) == 0, "the file in memory has no size");
  std::string out(static_cast<std::size_t>(info.st_size), '\0');
  require(::pread(descriptor_, out.data(), out.size(), 0) == info.st_size, "the file in memory cannot be read");
  return out;
}

bool accepts(const std::string& start, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view text = error.what();
    if (!text.starts_with(start)) throw std::logic_error("a message that does not name its file: " + std::string(text));
    if (!printable(text)) throw std::logic_error("a message that is not one printable line: " + std::string(text));
    if (text.size() > start.size() + kLongestMessage) throw std::logic_error("a message of " + std::to_string(text.size()) + " bytes");
    return false;
  }
}

void require(bool good, const char* what) {
  if (!good) throw std::logic_error(what);
}

}  // namespace cornet::fuzz
