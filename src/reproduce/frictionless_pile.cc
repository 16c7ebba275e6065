// All μ = 0: the friction problem is the quadratic program min ½ vᵀM v − fᵀv, H_Nᵀ v + w_N ≥ 0 (seed 000 §5.1). Its unique v, from an
// active-set method of our own whose answer proves itself by the KKT conditions, is compared with the solvers'.
#include <fmt/format.h>

#include <cmath>

#include "cornet/samples.h"
#include "reproduce/active_set.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

// Disks in a box, hexagonal packing, one row of five, one of four, and so on: touches both walls in every second row.
PlaneScene pile(double mu) {
  PlaneScene scene;
  const double radius = 0.5, rise = std::sqrt(3.0) / 2;
  for (int row = 0; row < 6; ++row)
    for (int k = 0; k < 7 - row % 2; ++k) scene.add_disk({k + radius + 0.5 * (row % 2), radius + rise * row}, radius);
  // A heavy one on top presses a chain of forces through the pile.
  scene.add_disk({3.5, radius + rise * 6}, radius, 20);
  scene.touch_disks(mu);
  scene.touch_wall({0, 0}, {0, 1}, mu);
  scene.touch_wall({0, 0}, {1, 0}, mu);
  scene.touch_wall({7, 0}, {-1, 0}, mu);
  return scene;
}

}  // namespace

void frictionless_pile(Report& report) {
  const PlaneScene scene = pile(0);
  double tangential = 0;
  for (GlobalProblem problem : {scene.problem("disks in a box", samples::kStep, samples::kGravity), samples::sphere_lattice(4, 2, 3, 0, 9),
                                samples::disk_packing(6, 5, 0, 3), samples::box_stack(5, 0), samples::brick_wall(2, 2, 0)}) {
    const QuadraticProgram reference = frictionless_reference(problem);
    const double speed = dense(problem.M).llt().solve(vec(problem.f)).norm();  // of the free motion: the pile itself may be at rest
    const std::string which = fmt::format("{} ({} contacts)", problem.name, problem.contacts());
    expect_at_most(report, "KKT violation of the reference, " + which, 1e-9, reference.kkt);
    for (const std::string id : {kDefaultSolver, "nsgs-exact"}) {
      const Result result = solve_to(problem, 1e-9, id);
      expect_at_most(report, fmt::format("‖v − v_QP‖/‖M⁻¹f‖ of {}, {}", id, which), 1e-7,
                     result.solved() ? (vec(result.x.v) - reference.v).norm() / speed : kInfinity);
      for (std::size_t k = 0; k < result.x.r.size(); ++k)
        if (k % static_cast<std::size_t>(problem.dim) != 0) tangential = std::max(tangential, std::abs(result.x.r[k]));
    }
  }
  expect_at_most(report, "largest tangential reaction of all of them", 1e-12, tangential);

  svg::Canvas canvas(900, 470);
  int panel = 0;
  for (const double mu : {0.0, 0.5}) {
    const PlaneScene here = pile(mu);
    const Result result = solve_to(here.problem("disks in a box", samples::kStep, samples::kGravity), 1e-9);
    svg::Plot plot(canvas, {20.0 + 440 * panel, 40, 420, 400}, {-0.4, 7.4, ""}, {-0.4, 6.6, ""},
                   mu == 0 ? "μ = 0: the quadratic program" : "the same pile with μ = 0.5", true, svg::Plot::Look::bare);
    draw_wall(plot, {0, 0}, {7, 0}, {0, 1});
    draw_wall(plot, {0, 6}, {0, 0}, {1, 0});
    draw_wall(plot, {7, 0}, {7, 6}, {-1, 0});
    draw_disks(plot, here);
    draw_force_chains(plot, here, result.x.r, panel == 0 ? svg::colour::kBlue : svg::colour::kRed);
    ++panel;
  }
  report.figures.push_back(
      {"frictionless-pile.svg", "Contact forces in a pile under a heavy disk, as thick as they are strong.", canvas.str()});
}

}  // namespace cornet::reproduction
