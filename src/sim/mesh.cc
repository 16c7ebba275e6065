#include "sim/mesh.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cornet::sim {
namespace {

constexpr int kLeaf = 4;

// Halves the triangles order[first … first + count) at the median of their middles along the longest side, again and again.
int grow(TriangleMesh& mesh, const std::vector<Bounds>& boxes, int first, int count) {
  const int number = static_cast<int>(mesh.nodes.size());
  mesh.nodes.emplace_back();
  Bounds box;
  for (int k = first; k < first + count; ++k) {
    box.add(boxes[mesh.order[k]].lower);
    box.add(boxes[mesh.order[k]].upper);
  }
  mesh.nodes[number].box = box;
  if (count <= kLeaf) {
    mesh.nodes[number].first = first;
    mesh.nodes[number].count = count;
    return number;
  }
  int axis = 0;
  (box.upper - box.lower).maxCoeff(&axis);
  const auto middle = [&](int t) { return boxes[t].lower[axis] + boxes[t].upper[axis]; };
  const auto start = mesh.order.begin() + first;
  std::nth_element(start, start + count / 2, start + count,
                   [&](int i, int j) { return std::pair(middle(i), i) < std::pair(middle(j), j); });
  const int left = grow(mesh, boxes, first, count / 2);
  const int right = grow(mesh, boxes, first + count / 2, count - count / 2);
  mesh.nodes[number].left = left;
  mesh.nodes[number].right = right;
  return number;
}

}  // namespace

void TriangleMesh::near(const Bounds& box, std::vector<int>& out) const {
  out.clear();
  std::array<int, 64> waiting;  // the tree is balanced
  int count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const Node& node = nodes[waiting[--count]];
    if (!node.box.touches(box)) continue;
    if (node.left >= 0) {
      waiting[count++] = node.left;
      waiting[count++] = node.right;
    } else {
      out.insert(out.end(), order.begin() + node.first, order.begin() + node.first + node.count);
    }
  }
  std::sort(out.begin(), out.end());
}

std::shared_ptr<const TriangleMesh> make_mesh(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& triangles) {
  auto mesh = std::make_shared<TriangleMesh>();
  const int count = static_cast<int>(triangles.size());
  std::vector<Bounds> boxes(count);
  std::map<std::pair<Vec3, Vec3>, std::pair<int, int>> edges;  // triangle and its edge
  for (int k = 0; k < count; ++k) {
    const auto& t = triangles[k];
    mesh->triangles.push_back(triangle_polytope(vector(points[t[0]]), vector(points[t[1]]), vector(points[t[2]])));
    for (const Vector& p : mesh->triangles[k].corners) boxes[k].add(p);
    for (int e = 0; e < 3; ++e) edges.emplace(std::pair(points[t[e]], points[t[(e + 1) % 3]]), std::pair(k, e));
  }
  mesh->beyond.resize(count);
  for (int k = 0; k < count; ++k)
    for (int e = 0; e < 3; ++e) {
      const Vec3 &from = points[triangles[k][e]], &to = points[triangles[k][(e + 1) % 3]];
      const auto other = edges.find(std::pair(to, from));
      mesh->beyond[k][e] = Vector::Zero();
      if (other == edges.end()) continue;
      const Vector along = (vector(from) - vector(to)).normalized();  // as the neighbour runs
      mesh->beyond[k][e] = mesh->triangles[other->second.first].normals[0].cross(along);
    }
  std::map<Vec3, int> places;
  for (const auto& t : triangles) {
    auto& own = mesh->vertices.emplace_back();
    for (int e = 0; e < 3; ++e) own[e] = places.emplace(points[t[e]], static_cast<int>(places.size())).first->second;
  }
  mesh->star.resize(places.size());
  for (int k = 0; k < count; ++k)
    for (int e = 0; e < 3; ++e)
      for (const int other : {(e + 1) % 3, (e + 2) % 3}) {
        const auto& corners = mesh->triangles[k].corners;
        mesh->star[mesh->vertices[k][e]].push_back((corners[other] - corners[e]).normalized());
      }
  mesh->order.resize(count);
  std::iota(mesh->order.begin(), mesh->order.end(), 0);
  grow(*mesh, boxes, 0, count);
  return mesh;
}

Bounds turned(const Bounds& box, const Vector& x, const Matrix& R) {
  const Vector middle = x + R * (box.lower + box.upper) / 2, reach = R.cwiseAbs() * (box.upper - box.lower) / 2;
  Bounds out;
  out.lower = middle - reach;
  out.upper = middle + reach;
  return out;
}

}  // namespace cornet::sim
