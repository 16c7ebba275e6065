// The fields of a scene, each named once: reading, writing and "unknown key" messages all come from here.
#pragma once

#include <utility>

#include "cornet/sim_scene.h"

namespace cornet::sim {

template <class Archive, class Value>
void each(Archive& a, const char* key, Value& value) {
  a(key, value);
}

/// Keys and values in turn.
template <class Archive, class Value, class... More>
void each(Archive& a, const char* key, Value& value, More&&... more) {
  a(key, value);
  each(a, std::forward<More>(more)...);
}

template <class Archive>
void fields(Archive& a, Pose& x) {
  each(a, "position", x.position, "orientation", x.orientation);
}

template <class Archive>
void fields(Archive& a, Shape& x);

template <class Archive>
void fields(Archive& a, ShapePart& x) {
  each(a, "shape", x.shape);
  fields(a, x.pose);
}

template <class Archive>
void fields(Archive& a, Shape& x) {
  each(a, "kind", x.kind, "radius", x.radius, "length", x.length, "size", x.size, "points", x.points, "triangles", x.triangles, "open",
       x.open, "parts", x.parts);
}

template <class Archive>
void fields(Archive& a, Motion& x) {
  each(a, "velocity", x.velocity, "rotation", x.rotation, "amplitude", x.amplitude, "frequency", x.frequency, "phase", x.phase);
}

template <class Archive>
void fields(Archive& a, Body& x) {
  each(a, "name", x.name, "kind", x.kind, "shape", x.shape, "material", x.material, "density", x.density, "mass", x.mass);
  fields(a, x.pose);
  each(a, "velocity", x.velocity, "spin", x.spin, "rotates", x.rotates, "motion", x.motion);
}

template <class Archive>
void fields(Archive& a, Joint& x) {
  each(a, "kind", x.kind, "a", x.a, "b", x.b, "point", x.point, "axis", x.axis, "collide", x.collide);
}

template <class Archive>
void fields(Archive& a, Solid& x) {
  each(a, "name", x.name, "material", x.material, "size", x.size, "divisions", x.divisions, "form", x.form, "grading", x.grading, "mesh",
       x.mesh);
  fields(a, x.pose);
  each(a, "density", x.density, "young", x.young, "poisson", x.poisson, "damping_mass", x.damping_mass, "damping_stiffness",
       x.damping_stiffness, "clamped", x.clamped, "velocity", x.velocity, "quasi_static", x.quasi_static, "position_form", x.position_form);
}

template <class Archive>
void fields(Archive& a, Pair& x) {
  each(a, "a", x.a, "b", x.b, "mu", x.mu, "restitution", x.restitution);
}

template <class Archive>
void fields(Archive& a, Scene& x) {
  each(a, "name", x.name, "what", x.what, "dim", x.dim, "dt", x.dt, "duration", x.duration, "theta", x.theta, "gravity", x.gravity, "mu",
       x.mu, "restitution", x.restitution, "pairs", x.pairs, "bodies", x.bodies, "joints", x.joints, "solids", x.solids, "gyroscopic",
       x.gyroscopic, "slop", x.slop, "separate_start", x.separate_start, "overlap", x.overlap, "contact_points", x.contact_points, "solver",
       x.solver, "solver_options", x.solver_options, "tolerance", x.tolerance, "max_iterations", x.max_iterations, "on_failure",
       x.on_failure, "retry_solver", x.retry_solver, "checkpoint_every", x.checkpoint_every, "existence_every", x.existence_every);
}

}  // namespace cornet::sim
