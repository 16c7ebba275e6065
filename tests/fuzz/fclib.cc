// FCLIB files as bytes. What is read must be written and read again without a change.
#include "fuzz/fclib_check.h"
#include "fuzz/target.h"

namespace cornet::fuzz {

void run_fclib(std::string_view bytes) {
  if (!bytes.starts_with("\x89HDF")) return;  // that is siconos.cc
  const MemoryFile file(bytes);
  check_fclib(file.path());
}

}  // namespace cornet::fuzz
