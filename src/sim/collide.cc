// Pairs of pieces: spheres, capsules, planes exactly here; polytopes in collide_polytope.cc, cylinders in collide_convex.cc, meshes in
// collide_mesh.cc.
#include "sim/collide.h"

#include <algorithm>
#include <cmath>

namespace cornet::sim {

bool is_polytope(ShapeKind k) { return k == ShapeKind::box || k == ShapeKind::hull || k == ShapeKind::polygon; }

namespace {

// Two balls (or the nearest points of two capsules).
void balls(const Vector& ca, double ra, const Vector& cb, double rb, double margin, std::vector<Touch>& out) {
  const Vector d = ca - cb;
  const double squared = d.squaredNorm(), reach = ra + rb + margin;
  if (squared > reach * reach) return;
  const double distance = std::sqrt(squared);
  Touch t;
  t.gap = distance - ra - rb;
  t.normal = distance > 0 ? Vector(d / distance) : Vector::UnitZ();
  t.point = cb + (rb + t.gap / 2) * t.normal;
  out.push_back(t);
}

}  // namespace

void nearest_of_segments(const Vector& ca, const Vector& da, double la, const Vector& cb, const Vector& db, double lb, double& s,
                         double& t) {
  const Vector w = ca - cb;
  const double b = da.dot(db), d = da.dot(w), e = db.dot(w), det = 1 - b * b;
  s = det > 1e-12 ? std::clamp((b * e - d) / det, -la, la) : 0;
  t = std::clamp(b * s + e, -lb, lb);
  s = std::clamp(b * t - d, -la, la);
}

namespace {

void capsules(const Collider& a, const Collider& b, double margin, std::vector<Touch>& out) {
  const Geometry &ga = *a.geometry, &gb = *b.geometry;
  const double la = ga.kind == ShapeKind::capsule ? ga.half_length : 0, lb = gb.kind == ShapeKind::capsule ? gb.half_length : 0;
  const Vector da = a.R.col(2), db = b.R.col(2);
  // Nearly parallel axes: the two ends of the common part, so that capsules can lie side by side.
  const double along = da.dot(db);
  if (la > 0 && lb > 0 && std::abs(along) > 0.999) {
    const double middle = da.dot(b.x - a.x), reach = lb * std::abs(along);
    const double lower = std::max(-la, middle - reach), upper = std::min(la, middle + reach);
    if (upper - lower > 1e-3 * la) {
      for (const double s : {lower, upper}) {
        const Vector p = a.x + s * da;
        const double t = std::clamp(db.dot(p - b.x), -lb, lb);
        balls(p, ga.radius, b.x + t * db, gb.radius, margin, out);
      }
      return;
    }
  }
  double s = 0, t = 0;
  if (la == 0) t = std::clamp(db.dot(a.x - b.x), -lb, lb);
  else if (lb == 0) s = std::clamp(da.dot(b.x - a.x), -la, la);
  else nearest_of_segments(a.x, da, la, b.x, db, lb, s, t);
  balls(a.x + s * da, ga.radius, b.x + t * db, gb.radius, margin, out);
}

}  // namespace

void feet(const Collider& a, const Vector& n, std::vector<Vector>& out) {
  const Geometry& g = *a.geometry;
  out.clear();
  switch (g.kind) {
    case ShapeKind::sphere: out.emplace_back(a.x - g.radius * n); break;
    case ShapeKind::capsule:
      for (const double s : {-1.0, 1.0}) out.emplace_back(a.x + s * g.half_length * a.R.col(2) - g.radius * n);
      break;
    case ShapeKind::cylinder: {
      const Vector d = a.R.col(2);
      const Vector down = -(n - n.dot(d) * d);
      const double slant = down.norm();
      if (slant < 0.1) {  // it stands: four points of the lower rim, the lowest among them, or fixed to the body where all are low
        const double s = n.dot(d) > 0 ? -1 : 1;
        const Vector first = slant < 1e-3 ? Vector(a.R.col(0)) : Vector(down / slant), second = d.cross(first);
        for (int k = 0; k < 4; ++k) out.emplace_back(a.x + s * g.half_length * d + g.radius * (k % 2 ? second : first) * (k < 2 ? 1 : -1));
      } else {
        for (const double s : {-1.0, 1.0}) out.emplace_back(a.x + s * g.half_length * d + g.radius / slant * down);
      }
      break;
    }
    default:
      for (const Vector& p : g.polytope.corners) out.emplace_back(a.x + a.R * p);
  }
}

namespace {

// b is a plane: the solid half-space below its own z (in the plane: y).
void on_plane(const Collider& a, const Collider& b, double margin, const CollideOptions& options, std::vector<Touch>& out) {
  const Vector n = b.R.col(options.dim == 3 ? 2 : 1);
  std::vector<Vector> points;
  feet(a, n, points);
  const std::size_t first = out.size();
  for (const Vector& p : points) {
    const double gap = n.dot(p - b.x);
    if (gap > margin) continue;
    Touch t;
    t.gap = gap;
    t.normal = n;
    t.point = p - gap / 2 * n;
    out.push_back(t);
  }
  if (is_polytope(a.geometry->kind)) spread(out, first, options.dim == 2 ? 2 : options.points, a.R.col(0));
}

}  // namespace

Vector nearest_on_triangle(const Vector& p, const Vector& a, const Vector& b, const Vector& c) {
  const Vector ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vector bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const Vector cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b);
  const double scale = 1 / (va + vb + vc);
  return a + vb * scale * ab + vc * scale * ac;
}

namespace {

// Signed distance of p (own frame) to a polytope; outside, by the faces' Voronoi regions.
bool to_polytope(const Vector& p, const Polytope& poly, int dim, double limit, PointDistance& out) {
  int best = 0;
  double depth = -1e300;
  for (std::size_t f = 0; f < poly.faces.size(); ++f) {
    const double d = poly.normals[f].dot(p - poly.corners[poly.faces[f][0]]);
    if (d > limit) return false;
    if (d > depth) {
      depth = d;
      best = static_cast<int>(f);
    }
  }
  if (depth <= 0) {
    out = {depth, poly.normals[best], p - depth * poly.normals[best]};
    return true;
  }
  double least = 1e300;
  for (std::size_t f = 0; f < poly.faces.size(); ++f) {
    const auto& face = poly.faces[f];
    if (poly.normals[f].dot(p - poly.corners[face[0]]) <= 0) continue;
    if (dim == 2) {
      const Vector &a = poly.corners[face[0]], d = poly.corners[face[1]] - a;
      const Vector q = a + std::clamp(d.dot(p - a) / d.squaredNorm(), 0.0, 1.0) * d;
      if ((p - q).squaredNorm() < least) {
        least = (p - q).squaredNorm();
        out.nearest = q;
      }
      continue;
    }
    for (std::size_t k = 2; k < face.size(); ++k) {
      const Vector q = nearest_on_triangle(p, poly.corners[face[0]], poly.corners[face[k - 1]], poly.corners[face[k]]);
      if ((p - q).squaredNorm() < least) {
        least = (p - q).squaredNorm();
        out.nearest = q;
      }
    }
  }
  out.distance = std::sqrt(least);
  if (out.distance > limit) return false;
  out.normal = out.distance > 1e-14 ? Vector((p - out.nearest) / out.distance) : poly.normals[best];
  return true;
}

}  // namespace

void add_ball(const Collider& b, const PointDistance& d, double radius, std::vector<Touch>& out) {
  Touch t;
  t.gap = d.distance - radius;
  t.normal = b.R * d.normal;
  t.point = b.x + b.R * d.nearest + t.gap / 2 * t.normal;
  out.push_back(t);
}

namespace {

bool round(ShapeKind k) { return k == ShapeKind::sphere || k == ShapeKind::capsule; }

// The pair in one order; false when only the other order is known.
bool ordered(const Collider& a, const Collider& b, double margin, const CollideOptions& options, std::vector<Touch>& out) {
  const ShapeKind ka = a.geometry->kind, kb = b.geometry->kind;
  if (kb == ShapeKind::plane && ka != ShapeKind::plane && ka != ShapeKind::mesh) return on_plane(a, b, margin, options, out), true;
  if (kb == ShapeKind::mesh && ka != ShapeKind::plane && ka != ShapeKind::mesh) return collide_mesh(a, b, margin, options, out), true;
  if (ka == ShapeKind::sphere && kb == ShapeKind::sphere) return balls(a.x, a.geometry->radius, b.x, b.geometry->radius, margin, out), true;
  if (round(ka) && round(kb)) return capsules(a, b, margin, out), true;
  if (ka == ShapeKind::sphere && is_polytope(kb)) {
    PointDistance d;
    const Vector p = b.R.transpose() * (a.x - b.x);
    if (to_polytope(p, b.geometry->polytope, options.dim, a.geometry->radius + margin, d)) add_ball(b, d, a.geometry->radius, out);
    return true;
  }
  if (is_polytope(ka) && is_polytope(kb)) {
    collide_polytopes(a.geometry->polytope, a.x, a.R, b.geometry->polytope, b.x, b.R, options.dim, options.points, margin, out);
    return true;
  }
  return false;
}

}  // namespace

void collide(const Collider& a, const Collider& b, int number_a, int number_b, double margin, const CollideOptions& options,
             std::vector<Touch>& out) {
  const std::size_t first = out.size();
  if (!ordered(a, b, margin, options, out)) {
    if (ordered(b, a, margin, options, out)) {
      for (std::size_t k = first; k < out.size(); ++k) out[k].normal = -out[k].normal;
    } else if (a.geometry->reach < 1e300 && b.geometry->reach < 1e300 && a.geometry->kind != ShapeKind::mesh) {
      collide_convex(a, b, margin, out);
    }
  }
  for (std::size_t k = first; k < out.size(); ++k) {
    out[k].a = number_a;
    out[k].b = number_b;
  }
}

bool point_distance(const Vector& p, const Collider& c, double margin, double depth, PointDistance& out) {
  const Geometry& g = *c.geometry;
  const Vector q = c.R.transpose() * (p - c.x);
  PointDistance d;
  if (g.kind == ShapeKind::plane) d = {q[2], Vector::UnitZ(), Vector(q[0], q[1], 0)};
  else if (is_polytope(g.kind)) {
    if (!to_polytope(q, g.polytope, 3, margin, d)) return false;
  } else if (round(g.kind)) {
    const double s = g.kind == ShapeKind::capsule ? std::clamp(q[2], -g.half_length, g.half_length) : 0;
    const Vector from(q[0], q[1], q[2] - s);
    const double distance = from.norm();
    d.normal = distance > 0 ? Vector(from / distance) : Vector::UnitZ();
    d.distance = distance - g.radius;
    d.nearest = q - d.distance * d.normal;
  } else if (g.kind == ShapeKind::cylinder) {
    const double radial = std::hypot(q[0], q[1]) - g.radius, axial = std::abs(q[2]) - g.half_length;
    const Vector er = radial > -g.radius ? Vector(Vector(q[0], q[1], 0).normalized()) : Vector::UnitX();
    const Vector ez(0, 0, q[2] < 0 ? -1 : 1);
    if (radial > 0 && axial > 0) {
      d.distance = std::hypot(radial, axial);
      d.normal = (radial * er + axial * ez) / d.distance;
    } else if (radial > axial) {
      d = {radial, er, Vector::Zero()};
    } else {
      d = {axial, ez, Vector::Zero()};
    }
    d.nearest = q - d.distance * d.normal;
  } else if (g.kind != ShapeKind::mesh || !to_mesh(q, *g.mesh, margin, depth, d)) {
    return false;
  }
  if (d.distance > margin) return false;
  out = {d.distance, c.R * d.normal, c.x + c.R * d.nearest};
  return true;
}

}  // namespace cornet::sim
