// Campaign specifications: JSON to Spec, with every unknown name and wrong value refused before anything runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/peer.h"
#include "cornet/campaign.h"
#include "cornet/error.h"
#include "cornet/sim_sets.h"
#include "cornet/solver.h"

namespace cornet::campaign {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 20;                // of brackets within brackets
constexpr std::size_t kLongestText = 1000;  // of a name or a glob

bool one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// A foreign file may hold anything: at most a few characters, and only printable ones.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool within_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80 && out.size() < 64;
    if (out.size() >= 60 && !within_character) return out + "...";
    out += one_line({&c, 1}) ? c : '?';
  }
  return out;
}

std::string text_of(const Json& found, const std::string& where) {
  if (!found.is_string()) throw IoError(fmt::format("{}: found {}, expected a text", where, shown(found.dump())));
  auto text = found.get<std::string>();
  if (text.size() > kLongestText || !one_line(text))
    throw IoError(fmt::format("{}: found {}, expected one line of at most {} bytes without control characters", where, shown(found.dump()),
                              kLongestText));
  return text;
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, mark);) out.push_back(part);
  return out;
}

// Checks the id and the options, and names the choice.
SolverChoice checked(SolverChoice choice) {
  if (choice.label.empty()) {
    choice.label = choice.id;
    for (const auto& [name, value] : choice.options) choice.label += ":" + name + "=" + value;
  }
  if (!choice.command.empty()) return choice;
  if (choice.id.starts_with(kSiconosPrefix)) {
    if (!choice.options.empty()) throw InvalidOption(fmt::format("{}: takes no options", choice.id));
    choice.command = siconos_command(choice.id);
    return choice;
  }
  find_solver(choice.id).make(choice.options);
  return choice;
}

/// One object of a spec: fields are taken by name, and what nobody took is an error.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw IoError(fmt::format("{}: found {}, expected an object", where_, object.type_name()));
  }

  const Json* find(const std::string& name) {
    known_.push_back(name);
    const auto it = object_.find(name);
    return it == object_.end() ? nullptr : &*it;
  }
  void text(const std::string& name, std::string& value) {
    if (const Json* found = find(name)) value = text_of(*found, where_ + ": " + name);
  }
  void number(const std::string& name, double& value, const Range& range) {
    if (const Json* found = find(name)) value = number_of(name, *found, range);
  }
  template <class Integer>
  void integer(const std::string& name, Integer& value, const Range& range) {
    if (const Json* found = find(name)) {
      if (!found->is_number_integer() || !range.contains(found->get<double>())) wrong(name, *found, "an integer in " + range.text());
      value = found->get<Integer>();
    }
  }
  void flag(const std::string& name, bool& value) {
    if (const Json* found = find(name)) {
      if (!found->is_boolean()) wrong(name, *found, "true or false");
      value = found->get<bool>();
    }
  }
  void tolerances(std::vector<double>& value) {
    if (const Json* found = find("tolerances")) {
      if (!found->is_array() || found->empty()) wrong("tolerances", *found, "an array of numbers");
      value.clear();
      for (const Json& x : *found) value.push_back(number_of("tolerances", x, {0, 1, true, false}));
    }
  }
  void texts(const std::string& name, std::vector<std::string>& value) {
    const Json* found = find(name);
    if (!found) return;
    if (!found->is_string() && !found->is_array()) wrong(name, *found, "a text or an array of texts");
    const Json list = found->is_string() ? Json::array({*found}) : *found;
    for (const Json& x : list) value.push_back(text_of(x, where_ + ": " + name));
  }
  void finish() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::count(known_.begin(), known_.end(), name)) continue;
      const auto near = nearest(name, known_);
      throw IoError(
          fmt::format("{}: unknown field '{}'{}", where_, shown(name), near.empty() ? "" : "; did you mean " + near.front() + "?"));
    }
  }
  [[noreturn]] void wrong(const std::string& name, const Json& found, const std::string& expected) const {
    throw IoError(fmt::format("{}: {}: found {}, expected {}", where_, name, shown(found.dump()), expected));
  }

 private:
  double number_of(const std::string& name, const Json& found, const Range& range) const {
    if (!found.is_number() || !range.contains(found.get<double>())) wrong(name, found, "a number in " + range.text());
    return found.get<double>();
  }

  const Json& object_;
  std::string where_;
  std::vector<std::string> known_;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SolverChoice read_solver(const Json& entry, const std::string& where) {
  if (entry.is_string()) return parse_solver(text_of(entry, where));
  Fields fields(entry, where);
  SolverChoice choice;
  fields.text("solver", choice.id);
  fields.text("label", choice.label);
  std::string command;
  fields.text("command", command);
  if (const Json* options = fields.find("options")) {
    if (!options->is_object()) fields.wrong("options", *options, "an object");
    for (const auto& [name, value] : options->items())
      choice.options[text_of(Json(name), where + ": options")] =
          value.is_string() ? text_of(value, where + ": options") : shown(value.dump());
  }
  fields.finish();
  if (choice.id.empty()) throw IoError(fmt::format("{}: solver: found nothing, expected an id", where));
  if (!command.empty()) {
    SolverChoice peer = parse_peer(choice.id + "=" + command);
    if (!choice.label.empty()) peer.label = choice.label;
    return peer;
  }
  return checked(choice);
}

ProblemGroup read_group(const Json& entry, const std::string& where) {
  ProblemGroup group;
  if (entry.is_string()) {
    group.files = {text_of(entry, where)};
    return group;
  }
  Fields fields(entry, where);
  fields.text("set", group.set);
  fields.texts("files", group.files);
  fields.text("generate", group.generate);
  fields.integer("count", group.count, {1, 1e6});
  fields.integer("seed", group.seed, {0, 1e15});
  fields.tolerances(group.tolerances);
  fields.number("time_limit", group.time_limit, {0, kInfinity, true, false});
  std::string form;
  fields.text("form", form);
  fields.finish();
  if (form == "local") group.form = Form::local;
  else if (form == "global") group.form = Form::global;
  else if (!form.empty()) throw IoError(fmt::format("{}: form: found '{}', expected local or global", where, form));
  if (group.files.empty() == group.generate.empty())
    throw IoError(fmt::format("{}: found {}, expected either files or generate", where, group.files.empty() ? "none of them" : "both"));
  if (!group.generate.empty() && group.generate != "samples") {
    std::vector<std::string> names = {"samples"};
    for (const sim::TestSet& s : sim::test_sets()) names.push_back(s.name);
    if (!std::count(names.begin(), names.end(), group.generate)) {
      const auto near = nearest(group.generate, names);
      throw IoError(fmt::format("{}: generate: unknown set '{}'; {}cornet generate --list has all", where, group.generate,
                                near.empty() ? "" : "did you mean " + near.front() + "? "));
    }
  }
  return group;
}

}  // namespace

SolverChoice parse_solver(const std::string& text) {
  SolverChoice choice;
  const std::string prefix(kSiconosPrefix);
  const bool siconos = text.starts_with(prefix);
  const auto parts = split(siconos ? text.substr(prefix.size()) : text, ':');
  if (parts.empty() || parts[0].empty()) throw InvalidOption(fmt::format("found '{}', expected a solver id", text));
  choice.id = (siconos ? prefix : "") + parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::size_t equals = parts[k].find('=');
    if (equals == std::string::npos || equals == 0)
      throw InvalidOption(fmt::format("{}: found '{}', expected OPTION=VALUE", text, parts[k]));
    choice.options[parts[k].substr(0, equals)] = parts[k].substr(equals + 1);
  }
  return checked(choice);
}

Spec parse_spec(const std::string& text, const std::string& where) {
  Json json;
  try {
    json = Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > kDeepest) throw IoError(fmt::format("{}: found more than {} levels of brackets", where, kDeepest));
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw IoError(fmt::format("{}: byte {}: no JSON, expected a campaign specification", where, error.byte));
  } catch (const Json::out_of_range& error) {  // a number beyond the range of doubles
    throw IoError(fmt::format("{}: found a number beyond 64 bits ({})", where, shown(error.what())));
  }
  Fields fields(json, where);
  Spec spec;
  fields.text("name", spec.name);
  fields.text("what", spec.what);
  fields.tolerances(spec.tolerances);
  fields.number("time_limit", spec.time_limit, {0, kInfinity, true, false});
  fields.number("memory_limit", spec.memory_limit, {16, 1e9});
  fields.integer("max_iterations", spec.max_iterations, {0, 1e15});
  fields.integer("repeat", spec.repeat, {1, 1000});
  fields.flag("history", spec.history);
  fields.integer("analyse", spec.analyse, {0, 1e5});
  const auto list = [&](const char* name, auto&& read) {
    const Json* found = fields.find(name);
    if (!found) return;
    if (!found->is_array()) fields.wrong(name, *found, "an array");
    for (std::size_t k = 0; k < found->size(); ++k) read((*found)[k], fmt::format("{}: {}[{}]", where, name, k));
  };
  list("problems", [&](const Json& entry, const std::string& place) { spec.problems.push_back(read_group(entry, place)); });
  list("solvers", [&](const Json& entry, const std::string& place) {
    try {
      spec.solvers.push_back(read_solver(entry, place));
    } catch (const InvalidOption& error) {
      throw InvalidOption(fmt::format("{}: {}", place, error.what()));
    }
  });
  fields.finish();
  return spec;
}

Spec read_spec(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(fmt::format("{}: cannot be read; found no such file and no shipped specification of that name", path));
  std::stringstream text;
  text << in.rdbuf();
  Spec spec = parse_spec(text.str(), path);
  if (spec.name.empty()) spec.name = path;
  return spec;
}

}  // namespace cornet::campaign
