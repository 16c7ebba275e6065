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

/// Signed distance of a point to a piece, the nearest point of its surface and the outward normal there. For nodes of solids.
struct PointDistance {
  double distance = 0;
  Vector normal, nearest;
};
bool point_distance(const Vector& p, const Collider& c, double margin, PointDistance& out);

/// Polytopes at poses (x, R): separating axes, then clipping of the two faces that meet.
void collide_polytopes(const Polytope& a, const Vector& xa, const Matrix& ra, const Polytope& b, const Vector& xb, const Matrix& rb,
                       int dim, int points, double margin, std::vector<Touch>& out);

/// Round or cylindrical pieces against convex ones, by the distance of Bullet (GJK, EPA), several points by small rotations.
void collide_convex(const Collider& a, const Collider& b, double margin, std::vector<Touch>& out);

/// Drops points so that at most `count` remain, spread as far as possible. `first` is the index of the first of them.
void spread(std::vector<Touch>& touches, std::size_t first, int count, const Vector& direction);

}  // namespace cornet::sim
