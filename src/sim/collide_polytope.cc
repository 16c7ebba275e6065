// Two convex polytopes. The axis of largest separation among the normals of the faces and the products of the edges gives the normal; if it
// belongs to a face, the face of the other body that looks against it is clipped by the sides of that face, and what is left are the points.
// If it belongs to two edges, their nearest points are the point. An axis of edges must beat the faces clearly, so that bodies at rest
// on a face do not change their normal from step to step.
//
// Fails for gaps that are large compared with the curvature of the bodies: the separation along the best axis is then only a lower bound
// of the distance (a corner near a corner). Contacts have small gaps.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/collide.h"

namespace cornet::sim {
namespace {

constexpr double kEdgeBias = 1e-3;  // of the size of the smaller body
constexpr int kMaximum = 64;        // corners of a clipped face

struct Placed {
  const Polytope& p;
  const Vector& x;
  const Matrix& R;
  Vector corner(int i) const { return x + R * p.corners[i]; }
  double lowest(const Vector& n) const {  // min over corners of n·x
    const Vector local = R.transpose() * n;
    double out = 1e300;
    for (const Vector& c : p.corners) out = std::min(out, local.dot(c));
    return out + n.dot(x);
  }
  double highest(const Vector& n) const { return -lowest(-n); }
};

struct Axis {
  double separation = -1e300;
  Vector normal;  // from b to a
  int face_a = -1, face_b = -1;
  int edge_a = -1, edge_b = -1;  // directions
};

int opposed_face(const Polytope& p, const Vector& local) {
  int best = 0;
  for (std::size_t f = 1; f < p.faces.size(); ++f)
    if (p.normals[f].dot(local) < p.normals[best].dot(local) - 1e-9) best = static_cast<int>(f);
  return best;
}

// Clips the polygon in place by n·x ≤ offset.
int clip(std::array<Vector, kMaximum>& polygon, int count, const Vector& n, double offset) {
  std::array<Vector, kMaximum> out;
  int m = 0;
  for (int k = 0; k < count; ++k) {
    const Vector &p = polygon[k], &q = polygon[(k + 1) % count];
    const double dp = n.dot(p) - offset, dq = n.dot(q) - offset;
    if (dp <= 0 && m < kMaximum) out[m++] = p;
    if (count > 1 && ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) && m < kMaximum && !(count == 2 && k == 1))
      out[m++] = p + dp / (dp - dq) * (q - p);
  }
  polygon = out;
  return m;
}

// Points of `incident`'s face below the reference face; n is the outward normal of the reference. `flip`: the reference is a.
void clip_faces(const Placed& reference, int face, const Placed& incident, const Vector& n, bool flip, int dim, int points, double margin,
                std::vector<Touch>& out) {
  const auto& loop = reference.p.faces[face];
  const auto& other = incident.p.faces[opposed_face(incident.p, incident.R.transpose() * n)];
  std::array<Vector, kMaximum> polygon;
  int count = 0;
  for (int i : other)
    if (count < kMaximum) polygon[count++] = incident.corner(i);
  const Vector first = reference.corner(loop[0]);
  const Vector along = (reference.corner(loop[1]) - first).normalized();
  if (dim == 2) {
    const double lower = along.dot(first), upper = along.dot(reference.corner(loop[1]));
    count = clip(polygon, count, along, upper);
    count = clip(polygon, count, -along, -lower);
  } else {
    for (std::size_t k = 0; k < loop.size() && count > 0; ++k) {
      const Vector p = reference.corner(loop[k]), q = reference.corner(loop[(k + 1) % loop.size()]);
      const Vector side = (q - p).cross(n).normalized();
      count = clip(polygon, count, side, side.dot(p));
    }
  }
  // More points than corners are wanted: the middles of the sides as well.
  if (dim == 3 && points > 4 && count >= 3 && 2 * count <= kMaximum && count < points)
    for (int k = 0, corners = count; k < corners; ++k) polygon[count++] = (polygon[k] + polygon[(k + 1) % corners]) / 2;
  const std::size_t start = out.size();
  for (int k = 0; k < count; ++k) {
    const double gap = n.dot(polygon[k] - first);
    if (gap > margin) continue;
    Touch t;
    t.gap = gap;
    t.normal = flip ? Vector(-n) : n;
    t.point = polygon[k] - gap / 2 * n;
    bool twin = false;  // a corner cut twice
    for (std::size_t j = start; j < out.size(); ++j)
      twin = twin || (out[j].point - t.point).squaredNorm() < 1e-16 * (1 + along.squaredNorm());
    if (!twin) out.push_back(t);
  }
  spread(out, start, dim == 2 ? 2 : points, along);
}

void edge_point(const Placed& a, const Placed& b, const Axis& axis, std::vector<Touch>& out) {
  // The edges of the two directions that lie farthest out along the normal.
  const auto farthest = [&](const Placed& body, int direction, const Vector& n) {
    int best = -1;
    double value = -1e300;
    for (std::size_t e = 0; e < body.p.edges.size(); ++e) {
      if (body.p.edge_direction[e] != direction) continue;
      const double d = n.dot(body.corner(body.p.edges[e][0]) + body.corner(body.p.edges[e][1]));
      if (d > value + 1e-12) {
        value = d;
        best = static_cast<int>(e);
      }
    }
    return best;
  };
  const int ea = farthest(a, axis.edge_a, -axis.normal), eb = farthest(b, axis.edge_b, axis.normal);
  const Vector pa = a.corner(a.p.edges[ea][0]), da = a.corner(a.p.edges[ea][1]) - pa;
  const Vector pb = b.corner(b.p.edges[eb][0]), db = b.corner(b.p.edges[eb][1]) - pb;
  const Vector w = pa - pb;
  const double aa = da.squaredNorm(), bb = db.squaredNorm(), ab = da.dot(db), det = aa * bb - ab * ab;
  if (!(det > 0)) return;
  const double s = std::clamp((ab * db.dot(w) - bb * da.dot(w)) / det, 0.0, 1.0);
  const double r = std::clamp((aa * db.dot(w) - ab * da.dot(w)) / det, 0.0, 1.0);
  const Vector qa = pa + s * da, qb = pb + r * db;
  Touch t;
  t.gap = axis.normal.dot(qa - qb);
  t.normal = axis.normal;
  t.point = (qa + qb) / 2;
  out.push_back(t);
}

}  // namespace

void spread(std::vector<Touch>& touches, std::size_t first, int count, const Vector& direction) {
  const int n = static_cast<int>(touches.size() - first);
  if (n <= count || count < 1) return;
  const auto point = [&](int k) -> const Vector& { return touches[first + k].point; };
  std::vector<int> keep;
  const auto take_best = [&](auto&& value) {
    int best = -1;
    double most = -1e300;
    for (int k = 0; k < n; ++k) {
      if (std::find(keep.begin(), keep.end(), k) != keep.end()) continue;
      const double v = value(k);
      if (v > most + 1e-12 * (1 + std::abs(most))) {
        most = v;
        best = k;
      }
    }
    keep.push_back(best);
  };
  const Vector normal = touches[first].normal;
  const Vector across = normal.cross(direction);
  take_best([&](int k) { return direction.dot(point(k)) + 0.5 * across.dot(point(k)); });
  if (count > 1) take_best([&](int k) { return (point(k) - point(keep[0])).squaredNorm(); });
  if (count > 2) {
    const Vector base = point(keep[1]) - point(keep[0]);
    take_best([&](int k) { return normal.dot(base.cross(point(k) - point(keep[0]))); });
    if (count > 3) take_best([&](int k) { return -normal.dot(base.cross(point(k) - point(keep[0]))); });
  }
  while (static_cast<int>(keep.size()) < count)
    take_best([&](int k) {
      double least = 1e300;
      for (int j : keep) least = std::min(least, (point(k) - point(j)).squaredNorm());
      return least;
    });
  std::sort(keep.begin(), keep.end());
  for (std::size_t k = 0; k < keep.size(); ++k) touches[first + k] = touches[first + keep[k]];
  touches.resize(first + keep.size());
}

void collide_polytopes(const Polytope& pa, const Vector& xa, const Matrix& ra, const Polytope& pb, const Vector& xb, const Matrix& rb,
                       int dim, int points, double margin, std::vector<Touch>& out) {
  const Placed a{pa, xa, ra}, b{pb, xb, rb};
  Axis faces;
  for (std::size_t f = 0; f < pb.faces.size(); ++f) {
    const Vector n = rb * pb.normals[f];
    const double s = a.lowest(n) - n.dot(b.corner(pb.faces[f][0]));
    if (s > margin) return;
    if (s > faces.separation + 1e-9) faces = {s, n, -1, static_cast<int>(f), -1, -1};
  }
  for (std::size_t f = 0; f < pa.faces.size(); ++f) {
    const Vector n = ra * pa.normals[f];
    const double s = b.lowest(n) - n.dot(a.corner(pa.faces[f][0]));
    if (s > margin) return;
    if (s > faces.separation + 1e-9) faces = {s, -n, static_cast<int>(f), -1, -1, -1};
  }
  Axis edges;
  if (dim == 3)
    for (std::size_t i = 0; i < pa.directions.size(); ++i)
      for (std::size_t j = 0; j < pb.directions.size(); ++j) {
        Vector n = (ra * pa.directions[i]).cross(rb * pb.directions[j]);
        const double length = n.norm();
        if (length < 1e-3) continue;  // nearly parallel edges: a face says the same better
        n /= length;
        const double up = a.lowest(n) - b.highest(n), down = b.lowest(n) - a.highest(n);
        const double s = std::max(up, down);
        if (s > margin) return;
        if (s > edges.separation + 1e-9) edges = {s, up >= down ? n : Vector(-n), -1, -1, static_cast<int>(i), static_cast<int>(j)};
      }
  double size = 1e300;
  for (const Placed* body : {&a, &b}) {
    double reach = 0;
    for (const Vector& c : body->p.corners) reach = std::max(reach, (c - body->p.corners[0]).norm());
    size = std::min(size, reach);
  }
  if (edges.separation > faces.separation + kEdgeBias * size) return edge_point(a, b, edges, out);
  const std::size_t first = out.size();
  if (faces.face_b >= 0) clip_faces(b, faces.face_b, a, faces.normal, false, dim, points, margin, out);
  else clip_faces(a, faces.face_a, b, -faces.normal, true, dim, points, margin, out);
  // Beside the face nothing is left of the other one: the edges are what meets.
  if (out.size() == first && edges.edge_a >= 0) edge_point(a, b, edges, out);
}

}  // namespace cornet::sim
