// FCLIB files as bytes, through the public reader: HDF5, which does not survive all of them, runs in a process of its own. What is read
// must be written and read again without a change.
#include "fuzz/fclib_check.h"
#include "fuzz/target.h"

namespace cornet::fuzz {

bool run_fclib(std::string_view bytes) {
  if (!bytes.starts_with("\x89HDF")) return false;  // that is siconos.cc
  const MemoryFile file(bytes);
  return check_fclib(file.path(), read_file);
}

}  // namespace cornet::fuzz
