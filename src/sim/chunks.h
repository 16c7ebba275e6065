// The chunks of a record: tag (4 letters), length of the content (8 bytes), content, CRC-32 of tag and content (4 bytes), after the 8 letters
// "CORNETR1".
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace cornet::sim {

inline constexpr char kRecordMagic[] = "CORNETR1";

/// A whole chunk; the tag has 4 letters.
std::string chunk(const std::string& tag, const std::string& content);

/// The chunks of a file, one after the other; stops at the first one that is not whole.
class Chunks {
 public:
  /// Throws IoError: not readable, no record.
  explicit Chunks(const std::string& path);

  bool next(std::string& tag, std::string& content);
  std::uint64_t position() const { return at_; }  ///< behind the last whole chunk
  bool whole() const { return at_ == end_; }

 private:
  std::ifstream in_;
  std::uint64_t at_ = 0, end_ = 0;
};

/// From what a run goes on.
struct RecordedState {
  std::string scene;
  std::string bytes;      ///< for load(), checkpoint.h
  std::uint64_t end = 0;  ///< behind its chunk
};

/// The last state of a record. Throws IoError when there is none.
RecordedState last_state(const std::string& path);

}  // namespace cornet::sim
