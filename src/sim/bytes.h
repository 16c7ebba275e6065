// Plain numbers in and out of a string of bytes, little-endian as all machines that run this are.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "cornet/error.h"

namespace cornet::sim {

static_assert(std::endian::native == std::endian::little);

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void put_doubles(const double* x, std::size_t n) { bytes_.append(reinterpret_cast<const char*>(x), n * sizeof(double)); }
  std::string take() { return std::move(bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value;
    copy(&value, sizeof(T));
    return value;
  }
  template <class T>
  void get(T& value) {
    copy(&value, sizeof(T));
  }
  void get_doubles(double* x, std::size_t n) { copy(x, n * sizeof(double)); }
  /// A number of things of `bytes` each: at most as many as the rest can hold, so that memory may be asked for them.
  std::size_t get_count(std::size_t bytes) {
    const int count = get<int>();
    if (count < 0 || static_cast<std::size_t>(count) > (bytes_.size() - at_) / bytes)
      throw IoError(
          fmt::format("found a list of {}, expected at most the {} that the rest has room for", count, (bytes_.size() - at_) / bytes));
    return static_cast<std::size_t>(count);
  }
  /// Throws unless everything was read.
  void finish() const {
    if (at_ != bytes_.size()) throw IoError(fmt::format("found {} bytes more, expected the end of the data", bytes_.size() - at_));
  }

 private:
  void copy(void* to, std::size_t n) {
    if (n > bytes_.size() - at_) throw IoError("found the end of the data, expected more of it");
    std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace cornet::sim
