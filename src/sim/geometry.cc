// Corners, faces and edges of shapes. The convex hull of points comes from Bullet; coplanar triangles are merged into faces here.
#include "sim/geometry.h"

#include <LinearMath/btConvexHullComputer.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "cornet/error.h"
#include "sim/mesh.h"

namespace cornet::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Collects the edges of the faces and their directions.
void add_edges(Polytope& p) {
  std::map<std::pair<int, int>, bool> seen;
  for (const auto& face : p.faces)
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int i = face[k], j = face[(k + 1) % face.size()];
      if (!seen.emplace(std::minmax(i, j), true).second) continue;
      const Vector d = (p.corners[j] - p.corners[i]).normalized();
      int number = -1;
      for (std::size_t m = 0; m < p.directions.size(); ++m)
        if (std::abs(std::abs(p.directions[m].dot(d)) - 1) < 1e-12) number = static_cast<int>(m);
      if (number < 0) {
        number = static_cast<int>(p.directions.size());
        p.directions.push_back(d);
      }
      p.edges.push_back({i, j});
      p.edge_direction.push_back(number);
    }
}

double reach_of(const std::vector<Vector>& points) {
  double out = 0;
  for (const Vector& p : points) out = std::max(out, p.norm());
  return out;
}

std::shared_ptr<const Geometry> make_geometry(const Shape& shape, const std::string& where) {
  auto g = std::make_shared<Geometry>();
  g->kind = shape.kind == ShapeKind::disk ? ShapeKind::sphere : shape.kind;
  g->radius = shape.radius;
  g->half_length = shape.length / 2;
  switch (shape.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk: g->reach = shape.radius; break;
    case ShapeKind::capsule: g->reach = shape.radius + shape.length / 2; break;
    case ShapeKind::cylinder: g->reach = std::hypot(shape.radius, shape.length / 2); break;
    case ShapeKind::plane: g->reach = kInfinity; break;
    case ShapeKind::box:
      g->half = vector(shape.size) / 2;
      g->polytope = box_polytope(g->half);
      break;
    case ShapeKind::hull: g->polytope = hull_polytope(shape.points, where); break;
    case ShapeKind::polygon: g->polytope = polygon_polytope(shape.points, where); break;
    case ShapeKind::mesh:
      check_mesh(shape, where);
      g->mesh = make_mesh(shape.points, shape.triangles);
      for (const Polytope& t : g->mesh->triangles) g->reach = std::max(g->reach, reach_of(t.corners));
      break;
    case ShapeKind::compound: break;
  }
  if (!g->polytope.corners.empty()) g->reach = reach_of(g->polytope.corners);
  return g;
}

}  // namespace

Polytope box_polytope(const Vector& half) {
  Polytope p;
  for (int k = 0; k < 8; ++k) p.corners.emplace_back((k & 1 ? 1 : -1) * half[0], (k & 2 ? 1 : -1) * half[1], (k & 4 ? 1 : -1) * half[2]);
  p.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) p.normals.push_back(sign * Vector::Unit(axis));
  add_edges(p);
  return p;
}

Polytope hull_polytope(const std::vector<Vec3>& points, const std::string& where) {
  btConvexHullComputer hull;
  std::vector<double> flat;
  for (const Vec3& x : points) flat.insert(flat.end(), x.begin(), x.end());
  if (points.size() >= 4) hull.compute(flat.data(), 3 * sizeof(double), static_cast<int>(points.size()), 0, 0);
  Polytope p;
  for (int k = 0; k < hull.vertices.size(); ++k) {
    // The computer works on a grid of integers: its corners are given back by number, the coordinates are the caller's.
    p.corners.push_back(vector(points[hull.original_vertex_index[k]]));
  }
  if (p.corners.size() < 4)
    throw InvalidProblem(fmt::format("{}: found {} points without a volume, expected a hull of at least 4 corners", where, points.size()));
  Bounds bounds;
  for (const Vector& x : p.corners) bounds.add(x);
  const double size = (bounds.upper - bounds.lower).norm();

  // Faces: their plane from the corners, coplanar neighbours merged.
  std::vector<std::pair<Vector, std::vector<int>>> planes;
  for (int f = 0; f < hull.faces.size(); ++f) {
    const auto* first = &hull.edges[hull.faces[f]];
    const auto* edge = first;
    std::vector<int> loop;
    do {
      loop.push_back(edge->getSourceVertex());
      edge = edge->getNextEdgeOfFace();
    } while (edge != first);
    Vector n = Vector::Zero();  // Newell's normal
    for (std::size_t k = 0; k < loop.size(); ++k) n += p.corners[loop[k]].cross(p.corners[loop[(k + 1) % loop.size()]]);
    if (n.norm() < 1e-14 * size * size) continue;
    n.normalize();
    bool merged = false;
    for (auto& [m, corners] : planes)
      if (m.dot(n) > 1 - 1e-10) {
        corners.insert(corners.end(), loop.begin(), loop.end());
        merged = true;
      }
    if (!merged) planes.emplace_back(n, loop);
  }
  Vector centre = Vector::Zero();
  for (const Vector& x : p.corners) centre += x / static_cast<double>(p.corners.size());
  for (auto& [n, corners] : planes) {
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    if (n.dot(p.corners[corners[0]] - centre) < 0) n = -n;
    Vector middle = Vector::Zero();
    for (int i : corners) middle += p.corners[i] / static_cast<double>(corners.size());
    const Vector t = any_tangent(n), s = n.cross(t);
    const auto angle = [&, normal = n](int i) { return std::atan2(s.dot(p.corners[i] - middle), t.dot(p.corners[i] - middle)); };
    std::sort(corners.begin(), corners.end(), [&](int i, int j) { return angle(i) < angle(j); });
    p.normals.push_back(n);
    p.faces.push_back(corners);
  }
  double volume = 0;
  for (std::size_t f = 0; f < p.faces.size(); ++f)
    for (std::size_t k = 2; k < p.faces[f].size(); ++k)
      volume +=
          (p.corners[p.faces[f][0]] - centre).dot((p.corners[p.faces[f][k - 1]] - centre).cross(p.corners[p.faces[f][k]] - centre)) / 6;
  if (!(volume > 1e-9 * size * size * size))
    throw InvalidProblem(fmt::format("{}: found a hull of volume {:.3g}, expected points that span a volume", where, volume));
  add_edges(p);
  return p;
}

Polytope polygon_polytope(const std::vector<Vec3>& points, const std::string& where) {
  Polytope p;
  const int n = static_cast<int>(points.size());
  if (n < 3) throw InvalidProblem(fmt::format("{}: found {} points, expected at least 3", where, n));
  for (const Vec3& x : points) p.corners.emplace_back(x[0], x[1], 0);
  for (int k = 0; k < n; ++k) {
    const Vector d = p.corners[(k + 1) % n] - p.corners[k], e = p.corners[(k + 2) % n] - p.corners[(k + 1) % n];
    if (!(d[0] * e[1] - d[1] * e[0] > 0))
      throw InvalidProblem(
          fmt::format("{}: found no left turn at point {}, expected a convex polygon, counter-clockwise", where, (k + 1) % n));
    p.normals.push_back(Vector(d[1], -d[0], 0).normalized());
    p.faces.push_back({k, (k + 1) % n});
  }
  return p;
}

Polytope triangle_polytope(const Vector& a, const Vector& b, const Vector& c) {
  Polytope p;
  p.corners = {a, b, c};
  p.normals = {(b - a).cross(c - a).normalized()};
  p.normals.push_back(-p.normals[0]);
  p.faces = {{0, 1, 2}, {0, 2, 1}};
  add_edges(p);
  return p;
}

void check_mesh(const Shape& shape, const std::string& where) {
  const int count = static_cast<int>(shape.points.size());
  std::map<std::pair<int, int>, int> edges;
  if (shape.triangles.empty()) throw InvalidProblem(fmt::format("{}/triangles: found none, expected at least one", where));
  for (std::size_t k = 0; k < shape.triangles.size(); ++k) {
    const auto& t = shape.triangles[k];
    for (int i : t)
      if (i < 0 || i >= count)
        throw InvalidProblem(fmt::format("{}/triangles/{}: found vertex {}, expected 0 to {}", where, k, i, count - 1));
    const Vector a = vector(shape.points[t[0]]), b = vector(shape.points[t[1]]), c = vector(shape.points[t[2]]);
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if (!((b - a).cross(c - a).norm() > 1e-12 * longest * longest))
      throw InvalidProblem(fmt::format("{}/triangles/{}: found a triangle without area", where, k));
    for (int e = 0; e < 3; ++e) {
      const int i = t[e], j = t[(e + 1) % 3];
      if (++edges[{i, j}] > 1)
        throw InvalidProblem(fmt::format(
            "{}/triangles/{}: edge {}–{} runs twice in the same direction, expected triangles of one orientation", where, k, i, j));
    }
  }
  if (shape.open) return;
  for (const auto& [edge, uses] : edges)
    if (!edges.contains({edge.second, edge.first}))
      throw InvalidProblem(fmt::format("{}/triangles: edge {}–{} belongs to one triangle, expected a closed mesh or \"open\": true", where,
                                       edge.first, edge.second));
}

void add_colliders(const Shape& shape, const Pose& pose, int body, const std::string& where, std::vector<Collider>& out) {
  if (shape.kind == ShapeKind::compound) {
    const Rotation q = rotation(pose);
    for (std::size_t k = 0; k < shape.parts.size(); ++k) {
      const ShapePart& part = shape.parts[k];
      Pose inner;
      inner.position = array(Vector(vector(pose.position) + q * vector(part.pose.position)));
      inner.orientation = array(Rotation(q * rotation(part.pose)));
      add_colliders(part.shape, inner, body, fmt::format("{}/parts/{}", where, k), out);
    }
    return;
  }
  Collider c;
  c.body = body;
  c.geometry = make_geometry(shape, where);
  c.offset = vector(pose.position);
  c.turn = rotation(pose).toRotationMatrix();
  out.push_back(std::move(c));
}

void place(Collider& c, const Vector& centre, const Matrix& R, double margin) {
  const Geometry& g = *c.geometry;
  c.x = centre + R * c.offset;
  c.R = R * c.turn;
  c.bounds = Bounds();
  switch (g.kind) {
    case ShapeKind::plane: {  // a half-space has bounds only when it lies along the axes
      c.bounds.lower.setConstant(-kInfinity);
      c.bounds.upper.setConstant(kInfinity);
      break;
    }
    case ShapeKind::capsule: {
      c.bounds.add(c.x + g.half_length * c.R.col(2));
      c.bounds.add(c.x - g.half_length * c.R.col(2));
      c.bounds.grow(g.radius);
      break;
    }
    case ShapeKind::box: {
      const Vector reach = c.R.cwiseAbs() * g.half;
      c.bounds.lower = c.x - reach;
      c.bounds.upper = c.x + reach;
      break;
    }
    case ShapeKind::hull:
    case ShapeKind::polygon:
      for (const Vector& p : g.polytope.corners) c.bounds.add(c.x + c.R * p);
      break;
    case ShapeKind::mesh: c.bounds = turned(g.mesh->all(), c.x, c.R); break;
    default: c.bounds.lower = c.x.array() - g.reach; c.bounds.upper = c.x.array() + g.reach;
  }
  c.bounds.grow(margin);
}

}  // namespace cornet::sim
