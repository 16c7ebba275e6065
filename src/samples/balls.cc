// Round bodies: spheres on a lattice, disks in a plane box, a row of colliding balls, spinning disks on studs. One contact per touching
// pair, so the number of contacts grows linearly with the number of bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/error.h"
#include "cornet/samples.h"
#include "samples/random.h"
#include "samples/rigid_bodies.h"

namespace cornet::samples {
namespace {

constexpr double kDensity = 1000;
constexpr double kPi = 3.14159265358979323846;

// Three times what gravity gives in a step: some contacts open against the weight, the others close.
constexpr double kNoise = 3 * kStep * kGravity;

double lattice_contacts(double nx, double ny, double nz) {
  const double floor = nx * ny, walls = 2 * (nx + ny) * nz;
  return floor + walls + (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
}

// 18 entries of H per body and contact, 36 of M per body: no index may need more than 32 bits.
void check_size(const char* name, double bodies, double contacts) {
  if (!(std::max(36 * contacts, 36 * bodies) <= std::numeric_limits<int>::max()))
    throw InvalidOption(fmt::format("{}: found {} bodies with {} contacts, expected at most {} contacts (indices of 32 bits)", name, bodies,
                                    contacts, std::numeric_limits<int>::max() / 36));
}

}  // namespace

GlobalProblem sphere_lattice(int nx, int ny, int nz, double mu, std::uint64_t seed) {
  check_size("sphere_lattice", 1.0 * nx * ny * nz, lattice_contacts(nx, ny, nz));
  const double radius = 0.05, mass = kDensity * 4 / 3 * kPi * std::pow(radius, 3);
  Random random(seed);
  RigidBodies bodies(3);
  const auto number = [&](int i, int j, int k) { return i + nx * (j + ny * k); };
  const auto centre = [&](int i, int j, int k) { return Vector((2 * i + 1) * radius, (2 * j + 1) * radius, (2 * k + 1) * radius); };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int ball = bodies.add_body(mass, ball_inertia(mass, radius), centre(i, j, k));
        Vector velocity, spin;
        for (int c = 0; c < 3; ++c) velocity[c] = random.uniform(-kNoise, kNoise);
        for (int c = 0; c < 3; ++c) spin[c] = random.uniform(-kNoise, kNoise) / radius;
        bodies.set_velocity(ball, velocity, spin);
      }
  // Each ball: what is below, in front and to the left of it, and the far walls.
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int ball = number(i, j, k);
        const Vector c = centre(i, j, k);
        const auto touch = [&](int other, const Vector& normal) { bodies.add_contact(ball, other, c - radius * normal, normal, mu); };
        touch(k > 0 ? number(i, j, k - 1) : kWorld, Vector::UnitZ());
        touch(i > 0 ? number(i - 1, j, k) : kWorld, Vector::UnitX());
        touch(j > 0 ? number(i, j - 1, k) : kWorld, Vector::UnitY());
        if (i == nx - 1) touch(kWorld, -Vector::UnitX());
        if (j == ny - 1) touch(kWorld, -Vector::UnitY());
      }
  const std::string size = std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz);
  return bodies.build("sphere-lattice-" + size, Storage::csc, Storage::csc);
}

GlobalProblem spheres_with_contacts(int contacts, double mu, std::uint64_t seed) {
  int edge = 1;
  while (lattice_contacts(edge, edge, edge) < contacts) ++edge;
  return sphere_lattice(edge, edge, edge, mu, seed);
}

GlobalProblem disk_packing(int nx, int ny, double mu, std::uint64_t seed) {
  check_size("disk_packing", 1.0 * nx * ny, 3.0 * nx * ny + nx + ny);
  const double radius = 0.05, mass = kDensity * kPi * radius * radius;
  Random random(seed);
  RigidBodies bodies(2);
  const auto centre = [&](int i, int j) { return Vector((2 * i + 1 + j % 2) * radius, (1 + std::sqrt(3.0) * j) * radius, 0); };
  const auto touch = [&](int a, int b, const Vector& from, const Vector& to) { bodies.add_contact(a, b, (from + to) / 2, to - from, mu); };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const Vector c = centre(i, j);
      const int disk = bodies.add_body(mass, Matrix((mass * radius * radius / 2 * Vector::Ones()).asDiagonal()), c);
      const Vector velocity(random.uniform(-kNoise, kNoise), random.uniform(-kNoise, kNoise), 0);
      bodies.set_velocity(disk, velocity, Vector(0, 0, random.uniform(-kNoise, kNoise) / radius));
      // Floor, side walls (rows touch the left and the right one in turn), the left neighbour, the two disks below.
      if (j == 0) bodies.add_contact(disk, kWorld, c - radius * Vector::UnitY(), Vector::UnitY(), mu);
      if (i == 0 && j % 2 == 0) bodies.add_contact(disk, kWorld, c - radius * Vector::UnitX(), Vector::UnitX(), mu);
      if (i == nx - 1 && (j % 2 == 1 || ny == 1)) bodies.add_contact(disk, kWorld, c + radius * Vector::UnitX(), -Vector::UnitX(), mu);
      if (i > 0) touch(disk, disk - 1, centre(i - 1, j), c);
      for (int below = i - 1 + j % 2; j > 0 && below <= i + j % 2; ++below)
        if (below >= 0 && below < nx) touch(disk, nx * (j - 1) + below, centre(below, j - 1), c);
    }
  return bodies.build("disk-packing-" + std::to_string(nx) + "x" + std::to_string(ny), Storage::triplet, Storage::csc);
}

GlobalProblem spinning_disks(int count, double mu) {
  const double radius = 0.3, thickness = 0.1, mass = kDensity * kPi * radius * radius * thickness;
  const double across = mass * (radius * radius / 4 + thickness * thickness / 12), along = mass * radius * radius / 2;
  RigidBodies bodies(3);
  for (int k = 0; k < count; ++k) {
    const Vector centre(k, 0, 0.2);
    const int disk = bodies.add_body(mass, Matrix(Vector(across, across, along).asDiagonal()), centre);
    // They spin fast about their axis, wobble a little and drift: some studs lift, the others slide.
    bodies.set_velocity(disk, Vector(0.1 * k, 0.05, 0), Vector(0.3 + 0.2 * k, -0.2, 15 + 5 * k));
    bodies.make_gyroscopic(disk);
    for (int stud = 0; stud < 3; ++stud) {
      const double angle = 2 * kPi * stud / 3 + 0.4 * k;
      bodies.add_contact(disk, kWorld, Vector(centre.x() + 0.25 * std::cos(angle), 0.25 * std::sin(angle), 0), Vector::UnitZ(), mu);
    }
  }
  return bodies.build("spinning-disks-" + std::to_string(count), Storage::csc, Storage::triplet);
}

GlobalProblem ball_row(int count, double mu) {
  const double radius = 0.05, mass = kDensity * 4 / 3 * kPi * std::pow(radius, 3), restitution = 0.8;
  RigidBodies bodies(3);
  for (int k = 0; k < count; ++k) {
    const Vector centre((2 * k + 1) * radius, 0, radius);
    const int ball = bodies.add_body(mass, ball_inertia(mass, radius), centre);
    if (k == 0) bodies.set_velocity(ball, Vector(2, 0, 0), Vector(0, 2 / radius, 5));
  }
  for (int k = 0; k < count; ++k) {
    bodies.add_contact(k, kWorld, Vector((2 * k + 1) * radius, 0, 0), Vector::UnitZ(), mu, restitution);
    if (k > 0) bodies.add_contact(k - 1, k, Vector(2 * k * radius, 0, radius), -Vector::UnitX(), mu, restitution);
  }
  return bodies.build("ball-row-" + std::to_string(count), Storage::triplet, Storage::csc);
}

}  // namespace cornet::samples
