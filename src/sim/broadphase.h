// Which pieces are near each other: pairs of overlapping bounds, in lexicographic order.
//
// Pieces of ordinary size are sorted into a grid of cells as large as the largest of them, so that neighbours are in neighbouring cells;
// the few that are much larger than the rest (planes, meshes, walls) are compared with all. O(n) while bodies do not pile up in one cell.
#pragma once

#include <utility>
#include <vector>

#include "sim/geometry.h"

namespace cornet::sim {

class Broadphase {
 public:
  /// `active[i]`: piece i belongs to a body that can move by itself; pairs of two others are left out, and pairs of the same body.
  const std::vector<std::pair<int, int>>& pairs(const std::vector<Collider>& colliders, const std::vector<char>& active);

 private:
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> small_, large_, cell_, start_, order_;
  std::vector<double> extents_;
};

}  // namespace cornet::sim
