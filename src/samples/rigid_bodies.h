// Rigid bodies in contact and the global problem of one time step:
//
//   M v = H r + G λ + f,  f = M v_k + h F,   u = Hᵀ v + w,   Gᵀ v + b = 0
//
// In space a body has six dofs (velocity of its centre, angular velocity, both in the fixed frame), in the plane three (x, y, rotation).
// A contact at point p with normal n (from the second body to the first) has the frame (n, t₁, t₂); the column of H for a direction e
// holds e and (p − c_a) × e for the first body and their negatives for the second, so that u is the velocity of a relative to b at p.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "cornet/problem.h"

namespace cornet::samples {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;

/// The second body of a contact with the fixed world.
constexpr int kWorld = -1;

class RigidBodies {
 public:
  /// In the plane (dim = 2) only x and y of every vector and the zz entry of every inertia are used.
  explicit RigidBodies(int dim) : dim_(dim) {}

  /// Returns the number of the body. Gravity acts on it; it is at rest.
  int add_body(double mass, const Matrix& inertia, const Vector& centre);

  void set_velocity(int body, const Vector& velocity, const Vector& spin = Vector::Zero());

  /// Linearises the gyroscopic torque ω × Jω around the present spin and treats it implicitly: M becomes unsymmetric.
  void make_gyroscopic(int body);

  /// A contact of body a with body b (or kWorld). `first_tangent`, where given, is made orthogonal to the normal and used as t₁.
  /// `restitution` e puts e·u_N of the present velocities into w_N when the bodies approach.
  void add_contact(int a, int b, const Vector& point, const Vector& normal, double mu, double restitution = 0,
                   const Vector& first_tangent = Vector::Zero());

  /// The points of a and b at `point` stay together; `gap_rate` is b of Gᵀ v + b = 0.
  void add_ball_joint(int a, int b, const Vector& point, const Vector& gap_rate = Vector::Zero());

  int contacts() const { return static_cast<int>(contacts_.size()); }

  GlobalProblem build(const std::string& name, Storage mass_storage, Storage contact_storage) const;

 private:
  struct Body {
    double mass;
    Matrix inertia;
    Vector centre;
    Vector velocity = Vector::Zero();
    Vector spin = Vector::Zero();
    bool gyroscopic = false;
  };
  struct Contact {
    int a, b;
    Vector point;
    Matrix frame;  // columns n, t₁, t₂
    double mu;
    double restitution;
  };
  struct Joint {
    int a, b;
    Vector point;
    Vector gap_rate;
  };

  Vector relative_velocity(const Contact& contact) const;

  int dim_;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<Joint> joints_;
};

/// One kilogram, one metre and one second, counted in the units wanted (length = 1000 for millimetres).
struct Units {
  double mass = 1;
  double length = 1;
  double time = 1;
};

/// A problem of RigidBodies in other units.
GlobalProblem in_units(GlobalProblem problem, const Units& units);

/// Inertia of a homogeneous box with edges `size`.
Matrix box_inertia(double mass, const Vector& size);

/// Inertia of a homogeneous ball.
Matrix ball_inertia(double mass, double radius);

}  // namespace cornet::samples
