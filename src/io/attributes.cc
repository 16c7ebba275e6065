#include "io/attributes.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <type_traits>

#include "cornet/error.h"

namespace cornet::io {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 26;  // 64 MiB: far above any description, far below a memory problem

TextLayout layout_of(hid_t type) {
  TextLayout layout;
  layout.length = H5Tis_variable_str(type) > 0 ? 0 : H5Tget_size(type);
  layout.utf8 = H5Tget_cset(type) == H5T_CSET_UTF8;
  switch (H5Tget_strpad(type)) {
    case H5T_STR_NULLPAD: layout.padding = TextLayout::Padding::null_padded; break;
    case H5T_STR_SPACEPAD: layout.padding = TextLayout::Padding::space_padded; break;
    default: break;
  }
  return layout;
}

Handle type_of(const TextLayout& layout) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), layout.length == 0 ? H5T_VARIABLE : layout.length);
  H5Tset_cset(type.id(), layout.utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
  const bool nulls = layout.padding == TextLayout::Padding::null_padded;
  const bool spaces = layout.padding == TextLayout::Padding::space_padded;
  H5Tset_strpad(type.id(), nulls ? H5T_STR_NULLPAD : spaces ? H5T_STR_SPACEPAD : H5T_STR_NULLTERM);
  return type;
}

std::string unpadded(std::string bytes, TextLayout::Padding padding) {
  if (padding == TextLayout::Padding::null_terminated) {
    bytes.resize(std::min(bytes.size(), std::strlen(bytes.c_str())));
  } else {
    const char filler = padding == TextLayout::Padding::null_padded ? '\0' : ' ';
    bytes.erase(bytes.find_last_not_of(filler) + 1);
  }
  return bytes;
}

// What a dataset and an attribute have in common: a type, a space and a way to read.
struct Source {
  Handle type;
  Handle space;
  herr_t (*read)(hid_t object, hid_t memory_type, void* target);
  hid_t object;
};

herr_t read_dataset(hid_t object, hid_t type, void* target) { return H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target); }
herr_t read_attribute(hid_t object, hid_t type, void* target) { return H5Aread(object, type, target); }

std::string text_of(const Hdf5File& file, const std::string& place, const Source& source, const TextLayout& layout) {
  if (layout.length > kMaxText) file.fail(place, fmt::format("a text of {} bytes", layout.length), fmt::format("at most {}", kMaxText));
  const Handle type = type_of(layout);
  if (layout.length == 0) {
    char* text = nullptr;
    if (source.read(source.object, type.id(), &text) < 0) file.fail_hdf5(place, "cannot read the text");
    std::string copy = text ? text : "";
    H5Dvlen_reclaim(type.id(), source.space.id(), H5P_DEFAULT, &text);
    return copy;
  }
  std::string bytes(layout.length, '\0');
  if (source.read(source.object, type.id(), bytes.data()) < 0) file.fail_hdf5(place, "cannot read the text");
  return unpadded(std::move(bytes), layout.padding);
}

// A text that has outgrown the layout of its file, or has none, is stored as libfclib stores it.
TextLayout layout_for(const std::string& key, const std::string& text, const TextLayouts& layouts) {
  const auto found = layouts.find(key);
  if (found != layouts.end() && (found->second.length == 0 || text.size() <= found->second.length)) return found->second;
  TextLayout layout;
  layout.length = text.size() + 1;
  layout.utf8 = found != layouts.end() && found->second.utf8;
  return layout;
}

// Calls `write(type, pointer to the bytes)`.
template <class Write>
void with_stored_text(const TextLayout& layout, const std::string& text, const Write& write) {
  const Handle type = type_of(layout);
  if (layout.length == 0) {
    const char* pointer = text.c_str();
    write(type.id(), static_cast<const void*>(&pointer));
    return;
  }
  std::string bytes = text;
  bytes.resize(layout.length, layout.padding == TextLayout::Padding::space_padded ? ' ' : '\0');
  write(type.id(), static_cast<const void*>(bytes.data()));
}

template <class Number>
void store(const Source& source, hid_t memory_type, bool scalar, std::size_t count, AttributeValue& value, herr_t& status) {
  std::vector<Number> numbers(count);
  status = count == 0 ? 0 : source.read(source.object, memory_type, numbers.data());
  if (scalar) value = numbers[0];
  else value = std::move(numbers);
}

// Empty when kept, else why not.
std::string keep_numbers(const Source& source, bool scalar, std::size_t count, AttributeValue& value) {
  const std::size_t bytes = H5Tget_size(source.type.id());
  herr_t status = 0;
  if (H5Tget_class(source.type.id()) == H5T_FLOAT) {
    if (bytes > sizeof(double)) return "its numbers are wider than 64 bits";
    store<double>(source, H5T_NATIVE_DOUBLE, scalar, count, value, status);
  } else {
    const bool is_signed = H5Tget_sign(source.type.id()) == H5T_SGN_2;
    if (bytes > 8 || (bytes == 8 && !is_signed)) return "its integers do not fit 64 bits with a sign";
    if (bytes < 4 || (bytes == 4 && is_signed)) store<int>(source, H5T_NATIVE_INT, scalar, count, value, status);
    else store<std::int64_t>(source, H5T_NATIVE_INT64, scalar, count, value, status);
  }
  return status < 0 ? hdf5_reason() : "";
}

void keep_attribute(const Hdf5File& file, hid_t object, const std::string& path, const std::string& name, ProblemFile& into) {
  const std::string place = path + "@" + name;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute) file.fail_hdf5(place, "cannot open the attribute");
  const Source source{Handle(H5Aget_type(attribute.id()), H5Tclose), Handle(H5Aget_space(attribute.id()), H5Sclose), read_attribute,
                      attribute.id()};
  const int rank = H5Sget_simple_extent_ndims(source.space.id());
  const hssize_t count = H5Sget_simple_extent_npoints(source.space.id());
  const bool scalar = rank == 0;
  const H5T_class_t type_class = H5Tget_class(source.type.id());

  std::string trouble;
  AttributeValue value;
  if (rank < 0 || rank > 1 || H5Sget_simple_extent_type(source.space.id()) == H5S_NULL) {
    trouble = "it is neither a scalar nor a one-dimensional array";
  } else if (static_cast<std::uint64_t>(count) > H5Aget_storage_size(attribute.id())) {
    trouble = "its size exceeds what is stored";
  } else if (type_class == H5T_STRING && scalar) {
    const TextLayout layout = layout_of(source.type.id());
    value = text_of(file, place, source, layout);
    into.text_layouts[place] = layout;
  } else if (type_class == H5T_INTEGER || type_class == H5T_FLOAT) {
    trouble = keep_numbers(source, scalar, static_cast<std::size_t>(count), value);
  } else {
    trouble = "its type is neither integer, floating point nor a single text";
  }
  if (trouble.empty()) into.attributes[path][name] = std::move(value);
  else into.warnings.push_back(fmt::format("{}: attribute {} is not kept: {}", file.name(), place, trouble));
}

std::vector<std::string> attribute_names(const Hdf5File& file, hid_t object, const std::string& path) {
  std::vector<std::string> names;
  // No exception may cross the C code of HDF5.
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
      return 0;
    } catch (const std::bad_alloc&) {
      return -1;
    }
  };
  hsize_t position = 0;
  if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, add, &names) < 0) file.fail_hdf5(path, "cannot list the attributes");
  return names;
}

void write_attribute(const Hdf5File& file, hid_t object, const std::string& place, const std::string& name, hid_t type, bool scalar,
                     std::size_t count, const void* data) {
  const hsize_t extent = count;
  const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute) file.fail_hdf5(place, "cannot create the attribute");
  if (count > 0 && H5Awrite(attribute.id(), type, data) < 0) file.fail_hdf5(place, "cannot write the attribute");
}

template <class Number>
hid_t native_type() {
  if constexpr (std::is_same_v<Number, int>) return H5T_NATIVE_INT;
  else if constexpr (std::is_same_v<Number, double>) return H5T_NATIVE_DOUBLE;
  else return H5T_NATIVE_INT64;
}

}  // namespace

std::string read_text(const Hdf5File& file, const std::string& path, TextLayouts& layouts) {
  const Handle dataset = file.open_object(path);
  const Source source{Handle(H5Dget_type(dataset.id()), H5Tclose), Handle(H5Dget_space(dataset.id()), H5Sclose), read_dataset,
                      dataset.id()};
  if (H5Tget_class(source.type.id()) != H5T_STRING) file.fail(path, "numbers", "a text");
  const hssize_t count = H5Sget_simple_extent_npoints(source.space.id());
  if (count != 1) file.fail(path, fmt::format("{} texts", count), "1");
  const TextLayout layout = layout_of(source.type.id());
  layouts[path] = layout;
  return text_of(file, path, source, layout);
}

void write_text(const Hdf5File& file, const std::string& path, const std::string& text, const TextLayouts& layouts) {
  with_stored_text(layout_for(path, text, layouts), text, [&](hid_t type, const void* bytes) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle dataset(H5Dcreate2(file.id(), path.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    if (!dataset) file.fail_hdf5(path, "cannot create the text");
    if (H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) file.fail_hdf5(path, "cannot write the text");
  });
}

void read_attributes(const Hdf5File& file, hid_t object, const std::string& path, ProblemFile& into) {
  for (const std::string& name : attribute_names(file, object, path)) keep_attribute(file, object, path, name, into);
}

void write_attributes(const Hdf5File& file, const Attributes& attributes, const TextLayouts& layouts) {
  for (const auto& [path, values] : attributes) {
    // An object may have been dropped since its attributes were read: a solution, one of two forms.
    if (path != "/" && H5Oexists_by_name(file.id(), path.c_str(), H5P_DEFAULT) <= 0) continue;
    const Handle object = file.open_object(path);
    for (const auto& [name, value] : values) {
      const std::string place = path + "@" + name;
      std::visit(
          [&, &name = name](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, std::string>) {
              with_stored_text(layout_for(place, x, layouts), x, [&](hid_t type, const void* bytes) {
                write_attribute(file, object.id(), place, name, type, true, 1, bytes);
              });
            } else if constexpr (std::is_arithmetic_v<T>) {
              write_attribute(file, object.id(), place, name, native_type<T>(), true, 1, &x);
            } else {
              write_attribute(file, object.id(), place, name, native_type<typename T::value_type>(), false, x.size(), x.data());
            }
          },
          value);
    }
  }
}

}  // namespace cornet::io
