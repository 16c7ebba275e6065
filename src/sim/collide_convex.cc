// Cylinders and capsules against convex pieces: nearest points by Bullet's GJK, EPA when the pieces overlap. GJK gives one point; the pose of
// the smaller piece is turned a little about four axes at right angles to the normal, which gives the other ends of a line or a face, and
// the gap there is measured along the first normal in the true pose.
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btAlignedAllocator.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "sim/collide.h"

namespace cornet::sim {
namespace {

constexpr double kTurn = 0.02;  // rad

// Bullet uses what its allocator returns without a look.
void* allocate_or_throw(std::size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[maybe_unused]] const bool kAllocatorSet = (btAlignedAllocSetCustom(allocate_or_throw, std::free), true);

btVector3 bullet(const Vector& a) { return {a[0], a[1], a[2]}; }
Vector eigen(const btVector3& a) { return {a.x(), a.y(), a.z()}; }

btTransform transform(const Vector& x, const Matrix& R) {
  return btTransform(btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), bullet(x));
}

std::unique_ptr<btConvexShape> make_shape(const Geometry& g) {
  std::unique_ptr<btConvexShape> out;
  switch (g.kind) {
    case ShapeKind::sphere: return std::make_unique<btSphereShape>(g.radius);
    case ShapeKind::capsule: return std::make_unique<btCapsuleShapeZ>(g.radius, 2 * g.half_length);
    case ShapeKind::cylinder: out = std::make_unique<btCylinderShapeZ>(btVector3(g.radius, g.radius, g.half_length)); break;
    default: {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const Vector& p : g.polytope.corners) hull->addPoint(bullet(p), false);
      hull->recalcLocalAabb();
      out = std::move(hull);
      out->setMargin(0);
      return out;
    }
  }
  out->setMargin(1e-4 * g.reach);  // stays inside the cylinder: Bullet shrinks it first
  return out;
}

struct Nearest : btDiscreteCollisionDetectorInterface::Result {
  bool found = false;
  Vector normal, on_b;
  double distance = 0;
  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3& n, const btVector3& p, btScalar depth) override {
    found = true;
    normal = eigen(n);
    on_b = eigen(p);
    distance = depth;
  }
};

Nearest nearest(const btConvexShape& a, const btTransform& ta, const btConvexShape& b, const btTransform& tb, double margin) {
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver depth;
  btGjkPairDetector detector(&a, &b, &simplex, &depth);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = ta;
  input.m_transformB = tb;
  input.m_maximumDistanceSquared = (margin + a.getMargin() + b.getMargin()) * (margin + a.getMargin() + b.getMargin());
  Nearest out;
  detector.getClosestPoints(input, out, nullptr);
  return out;
}

}  // namespace

void collide_convex(const Collider& a, const Collider& b, double margin, std::vector<Touch>& out) {
  const auto shape_a = make_shape(*a.geometry), shape_b = make_shape(*b.geometry);
  const btTransform tb = transform(b.x, b.R);
  const Nearest first = nearest(*shape_a, transform(a.x, a.R), *shape_b, tb, margin);
  if (!first.found || first.distance > margin) return;
  const std::size_t start = out.size();
  const double size = std::min(a.geometry->reach, b.geometry->reach > 0 ? b.geometry->reach : a.geometry->reach);
  const auto add = [&](const Vector& point, double gap) {
    for (std::size_t k = start; k < out.size(); ++k)
      if ((out[k].point - point).norm() < 0.05 * size) return;
    Touch t;
    t.gap = gap;
    t.normal = first.normal;
    t.point = point;
    out.push_back(t);
  };
  add(first.on_b + first.distance / 2 * first.normal, first.distance);
  const Vector s = any_tangent(first.normal), r = first.normal.cross(s);
  for (const Vector& axis : {s, Vector(-s), r, Vector(-r)}) {
    const Matrix turn = exponential(kTurn * axis).toRotationMatrix();
    const Nearest more = nearest(*shape_a, transform(a.x, turn * a.R), *shape_b, tb, margin + 2 * kTurn * size);
    if (!more.found || more.normal.dot(first.normal) < 0.9) continue;
    // The point of a goes back to where it is without the turn.
    const Vector on_a = a.x + turn.transpose() * (more.on_b + more.distance * more.normal - a.x);
    const double gap = first.normal.dot(on_a - first.on_b);
    if (gap <= margin && gap >= first.distance - 1e-3 * size) add(on_a - gap / 2 * first.normal, gap);
  }
}

}  // namespace cornet::sim
