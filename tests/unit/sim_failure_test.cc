// A step that cannot be solved: what it says, what it keeps, and what follows by each policy.
#include <gtest/gtest.h>

#include <filesystem>

#include "cornet/error.h"
#include "cornet/io.h"
#include "cornet/result.h"
#include "cornet/sim.h"
#include "cornet/sim_library.h"

namespace cornet::sim {
namespace {

namespace fs = std::filesystem;

std::string empty_folder(const std::string& name) {
  std::string path = testing::TempDir() + "cornet_" + name;
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

// One sweep is not enough for an arch.
Scene hopeless(FailurePolicy policy) {
  Scene scene = make_scene("arch", {{"blocks", "9"}});
  scene.solver = "nsgs-ac";
  scene.max_iterations = 1;
  scene.tolerance = 1e-8;
  scene.on_failure = policy;
  scene.retry_solver = "nsgs-jm";
  return scene;
}

TEST(FailedStep, StopKeepsTheProblemAndTheState) {
  const std::string folder = empty_folder("stop");
  Simulation simulation(hopeless(FailurePolicy::stop));
  simulation.keep_failures(folder);
  const std::string before = simulation.checkpoint();
  const StepReport report = simulation.step();
  ASSERT_EQ(report.status, Status::iteration_limit);
  EXPECT_NE(report.message.find("nsgs-ac: iteration limit"), std::string::npos) << report.message;
  EXPECT_EQ(simulation.steps(), 0);
  EXPECT_EQ(simulation.checkpoint(), before);
  ASSERT_EQ(report.kept, folder + "/arch-000001-iteration_limit.hdf5");
  const ProblemFile file = read_file(report.kept);
  ASSERT_TRUE(file.global);
  EXPECT_EQ(file.global->contacts(), report.contacts);
  ASSERT_EQ(file.guesses.size(), 1u);
  ASSERT_TRUE(file.solution);
  EXPECT_NEAR(certify(*file.global, *file.solution).error, report.error, 1e-12 * report.error);
  EXPECT_TRUE(solve(*file.global).solved());
}

TEST(FailedStep, ContinueGoesOnWithTheBestAnswer) {
  const std::string folder = empty_folder("continue");
  Simulation simulation(hopeless(FailurePolicy::go_on));
  simulation.keep_failures(folder);
  for (int k = 1; k <= 2; ++k) {
    const StepReport report = simulation.step();
    EXPECT_FALSE(report.ok());
    EXPECT_TRUE(fs::exists(report.kept)) << report.kept;
    EXPECT_EQ(simulation.steps(), k);
  }
}

TEST(FailedStep, RetrySolvesAndSaysSo) {
  const std::string folder = empty_folder("retry");
  Simulation simulation(hopeless(FailurePolicy::retry));
  simulation.keep_failures(folder);
  const StepReport report = simulation.step();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.solver, "nsgs-jm");
  EXPECT_NE(report.message.find("nsgs-ac: iteration limit"), std::string::npos) << report.message;
  EXPECT_TRUE(report.kept.empty());
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(FailedStep, NoFilesUnlessAskedForAndNoThrowWithoutAPlace) {
  Simulation silent(hopeless(FailurePolicy::go_on));
  EXPECT_TRUE(silent.step().kept.empty());
  Simulation nowhere(hopeless(FailurePolicy::go_on));
  nowhere.keep_failures(testing::TempDir() + "cornet_absent/folder");
  const StepReport report = nowhere.step();
  EXPECT_TRUE(report.kept.empty());
  EXPECT_NE(report.message.find("could not be kept"), std::string::npos) << report.message;
  EXPECT_EQ(nowhere.steps(), 1);
}

TEST(FailedStep, SolversAndTheirOptionsAreCheckedBeforeTheFirstStep) {
  Scene scene = hopeless(FailurePolicy::stop);
  scene.solver = "no such solver";
  EXPECT_THROW(Simulation{scene}, InvalidOption);
  scene = hopeless(FailurePolicy::retry);
  scene.retry_solver = "no such solver";
  EXPECT_THROW(Simulation{scene}, InvalidOption);
}

}  // namespace
}  // namespace cornet::sim
