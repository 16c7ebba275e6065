// Assembly of M, H, G, f, w, b for rigid bodies: see rigid_bodies.h.
#include "samples/rigid_bodies.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "cornet/samples.h"

namespace cornet::samples {
namespace {

struct Entry {
  int row, col;
  double value;
};

// Entries as they come for triplet, sorted by column and row for csc. No position occurs twice.
SparseMatrix store(std::vector<Entry> entries, int rows, int cols, Storage storage) {
  SparseMatrix a;
  a.rows = rows;
  a.cols = cols;
  a.storage = storage;
  if (storage == Storage::triplet) {
    for (const Entry& e : entries) {
      a.p.push_back(e.col);
      a.i.push_back(e.row);
      a.x.push_back(e.value);
    }
    return a;
  }
  const bool by_columns = storage == Storage::csc;
  const auto key = [&](const Entry& e) { return by_columns ? std::pair(e.col, e.row) : std::pair(e.row, e.col); };
  std::sort(entries.begin(), entries.end(), [&](const Entry& s, const Entry& t) { return key(s) < key(t); });
  a.p.assign(static_cast<std::size_t>((by_columns ? cols : rows) + 1), 0);
  for (const Entry& e : entries) {
    ++a.p[static_cast<std::size_t>(key(e).first + 1)];
    a.i.push_back(key(e).second);
    a.x.push_back(e.value);
  }
  for (std::size_t k = 1; k < a.p.size(); ++k) a.p[k] += a.p[k - 1];
  return a;
}

Matrix skew(const Vector& a) {
  Matrix s;
  s << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return s;
}

// (n, t₁, t₂), orthonormal and right-handed; in the plane t₁ is n turned by +90°.
Matrix contact_frame(int dim, const Vector& normal, const Vector& wanted) {
  const Vector n = normal.normalized();
  Vector t;
  if (wanted.norm() > 0) {
    t = wanted - n * n.dot(wanted);
  } else if (dim == 2) {
    t = Vector(-n.y(), n.x(), 0);
  } else {
    // The axis farthest from n gives the best conditioned tangent.
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    t = n.cross(Vector::Unit(axis));
  }
  t.normalize();
  Matrix frame;
  frame << n, t, n.cross(t);
  return frame;
}

}  // namespace

int RigidBodies::add_body(double mass, const Matrix& inertia, const Vector& centre) {
  bodies_.push_back({mass, inertia, centre});
  return static_cast<int>(bodies_.size()) - 1;
}

void RigidBodies::set_velocity(int body, const Vector& velocity, const Vector& spin) {
  bodies_[static_cast<std::size_t>(body)].velocity = velocity;
  bodies_[static_cast<std::size_t>(body)].spin = spin;
}

void RigidBodies::make_gyroscopic(int body) { bodies_[static_cast<std::size_t>(body)].gyroscopic = true; }

void RigidBodies::add_contact(int a, int b, const Vector& point, const Vector& normal, double mu, double restitution,
                              const Vector& first_tangent) {
  contacts_.push_back({a, b, point, contact_frame(dim_, normal, first_tangent), mu, restitution});
}

void RigidBodies::add_ball_joint(int a, int b, const Vector& point, const Vector& gap_rate) { joints_.push_back({a, b, point, gap_rate}); }

Vector RigidBodies::relative_velocity(const Contact& contact) const {
  Vector velocity = Vector::Zero();
  for (const auto& [body, sign] : {std::pair(contact.a, 1.0), std::pair(contact.b, -1.0)}) {
    if (body == kWorld) continue;
    const Body& c = bodies_[static_cast<std::size_t>(body)];
    velocity += sign * (c.velocity + c.spin.cross(contact.point - c.centre));
  }
  return contact.frame.transpose() * velocity;
}

GlobalProblem RigidBodies::build(const std::string& name, Storage mass_storage, Storage contact_storage) const {
  const int linear = dim_, angular = dim_ == 2 ? 1 : 3, dofs = linear + angular;
  const int first_axis = dim_ == 2 ? 2 : 0;  // the plane turns about z only
  const int n = dofs * static_cast<int>(bodies_.size());
  const int m = dim_ * contacts();
  const Vector gravity = dim_ == 2 ? Vector(0, -kGravity, 0) : Vector(0, 0, -kGravity);

  GlobalProblem problem;
  problem.dim = dim_;
  problem.name = name;

  // M and f = M v_k + h F, body by body.
  std::vector<Entry> mass;
  problem.f.assign(static_cast<std::size_t>(n), 0);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    const int first = dofs * static_cast<int>(k);
    // With T(ω) = ω × Jω and T'(ω) = [ω]J − [Jω]:  (J + hT') ω⁺ = Jω + h(T'ω − T).
    Matrix inertia = body.inertia;
    Vector spin_momentum = body.inertia * body.spin;
    if (body.gyroscopic) {
      const Matrix slope = skew(body.spin) * body.inertia - skew(body.inertia * body.spin);
      inertia += kStep * slope;
      spin_momentum += kStep * (slope * body.spin - body.spin.cross(body.inertia * body.spin));
    }
    const Vector momentum = body.mass * (body.velocity + kStep * gravity);
    for (int c = 0; c < linear; ++c) {
      mass.push_back({first + c, first + c, body.mass});
      problem.f[static_cast<std::size_t>(first + c)] = momentum[c];
    }
    for (int c = 0; c < angular; ++c) {
      for (int d = 0; d < angular; ++d) {
        const double value = inertia(first_axis + d, first_axis + c);
        if (value != 0) mass.push_back({first + linear + d, first + linear + c, value});
      }
      problem.f[static_cast<std::size_t>(first + linear + c)] = spin_momentum[first_axis + c];
    }
  }
  problem.M = store(std::move(mass), n, n, mass_storage);

  // The column of a direction e at a point: the power of a unit impulse along e.
  const auto add_column = [&](std::vector<Entry>& entries, int column, int a, int b, const Vector& point, const Vector& e) {
    for (const auto& [body, sign] : {std::pair(a, 1.0), std::pair(b, -1.0)}) {
      if (body == kWorld) continue;
      const int first = dofs * body;
      const Vector moment = (point - bodies_[static_cast<std::size_t>(body)].centre).cross(e);
      for (int c = 0; c < linear; ++c)
        if (e[c] != 0) entries.push_back({first + c, column, sign * e[c]});
      for (int c = 0; c < angular; ++c) {
        const double value = moment[first_axis + c];
        if (value != 0) entries.push_back({first + linear + c, column, sign * value});
      }
    }
  };

  std::vector<Entry> directions;
  problem.w.assign(static_cast<std::size_t>(m), 0);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& contact = contacts_[k];
    const int column = dim_ * static_cast<int>(k);
    for (int c = 0; c < dim_; ++c) add_column(directions, column + c, contact.a, contact.b, contact.point, contact.frame.col(c));
    // Newton's restitution only where the bodies approach.
    problem.w[static_cast<std::size_t>(column)] = contact.restitution * std::min(0.0, relative_velocity(contact)[0]);
    problem.mu.push_back(contact.mu);
  }
  problem.H = store(std::move(directions), n, m, contact_storage);

  if (!joints_.empty()) {
    std::vector<Entry> constraints;
    int column = 0;
    for (const Joint& joint : joints_)
      for (int c = 0; c < dim_; ++c) {
        add_column(constraints, column++, joint.a, joint.b, joint.point, Vector::Unit(c));
        problem.b.push_back(joint.gap_rate[c]);
      }
    problem.G = store(std::move(constraints), n, column, contact_storage);
  }
  return problem;
}

GlobalProblem in_units(GlobalProblem problem, const Units& units) {
  const int linear = problem.dim, dofs = problem.dim == 2 ? 3 : 6;
  // Velocities are length/time, impulses mass·length/time; an angular dof brings one more length (its lever arm) to every row.
  const double velocity = units.length / units.time, momentum = units.mass * velocity;
  const auto arm = [&](int dof) { return dof % dofs < linear ? 1.0 : units.length; };
  const auto scale_rows = [&](SparseMatrix& a, double factor, bool columns_too) {
    for (int column = 0, k = 0; k < a.entries(); ++k) {
      if (a.storage == Storage::csc)
        while (a.p[static_cast<std::size_t>(column + 1)] <= k) ++column;
      else column = a.p[static_cast<std::size_t>(k)];
      a.x[static_cast<std::size_t>(k)] *= factor * arm(a.i[static_cast<std::size_t>(k)]) * (columns_too ? arm(column) : 1.0);
    }
  };
  scale_rows(problem.M, units.mass, true);
  scale_rows(problem.H, 1, false);
  if (problem.G) scale_rows(*problem.G, 1, false);
  for (std::size_t k = 0; k < problem.f.size(); ++k) problem.f[k] *= momentum * arm(static_cast<int>(k));
  for (double& w : problem.w) w *= velocity;
  for (double& b : problem.b) b *= velocity;
  return problem;
}

Matrix box_inertia(double mass, const Vector& size) {
  const Vector s = size.cwiseProduct(size);
  return Matrix((mass / 12 * Vector(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal());
}

Matrix ball_inertia(double mass, double radius) { return 0.4 * mass * radius * radius * Matrix::Identity(); }

}  // namespace cornet::samples
