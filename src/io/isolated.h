// Runs work on untrusted bytes in a child process: whatever happens to it, this process goes on.
//
// Why: HDF5 1.10 reads and writes out of bounds when the metadata of a file are wrong in the right way (tests/fuzz found such files
// within minutes), and a corrupted heap cannot be repaired. The child gets a copy of everything, reads, and hands back plain bytes that are
// checked like any other input. It has limits of time and memory, writes no core file and prints nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cornet::io {

/// The bytes that `work` returns, called in a child process. An Error that it throws is thrown here. Throws IoError, which names `file`,
/// when the child ends in any other way. `file_bytes` sets its limits.
std::string run_isolated(const std::string& file, std::uint64_t file_bytes, const std::function<std::string()>& work);

}  // namespace cornet::io
