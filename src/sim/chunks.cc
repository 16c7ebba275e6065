#include "sim/chunks.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "cornet/error.h"
#include "sim/bytes.h"

namespace cornet::sim {
namespace {

std::uint32_t crc(const std::string& bytes, std::uint32_t start = 0) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t k = 0; k < 256; ++k) {
      std::uint32_t x = k;
      for (int bit = 0; bit < 8; ++bit) x = x & 1 ? 0xEDB88320u ^ (x >> 1) : x >> 1;
      out[k] = x;
    }
    return out;
  }();
  std::uint32_t x = ~start;
  for (char c : bytes) x = table[(x ^ static_cast<unsigned char>(c)) & 0xFF] ^ (x >> 8);
  return ~x;
}

}  // namespace

std::string chunk(const std::string& tag, const std::string& content) {
  ByteWriter out;
  std::string bytes = tag;
  out.put(static_cast<std::uint64_t>(content.size()));
  bytes += out.take() + content;
  out.put(crc(content, crc(tag)));
  return bytes + out.take();
}

Chunks::Chunks(const std::string& path) : in_(path, std::ios::binary) {
  if (!in_) throw IoError(fmt::format("{}: cannot be read", path));
  char magic[8] = {};
  in_.read(magic, 8);
  if (in_.gcount() != 8 || std::memcmp(magic, kRecordMagic, 8) != 0)
    throw IoError(fmt::format("{}: found no record of a simulation, expected a file that starts with {}", path, kRecordMagic));
  end_ = static_cast<std::uint64_t>(std::filesystem::file_size(path));
  at_ = 8;
}

bool Chunks::next(std::string& tag, std::string& content) {
  if (at_ + 16 > end_) return false;
  tag.resize(4);
  std::uint64_t size = 0;
  in_.read(tag.data(), 4);
  in_.read(reinterpret_cast<char*>(&size), 8);
  if (!in_ || size > end_ - at_ - 16) return false;
  content.resize(size);
  in_.read(content.data(), static_cast<std::streamsize>(size));
  std::uint32_t sum = 0;
  in_.read(reinterpret_cast<char*>(&sum), 4);
  if (!in_ || sum != crc(content, crc(tag))) return false;
  at_ += 16 + size;
  return true;
}

RecordedState last_state(const std::string& path) {
  Chunks chunks(path);
  RecordedState out;
  std::string tag, content;
  while (chunks.next(tag, content)) {
    if (tag == "SCEN") out.scene = content;
    if (tag == "STAT") {
      out.bytes = content;
      out.end = chunks.position();
    }
  }
  if (out.scene.empty() || out.bytes.empty())
    throw IoError(fmt::format("{}: found no state to go on from, expected a record with one", path));
  return out;
}

}  // namespace cornet::sim
