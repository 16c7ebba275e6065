// Small problems made by code: for the demonstration, the tests and the benchmarks, on machines that have no data set. Each is mechanics,
// not noise: bodies, masses, contact frames, one time step of length h = 0.01 s under gravity g = 9.81 m/s² along −z (−y in the plane).
// Units are kg, m, s; r is an impulse (N·s), u and v are velocities. Unless said otherwise w = 0, so a solution exists for every mu.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/problem.h"

namespace cornet::samples {

constexpr double kStep = 0.01;     ///< h, in s
constexpr double kGravity = 9.81;  ///< g, in m/s²

/// A block of mass 1 kg on a slope, from rest. d = 2: a block that cannot turn (two dofs), one contact; d = 3: a unit cube (six dofs), one
/// contact at each corner of its face, m/n = 2. Contact frames: the normal of the slope, then the direction of steepest descent.
/// Sticks iff tan(angle) ≤ mu; else slides with acceleration g (sin − mu cos). In d = 3 it tips over when both exceed 1.
CORNET_API GlobalProblem block_on_incline(int dim, double angle, double mu);

/// `levels` unit cubes piled up with small offsets, four contacts between neighbours: hyperstatic, m/n = 2. The top cube is pushed aside.
CORNET_API GlobalProblem box_stack(int levels, double mu);

/// nx × ny × nz equal spheres on a square lattice between a floor and four walls; lattice neighbours touch: about three contacts per
/// sphere, so the problem grows linearly. Seeded velocity noise, strong enough that contacts open, stick and slide.
CORNET_API GlobalProblem sphere_lattice(int nx, int ny, int nz, double mu, std::uint64_t seed);

/// The smallest cubic sphere_lattice with at least `contacts` contacts: for benchmarks that ask for a size.
CORNET_API GlobalProblem spheres_with_contacts(int contacts, double mu, std::uint64_t seed);

/// ny rows of nx disks in a plane box, hexagonal packing, seeded velocity noise.
CORNET_API GlobalProblem disk_packing(int nx, int ny, double mu, std::uint64_t seed);

/// A wall of bricks in running bond with half bricks at the ends of every second row, `rows` × `columns`, eight contact points per pair of
/// touching faces: strongly hyperstatic, m/n near 9. A brick near the middle is hit from the front.
CORNET_API GlobalProblem brick_wall(int rows, int columns, double mu);

/// Two unit cubes held together by a ball joint (bilateral constraints G, b), lying on the ground; one is dragged sideways, and the joint
/// has opened a little, which b asks to close (b ≠ 0).
CORNET_API GlobalProblem jointed_cubes(double mu);

/// `count` heavy spinning disks, each standing on three studs, gyroscopic terms implicit in M: M and W are unsymmetric.
CORNET_API GlobalProblem spinning_disks(int count, double mu);

/// A row of `count` balls hit by the first one, restitution 0.8 in w: the only mechanical sample with w ≠ 0.
CORNET_API GlobalProblem ball_row(int count, double mu);

/// A random local problem with a solution that is known by construction: W = A Aᵀ of rank min(rank, m), plus a skew part whose entries are
/// at most `asymmetry` times the mean diagonal. Statuses are drawn equally among take-off, stick and slide; with mu = ∞ nothing slides
/// and r_T may be non-zero where r_N = 0. mu is uniform in [mu_min, mu_max]; with mu_max = ∞ every third contact has ∞ and the others
/// are uniform in [mu_min, mu_min + 1]. The solution (r, u) is written to `solution`. It need not be the only one.
CORNET_API LocalProblem random_local(int dim, int contacts, int rank, double mu_min, double mu_max, double asymmetry, std::uint64_t seed,
                                     Iterate& solution);

/// A named member of the bundled set.
struct Sample {
  std::string name;
  std::string what;  ///< one line for people
  Problem problem;
};

/// The set that the demonstration solves: 2D and 3D, local and global, mu from 0 to ∞, full rank and hyperstatic, joints, unsymmetric,
/// q = 0, unfortunate units. Every matrix storage occurs. All have a solution.
CORNET_API std::vector<Sample> bundled();

}  // namespace cornet::samples
