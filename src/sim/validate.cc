// A scene checked value by value; every message is path, found, expected.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cornet/error.h"
#include "cornet/sim_scene.h"

namespace cornet::sim {
namespace {

constexpr double kMostNodes = 8e6;  // of a solid; a node has up to 243 entries in the stiffness
constexpr double kMostSteps = 1e15;

void check(bool good, const std::string& path, double found, const char* expected) {
  if (!good) throw InvalidProblem(fmt::format("{}: found {}, expected {}", path, found, expected));
}

void positive(double x, const std::string& path, const char* what) { check(x > 0 && std::isfinite(x), path, x, what); }

void finite(const Vec3& x, const std::string& path) {
  for (int k = 0; k < 3; ++k) check(std::isfinite(x[k]), fmt::format("{}/{}", path, k), x[k], "a finite number");
}

void check_pose(const Pose& pose, const std::string& path) {
  finite(pose.position, path + "/position");
  double norm = 0;
  for (double x : pose.orientation) norm += x * x;
  check(std::abs(norm - 1) < 1e-3, path + "/orientation", std::sqrt(norm), "a quaternion of length 1");
}

// What a value would do if it belonged to something else: nothing. Its writer expects otherwise.
void idle(bool given, const std::string& path, const std::string& found, const char* expected) {
  if (given) throw InvalidProblem(fmt::format("{}: found a value for {}, expected {}", path, found, expected));
}

bool any(const Vec3& x) { return x != Vec3{}; }

// Sizes of another kind of shape.
void check_sizes(const Shape& s, const std::string& path) {
  using enum ShapeKind;
  const auto is = [&](std::initializer_list<ShapeKind> kinds) { return std::find(kinds.begin(), kinds.end(), s.kind) != kinds.end(); };
  const auto of_other = [&](bool given, const char* key, const char* expected) {
    idle(given, fmt::format("{}/{}", path, key), fmt::format("a {}", to_string(s.kind)), expected);
  };
  of_other(s.radius != 0 && !is({sphere, disk, capsule, cylinder}), "radius", "it only for a sphere, disk, capsule or cylinder");
  of_other(s.length != 0 && !is({capsule, cylinder}), "length", "it only for a capsule or cylinder");
  of_other(any(s.size) && !is({box}), "size", "it only for a box");
  of_other(!s.points.empty() && !is({hull, polygon, mesh}), "points", "them only for a hull, polygon or mesh");
  of_other(!s.triangles.empty() && !is({mesh}), "triangles", "them only for a mesh");
  of_other(s.open && !is({mesh}), "open", "it only for a mesh");
  of_other(!s.parts.empty() && !is({compound}), "parts", "them only for a compound");
}

// In the plane everything has z = 0 and turns about z.
void check_plane_vector(const Vec3& x, const std::string& path) {
  if (x[2] != 0) throw InvalidProblem(fmt::format("{}/2: found {} in a scene of dimension 2, expected two numbers, or 0", path, x[2]));
}
void check_plane_turn(const Vec3& x, const std::string& path) {
  if (x[0] != 0 || x[1] != 0) throw InvalidProblem(fmt::format("{}: found a turn out of the plane, expected [0, 0, rad/s]", path));
}
void check_plane_pose(const Pose& pose, const std::string& path) {
  check_plane_vector(pose.position, path + "/position");
  if (std::abs(pose.orientation[1]) + std::abs(pose.orientation[2]) > 1e-12)
    throw InvalidProblem(fmt::format("{}/orientation: found a turn out of the plane, expected an angle about z in rad", path));
}

void check_shape(const Shape& s, int dim, const std::string& path) {
  const bool plane_shape = s.kind == ShapeKind::disk || s.kind == ShapeKind::polygon;
  if (s.kind != ShapeKind::plane && plane_shape != (dim == 2))
    throw InvalidProblem(
        fmt::format("{}/kind: found {} in a scene of dimension {}, expected {}", path, to_string(s.kind), dim,
                    dim == 2 ? "disk, polygon or plane" : "sphere, box, capsule, cylinder, hull, plane, mesh or compound"));
  check_sizes(s, path);
  switch (s.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk: positive(s.radius, path + "/radius", "metres > 0"); break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      positive(s.radius, path + "/radius", "metres > 0");
      positive(s.length, path + "/length", "metres > 0");
      break;
    case ShapeKind::box:
      for (int k = 0; k < 3; ++k) positive(s.size[k], fmt::format("{}/size/{}", path, k), "metres > 0");
      break;
    case ShapeKind::hull:
    case ShapeKind::polygon:
    case ShapeKind::mesh:
      for (std::size_t k = 0; k < s.points.size(); ++k) {
        finite(s.points[k], fmt::format("{}/points/{}", path, k));
        if (dim == 2) check_plane_vector(s.points[k], fmt::format("{}/points/{}", path, k));
      }
      break;
    case ShapeKind::compound:
      if (s.parts.empty()) throw InvalidProblem(fmt::format("{}/parts: found none, expected at least one", path));
      for (std::size_t k = 0; k < s.parts.size(); ++k) {
        const std::string part = fmt::format("{}/parts/{}", path, k);
        check_pose(s.parts[k].pose, part);
        check_shape(s.parts[k].shape, dim, part + "/shape");
      }
      break;
    case ShapeKind::plane: break;
  }
}

void check_law(double mu, double restitution, const std::string& path) {
  check(mu >= 0, path + "/mu", mu, "a friction coefficient ≥ 0");
  check(restitution >= 0 && restitution <= 1, path + "/restitution", restitution, "a coefficient in [0, 1]");
}

void check_body(const Body& b, int dim, const std::string& path) {
  check_shape(b.shape, dim, path + "/shape");
  check_pose(b.pose, path);
  finite(b.velocity, path + "/velocity");
  finite(b.spin, path + "/spin");
  check(b.mass >= 0 && std::isfinite(b.mass), path + "/mass", b.mass, "kilograms > 0, or none to use the density");
  if (b.kind == BodyKind::dynamic && b.mass == 0) positive(b.density, path + "/density", "kg/m³ > 0");
  if (b.kind == BodyKind::dynamic && (b.shape.kind == ShapeKind::plane || b.shape.kind == ShapeKind::mesh))
    throw InvalidProblem(fmt::format("{}/kind: found a dynamic {}, expected fixed or moving", path, to_string(b.shape.kind)));
  finite(b.motion.velocity, path + "/motion/velocity");
  finite(b.motion.rotation, path + "/motion/rotation");
  finite(b.motion.amplitude, path + "/motion/amplitude");
  const std::string kind = fmt::format("a {} body", to_string(b.kind));
  idle(b.kind != BodyKind::dynamic && any(b.velocity), path + "/velocity", kind, "a dynamic body, or the motion of a moving one");
  idle(b.kind != BodyKind::dynamic && any(b.spin), path + "/spin", kind, "a dynamic body, or the motion of a moving one");
  const Motion& m = b.motion;
  idle(b.kind != BodyKind::moving && (any(m.velocity) || any(m.rotation) || any(m.amplitude)), path + "/motion", kind, "a moving body");
  if (any(m.amplitude) && m.frequency == 0) throw InvalidProblem(path + "/motion/frequency: found 0 with an amplitude, expected Hz > 0");
  idle(!b.rotates && any(b.spin), path + "/spin", "a body that does not rotate", "\"rotates\": true");
  if (dim == 2) {
    check_plane_pose(b.pose, path);
    check_plane_vector(b.velocity, path + "/velocity");
    check_plane_turn(b.spin, path + "/spin");
    check_plane_vector(m.velocity, path + "/motion/velocity");
    check_plane_turn(m.rotation, path + "/motion/rotation");
    check_plane_vector(m.amplitude, path + "/motion/amplitude");
  }
  check(b.motion.frequency >= 0 && std::isfinite(b.motion.frequency), path + "/motion/frequency", b.motion.frequency, "Hz ≥ 0");
  check(std::isfinite(b.motion.phase), path + "/motion/phase", b.motion.phase, "a finite number");
}

void check_solid(const Solid& s, const std::string& path) {
  for (int k = 0; k < 3 && s.mesh.empty(); ++k) {
    positive(s.size[k], fmt::format("{}/size/{}", path, k), "metres > 0");
    check(s.divisions[k] >= 1, fmt::format("{}/divisions/{}", path, k), s.divisions[k], "at least 1");
  }
  if (s.form != "block" && s.form != "half-ball")
    throw InvalidProblem(fmt::format("{}/form: found \"{}\", expected one of block, half-ball", path, s.form));
  const bool half_ball = s.form == "half-ball" && s.mesh.empty();
  if (half_ball) {
    check(s.divisions[0] % 2 == 0, path + "/divisions/0", s.divisions[0], "an even number");
    check(std::sqrt(3.0) * s.size[1] < s.size[0], path + "/size/1", s.size[1], "a core that fits into the ball: below size[0]/√3");
    check(s.grading >= 1 && s.grading <= 10, path + "/grading", s.grading, "a factor in [1, 10]");
  }
  if (s.mesh.empty()) {
    double nodes = 1;
    for (const int n : s.divisions) nodes *= n + 1.0;
    if (half_ball) nodes += 3.0 * (s.divisions[0] + 1.0) * (s.divisions[0] + 1.0) * s.divisions[1];
    check(nodes <= kMostNodes, path + "/divisions", nodes, "at most 8 million nodes: the indices of the stiffness have 32 bits");
  }
  check_pose(s.pose, path);
  positive(s.density, path + "/density", "kg/m³ > 0");
  positive(s.young, path + "/young", "Pa > 0");
  check(s.poisson > -1 && s.poisson < 0.5, path + "/poisson", s.poisson, "a value in (−1, 0.5)");
  finite(s.velocity, path + "/velocity");
  check(s.damping_mass >= 0 && std::isfinite(s.damping_mass), path + "/damping_mass", s.damping_mass, "1/s ≥ 0");
  check(s.damping_stiffness >= 0 && std::isfinite(s.damping_stiffness), path + "/damping_stiffness", s.damping_stiffness, "seconds ≥ 0");
  for (std::size_t k = 0; k < s.clamped.size(); ++k) {
    const std::string& face = s.clamped[k];
    if (half_ball && face == "r+") continue;
    if (face.size() != 2 || face[0] < 'x' || face[0] > 'z' || (face[1] != '-' && face[1] != '+'))
      throw InvalidProblem(
          fmt::format("{}/clamped/{}: found \"{}\", expected one of x-, x+, y-, y+, z-, z+{}", path, k, face, half_ball ? ", r+" : ""));
  }
  if (s.quasi_static && s.clamped.empty() && s.damping_mass == 0)
    throw InvalidProblem(
        fmt::format("{}/clamped: found none, expected a clamped face: without inertia a free solid has no equilibrium", path));
}

void check_pairs(const Scene& s) {
  std::set<std::string> materials;
  std::string list;
  const auto add = [&](const std::string& name) {
    if (materials.insert(name).second) list += (list.empty() ? "" : ", ") + name;
  };
  for (const Body& b : s.bodies) add(b.material);
  for (const Solid& b : s.solids) add(b.material);
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t k = 0; k < s.pairs.size(); ++k) {
    const Pair& p = s.pairs[k];
    const std::string path = fmt::format("/pairs/{}", k);
    check_law(p.mu, p.restitution, path);
    for (const auto& [key, name] : {std::pair("a", p.a), std::pair("b", p.b)})
      if (!materials.contains(name))
        throw InvalidProblem(fmt::format("{}/{}: found \"{}\", expected a material of the scene: {}", path, key, name, list));
    if (!seen.insert(std::minmax(p.a, p.b)).second)
      throw InvalidProblem(fmt::format("{}: found the pair {}, {} a second time, expected every pair once", path, p.a, p.b));
  }
}

}  // namespace

void validate(const Scene& s) {
  check(s.dim == 2 || s.dim == 3, "/dim", s.dim, "2 or 3");
  positive(s.dt, "/dt", "seconds > 0");
  positive(s.duration, "/duration", "seconds > 0");
  check(s.duration / s.dt <= kMostSteps, "/duration", s.duration, "at most 1e15 steps of dt");
  check(s.theta >= 0.5 && s.theta <= 1, "/theta", s.theta, "a value in [0.5, 1]");
  finite(s.gravity, "/gravity");
  if (s.dim == 2) check_plane_vector(s.gravity, "/gravity");
  check_law(s.mu, s.restitution, "");
  check_pairs(s);
  check(s.slop > 0, "/slop", s.slop, "metres > 0");
  check(s.overlap >= 0, "/overlap", s.overlap, "metres ≥ 0");
  check(s.contact_points >= 1, "/contact_points", s.contact_points, "at least 1");
  check(s.tolerance > 0 && s.tolerance <= 1, "/tolerance", s.tolerance, "a value in (0, 1]");
  check(s.max_iterations >= 0, "/max_iterations", s.max_iterations, "a number ≥ 0");
  check(s.checkpoint_every >= 1, "/checkpoint_every", s.checkpoint_every, "steps ≥ 1");
  check(s.existence_every >= 0, "/existence_every", s.existence_every, "steps ≥ 0");
  if (s.bodies.empty() && s.solids.empty()) throw InvalidProblem("/bodies: found none, expected at least one body or solid");
  if (s.dim == 2 && !s.solids.empty()) throw InvalidProblem("/solids: found some in a scene of dimension 2, expected dimension 3");
  std::set<std::string> names;
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    check_body(s.bodies[k], s.dim, fmt::format("/bodies/{}", k));
    const std::string& name = s.bodies[k].name;
    if (!name.empty() && !names.insert(name).second)
      throw InvalidProblem(fmt::format("/bodies/{}/name: found \"{}\" a second time, expected different names", k, name));
  }
  for (std::size_t k = 0; k < s.solids.size(); ++k) check_solid(s.solids[k], fmt::format("/solids/{}", k));
  for (std::size_t k = 0; k < s.joints.size(); ++k) {
    const Joint& j = s.joints[k];
    for (const auto& [key, name] : {std::pair("a", j.a), std::pair("b", j.b)})
      if (!(name.empty() && key[0] == 'b') && !names.contains(name))
        throw InvalidProblem(fmt::format("/joints/{}/{}: found \"{}\", expected the name of a body", k, key, name));
    const auto immovable = [&](const std::string& name) {
      for (const Body& b : s.bodies)
        if (b.name == name) return b.kind != BodyKind::dynamic;
      return true;  // the fixed world
    };
    if (immovable(j.a) && immovable(j.b))
      throw InvalidProblem(fmt::format("/joints/{}/a: found no dynamic body among \"{}\" and \"{}\", expected at least one", k, j.a, j.b));
    if (j.a == j.b) throw InvalidProblem(fmt::format("/joints/{}/b: found the same body twice", k));
    if (j.kind == JointKind::hinge && s.dim == 2)
      throw InvalidProblem(fmt::format("/joints/{}/kind: found hinge in the plane, expected ball or fixed", k));
    finite(j.point, fmt::format("/joints/{}/point", k));
    finite(j.axis, fmt::format("/joints/{}/axis", k));
    check(std::hypot(j.axis[0], j.axis[1], j.axis[2]) > 0, fmt::format("/joints/{}/axis", k), 0, "a direction");
  }
}

}  // namespace cornet::sim
