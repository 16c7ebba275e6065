// Small types of the simulator.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "cornet/sim_scene.h"

namespace cornet::sim {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;
using Rotation = Eigen::Quaterniond;

inline Vector vector(const Vec3& a) { return {a[0], a[1], a[2]}; }
inline Vec3 array(const Vector& a) { return {a[0], a[1], a[2]}; }
inline Rotation rotation(const Pose& pose) {
  return Rotation(pose.orientation[0], pose.orientation[1], pose.orientation[2], pose.orientation[3]).normalized();
}
inline std::array<double, 4> array(const Rotation& q) { return {q.w(), q.x(), q.y(), q.z()}; }

/// exp of a rotation vector.
inline Rotation exponential(const Vector& a) {
  const double angle = a.norm();
  if (angle == 0) return Rotation::Identity();
  return Rotation(Eigen::AngleAxisd(angle, a / angle));
}

inline Matrix cross_matrix(const Vector& a) {
  Matrix out;
  out << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return out;
}

/// A box along the fixed axes.
struct Bounds {
  Vector lower = Vector::Constant(std::numeric_limits<double>::infinity());
  Vector upper = Vector::Constant(-std::numeric_limits<double>::infinity());
  void add(const Vector& p) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  void grow(double margin) {
    lower.array() -= margin;
    upper.array() += margin;
  }
  bool touches(const Bounds& other) const {
    return lower[0] <= other.upper[0] && other.lower[0] <= upper[0] && lower[1] <= other.upper[1] && other.lower[1] <= upper[1] &&
           lower[2] <= other.upper[2] && other.lower[2] <= upper[2];
  }
};

/// A unit vector at right angles to the unit vector n: the same n gives the same vector.
inline Vector any_tangent(const Vector& n) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(n[k]) < std::abs(n[least]) - 1e-6) least = k;
  Vector e = Vector::Zero();
  e[least] = 1;
  return (e - n[least] * n).normalized();
}

}  // namespace cornet::sim
