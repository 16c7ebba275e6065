// Gmsh meshes. What is read must be what the assembly of a solid relies on.
#include <cmath>

#include "fuzz/target.h"
#include "sim/fem.h"

namespace cornet::fuzz {

bool run_gmsh(std::string_view bytes) {
  const MemoryFile file(bytes);
  sim::HexMesh mesh;
  if (!accepts(file.path() + ": ", [&] { mesh = sim::read_gmsh(file.path()); })) return false;
  require(!mesh.elements.empty(), "a mesh without elements");
  for (const auto& node : mesh.nodes) require(node.allFinite(), "a node that is not finite");
  std::vector<char> used(mesh.nodes.size(), 0);
  for (const auto& element : mesh.elements)
    for (const int node : element) used.at(static_cast<std::size_t>(node)) = 1;
  for (const char u : used) require(u != 0, "a node of no element");
  sim::Solid solid;
  solid.mesh = file.path();
  accepts("/solids/0: ", [&] { sim::make_solid(solid, {0, 0, -9.81}, "/solids/0"); });
  return true;
}

}  // namespace cornet::fuzz
