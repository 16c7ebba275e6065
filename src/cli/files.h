// Files and folders that commands write.
#pragma once

#include <string>

namespace cornet::cli {

/// Makes a folder, with those above it; throws IoError when it cannot be made or not be written to.
void make_folder(const std::string& path);

/// Keeps other processes of this program from writing to a file, which is made if it is not there, or into a folder, while it lives. Throws
/// IoError when one already does. Empty path: nothing.
class OutputLock {
 public:
  explicit OutputLock(const std::string& path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace cornet::cli
