// Where do two pieces touch? Every function appends the points whose gap is at most `margin`; the normal points from b to a.
#pragma once

#include <vector>

#include "sim/geometry.h"

namespace cornet::sim {

struct CollideOptions {
  int dim = 3;
  int points = 4;  ///< most points between two faces
};

/// Any two pieces.
void collide(const Collider& a, const Collider& b, int number_a, int number_b, double margin, const CollideOptions& options,
             std::vector<Touch>& out);

/// Signed distance of a point to a piece, the nearest point of its surface and the outward normal there. For nodes of solids. A mesh, which has
/// no inside, knows points behind it down to `depth`.
struct PointDistance {
  double distance = 0;
  Vector normal, nearest;
};
bool point_distance(const Vector& p, const Collider& c, double margin, double depth, PointDistance& out);

/// Polytopes at poses (x, R): separating axes, then clipping of the two faces that meet.
void collide_polytopes(const Polytope& a, const Vector& xa, const Matrix& ra, const Polytope& b, const Vector& xb, const Matrix& rb,
                       int dim, int points, double margin, std::vector<Touch>& out);

/// Round or cylindrical pieces against convex ones, by the distance of Bullet (GJK, EPA), several points by small rotations.
void collide_convex(const Collider& a, const Collider& b, double margin, std::vector<Touch>& out);

/// Anything but a plane or a mesh against a mesh.
void collide_mesh(const Collider& a, const Collider& b, double margin, const CollideOptions& options, std::vector<Touch>& out);

/// The same for a point in the frame of a mesh.
bool to_mesh(const Vector& p, const TriangleMesh& mesh, double margin, double depth, PointDistance& out);

/// The points of a convex piece that reach a plane of normal n first: corners, ends, four points of the rim of a cylinder that stands.
void feet(const Collider& a, const Vector& n, std::vector<Vector>& out);

/// The touch of a ball with b at a distance of its centre from it (own frame of b).
void add_ball(const Collider& b, const PointDistance& d, double radius, std::vector<Touch>& out);

/// Nearest points ca + s da, cb + t db of two segments, |s| ≤ la, |t| ≤ lb; da and db are unit vectors.
void nearest_of_segments(const Vector& ca, const Vector& da, double la, const Vector& cb, const Vector& db, double lb, double& s,
                         double& t);

Vector nearest_on_triangle(const Vector& p, const Vector& a, const Vector& b, const Vector& c);

bool is_polytope(ShapeKind k);

/// Drops points so that at most `count` remain, spread as far as possible. `first` is the index of the first of them.
void spread(std::vector<Touch>& touches, std::size_t first, int count, const Vector& direction);

}  // namespace cornet::sim
