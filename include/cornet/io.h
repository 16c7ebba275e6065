// Files. Formats: docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet {

/// An HDF5 attribute that this program does not interpret, kept so that a round trip loses nothing.
using AttributeValue =
    std::variant<int, std::int64_t, double, std::string, std::vector<int>, std::vector<std::int64_t>, std::vector<double>>;

/// How a file stores a text. A text without one is written as libfclib does: fixed length, null-terminated, no byte to spare.
struct TextLayout {
  enum class Padding { null_terminated, null_padded, space_padded };
  std::size_t length = 0;  ///< bytes, 0: variable length
  Padding padding = Padding::null_terminated;
  bool utf8 = false;
};

/// The whole content of an FCLIB file: one problem in one or both forms, guesses, a solution.
struct ProblemFile {
  std::optional<LocalProblem> local;
  std::optional<GlobalProblem> global;
  std::vector<Iterate> guesses;
  std::optional<Iterate> solution;
  std::map<std::string, std::map<std::string, AttributeValue>> attributes;  ///< object path ("/", "/fclib_local/info") → name → value
  std::map<std::string, TextLayout> text_layouts;  ///< string dataset ("/fclib_local/info/title") or attribute ("/solution@note") as read
  std::vector<std::string> warnings;               ///< things a user should know (digits lost in a text file, for example)
};

enum class Form { any, local, global };

/// Reads by content: HDF5 (FCLIB) or Siconos text. Every problem is validated. Throws IoError, InvalidProblem or MissingFeature; the
/// message names file, field, found and expected.
CORNET_API ProblemFile read_file(const std::string& path);

/// The problem of a file. Form::any prefers the global form when a file holds both. Throws InvalidProblem when the asked form is absent.
CORNET_API Problem take_problem(const ProblemFile& file, Form form = Form::any);

/// Shortcut for take_problem(read_file(path), form).
CORNET_API Problem read(const std::string& path, Form form = Form::any);

/// Writes FCLIB to a temporary name beside `path`, then renames it: no partial file is ever seen. Throws IoError.
CORNET_API void write_file(const std::string& path, const ProblemFile& file);

/// One problem with an optional answer.
CORNET_API void write(const std::string& path, const Problem& problem, const std::optional<Iterate>& solution = {});

}  // namespace cornet
