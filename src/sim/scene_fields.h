// The fields of a scene, each named once: reading, writing and "unknown key" messages all come from here.
#pragma once

#include "cornet/sim_scene.h"

namespace cornet::sim {

template <class Archive>
void fields(Archive& a, Pose& x) {
  a("position", x.position);
  a("orientation", x.orientation);
}

template <class Archive>
void fields(Archive& a, Shape& x);

template <class Archive>
void fields(Archive& a, ShapePart& x) {
  a("shape", x.shape);
  fields(a, x.pose);
}

template <class Archive>
void fields(Archive& a, Shape& x) {
  a("kind", x.kind);
  a("radius", x.radius);
  a("length", x.length);
  a("size", x.size);
  a("points", x.points);
  a("triangles", x.triangles);
  a("open", x.open);
  a("parts", x.parts);
}

template <class Archive>
void fields(Archive& a, Motion& x) {
  a("velocity", x.velocity);
  a("rotation", x.rotation);
  a("amplitude", x.amplitude);
  a("frequency", x.frequency);
  a("phase", x.phase);
}

template <class Archive>
void fields(Archive& a, Body& x) {
  a("name", x.name);
  a("kind", x.kind);
  a("shape", x.shape);
  a("material", x.material);
  a("density", x.density);
  a("mass", x.mass);
  fields(a, x.pose);
  a("velocity", x.velocity);
  a("spin", x.spin);
  a("rotates", x.rotates);
  a("motion", x.motion);
}

template <class Archive>
void fields(Archive& a, Joint& x) {
  a("kind", x.kind);
  a("a", x.a);
  a("b", x.b);
  a("point", x.point);
  a("axis", x.axis);
  a("collide", x.collide);
}

template <class Archive>
void fields(Archive& a, Solid& x) {
  a("name", x.name);
  a("material", x.material);
  a("size", x.size);
  a("divisions", x.divisions);
  a("mesh", x.mesh);
  fields(a, x.pose);
  a("density", x.density);
  a("young", x.young);
  a("poisson", x.poisson);
  a("damping_mass", x.damping_mass);
  a("damping_stiffness", x.damping_stiffness);
  a("clamped", x.clamped);
  a("velocity", x.velocity);
  a("quasi_static", x.quasi_static);
  a("position_form", x.position_form);
}

template <class Archive>
void fields(Archive& a, Pair& x) {
  a("a", x.a);
  a("b", x.b);
  a("mu", x.mu);
  a("restitution", x.restitution);
}

template <class Archive>
void fields(Archive& a, Scene& x) {
  a("name", x.name);
  a("what", x.what);
  a("dim", x.dim);
  a("dt", x.dt);
  a("duration", x.duration);
  a("theta", x.theta);
  a("gravity", x.gravity);
  a("mu", x.mu);
  a("restitution", x.restitution);
  a("pairs", x.pairs);
  a("bodies", x.bodies);
  a("joints", x.joints);
  a("solids", x.solids);
  a("gyroscopic", x.gyroscopic);
  a("slop", x.slop);
  a("separate_start", x.separate_start);
  a("overlap", x.overlap);
  a("contact_points", x.contact_points);
  a("solver", x.solver);
  a("solver_options", x.solver_options);
  a("tolerance", x.tolerance);
  a("max_iterations", x.max_iterations);
  a("on_failure", x.on_failure);
  a("retry_solver", x.retry_solver);
  a("checkpoint_every", x.checkpoint_every);
  a("existence_every", x.existence_every);
}

}  // namespace cornet::sim
