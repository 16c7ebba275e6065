// Words and numbers of a text file, with the line of each for messages. Independent of the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cornet::io {

/// What a word should be: "q[3]", or "the dimension". Put into words only when something is wrong.
struct Field {
  Field(const char* text) : name(text) {}  // most fields are plain words
  Field(std::string_view text, long long position = -1) : name(text), index(position) {}
  std::string_view name;
  long long index = -1;  ///< −1: none
  std::string text() const;
};

class TextScanner {
 public:
  /// Reads the whole file; throws IoError.
  explicit TextScanner(const std::string& path);

  const std::string& file() const { return file_; }

  /// The next word, empty at the end of the file. `field` names it in the message when `next` finds none.
  std::string_view peek();
  std::string_view next(const Field& field);
  /// Throws IoError unless the next word is `word`.
  void expect(std::string_view word);
  /// Drops the rest of the line that holds the last word.
  void skip_line();

  /// Integers are digits with an optional sign: "3.0" is not one.
  int integer(const Field& field, int minimum);
  /// The next word if it is an integer; otherwise nothing is read.
  std::optional<int> try_integer();
  /// A number; NaN never, infinity only where `infinity` says so.
  double number(const Field& field, bool infinity = false);

  /// Throws IoError when the rest of the file is too short for `count` words: before memory is asked for them.
  void require_words(long long count, const Field& field) const;

  long long words_left() const;

  /// To look ahead and come back.
  struct Mark {
    std::size_t position;
    int line;
    std::string_view word;
    int word_line;
  };
  Mark mark() const { return {position_, line_, word_, word_line_}; }
  void rewind(const Mark& mark);

  /// The most significant decimal digits (without trailing zeros) of the numbers read since the last reset.
  int digits() const { return digits_; }
  void reset_digits() { digits_ = 0; }

  /// Throws IoError for the last word read.
  [[noreturn]] void fail(const Field& field, const std::string& expected) const;
  /// The same for the next word.
  [[noreturn]] void fail_next(const Field& field, const std::string& expected);
  /// "FILE: line N: ".
  std::string place() const;

 private:
  void skip_space();
  std::string quoted(std::string_view word) const;

  std::string file_;
  std::string text_;
  std::size_t position_ = 0;
  int line_ = 1;  // of position_
  std::string_view word_;
  int word_line_ = 1;
  int digits_ = 0;
};

}  // namespace cornet::io
