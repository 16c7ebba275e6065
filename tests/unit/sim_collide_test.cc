// Collision of single pairs, masses of shapes, and neighbours from the grid against all pairs.
#include <gtest/gtest.h>

#include <random>

#include "sim/broadphase.h"
#include "sim/collide.h"
#include "sim/library.h"

namespace cornet::sim {
namespace {

Collider piece(const Shape& shape, const Vector& x, const Rotation& q = Rotation::Identity(), int body = 0) {
  std::vector<Collider> out;
  add_colliders(shape, Pose{}, body, "shape", out);
  place(out.at(0), x, q.toRotationMatrix(), 0.05);
  return out.at(0);
}

std::vector<Touch> touch(const Collider& a, const Collider& b, double margin = 0.05) {
  std::vector<Touch> out;
  collide(a, b, 0, 1, margin, CollideOptions{}, out);
  return out;
}

// Whatever the pair: the same points in the other order, with the normal turned round.
void expect_mirrored(const Collider& a, const Collider& b) {
  const auto one = touch(a, b), two = touch(b, a);
  ASSERT_EQ(one.size(), two.size());
  for (const Touch& t : one) {
    EXPECT_NEAR(t.normal.norm(), 1, 1e-12);
    bool found = false;
    for (const Touch& s : two)
      found = found || ((t.point - s.point).norm() < 1e-6 && (t.normal + s.normal).norm() < 1e-6 && std::abs(t.gap - s.gap) < 1e-6);
    EXPECT_TRUE(found);
  }
}

TEST(Collide, Balls) {
  const auto t = touch(piece(sphere(1), Vector(0, 0, 2.01)), piece(sphere(1), Vector::Zero()));
  ASSERT_EQ(t.size(), 1u);
  EXPECT_NEAR(t[0].gap, 0.01, 1e-12);
  EXPECT_NEAR((t[0].normal - Vector::UnitZ()).norm(), 0, 1e-12);
  EXPECT_NEAR((t[0].point - Vector(0, 0, 1.005)).norm(), 0, 1e-12);
  EXPECT_TRUE(touch(piece(sphere(1), Vector(0, 0, 2.2)), piece(sphere(1), Vector::Zero())).empty());
}

TEST(Collide, BallAgainstFaceEdgeAndCornerOfABox) {
  const Collider cube = piece(box(2, 2, 2), Vector::Zero());
  for (const Vector& d : {Vector(0, 0, 1), Vector(0, 1, 1), Vector(1, 1, 1)}) {
    const Vector n = d.normalized();
    const auto t = touch(piece(sphere(0.5), d + 0.51 * n), cube);
    ASSERT_EQ(t.size(), 1u);
    EXPECT_NEAR(t[0].gap, 0.01, 1e-12);
    EXPECT_NEAR((t[0].normal - n).norm(), 0, 1e-12);
  }
  const auto inside = touch(piece(sphere(0.5), Vector(0, 0, 0.9)), cube);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_NEAR(inside[0].gap, -0.6, 1e-12);
}

TEST(Collide, BoxOnBoxHasFourPointsInEveryPosition) {
  const Collider lower = piece(box(2, 2, 1), Vector::Zero());
  for (const double angle : {0.0, 0.3, 0.785}) {
    const Collider upper = piece(box(1, 1, 1), Vector(0.2, 0.1, 0.999), about(Vector::UnitZ(), angle));
    const auto t = touch(upper, lower);
    ASSERT_EQ(t.size(), 4u) << angle;
    for (const Touch& p : t) {
      EXPECT_NEAR(p.gap, -0.001, 1e-12);
      EXPECT_NEAR((p.normal - Vector::UnitZ()).norm(), 0, 1e-12);
    }
    expect_mirrored(upper, lower);
  }
}

TEST(Collide, CrossedEdges) {
  // Two bars, each on its edge, one across the other.
  const double s = std::sqrt(0.5);
  const Collider lower = piece(box(4, 1, 1), Vector::Zero(), about(Vector::UnitX(), M_PI / 4));
  const Collider upper = piece(box(1, 4, 1), Vector(0, 0, 2 * s + 0.01), about(Vector::UnitY(), M_PI / 4));
  const auto t = touch(upper, lower);
  ASSERT_EQ(t.size(), 1u);
  EXPECT_NEAR(t[0].gap, 0.01, 1e-9);
  EXPECT_NEAR((t[0].normal - Vector::UnitZ()).norm(), 0, 1e-9);
  EXPECT_NEAR((t[0].point - Vector(0, 0, s + 0.005)).norm(), 0, 1e-9);
}

TEST(Collide, CapsulesCrossedAndSideBySide) {
  const Collider a = piece(capsule(0.5, 2), Vector(0, 0, 1.01), about(Vector::UnitX(), M_PI / 2));
  const Collider crossed = piece(capsule(0.5, 2), Vector::Zero(), about(Vector::UnitY(), M_PI / 2));
  const Collider parallel = piece(capsule(0.5, 2), Vector(0, 0.4, 0), about(Vector::UnitX(), M_PI / 2));
  ASSERT_EQ(touch(a, crossed).size(), 1u);
  EXPECT_NEAR(touch(a, crossed)[0].gap, 0.01, 1e-12);
  EXPECT_EQ(touch(a, parallel).size(), 2u);
  expect_mirrored(a, crossed);
  expect_mirrored(a, parallel);
}

TEST(Collide, LyingShapesHaveTwoPointsOnAFace) {
  const Collider floor = piece(box(4, 4, 1), Vector(0, 0, -0.5));
  for (const Shape& shape : {capsule(0.3, 1), cylinder(0.3, 1)}) {
    const auto t = touch(piece(shape, Vector(0, 0, 0.301), about(Vector::UnitX(), M_PI / 2)), floor);
    ASSERT_GE(t.size(), 2u) << to_string(shape.kind);
    double width = 0;
    for (const Touch& p : t) {
      EXPECT_NEAR(p.gap, 0.001, 2e-3);
      EXPECT_GT(p.normal[2], 0.999);
      width = std::max(width, std::abs(p.point[1]));
    }
    EXPECT_GT(width, 0.4);
  }
}

TEST(Collide, StandingCylinderHasFourPointsOnThePlane) {
  const auto t = touch(piece(cylinder(0.5, 1), Vector(0, 0, 0.5)), piece(plane(), Vector::Zero()));
  ASSERT_EQ(t.size(), 4u);
  for (const Touch& p : t) EXPECT_NEAR(p.gap, 0, 1e-12);
}

TEST(Collide, BallInACornerOfAMeshTouchesEachFaceOnce) {
  // Two faces at right angles, each of two triangles, the edge inside.
  Shape corner;
  corner.kind = ShapeKind::mesh;
  corner.open = true;
  corner.points = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {0, 2, 2}};
  corner.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}};
  const Collider sheet = piece(corner, Vector::Zero());
  EXPECT_EQ(touch(piece(sphere(0.5), Vector(0.5, 1, 0.5)), sheet).size(), 2u);
  EXPECT_EQ(touch(piece(sphere(0.5), Vector(1, 1, 0.5)), sheet).size(), 1u);  // over the diagonal of the floor
  EXPECT_EQ(touch(piece(sphere(0.5), Vector(1.2, 0.9, 0.5)), sheet).size(), 1u);
}

TEST(Mass, HullsAndCompoundsOfBoxesAreBoxes) {
  const MassProperties whole = mass_properties(box(1, 2, 3), "");
  std::vector<Vector> corners;
  for (int k = 0; k < 8; ++k) corners.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 1 : -1, (k & 4 ? 1.5 : -1.5) + 7);
  corners.emplace_back(0, 0, 7);  // inside: it changes nothing
  const MassProperties of_hull = mass_properties(hull(corners), "");
  Shape halves;
  halves.kind = ShapeKind::compound;
  halves.parts = {{box(1, 2, 1.5), {{0, 0, 0.75}, {1, 0, 0, 0}}}, {box(1, 2, 1.5), {{0, 0, -0.75}, {1, 0, 0, 0}}}};
  const MassProperties of_parts = mass_properties(halves, "");
  for (const MassProperties& m : {of_hull, of_parts}) {
    EXPECT_NEAR(m.volume, whole.volume, 1e-12);
    EXPECT_NEAR((m.inertia - whole.inertia).norm(), 0, 1e-10);
  }
  EXPECT_NEAR((of_hull.centre - Vector(0, 0, 7)).norm(), 0, 1e-12);
}

TEST(Mass, CapsuleAgreesWithSampling) {
  const double r = 0.4, l = 1.1;
  const MassProperties m = mass_properties(capsule(r, l), "");
  double volume = 0, xx = 0, zz = 0;
  const double h = 0.01;
  for (double x = -r + h / 2; x < r; x += h)
    for (double y = -r + h / 2; y < r; y += h)
      for (double z = -r - l / 2 + h / 2; z < r + l / 2; z += h) {
        const double off = std::max(0.0, std::abs(z) - l / 2);
        if (x * x + y * y + off * off > r * r) continue;
        volume += h * h * h;
        xx += h * h * h * (y * y + z * z);
        zz += h * h * h * (x * x + y * y);
      }
  EXPECT_NEAR(m.volume, volume, 5e-3 * volume);
  EXPECT_NEAR(m.inertia(0, 0), xx, 1e-2 * xx);
  EXPECT_NEAR(m.inertia(2, 2), zz, 1e-2 * zz);
}

TEST(Broadphase, GridFindsAllPairs) {
  Random random(3);
  std::vector<Collider> colliders;
  std::vector<char> active;
  for (int k = 0; k < 400; ++k) {
    const double r = k % 50 == 0 ? 1.0 : random.uniform(0.05, 0.2);
    colliders.push_back(
        piece(sphere(r), Vector(random.uniform(0, 4), random.uniform(0, 3), random.uniform(0, 2)), Rotation::Identity(), k));
    active.push_back(k % 7 != 0);
  }
  colliders.push_back(piece(plane(), Vector::Zero(), Rotation::Identity(), 400));
  active.push_back(0);
  std::vector<std::pair<int, int>> expected;
  for (int i = 0; i <= 400; ++i)
    for (int j = i + 1; j <= 400; ++j)
      if ((active[i] || active[j]) && colliders[i].bounds.touches(colliders[j].bounds)) expected.emplace_back(i, j);
  Broadphase grid;
  EXPECT_EQ(grid.pairs(colliders, active), expected);
  EXPECT_GT(expected.size(), 500u);
}

}  // namespace
}  // namespace cornet::sim
