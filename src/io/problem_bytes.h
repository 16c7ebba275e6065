// The content of a problem file as plain bytes, from one process to another on the same machine.
#pragma once

#include <string>
#include <string_view>

#include "cornet/io.h"

namespace cornet::io {

std::string to_bytes(const ProblemFile& file);

/// Throws IoError when the bytes are not what to_bytes writes: they may come from a process whose memory was overwritten. The problems are
/// not validated.
ProblemFile from_bytes(std::string_view bytes);

}  // namespace cornet::io
