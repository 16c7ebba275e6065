// The experiments by name.
#include "cornet/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cornet/error.h"
#include "cornet/options.h"
#include "reproduce/table.h"

namespace cornet {
namespace {

using namespace reproduction;

struct Entry {
  const char* name;
  const char* seed;
  const char* what;
  void (*run)(Report&);
};

// In the order of `cornet reproduce --list`.
const Entry kTable[] = {
    {"incline", "mechanics", "A block on a slope sticks iff tan θ ≤ μ, else slides with acceleration g (sin θ − μ cos θ).", incline},
    {"sliding-block", "mechanics", "A block thrown along a plane stops after the time v₀/(μ g) and the distance v₀²/(2 μ g).",
     sliding_block},
    {"bouncing-ball", "mechanics", "A ball with restitution e: successive rebound heights have the ratio e².", bouncing_ball},
    {"rolling-sphere", "mechanics", "A sphere thrown without spin rolls at 5/7 of its speed from the time 2v₀/(7 μ g) on.", rolling_sphere},
    {"one-contact-3d", "mechanics", "One contact in space: the quartic equation of the sliding angle and an exhaustive case analysis.",
     one_contact_3d},
    {"frictionless-pile", "000 §5.1",
     "Without friction the problem is a quadratic program: agreement with an independent active-set method.", frictionless_pile},
    {"energy", "mechanics", "With e ≤ 1 and no imposed motion the energy never grows by more than the O(h) term of the scheme.", energy},
    {"painleve", "000 §2.2, §5.2–5.5, Fig. 4; 002 §4.5",
     "A rod with no solution, one or two: criterion (A) and all cases against closed forms.", painleve},
    {"square", "000 §5.4, Fig. 5", "A square lying on the ground: two different sets of contact forces are valid.", square},
    {"rectangle", "000 §5.7, Fig. 7", "A rectangle on two cylinders: Ker(H) ∩ K = {0}, a solution for every w, contact forces not unique.",
     rectangle},
    {"crushed-ball", "002 §4.2, Fig. 4.2", "A ball between the ground and a descending plane: proved impossible.", crushed_ball},
    {"deformable", "002 §4.5.5", "A deformable solid with contacts at its nodes: a solution exists for every μ.", deformable},
    {"rigid-motion", "000 §5.6; 002 §4.5.4, Fig. 4.5", "External objects that move as one rigid body: a solution exists at every step.",
     rigid_motion},
    {"double-pendulum", "001 §5.1, Fig. 5", "The double pendulum whose foot slides on the floor, drawn every 0.2 s.", double_pendulum},
    {"random-2d", "001 §5.2, Table 1", "Newton's method on s = F(s) on random instances in the plane.", random_2d},
    {"random-3d", "001 §5.2, Table 2", "The same in space.", random_3d},
    {"bead", "001 §5.3, Figs. 6 and 7", "A bead wedged in a corner: two isolated solutions, the landscape of φ and its two minima.", bead},
    {"bad-boy", "001 §5.4, Fig. 8", "One contact whose φ has a local minimum that is no solution: Newton's method fails and says so.",
     bad_boy},
    {"beads", "000 §6, Table 1, Figs. 8 and 9", "Beads between walls: convex subproblems per time step, independent of their number.", beads},
    {"funnel", "000 §5.6; 002 §4.5.4", "Balls run through a funnel: a solution exists at every step.", funnel},
    {"plate", "000 §5.6; 002 §4.5.4", "A pile on a plate that shakes: a solution exists at every step.", plate},
    {"drum", "000 §5.6; 002 §4.5.4", "Balls in a turning drum: a solution exists at every step.", drum},
    {"two-objects", "002 §4.5.4, Fig. 4.6", "Two external objects that move against each other: the verdict changes.", two_objects},
    {"fem", "002 §4.5.5", "Elastic solids in the simulator: patch test, Hertz, existence for every μ.", fem},
};

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = [] {
    std::vector<Experiment> out;
    for (const Entry& entry : kTable) out.push_back({entry.name, entry.seed, entry.what});
    return out;
  }();
  return list;
}

bool Report::ok() const {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const ReportRow& row) { return row.ok; });
}

Report reproduce(const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : kTable) {
    names.emplace_back(entry.name);
    if (name != entry.name) continue;
    Report report;
    report.experiment = {entry.name, entry.seed, entry.what};
    const auto start = std::chrono::steady_clock::now();
    entry.run(report);
    report.time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }
  const auto near = nearest(name, names);
  throw InvalidOption(fmt::format("experiment: found '{}', expected one of cornet reproduce --list{}", name,
                                  near.empty() ? "" : fmt::format("; did you mean {}?", near.front())));
}

}  // namespace cornet
