// Scene files: JSON in and out. Values that equal their default are not written. Infinity is the text "infinity".
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <variant>

#include "cornet/error.h"
#include "cornet/solver.h"
#include "sim/scene_fields.h"

namespace cornet::sim {
namespace {

using Json = nlohmann::json;  // a sorted map: a file with many keys stays cheap
using OrderedJson = nlohmann::ordered_json;

constexpr int kDeepest = 100;               // of brackets within brackets
constexpr std::size_t kLongestText = 1000;  // names go into tables and messages

// A foreign file may hold anything: at most a few characters, and only printable ones.
std::string shown(std::string_view text, std::size_t most = 60) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool within_character = (code & 0xc0) == 0x80 && out.size() < most + 4;
    if (out.size() >= most && !within_character) return out + "...";
    if (code < 0x20 || code == 0x7f) out += fmt::format("\\x{:02x}", code);
    else out += c;
  }
  return out;
}

template <class Enum>
struct Names;
template <>
struct Names<ShapeKind> {
  static constexpr const char* kList[] = {"sphere", "box", "capsule", "cylinder", "hull", "plane", "mesh", "compound", "disk", "polygon"};
};
template <>
struct Names<BodyKind> {
  static constexpr const char* kList[] = {"dynamic", "fixed", "moving"};
};
template <>
struct Names<JointKind> {
  static constexpr const char* kList[] = {"ball", "hinge", "fixed"};
};
template <>
struct Names<Gyroscopic> {
  static constexpr const char* kList[] = {"off", "explicit", "implicit"};
};
template <>
struct Names<FailurePolicy> {
  static constexpr const char* kList[] = {"stop", "retry", "continue"};
};

[[noreturn]] void fail(const std::string& path, const Json& found, const std::string& expected) {
  throw InvalidProblem(fmt::format("{}: found {}, expected {}", path.empty() ? "/" : path, shown(found.dump()), expected));
}

// Reads one JSON object; every key must be asked for by name.
class Reader {
 public:
  Reader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) fail(path_, json, "an object");
  }

  template <class T>
  void operator()(const char* key, T& value) {
    known_.push_back(key);
    const auto it = json_.find(key);
    if (it != json_.end()) read(*it, path_ + "/" + key, value);
  }

  bool has(const char* key) const { return json_.contains(key); }

  void finish() const {
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
        std::string list;
        for (const std::string& name : known_) list += (list.empty() ? "" : ", ") + name;
        throw InvalidProblem(fmt::format("{}/{}: found an unknown key, expected one of {}", path_, shown(key), list));
      }
  }

 private:
  static void read(const Json& j, const std::string& path, double& x) {
    if (j.is_string() && j.get<std::string>() == "infinity") x = std::numeric_limits<double>::infinity();
    else if (j.is_number()) x = j.get<double>();
    else fail(path, j, "a number in SI units");
    if (std::isnan(x)) fail(path, j, "a number");
  }
  static void read(const Json& j, const std::string& path, int& x) {
    if (!j.is_number_integer()) fail(path, j, "a whole number");
    const bool large = j.is_number_unsigned() && j.get<std::uint64_t>() > 2147483647;
    if (large || j.get<std::int64_t>() < -2147483647) fail(path, j, "a whole number of ordinary size");
    x = static_cast<int>(j.get<std::int64_t>());
  }
  static void read(const Json& j, const std::string& path, bool& x) {
    if (!j.is_boolean()) fail(path, j, "true or false");
    x = j.get<bool>();
  }
  static void read(const Json& j, const std::string& path, std::string& x) {
    if (!j.is_string()) fail(path, j, "a text");
    x = j.get<std::string>();
    if (x.size() > kLongestText) fail(path, j, fmt::format("a text of at most {} bytes", kLongestText));
    for (const char c : x)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) fail(path, j, "a text of one line without control characters");
  }
  static void read(const Json& j, const std::string& path, Vec3& x) {
    if (!j.is_array() || (j.size() != 3 && j.size() != 2)) fail(path, j, "three numbers (two in the plane)");
    x = Vec3{};
    for (std::size_t k = 0; k < j.size(); ++k) read(j[k], fmt::format("{}/{}", path, k), x[k]);
  }
  static void read(const Json& j, const std::string& path, std::array<double, 4>& x) {
    if (j.is_number()) {  // an angle about z
      const double angle = j.get<double>();
      x = {std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
      return;
    }
    if (!j.is_array() || j.size() != 4) fail(path, j, "a quaternion [w, x, y, z], or an angle about z in rad");
    for (std::size_t k = 0; k < 4; ++k) read(j[k], fmt::format("{}/{}", path, k), x[k]);
  }
  static void read(const Json& j, const std::string& path, std::array<int, 3>& x) {
    if (!j.is_array() || j.size() != 3) fail(path, j, "three whole numbers");
    for (std::size_t k = 0; k < 3; ++k) read(j[k], fmt::format("{}/{}", path, k), x[k]);
  }
  static void read(const Json& j, const std::string& path, std::map<std::string, std::string>& x) {
    if (!j.is_object()) fail(path, j, "an object of texts");
    for (const auto& [key, value] : j.items()) read(value, path + "/" + shown(key), x[key]);
  }
  template <class T>
  static void read(const Json& j, const std::string& path, std::vector<T>& x) {
    if (!j.is_array()) fail(path, j, "a list");
    x.resize(j.size());
    for (std::size_t k = 0; k < j.size(); ++k) read(j[k], fmt::format("{}/{}", path, k), x[k]);
  }
  template <class T>
  requires std::is_enum_v<T>
  static void read(const Json& j, const std::string& path, T& x) {
    std::string expected;
    int number = 0;
    for (const char* name : Names<T>::kList) {
      if (j.is_string() && j.get<std::string>() == name) {
        x = static_cast<T>(number);
        return;
      }
      expected += (number++ ? ", " : "") + std::string(name);
    }
    fail(path, j, "one of " + expected);
  }
  template <class T>
  requires(std::is_class_v<T>) static void read(const Json& j, const std::string& path, T& x) {
    Reader reader(j, path);
    fields(reader, x);
    reader.finish();
  }

  const Json& json_;
  std::string path_;
  std::vector<std::string> known_;
};

// Writes what differs from the default.
class Writer {
 public:
  template <class T>
  explicit Writer(T& value) {
    T standard{};
    Writer defaults;
    fields(defaults, standard);
    fields(*this, value);
    for (const auto& [key, text] : defaults.json.items())
      if (json.contains(key) && json[key] == text) json.erase(key);
  }

  template <class T>
  void operator()(const char* key, T& value) {
    json[key] = write(value);
  }

  OrderedJson json = OrderedJson::object();

 private:
  Writer() = default;
  static OrderedJson write(double x) { return std::isinf(x) ? OrderedJson("infinity") : OrderedJson(x); }
  static OrderedJson write(const Vec3& x) { return {x[0], x[1], x[2]}; }
  template <class T>
  static OrderedJson write(std::vector<T>& x) {
    OrderedJson out = OrderedJson::array();
    for (T& value : x) out.push_back(write(value));
    return out;
  }
  template <class T>
  static OrderedJson write(T& x) {
    if constexpr (std::is_enum_v<T>) return Names<T>::kList[static_cast<int>(x)];
    else if constexpr (requires(Writer w) { fields(w, x); }) return Writer(x).json;
    else return x;
  }
};

// Where the parser is, as the path of the value it was reading when it met something that is not JSON (NaN, 1e999, a missing quote).
class Place {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDeepest) throw InvalidProblem(fmt::format("{}: found more than {} levels of brackets", shown(path()), kDeepest));
    if (event == Event::key) {
      levels_.back() = parsed.get<std::string>();
      if (!keys_.back().insert(parsed.get<std::string>()).second)
        throw InvalidProblem(fmt::format("{}: found this key a second time, expected every key once", shown(path(), 200)));
    }
    if (event == Event::object_start) {
      levels_.emplace_back(std::string());
      keys_.emplace_back();
    }
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::array_start) levels_.emplace_back(0);
    if (event == Event::object_end || event == Event::array_end) levels_.pop_back();
    if ((event == Event::object_end || event == Event::array_end || event == Event::value) && !levels_.empty())
      if (int* index = std::get_if<int>(&levels_.back())) ++*index;
    return true;
  }
  std::string path() const {
    std::string out;
    for (const auto& level : levels_) {
      if (const int* index = std::get_if<int>(&level)) out += fmt::format("/{}", *index);
      else out += "/" + std::get<std::string>(level);
    }
    return out == "/" ? "" : out;
  }

 private:
  std::vector<std::variant<std::string, int>> levels_;
  std::vector<std::set<std::string>> keys_;  // of the objects around the present place
};

// In a file a wrong solver or option is a wrong value like any other.
void check_solver(const std::string& id, const std::map<std::string, std::string>& options, const std::string& path) {
  if (id.empty()) {
    if (!options.empty()) throw InvalidProblem(fmt::format("{}_options: found some without a solver, expected {} beside them", path, path));
    return;
  }
  try {
    find_solver(id).make({options.begin(), options.end()});
  } catch (const InvalidOption& error) {
    throw InvalidProblem(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

const char* to_string(ShapeKind kind) { return Names<ShapeKind>::kList[static_cast<int>(kind)]; }
const char* to_string(BodyKind kind) { return Names<BodyKind>::kList[static_cast<int>(kind)]; }
const char* to_string(JointKind kind) { return Names<JointKind>::kList[static_cast<int>(kind)]; }
const char* to_string(Gyroscopic kind) { return Names<Gyroscopic>::kList[static_cast<int>(kind)]; }
const char* to_string(FailurePolicy policy) { return Names<FailurePolicy>::kList[static_cast<int>(policy)]; }

std::string file_name(const Scene& scene) {
  std::string name = scene.name.empty() ? "scene" : scene.name;
  for (char& c : name)
    if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = '_';
  return name;
}

Scene parse_scene(const std::string& text) {
  Json json;
  Place place;
  try {
    json = Json::parse(text, std::ref(place));
  } catch (const Json::exception& error) {  // a parse error, or a number beyond the range of doubles
    const std::string path = place.path();
    throw InvalidProblem(
        fmt::format("{}{}not JSON: {}", shown(path, 200), path.empty() ? "" : ": found what is ", shown(error.what(), 300)));
  }
  Reader reader(json, "");
  Scene scene;
  std::string units = "SI";
  reader("units", units);
  if (units != "SI") throw InvalidProblem(fmt::format("/units: found \"{}\", expected \"SI\" (kg, m, s, rad)", units));
  fields(reader, scene);
  if (scene.dim == 2 && !reader.has("gravity")) scene.gravity = {0, -9.81, 0};
  reader.finish();
  validate(scene);
  check_solver(scene.solver, scene.solver_options, "/solver");
  check_solver(scene.retry_solver, {}, "/retry_solver");
  return scene;
}

Scene read_scene(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot be read", path));
  std::stringstream text;
  text << file.rdbuf();
  try {
    Scene scene = parse_scene(text.str());
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (Solid& solid : scene.solids)
      if (!solid.mesh.empty()) solid.mesh = (folder / solid.mesh).string();  // an absolute one stays
    return scene;
  } catch (const InvalidProblem& error) {
    throw InvalidProblem(fmt::format("{}: {}", path, error.what()));
  }
}

std::string to_text(const Scene& scene) {
  Scene copy = scene;
  OrderedJson out = OrderedJson{{"units", "SI"}};
  out.update(Writer(copy).json);
  if (copy.dim == 2) out["gravity"] = {copy.gravity[0], copy.gravity[1], copy.gravity[2]};
  return out.dump(1);
}

}  // namespace cornet::sim
