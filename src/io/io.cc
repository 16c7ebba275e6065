// The public functions of cornet/io.h: which format a file has, and who reads or writes it.
#include "cornet/io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>

#include "cornet/error.h"
#include "io/atomic_file.h"
#include "io/fclib.h"
#include "io/siconos_text.h"

namespace cornet {
namespace {

// HDF5 hides the reason why a file cannot be opened; the system tells it.
void require_readable(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  // Before opening: a pipe would block.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw IoError(
        fmt::format("{}: found a {}, expected a regular file", path, std::filesystem::is_directory(status) ? "folder" : "special file"));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw IoError(fmt::format("{}: cannot open the file: {}", path, std::generic_category().message(errno)));
  close(descriptor);
  if (std::filesystem::file_size(path, error) == 0)
    throw IoError(fmt::format("{}: found an empty file, expected FCLIB or Siconos text", path));
}

bool is_hdf5(const std::string& path) {
  const io::SilentErrors silent;
  return H5Fis_hdf5(path.c_str()) > 0;
}

// HDF5 is usually built without locks of its own, and a process that is forked to read must not find it in the middle of something.
std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

ProblemFile read_by_content(const std::string& path) {
  require_readable(path);
  const std::lock_guard lock(hdf5_lock());
  return is_hdf5(path) ? io::read_fclib(path) : io::read_siconos_text(path);
}

void write_content(const std::string& path, const io::FclibContent& content) {
  io::check_content(path, content);
  const std::lock_guard lock(hdf5_lock());
  io::AtomicFile file(path);
  io::write_fclib(file.descriptor(), path, content);
  file.commit();
}

// File is ProblemFile, const or to be moved from.
template <class File>
Problem pick(File&& file, Form form, const std::string& where) {
  const bool wants_global = form == Form::global || (form == Form::any && file.global);
  if (wants_global && file.global) return *std::forward<File>(file).global;
  if (!wants_global && file.local) return *std::forward<File>(file).local;
  if (!file.local && !file.global) throw InvalidProblem(where + "found no problem, expected a local or a global one");
  throw InvalidProblem(fmt::format("{}found the {} form only, expected the {} form", where, file.local ? "local" : "global",
                                   wants_global ? "global" : "local"));
}

}  // namespace

ProblemFile read_file(const std::string& path) {
  try {
    return read_by_content(path);
  } catch (const std::bad_alloc&) {
    throw IoError(fmt::format("{}: not enough memory to read the file", path));
  } catch (const std::length_error&) {
    throw IoError(fmt::format("{}: not enough memory to read the file", path));
  }
}

Problem take_problem(const ProblemFile& file, Form form) { return pick(file, form, ""); }

Problem read(const std::string& path, Form form) { return pick(read_file(path), form, path + ": "); }

void write_file(const std::string& path, const ProblemFile& file) { write_content(path, io::content_of(file)); }

void write(const std::string& path, const Problem& problem, const std::optional<Iterate>& solution) {
  io::FclibContent content;
  content.local = std::get_if<LocalProblem>(&problem);
  content.global = std::get_if<GlobalProblem>(&problem);
  if (solution) content.solution = &*solution;
  write_content(path, content);
}

}  // namespace cornet
