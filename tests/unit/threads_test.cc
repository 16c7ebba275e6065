// Eight threads at once, each with problems, solvers and files of its own: the results are those of one thread after the other, to the bit.
// Under the preset tsan this is the proof that the library shares nothing that it should not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "cornet/certificate.h"
#include "cornet/existence.h"
#include "cornet/io.h"
#include "cornet/quality.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "cornet/sim.h"
#include "cornet/sim_library.h"

namespace cornet {
namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 8;

struct Outcome {
  std::vector<Iterate> answers;
  std::vector<double> errors, margins;
  std::vector<std::string> words;
};

Problem problem_of(int thread) {
  Iterate solution;
  switch (thread) {
    case 0: return samples::spheres_with_contacts(700, 0.4, 3);  // large enough for nested dissection
    case 1: return samples::box_stack(8, 0.5);
    case 2: return samples::disk_packing(6, 6, 0.3, 5);
    case 3: return samples::jointed_cubes(0.6);
    case 4: return samples::spinning_disks(6, 0.3);
    case 5: return samples::random_local(3, 20, 30, 0.1, 0.9, 0.0, 11, solution);
    case 6: return samples::spheres_with_contacts(600, 0.2, 9);
    default: return samples::brick_wall(3, 3, 0.5);
  }
}

std::vector<std::string> solvers_of(int thread) {
  switch (thread) {
    case 0: return {"newton-ipm", "nsn-ac"};
    case 1: return {"auto", "nsgs-exact", "admm"};
    case 2: return {"nsgs-ac", "lemke", "prox-newton"};
    case 3: return {"spg", "apgd", "auto"};
    case 4: return {"fp-vi-upk", "nsn-fb-gp", "tresca-nsgs-fp-vi-upk"};
    case 5: return {"aclm-newton", "eg-vi-upk", "soclcp-nsgs-pli"};
    case 6: return {"auto", "nsn-ac-hybrid"};
    default: return {"ppa-nsn-ac", "pana-pgs-fp-vi-upk", "nsgs-jm-gp"};
  }
}

// Everything that one thread does.
Outcome work(int thread, const fs::path& folder) {
  Outcome out;
  const std::string path = (folder / ("thread-" + std::to_string(thread) + ".hdf5")).string();
  write(path, problem_of(thread));
  const Problem problem = read(path);
  for (const std::string& id : solvers_of(thread)) {
    RunOptions options;
    options.solver = id;
    options.tolerance = 1e-6;
    options.max_iterations = 200;  // by count, never by the clock: results must not depend on it
    if (id == "auto") options.options = {{"fall_back", "false"}};
    options.time_limit = std::numeric_limits<double>::infinity();
    const Result result = solve(problem, options);
    out.answers.push_back(result.x);
    out.errors.push_back(result.certificate.error);
    out.words.push_back(result.solver + " " + to_string(result.status));
    write(path, problem, result.x);
    const ProblemFile file = read_file(path);
    out.errors.push_back(certify(problem, *file.solution).error);
  }
  if (thread % 2 == 0) {
    const Existence existence = check_existence(problem);
    out.margins.push_back(existence.margin);
    out.words.emplace_back(to_string(existence.verdict));
  }
  if (thread % 4 == 1) out.margins.push_back(assess(problem, out.answers.front()).attainable_error);
  if (thread % 4 == 3) {
    sim::Simulation simulation(sim::make_scene("boxes-stack"));
    for (int k = 0; k < 5; ++k) out.margins.push_back(simulation.step().error);
    out.words.push_back(simulation.checkpoint());
  }
  try {
    read((folder / "absent.hdf5").string());
  } catch (const std::exception& error) {
    out.words.emplace_back(error.what());
  }
  return out;
}

TEST(Threads, eight_at_once_give_the_bits_of_one_after_the_other) {
  const fs::path folder = fs::temp_directory_path() / ("cornet-threads-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::vector<Outcome> alone, together(kThreads);
  for (int k = 0; k < kThreads; ++k) alone.push_back(work(k, folder));
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) threads.emplace_back([&, k] { together[k] = work(k, folder); });
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < kThreads; ++k) {
    EXPECT_EQ(together[k].words, alone[k].words) << "thread " << k;
    EXPECT_EQ(together[k].errors, alone[k].errors) << "thread " << k;
    EXPECT_EQ(together[k].margins, alone[k].margins) << "thread " << k;
    ASSERT_EQ(together[k].answers.size(), alone[k].answers.size());
    for (std::size_t i = 0; i < alone[k].answers.size(); ++i) {
      EXPECT_EQ(together[k].answers[i].r, alone[k].answers[i].r) << "thread " << k << ", solve " << i;
      EXPECT_EQ(together[k].answers[i].v, alone[k].answers[i].v) << "thread " << k << ", solve " << i;
    }
  }
  fs::remove_all(folder);
}

// One problem may be read by all threads at once.
TEST(Threads, one_problem_shared_by_all) {
  const Problem problem = samples::box_stack(6, 0.5);
  const Result alone = solve(problem);
  std::vector<Result> results(kThreads);
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) threads.emplace_back([&, k] { results[k] = solve(problem); });
  for (std::thread& thread : threads) thread.join();
  for (const Result& result : results) {
    EXPECT_TRUE(result.solved());
    EXPECT_EQ(result.x.r, alone.x.r);
  }
}

}  // namespace
}  // namespace cornet
