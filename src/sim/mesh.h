// The triangles of a mesh, what lies beyond each of their edges, and a tree of boxes to find those near a place.
#pragma once

#include <memory>
#include <vector>

#include "sim/geometry.h"

namespace cornet::sim {

struct TriangleMesh {
  std::vector<Polytope> triangles;

  /// For edge k, from corner k to corner k + 1: the unit vector in the plane of the neighbour at right angles to the edge, away from it.
  /// Zero at a border.
  std::vector<std::array<Vector, 3>> beyond;

  /// Directions of the edges that leave a vertex, and the vertices of each triangle. Vertices are told apart by their places.
  std::vector<std::vector<Vector>> star;
  std::vector<std::array<int, 3>> vertices;

  /// Triangles whose boxes touch `box` (own frame), in ascending order.
  void near(const Bounds& box, std::vector<int>& out) const;

  const Bounds& all() const { return nodes.front().box; }

  struct Node {
    Bounds box;
    int first = 0, count = 0;   ///< of `order`, in a leaf
    int left = -1, right = -1;  ///< in a fork
  };
  std::vector<Node> nodes;
  std::vector<int> order;
};

/// Neighbours are found by the places of the corners, not by their numbers: a mesh may repeat its vertices.
std::shared_ptr<const TriangleMesh> make_mesh(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& triangles);

/// A box seen from another frame: the box along its axes around x + R·box.
Bounds turned(const Bounds& box, const Vector& x, const Matrix& R);

}  // namespace cornet::sim
