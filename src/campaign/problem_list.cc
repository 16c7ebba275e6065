// From the groups of a spec to problem files.
#include "campaign/problem_list.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "campaign/sha256.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "cornet/sim_sets.h"

namespace cornet::campaign {
namespace {

namespace fs = std::filesystem;

bool problem_file(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".hdf5" || extension == ".h5" || extension == ".dat";
}

// A folder stands for all problem files below it.
std::vector<std::string> expand(const std::string& pattern) {
  std::vector<std::string> out;
  glob_t found = {};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): for ~NAME only, which reads the list of users
  const int code = ::glob(pattern.c_str(), GLOB_BRACE | GLOB_TILDE, nullptr, &found);
  for (std::size_t k = 0; code == 0 && k < found.gl_pathc; ++k) {
    const fs::path path = found.gl_pathv[k];
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      out.push_back(path.string());
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored))
      if (entry.is_regular_file(ignored) && problem_file(entry.path())) inside.push_back(entry.path().string());
    std::sort(inside.begin(), inside.end());
    out.insert(out.end(), inside.begin(), inside.end());
  }
  ::globfree(&found);
  if (out.empty()) throw IoError(fmt::format("{}: found no problem file, expected at least one that matches", pattern));
  return out;
}

// Writes a made problem in both forms, so that either can be asked for and the number of degrees of freedom is known.
void write_made(const fs::path& path, const GlobalProblem& problem) {
  ProblemFile file;
  file.global = problem;
  file.local = reduce(problem).local();
  file.local->name = problem.name;
  write_file(path.string(), file);
}

// Makes the problems of a group unless they are there. A list written at the very end says that they are complete.
std::vector<std::string> make(const ProblemGroup& group, const fs::path& folder, const std::atomic<bool>* interrupt) {
  const std::string name = fmt::format("{}-{}-{}", group.generate, group.count, group.seed);
  const fs::path place = folder / name, list = place / "complete.txt";
  std::vector<std::string> files;
  if (std::ifstream in(list); in) {
    for (std::string line; std::getline(in, line);) files.push_back((place / line).string());
    return files;
  }
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw IoError(fmt::format("{}: cannot make this folder ({})", place.string(), error.message()));
  std::vector<std::string> names;
  const auto stop = [&] { return interrupt && *interrupt; };
  if (group.generate == "samples") {
    for (const samples::Sample& sample : samples::bundled()) {
      if (group.count > 0 && static_cast<int>(names.size()) >= group.count) break;
      names.push_back(sample.name + ".hdf5");
      if (const auto* global = std::get_if<GlobalProblem>(&sample.problem); global && group.form != Form::global)
        write_made(place / names.back(), *global);
      else write((place / names.back()).string(), sample.problem);
    }
  } else {
    sim::generate(group.generate, group.count, group.seed, [&](const GlobalProblem& problem, const Iterate&, int k) {
      names.push_back(fmt::format("{}-{:04}.hdf5", group.generate, k));
      write_made(place / names.back(), problem);
      return !stop();
    });
  }
  if (stop()) return {};
  std::ofstream out(list);
  for (const std::string& file : names) {
    out << file << "\n";
    files.push_back((place / file).string());
  }
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", list.string()));
  return files;
}

void add(Sha256& hash, const SparseMatrix& a) {
  for (int value : {a.rows, a.cols, static_cast<int>(a.storage)}) hash.add(static_cast<std::int64_t>(value));
  hash.add(a.p);
  hash.add(a.i);
  hash.add(a.x);
}

}  // namespace

std::vector<ProblemEntry> list_problems(const Spec& spec, const std::string& folder, const std::atomic<bool>* interrupt) {
  std::vector<ProblemEntry> out;
  for (const ProblemGroup& group : spec.problems) {
    std::vector<std::string> files;
    if (!group.generate.empty()) files = make(group, folder, interrupt);
    else
      for (const std::string& pattern : group.files)
        for (std::string& file : expand(pattern)) files.push_back(std::move(file));
    for (const std::string& file : files) {
      ProblemEntry entry{file, group.set, group.form, group.tolerances, group.time_limit};
      if (entry.set.empty() && !group.generate.empty()) entry.set = group.generate;
      if (entry.set.empty()) entry.set = fs::absolute(file).parent_path().filename().string();
      if (entry.tolerances.empty()) entry.tolerances = spec.tolerances;
      if (std::isnan(entry.time_limit)) entry.time_limit = spec.time_limit;
      out.push_back(std::move(entry));
    }
  }
  return out;
}

std::string hash_problem(const Problem& problem) {
  Sha256 hash;
  hash.add(std::string_view(form_name(problem)));
  hash.add(static_cast<std::int64_t>(dimension(problem)));
  if (const auto* local = std::get_if<LocalProblem>(&problem)) {
    add(hash, local->W);
    hash.add(local->q);
    hash.add(local->mu);
    if (local->V) add(hash, *local->V);
    if (local->R) add(hash, *local->R);
    hash.add(local->s);
  } else {
    const auto& global = std::get<GlobalProblem>(problem);
    add(hash, global.M);
    add(hash, global.H);
    hash.add(global.f);
    hash.add(global.w);
    hash.add(global.mu);
    if (global.G) add(hash, *global.G);
    hash.add(global.b);
  }
  return hash.hex(32);
}

LoadedProblem load_problem(const ProblemEntry& entry) {
  LoadedProblem out;
  const ProblemFile file = read_file(entry.file);
  out.problem = take_problem(file, entry.form);
  Record& facts = out.facts;
  facts.problem = fs::path(entry.file).stem().string();
  facts.file = entry.file;
  facts.problem_hash = hash_problem(out.problem);
  facts.set = entry.set;
  facts.form = form_name(out.problem);
  facts.dimension = dimension(out.problem);
  facts.number_of_contacts = contacts(out.problem);
  if (file.global) facts.dofs = file.global->dofs();
  if (facts.dofs > 0) facts.density = static_cast<double>(facts.dimension) * facts.number_of_contacts / facts.dofs;
  const auto& mu = std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, out.problem);
  if (!mu.empty()) {
    facts.mu_min = *std::min_element(mu.begin(), mu.end());
    facts.mu_max = *std::max_element(mu.begin(), mu.end());
  }
  return out;
}

}  // namespace cornet::campaign
