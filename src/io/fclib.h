// FCLIB files (HDF5). The layout, with what libfclib 3.1 really does, is in docs/formats.md.
#pragma once

#include <string>
#include <vector>

#include "cornet/io.h"
#include "io/attributes.h"

namespace cornet::io {

/// What goes into a file, without copies. Null means absent.
struct FclibContent {
  const LocalProblem* local = nullptr;
  const GlobalProblem* global = nullptr;
  const std::vector<Iterate>* guesses = nullptr;
  const Iterate* solution = nullptr;
  const Attributes* attributes = nullptr;
  const TextLayouts* text_layouts = nullptr;
};

FclibContent content_of(const ProblemFile& file);

/// Throws InvalidProblem, with `file` and the path in the file in front, unless the problems are valid, both forms belong together and the
/// vectors of guesses and solution fit them.
void check_content(const std::string& file, const FclibContent& content);

/// Reads in a process of its own (isolated.h): HDF5 does not survive every damaged file.
ProblemFile read_fclib(const std::string& path);

/// Reads in this process: for files that HDF5 itself made.
ProblemFile read_fclib_here(const std::string& path);

/// Writes to an open, empty file; throws IoError with the system's reason. `shown` is the name for messages.
void write_fclib(int descriptor, const std::string& shown, const FclibContent& content);

}  // namespace cornet::io
