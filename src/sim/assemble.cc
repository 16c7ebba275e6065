// The global problem of one step, written straight into compressed columns.
//
//   rigid body:  M = diag(m, m, m, J),  f = M v + h (m g, −ω × Jω)            spin in the own frame
//                implicit gyroscopic torque:  J + hθA,  A = [ω]J − [Jω],  since ω⁺ × Jω⁺ ≈ ω × Jω + A (ω⁺ − ω)
//   contact:     the column of H for a direction e of the frame holds e and Rᵀ((p − x) × e) for body a, minus the same for b
//   w:           e·u_N⁻ in the normal direction where bodies approach, minus the velocity of moving bodies
#include <cmath>

#include "sim/world.h"

namespace cornet::sim {
namespace {

void clear(SparseMatrix& m, int rows, int cols) {
  m.rows = rows;
  m.cols = cols;
  m.storage = Storage::csc;
  m.p.clear();
  m.i.clear();
  m.x.clear();
  m.p.push_back(0);
}

void add(SparseMatrix& m, int row, double value) {
  if (value == 0) return;
  m.i.push_back(row);
  m.x.push_back(value);
}

void end_column(SparseMatrix& m) { m.p.push_back(static_cast<int>(m.i.size())); }

void add_body(const World& world, const Rigid& b, double h, GlobalProblem& p) {
  const Scene& scene = world.scene;
  const int d = scene.dim;
  for (int k = 0; k < d; ++k) {
    add(p.M, b.dof + k, b.mass);
    end_column(p.M);
    p.f[b.dof + k] = b.mass * (b.v[k] + h * scene.gravity[k]);
  }
  if (!b.rotates) return;
  if (d == 2) {
    add(p.M, b.dof + 2, b.inertia(2, 2));
    end_column(p.M);
    p.f[b.dof + 2] = b.inertia(2, 2) * b.omega[2];
    return;
  }
  Matrix J = b.inertia;
  const Vector momentum = b.inertia * b.omega;
  Vector f = momentum;
  if (!b.isotropic && scene.gyroscopic != Gyroscopic::off) {
    const Vector torque = b.omega.cross(momentum);
    f -= h * torque;
    if (scene.gyroscopic == Gyroscopic::implicit) {
      const Matrix A = cross_matrix(b.omega) * b.inertia - cross_matrix(momentum);
      J += h * scene.theta * A;
      f += h * scene.theta * A * b.omega;
    }
  }
  for (int col = 0; col < 3; ++col) {
    for (int row = 0; row < 3; ++row) add(p.M, b.dof + 3 + row, J(row, col));
    end_column(p.M);
    p.f[b.dof + 3 + col] = f[col];
  }
}

// The part of a column for one end of a contact.
void add_end(const World& world, int participant, int shares, const Vector& point, const Vector& e, double sign, SparseMatrix& H) {
  const int count = static_cast<int>(world.bodies.size());
  if (participant >= count) {
    const NodeShares& n = world.shares[shares];
    for (int k = 0; k < n.count; ++k)
      if (n.dof[k] >= 0)
        for (int m = 0; m < 3; ++m) add(H, n.dof[k] + m, sign * n.share[k] * e[m]);
    return;
  }
  const Rigid& b = world.bodies[participant];
  if (b.dof < 0) return;
  const int d = world.scene.dim;
  for (int k = 0; k < d; ++k) add(H, b.dof + k, sign * e[k]);
  if (!b.rotates) return;
  const Vector moment = (point - b.x).cross(e);
  if (d == 2) {
    add(H, b.dof + 2, sign * moment[2]);
    return;
  }
  const Vector own = b.R.transpose() * moment;
  for (int k = 0; k < 3; ++k) add(H, b.dof + 3 + k, sign * own[k]);
}

// An angular constraint: (ω_a − ω_b)·e.
void add_turn(const World& world, int body, const Vector& e, double sign, SparseMatrix& G) {
  if (body < 0) return;
  const Rigid& b = world.bodies[body];
  if (b.dof < 0 || !b.rotates) return;
  if (world.scene.dim == 2) return add(G, b.dof + 2, sign * e[2]);
  const Vector own = b.R.transpose() * e;
  for (int k = 0; k < 3; ++k) add(G, b.dof + 3 + k, sign * own[k]);
}

constexpr double kDrift = 0.2;  // share of the drift of a joint that a step removes

void add_joints(const World& world, double h, GlobalProblem& p) {
  if (!p.G) p.G.emplace();
  clear(*p.G, world.dofs, 0);
  p.b.clear();
  const int d = world.scene.dim;
  for (const JointState& j : world.joints) {
    const Rigid& a = world.bodies[j.a];
    const Vector pa = a.x + a.R * j.point_a;
    const Vector pb = j.b < 0 ? j.point_b : Vector(world.bodies[j.b].x + world.bodies[j.b].R * j.point_b);
    const Matrix axes_a = a.R * j.axes_a, axes_b = j.b < 0 ? j.axes_b : Matrix(world.bodies[j.b].R * j.axes_b);
    const auto add_row = [&](const Vector& e, bool turn, double error) {
      const auto one = [&](int body, const Vector& point, double sign) {
        if (body < 0) return;
        if (turn) add_turn(world, body, e, sign, *p.G);
        else add_end(world, body, -1, point, e, sign, *p.G);
      };
      if (j.b >= 0 && j.b < j.a) {  // rows in ascending order
        one(j.b, pb, -1);
        one(j.a, pa, 1);
      } else {
        one(j.a, pa, 1);
        one(j.b, pb, -1);
      }
      end_column(*p.G);
      double driven = 0;  // velocity of a moving body
      for (const auto& [body, sign] : {std::pair(j.a, 1.0), std::pair(j.b, -1.0)})
        if (body >= 0 && world.bodies[body].kind == BodyKind::moving)
          driven += sign *
                    (turn ? e.dot(world.bodies[body].R * world.bodies[body].omega) : e.dot(world.point_velocity(body, sign > 0 ? pa : pb)));
      p.b.push_back(kDrift * error / h + driven);
    };
    for (int k = 0; k < d; ++k) add_row(Vector::Unit(k), false, pa[k] - pb[k]);
    if (j.kind == JointKind::ball) continue;
    // Small rotation that turns b's axes into a's.
    Vector error = Vector::Zero();
    for (int k = 0; k < 3; ++k) error += axes_b.col(k).cross(axes_a.col(k)) / 2;
    if (j.kind == JointKind::hinge) {
      const Vector off = axes_b.col(0).cross(axes_a.col(0));
      for (int k = 1; k < 3; ++k) add_row(axes_a.col(k), true, axes_a.col(k).dot(off));
    } else if (d == 2) {
      add_row(Vector::UnitZ(), true, error[2]);
    } else {
      for (int k = 0; k < 3; ++k) add_row(Vector::Unit(k), true, error[k]);
    }
  }
  p.G->cols = static_cast<int>(p.b.size());
}

}  // namespace

void assemble(const World& world, double h, GlobalProblem& p, Iterate& guess) {
  const int d = world.scene.dim, nc = static_cast<int>(world.contacts.size());
  p.dim = d;
  p.f.assign(world.dofs, 0);
  clear(p.M, world.dofs, world.dofs);
  for (const Rigid& b : world.bodies)
    if (b.dof >= 0) add_body(world, b, h, p);
  for (const SolidState& s : world.solids) {
    const Sparse A = step_matrix(s, h, world.scene.theta);
    const Eigen::VectorXd f = step_load(s, h, world.scene.theta);
    for (int col = 0; col < s.size; ++col) {
      for (Sparse::InnerIterator it(A, col); it; ++it) add(p.M, s.dof + static_cast<int>(it.row()), it.value());
      end_column(p.M);
      p.f[s.dof + col] = f[col];
    }
  }
  clear(p.H, world.dofs, d * nc);
  p.w.assign(d * nc, 0);
  p.mu.resize(nc);
  guess.r.resize(d * nc);
  for (int k = 0; k < nc; ++k) {
    const ActiveContact& c = world.contacts[k];
    const Vector frame[3] = {c.n, c.t, c.s};
    // Velocity of driven bodies: a's counts, b's is taken away.
    Vector driven = Vector::Zero();
    const int count = static_cast<int>(world.bodies.size());
    if (c.a < count && world.bodies[c.a].kind == BodyKind::moving) driven += world.point_velocity(c.a, c.point);
    if (c.b < count && world.bodies[c.b].kind == BodyKind::moving) driven -= world.point_velocity(c.b, c.point);
    for (int m = 0; m < d; ++m) {
      const int dof_a = c.a < count ? world.bodies[c.a].dof : world.solids[c.a - count].dof;
      const int dof_b = c.b < count ? world.bodies[c.b].dof : world.solids[c.b - count].dof;
      if (dof_a <= dof_b) add_end(world, c.a, c.shares_a, c.point, frame[m], 1, p.H);
      add_end(world, c.b, c.shares_b, c.point, frame[m], -1, p.H);
      if (dof_a > dof_b) add_end(world, c.a, c.shares_a, c.point, frame[m], 1, p.H);
      end_column(p.H);
      p.w[d * k + m] = driven.dot(frame[m]);
      guess.r[d * k + m] = c.reaction.dot(frame[m]);
    }
    p.w[d * k] += c.restitution * std::min(0.0, c.u_before[0]);
    p.mu[k] = c.mu;
  }
  if (!world.joints.empty()) add_joints(world, h, p);
}

void advance(World& world, double h, const std::vector<double>& v) {
  const double theta = world.scene.theta;
  const int d = world.scene.dim;
  for (Rigid& b : world.bodies) {
    if (b.dof < 0) continue;
    Vector v1 = Vector::Zero(), omega1 = Vector::Zero();
    for (int k = 0; k < d; ++k) v1[k] = v[b.dof + k];
    if (b.rotates) {
      if (d == 2) omega1[2] = v[b.dof + 2];
      else omega1 = Vector(v[b.dof + 3], v[b.dof + 4], v[b.dof + 5]);
    }
    b.x += h * (theta * v1 + (1 - theta) * b.v);
    const Vector turn = h * (theta * omega1 + (1 - theta) * b.omega);
    if (turn.squaredNorm() > 0) {
      b.q = (b.q * exponential(turn)).normalized();
      b.R = b.q.toRotationMatrix();
    }
    b.v = v1;
    b.omega = omega1;
  }
  for (SolidState& s : world.solids) {
    const Eigen::Map<const Eigen::VectorXd> next(v.data() + s.dof, s.size);
    if (s.quasi_static) s.q += h * next;
    else s.q += h * (theta * next + (1 - theta) * s.v);
    s.v = next;
  }
  ++world.step;
  world.time = static_cast<double>(world.step) * h;
  world.drive(world.time, h);
}

}  // namespace cornet::sim
