// Finite elements against theory: uniform compression, Hertz, free fall, and the energy of a block that rings.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "cornet/error.h"
#include "sim/fem.h"
#include "support/hertz.h"
#include "support/simulations.h"

namespace cornet::sim {
namespace {

TEST(Elastic, PatchTestIsExact) {
  const double strain = 1e-3, young = 1e6;
  for (const char* divisions : {"1", "3"}) {
    Simulation simulation(make_scene("patch-test", {{"divisions", divisions}, {"strain", "1e-3"}}));
    while (simulation.time() < 1 - 1e-9) ASSERT_TRUE(simulation.step().ok());
    EXPECT_NEAR(force_on(simulation, 0)[2], young * strain, 1e-6 * young * strain);  // unit area
    const auto nodes = simulation.nodes(0);
    const int n = std::stoi(divisions);
    for (const Vec3& p : nodes) {  // the strain is the same everywhere
      const double rest = std::round(p[2] * n) / n;
      EXPECT_NEAR(p[2], rest * (1 - strain), 1e-9);
    }
  }
}

// A finer mesh comes nearer to the theory. What is left at the finest is the mesh and the end of the half-space at 200 contact radii.
TEST(Elastic, HertzForceConvergesToTheTheory) {
  const double coarse = hertz_error(1), fine = hertz_error(2);
  EXPECT_LT(coarse, 0.05);
  EXPECT_LT(fine, 0.045);
  EXPECT_LT(fine, coarse);
}

// Weight of the elements: 2/3 π R³, from below because they are flat; four times nearer with elements half as long.
TEST(Elastic, HalfBallHasItsVolume) {
  double missing[2];
  int which = 0;
  for (const int edge : {4, 8}) {
    Solid solid;
    solid.form = "half-ball";
    solid.size = {2, 0.5, 1};
    solid.divisions = {edge, edge, 1};
    solid.density = 3;
    const SolidState state = make_solid(solid, {0, 0, -1}, "");
    EXPECT_TRUE(state.M.isApprox(Sparse(state.M.transpose())));
    missing[which++] = 1 + state.load.sum() / (3 * 2.0 / 3 * M_PI * 8);
  }
  EXPECT_GT(missing[1], 0);
  EXPECT_NEAR(missing[0] / missing[1], 4, 0.4);
  EXPECT_LT(missing[1], 0.02);
  Scene scene;
  scene.solids = {Solid{}};
  scene.solids[0].form = "ball";
  EXPECT_THROW(validate(scene), InvalidProblem);
  scene.solids[0].form = "half-ball";
  scene.solids[0].size = {1, 0.9, 1};
  EXPECT_THROW(validate(scene), InvalidProblem);
}

TEST(Elastic, FreeSolidFallsLikeABody) {
  Scene scene;
  scene.dt = 0.01;
  Solid block;
  block.name = "block";
  block.divisions = {2, 2, 2};
  block.velocity = {1, 0, 0};
  scene.solids = {block};
  Simulation simulation(scene);
  const auto start = simulation.nodes(0);
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(simulation.step().ok());
  const auto now = simulation.nodes(0);
  for (std::size_t k = 0; k < now.size(); ++k) {
    EXPECT_NEAR(now[k][0] - start[k][0], 0.5, 1e-9);
    EXPECT_NEAR(now[k][2] - start[k][2], -9.81 * 0.125, 1e-9);
  }
}

TEST(Elastic, MidpointRuleKeepsTheEnergyOfAnUndampedBlock) {
  Scene scene;
  scene.dt = 1e-3;
  scene.gravity = {0, 0, -9.81};
  Solid block;
  block.name = "block";
  block.divisions = {2, 2, 4};
  block.young = 1e5;
  block.clamped = {"z-"};
  scene.solids = {block};
  Simulation simulation(scene);
  const double start = simulation.energy().total();
  double most = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step().ok());
    most = std::max(most, simulation.energy().kinetic);
    EXPECT_NEAR(simulation.energy().total(), start, 1e-7 * (1 + most));
  }
  EXPECT_GT(most, 0.1);
}

// Two cubes meet on the ground: θ = ½ closes the balance with what damping, friction and impacts take.
TEST(Elastic, EnergyOfTwoCubesIsAccountedFor) {
  for (const char* mu : {"0", "0.3"}) {
    Scene scene = make_scene("elastic-cubes", {{"divisions", "2"}, {"mu", mu}, {"speed", "0.5"}});
    Simulation simulation(scene);
    const double start = simulation.energy().total();
    double kinetic = simulation.energy().kinetic;
    int contacts = 0;
    for (int k = 0; k < 50; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      contacts += report.contacts;
      const Energy e = simulation.energy();
      EXPECT_NEAR(e.total() + e.friction + e.impact + e.viscous, start, 1e-6 * kinetic) << k;
      EXPECT_GE(e.viscous, 0);
    }
    EXPECT_GT(contacts, 100);
    EXPECT_GT(simulation.energy().impact, 0);
  }
}

TEST(Elastic, GmshFilesOfBothVersionsAreTheStructuredBlock) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "v2.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n"
         "9 5 5 5\n$EndNodes\n$Elements\n2\n1 15 2 0 1 1\n2 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n";
  std::ofstream(folder + "v4.msh")
      << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
         "0 0 1\n1 0 1\n1 1 1\n0 1 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 5 6 7 8\n$EndElements\n";
  std::vector<double> energies;
  for (const std::string mesh : {"", "v2.msh", "v4.msh"}) {
    Scene scene;
    scene.dt = 1e-3;
    Solid block;
    block.name = "block";
    block.clamped = {"z-"};
    if (!mesh.empty()) block.mesh = folder + mesh;
    scene.solids = {block};
    Simulation simulation(scene);
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(simulation.step().ok());
    energies.push_back(simulation.energy().kinetic);
  }
  EXPECT_NEAR(energies[1], energies[0], 1e-12);
  EXPECT_NEAR(energies[2], energies[0], 1e-12);
  std::ofstream(folder + "bad.msh") << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  Scene scene;
  Solid block;
  block.mesh = folder + "bad.msh";
  scene.solids = {block};
  EXPECT_THROW(Simulation{scene}, IoError);
}

}  // namespace
}  // namespace cornet::sim
