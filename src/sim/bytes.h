// Plain numbers in and out of a string of bytes, little-endian as all machines that run this are.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

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
  void put_text(const std::string& text) {
    put(static_cast<long>(text.size()));
    bytes_ += text;
  }
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
  std::string get_text() {
    const long size = get<long>();
    if (size < 0 || size > static_cast<long>(bytes_.size() - at_))
      throw IoError("found a text longer than the record, expected a whole record");
    std::string out = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return out;
  }
  bool done() const { return at_ == bytes_.size(); }

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
