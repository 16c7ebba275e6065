// The append-only file of records: a line is written by one call and flushed to the disk; a line without its end is cut off when the file
// is opened again. A lock keeps two campaigns from writing to one file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cornet/campaign.h"
#include "cornet/error.h"

namespace cornet::campaign {

class NewerRecord : public IoError {
  using IoError::IoError;
};

/// Throws IoError (broken) or NewerRecord.
Record parse_line(std::string_view line, Detail detail);

/// Visits the complete lines of a file. A last line that is torn or that `visit` refuses is a warning, any other one throws IoError with
/// its number. Returns the bytes up to the end of the last good line.
long for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit, std::vector<std::string>& warnings);

class RecordFile {
 public:
  /// Opens for appending. Without `resume` a file that holds anything is an error. Throws IoError.
  RecordFile(const std::string& path, bool resume);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  const std::unordered_set<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// One write. Throws IoError.
  void append(const Record& record);
  /// Has a process of its own bring what was appended to the disk, at once but without waiting for it. Throws IoError when that failed.
  void sync();
  /// Waits until everything is on the disk. Throws IoError.
  void finish();

 private:
  void start_flusher();

  std::string path_;
  int file_ = -1;
  bool dirty_ = false;
  int flusher_ = -1;  // socket to the process that flushes
  int flusher_pid_ = -1;
  std::unordered_set<std::string> keys_;
  std::vector<std::string> warnings_;
};

}  // namespace cornet::campaign
