// What the scenes of the library share: bodies in one line, seeded numbers, the list of all scenes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cornet/sim_library.h"
#include "sim/types.h"

namespace cornet::sim {

/// Seeded numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(double seed) : engine_(static_cast<std::uint64_t>(seed)) {}
  double uniform(double lower, double upper) { return lower + (upper - lower) * (static_cast<double>(engine_() >> 11) * 0x1.0p-53); }

 private:
  std::mt19937_64 engine_;
};

// Shapes.
Shape sphere(double radius);
Shape box(double x, double y, double z);
Shape capsule(double radius, double length);
Shape cylinder(double radius, double length);
Shape hull(const std::vector<Vector>& points);
Shape disk(double radius);
Shape polygon(const std::vector<Vector>& points);
Shape plane();

// Bodies.
Body dynamic(const std::string& name, const Shape& shape, const Vector& position, const Rotation& orientation = Rotation::Identity());
Body fixed(const std::string& name, const Shape& shape, const Vector& position, const Rotation& orientation = Rotation::Identity());
/// A fixed half-space with the given point and outward normal.
Body half_space(const std::string& name, const Vector& point, const Vector& normal, int dim = 3);

/// An elastic cube of n³ elements that falls on another one, shifted aside.
Scene two_cubes(int n, double shift_x, double shift_y, double speed);

/// Only the ground.
Scene on_ground(double mu);

/// What scenes with many bodies have in common: θ = 1, projection from 1 mm on, the steady solver for many contacts.
Scene many_bodies(double mu, double dt, double duration, double tolerance = 1e-4);

/// Four walls around the origin, the ground below. `x`, `y`: inner widths.
void add_container(Scene& s, double x, double y);

inline Rotation about(const Vector& axis, double angle) { return Rotation(Eigen::AngleAxisd(angle, axis)); }

// Groups of scenes, one file each.
std::vector<SceneInfo> closed_form_scenes();
std::vector<SceneInfo> granular_scenes();
std::vector<SceneInfo> masonry_scenes();
std::vector<SceneInfo> mechanism_scenes();
std::vector<SceneInfo> elastic_scenes();

}  // namespace cornet::sim
