// Beads between walls (000 §6): how many convex subproblems does the fixed point s = F(s) need per time step? F(s)^α = ‖u_T^α‖ of the solution of
// the convex problem with shift E s; the iteration starts at s = 0 and stops when
//
//   (6.1)   1/n · ‖F(s) − s‖ / (‖s‖ + 1) ≤ ε,   n contacts, ε = 0.01
//
// The test is taken as the paper prints it. Once s = F(0) the quotient is below 1 wherever F contracts, so with n ≥ 1/ε = 100 contacts the second
// subproblem ends the loop whatever the beads do: the paper's 3.1 to 3.5 per step at 239 to 741 contacts cannot come from this test with n the
// number of contacts. With 1/√n (the root mean square over the contacts) they come near; both columns are in the table.
//
// (6.1) is not free of units, and the paper gives neither the size of the beads nor that of the container. The runs of the paper end "when the
// stack tends to stability", after 300 to 352 steps of 0.02 s. 150 beads of radius r in a box of 26 r come to rest (kinetic energy below
// 1/100 of Σ m g r for good) after 89 steps for r = 0.1 m, 158 for 0.3 m and 364 for 1 m: hence 1 m. The widths of the boxes follow from the
// contacts per step of the table.
//
// Each subproblem is solved by the projected gradient (at most 250 iterations) and, as a second column, by the interior point on exact cones,
// where the paper has four facets. The trajectory itself comes from the simulator.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cornet/convex.h"
#include "cornet/sim.h"
#include "cornet/sim_library.h"
#include "reproduce/harness.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

struct Loop {
  int subproblems = 0;
  double time = 0;
  std::vector<double> change;  // ‖F(s) − s‖ / (‖s‖ + 1) after each of them
};

// Until `factor` times the change is at most `epsilon`, or all.
int needed(const Loop& loop, double factor, double epsilon) {
  int count = 0;
  for (const double change : loop.change) {
    ++count;
    if (factor * change <= epsilon) break;
  }
  return count;
}

// Stops when the change is at most `change`.
Loop fixed_point(const Problem& problem, const std::string& engine, double change, int most) {
  Loop loop;
  const auto start = std::chrono::steady_clock::now();
  const int d = dimension(problem), n = contacts(problem);
  ConvexQuestion question;
  question.s.assign(n, 0);
  ConvexOptions options;
  options.engine = engine;
  if (engine == "projected-gradient") options.max_iterations = 250;
  Iterate guess;
  while (loop.subproblems < most) {
    ConvexResult result = solve_convex(problem, question, options, guess);
    ++loop.subproblems;
    double moved = 0, norm = 0;
    for (int k = 0; k < n; ++k) {
      double slide = 0;
      for (int i = 1; i < d; ++i) slide = std::hypot(slide, result.x.u[d * k + i]);
      moved += (slide - question.s[k]) * (slide - question.s[k]);
      norm += question.s[k] * question.s[k];
      question.s[k] = slide;
    }
    loop.change.push_back(std::sqrt(moved) / (std::sqrt(norm) + 1));
    guess.r = std::move(result.x.r);
    if (loop.change.back() <= change) break;
  }
  loop.time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return loop;
}

sim::Simulation start(int count, double width, double mu) {
  sim::Scene scene = sim::make_scene(
      "beads", {{"count", std::to_string(count)}, {"width", fmt::format("{}", width)}, {"mu", fmt::format("{}", mu)}, {"radius", "1"}});
  scene.solver = "nsgs-ac";
  // Where the beads are matters here, not the last digits of their reactions.
  scene.tolerance = 1e-2;
  scene.max_iterations = 100;
  scene.on_failure = sim::FailurePolicy::go_on;
  return sim::Simulation(scene);
}

constexpr int kEvery = 4;  // steps that are looked at
constexpr double kEpsilon = 0.01;

struct Run {
  int beads, steps;
  double width;
  const char *contacts, *subproblems;  // of the paper, projected gradient
};

struct Outcome {
  double contacts = 0, printed = 0, mean_square = 0, interior = 0;  // subproblems per step with 1/n and with 1/√n
  int steps = 0, most = 0, most_mean_square = 0;
  int many = 0, two = 0;          // steps with 100 contacts or more, and those of them that end with at most two subproblems
  std::vector<svg::Point> times;  // contacts, ms
};

Outcome simulate(const Run& run) {
  Outcome out;
  sim::Simulation simulation = start(run.beads, run.width, 0.3);
  int looked = 0;
  for (int k = 0; k < run.steps; ++k) {
    if (simulation.step().contacts == 0 || k % kEvery != 0) continue;
    const Problem problem = simulation.problem();
    const int n = contacts(problem);
    const Loop loop = fixed_point(problem, "projected-gradient", kEpsilon * std::sqrt(n), 50);
    const int printed = needed(loop, 1.0 / n, kEpsilon);
    out.contacts += n;
    out.printed += printed;
    out.mean_square += loop.subproblems;
    out.most = std::max(out.most, printed);
    out.most_mean_square = std::max(out.most_mean_square, loop.subproblems);
    if (n >= 100) {
      ++out.many;
      out.two += printed <= 2;
    }
    out.times.push_back({static_cast<double>(contacts(problem)), 1000 * loop.time});
    ++out.steps;
    if (k % (10 * kEvery) == 0) {  // the interior point is the same fixed point: a sample is enough
      out.interior += needed(fixed_point(problem, "interior-point", kEpsilon * n, 50), 1.0 / n, kEpsilon);
      ++looked;
    }
  }
  out.contacts /= std::max(1, out.steps);
  out.printed /= std::max(1, out.steps);
  out.mean_square /= std::max(1, out.steps);
  out.interior /= std::max(1, looked);
  return out;
}

void draw_times(Report& report, const Outcome& outcome) {
  double most_contacts = 1, most_time = 1e-3;
  for (const svg::Point& p : outcome.times) {
    most_contacts = std::max(most_contacts, p.x);
    most_time = std::max(most_time, p.y);
  }
  svg::Canvas canvas(720, 420);
  svg::Plot plot(canvas, {80, 40, 600, 310}, {0, 1.05 * most_contacts, "contacts"}, {0, 1.05 * most_time, "time per step in ms"},
                 "600 beads, projected gradient");
  plot.markers(outcome.times, svg::fill(svg::colour::kBlue, 0.6), 2);
  report.figures.push_back({"beads-time.svg", "Time per step against the number of contacts (000 Fig. 8).", canvas.str()});
}

// (6.1) along the iteration for the first step of 300 beads with 250 contacts, at most 50 subproblems, for nine friction coefficients.
void friction(Report& report, double width) {
  svg::Canvas canvas(720, 420);
  svg::Plot plot(canvas, {80, 40, 600, 310}, {1, 50, "subproblem"}, {-8, 0, "log₁₀ of (6.1)"}, "300 beads, first step with 250 contacts");
  std::vector<int> counts;
  ReportTable table{"Subproblems until (6.1) ≤ 1e-4 and until ≤ 1e-6, by friction coefficient", {">mu", ">contacts", ">1e-4", ">1e-6"}, {}};
  for (int k = 1; k <= 9; ++k) {
    const double mu = 0.1 * k;
    sim::Simulation simulation = start(300, width, mu);
    for (int step = 0; step < 300 && simulation.step().contacts < 250; ++step) {
    }
    const int n = contacts(Problem(simulation.problem()));
    const Loop loop = fixed_point(simulation.problem(), "interior-point", 1e-7 * n, 50);
    std::vector<svg::Point> curve;
    for (std::size_t i = 0; i < loop.change.size(); ++i)
      curve.push_back({static_cast<double>(i + 1), std::log10(std::max(1e-8, loop.change[i] / n))});
    counts.push_back(needed(loop, 1.0 / n, 1e-4));
    table.rows.push_back({short_number(mu), std::to_string(n), std::to_string(counts.back()), std::to_string(needed(loop, 1.0 / n, 1e-6))});
    plot.line(curve, svg::stroke(svg::nth_colour(k)), fmt::format("μ = {:.1f}", mu));
  }
  plot.legend(svg::Corner::top_right);
  expect_at_least(report, "subproblems until (6.1) ≤ 1e-4 at μ = 0.9 minus those at μ = 0.1", 1, counts.back() - counts.front());
  expect_true(report, "their number does not fall from any μ to the next (slower as μ grows)",
              std::is_sorted(counts.begin(), counts.end()));
  report.tables.push_back(table);
  report.figures.push_back({"beads-friction.svg", "Convergence of (6.1) for μ = 0.1 … 0.9 (000 Fig. 9).", canvas.str()});
}

}  // namespace

void beads(Report& report) {
  const Run runs[] = {{150, 352, 26, "239", "3.3"}, {300, 308, 36, "506", "3.2"}, {600, 300, 54, "741", "3.3"}};
  ReportTable table{"Beside Table 1 of the paper (projected gradient): subproblems per step with (6.1) as printed, and with 1/√n for 1/n",
                    {">beads", ">contacts/step", ">paper", ">as printed", ">most", ">interior point", ">1/√n", ">most", ">paper", ">most"},
                    {}};
  double least = kInfinity, most = 0;
  int many = 0, two = 0;
  for (const Run& run : runs) {
    const Outcome outcome = simulate(run);
    least = std::min(least, outcome.printed);
    most = std::max(most, outcome.printed);
    many += outcome.many;
    two += outcome.two;
    expect_near(report, fmt::format("{} beads: contacts per step", run.beads), std::stod(run.contacts), outcome.contacts,
                0.3 * std::stod(run.contacts));
    expect_at_least(report, fmt::format("{} beads: subproblems per step, 1/√n in (6.1)", run.beads), 2.5, outcome.mean_square);
    expect_at_most(report, fmt::format("{} beads: subproblems per step, 1/√n in (6.1)", run.beads), 4, outcome.mean_square);
    expect_at_most(report, fmt::format("{} beads: most subproblems in a step (paper: 12, limit 20)", run.beads), 12, outcome.most);
    table.rows.push_back({std::to_string(run.beads), short_number(outcome.contacts), run.contacts, short_number(outcome.printed),
                          std::to_string(outcome.most), short_number(outcome.interior), short_number(outcome.mean_square),
                          std::to_string(outcome.most_mean_square), run.subproblems, "12"});
    if (run.beads == 600) draw_times(report, outcome);
  }
  expect_at_most(report, "spread of the mean over the sizes (independent of size)", 1, most - least);
  expect_all(report, "steps with 100 contacts or more that end with at most two subproblems: (6.1) as printed is that weak", many, two);
  report.tables.push_back(table);
  friction(report, 36);
}

}  // namespace cornet::reproduction
