// What every fuzz target shares. A target takes bytes, gives them to a reader as a file and checks how the reader answers:
// it returns, or it throws cornet::Error whose text is one line. Any other end (another exception, a signal, a sanitizer's report, too much
// memory or time) is a finding. The targets run under libFuzzer (libfuzzer.cc) and, over the kept files, in unit.fuzz_corpus.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cornet::fuzz {

struct Target {
  const char* name;                     ///< also the folder of its seeds in tests/fuzz/corpus and of its findings in tests/fuzz/regressions
  bool (*run)(std::string_view bytes);  ///< whether the reader took the file
};

bool run_fclib(std::string_view bytes);        ///< the bytes are an FCLIB file
bool run_fclib_edits(std::string_view bytes);  ///< the bytes are changes, made through HDF5, of a good FCLIB file
bool run_siconos(std::string_view bytes);
bool run_scene(std::string_view bytes);
bool run_spec(std::string_view bytes);
bool run_records(std::string_view bytes);
bool run_trajectory(std::string_view bytes);
bool run_gmsh(std::string_view bytes);

inline constexpr Target kTargets[] = {
    {"fclib", run_fclib}, {"fclib_edits", run_fclib_edits}, {"siconos", run_siconos},       {"scene", run_scene},
    {"spec", run_spec},   {"records", run_records},         {"trajectory", run_trajectory}, {"gmsh", run_gmsh},
};

/// A file in memory (where /dev/shm is there); gone with the object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  std::string bytes() const;

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// Runs a reader. True when it returned, false when it refused with an Error whose text starts with `start` and is one printable line of
/// bounded length; throws std::logic_error when the text is not that.
bool accepts(const std::string& start, const std::function<void()>& read);

/// Throws std::logic_error.
void require(bool good, const char* what);

}  // namespace cornet::fuzz
