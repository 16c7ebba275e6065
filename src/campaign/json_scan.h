// Reads one line of JSON field by field without building a tree: record files have a hundred thousand lines and most fields of a line are
// not asked for. Values that are not wanted are skipped at the speed of looking for quotes and brackets.
#pragma once

#include <string>
#include <string_view>

namespace cornet::campaign {

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Visits an object: `field(key)` must take or skip the value.
  template <class Field>
  void object(Field&& field) {
    expect('{');
    if (next() == '}') return expect('}');
    std::string key;
    while (true) {
      key = decode(raw_string());
      expect(':');
      field(std::string_view(key));
      if (next() != ',') return expect('}');
      expect(',');
    }
  }

  /// Visits an array: `element()` must take or skip each value.
  template <class Element>
  void array(Element&& element) {
    expect('[');
    if (next() == ']') return expect(']');
    while (true) {
      element();
      if (next() != ',') return expect(']');
      expect(',');
    }
  }

  std::string string();  ///< escapes decoded; null is the empty text
  double number();       ///< null is NaN
  long integer();
  int small_integer();             ///< one that fits 32 bits
  long whole_number(long absent);  ///< an integer, however written (12, 1.2e1), or `absent` for null
  bool boolean();
  void skip();
  void finish();  ///< throws unless nothing but white space is left

 private:
  char next();             // the next character that is no white space, not taken
  void expect(char mark);  // takes it
  bool take(std::string_view word);
  std::string_view raw_string();
  std::string decode(std::string_view raw) const;
  [[noreturn]] void fail(const char* expected) const;

  const char* at_;
  const char* end_;
};

}  // namespace cornet::campaign
