// Surfaces of shapes as triangles, for people to look at.
#include <cmath>

#include "cornet/sim_record.h"
#include "sim/geometry.h"

namespace cornet::sim {
namespace {

constexpr int kAround = 20, kRings = 10;

// A body of revolution about z: rings of (radius, height) from the bottom to the top.
Surface revolve(const std::vector<std::pair<double, double>>& rings) {
  Surface s;
  for (const auto& [r, z] : rings)
    for (int k = 0; k < kAround; ++k) {
      const double a = 2 * M_PI * k / kAround;
      s.points.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  for (int ring = 0; ring + 1 < static_cast<int>(rings.size()); ++ring)
    for (int k = 0; k < kAround; ++k) {
      const int a = ring * kAround + k, b = ring * kAround + (k + 1) % kAround;
      s.triangles.push_back({a, b, b + kAround});
      s.triangles.push_back({a, b + kAround, a + kAround});
    }
  return s;
}

Surface of_polytope(const Polytope& p) {
  Surface s;
  for (const Vector& x : p.corners) s.points.push_back(array(x));
  for (const auto& face : p.faces)
    for (std::size_t k = 2; k < face.size(); ++k) s.triangles.push_back({face[0], face[k - 1], face[k]});
  return s;
}

// A flat shape of the plane.
Surface fan(const std::vector<Vec3>& points) {
  Surface s;
  s.points = points;
  for (int k = 2; k < static_cast<int>(points.size()); ++k) s.triangles.push_back({0, k - 1, k});
  return s;
}

}  // namespace

Surface surface_of(const Shape& shape, double plane_size) {
  const double r = shape.radius, half = shape.length / 2;
  switch (shape.kind) {
    case ShapeKind::sphere:
    case ShapeKind::capsule: {
      std::vector<std::pair<double, double>> rings;
      for (int k = 0; k <= kRings; ++k) {
        const double a = M_PI * (static_cast<double>(k) / kRings - 0.5), shift = shape.kind == ShapeKind::sphere ? 0
                                                                                 : k <= kRings / 2               ? -half
                                                                                                                 : half;
        rings.emplace_back(r * std::cos(a), r * std::sin(a) + shift);
        if (shape.kind == ShapeKind::capsule && k == kRings / 2) rings.emplace_back(r, half);
      }
      return revolve(rings);
    }
    case ShapeKind::cylinder: return revolve({{0, -half}, {r, -half}, {r, half}, {0, half}});
    case ShapeKind::box: return of_polytope(box_polytope(vector(shape.size) / 2));
    case ShapeKind::hull: return of_polytope(hull_polytope(shape.points, "shape"));
    case ShapeKind::plane: {
      const double s = plane_size / 2;
      return fan({{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}});
    }
    case ShapeKind::mesh: return {shape.points, shape.triangles};
    case ShapeKind::polygon: return fan(shape.points);
    case ShapeKind::disk: {
      std::vector<Vec3> points;
      for (int k = 0; k < kAround; ++k) points.push_back({r * std::cos(2 * M_PI * k / kAround), r * std::sin(2 * M_PI * k / kAround), 0});
      return fan(points);
    }
    case ShapeKind::compound: break;
  }
  Surface out;
  for (const ShapePart& part : shape.parts) {
    const Surface s = surface_of(part.shape, plane_size);
    const int first = static_cast<int>(out.points.size());
    const Rotation q = rotation(part.pose);
    for (const Vec3& p : s.points) out.points.push_back(array(Vector(vector(part.pose.position) + q * vector(p))));
    for (const auto& t : s.triangles) out.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return out;
}

}  // namespace cornet::sim
