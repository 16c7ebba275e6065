// The memory limit of a solve; the estimate itself is public (result.h).
#pragma once

#include "cornet/result.h"

namespace cornet {

/// Throws MemoryLimit when the estimate of solve(problem, options) is above options.memory_limit.
void check_memory(const Problem& problem, const RunOptions& options);

}  // namespace cornet
