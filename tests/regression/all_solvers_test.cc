// Every registered solver on every reference problem at 1e-4 and 1e-8, against the table expected_status.txt:
//
//   solved    the solver has done it and must go on doing it
//   may_fail  no promise; it runs under a short time limit
//
// Whatever the table says, nobody may be reported as solved with a certified error above the tolerance, and each problem must be solved by
// somebody. A solver without a column may fail everywhere. To write the table anew after a change for the better:
//   CORNET_WRITE_STATUS=tests/regression/expected_status.txt build/release/tests/regression_all_solvers
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

#include "cornet/certificate.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

constexpr double kTimeSolved = 60;  // generous: a slow machine or an instrumented build must not fail the test
constexpr double kTimeMayFail = 1;  // and what took longer than this when the table was written promises nothing

struct Reference {
  std::string name;
  Problem problem;
};

std::vector<Reference> reference_problems() {
  std::vector<Reference> set;
  for (samples::Sample& s : samples::bundled()) set.push_back({s.name, std::move(s.problem)});
  Iterate known;
  set.push_back({"random-2d-hyperstatic", samples::random_local(2, 30, 25, 0.1, 0.8, 0, 21, known)});
  set.push_back({"random-3d-hyperstatic", samples::random_local(3, 30, 40, 0.1, 0.8, 0, 22, known)});
  set.push_back({"random-3d-strongly-unsymmetric", samples::random_local(3, 20, 60, 0.2, 1, 0.2, 11, known)});
  set.push_back({"random-2d-mixed-friction", samples::random_local(2, 30, 80, 0, test::kInfinity, 0, 23, known)});
  set.push_back({"incline-3d-critical", samples::block_on_incline(3, 0.4, std::tan(0.4) - 1e-6)});
  set.push_back({"disk-packing-strong-friction", samples::disk_packing(5, 5, 2, 5)});
  return set;
}

const std::vector<std::string>& tolerances() {
  static const std::vector<std::string> texts = {"1e-4", "1e-8"};
  return texts;
}

// (problem, tolerance, solver) → "solved" or "may_fail".
using Table = std::map<std::array<std::string, 3>, std::string>;

// Lines starting with # are comments; the first other line names the columns: problem, tolerance, then solver ids.
Table read_table(const std::filesystem::path& path) {
  Table table;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  std::vector<std::string> ids;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string problem, tolerance, word;
    words >> problem >> tolerance;
    std::vector<std::string> row;
    while (words >> word) row.push_back(word);
    if (ids.empty()) {
      EXPECT_EQ(problem, "problem") << "the header line is missing in " << path;
      ids = row;
      continue;
    }
    EXPECT_EQ(row.size(), ids.size()) << path << ": " << line;
    for (std::size_t k = 0; k < std::min(row.size(), ids.size()); ++k) {
      EXPECT_TRUE(row[k] == "solved" || row[k] == "may_fail") << path << ": " << line;
      table[{problem, tolerance, ids[k]}] = row[k];
    }
  }
  return table;
}

Result run(const Reference& reference, const std::string& tolerance, const std::string& solver, double time_limit) {
  RunOptions options;
  options.solver = solver;
  options.tolerance = std::stod(tolerance);
  options.time_limit = time_limit;
  Result result = solve(reference.problem, options);
  // The rule without exception.
  const double error = certify(reference.problem, result.x).error;
  EXPECT_EQ(result.solved(), error <= options.tolerance) << reference.name << " " << tolerance << " " << solver << " error " << error;
  return result;
}

void write_table(const std::filesystem::path& path) {
  std::ofstream file(path);
  file << "# What every solver does on the reference problems of all_solvers_test.cc, in default settings. solved: must stay so; may_fail: "
          "not\n"
          "# solved, or slower than a second, when this was written. Written by the test program itself, see its first lines.\n";
  // Columns as wide as the id or the word; nothing hangs over the end of a line.
  const auto cell = [](const SolverInfo& info, const std::string& text) {
    const std::size_t width = &info == &solvers().back() ? 0 : std::max<std::size_t>(info.id.size(), 8) + 2;
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
  };
  file << std::left << std::setw(32) << "problem" << std::setw(11) << "tolerance";
  for (const SolverInfo& info : solvers()) file << cell(info, info.id);
  for (const std::string& tolerance : tolerances())
    for (const Reference& reference : reference_problems()) {
      file << "\n" << std::setw(32) << reference.name << std::setw(11) << tolerance;
      for (const SolverInfo& info : solvers()) {
        const Result result = run(reference, tolerance, info.id, 2 * kTimeMayFail);
        file << cell(info, result.solved() && result.time < kTimeMayFail ? "solved" : "may_fail");
      }
    }
  file << "\n";
}

TEST(AllSolvers, DoWhatTheTableSays) {
  if (const char* path = std::getenv("CORNET_WRITE_STATUS")) {
    write_table(path);
    GTEST_SKIP() << "wrote " << path;
  }
  const std::filesystem::path path = std::filesystem::path(__FILE__).parent_path() / "expected_status.txt";
  const Table table = read_table(path);
  ASSERT_FALSE(table.empty());
  std::set<std::array<std::string, 3>> used;
  std::set<std::string> without_column;
  for (const Reference& reference : reference_problems())
    for (const std::string& tolerance : tolerances()) {
      bool somebody = false;
      for (const SolverInfo& info : solvers()) {
        const std::array<std::string, 3> key = {reference.name, tolerance, info.id};
        const auto entry = table.find(key);
        if (entry == table.end()) without_column.insert(info.id);
        const bool must = entry != table.end() && entry->second == "solved";
        const Result result = run(reference, tolerance, info.id, must ? kTimeSolved : kTimeMayFail);
        if (must) {
          EXPECT_TRUE(result.solved()) << reference.name << " at " << tolerance << " by " << info.id << ": " << to_string(result.status)
                                       << ", error " << result.certificate.error << " after " << result.iterations << " iterations, "
                                       << result.time << " s";
        }
        somebody |= result.solved();
        used.insert(key);
      }
      EXPECT_TRUE(somebody) << reference.name << " at " << tolerance << " is solved by nobody";
    }
  for (const auto& [key, status] : table)
    EXPECT_TRUE(used.count(key)) << "the table has a row or column that exists no more: " << key[0] << " " << key[2];
  for (const std::string& id : without_column) std::cout << "note: " << id << " has no column, or not all rows, in " << path << "\n";
}

TEST(AllSolvers, EnoughReferenceProblems) { EXPECT_GE(reference_problems().size(), 12u); }

}  // namespace
}  // namespace cornet
