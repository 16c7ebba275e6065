// Pieces against the triangles of a mesh, from their front only: a sheet has no inside.
//
// A triangle alone does not know that its edge may lie within a floor: against a piece that comes along the floor the edge would be a step.
// At a point of the edge between two triangles the normal m may only lie between theirs, which is nowhere when they form a plane or a hollow:
//
//   m·b ≤ 0,  b in the plane of the neighbour, away from the edge           (and m·a ≤ 0 for the triangle itself)
//
// and at a vertex m·e ≤ 0 for all edges e that leave it.
// A touch with another normal is dropped; the neighbour has the right one, or the triangle itself: the feet of the piece above it.
//
// Balls, and capsules as two balls and the line between them, are exact. Polytopes and cylinders meet the triangles one by one; the touches of
// one normal together are then thinned out as those of a face.
#include <algorithm>
#include <cmath>

#include "sim/collide.h"
#include "sim/mesh.h"

namespace cornet::sim {
namespace {

constexpr double kSame = 1 - 1e-8;  // cosine between normals that are one
constexpr double kLean = 1e-3;      // rounding of a normal
constexpr double kSlack = 0.1;      // of the size of a piece
constexpr double kOnEdge = 1e-4;    // of the size of a triangle

// All in the frame of the mesh.
Vector inward(const Polytope& t, int edge) { return t.normals[0].cross((t.corners[(edge + 1) % 3] - t.corners[edge]).normalized()); }

// May a touch at p, a point of triangle `number`, have the normal m, other than that of the triangle?
bool may_lean(const TriangleMesh& mesh, int number, const Vector& p, const Vector& m) {
  const Polytope& t = mesh.triangles[number];
  if (m.dot(t.normals[0]) <= -kLean) return false;  // from behind
  bool on_border = false;
  double size = 0;
  for (int k = 0; k < 3; ++k) size = std::max(size, (t.corners[(k + 1) % 3] - t.corners[k]).norm());
  for (int k = 0; k < 3; ++k) {
    if ((p - t.corners[k]).norm() > kOnEdge * size) continue;
    const auto& star = mesh.star[mesh.vertices[number][k]];
    return std::all_of(star.begin(), star.end(), [&](const Vector& edge) { return m.dot(edge) <= kLean; });
  }
  for (int k = 0; k < 3; ++k) {
    const Vector in = inward(t, k);
    if (std::abs(in.dot(p - t.corners[k])) > kOnEdge * size) continue;
    on_border = true;
    if (m.dot(in) > kLean) return false;
    const Vector& beyond = mesh.beyond[number][k];
    if (!beyond.isZero() && m.dot(beyond) > kLean) return false;
  }
  return on_border;
}

enum class Edge { border, out, flat, hollow };  // no neighbour; it stands out; the neighbour lies in the same plane, or rises

Edge kind_of(const TriangleMesh& mesh, int number, int edge) {
  const Vector& beyond = mesh.beyond[number][edge];
  if (beyond.isZero()) return Edge::border;
  const double rise = beyond.dot(mesh.triangles[number].normals[0]);
  return rise < -kLean ? Edge::out : rise > kLean ? Edge::hollow : Edge::flat;
}

// Is p, a point of the triangle, on an edge within a floor, or (`flat` false) on one of another kind?
bool on_edge(const TriangleMesh& mesh, int number, const Vector& p, bool flat) {
  const Polytope& t = mesh.triangles[number];
  for (int k = 0; k < 3; ++k) {
    const Vector edge = t.corners[(k + 1) % 3] - t.corners[k];
    if (std::abs(inward(t, k).dot(p - t.corners[k])) > kOnEdge * edge.norm()) continue;
    if ((kind_of(mesh, number, k) == Edge::flat) == flat) return true;
  }
  return false;
}

// Above the triangle, or beyond a hollow edge of it by `slack` at most: who stands in a corner may have gone into the other wall a little.
bool above(const TriangleMesh& mesh, int number, const Vector& p, double slack) {
  const Polytope& t = mesh.triangles[number];
  for (int k = 0; k < 3; ++k)
    if (const double d = inward(t, k).dot(p - t.corners[k]); d < 0 && (d < -slack || kind_of(mesh, number, k) != Edge::hollow))
      return false;
  return true;
}

// Points on the border of a triangle count only where no face near by already carries the ball.
void ball_on_mesh(const Vector& centre, double radius, const Collider& b, double margin, std::vector<Touch>& out) {
  const TriangleMesh& mesh = *b.geometry->mesh;
  const Vector p = b.R.transpose() * (centre - b.x);
  Bounds around;
  around.add(p);
  around.grow(radius + margin);
  std::vector<int> near;
  mesh.near(around, near);
  struct Candidate {
    PointDistance d;
    bool face;
    const Polytope* triangle;
  };
  std::vector<Candidate> found;
  for (const int number : near) {
    const Polytope& t = mesh.triangles[number];
    const Vector& n = t.normals[0];
    const double height = n.dot(p - t.corners[0]);
    if (height > radius + margin || height < -radius) continue;
    const Vector q = nearest_on_triangle(p, t.corners[0], t.corners[1], t.corners[2]);
    const Vector d = p - q;
    const bool face = (d - height * n).squaredNorm() <= 1e-20 * (radius * radius + d.squaredNorm());
    if (face) {
      found.push_back({{height, n, q}, true, &t});
      continue;
    }
    const double distance = d.norm();
    if (height < 0 || distance > radius + margin) continue;
    found.push_back({{distance, d / distance, q}, false, &t});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& x, const Candidate& y) { return x.face != y.face ? x.face : x.d.distance < y.d.distance; });
  for (std::size_t k = 0; k < found.size(); ++k) {
    bool covered = false;
    for (std::size_t j = 0; j < k && !covered; ++j) {
      if ((found[j].d.nearest - found[k].d.nearest).squaredNorm() < 1e-12 * radius * radius) covered = true;
      // An edge of a face that carries the ball, or of its coplanar neighbour.
      const double off = found[j].triangle->normals[0].dot(found[k].d.nearest - found[j].d.nearest);
      if (!found[k].face && found[j].face && std::abs(off) < 1e-6 * radius) covered = true;
    }
    if (!covered) add_ball(b, found[k].d, radius, out);
  }
}

// The line between the ends of a capsule against the edges that stand out.
void line_on_mesh(const Collider& a, const Collider& b, double margin, const std::vector<int>& near, std::vector<Touch>& out) {
  const TriangleMesh& mesh = *b.geometry->mesh;
  const Vector c = b.R.transpose() * (a.x - b.x), d = b.R.transpose() * a.R.col(2);
  const double half = a.geometry->half_length, radius = a.geometry->radius;
  std::vector<Vector> seen;
  for (const int number : near)
    for (int k = 0; k < 3; ++k) {
      if (const Edge kind = kind_of(mesh, number, k); kind == Edge::flat || kind == Edge::hollow) continue;
      const Polytope& t = mesh.triangles[number];
      const Vector from = t.corners[k], edge = t.corners[(k + 1) % 3] - from;
      const double length = edge.norm();
      double s = 0, r = 0;
      nearest_of_segments(c, d, half, from + edge / 2, edge / length, length / 2, s, r);
      if (std::abs(s) > (1 - 1e-9) * half) continue;  // the balls at the ends have it
      const Vector q = from + edge / 2 + r * edge / length, away = c + s * d - q;
      const double distance = away.norm();
      if (!(distance > 0) || distance > radius + margin || !may_lean(mesh, number, q, away / distance)) continue;
      const auto twin = [&](const Vector& other) { return (other - q).norm() < 1e-6 * radius; };
      if (std::any_of(seen.begin(), seen.end(), twin)) continue;  // of the neighbour
      seen.push_back(q);
      add_ball(b, {distance, away / distance, q}, radius, out);
    }
}

// Keeps the touches from `first` on whose normals may be. With the normal of the triangle: on edges where the floor
// goes on only feet of a, others come from cutting there; on other edges all of them; inside the triangle those of polytopes. Those of cylinders are spare: their
// feet are better.
void filter(const Collider& a, const Collider& b, int number, std::size_t first, const std::vector<Vector>& feet_of_a,
            std::vector<Touch>& out, std::vector<Touch>& spare) {
  const TriangleMesh& mesh = *b.geometry->mesh;
  const Vector n = b.R * mesh.triangles[number].normals[0];
  const bool polytope = is_polytope(a.geometry->kind);
  const auto keep = [&](const Touch& t) {
    const Vector on_a = t.point + t.gap / 2 * t.normal, on_b = b.R.transpose() * (t.point - t.gap / 2 * t.normal - b.x);
    if (t.normal.dot(n) < kSame) return may_lean(mesh, number, on_b, b.R.transpose() * t.normal);
    if (on_edge(mesh, number, on_b, false)) return true;
    if (!polytope) return spare.push_back(t), false;
    const auto here = [&](const Vector& foot) { return (foot - on_a).squaredNorm() < 1e-16 * (1 + on_a.squaredNorm()); };
    return !on_edge(mesh, number, on_b, true) || std::any_of(feet_of_a.begin(), feet_of_a.end(), here);
  };
  const auto start = out.begin() + static_cast<std::ptrdiff_t>(first);
  out.erase(std::remove_if(start, out.end(), [&](const Touch& t) { return !keep(t); }), out.end());
}

// A foot behind two faces that meet at an edge that stands out has gone through the nearer one.
bool nearer_face(const TriangleMesh& mesh, const std::vector<int>& near, int number, const Vector& p, double gap) {
  const auto behind = [](const Polytope& t, const Polytope& other) {
    return t.normals[0].dot((other.corners[0] + other.corners[1] + other.corners[2]) / 3 - t.corners[0]) < 0;
  };
  const Polytope& t = mesh.triangles[number];
  return std::any_of(near.begin(), near.end(), [&](int k) {
    const Polytope& other = mesh.triangles[k];
    const double height = other.normals[0].dot(p - other.corners[0]);
    return height > gap && height <= 0 && behind(t, other) && behind(other, t) && above(mesh, k, p, 0);
  });
}

// The feet of a above a triangle.
void feet_on_triangle(const Collider& b, const std::vector<int>& near, int number, double margin, double slack,
                      const std::vector<Vector>& feet_of_a, std::vector<Touch>& out) {
  const TriangleMesh& mesh = *b.geometry->mesh;
  const Polytope& t = mesh.triangles[number];
  const Vector n = b.R * t.normals[0];
  for (const Vector& foot : feet_of_a) {
    const Vector p = b.R.transpose() * (foot - b.x);
    const double gap = t.normals[0].dot(p - t.corners[0]);
    if (gap > margin || !above(mesh, number, p, slack) || (gap < 0 && nearer_face(mesh, near, number, p, gap))) continue;
    Touch touch;
    touch.gap = gap;
    touch.normal = n;
    touch.point = foot - gap / 2 * n;
    out.push_back(touch);
  }
}

// Touches of one normal: no point twice, and no more than a face may have.
void thin_out(std::size_t first, int points, std::vector<Touch>& out) {
  const std::vector<Touch> all(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  std::vector<char> done(all.size(), 0);
  out.resize(first);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (done[k]) continue;
    const std::size_t start = out.size();
    for (std::size_t j = k; j < all.size(); ++j) {
      if (done[j] || all[j].normal.dot(all[k].normal) < kSame) continue;
      done[j] = 1;
      const auto twin = [&](const Touch& t) { return (t.point - all[j].point).squaredNorm() < 1e-16 * (1 + all[j].point.squaredNorm()); };
      if (std::none_of(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), twin)) out.push_back(all[j]);
    }
    spread(out, start, points, any_tangent(all[k].normal));
  }
}

}  // namespace

bool to_mesh(const Vector& p, const TriangleMesh& mesh, double margin, double depth, PointDistance& out) {
  Bounds around;
  around.add(p);
  around.grow(std::min(1e100, std::max(margin, depth)));
  std::vector<int> near;
  mesh.near(around, near);
  bool found = false;
  for (const int number : near) {
    const Polytope& t = mesh.triangles[number];
    const double height = t.normals[0].dot(p - t.corners[0]);
    if (height > margin || height < -depth || (height < 0 && !above(mesh, number, p, depth))) continue;
    const Vector q = nearest_on_triangle(p, t.corners[0], t.corners[1], t.corners[2]), d = p - q;
    const double distance = height < 0 ? height : d.norm();
    if (distance > margin || (found && std::abs(distance) >= std::abs(out.distance))) continue;
    out = {distance, distance > 1e-14 ? Vector(d / distance) : t.normals[0], q};
    found = true;
  }
  return found;
}

void collide_mesh(const Collider& a, const Collider& b, double margin, const CollideOptions& options, std::vector<Touch>& out) {
  const ShapeKind kind = a.geometry->kind;
  const TriangleMesh& mesh = *b.geometry->mesh;
  if (kind == ShapeKind::sphere) return ball_on_mesh(a.x, a.geometry->radius, b, margin, out);
  Bounds around = turned(a.bounds, -(b.R.transpose() * b.x), b.R.transpose());
  around.grow(margin);
  std::vector<int> near;
  mesh.near(around, near);
  if (kind == ShapeKind::capsule) {
    for (const double s : {-1.0, 1.0}) ball_on_mesh(a.x + s * a.geometry->half_length * a.R.col(2), a.geometry->radius, b, margin, out);
    return line_on_mesh(a, b, margin, near, out);
  }
  const std::size_t start = out.size();
  std::vector<Vector> points;
  std::vector<Touch> spare;
  const Vector centre = b.R.transpose() * (a.x - b.x);
  Collider triangle = b;
  for (const int number : near) {
    const Polytope& t = mesh.triangles[number];
    if (t.normals[0].dot(centre - t.corners[0]) < 0) continue;
    const std::size_t first = out.size();
    if (is_polytope(kind)) {
      collide_polytopes(a.geometry->polytope, a.x, a.R, t, b.x, b.R, options.dim, options.points, margin, out);
    } else {
      auto g = std::make_shared<Geometry>();
      g->kind = ShapeKind::hull;
      g->polytope = t;
      triangle.geometry = g;
      collide_convex(a, triangle, margin, out);
    }
    const std::size_t found = out.size() - first;
    if (found == 0) continue;
    feet(a, b.R * t.normals[0], points);
    filter(a, b, number, first, points, out, spare);
    if (out.size() == first || !is_polytope(kind)) feet_on_triangle(b, near, number, margin, kSlack * a.geometry->reach, points, out);
  }
  if (out.size() == start) out.insert(out.end(), spare.begin(), spare.end());
  thin_out(start, options.points, out);
}

}  // namespace cornet::sim
