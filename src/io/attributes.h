// Texts and attributes of an HDF5 file, kept with the type that the file gives them.
#pragma once

#include <map>
#include <string>

#include "cornet/io.h"
#include "io/hdf5.h"

namespace cornet::io {

using Attributes = std::map<std::string, std::map<std::string, AttributeValue>>;
using TextLayouts = std::map<std::string, TextLayout>;

/// The text of a dataset; its layout goes to `layouts` under the path.
std::string read_text(const Hdf5File& file, const std::string& path, TextLayouts& layouts);

/// A scalar text dataset, in the layout recorded for the path when the text fits it.
void write_text(const Hdf5File& file, const std::string& path, const std::string& text, const TextLayouts& layouts);

/// All attributes of the object at `path`. One whose type AttributeValue cannot hold is left out with a warning.
void read_attributes(const Hdf5File& file, hid_t object, const std::string& path, ProblemFile& into);

/// The attributes of every object that exists in the file.
void write_attributes(const Hdf5File& file, const Attributes& attributes, const TextLayouts& layouts);

}  // namespace cornet::io
