// Bodies, joints and materials of a scene made ready for stepping.
#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "cornet/error.h"

namespace cornet::sim {

World::World(const Scene& given) : scene(given) {
  validate(scene);
  // Materials by number, and what each pair of them does.
  std::map<std::string, int> numbers;
  const auto number = [&](const std::string& name) { return numbers.emplace(name, static_cast<int>(numbers.size())).first->second; };
  for (const Body& body : scene.bodies) number(body.material);
  for (const Solid& solid : scene.solids) number(solid.material);
  materials_ = std::max(1, static_cast<int>(numbers.size()));
  laws_.assign(materials_ * materials_, Law{scene.mu, scene.restitution});
  for (const Pair& pair : scene.pairs) {
    const int a = numbers[pair.a], b = numbers[pair.b];
    laws_[a * materials_ + b] = laws_[b * materials_ + a] = Law{pair.mu, pair.restitution};
  }
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    add_body(scene.bodies[k], static_cast<int>(k));
    bodies.back().material = numbers[scene.bodies[k].material];
  }
  for (std::size_t k = 0; k < scene.solids.size(); ++k) {
    SolidState s = make_solid(scene.solids[k], scene.gravity, fmt::format("/solids/{}", k));
    s.material = numbers[scene.solids[k].material];
    s.dof = dofs;
    dofs += s.size;
    solids.push_back(std::move(s));
  }
  for (std::size_t k = 0; k < scene.joints.size(); ++k) add_joint(scene.joints[k], static_cast<int>(k));
  for (const Collider& c : colliders) active_.push_back(bodies[c.body].kind == BodyKind::dynamic);
  drive(0, scene.dt);
  energy.kinetic = kinetic();
  energy.potential = potential();
}

void World::add_body(const Body& body, int number) {
  const std::string where = fmt::format("/bodies/{}/shape", number);
  Rigid b;
  b.kind = body.kind;
  b.rotates = body.rotates;
  Vector centre = Vector::Zero();
  if (body.kind == BodyKind::dynamic) {
    const MassProperties m = mass_properties(body.shape, where);
    const double density = body.mass > 0 ? body.mass / m.volume : body.density;
    b.mass = density * m.volume;
    b.inertia = density * m.inertia;
    if (scene.dim == 2) b.inertia = Vector(1, 1, b.inertia(2, 2)).asDiagonal();
    b.inverse_inertia = b.inertia.inverse();
    b.isotropic = scene.dim == 2 || (b.inertia - b.inertia(0, 0) * Matrix::Identity()).norm() <= 1e-12 * b.inertia.norm();
    centre = m.centre;
    b.dof = dofs;
    dofs += scene.dim + (b.rotates ? (scene.dim == 3 ? 3 : 1) : 0);
  }
  b.origin = -centre;
  b.q = rotation(body.pose);
  b.R = b.q.toRotationMatrix();
  b.x = vector(body.pose.position) + b.R * centre;
  b.v = vector(body.velocity);
  if (b.rotates) b.omega = b.R.transpose() * vector(body.spin);
  const std::size_t first = colliders.size();
  add_colliders(body.shape, Pose{}, number, where, colliders);
  for (std::size_t k = first; k < colliders.size(); ++k) {
    colliders[k].offset -= centre;
    b.reach = std::max(b.reach, colliders[k].offset.norm() + colliders[k].geometry->reach);
  }
  bodies.push_back(b);
}

void World::add_joint(const Joint& joint, int number) {
  const auto find = [&](const std::string& name) {
    for (std::size_t k = 0; k < scene.bodies.size(); ++k)
      if (scene.bodies[k].name == name) return static_cast<int>(k);
    throw InvalidProblem(fmt::format("/joints/{}: found body '{}', expected the name of a body", number, name));
  };
  JointState j;
  j.kind = joint.kind;
  j.a = find(joint.a);
  j.b = joint.b.empty() ? -1 : find(joint.b);
  const Vector point = vector(joint.point), axis = vector(joint.axis).normalized();
  Matrix axes;
  axes.col(0) = axis;
  axes.col(1) = any_tangent(axis);
  axes.col(2) = axes.col(0).cross(axes.col(1));
  j.point_a = bodies[j.a].R.transpose() * (point - bodies[j.a].x);
  j.axes_a = bodies[j.a].R.transpose() * axes;
  j.point_b = j.b < 0 ? point : Vector(bodies[j.b].R.transpose() * (point - bodies[j.b].x));
  j.axes_b = j.b < 0 ? axes : Matrix(bodies[j.b].R.transpose() * axes);
  joints.push_back(j);
  if (!joint.collide && j.b >= 0) apart_.insert(std::minmax(j.a, j.b));
}

void World::drive(double t, double h) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k].kind != BodyKind::moving) continue;
    Rigid& b = bodies[k];
    const Body& body = scene.bodies[k];
    const Motion& m = body.motion;
    const auto place_at = [&](double s) {
      const double swing = std::sin(2 * std::numbers::pi * m.frequency * s + m.phase) - std::sin(m.phase);
      return Vector(vector(body.pose.position) + s * vector(m.velocity) + swing * vector(m.amplitude));
    };
    b.x = place_at(t);
    b.q = exponential(t * vector(m.rotation)) * rotation(body.pose);
    b.R = b.q.toRotationMatrix();
    b.v = (place_at(t + h) - b.x) / h;
    b.omega = b.R.transpose() * vector(m.rotation);
  }
}

int World::material(int participant) const {
  const int count = static_cast<int>(bodies.size());
  return participant < count ? bodies[participant].material : solids[participant - count].material;
}

Vector World::point_velocity(int body, const Vector& point) const {
  const Rigid& b = bodies[body];
  if (b.kind == BodyKind::fixed) return Vector::Zero();
  return b.v + (b.R * b.omega).cross(point - b.x);
}

double World::kinetic() const {
  double out = 0;
  for (const Rigid& b : bodies)
    if (b.kind == BodyKind::dynamic) out += (b.mass * b.v.squaredNorm() + b.omega.dot(b.inertia * b.omega)) / 2;
  for (const SolidState& s : solids)
    if (!s.quasi_static) out += s.v.dot(s.M * s.v) / 2;
  return out;
}

double World::potential() const {
  double out = 0;
  const Vector g = vector(scene.gravity);
  for (const Rigid& b : bodies)
    if (b.kind == BodyKind::dynamic) out -= b.mass * g.dot(b.x);
  for (const SolidState& s : solids) out += s.q.dot(s.K * s.q) / 2 - s.load.dot(s.q);
  return out;
}

}  // namespace cornet::sim
