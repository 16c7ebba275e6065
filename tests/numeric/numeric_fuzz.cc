// Numerical fuzzing: random problems through the solvers, with the checks of checks.h.
//
//   numeric_fuzz FIRST COUNT [OTHERS] [FOLDER]    problems FIRST … FIRST + COUNT − 1 with auto and OTHERS more solvers in turn (2; "all" is all);
//                                                 what fails is made small and written to FOLDER
//   numeric_fuzz FILE...                          the checks with every solver on these problems
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cornet/io.h"
#include "numeric/checks.h"
#include "numeric/minimise.h"

namespace {

using namespace cornet;
using namespace cornet::numeric;

void keep(const Drawn& d, const Complaint& complaint, const std::string& folder, Bounds limits) {
  limits.auto_time = std::min(1.0, limits.auto_time);  // some hundred tries
  const std::vector<std::string> others = complaint.solver == "auto" ? std::vector<std::string>{} : std::vector{complaint.solver};
  const bool solver = complaint.solver == "auto" || std::any_of(solvers().begin(), solvers().end(), [&](const SolverInfo& s) { return s.id == complaint.solver; });
  const std::string kind = complaint.what.substr(0, 12);
  const Drawn small = minimised(d, [&](const Drawn& candidate) {
    Counts ignored;
    for (const Complaint& c : check(candidate, solver ? others : std::vector<std::string>{}, limits, ignored))
      if (c.solver == complaint.solver && c.what.substr(0, 12) == kind) return true;
    return false;
  });
  std::string file = complaint.solver + "-" + std::to_string(std::hash<std::string>{}(d.words) % 100000) + ".hdf5";
  for (char& c : file)
    if (c == ' ') c = '-';
  cornet::write(folder + "/" + file, small.problem());
  std::printf("  kept as %s with %d contacts\n", file.c_str(), small.contacts());
}

long report(const std::vector<Complaint>& complaints, const std::string& who) {
  for (const Complaint& c : complaints) std::printf("%s: %s: %s\n", who.c_str(), c.solver.c_str(), c.what.c_str());
  std::fflush(stdout);
  return static_cast<long>(complaints.size());
}

}  // namespace

int main(int argc, char** argv) {
  Bounds limits;
  Counts counts;
  long complaints = 0;
  if (argc > 2 && std::strtol(argv[2], nullptr, 10) > 0) {
    const std::uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    const std::string others = argc > 3 ? argv[3] : "2", folder = argc > 4 ? argv[4] : "";
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const Drawn d = draw(seed);
      const auto found = check(d, others_for(seed, others == "all" ? solvers().size() : std::strtoull(others.c_str(), nullptr, 10)), limits, counts);
      complaints += report(found, std::to_string(seed) + " (" + d.words + ")");
      if (!folder.empty() && !found.empty()) keep(d, found.front(), folder, limits);
    }
  } else {
    for (int k = 1; k < argc; ++k)
      complaints += report(check(drawn_from(cornet::read(argv[k])), others_for(0, solvers().size()), limits, counts), argv[k]);
  }
  std::printf("%ld problems, %ld runs, %ld solved; existence: %ld guaranteed, %ld impossible, %ld undecided; %ld with a known solution, of these auto "
              "solved %ld, %ld more beyond double; %ld solved by units only; latest end %.3f s after a limit; %ld complaints\n",
              counts.problems, counts.runs, counts.solved, counts.guaranteed, counts.impossible, counts.undecided, counts.due, counts.due_solved,
              counts.beyond_double, counts.by_units, counts.latest, complaints);
  std::vector<std::pair<double, std::string>> slow;
  for (const auto& [id, seconds] : counts.seconds) slow.emplace_back(seconds, id);
  std::sort(slow.rbegin(), slow.rend());
  for (std::size_t k = 0; k < std::min<std::size_t>(5, slow.size()); ++k) std::printf("%8.1f s in %s\n", slow[k].first, slow[k].second.c_str());
  return complaints == 0 ? 0 : 1;
}
