// A thin, safe layer over the C interface of HDF5: handles that close themselves, errors as exceptions with file and path, and sizes that
// are checked against the file before memory is asked for. Nothing here knows FCLIB.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cornet/io.h"

namespace cornet::io {

/// Owns one HDF5 identifier.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  /// Closes now; false when HDF5 reports a failure (for a file: its last bytes could not be written).
  bool close() noexcept;
  explicit operator bool() const { return id_ >= 0; }
  hid_t id() const { return id_; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

/// HDF5 prints its error stack to stderr unless told not to; the library must be silent. Restores the caller's choice at the end.
class SilentErrors {
 public:
  SilentErrors();
  ~SilentErrors();
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost entry of the HDF5 error stack: the cause rather than the call that failed. To be asked right after the failure.
std::string hdf5_reason();

/// "FILE: PATH: found X, expected Y".
std::string place_message(const std::string& file, const std::string& path, const std::string& found, const std::string& expected);

enum class ObjectKind { nothing, group, dataset, other };

/// One child of a group.
struct Link {
  std::string name;
  bool hard = true;  ///< soft and external links are never followed: they may lead out of the file
};

/// An HDF5 file, open for reading or for writing. Paths are absolute ("/fclib_local/W/x").
class Hdf5File {
 public:
  static Hdf5File open(const std::string& path);
  /// A new file through the driver of `access` (hdf5_sink.h); `shown` is the name for messages.
  static Hdf5File create(const Handle& access, const std::string& shown);

  const std::string& name() const { return name_; }
  hid_t id() const { return file_.id(); }

  /// Throws IoError when a link exists but is soft or external. The parents of `path` must have been checked before.
  ObjectKind kind(const std::string& path) const;
  bool has_group(const std::string& path) const;
  bool has_dataset(const std::string& path) const;
  std::vector<Link> links(const std::string& group) const;

  /// Opens a group or a dataset; throws IoError.
  Handle open_object(const std::string& path) const;
  void create_group(const std::string& path) const;

  /// Writes everything out; throws IoError when that fails.
  void close();

  [[noreturn]] void fail(const std::string& path, const std::string& found, const std::string& expected) const;
  /// For failures inside HDF5: adds its reason.
  [[noreturn]] void fail_hdf5(const std::string& path, const std::string& what) const;

 private:
  std::string name_;
  Handle file_;
};

/// A dataset of numbers of rank 1 (rank 0 counts as one element), open for reading.
class NumberArray {
 public:
  NumberArray(const Hdf5File& file, std::string path);

  std::size_t size() const { return size_; }
  hid_t id() const { return dataset_.id(); }

  /// The first `count` elements. Wider integers are accepted when every value fits.
  std::vector<int> ints(std::size_t count) const;
  std::vector<double> doubles(std::size_t count) const;

  /// The only element.
  int single_int() const;
  double single_double() const;

 private:
  void check_class(H5T_class_t wanted, const char* expected) const;
  void check_stored(std::size_t element_bytes) const;
  void check_single() const;
  void read(hid_t memory_type, std::size_t count, void* target) const;
  std::vector<int> narrowed_ints(std::size_t count) const;

  const Hdf5File& file_;
  std::string path_;
  Handle dataset_;
  Handle space_;
  Handle type_;
  std::size_t size_ = 0;
};

/// Contiguous, uncompressed arrays, as libfclib writes them.
void write_ints(const Hdf5File& file, const std::string& path, const int* values, std::size_t count);
void write_doubles(const Hdf5File& file, const std::string& path, const double* values, std::size_t count);

}  // namespace cornet::io
