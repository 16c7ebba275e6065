// Reads one line of JSON field by field.
#include "campaign/json_scan.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>

#include "cornet/error.h"

namespace cornet::campaign {
namespace {

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

}  // namespace

void JsonScan::fail(const char* expected) const {
  std::string found(at_, at_ < end_ ? std::min<std::size_t>(12, static_cast<std::size_t>(end_ - at_)) : 0);
  for (char& c : found)
    if (c < ' ' || c > '~') c = '?';  // a message is text, whatever the file is
  found = found.empty() ? "the end of the line" : "'" + found + "'";
  throw IoError(fmt::format("found {}, expected {}", found, expected));
}

char JsonScan::next() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  return at_ < end_ ? *at_ : '\0';
}

void JsonScan::expect(char mark) {
  const char expected[] = {mark, '\0'};
  if (next() != mark) fail(expected);
  ++at_;
}

bool JsonScan::take(std::string_view word) {
  next();
  if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return false;
  at_ += word.size();
  return true;
}

// Between the quotes, as it stands.
std::string_view JsonScan::raw_string() {
  expect('"');
  const char* start = at_;
  while (true) {
    at_ = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (!at_) {
      at_ = end_;
      fail("the end of a text");
    }
    const char* back = at_;  // an odd number of backslashes before it: the quote belongs to the text
    while (back > start && back[-1] == '\\') --back;
    if ((at_ - back) % 2 == 0) return {start, static_cast<std::size_t>(at_++ - start)};
    ++at_;
  }
}

std::string JsonScan::string() {
  if (next() == 'n' && take("null")) return {};
  const std::string_view raw = raw_string();
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  const auto hex = [&](std::size_t k) {
    unsigned code = 0;
    const auto parsed =
        k + 4 <= raw.size() ? std::from_chars(&raw[k], &raw[k] + 4, code, 16) : std::from_chars_result{&raw[0], std::errc()};
    if (parsed.ptr != &raw[k] + 4) fail("four hexadecimal digits after \\u");
    return code;
  };
  for (std::size_t k = 0; k < raw.size(); ++k) {
    if (raw[k] != '\\') {
      out += raw[k];
      continue;
    }
    switch (raw[++k]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'u': {
        unsigned code = hex(k + 1);
        k += 4;
        if (code >= 0xd800 && code < 0xdc00 && k + 6 < raw.size() && raw[k + 1] == '\\' && raw[k + 2] == 'u') {
          code = 0x10000 + ((code - 0xd800) << 10) + (hex(k + 3) - 0xdc00);
          k += 6;
        }
        append_utf8(out, code);
        break;
      }
      default: out += raw[k];
    }
  }
  return out;
}

double JsonScan::number() {
  if (next() == 'n' && take("null")) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto parsed = std::from_chars(at_, end_, value);
  if (parsed.ec != std::errc()) fail("a number");
  at_ = parsed.ptr;
  return value;
}

long JsonScan::integer() {
  next();
  long value = 0;
  const auto parsed = std::from_chars(at_, end_, value);
  if (parsed.ec != std::errc() || (parsed.ptr < end_ && (*parsed.ptr == '.' || *parsed.ptr == 'e' || *parsed.ptr == 'E')))
    fail("an integer");
  at_ = parsed.ptr;
  return value;
}

bool JsonScan::boolean() {
  if (take("true")) return true;
  if (take("false")) return false;
  fail("true or false");
}

void JsonScan::skip() {
  int depth = 0;
  do {
    const char c = next();
    if (c == '"') {
      raw_string();
    } else if (c == '{' || c == '[') {
      ++depth, ++at_;
    } else if (depth > 0 && (c == '}' || c == ']')) {
      --depth, ++at_;
    } else if (depth > 0 && (c == ',' || c == ':')) {
      ++at_;
    } else {
      const char* start = at_;
      while (at_ < end_ && (std::isalnum(static_cast<unsigned char>(*at_)) || *at_ == '+' || *at_ == '-' || *at_ == '.')) ++at_;
      if (at_ == start) fail("a value");
    }
  } while (depth > 0);
}

void JsonScan::finish() {
  if (next() != '\0' || at_ < end_) fail("the end of the line");
}

}  // namespace cornet::campaign
