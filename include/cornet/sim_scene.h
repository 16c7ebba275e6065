// A scene: bodies, what holds them together, what moves them, and how time is stepped. Plain data, SI units (kg, m, s, rad). The same
// fields, under the same names, make a scene file (docs/scene.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cornet/export.h"

namespace cornet::sim {

using Vec3 = std::array<double, 3>;

/// Where something is: a point, and a unit quaternion (w, x, y, z) that turns its own axes into the fixed ones.
struct Pose {
  Vec3 position{};
  std::array<double, 4> orientation{1, 0, 0, 0};
};

/// In space: sphere box capsule cylinder hull plane mesh compound. In the plane (dim = 2): disk polygon plane.
enum class ShapeKind { sphere, box, capsule, cylinder, hull, plane, mesh, compound, disk, polygon };

struct ShapePart;

struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;                          ///< sphere, disk, capsule, cylinder
  double length = 0;                          ///< along z: cylinder, its height; capsule, the distance between the centres of its ends
  Vec3 size{};                                ///< box: its three edges
  std::vector<Vec3> points;                   ///< hull: any points; polygon: convex, counter-clockwise; mesh: vertices
  std::vector<std::array<int, 3>> triangles;  ///< mesh: counter-clockwise seen from the side where bodies move
  bool open = false;                          ///< mesh: a sheet with a border; otherwise it must be closed
  std::vector<ShapePart> parts;               ///< compound
};

struct ShapePart {
  Shape shape;
  Pose pose;  ///< in the frame of the compound
};

/// Who decides where a body goes: the dynamics, nobody, or a given motion.
enum class BodyKind { dynamic, fixed, moving };

/// x(t) = x₀ + velocity·t + amplitude·sin(2π·frequency·t + phase) − amplitude·sin(phase), turning about its own origin with `rotation`.
struct Motion {
  Vec3 velocity{};       ///< m/s
  Vec3 rotation{};       ///< rad/s, fixed axes
  Vec3 amplitude{};      ///< m
  double frequency = 0;  ///< Hz
  double phase = 0;      ///< rad
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  Shape shape;
  std::string material = "default";
  double density = 1000;  ///< kg/m³ (kg/m² in the plane); not used when mass > 0
  double mass = 0;        ///< kg; 0: from the density
  Pose pose;              ///< of the frame of the shape
  Vec3 velocity{};        ///< of the centre of mass, m/s
  Vec3 spin{};            ///< angular velocity, fixed axes, rad/s
  bool rotates = true;    ///< false: the body keeps its orientation
  Motion motion;          ///< of a moving body
};

/// ball: the points coincide; hinge: the axes too; fixed: nothing moves. In the plane: ball (a pin) and fixed.
enum class JointKind { ball, hinge, fixed };

struct Joint {
  JointKind kind = JointKind::ball;
  std::string a;         ///< body
  std::string b;         ///< body; empty: the fixed world
  Vec3 point{};          ///< at the start, fixed frame
  Vec3 axis{0, 0, 1};    ///< of a hinge, at the start, fixed frame
  bool collide = false;  ///< whether the two bodies also touch each other
};

/// A linear elastic solid of 8-node hexahedra. Its nodes touch rigid bodies, and the faces of other solids.
struct Solid {
  std::string name;
  std::string material = "default";
  Vec3 size{1, 1, 1};                     ///< structured: edges of the block …
  std::array<int, 3> divisions{1, 1, 1};  ///< … and elements along them
  std::string form = "block";  ///< or "half-ball": round side down, its flat side around the origin; `size`: radius, half edge of the core
  double grading = 1.4;        ///< half-ball: `divisions` are along the edge of the core (even) and shells, each so many times thicker
  std::string mesh;                       ///< or a Gmsh .msh file with hexahedra (version 2 or 4, text); empty: structured
  Pose pose;                              ///< of the corner of the block, or of the origin of the file
  double density = 1000;                  ///< kg/m³
  double young = 1e6;                     ///< Pa
  double poisson = 0.3;
  double damping_mass = 0;  ///< C = damping_mass·M + damping_stiffness·K
  double damping_stiffness = 0;
  std::vector<std::string> clamped;  ///< faces that do not move: x- x+ y- y+ z- z+
  Vec3 velocity{};                   ///< m/s, at the start, all nodes
  bool quasi_static = false;         ///< no inertia: (C + hK) v = −K q + f + H r
  bool position_form = true;  ///< of a quasi-static solid: its contacts obey gap + h u_N ≥ 0; false: u_N ≥ 0 once the gap is closed
};

/// What two materials do when they touch.
struct Pair {
  std::string a, b;
  double mu = 0.5;
  double restitution = 0;  ///< Newton's, in [0, 1]
};

enum class Gyroscopic { off, explicit_, implicit };  ///< off: ω × Jω left out; implicit: linearised about ω_k, M unsymmetric
enum class FailurePolicy { stop, retry, go_on };     ///< what follows a step whose problem could not be solved

struct Scene {
  std::string name;
  std::string what;  ///< one line for people
  int dim = 3;
  double dt = 0.01;           ///< s
  double duration = 1;        ///< s
  double theta = 0.5;         ///< in [0.5, 1]
  Vec3 gravity{0, 0, -9.81};  ///< m/s²; in the plane (0, −9.81, 0) unless given
  double mu = 0.5;            ///< of pairs of materials that `pairs` does not name
  double restitution = 0;
  std::vector<Pair> pairs;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Solid> solids;
  Gyroscopic gyroscopic = Gyroscopic::explicit_;
  double slop = 1e-4;           ///< m; deeper penetrations are projected out; ∞: never
  bool separate_start = false;  ///< overlapping bodies are pushed apart before the first step instead of being refused
  double overlap = 1e-3;        ///< m; a deeper overlap at the start is refused unless separate_start
  int contact_points = 4;       ///< most points between two faces
  std::string solver;           ///< empty: auto, after first-order methods on large problems (docs/simulator.md)
  std::map<std::string, std::string> solver_options;
  double tolerance = 1e-8;
  int max_iterations = 0;  ///< of the solver in a step; 0: its own limit
  FailurePolicy on_failure = FailurePolicy::retry;
  std::string retry_solver;    ///< empty: a robust one of another family
  int checkpoint_every = 100;  ///< steps
  int existence_every = 0;     ///< steps; 0: never
};

/// Reads and writes scene files. Errors (IoError, InvalidProblem) start with the path of the value in the file, "/bodies/3/mass".
CORNET_API Scene read_scene(const std::string& path);
CORNET_API Scene parse_scene(const std::string& text);
CORNET_API std::string to_text(const Scene& scene);

/// Throws InvalidProblem with the path of the value, what was found and what was expected.
CORNET_API void validate(const Scene& scene);

/// What the name of a scene is in names of files: "scene" without one, _ for what a file name should not have.
CORNET_API std::string file_name(const Scene& scene);

CORNET_API const char* to_string(ShapeKind kind);
CORNET_API const char* to_string(BodyKind kind);
CORNET_API const char* to_string(JointKind kind);
CORNET_API const char* to_string(Gyroscopic kind);
CORNET_API const char* to_string(FailurePolicy policy);

}  // namespace cornet::sim
