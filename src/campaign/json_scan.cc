// Reads one line of JSON field by field.
#include "campaign/json_scan.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
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

// Length of the character at the start of `text` in UTF-8, 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto more = [&](std::size_t k) { return (byte(k) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return more(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool shorter = first == 0xe0 && byte(1) < 0xa0, surrogate = first == 0xed && byte(1) >= 0xa0;
    return more(1) && more(2) && !shorter && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool shorter = first == 0xf0 && byte(1) < 0x90, beyond = first == 0xf4 && byte(1) >= 0x90;
    return more(1) && more(2) && more(3) && !shorter && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t length = static_cast<unsigned char>(text[k]) < 0x80 ? 1 : character_length(text.substr(k));
    if (length == 0) return false;
    k += length;
  }
  return true;
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
  return decode(raw_string());
}

std::string JsonScan::decode(std::string_view raw) const {
  if (!is_utf8(raw)) fail("a text in UTF-8 before it");
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  // The four digits from place k; half of a pair of surrogates alone is no character.
  const auto hex = [&](std::size_t k) {
    unsigned code = 0;
    if (k + 4 > raw.size()) fail("four hexadecimal digits after \\u");
    const char* first = raw.data() + k;
    if (std::from_chars(first, first + 4, code, 16).ptr != first + 4) fail("four hexadecimal digits after \\u");
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
        if (code >= 0xd800 && code < 0xdc00 && raw.substr(k + 1).starts_with("\\u")) {
          const unsigned low = hex(k + 3);
          if (low < 0xdc00 || low >= 0xe000) fail("the second half of a character after \\u");
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          k += 6;
        }
        if (code >= 0xd800 && code < 0xe000) fail("a whole character after \\u");
        append_utf8(out, code);
        break;
      }
      default: out += raw[k];
    }
  }
  return out;
}

double JsonScan::number() {
  const char first = next();
  if (first == 'n' && take("null")) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto parsed = std::from_chars(at_, end_, value);
  if (parsed.ec == std::errc::invalid_argument || !std::isdigit(static_cast<unsigned char>(parsed.ptr[-1]))) fail("a number");
  if (parsed.ec != std::errc()) fail("a number that fits 64 bits");
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

int JsonScan::small_integer() {
  const JsonScan before = *this;
  const long value = integer();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) before.fail("an integer that fits 32 bits");
  return static_cast<int>(value);
}

long JsonScan::whole_number(long absent) {
  const JsonScan before = *this;
  const double value = number();
  if (std::isnan(value)) return absent;
  if (!(std::abs(value) <= 9007199254740992.0) || value != std::floor(value)) before.fail("an integer of at most 2^53");
  return static_cast<long>(value);
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
