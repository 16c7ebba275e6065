// The global problem of one step, written straight into compressed columns.
//
//   rigid body:  M = diag(m, m, m, J),  f = M v + h (m g, −ω × Jω)            spin in the own frame
//                implicit gyroscopic torque:  J + hθA,  A = [ω]J − [Jω],  since ω⁺ × Jω⁺ ≈ ω × Jω + A (ω⁺ − ω)
//   contact:     the column of H for a direction e of the frame holds e and Rᵀ((p − x) × e) for body a, minus the same for b
//   w:           e·u_N⁻ in the normal direction where bodies approach, minus the velocity of moving bodies; gap/h for quasi-static solids
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
void add_turn(const World& world, int body, const Matrix& R, const Vector& e, double sign, SparseMatrix& G) {
  const Rigid& b = world.bodies[body];
  if (b.dof < 0 || !b.rotates) return;
  if (world.scene.dim == 2) return add(G, b.dof + 2, sign * e[2]);
  const Vector own = R.transpose() * e;
  for (int k = 0; k < 3; ++k) add(G, b.dof + 3 + k, sign * own[k]);
}

// The same for the velocity of a point at `arm` from the centre of mass.
void add_arm(const World& world, int body, const Matrix& R, const Vector& arm, const Vector& e, double sign, SparseMatrix& G) {
  const Rigid& b = world.bodies[body];
  if (b.dof < 0) return;
  for (int k = 0; k < world.scene.dim; ++k) add(G, b.dof + k, sign * e[k]);
  add_turn(world, body, R, arm.cross(e), sign, G);
}

constexpr double kDrift = 0.2;  // share of the drift of a joint that a step removes

// v⁺ is tangent to the constraints in the middle of the step, q + h v/2: tangents of its start would feed energy into every turn, those of its
// end would take some.
void add_joints(const World& world, double h, GlobalProblem& p) {
  if (!p.G) p.G.emplace();
  clear(*p.G, world.dofs, 0);
  p.b.clear();
  const int d = world.scene.dim;
  for (const JointState& j : world.joints) {
    struct End {
      int body;
      double sign;
      Vector point;    // now
      Matrix axes, R;  // now; in the middle of the step
      Vector arm;      // in the middle of the step
    };
    const auto end = [&](int body, double sign, const Vector& point, const Matrix& axes) {
      if (body < 0) return End{body, sign, point, axes, Matrix::Identity(), Vector::Zero()};
      const Rigid& b = world.bodies[body];
      const Matrix R = b.kind == BodyKind::fixed ? b.R : Matrix(b.R * exponential(h / 2 * b.omega).toRotationMatrix());
      return End{body, sign, b.x + b.R * point, b.R * axes, R, R * point};
    };
    const End a = end(j.a, 1, j.point_a, j.axes_a), b = end(j.b, -1, j.point_b, j.axes_b);
    const End &first = j.b >= 0 && j.b < j.a ? b : a, &second = j.b >= 0 && j.b < j.a ? a : b;  // rows in ascending order
    const auto add_row = [&](const Vector& e, bool turn, double error) {
      double driven = 0;  // velocity of moving bodies
      for (const End* x : {&first, &second}) {
        if (x->body < 0) continue;
        if (turn) add_turn(world, x->body, x->R, e, x->sign, *p.G);
        else add_arm(world, x->body, x->R, x->arm, e, x->sign, *p.G);
        const Rigid& body = world.bodies[x->body];
        if (body.kind == BodyKind::moving)
          driven += x->sign * e.dot(turn ? Vector(body.R * body.omega) : world.point_velocity(x->body, x->point));
      }
      end_column(*p.G);
      p.b.push_back(kDrift * error / h + driven);
    };
    for (int k = 0; k < d; ++k) add_row(Vector::Unit(k), false, a.point[k] - b.point[k]);
    if (j.kind == JointKind::ball) continue;
    if (j.kind == JointKind::hinge) {
      const Matrix axes = j.a >= 0 ? Matrix(a.R * j.axes_a) : a.axes;
      const Vector off = b.axes.col(0).cross(a.axes.col(0));
      for (int k = 1; k < 3; ++k) add_row(axes.col(k), true, a.axes.col(k).dot(off));
      continue;
    }
    // Small rotation that turns b's axes into a's.
    Vector error = Vector::Zero();
    for (int k = 0; k < 3; ++k) error += b.axes.col(k).cross(a.axes.col(k)) / 2;
    if (d == 2) add_row(Vector::UnitZ(), true, error[2]);
    else
      for (int k = 0; k < 3; ++k) add_row(Vector::Unit(k), true, error[k]);
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
    p.w[d * k] += c.restitution * std::min(0.0, c.u_before[0]) + c.bias;
    p.mu[k] = c.mu;
  }
  if (!world.joints.empty()) add_joints(world, h, p);
}

void World::displace(const std::vector<double>& dq) {
  for (Rigid& b : bodies) {
    if (b.dof < 0) continue;
    for (int k = 0; k < scene.dim; ++k) b.x[k] += dq[b.dof + k];
    if (!b.rotates) continue;
    const Vector turn = scene.dim == 2 ? Vector(0, 0, dq[b.dof + 2]) : Vector(dq[b.dof + 3], dq[b.dof + 4], dq[b.dof + 5]);
    b.q = (b.q * exponential(turn)).normalized();
    b.R = b.q.toRotationMatrix();
  }
  for (SolidState& s : solids) s.q += Eigen::Map<const Eigen::VectorXd>(dq.data() + s.dof, s.size);
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
