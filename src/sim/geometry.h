// Shapes ready for collision: corners, faces and edges computed once, and where every piece is now.
#pragma once

#include <memory>
#include <vector>

#include "sim/types.h"

namespace cornet::sim {

/// A convex polyhedron, a triangle (two faces) or, in the plane, a convex polygon (its faces are its sides).
struct Polytope {
  std::vector<Vector> corners;
  std::vector<Vector> normals;          ///< one per face, outward
  std::vector<std::vector<int>> faces;  ///< corners of each face, counter-clockwise from outside
  std::vector<Vector> directions;       ///< of the edges, each direction once
  std::vector<std::array<int, 2>> edges;
  std::vector<int> edge_direction;  ///< which of `directions` an edge has
};

struct TriangleMesh;  // mesh.h

/// What a body is made of. Kinds: sphere (disk is one), capsule, cylinder, plane, box, hull, polygon, mesh.
struct Geometry {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;
  double half_length = 0;
  Vector half = Vector::Zero();
  Polytope polytope;  ///< box, hull, polygon
  std::shared_ptr<const TriangleMesh> mesh;
  double reach = 0;  ///< largest distance of a point from the origin; ∞ for a plane
};

/// One piece of a body.
struct Collider {
  int body = -1;
  std::shared_ptr<const Geometry> geometry;
  Vector offset = Vector::Zero();    ///< from the centre of mass, own frame of the body
  Matrix turn = Matrix::Identity();  ///< relative to the body
  // now
  Vector x = Vector::Zero();
  Matrix R = Matrix::Identity();
  Bounds bounds;
};

/// One point where two pieces touch or may touch. The normal points from b to a.
struct Touch {
  int a = -1, b = -1;  ///< colliders
  Vector point, normal;
  double gap = 0;
};

/// Mass, centre and inertia of a shape of density 1 about its own centre of mass (in the plane: area and polar moment).
struct MassProperties {
  double volume = 0;
  Vector centre = Vector::Zero();
  Matrix inertia = Matrix::Zero();
};

/// Throws InvalidProblem; `where` starts the message.
Polytope box_polytope(const Vector& half);
Polytope hull_polytope(const std::vector<Vec3>& points, const std::string& where);
Polytope polygon_polytope(const std::vector<Vec3>& points, const std::string& where);
Polytope triangle_polytope(const Vector& a, const Vector& b, const Vector& c);

/// The pieces of a shape, their offsets relative to the origin of the shape.
void add_colliders(const Shape& shape, const Pose& pose, int body, const std::string& where, std::vector<Collider>& out);

MassProperties mass_properties(const Shape& shape, const std::string& where);

/// Throws InvalidProblem when a mesh is not closed or has flat triangles.
void check_mesh(const Shape& shape, const std::string& where);

/// Updates x, R and the bounds (grown by `margin`) from the pose of the body.
void place(Collider& collider, const Vector& centre, const Matrix& rotation, double margin);

}  // namespace cornet::sim
