// FCLIB files changed through HDF5 itself: the bytes are a list of edits of a good file. What comes out is sound HDF5 with the wrong
// objects, types, sizes, links and numbers, which byte changes rarely reach. Read in this process, so that libFuzzer sees the code reached.
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cornet/error.h"
#include "cornet/io.h"
#include "fuzz/fclib_check.h"
#include "fuzz/target.h"
#include "io/fclib.h"
#include "io/isolated.h"

namespace cornet::fuzz {
namespace {

constexpr int kMostEdits = 12;

constexpr const char* kPaths[] = {"/fclib_local",
                                  "/fclib_local/spacedim",
                                  "/fclib_local/W",
                                  "/fclib_local/W/m",
                                  "/fclib_local/W/n",
                                  "/fclib_local/W/nz",
                                  "/fclib_local/W/nzmax",
                                  "/fclib_local/W/p",
                                  "/fclib_local/W/i",
                                  "/fclib_local/W/x",
                                  "/fclib_local/W/comment",
                                  "/fclib_local/W/rank",
                                  "/fclib_local/W/conditioning",
                                  "/fclib_local/W/determinant",
                                  "/fclib_local/V",
                                  "/fclib_local/V/m",
                                  "/fclib_local/V/n",
                                  "/fclib_local/V/nz",
                                  "/fclib_local/V/p",
                                  "/fclib_local/R",
                                  "/fclib_local/R/n",
                                  "/fclib_local/R/x",
                                  "/fclib_local/vectors",
                                  "/fclib_local/vectors/q",
                                  "/fclib_local/vectors/mu",
                                  "/fclib_local/vectors/s",
                                  "/fclib_local/info",
                                  "/fclib_local/info/title",
                                  "/fclib_local/info/description",
                                  "/fclib_local/info/math_info",
                                  "/fclib_global",
                                  "/fclib_global/spacedim",
                                  "/fclib_global/M",
                                  "/fclib_global/M/n",
                                  "/fclib_global/M/m",
                                  "/fclib_global/M/nz",
                                  "/fclib_global/M/p",
                                  "/fclib_global/H",
                                  "/fclib_global/H/m",
                                  "/fclib_global/H/nz",
                                  "/fclib_global/H/x",
                                  "/fclib_global/G",
                                  "/fclib_global/vectors",
                                  "/fclib_global/vectors/f",
                                  "/fclib_global/vectors/w",
                                  "/fclib_global/vectors/mu",
                                  "/fclib_global/vectors/b",
                                  "/guesses",
                                  "/guesses/number_of_guesses",
                                  "/guesses/1",
                                  "/guesses/1/r",
                                  "/guesses/1/u",
                                  "/guesses/2",
                                  "/solution",
                                  "/solution/r",
                                  "/solution/u",
                                  "/solution/v",
                                  "/solution/l",
                                  "/fclib_global_rolling",
                                  "/something",
                                  "/"};

// The edits, taken from the bytes; zeros when they end.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  unsigned byte() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  const char* path() { return kPaths[byte() % std::size(kPaths)]; }
  std::int64_t number() {
    static constexpr std::int64_t kNumbers[] = {0,
                                                1,
                                                2,
                                                3,
                                                4,
                                                5,
                                                6,
                                                -1,
                                                -2,
                                                -3,
                                                100,
                                                255,
                                                65536,
                                                2147483647,
                                                2147483648,
                                                -2147483648,
                                                4294967296,
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};
    return kNumbers[byte() % std::size(kNumbers)];
  }
  double real() {
    static constexpr double kReals[] = {0,
                                        1,
                                        -1,
                                        0.5,
                                        1e-310,
                                        1e308,
                                        -1e308,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
    return kReals[byte() % std::size(kReals)];
  }

 private:
  std::string_view bytes_;
};

// A type of a file: numbers of every width, texts, and what FCLIB never uses. The caller closes it.
hid_t make_type(Source& source) {
  const hid_t plain[] = {H5T_STD_I32LE, H5T_IEEE_F64LE, H5T_STD_I64LE,      H5T_STD_U32BE, H5T_STD_U64LE,   H5T_STD_I8LE,
                         H5T_STD_U8LE,  H5T_IEEE_F32BE, H5T_NATIVE_LDOUBLE, H5T_STD_B32LE, H5T_STD_REF_OBJ, H5T_UNIX_D32LE};
  const std::size_t kind = source.byte() % (std::size(plain) + 6);
  if (kind < std::size(plain)) return H5Tcopy(plain[kind]);
  switch (kind - std::size(plain)) {
    case 0: {
      const hid_t text = H5Tcopy(H5T_C_S1);
      const std::int64_t length = source.number();
      H5Tset_size(text, length > 0 && length < 100000 ? static_cast<std::size_t>(length) : H5T_VARIABLE);
      H5Tset_strpad(text, static_cast<H5T_str_t>(source.byte() % 3));
      H5Tset_cset(text, static_cast<H5T_cset_t>(source.byte() % 2));
      return text;
    }
    case 1: {
      const hid_t compound = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(compound, "re", 0, H5T_NATIVE_DOUBLE);
      H5Tinsert(compound, "im", 8, H5T_NATIVE_DOUBLE);
      return compound;
    }
    case 2: {
      const hid_t list = H5Tenum_create(H5T_NATIVE_INT);
      const int one = 1;
      H5Tenum_insert(list, "one", &one);
      return list;
    }
    case 3: {
      const hsize_t extent = 1 + source.byte() % 4;
      return H5Tarray_create2(H5T_NATIVE_INT, 1, &extent);
    }
    case 4: return H5Tvlen_create(H5T_NATIVE_DOUBLE);
    default: return H5Tcreate(H5T_OPAQUE, 1 + source.byte() % 16);
  }
}

hid_t make_space(Source& source) {
  const unsigned kind = source.byte() % 8;
  if (kind == 0) return H5Screate(H5S_SCALAR);
  if (kind == 1) return H5Screate(H5S_NULL);
  std::array<hsize_t, 3> extents{};
  std::array<hsize_t, 3> most{};
  const int rank = kind == 2 ? 2 : kind == 3 ? 3 : 1;
  for (int k = 0; k < rank; ++k) {
    const std::int64_t n = source.number();
    extents[k] = n < 0 ? 0 : static_cast<hsize_t>(n);
    most[k] = H5S_UNLIMITED;
  }
  return H5Screate_simple(rank, extents.data(), kind == 4 ? most.data() : nullptr);
}

// Values for a small number of elements; large datasets stay without any, and so claim more than they hold.
std::vector<std::uint64_t> make_values(Source& source, hid_t type, hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const std::size_t bytes = H5Tget_size(type);
  const H5T_class_t type_class = H5Tget_class(type);
  if (count <= 0 || count > 64 || bytes == 0 || bytes > 4096) return {};
  if (type_class == H5T_VLEN || type_class == H5T_REFERENCE || H5Tis_variable_str(type) > 0) return {};
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count) * (bytes / 8 + 1), 0);
  for (hssize_t k = 0; k < count; ++k) {
    const std::int64_t number = source.number();
    const double real = source.real();
    const bool floating = type_class == H5T_FLOAT && bytes == 8;
    std::memcpy(reinterpret_cast<char*>(values.data()) + static_cast<std::size_t>(k) * bytes,
                floating ? static_cast<const void*>(&real) : &number, std::min<std::size_t>(bytes, 8));
  }
  return values;
}

hid_t make_layout(Source& source, hid_t space) {
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  switch (source.byte() % 8) {
    case 0: H5Pset_layout(plist, H5D_COMPACT); break;
    case 1:
    case 2: {
      std::array<hsize_t, 3> chunk = {1 + source.byte() % 16, 1, 1};
      H5Pset_chunk(plist, std::max(1, H5Sget_simple_extent_ndims(space)), chunk.data());
      if (source.byte() % 2) H5Pset_deflate(plist, 6);
      if (source.byte() % 2) H5Pset_fletcher32(plist);
      break;
    }
    case 3: H5Pset_external(plist, "/absent/absent.bin", 0, H5F_UNLIMITED); break;
    case 4: {
      const hsize_t extent = static_cast<hsize_t>(std::max<hssize_t>(1, H5Sget_simple_extent_npoints(space)));
      const hid_t other = H5Screate_simple(1, &extent, nullptr);
      H5Pset_virtual(plist, space, ".", "/fclib_local/W/x", other);
      H5Sclose(other);
      break;
    }
    default: break;
  }
  return plist;
}

void drop(hid_t file, const char* path) {
  if (H5Lexists(file, path, H5P_DEFAULT) > 0) H5Ldelete(file, path, H5P_DEFAULT);
}

void dataset(hid_t file, Source& source) {
  const char* path = source.path();
  const hid_t type = make_type(source);
  const hid_t space = make_space(source);
  const hid_t plist = make_layout(source, space);
  drop(file, path);
  const hid_t id = H5Dcreate2(file, path, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  const auto values = make_values(source, type, space);
  if (id >= 0 && !values.empty()) H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(id);
  H5Pclose(plist);
  H5Sclose(space);
  H5Tclose(type);
}

// The same type and size with other numbers.
void overwrite(hid_t file, Source& source) {
  const hid_t id = H5Dopen2(file, source.path(), H5P_DEFAULT);
  const hid_t type = H5Dget_type(id);
  const hid_t space = H5Dget_space(id);
  const auto values = make_values(source, type, space);
  if (!values.empty()) H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
}

void attribute(hid_t file, Source& source) {
  const char* path = source.path();
  const hid_t type = make_type(source);
  const hid_t space = make_space(source);
  static constexpr const char* kNames[] = {"note", "two words", "line\nbreak", "ü"};
  const hid_t id = H5Acreate_by_name(file, path, kNames[source.byte() % 4], type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const auto values = make_values(source, type, space);
  if (id >= 0 && !values.empty()) H5Awrite(id, type, values.data());
  H5Aclose(id);
  H5Sclose(space);
  H5Tclose(type);
}

void link(hid_t file, Source& source) {
  const char* path = source.path();
  const char* other = source.path();
  drop(file, path);
  switch (source.byte() % 3) {
    case 0: H5Lcreate_soft(other, file, path, H5P_DEFAULT, H5P_DEFAULT); break;
    case 1: H5Lcreate_external("/absent/absent.hdf5", other, file, path, H5P_DEFAULT, H5P_DEFAULT); break;
    default: H5Lcreate_hard(file, other, file, path, H5P_DEFAULT, H5P_DEFAULT);
  }
}

void edit(hid_t file, Source& source) {
  switch (source.byte() % 8) {
    case 0: drop(file, source.path()); break;
    case 1: dataset(file, source); break;
    case 2:
    case 3: overwrite(file, source); break;
    case 4: attribute(file, source); break;
    case 5: link(file, source); break;
    case 6: {
      const char* path = source.path();
      drop(file, path);
      H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      break;
    }
    default: {
      const hid_t type = make_type(source);
      const char* path = source.path();
      drop(file, path);
      H5Tcommit2(file, path, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Tclose(type);
    }
  }
}

SparseMatrix diagonal(int n, Storage storage) {
  SparseMatrix a;
  a.rows = a.cols = n;
  a.storage = storage;
  for (int k = 0; k < n; ++k) {
    a.p.push_back(k);
    a.i.push_back(k);
    a.x.push_back(1 + k);
  }
  if (storage != Storage::triplet) a.p.push_back(n);
  a.info = SparseMatrix::Info{"a comment", 2, 6, n};
  return a;
}

void make_edits(const std::string& path, std::string_view bytes) {
  const io::SilentErrors silent;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  require(id >= 0, "the good file cannot be opened");
  Source source(bytes);
  for (int k = 0; k < kMostEdits && !source.empty(); ++k) edit(id, source);
  H5Fclose(id);
  H5Pclose(access);
}

// Every object of the format, in each storage.
std::string good_file() {
  ProblemFile file;
  file.local.emplace();
  file.local->W = diagonal(3, Storage::csc);
  file.local->V = SparseMatrix{3, 1, Storage::csr, {0, 1, 1, 1}, {0}, {2.0}, -1, {}};
  file.local->R = diagonal(1, Storage::triplet);
  file.local->q = {-1, 0.5, 0};
  file.local->mu = {0.7};
  file.local->s = {0};
  file.local->info = ProblemInfo{"title", "description", "math"};
  file.global.emplace();
  file.global->M = diagonal(4, Storage::triplet);
  file.global->H = SparseMatrix{4, 3, Storage::csr, {0, 1, 2, 3, 3}, {0, 1, 2}, {1, 1, 1}, -1, {}};
  file.global->G = SparseMatrix{4, 1, Storage::csc, {0, 1}, {3}, {1.0}, -1, {}};
  file.global->f = {0, 0, -9.81, 0};
  file.global->w = {0, 0, 0};
  file.global->mu = {0.7};
  file.global->b = {0};
  file.guesses = {Iterate{}};
  file.guesses[0].r = file.guesses[0].u = {1, 0, 0};
  file.solution = file.guesses[0];
  file.attributes["/"]["version"] = 3;
  file.attributes["/solution"]["note"] = std::string("a text");
  const MemoryFile memory("");
  io::write_fclib(memory.descriptor(), memory.path(), io::content_of(file));
  return memory.bytes();
}

}  // namespace

bool run_fclib_edits(std::string_view bytes) {
  static const std::string good = good_file();
  const MemoryFile file(good);
  // In a process of its own: HDF5 1.10 does not survive writing all of this.
  try {
    io::run_isolated(file.path(), good.size(), [&] {
      make_edits(file.path(), bytes);
      return std::string();
    });
  } catch (const IoError&) {
    return false;
  }
  return check_fclib(file.path(), io::read_fclib_here);
}

}  // namespace cornet::fuzz
