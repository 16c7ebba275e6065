// Files and folders that commands write.
#pragma once

#include <string>

namespace cornet::cli {

/// Makes a folder, with those above it; throws IoError when it cannot be made or not be written to.
void make_folder(const std::string& path);

}  // namespace cornet::cli
