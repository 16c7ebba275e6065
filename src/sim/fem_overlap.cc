// How deep solids lie in bodies and in each other at the start, when an overlap may be anything: a node, the surface of a piece, or its middle
// where it lies inside a solid whole. Inside is where the surface fills the solid angle 4π.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/mesh.h"
#include "sim/world.h"

namespace cornet::sim {
namespace {

// Solid angles of triangles: Van Oosterom and Strackee (1983).
bool is_inside(const TriangleMesh& mesh, const Vector& p) {
  double angle = 0;
  for (const Polytope& t : mesh.triangles) {
    const Vector a = t.corners[0] - p, b = t.corners[1] - p, c = t.corners[2] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle > 2 * std::numbers::pi;
}

double to_surface(const TriangleMesh& mesh, const Vector& p) {
  double least = 1e300;
  for (const Polytope& t : mesh.triangles)
    least = std::min(least, (p - nearest_on_triangle(p, t.corners[0], t.corners[1], t.corners[2])).norm());
  return least;
}

bool contains(const Bounds& box, const Vector& p) {
  return (p.array() >= box.lower.array()).all() && (p.array() <= box.upper.array()).all();
}

}  // namespace

SolidOverlap World::deepest_solid_overlap() {
  SolidOverlap worst;
  const int bodies_count = static_cast<int>(bodies.size());
  std::vector<std::shared_ptr<const TriangleMesh>> meshes;
  for (const SolidState& s : solids) meshes.push_back(surface_mesh(s));
  const auto take = [&](double depth, int solid, int other) {
    if (depth > worst.depth) worst = {depth, solid, other};
  };
  std::vector<Touch> touches;
  for (int i = 0; i < static_cast<int>(solids.size()); ++i) {
    const SolidState& s = solids[i];
    for (const Collider& c : colliders) {
      PointDistance d;
      for (const int node : s.surface)
        if (point_distance(s.position(node), c, 0, s.face_size / 2, d)) take(-d.distance, i, c.body);
      if (c.geometry->kind == ShapeKind::plane || c.geometry->kind == ShapeKind::mesh || !c.bounds.touches(meshes[i]->all())) continue;
      auto geometry = std::make_shared<Geometry>();
      geometry->kind = ShapeKind::mesh;
      geometry->mesh = meshes[i];
      Collider surface;
      surface.geometry = geometry;
      touches.clear();
      collide_mesh(c, surface, 0, CollideOptions{scene.dim, scene.contact_points}, touches);
      for (const Touch& t : touches) take(-t.gap, i, c.body);
      if (contains(meshes[i]->all(), c.x) && is_inside(*meshes[i], c.x)) take(to_surface(*meshes[i], c.x), i, c.body);
    }
    for (int j = 0; j < static_cast<int>(solids.size()); ++j) {
      if (j == i || !meshes[i]->all().touches(meshes[j]->all())) continue;
      for (const int node : s.surface) {
        const Vector p = s.position(node);
        if (!contains(meshes[j]->all(), p)) continue;
        const double depth = to_surface(*meshes[j], p);
        if (depth > worst.depth && is_inside(*meshes[j], p)) take(depth, i, bodies_count + j);
      }
    }
  }
  return worst;
}

}  // namespace cornet::sim
