// Import of the text files (.dat) of Siconos: FC2D, FC3D and their global forms.
#pragma once

#include <string>

#include "cornet/io.h"

namespace cornet::io {

/// Throws IoError (not such a file), InvalidProblem (bad numbers) or MissingFeature (rolling friction, SOCLCP).
ProblemFile read_siconos_text(const std::string& path);

}  // namespace cornet::io
