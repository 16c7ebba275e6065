// A file that appears complete or not at all: written under a temporary name in the same folder, flushed to the disk, then renamed.
#pragma once

#include <string>

namespace cornet::io {

class AtomicFile {
 public:
  /// Creates the temporary file. Throws IoError with the system's reason: folder absent, no permission, not a regular file.
  explicit AtomicFile(const std::string& path);
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The temporary file, open for reading and writing.
  int descriptor() const { return descriptor_; }

  /// Flushes, closes and renames; throws IoError.
  void commit();

 private:
  std::string shown_;   // as the caller wrote it, for messages
  std::string target_;  // behind symbolic links
  std::string temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace cornet::io
