// The bundled set: one problem per difficulty that a user meets. Sizes stay near 300 contacts at most, so that the demonstration is quick.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "samples/rigid_bodies.h"

namespace cornet::samples {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Compressed columns, sorted, to compressed rows.
SparseMatrix by_rows(const SparseMatrix& a) {
  SparseMatrix b;
  b.rows = a.rows;
  b.cols = a.cols;
  b.storage = Storage::csr;
  b.p.assign(static_cast<std::size_t>(a.rows + 1), 0);
  b.i.resize(a.i.size());
  b.x.resize(a.x.size());
  for (const int row : a.i) ++b.p[static_cast<std::size_t>(row + 1)];
  for (std::size_t k = 1; k < b.p.size(); ++k) b.p[k] += b.p[k - 1];
  std::vector<int> next(b.p.begin(), b.p.end() - 1);
  for (int column = 0; column < a.cols; ++column)
    for (int k = a.p[static_cast<std::size_t>(column)]; k < a.p[static_cast<std::size_t>(column + 1)]; ++k) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(a.i[static_cast<std::size_t>(k)])]++);
      b.i[place] = column;
      b.x[place] = a.x[static_cast<std::size_t>(k)];
    }
  return b;
}

// Compressed columns to triplet, every diagonal entry as two halves: duplicates add.
SparseMatrix as_triplets(const SparseMatrix& a) {
  SparseMatrix b;
  b.rows = a.rows;
  b.cols = a.cols;
  b.storage = Storage::triplet;
  for (int column = 0; column < a.cols; ++column)
    for (int k = a.p[static_cast<std::size_t>(column)]; k < a.p[static_cast<std::size_t>(column + 1)]; ++k) {
      const int row = a.i[static_cast<std::size_t>(k)];
      const int pieces = row == column ? 2 : 1;
      for (int piece = 0; piece < pieces; ++piece) {
        b.i.push_back(row);
        b.p.push_back(column);
        b.x.push_back(a.x[static_cast<std::size_t>(k)] / pieces);
      }
    }
  return b;
}

// Contacts of one lattice with no, weak, strong and unlimited friction in turn, reduced and stored by rows.
LocalProblem mixed_lattice() {
  GlobalProblem global = sphere_lattice(4, 4, 2, 0, 3);
  const std::array<double, 4> mu = {0, 0.2, 0.9, kInfinity};
  for (std::size_t k = 0; k < global.mu.size(); ++k) global.mu[k] = mu[k % 4];
  LocalProblem local = reduce(global).local();
  local.W = by_rows(local.W);
  return local;
}

// No weight, no motion: f = 0 and q = 0.
GlobalProblem weightless_stack() {
  GlobalProblem problem = box_stack(3, 0.5);
  std::fill(problem.f.begin(), problem.f.end(), 0.0);
  return problem;
}

LocalProblem random_plane() {
  Iterate solution;
  LocalProblem problem = random_local(2, 30, 60, 0.2, 2, 0, 7, solution);
  problem.W = as_triplets(problem.W);
  return problem;
}

LocalProblem random_unsymmetric() {
  Iterate solution;
  return random_local(3, 20, 60, 0.2, 1, 0.05, 11, solution);
}

}  // namespace

std::vector<Sample> bundled() {
  std::vector<Sample> set;
  const auto add = [&](const char* name, const char* what, Problem problem) {
    std::visit([&](auto& p) { p.name = name; }, problem);
    set.push_back({name, what, std::move(problem)});
  };
  add("incline-2d-stick", "a block at rest on a slope in the plane, tan(angle) below mu", block_on_incline(2, 0.4, 0.5));
  add("incline-3d-slide", "a cube sliding down a slope on four corners, tan(angle) above mu", block_on_incline(3, 0.6, 0.5));
  add("box-stack-8", "eight cubes piled up, the top one pushed aside: hyperstatic", box_stack(8, 0.6));
  add("box-stack-4-rough", "four cubes piled up with mu = inf: nothing slides", box_stack(4, kInfinity));
  add("box-stack-5-units", "five cubes in milligrams, millimetres and milliseconds: entries over many decades",
      in_units(box_stack(5, 0.6), {1e6, 1e3, 1e3}));
  add("brick-wall-4x3", "a brick wall hit from the front, eight points per joint: m/n near 9", brick_wall(4, 3, 0.6));
  add("sphere-lattice-5x5x3", "75 spheres in a box, moving at random: open, sticking and sliding contacts",
      sphere_lattice(5, 5, 3, 0.4, 1));
  add("sphere-lattice-smooth", "27 spheres without friction (mu = 0): a quadratic program", sphere_lattice(3, 3, 3, 0, 2));
  add("sphere-lattice-mixed", "32 spheres, mu = 0, 0.2, 0.9 and inf in turn, reduced to local form, W by rows", mixed_lattice());
  add("disk-packing-10x7", "70 disks in a plane box, hexagonal packing", disk_packing(10, 7, 0.3, 4));
  add("jointed-cubes", "two cubes with a ball joint on the ground: bilateral constraints", jointed_cubes(0.4));
  add("spinning-disks-3", "fast disks on studs, implicit gyroscopic terms: M and W unsymmetric", spinning_disks(3, 0.3));
  add("ball-row-6", "a ball hits a row of five on the ground, restitution 0.8: w is not zero", ball_row(6, 0.2));
  add("random-2d-30", "a random plane problem with mu in [0.2, 2] and a known solution, W as triplets with duplicates", random_plane());
  add("random-3d-unsymmetric", "a random problem in space with a known solution and an unsymmetric W", random_unsymmetric());
  add("weightless-stack", "three cubes without weight or motion: q = 0 and r = 0 is the answer", weightless_stack());
  return set;
}

}  // namespace cornet::samples
