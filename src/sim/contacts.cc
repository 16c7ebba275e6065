// Which points take part in a step, their frames, and which point of the step before each of them was.
//
// A point takes part when gap + h (θ u_N(free) + (1 − θ) u_N) ≤ θ h² |g|: the right side keeps points of a pile, whose bodies all fall
// equally fast without reactions, from coming and going. Frames: n from b to a; t is the t of the same point one step ago, made orthogonal
// to the new n, or a fixed choice for a new point. Reactions are kept in the fixed frame, so a turned frame does not spoil a warm start.
#include <algorithm>
#include <cmath>

#include "sim/world.h"

namespace cornet::sim {
namespace {

constexpr double kTiny = 1e-12;

}  // namespace

// Velocity of an end of a contact; free: after a step under gravity alone.
Vector World::end_velocity(int participant, int which, const Vector& point, bool free, double h) const {
  const int count = static_cast<int>(bodies.size());
  const Vector gain = free ? Vector(h * vector(scene.gravity)) : Vector(Vector::Zero());
  if (participant < count)
    return point_velocity(participant, point) + (bodies[participant].kind == BodyKind::dynamic ? gain : Vector::Zero());
  const SolidState& s = solids[participant - count];
  const NodeShares& n = shares[which];
  Vector out = Vector::Zero();
  for (int k = 0; k < n.count; ++k)
    if (n.dof[k] >= 0) out += n.share[k] * (s.v.segment<3>(n.dof[k] - s.dof) + (s.quasi_static ? Vector(Vector::Zero()) : gain));
  return out;
}

void World::find_touches(double h, double extra, std::vector<Touch>& out) {
  const double fall = h * h * vector(scene.gravity).norm();
  margin_.resize(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Rigid& b = bodies[k];
    const double spin = b.omega.squaredNorm() > 0 ? b.omega.norm() * b.reach : 0;
    margin_[k] = b.kind == BodyKind::fixed ? extra : h * (b.v.norm() + spin) + fall + extra;
  }
  for (Collider& c : colliders) place(c, bodies[c.body].x, bodies[c.body].R, margin_[c.body]);
  out.clear();
  const CollideOptions options{scene.dim, scene.contact_points};
  for (const auto& [i, j] : broadphase_.pairs(colliders, active_)) {
    const int a = colliders[i].body, b = colliders[j].body;
    if (!apart_.empty() && apart_.contains(std::minmax(a, b))) continue;
    collide(colliders[i], colliders[j], i, j, margin_[a] + margin_[b], options, out);
  }
}

// Keeps the contact when its predicted gap closes.
void World::finish(ActiveContact& c, double h, std::vector<ActiveContact>& out) const {
  const Vector now = end_velocity(c.a, c.shares_a, c.point, false, h) - end_velocity(c.b, c.shares_b, c.point, false, h);
  const Vector free = end_velocity(c.a, c.shares_a, c.point, true, h) - end_velocity(c.b, c.shares_b, c.point, true, h);
  const int count = static_cast<int>(bodies.size());
  const bool position = (c.a >= count && solids[c.a - count].position_form) || (c.b >= count && solids[c.b - count].position_form);
  c.bias = position ? c.gap / h : 0;
  const double predicted = c.gap + h * (scene.theta * c.n.dot(free) + (1 - scene.theta) * c.n.dot(now));
  if (!position && predicted > scene.theta * h * h * vector(scene.gravity).norm() + kTiny) return;
  c.u_before = now;  // turned into the frame once that is known
  const Law& l = law(material(c.a), material(c.b));
  c.mu = l.mu;
  c.restitution = l.restitution;
  out.push_back(c);
}

void World::find_contacts(double h, std::vector<ActiveContact>& out) {
  out.clear();
  shares.clear();
  find_touches(h, 0, touches_);
  ActiveContact c;
  for (const Touch& t : touches_) {
    c.a = colliders[t.a].body;
    c.b = colliders[t.b].body;
    c.key_a = t.a;
    c.key_b = t.b;
    c.point = t.point;
    c.n = t.normal;
    if (bodies[c.a].dof < 0) {  // a is the body that moves by itself
      std::swap(c.a, c.b);
      c.n = -c.n;
    }
    c.gap = t.gap;
    c.local = bodies[c.a].R.transpose() * (t.point - bodies[c.a].x);
    finish(c, h, out);
  }
  if (!solids.empty()) solid_contacts(h, out);
  match(out);
}

void World::touching(double margin, std::vector<ActiveContact>& out) {
  out.clear();
  shares.clear();
  find_touches(0, margin, touches_);
  for (const Touch& t : touches_) {
    ActiveContact c;
    c.a = colliders[t.a].body;
    c.b = colliders[t.b].body;
    c.point = t.point;
    c.n = t.normal;
    c.gap = t.gap;
    if (c.gap <= margin) out.push_back(c);
  }
  solid_touches(0, margin, [&](ActiveContact& c) {
    if (c.gap <= margin) out.push_back(c);
  });
  for (ActiveContact& c : out) {
    c.t = any_tangent(c.n);
    c.s = c.n.cross(c.t);
    c.reaction.setZero();
  }
}

// Both lists are sorted by the pair of pieces.
void World::match(std::vector<ActiveContact>& fresh) const {
  const auto key = [](const ActiveContact& c) { return std::pair(c.key_a, c.key_b); };
  std::size_t old = 0;
  for (std::size_t first = 0; first < fresh.size();) {
    std::size_t last = first;
    while (last < fresh.size() && key(fresh[last]) == key(fresh[first])) ++last;
    while (old < contacts.size() && key(contacts[old]) < key(fresh[first])) ++old;
    std::size_t end = old;
    while (end < contacts.size() && key(contacts[end]) == key(fresh[first])) ++end;
    unsigned long used = 0;
    for (std::size_t k = first; k < last; ++k) {
      ActiveContact& c = fresh[k];
      const ActiveContact* before = nullptr;
      double least = 1e300;
      std::size_t which = 0;
      for (std::size_t m = old; m < end && m - old < 64; ++m) {
        const double d = (contacts[m].local - c.local).squaredNorm();
        if (!(used >> (m - old) & 1) && d < least) {
          least = d;
          before = &contacts[m];
          which = m - old;
        }
      }
      c.reaction.setZero();
      c.t.setZero();
      if (before) {
        used |= 1UL << which;
        c.reaction = before->reaction;
        c.t = before->t - c.n.dot(before->t) * c.n;
      }
      if (scene.dim == 2) c.t = Vector(-c.n[1], c.n[0], 0);
      else if (c.t.squaredNorm() > 0.25) c.t.normalize();
      else c.t = any_tangent(c.n);
      c.s = c.n.cross(c.t);
      c.u_before = Vector(c.n.dot(c.u_before), c.t.dot(c.u_before), c.s.dot(c.u_before));
    }
    first = last;
  }
}

}  // namespace cornet::sim
