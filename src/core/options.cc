// The visitors behind options.h: describe, assign, values.
#include "cornet/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "cornet/error.h"

namespace cornet {
namespace {

std::string number_text(double value) { return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : fmt::format("{}", value); }

std::string joined(const std::vector<std::string>& words, const char* separator) { return fmt::format("{}", fmt::join(words, separator)); }

class Describe : public OptionVisitor {
 public:
  std::vector<OptionInfo> rows;
  void flag(const char* name, bool& value, const char* what) override { rows.push_back({name, "flag", value, "true|false", {}, what}); }
  void integer(const char* name, long& value, Range range, const char* what) override {
    rows.push_back({name, "integer", value, range.text(), {}, what});
  }
  void real(const char* name, double& value, Range range, const char* what) override {
    rows.push_back({name, "real", value, range.text(), {}, what});
  }
  void choose(const char* name, int& value, const std::vector<std::string>& names, const char* what) override {
    rows.push_back({name, "choice", names.at(value), joined(names, "|"), names, what});
  }
};

class Assign : public OptionVisitor {
 public:
  Assign(const OptionTexts& texts, const std::string& owner) : texts_(texts), owner_(owner) {}
  std::vector<std::string> known;

  void flag(const char* name, bool& value, const char*) override {
    if (const auto* text = find(name)) {
      if (*text == "true" || *text == "1") value = true;
      else if (*text == "false" || *text == "0") value = false;
      else bad(name, *text, "true or false");
    }
  }
  void integer(const char* name, long& value, Range range, const char*) override {
    if (const auto* text = find(name)) {
      long parsed = 0;
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
      if (error != std::errc() || end != text->data() + text->size()) bad(name, *text, "an integer in " + range.text());
      if (!range.contains(static_cast<double>(parsed))) bad(name, *text, "a value in " + range.text());
      value = parsed;
    }
  }
  void real(const char* name, double& value, Range range, const char*) override {
    if (const auto* text = find(name)) {
      double parsed = 0;
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
      if (error != std::errc() || end != text->data() + text->size()) bad(name, *text, "a number in " + range.text());
      if (!range.contains(parsed)) bad(name, *text, "a value in " + range.text());
      value = parsed;
    }
  }
  void choose(const char* name, int& value, const std::vector<std::string>& names, const char*) override {
    if (const auto* text = find(name)) {
      const auto it = std::find(names.begin(), names.end(), *text);
      if (it == names.end()) bad(name, *text, "one of " + joined(names, ", "));
      value = static_cast<int>(it - names.begin());
    }
  }

 private:
  const std::string* find(const char* name) {
    known.emplace_back(name);
    const auto it = texts_.find(name);
    return it == texts_.end() ? nullptr : &it->second;
  }
  [[noreturn]] void bad(const char* name, const std::string& text, const std::string& expected) {
    throw InvalidOption(fmt::format("option '{}' of {}: found '{}', expected {}", name, owner_, text, expected));
  }
  const OptionTexts& texts_;
  const std::string& owner_;
};

class Values : public OptionVisitor {
 public:
  OptionTexts texts;
  void flag(const char* name, bool& value, const char*) override { texts[name] = value ? "true" : "false"; }
  void integer(const char* name, long& value, Range, const char*) override { texts[name] = std::to_string(value); }
  void real(const char* name, double& value, Range, const char*) override { texts[name] = number_text(value); }
  void choose(const char* name, int& value, const std::vector<std::string>& names, const char*) override { texts[name] = names.at(value); }
};

// Levenshtein distance, two rows.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

bool Range::contains(double value) const {
  return (lower_open ? value > lower : value >= lower) && (upper_open ? value < upper : value <= upper);
}

std::string Range::text() const {
  return fmt::format("{}{}, {}{}", lower_open ? '(' : '[', number_text(lower), number_text(upper),
                     upper_open || std::isinf(upper) ? ')' : ']');
}

std::vector<OptionInfo> describe(const std::function<void(OptionVisitor&)>& visit) {
  Describe visitor;
  visit(visitor);
  return visitor.rows;
}

void assign(const std::function<void(OptionVisitor&)>& visit, const OptionTexts& texts, const std::string& owner) {
  Assign visitor(texts, owner);
  visit(visitor);
  for (const auto& [name, text] : texts) {
    if (std::find(visitor.known.begin(), visitor.known.end(), name) != visitor.known.end()) continue;
    const auto near = nearest(name, visitor.known);
    throw InvalidOption(
        fmt::format("option '{}' is unknown to {}{}", name, owner,
                    near.empty() ? std::string("; it has no options") : fmt::format("; nearest: {}", fmt::join(near, ", "))));
  }
}

OptionTexts values(const std::function<void(OptionVisitor&)>& visit) {
  Values visitor;
  visit(visitor);
  return visitor.texts;
}

std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::pair<int, std::string>> scored;
  scored.reserve(known.size());
  for (const auto& candidate : known) scored.emplace_back(edit_distance(word, candidate), candidate);
  std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (std::size_t k = 0; k < scored.size() && k < 3; ++k) result.push_back(scored[k].second);
  return result;
}

}  // namespace cornet
