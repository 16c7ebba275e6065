#include "sim/broadphase.h"

#include <algorithm>
#include <cmath>

namespace cornet::sim {
namespace {

constexpr double kLarge = 4;  // times the median size

}  // namespace

const std::vector<std::pair<int, int>>& Broadphase::pairs(const std::vector<Collider>& colliders, const std::vector<char>& active) {
  pairs_.clear();
  const int n = static_cast<int>(colliders.size());
  const auto consider = [&](int i, int j) {
    if (colliders[i].body == colliders[j].body || !(active[i] || active[j])) return;
    if (colliders[i].bounds.touches(colliders[j].bounds)) pairs_.emplace_back(std::min(i, j), std::max(i, j));
  };
  const auto extent = [&](int i) { return (colliders[i].bounds.upper - colliders[i].bounds.lower).maxCoeff(); };

  // Ordinary and large pieces.
  extents_.clear();
  for (int i = 0; i < n; ++i)
    if (const double e = extent(i); std::isfinite(e)) extents_.push_back(e);
  double limit = 0;
  if (!extents_.empty()) {
    const auto middle = extents_.begin() + static_cast<std::ptrdiff_t>(extents_.size() / 2);
    std::nth_element(extents_.begin(), middle, extents_.end());
    limit = kLarge * *middle;
  }
  small_.clear();
  large_.clear();
  double size = 0;
  for (int i = 0; i < n; ++i) {
    const double e = extent(i);
    if (e <= limit) {
      small_.push_back(i);
      size = std::max(size, e);
    } else {
      large_.push_back(i);
    }
  }
  for (std::size_t k = 0; k < large_.size(); ++k) {
    for (std::size_t m = k + 1; m < large_.size(); ++m) consider(large_[k], large_[m]);
    for (int i : small_) consider(large_[k], i);
  }

  // The grid, coarser when the pieces are far apart.
  const int count = static_cast<int>(small_.size());
  if (count > 1) {
    Bounds all;
    const auto centre = [&](int i) { return Vector((colliders[i].bounds.lower + colliders[i].bounds.upper) / 2); };
    for (int i : small_) all.add(centre(i));
    const Vector range = all.upper - all.lower;
    Eigen::Array3i cells;
    for (;; size *= 1.5) {
      const Eigen::Array3d wanted = (range.array() / size).floor() + 1;
      if (wanted.prod() <= 8.0 * count + 64) {
        cells = wanted.cast<int>();
        break;
      }
    }
    const int total = cells.prod();
    cell_.resize(count);
    start_.assign(total + 1, 0);
    for (int k = 0; k < count; ++k) {
      const Eigen::Array3i c = ((centre(small_[k]) - all.lower).array() / size).floor().cast<int>().min(cells - 1);
      cell_[k] = (c[2] * cells[1] + c[1]) * cells[0] + c[0];
      ++start_[cell_[k] + 1];
    }
    for (int c = 0; c < total; ++c) start_[c + 1] += start_[c];
    order_.resize(count);
    std::vector<int>& next = large_;  // its content is not needed any more
    next.assign(start_.begin(), start_.end() - 1);
    for (int k = 0; k < count; ++k) order_[next[cell_[k]]++] = small_[k];

    for (int z = 0; z < cells[2]; ++z)
      for (int y = 0; y < cells[1]; ++y)
        for (int x = 0; x < cells[0]; ++x) {
          const int c = (z * cells[1] + y) * cells[0] + x;
          for (int k = start_[c]; k < start_[c + 1]; ++k) {
            for (int m = k + 1; m < start_[c + 1]; ++m) consider(order_[k], order_[m]);
            // Half of the 26 neighbours; the others look back.
            for (int dz = 0; dz <= 1; ++dz)
              for (int dy = dz ? -1 : 0; dy <= 1; ++dy)
                for (int dx = dz || dy ? -1 : 1; dx <= 1; ++dx) {
                  const int nx = x + dx, ny = y + dy, nz = z + dz;
                  if (nx < 0 || ny < 0 || nx >= cells[0] || ny >= cells[1] || nz >= cells[2]) continue;
                  const int d = (nz * cells[1] + ny) * cells[0] + nx;
                  for (int m = start_[d]; m < start_[d + 1]; ++m) consider(order_[k], order_[m]);
                }
          }
        }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace cornet::sim
