// Options are plain structs with in-class defaults and one function `visit(OptionVisitor&)` that names every field once. From it come
// parsing, range checks, the JSON of `cornet solvers`, Python keywords and the tables of the documentation.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "cornet/export.h"

namespace cornet {

using OptionValue = std::variant<bool, long, double, std::string>;

/// Option name → text, as in `--set name=value`.
using OptionTexts = std::map<std::string, std::string>;

/// One row of an options table.
struct OptionInfo {
  std::string name;
  std::string type;  ///< "flag", "integer", "real" or "choice"
  OptionValue default_value;
  std::string range;                 ///< "[0, 2]", "(0, inf)", or the choices joined by '|'
  std::vector<std::string> choices;  ///< for "choice"
  std::string what;                  ///< meaning, units, typical values
};

/// An interval with open or closed ends.
struct CORNET_API Range {
  double lower;
  double upper;
  bool lower_open = false;
  bool upper_open = false;
  bool contains(double value) const;
  std::string text() const;
};

class CORNET_API OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void flag(const char* name, bool& value, const char* what) = 0;
  virtual void integer(const char* name, long& value, Range range, const char* what) = 0;
  virtual void real(const char* name, double& value, Range range, const char* what) = 0;
  virtual void choose(const char* name, int& value, const std::vector<std::string>& names, const char* what) = 0;

  /// `names[k]` is the text of the enumerator with value k.
  template <class Enum>
  void choice(const char* name, Enum& value, const std::vector<std::string>& names, const char* what) {
    int k = static_cast<int>(value);
    choose(name, k, names, what);
    value = static_cast<Enum>(k);
  }
};

/// The table of an options struct.
CORNET_API std::vector<OptionInfo> describe(const std::function<void(OptionVisitor&)>& visit);

/// Sets the named fields. Throws InvalidOption: an unknown name with the nearest known ones, a bad value with name, value and range.
CORNET_API void assign(const std::function<void(OptionVisitor&)>& visit, const OptionTexts& texts, const std::string& owner);

/// Current values as text that `assign` reads back.
CORNET_API OptionTexts values(const std::function<void(OptionVisitor&)>& visit);

/// Up to three of `known` that are closest to `word`, for "did you mean".
CORNET_API std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace cornet
