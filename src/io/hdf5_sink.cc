#include "io/hdf5_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // where newer versions keep the classes of drivers
#endif

namespace cornet::io {
namespace {

// What the file access properties carry; HDF5 copies it byte by byte.
struct SinkReference {
  Sink* sink;
};

struct SinkFile : H5FD_t {
  Sink* sink = nullptr;
  haddr_t end_of_allocation = 0;
  haddr_t end_of_file = 0;
};

SinkFile& sink_file(H5FD_t* file) { return *static_cast<SinkFile*>(file); }
const SinkFile& sink_file(const H5FD_t* file) { return *static_cast<const SinkFile*>(file); }

void note_error(Sink& sink) {
  if (sink.error == 0) sink.error = errno;
}

// HDF5 opens a new file twice: to see whether it exists, and to truncate it. The descriptor belongs to the caller throughout.
H5FD_t* open_sink(const char*, unsigned flags, hid_t fapl, haddr_t) {
  const auto* reference = static_cast<const SinkReference*>(H5Pget_driver_info(fapl));
  auto* file = new (std::nothrow) SinkFile{};
  if (!reference || !file) {
    delete file;
    return nullptr;
  }
  file->sink = reference->sink;
  if ((flags & H5F_ACC_TRUNC) && ftruncate(file->sink->descriptor, 0) != 0) note_error(*file->sink);
  struct stat status = {};
  if (fstat(file->sink->descriptor, &status) != 0) note_error(*file->sink);
  file->end_of_file = static_cast<haddr_t>(status.st_size);
  return file;
}

herr_t close_sink(H5FD_t* file) {
  delete &sink_file(file);
  return 0;
}

herr_t query_sink(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_end_of_allocation(const H5FD_t* file, H5FD_mem_t) { return sink_file(file).end_of_allocation; }
haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) { return sink_file(file).end_of_file; }

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  sink_file(file).end_of_allocation = address;
  return 0;
}

// HDF5 reads back only what it wrote; bytes lost to an error read as zeros.
herr_t read_sink(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  auto* target = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = pread(sink_file(file).sink->descriptor, target, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      std::memset(target, 0, size);
      break;
    }
    target += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<size_t>(count);
  }
  return 0;
}

herr_t write_sink(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  SinkFile& out = sink_file(file);
  const auto* source = static_cast<const char*>(buffer);
  out.end_of_file = std::max(out.end_of_file, address + size);
  while (size > 0 && out.sink->error == 0) {
    const ssize_t count = pwrite(out.sink->descriptor, source, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      note_error(*out.sink);
      break;
    }
    source += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<size_t>(count);
  }
  return 0;
}

herr_t truncate_sink(H5FD_t* file, hid_t, hbool_t) {
  SinkFile& out = sink_file(file);
  if (out.end_of_file == out.end_of_allocation) return 0;
  if (ftruncate(out.sink->descriptor, static_cast<off_t>(out.end_of_allocation)) != 0) note_error(*out.sink);
  out.end_of_file = out.end_of_allocation;
  return 0;
}

H5FD_class_t make_class() {
  H5FD_class_t driver = {};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // any number of the range for private use
#endif
  driver.name = "cornet_sink";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(SinkReference);
  driver.open = open_sink;
  driver.close = close_sink;
  driver.query = query_sink;
  driver.get_eoa = get_end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = get_end_of_file;
  driver.read = read_sink;
  driver.write = write_sink;
  driver.truncate = truncate_sink;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return driver;
}

}  // namespace

SinkDriver::SinkDriver() {
  static const H5FD_class_t driver = make_class();
  driver_ = Handle(H5FDregister(&driver), H5FDunregister);
}

Handle SinkDriver::access(Sink& sink) const {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const SinkReference reference = {&sink};
  if (!driver_ || H5Pset_driver(properties.id(), driver_.id(), &reference) < 0) return {};
  H5Pset_fclose_degree(properties.id(), H5F_CLOSE_STRONG);
  return properties;
}

}  // namespace cornet::io
