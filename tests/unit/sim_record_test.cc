// Records: the same scene gives the same bytes, a resumed run the bytes of an uninterrupted one, and a torn file its whole steps.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cornet/error.h"
#include "cornet/sim_library.h"
#include "cornet/sim_record.h"

namespace cornet::sim {
namespace {

std::string path(const std::string& name) { return testing::TempDir() + "cornet_" + name; }

std::string bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

Scene small() {
  Scene scene = make_scene("beads", {{"count", "25"}, {"width", "0.8"}});
  scene.checkpoint_every = 10;
  return scene;
}

// More than 300 contacts, loose tolerance, no solver named: first-order methods in turn, then the automatic solver.
Scene wall() {
  Scene scene = make_scene("brick-wall", {{"rows", "6"}, {"columns", "6"}});
  scene.solver.clear();
  scene.tolerance = 1e-4;
  scene.checkpoint_every = 5;
  return scene;
}

// No solver named, tight tolerance: the automatic solver.
Scene tight() {
  Scene scene = small();
  scene.solver.clear();
  scene.tolerance = 1e-8;
  return scene;
}

void record(const std::string& file, int steps, const Scene& scene = small()) {
  Simulation simulation(scene);
  Recorder recorder(file, simulation);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    recorder.add(simulation, report);
  }
}

TEST(Record, SameSceneSameBytes) {
  record(path("a"), 45);
  record(path("b"), 45);
  EXPECT_EQ(bytes(path("a")), bytes(path("b")));
  EXPECT_EQ(read_record(path("a")).frames.size(), 46u);
}

TEST(Record, ResumedRunIsTheUninterruptedOne) {
  record(path("whole"), 45);
  record(path("part"), 27);  // its last state is that of step 20
  {
    auto [recorder, simulation] = Recorder::resume(path("part"));
    EXPECT_EQ(simulation.steps(), 20);
    while (simulation.steps() < 45) {
      const StepReport report = simulation.step();
      recorder.add(simulation, report);
    }
  }
  EXPECT_EQ(bytes(path("part")), bytes(path("whole")));
}

TEST(Record, DefaultSolverGivesTheSameBytes) {
  for (const Scene& scene : {wall(), tight()}) {
    record(path("default_a"), 18, scene);
    record(path("default_b"), 18, scene);
    EXPECT_EQ(bytes(path("default_a")), bytes(path("default_b"))) << scene.name;
    record(path("default_part"), 13, scene);
    auto [recorder, simulation] = Recorder::resume(path("default_part"));
    EXPECT_EQ(simulation.steps(), 10);
    while (simulation.steps() < 18) {
      const StepReport report = simulation.step();
      recorder.add(simulation, report);
    }
    EXPECT_EQ(bytes(path("default_part")), bytes(path("default_a"))) << scene.name;
  }
  Simulation simulation(wall());
  EXPECT_GT(simulation.step().contacts, 300);
}

TEST(Record, TornFileIsReadUpToItsLastWholeStep) {
  record(path("torn"), 12);
  const auto size = std::filesystem::file_size(path("torn"));
  std::filesystem::resize_file(path("torn"), size - 30);
  const Record torn = read_record(path("torn"));
  EXPECT_EQ(torn.frames.back().step, 11);
  EXPECT_NE(torn.warning.find("step 11"), std::string::npos);
  {  // one bit flipped in the last step
    record(path("flip"), 12);
    std::fstream file(path("flip"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-20, std::ios::end);
    file.put('\x55');
  }
  EXPECT_EQ(read_record(path("flip")).frames.back().step, 11);
}

TEST(Record, OtherFilesAreRefused) {
  std::ofstream(path("other")) << "something else";
  EXPECT_THROW(read_record(path("other")), IoError);
  EXPECT_THROW(read_record(path("absent")), IoError);
}

TEST(Record, FramesHoldThePoses) {
  record(path("poses"), 5);
  const Record r = read_record(path("poses"));
  ASSERT_EQ(r.scene.bodies.size(), 30u);  // five walls, 25 beads
  const Frame& start = r.frames.front();
  for (std::size_t k = 0; k < 30; ++k)
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(start.bodies[k].position[i], r.scene.bodies[k].pose.position[i], 1e-6);
}

}  // namespace
}  // namespace cornet::sim
