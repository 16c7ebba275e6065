// Gmsh .msh text files, versions 2.2 and 4.1: the nodes and the 8-node hexahedra (element type 5). Everything else is skipped.
#include <fmt/format.h>

#include <fstream>
#include <map>

#include "cornet/error.h"
#include "sim/fem.h"

namespace cornet::sim {
namespace {

constexpr int kHexahedron = 5;

class File {
 public:
  explicit File(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw IoError(fmt::format("{}: cannot be read", path));
  }
  bool section(std::string& name) {
    while (in_ >> name)
      if (name[0] == '$' && !name.starts_with("$End")) return true;
    return false;
  }
  template <class T>
  T get(const char* what) {
    T value;
    if (!(in_ >> value)) throw IoError(fmt::format("{}: found the end of the file or a text, expected {}", path_, what));
    return value;
  }
  void skip_line() {
    std::string rest;
    std::getline(in_, rest);
  }

 private:
  std::string path_;
  std::ifstream in_;
};

}  // namespace

HexMesh read_gmsh(const std::string& path) {
  File file(path);
  HexMesh mesh;
  std::map<long, int> number;
  double version = 0;
  std::string section;
  const auto add_node = [&](long tag, double x, double y, double z) {
    number[tag] = static_cast<int>(mesh.nodes.size());
    mesh.nodes.emplace_back(x, y, z);
  };
  const auto add_element = [&](auto&& next) {
    std::array<int, 8> e;
    for (int& node : e) {
      const long tag = next();
      if (!number.contains(tag)) throw IoError(fmt::format("{}: found node {} in an element, expected one of $Nodes", path, tag));
      node = number[tag];
    }
    mesh.elements.push_back(e);
  };
  while (file.section(section)) {
    if (section == "$MeshFormat") {
      version = file.get<double>("a version");
      if (file.get<int>("0") != 0) throw IoError(fmt::format("{}: found a binary file, expected text", path));
    } else if (section == "$Nodes" && version < 4) {
      const long count = file.get<long>("the number of nodes");
      for (long k = 0; k < count; ++k) {
        const long tag = file.get<long>("a node");
        const double x = file.get<double>("x"), y = file.get<double>("y"), z = file.get<double>("z");
        add_node(tag, x, y, z);
      }
    } else if (section == "$Nodes") {
      const long blocks = file.get<long>("blocks");
      for (int k = 0; k < 3; ++k) file.get<long>("a count");
      for (long block = 0; block < blocks; ++block) {
        for (int k = 0; k < 3; ++k) file.get<long>("an entity");
        const long count = file.get<long>("nodes of a block");
        std::vector<long> tags(count);
        for (long& tag : tags) tag = file.get<long>("a node");
        for (long tag : tags) {
          const double x = file.get<double>("x"), y = file.get<double>("y"), z = file.get<double>("z");
          add_node(tag, x, y, z);
        }
      }
    } else if (section == "$Elements" && version < 4) {
      const long count = file.get<long>("the number of elements");
      for (long k = 0; k < count; ++k) {
        file.get<long>("an element");
        const int type = file.get<int>("a type"), tags = file.get<int>("tags");
        for (int t = 0; t < tags; ++t) file.get<long>("a tag");
        if (type == kHexahedron) add_element([&] { return file.get<long>("a node"); });
        file.skip_line();
      }
    } else if (section == "$Elements") {
      const long blocks = file.get<long>("blocks");
      for (int k = 0; k < 3; ++k) file.get<long>("a count");
      for (long block = 0; block < blocks; ++block) {
        for (int k = 0; k < 2; ++k) file.get<long>("an entity");
        const int type = file.get<int>("a type");
        const long count = file.get<long>("elements of a block");
        for (long k = 0; k < count; ++k) {
          file.get<long>("an element");
          if (type == kHexahedron) add_element([&] { return file.get<long>("a node"); });
          file.skip_line();
        }
      }
    }
  }
  if (mesh.elements.empty()) throw IoError(fmt::format("{}: found no 8-node hexahedra, expected a mesh of them", path));
  // Nodes of no hexahedron (centres of arcs, for example) would have no stiffness.
  std::vector<int> place(mesh.nodes.size(), -1);
  HexMesh out;
  for (auto& e : mesh.elements)
    for (int& node : e) {
      if (place[node] < 0) {
        place[node] = static_cast<int>(out.nodes.size());
        out.nodes.push_back(mesh.nodes[node]);
      }
      node = place[node];
    }
  out.elements = std::move(mesh.elements);
  return out;
}

}  // namespace cornet::sim
