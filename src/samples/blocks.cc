// Boxes with faces in contact: an incline, a stack, a brick wall, two jointed cubes. Face contacts are replaced by a few points, which
// makes the reactions non-unique (H has a kernel) while the velocities stay what they are.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cornet/samples.h"
#include "samples/rigid_bodies.h"

namespace cornet::samples {
namespace {

// An axis-aligned box.
struct Box {
  Vector centre;
  Vector size;
  Vector lower() const { return centre - size / 2; }
  Vector upper() const { return centre + size / 2; }
};

// Contact points of box a on the face of box b that looks along +axis: the corners of the common rectangle, or corners and edge middles.
void add_face_contacts(RigidBodies& bodies, int a, const Box& box_a, int b, const Box& box_b, int axis, bool with_middles, double mu) {
  const int s = (axis + 1) % 3, t = (axis + 2) % 3;
  const Vector lower = box_a.lower().cwiseMax(box_b.lower()), upper = box_a.upper().cwiseMin(box_b.upper());
  for (int i = 0; i <= 2; ++i) {
    for (int j = 0; j <= 2; ++j) {
      const bool corner = i != 1 && j != 1, centre = i == 1 && j == 1;
      if (centre || (!corner && !with_middles)) continue;
      Vector point;
      point[axis] = box_b.upper()[axis];
      point[s] = lower[s] + (upper[s] - lower[s]) * i / 2;
      point[t] = lower[t] + (upper[t] - lower[t]) * j / 2;
      bodies.add_contact(a, b, point, Vector::Unit(axis), mu);
    }
  }
}

// The ground as a box below z = 0.
Box ground() { return {Vector(0, 0, -500), Vector(1000, 1000, 1000)}; }

// The faces of two boxes of one row or of neighbouring rows overlap along this axis by more than rounding.
bool overlap(const Box& a, const Box& b, int axis) {
  return std::min(a.upper()[axis], b.upper()[axis]) - std::max(a.lower()[axis], b.lower()[axis]) > 1e-9;
}

// The slope falls towards +x; its normal, the steepest descent and gravity lie in the x–y plane. A block that cannot turn needs no more.
GlobalProblem block_on_plane_incline(double angle, double mu) {
  const double s = std::sin(angle), c = std::cos(angle);
  GlobalProblem problem;
  problem.dim = 2;
  problem.M = {2, 2, Storage::triplet, {0, 1}, {0, 1}, {1, 1}, -1, {}};
  problem.H = {2, 2, Storage::triplet, {0, 0, 1, 1}, {0, 1, 0, 1}, {s, c, c, -s}, -1, {}};
  problem.f = {0, -kStep * kGravity};
  problem.w = {0, 0};
  problem.mu = {mu};
  problem.name = "block-on-incline-2d";
  return problem;
}

}  // namespace

GlobalProblem block_on_incline(int dim, double angle, double mu) {
  if (dim == 2) return block_on_plane_incline(angle, mu);
  const Vector normal(std::sin(angle), 0, std::cos(angle)), descent(std::cos(angle), 0, -std::sin(angle)), side(0, 1, 0);
  RigidBodies bodies(3);
  const int cube = bodies.add_body(1, box_inertia(1, Vector::Ones()), normal / 2);
  for (const double i : {-0.5, 0.5})
    for (const double j : {-0.5, 0.5}) bodies.add_contact(cube, kWorld, i * descent + j * side, normal, mu, 0, descent);
  return bodies.build("block-on-incline-3d", Storage::triplet, Storage::csc);
}

GlobalProblem box_stack(int levels, double mu) {
  RigidBodies bodies(3);
  std::vector<Box> boxes;
  for (int k = 0; k < levels; ++k) {
    // Offsets wander within a few centimetres: the pile stands, and no two interfaces are alike.
    const Vector centre(0.04 * std::sin(1.7 * k), 0.04 * std::cos(2.3 * k), k + 0.5);
    boxes.push_back({centre, Vector::Ones()});
    const int cube = bodies.add_body(1, box_inertia(1, Vector::Ones()), centre);
    const bool lowest = k == 0;
    add_face_contacts(bodies, cube, boxes.back(), lowest ? kWorld : cube - 1, lowest ? ground() : boxes[static_cast<std::size_t>(k - 1)], 2,
                      false, mu);
  }
  if (levels > 0) bodies.set_velocity(levels - 1, Vector(0.3, 0.1, 0));
  return bodies.build("box-stack-" + std::to_string(levels), Storage::csc, Storage::triplet);
}

GlobalProblem brick_wall(int rows, int columns, double mu) {
  const Vector full(0.4, 0.2, 0.2);
  const double density = 2000;
  RigidBodies bodies(3);
  std::vector<Box> boxes;
  int below = 0;  // first brick of the row below
  for (int row = 0; row < rows; ++row) {
    const int first = static_cast<int>(boxes.size());
    const bool shifted = row % 2 == 1;
    double x = 0;
    for (int k = 0; k < columns + shifted; ++k) {
      const bool half = shifted && (k == 0 || k == columns);
      const Vector size(half ? full.x() / 2 : full.x(), full.y(), full.z());
      boxes.push_back({Vector(x + size.x() / 2, 0, (row + 0.5) * size.z()), size});
      x += size.x();
      const double mass = density * size.prod();
      const int brick = bodies.add_body(mass, box_inertia(mass, size), boxes.back().centre);
      const Box& box = boxes.back();
      // Bed joints with what lies below, then the head joint with the brick to the left.
      if (row == 0) add_face_contacts(bodies, brick, box, kWorld, ground(), 2, true, mu);
      for (int other = below; row > 0 && other < first; ++other) {
        const Box& lower = boxes[static_cast<std::size_t>(other)];
        if (overlap(box, lower, 0)) add_face_contacts(bodies, brick, box, other, lower, 2, true, mu);
      }
      if (k > 0) add_face_contacts(bodies, brick, box, brick - 1, boxes[static_cast<std::size_t>(brick - 1)], 0, true, mu);
    }
    below = first;
  }
  if (!boxes.empty()) bodies.set_velocity(static_cast<int>(boxes.size()) / 2, Vector(0, 0.5, 0));
  return bodies.build("brick-wall-" + std::to_string(rows) + "x" + std::to_string(columns), Storage::csc, Storage::csc);
}

GlobalProblem jointed_cubes(double mu) {
  RigidBodies bodies(3);
  const Box left{Vector(-0.5, 0, 0.5), Vector::Ones()}, right{Vector(0.5, 0, 0.5), Vector::Ones()};
  const int a = bodies.add_body(1, box_inertia(1, Vector::Ones()), left.centre);
  const int b = bodies.add_body(1, box_inertia(1, Vector::Ones()), right.centre);
  add_face_contacts(bodies, a, left, kWorld, ground(), 2, false, mu);
  add_face_contacts(bodies, b, right, kWorld, ground(), 2, false, mu);
  bodies.add_ball_joint(a, b, Vector(0, 0, 0.5), Vector(0.001, 0, 0));
  bodies.set_velocity(b, Vector(0, 0.2, 0));
  return bodies.build("jointed-cubes", Storage::triplet, Storage::triplet);
}

}  // namespace cornet::samples
