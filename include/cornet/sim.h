// Moreau–Jean time stepping: a scene in, its motion and its contact problems out.
//
//   M (v⁺ − v) = h F + H r + G λ,   q⁺ = q + h (θ v⁺ + (1 − θ) v),   u = Hᵀ v⁺ + w,   Gᵀ v⁺ + b = 0,   K* ∋ u + g(u) ⊥ r ∈ K
//
// A rigid body in space has six velocities: of its centre (fixed frame) and its spin (own frame); in the plane three. A contact takes part
// when the gap predicted for the end of the step, without reactions, is not positive. w holds e·u_N⁻ and minus the velocity of moving bodies.
// Same scene, same options: same bits.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/export.h"
#include "cornet/problem.h"
#include "cornet/result.h"
#include "cornet/sim_scene.h"

namespace cornet::sim {

/// One contact of the last step.
struct Contact {
  int a = -1, b = -1;  ///< bodies by number; solids follow the bodies. The normal points from b to a
  Vec3 point{};
  Vec3 normal{}, tangent{};  ///< tangent: first one
  double gap = 0;            ///< m, at the start of the step, negative when bodies overlap
  double mu = 0;
  Vec3 reaction{};  ///< impulse on a, fixed frame, N·s
  ContactStatus status = ContactStatus::take_off;
};

/// J; all but kinetic and potential are sums since the start.
struct Energy {
  double kinetic = 0;
  double potential = 0;  ///< gravity and elasticity
  double friction = 0;   ///< taken by friction
  double impact = 0;     ///< taken by impacts
  double driven = 0;     ///< given by moving bodies
  double viscous = 0;    ///< taken by the damping of solids
  double total() const { return kinetic + potential; }
};

struct StepReport {
  long step = 0;    ///< 1 for the first
  double time = 0;  ///< s, at the end of the step
  int contacts = 0;
  int take_off = 0, stick = 0, slide = 0;
  Status status = Status::solved;  ///< of the contact problem
  std::string solver;              ///< the one that gave the answer; empty when there was nothing to solve
  std::string message;             ///< empty when all went well
  std::string kept;                ///< the file with the problem, when it could not be solved (keep_failures)
  double error = 0;                ///< certified
  long iterations = 0;
  Energy energy;
  double penetration = 0;                                  ///< deepest, after the step, m
  int projected = 0;                                       ///< sweeps of the projection
  std::string verdict;                                     ///< of check_existence, when it was asked for
  int redundant = -1;  ///< with it: reaction components that the statuses leave open, > 0: reactions are not unique; −1: not looked at
  double solve_time = 0, collide_time = 0, step_time = 0;  ///< wall clock, s
  bool ok() const { return status == Status::solved; }
};

struct BodyState {
  Pose pose;        ///< of the frame of the shape
  Vec3 centre{};    ///< of mass
  Vec3 velocity{};  ///< of the centre
  Vec3 spin{};      ///< fixed axes
};

class CORNET_API Simulation {
 public:
  /// Throws InvalidProblem on a bad scene.
  explicit Simulation(const Scene& scene);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// One step. With FailurePolicy::stop a failed step leaves the state as it was before it; the report says why.
  StepReport step();

  const Scene& scene() const;
  long steps() const;
  double time() const;
  Energy energy() const;
  BodyState body(int number) const;
  double mass(int number) const;
  std::vector<Vec3> nodes(int solid) const;                ///< present positions of the nodes of a solid
  std::vector<Vec3> node_velocities(int solid) const;
  std::vector<std::array<int, 4>> faces(int solid) const;  ///< of its surface, counter-clockwise from outside
  const std::vector<Contact>& contacts() const;

  /// The problem of the last step and its answer.
  const GlobalProblem& problem() const;
  const Iterate& answer() const;

  /// The whole state as bytes. A simulation restored from it goes on bit by bit like the one that was saved, when it was saved after a
  /// multiple of scene.checkpoint_every steps (or never stepped): there the solver starts afresh in every run.
  std::string checkpoint() const;
  void restore(const std::string& bytes);

  void set_interrupt(const std::atomic<bool>* flag);

  /// Bytes that the solve of a step may take beyond its problem, 0: no limit. A step that is estimated to need more throws MemoryLimit and
  /// leaves the simulation as it was.
  void set_memory_limit(double bytes);

  /// From now on a step that cannot be solved leaves its problem, start and best answer in this folder (which exists), as the FCLIB file
  /// NAME-STEP-STATUS.hdf5. Empty: no files, as at first.
  void keep_failures(const std::string& folder);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cornet::sim
