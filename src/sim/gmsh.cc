// Gmsh .msh text files, versions 2.2 and 4.1: the nodes and the 8-node hexahedra (element type 5). Everything else is skipped.
//
// Counts in the file are claims: memory grows with what was really read. Numbers are read with a decimal point in every locale.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "cornet/error.h"
#include "sim/fem.h"

namespace cornet::sim {
namespace {

constexpr int kHexahedron = 5;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The words of a file with their lines.
class Words {
 public:
  explicit Words(const std::string& path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in) throw IoError(fmt::format("{}: cannot be read", path));
    text_ = text.str();
  }

  /// The next word, empty at the end of the file.
  std::string_view next() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n';
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  template <class Number>
  Number number(const char* what) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error == std::errc::invalid_argument || end != word.data() + word.size()) fail(word, what);
    if constexpr (std::is_floating_point_v<Number>) {
      if (error != std::errc() && word.find("e-") != std::string_view::npos) return 0;  // too small for 64 bits
      if (!std::isfinite(value)) fail(word, what);
    }
    if (error != std::errc()) fail(word, what);
    return value;
  }

  /// A number of things that follow, each of at least one word.
  long count(const char* what) {
    const long value = number<long>(what);
    const auto most = static_cast<long>((text_.size() - at_ + 1) / 2);
    if (value < 0 || value > most)
      throw IoError(fmt::format("{}found {} as {}, expected at most the {} words that can follow", place(), value, what, most));
    return value;
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  std::string place() const { return fmt::format("{}: line {}: ", path_, line_); }

 private:
  [[noreturn]] void fail(std::string_view word, const char* what) const {
    std::string found(word.substr(0, 24));
    for (char& c : found)
      if (c < ' ' || c > '~') c = '?';
    throw IoError(fmt::format("{}found {}, expected {}", place(), word.empty() ? "the end of the file" : "'" + found + "'", what));
  }

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  long line_ = 1;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), words_(path) {}

  HexMesh read() {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      if (word == "$MeshFormat") format();
      else if (word == "$Nodes") version_ < 4 ? nodes_2() : nodes_4();
      else if (word == "$Elements") version_ < 4 ? elements_2() : elements_4();
    }
    if (mesh_.elements.empty()) throw IoError(fmt::format("{}: found no 8-node hexahedra, expected a mesh of them", path_));
    return compact();
  }

 private:
  void format() {
    version_ = words_.number<double>("a version");
    if (words_.number<int>("0 for text or 1 for binary") != 0)
      throw IoError(fmt::format("{}found a binary file, expected text", words_.place()));
  }

  void add_node(long tag) {
    const double x = words_.number<double>("x"), y = words_.number<double>("y"), z = words_.number<double>("z");
    if (!number_.emplace(tag, static_cast<int>(mesh_.nodes.size())).second)
      throw IoError(fmt::format("{}found node {} a second time, expected different numbers", words_.place(), tag));
    if (mesh_.nodes.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw IoError(fmt::format("{}found more than 2³¹ nodes", words_.place()));
    mesh_.nodes.emplace_back(x, y, z);
  }

  void add_element() {
    std::array<int, 8> e;
    for (int& node : e) {
      const long tag = words_.number<long>("a node");
      const auto found = number_.find(tag);
      if (found == number_.end()) throw IoError(fmt::format("{}found node {} in an element, expected one of $Nodes", words_.place(), tag));
      node = found->second;
    }
    mesh_.elements.push_back(e);
  }

  void nodes_2() {
    const long count = words_.count("the number of nodes");
    for (long k = 0; k < count; ++k) add_node(words_.number<long>("the number of a node"));
  }

  void nodes_4() {
    const long blocks = words_.count("the number of blocks of nodes");
    for (int k = 0; k < 3; ++k) words_.number<long>("a count");
    std::vector<long> tags;
    for (long block = 0; block < blocks; ++block) {
      for (int k = 0; k < 3; ++k) words_.number<long>("an entity");
      const long count = words_.count("the number of nodes of a block");
      tags.clear();
      for (long k = 0; k < count; ++k) tags.push_back(words_.number<long>("the number of a node"));
      for (const long tag : tags) add_node(tag);
    }
  }

  void elements_2() {
    const long count = words_.count("the number of elements");
    for (long k = 0; k < count; ++k) {
      words_.number<long>("the number of an element");
      const int type = words_.number<int>("the type of an element");
      const long tags = words_.count("the number of tags");
      for (long t = 0; t < tags; ++t) words_.number<long>("a tag");
      if (type == kHexahedron) add_element();
      words_.skip_line();
    }
  }

  void elements_4() {
    const long blocks = words_.count("the number of blocks of elements");
    for (int k = 0; k < 3; ++k) words_.number<long>("a count");
    for (long block = 0; block < blocks; ++block) {
      for (int k = 0; k < 2; ++k) words_.number<long>("an entity");
      const int type = words_.number<int>("the type of the elements");
      const long count = words_.count("the number of elements of a block");
      for (long k = 0; k < count; ++k) {
        words_.number<long>("the number of an element");
        if (type == kHexahedron) add_element();
        words_.skip_line();
      }
    }
  }

  // Nodes of no hexahedron (centres of arcs, for example) would have no stiffness.
  HexMesh compact() {
    std::vector<int> place(mesh_.nodes.size(), -1);
    HexMesh out;
    for (auto& e : mesh_.elements)
      for (int& node : e) {
        if (place[node] < 0) {
          place[node] = static_cast<int>(out.nodes.size());
          out.nodes.push_back(mesh_.nodes[node]);
        }
        node = place[node];
      }
    out.elements = std::move(mesh_.elements);
    return out;
  }

  std::string path_;
  Words words_;
  double version_ = 0;
  HexMesh mesh_;
  std::unordered_map<long, int> number_;
};

}  // namespace

HexMesh read_gmsh(const std::string& path) { return Reader(path).read(); }

}  // namespace cornet::sim
