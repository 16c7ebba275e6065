#include "io/hdf5.h"

#include <fmt/format.h>

#include <limits>
#include <new>

#include "cornet/error.h"

namespace cornet::io {
namespace {

// Deflate reaches at most 1032 : 1; a dataset that claims more has extents that its stored bytes cannot fill.
constexpr std::uint64_t kMaxCompression = 2000;

herr_t take_first(unsigned, const H5E_error2_t* error, void* data) {
  auto* reason = static_cast<std::string*>(data);
  if (reason->empty() && error->desc) *reason = error->desc;
  return 0;
}

const char* class_name(H5T_class_t type_class) {
  switch (type_class) {
    case H5T_INTEGER: return "integers";
    case H5T_FLOAT: return "floating-point numbers";
    case H5T_STRING: return "a text";
    default: return "another type";
  }
}

void write_array(const Hdf5File& file, const std::string& path, hid_t type, const void* values, std::size_t count) {
  const hsize_t extent = count;
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Handle dataset(H5Dcreate2(file.id(), path.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (!dataset) file.fail_hdf5(path, "cannot create the dataset");
  if (count > 0 && H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    file.fail_hdf5(path, "cannot write the dataset");
}

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
    closer_ = other.closer_;
  }
  return *this;
}

bool Handle::close() noexcept {
  if (id_ < 0) return true;
  return closer_(std::exchange(id_, -1)) >= 0;
}

SilentErrors::SilentErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilentErrors::~SilentErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  return reason.empty() ? "no reason given" : reason;
}

std::string place_message(const std::string& file, const std::string& path, const std::string& found, const std::string& expected) {
  return fmt::format("{}: {}: found {}, expected {}", file, path, found, expected);
}

Hdf5File Hdf5File::open(const std::string& path) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  Hdf5File file;
  file.name_ = path;
  file.file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file.file_) throw IoError(fmt::format("{}: found a damaged HDF5 file ({}), expected a complete one", path, hdf5_reason()));
  return file;
}

Hdf5File Hdf5File::create(const Handle& access, const std::string& shown) {
  Hdf5File file;
  file.name_ = shown;
  if (access) file.file_ = Handle(H5Fcreate(shown.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (!file.file_) throw IoError(fmt::format("{}: cannot create the file: {}", shown, hdf5_reason()));
  return file;
}

ObjectKind Hdf5File::kind(const std::string& path) const {
  if (H5Lexists(id(), path.c_str(), H5P_DEFAULT) <= 0) return ObjectKind::nothing;
  H5L_info_t info;
  if (H5Lget_info(id(), path.c_str(), &info, H5P_DEFAULT) < 0) fail_hdf5(path, "cannot read the link");
  if (info.type != H5L_TYPE_HARD) fail(path, "a soft or external link", "an object in this file");
  const Handle object = open_object(path);
  switch (H5Iget_type(object.id())) {
    case H5I_GROUP: return ObjectKind::group;
    case H5I_DATASET: return ObjectKind::dataset;
    default: return ObjectKind::other;
  }
}

bool Hdf5File::has_group(const std::string& path) const {
  const ObjectKind found = kind(path);
  if (found != ObjectKind::nothing && found != ObjectKind::group) fail(path, "an object that is not a group", "a group");
  return found == ObjectKind::group;
}

bool Hdf5File::has_dataset(const std::string& path) const {
  const ObjectKind found = kind(path);
  if (found != ObjectKind::nothing && found != ObjectKind::dataset) fail(path, "an object that is not a dataset", "a dataset");
  return found == ObjectKind::dataset;
}

std::vector<Link> Hdf5File::links(const std::string& group) const {
  struct Sink {
    std::vector<Link> links;
    bool out_of_memory = false;
  } sink;
  // No exception may cross the C code of HDF5.
  const auto add = [](hid_t, const char* link, const H5L_info_t* info, void* data) -> herr_t {
    auto* target = static_cast<Sink*>(data);
    try {
      target->links.push_back({link, info->type == H5L_TYPE_HARD});
      return 0;
    } catch (const std::bad_alloc&) {
      target->out_of_memory = true;
      return -1;
    }
  };
  const Handle object = open_object(group);
  hsize_t position = 0;
  const herr_t status = H5Literate(object.id(), H5_INDEX_NAME, H5_ITER_INC, &position, add, &sink);
  if (sink.out_of_memory) throw std::bad_alloc();
  if (status < 0) fail_hdf5(group, "cannot list the group");
  return std::move(sink.links);
}

Handle Hdf5File::open_object(const std::string& path) const {
  Handle object(H5Oopen(id(), path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object) fail_hdf5(path, "cannot open the object");
  return object;
}

void Hdf5File::create_group(const std::string& path) const {
  const Handle group(H5Gcreate2(id(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group) fail_hdf5(path, "cannot create the group");
}

void Hdf5File::close() {
  if (!file_.close()) throw IoError(fmt::format("{}: cannot close the file: {}", name_, hdf5_reason()));
}

void Hdf5File::fail(const std::string& path, const std::string& found, const std::string& expected) const {
  throw IoError(place_message(name_, path, found, expected));
}

void Hdf5File::fail_hdf5(const std::string& path, const std::string& what) const {
  throw IoError(fmt::format("{}: {}: {}: {}", name_, path, what, hdf5_reason()));
}

NumberArray::NumberArray(const Hdf5File& file, std::string path) : file_(file), path_(std::move(path)) {
  if (!file_.has_dataset(path_)) file_.fail(path_, "nothing", "a dataset");
  dataset_ = file_.open_object(path_);
  space_ = Handle(H5Dget_space(dataset_.id()), H5Sclose);
  type_ = Handle(H5Dget_type(dataset_.id()), H5Tclose);
  if (!space_ || !type_) file_.fail_hdf5(path_, "cannot read the description of the dataset");

  const int rank = H5Sget_simple_extent_ndims(space_.id());
  if (rank < 0 || rank > 1 || H5Sget_simple_extent_type(space_.id()) == H5S_NULL)
    file_.fail(path_, rank > 1 ? fmt::format("an array of rank {}", rank) : "an empty dataspace", "an array of rank 1");
  const hssize_t count = H5Sget_simple_extent_npoints(space_.id());
  if (count < 0) file_.fail_hdf5(path_, "cannot read the size of the dataset");
  if (count > std::numeric_limits<int>::max())
    file_.fail(path_, fmt::format("{} elements", count), fmt::format("at most {}", std::numeric_limits<int>::max()));
  size_ = static_cast<std::size_t>(count);
  check_stored(H5Tget_size(type_.id()));
}

// The extents of a dataset are a claim; the bytes stored for it are not. Memory is asked for only when the two agree.
void NumberArray::check_stored(std::size_t element_bytes) const {
  const Handle plist(H5Dget_create_plist(dataset_.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(plist.id());
  if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(plist.id()) > 0))
    file_.fail(path_, "data kept in other files", "data in this file");
  if (layout == H5D_COMPACT || size_ == 0) return;
  const std::uint64_t claimed = static_cast<std::uint64_t>(size_) * element_bytes;
  const std::uint64_t stored = H5Dget_storage_size(dataset_.id());
  hsize_t file_bytes = 0;
  H5Fget_filesize(file_.id(), &file_bytes);
  const std::uint64_t factor = layout == H5D_CHUNKED && H5Pget_nfilters(plist.id()) > 0 ? kMaxCompression : 1;
  if (stored > file_bytes || claimed > stored * factor)
    file_.fail(path_, fmt::format("{} elements but {} stored bytes in a file of {} bytes", size_, stored, file_bytes),
               fmt::format("data for all elements ({} bytes)", claimed));
}

void NumberArray::check_class(H5T_class_t wanted, const char* expected) const {
  const H5T_class_t found = H5Tget_class(type_.id());
  if (found != wanted) file_.fail(path_, class_name(found), expected);
}

void NumberArray::check_single() const {
  if (size_ != 1) file_.fail(path_, fmt::format("{} elements", size_), "1");
}

void NumberArray::read(hid_t memory_type, std::size_t count, void* target) const {
  if (count == 0) return;
  herr_t status = -1;
  if (count == size_) {
    status = H5Dread(dataset_.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
  } else {
    const hsize_t start = 0;
    const hsize_t length = count;
    const Handle selection(H5Scopy(space_.id()), H5Sclose);
    const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(selection.id(), H5S_SELECT_SET, &start, nullptr, &length, nullptr) >= 0)
      status = H5Dread(dataset_.id(), memory_type, memory.id(), selection.id(), H5P_DEFAULT, target);
  }
  if (status < 0) file_.fail_hdf5(path_, "cannot read the data");
}

std::vector<int> NumberArray::ints(std::size_t count) const {
  check_class(H5T_INTEGER, "32-bit integers");
  const std::size_t bytes = H5Tget_size(type_.id());
  const bool is_signed = H5Tget_sign(type_.id()) == H5T_SGN_2;
  // HDF5 would clip what does not fit, silently.
  if (bytes > sizeof(int) || (bytes == sizeof(int) && !is_signed)) return narrowed_ints(count);
  std::vector<int> values(count);
  read(H5T_NATIVE_INT, count, values.data());
  return values;
}

std::vector<int> NumberArray::narrowed_ints(std::size_t count) const {
  std::vector<std::int64_t> wide(count);
  read(H5T_NATIVE_INT64, count, wide.data());
  std::vector<int> values(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (wide[k] < std::numeric_limits<int>::min() || wide[k] > std::numeric_limits<int>::max())
      file_.fail(fmt::format("{}[{}]", path_, k), fmt::format("{}", wide[k]), "a number that fits 32 bits");
    values[k] = static_cast<int>(wide[k]);
  }
  return values;
}

std::vector<double> NumberArray::doubles(std::size_t count) const {
  check_class(H5T_FLOAT, "floating-point numbers");
  if (H5Tget_size(type_.id()) > sizeof(double)) file_.fail(path_, "numbers wider than 64 bits", "64-bit floating-point numbers");
  std::vector<double> values(count);
  read(H5T_NATIVE_DOUBLE, count, values.data());
  return values;
}

int NumberArray::single_int() const {
  check_single();
  return ints(1)[0];
}

double NumberArray::single_double() const {
  check_single();
  return doubles(1)[0];
}

void write_ints(const Hdf5File& file, const std::string& path, const int* values, std::size_t count) {
  write_array(file, path, H5T_NATIVE_INT, values, count);
}

void write_doubles(const Hdf5File& file, const std::string& path, const double* values, std::size_t count) {
  write_array(file, path, H5T_NATIVE_DOUBLE, values, count);
}

}  // namespace cornet::io
