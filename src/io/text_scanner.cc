#include "io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "cornet/error.h"

namespace cornet::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "-0.00120e5" has 2: the digits of 12.
int significant_digits(std::string_view word) {
  int digits = 0;
  int zeros = 0;
  for (const char c : word) {
    if (c == 'e' || c == 'E') break;
    if (!is_digit(c)) continue;
    if (c == '0') {
      if (digits > 0) ++zeros;
    } else {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits;
}

// std::from_chars does not take a plus sign.
std::string_view without_plus(std::string_view word) { return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word; }

bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  return exponent != std::string_view::npos && word.substr(exponent + 1).starts_with('-');
}

}  // namespace

std::string Field::text() const { return index < 0 ? std::string(name) : fmt::format("{}[{}]", name, index); }

TextScanner::TextScanner(const std::string& path) : file_(path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (bytes < 0) throw IoError(fmt::format("{}: cannot open the file: {}", path, std::generic_category().message(errno)));
  text_.resize(static_cast<std::size_t>(bytes));
  stream.seekg(0);
  if (!stream.read(text_.data(), bytes))
    throw IoError(fmt::format("{}: cannot read the file: {}", path, std::generic_category().message(errno)));
}

void TextScanner::skip_space() {
  for (; position_ < text_.size() && is_space(text_[position_]); ++position_)
    if (text_[position_] == '\n') ++line_;
}

std::string_view TextScanner::peek() {
  skip_space();
  std::size_t end = position_;
  while (end < text_.size() && !is_space(text_[end])) ++end;
  return std::string_view(text_).substr(position_, end - position_);
}

std::string_view TextScanner::next(const Field& field) {
  word_ = peek();
  word_line_ = line_;
  position_ += word_.size();
  if (word_.empty()) fail(field, field.text());
  return word_;
}

void TextScanner::expect(std::string_view word) {
  const std::string expected = fmt::format("'{}'", word);
  if (next(Field(expected)) != word) fail(Field(expected), expected);
}

void TextScanner::rewind(const Mark& mark) {
  position_ = mark.position;
  line_ = mark.line;
  word_ = mark.word;
  word_line_ = mark.word_line;
}

void TextScanner::skip_line() {
  while (position_ < text_.size() && text_[position_] != '\n') ++position_;
}

std::optional<int> TextScanner::try_integer() {
  const std::string_view word = without_plus(peek());
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  next("an integer");
  return value;
}

int TextScanner::integer(const Field& field, int minimum) {
  const std::string_view word = without_plus(next(field));
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < minimum)
    fail(field, minimum == 0 ? "an integer ≥ 0" : fmt::format("an integer ≥ {}", minimum));
  return value;
}

double TextScanner::number(const Field& field, bool infinity) {
  const std::string_view word = without_plus(next(field));
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) fail(field, "a number");
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(word)) fail(field, "a finite number");
    value = 0;
  }
  if (std::isnan(value) || (std::isinf(value) && !infinity)) fail(field, "a finite number");
  digits_ = std::max(digits_, significant_digits(word));
  return value;
}

void TextScanner::require_words(long long count, const Field& field) const {
  // A word takes at least one character and one separator.
  const auto most = static_cast<long long>((text_.size() - position_ + 1) / 2);
  if (count > most)
    throw IoError(fmt::format("{}found at most {} more numbers in the file, expected {} ({})", place(), most, count, field.text()));
}

long long TextScanner::words_left() const {
  long long words = 0;
  bool inside = false;
  for (std::size_t k = position_; k < text_.size(); ++k) {
    const bool space = is_space(text_[k]);
    if (inside && space) ++words;
    inside = !space;
  }
  return words + (inside ? 1 : 0);
}

std::string TextScanner::place() const { return fmt::format("{}: line {}: ", file_, word_line_); }

// A foreign file may hold anything: at most a few characters, and only printable ones.
std::string TextScanner::quoted(std::string_view word) const {
  if (word.empty()) return "the end of the file";
  std::string shown;
  for (const char c : word.substr(0, 24)) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x7f) shown += c;
    else shown += fmt::format("\\x{:02x}", code);
  }
  return fmt::format("'{}{}'", shown, word.size() > 24 ? "…" : "");
}

void TextScanner::fail(const Field& field, const std::string& expected) const {
  const std::string name = field.text();
  const std::string subject = name == expected ? "" : name + ": ";
  throw IoError(fmt::format("{}{}found {}, expected {}", place(), subject, quoted(word_), expected));
}

void TextScanner::fail_next(const Field& field, const std::string& expected) {
  word_ = peek();
  word_line_ = line_;
  fail(field, expected);
}

}  // namespace cornet::io
