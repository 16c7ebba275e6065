// The state of a simulation and the parts of a step that work on it.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cornet/problem.h"
#include "cornet/sim.h"
#include "sim/broadphase.h"
#include "sim/collide.h"
#include "sim/fem.h"
#include "sim/types.h"

namespace cornet::sim {

struct Rigid {
  BodyKind kind = BodyKind::dynamic;
  int dof = -1;  ///< first velocity in v, −1 when the body has none
  int material = 0;
  bool rotates = true;
  bool isotropic = false;  ///< no gyroscopic torque
  double mass = 0;
  Matrix inertia = Matrix::Zero(), inverse_inertia = Matrix::Zero();  ///< own frame
  Vector origin = Vector::Zero();                                     ///< of the shape, from the centre of mass, own frame
  double reach = 0;                                                   ///< of all pieces, from the centre of mass
  // state
  Vector x = Vector::Zero();  ///< centre of mass
  Rotation q = Rotation::Identity();
  Matrix R = Matrix::Identity();
  Vector v = Vector::Zero();
  Vector omega = Vector::Zero();  ///< own frame
};

/// One end of a contact on a solid: nodes and their shares.
struct NodeShares {
  int count = 0;
  int dof[4] = {-1, -1, -1, -1};  ///< first of the three velocities of the node, −1 when it is clamped
  double share[4] = {};
};

/// A contact that takes part in a step.
struct ActiveContact {
  int a = -1, b = -1;                ///< bodies; solids follow the bodies
  int key_a = 0, key_b = 0;          ///< pieces (or nodes), for matching
  int shares_a = -1, shares_b = -1;  ///< into World::shares, −1 for rigid ends
  Vector point, n, t, s;
  Vector local;  ///< the point in the frame of a, for matching
  double gap = 0, mu = 0, restitution = 0;
  double bias = 0;                   ///< gap/h in the position form, else 0
  Vector u_before = Vector::Zero();  ///< relative velocity at the start, in the frame (n, t, s)
  Vector reaction = Vector::Zero();  ///< fixed frame
};

struct JointState {
  JointKind kind;
  int a, b;                 ///< b = −1: world
  Vector point_a, point_b;  ///< own frames, from the centres of mass
  Matrix axes_a, axes_b;    ///< own frames; the first column is the axis of a hinge
};

struct Law {
  double mu, restitution;
};

/// The surface of a solid now: triangles 2f and 2f + 1 are those of face f.
std::shared_ptr<const TriangleMesh> surface_mesh(const SolidState& solid);

/// Who overlaps most, participants as in ActiveContact; other = −1: nobody.
struct SolidOverlap {
  double depth = 0;
  int solid = -1, other = -1;
};

class World {
 public:
  explicit World(const Scene& scene);

  Scene scene;
  std::vector<Rigid> bodies;
  std::vector<SolidState> solids;
  std::vector<Collider> colliders;
  std::vector<JointState> joints;
  int dofs = 0;
  long step = 0;
  double time = 0;
  Energy energy;
  std::vector<ActiveContact> contacts;  ///< of the last step
  std::vector<NodeShares> shares;

  /// Bodies number `a` and `b` (solids follow the bodies) with a piece each: friction and restitution.
  const Law& law(int material_a, int material_b) const { return laws_[material_a * materials_ + material_b]; }
  int material(int participant) const;

  /// Velocity of the point of a body; for a moving body its mean velocity over the step.
  Vector point_velocity(int body, const Vector& point) const;

  /// Poses of moving bodies at a time, and their mean velocities over the step that starts there.
  void drive(double t, double h);

  /// Finds the points that take part in the step; `all`: every point with a gap up to `margin`, no prediction.
  void find_contacts(double h, std::vector<ActiveContact>& out);
  void find_touches(double h, double extra, std::vector<Touch>& out);

  using SolidSink = std::function<void(ActiveContact&)>;
  void solid_touches(double h, double extra, const SolidSink& sink);

  SolidOverlap deepest_solid_overlap();

  /// All points with a gap up to `margin`, with frames: no prediction, no reactions.
  void touching(double margin, std::vector<ActiveContact>& out);

  /// Moves bodies and solids by Δq, numbered as velocities are.
  void displace(const std::vector<double>& dq);

  double kinetic() const;
  double potential() const;

 private:
  void add_body(const Body& body, int number);
  void add_joint(const Joint& joint, int number);
  void match(std::vector<ActiveContact>& fresh) const;
  void solid_contacts(double h, std::vector<ActiveContact>& out);
  void face_touches(int solid, int piece, int key, double margin, const std::shared_ptr<const TriangleMesh>& mesh,
                    const std::vector<Vector>& touched, const SolidSink& sink);
  void finish(ActiveContact& c, double h, std::vector<ActiveContact>& out) const;
  Vector end_velocity(int participant, int shares, const Vector& point, bool free, double h) const;

  int materials_ = 1;
  std::vector<Law> laws_;
  std::set<std::pair<int, int>> apart_;  ///< jointed bodies that do not collide
  std::vector<char> active_;
  std::vector<Touch> touches_;
  Broadphase broadphase_;
  std::vector<double> margin_;
};

/// The problem of one step from v: fills `problem` (reusing its memory) and the guess from matched reactions.
void assemble(const World& world, double h, GlobalProblem& problem, Iterate& guess);

/// Velocities v⁺ into the bodies and solids, positions by the θ-scheme.
void advance(World& world, double h, const std::vector<double>& v);

/// Pushes overlapping bodies apart: projection in the metric of M, projected Gauss–Seidel on the normal gaps deeper than slop. Returns the
/// number of sweeps; `deepest` is the deepest penetration before it.
int project(World& world, double slop, double& deepest);

/// The same with solids, in the metric of a step of length h. Returns the iterations of its solver.
int project_solids(World& world, double h, double slop, double& deepest);

}  // namespace cornet::sim
