// A file driver for HDF5 that writes to an open descriptor and keeps the first error of the system for the caller.
//
// Why not HDF5's own driver: when a write fails (disk full), HDF5 1.10 cannot close the file any more and crashes at the end of the
// program. This driver tells HDF5 that all is well, drops what cannot be written, and the caller asks for the error in the end. The error
// number is the system's, and the file that results is the same.
#pragma once

#include <hdf5.h>

#include "io/hdf5.h"

namespace cornet::io {

/// Where the bytes go. Must outlive the file.
struct Sink {
  int descriptor = -1;
  int error = 0;  ///< errno of the first failure; nothing is written after it
};

/// A registered driver; unregisters itself.
class SinkDriver {
 public:
  SinkDriver();

  /// File access properties that send a new file to `sink`.
  Handle access(Sink& sink) const;

 private:
  Handle driver_;
};

}  // namespace cornet::io
