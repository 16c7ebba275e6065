// HDF5 files seen and changed without the code under test: a full description of a file to compare, and an editor to break one.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cornet::test {

/// Dataset, group or "object@attribute" → type, shape and the very bytes.
using Description = std::map<std::string, std::string>;

inline std::string describe_type(hid_t type) {
  const H5T_class_t type_class = H5Tget_class(type);
  std::string text = fmt::format("class {} size {}", static_cast<int>(type_class), H5Tget_size(type));
  if (type_class == H5T_INTEGER) text += fmt::format(" sign {}", static_cast<int>(H5Tget_sign(type)));
  if (type_class == H5T_INTEGER || type_class == H5T_FLOAT) text += fmt::format(" order {}", static_cast<int>(H5Tget_order(type)));
  if (type_class == H5T_STRING)
    text += fmt::format(" variable {} pad {} set {}", H5Tis_variable_str(type) > 0, static_cast<int>(H5Tget_strpad(type)),
                        static_cast<int>(H5Tget_cset(type)));
  return text;
}

/// `read(type, target)` reads with the type of the file, so nothing is converted.
template <class Read>
std::string describe_values(hid_t type, hid_t space, const Read& read) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  std::string text = fmt::format("{} | rank {}", describe_type(type), extents.size());
  for (const hsize_t extent : extents) text += fmt::format(" [{}]", extent);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  text += " | ";
  if (count == 0) return text;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
    char* value = nullptr;
    EXPECT_GE(read(type, &value), 0);
    text += value;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &value);
    return text;
  }
  std::string bytes(count * H5Tget_size(type), '\0');
  EXPECT_GE(read(type, bytes.data()), 0);
  return text + bytes;
}

inline herr_t describe_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) {
  auto* sink = static_cast<std::pair<Description*, std::string>*>(data);
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  const hid_t space = H5Aget_space(attribute);
  (*sink->first)[sink->second + "@" + name] =
      describe_values(type, space, [&](hid_t memory, void* target) { return H5Aread(attribute, memory, target); });
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return 0;
}

inline void describe_object(hid_t file, const std::string& path, Description& into);

inline herr_t describe_link(hid_t group, const char* name, const H5L_info_t*, void* data) {
  auto* sink = static_cast<std::pair<Description*, std::string>*>(data);
  describe_object(group, sink->second + "/" + name, *sink->first);
  return 0;
}

inline void describe_object(hid_t parent, const std::string& path, Description& into) {
  const hid_t object = H5Oopen(parent, path.empty() ? "/" : path.c_str(), H5P_DEFAULT);
  std::pair<Description*, std::string> sink = {&into, path};
  if (H5Iget_type(object) == H5I_DATASET) {
    const hid_t type = H5Dget_type(object);
    const hid_t space = H5Dget_space(object);
    into[path] = describe_values(
        type, space, [&](hid_t memory, void* target) { return H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target); });
    H5Sclose(space);
    H5Tclose(type);
  } else {
    into[path] = "group";
    hsize_t position = 0;
    H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, &position, describe_link, &sink);
  }
  hsize_t position = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, describe_attribute, &sink);
  H5Oclose(object);
}

inline Description describe(const std::string& path) {
  Description description;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(file, 0) << path;
  describe_object(file, "", description);
  H5Fclose(file);
  return description;
}

/// Empty when the files are equal in every object, type, shape, value and attribute.
inline std::string first_difference(const std::string& left, const std::string& right) {
  const Description a = describe(left);
  const Description b = describe(right);
  for (const auto& [path, text] : a) {
    const auto found = b.find(path);
    if (found == b.end()) return path + " is missing in " + right;
    if (found->second == text) continue;
    return fmt::format("{}: «{}» against «{}»", path, text.substr(0, 120), found->second.substr(0, 120));
  }
  for (const auto& [path, text] : b)
    if (!a.contains(path)) return path + " is missing in " + left;
  return "";
}

/// Changes one thing in a file.
class Editor {
 public:
  explicit Editor(const std::string& path) {
    const bool exists = std::filesystem::exists(path);
    file_ = exists ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT) : H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  }
  ~Editor() { H5Fclose(file_); }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  hid_t id() const { return file_; }
  void remove(const std::string& path) const { H5Ldelete(file_, path.c_str(), H5P_DEFAULT); }
  void group(const std::string& path) const { H5Gclose(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  void ints(const std::string& path, const std::vector<int>& values) const {
    array(path, H5T_STD_I32LE, H5T_NATIVE_INT, {values.size()}, values.data());
  }
  void doubles(const std::string& path, const std::vector<double>& values) const {
    array(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
  }
  /// Replaces a dataset. Without values, none are written.
  void array(const std::string& path, hid_t type, hid_t memory, const std::vector<hsize_t>& extents, const void* values,
             hid_t plist = H5P_DEFAULT) const {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ASSERT_GE(dataset, 0) << path;
    if (values) H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
  }
  /// An attribute of any type; rank 0 when `extents` is empty.
  void attribute(const std::string& object, const std::string& name, hid_t type, const std::vector<hsize_t>& extents,
                 const void* value) const {
    const hid_t space =
        extents.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t id = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(id, 0) << object << "@" << name;
    H5Awrite(id, type, value);
    H5Aclose(id);
    H5Sclose(space);
  }

 private:
  hid_t file_ = -1;
};

}  // namespace cornet::test
