// Table 5 of the survey, and the runs that stand for each of its rows.
#include <cmath>

#include "cornet/error.h"
#include "cornet/sim_sets.h"
#include "sim/sets.h"

namespace cornet::sim {

const std::vector<TestSet>& test_sets() {
  static const std::vector<TestSet> all = {
      {"Cubes_H8_2", "two elastic cubes, 2×2×2 hexahedra each", 0.3, 15, 162, 162, 3, 5, 0.02, 0.09, 1e-8, false},
      {"Cubes_H8_5", "two elastic cubes, 5×5×5 hexahedra each", 0.3, 50, 1296, 1296, 17, 36, 0.02, 0.09, 1e-8, false},
      {"Cubes_H8_20", "two elastic cubes, 20×20×20 hexahedra each", 0.3, 50, 55566, 55566, 361, 388, 0.019, 0.021, 1e-8, true},
      {"LowWall_FEM", "a wall of elastic bricks", 0.83, 50, 7212, 7212, 624, 688, 0.28, 0.29, 1e-8, false},
      {"Aqueduct_PR", "an aqueduct of rigid stones", 0.8, 10, 1932, 1932, 4337, 4811, 6.81, 7.47, 1e-4, false},
      {"Bridge_PR", "an arch bridge of rigid stones", 0.9, 50, 138, 138, 70, 108, 1.5, 2.3, 1e-8, false},
      {"100_PR_Periobox", "a hundred polyhedra in a box, and its lid", 0.8, 106, 606, 606, 14, 578, 0.2, 3, 1e-4, false},
      {"945_SP_Box_PL", "945 balls in a box under loaded plates", 0.8, 60, 5700, 5700, 2322, 5037, 1.22, 2.65, 1e-4, false},
      {"Capsules", "capsules fall on each other", 0.7, 249, 96, 600, 17, 304, 0.53, 1.52, 1e-8, false},
      {"Chain", "links of a chain", 0.3, 242, 60, 60, 8, 28, 0.5, 1.3, 1e-8, false},
      {"KaplasTower", "a tower of planks", 0.7, 201, 72, 792, 48, 933, 3.0, 3.6, 1e-8, false},
      {"BoxesStack", "cubes piled up", 0.7, 255, 6, 300, 1, 200, 1.86, 2.0, 1e-8, false},
      {"Chute_1000", "polyhedra run down a chute", 1, 156, 276, 5508, 74, 5056, 0.69, 2.95, 1e-4, false},
      {"Chute_4000", "many polyhedra run down a chute", 1, 40, 17280, 20034, 15965, 19795, 2.51, 3.06, 1e-4, true},
      {"Chute_local_problems", "single contacts of the chute", 1, 834, 3, 3, 1, 1, 1, 1, 1e-8, false},
  };
  return all;
}

namespace {

Scene scene_of(const std::string& name, const OptionTexts& settings) { return make_scene(name, settings); }

// Adds velocities up to `x`, `y` to both sides and up to `down` downwards.
Scene stirred(Scene scene, std::uint64_t seed, double x, double y, double down) {
  Random random(static_cast<double>(seed));
  for (Body& b : scene.bodies)
    if (b.kind == BodyKind::dynamic) {
      b.velocity[0] += random.uniform(-x, x);
      b.velocity[1] += random.uniform(-y, y);
      b.velocity[2] -= random.uniform(0, down);
    }
  return scene;
}

// Runs of growing size with the same number of problems each.
template <class Make>
std::vector<SetRun> growing(const std::vector<int>& sizes, long first, long last, Make&& make) {
  std::vector<SetRun> out;
  for (int size : sizes) out.push_back({make(size), first, last});
  return out;
}

// Two cubes meet again and again, each time a little differently: they part after a few steps. A shift of i, j and a bit elements leaves
// (n − i)(n − j) nodes of the upper cube above the lower one.
std::vector<SetRun> cubes(int n, const std::vector<std::array<int, 2>>& shifts, std::uint64_t seed) {
  std::vector<SetRun> out;
  Random random(static_cast<double>(seed));
  for (int k = 0; k < 13; ++k) {
    const auto [i, j] = shifts[k % shifts.size()];
    const double x = (i + random.uniform(0.2, 0.8)) / n, y = (j + random.uniform(0.2, 0.8)) / n;
    out.push_back({two_cubes(n, x, y, random.uniform(0.2, 1)), 1, 5});
  }
  return out;
}

}  // namespace

std::vector<SetRun> set_runs(const std::string& name, std::uint64_t seed) {
  const std::string s = std::to_string(seed);
  if (name == "Cubes_H8_2") return cubes(2, {{0, 0}}, seed);
  if (name == "Cubes_H8_5") return cubes(5, {{0, 0}, {1, 0}}, seed);
  if (name == "Cubes_H8_20") return cubes(20, {{1, 0}, {1, 1}, {0, 1}}, seed);
  if (name == "LowWall_FEM") return {{low_wall(seed), 1, 60}};
  if (name == "Aqueduct_PR") return {{aqueduct(seed), 10, 29}};
  if (name == "Bridge_PR") {
    std::vector<SetRun> out;
    for (int k = 0; k < 2; ++k)
      out.push_back({stirred(scene_of("arch", {{"blocks", "23"}, {"mu", "0.9"}}), seed + k, 0.05, 0, 0.2), 2, 61});
    return out;
  }
  if (name == "100_PR_Periobox") return {{grains_in_box(100, 0.8, seed), 40, 150}};
  if (name == "945_SP_Box_PL") return {{spheres_under_plates(945, 5, 0.8, seed), 3, 62}};
  if (name == "Capsules")
    return growing({16, 30, 50, 75, 100}, 90, 200, [&](int n) {
      return scene_of("capsules", {{"count", std::to_string(n)}, {"seed", s}});
    });
  if (name == "Chain") return {{stirred(scene_of("chain", {{"links", "10"}, {"mu", "0.3"}, {"speed", "2"}}), seed, 0.1, 0.1, 0), 1, 500}};
  if (name == "KaplasTower")
    return growing({8, 20, 40, 60, 79}, 1, 41, [&](int n) {
      Scene scene =
          stirred(scene_of("kaplas-tower", {{"levels", std::to_string(n)}, {"speed", "0"}, {"single", "3"}}), seed, 0.05, 0.05, 0);
      scene.solver = "nsgs-ac";
      scene.tolerance = 1e-4;
      return scene;
    });
  if (name == "BoxesStack")
    return growing({1, 5, 12, 25, 50}, 10, 69, [&](int n) {
      return stirred(scene_of("boxes-stack", {{"boxes", std::to_string(n)}, {"towers", "5"}}), seed, 0.05, 0.05, 0);
    });
  if (name == "Chute_1000") return growing({46, 120, 300, 600, 918}, 90, 130, [&](int n) { return chute(n, 1, seed); });
  if (name == "Chute_4000") return growing({2880, 3339}, 12, 31, [&](int n) { return packed_chute(n, 1, seed); });
  if (name == "Chute_local_problems") return growing({200}, 20, 120, [&](int n) { return chute(n, 1, seed); });
  return {};
}

}  // namespace cornet::sim
