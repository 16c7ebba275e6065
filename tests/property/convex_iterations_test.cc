// The promises of the interior-point engine: a relative gap of 1e-10 and fewer than 30 iterations from ten to a thousand contacts, in both
// forms where the problem is well-posed in them, and the same answer in both.
#include <gtest/gtest.h>

#include "cornet/convex.h"
#include "cornet/existence.h"
#include "cornet/reduce.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

struct Case {
  const char* name;
  GlobalProblem problem;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const int contacts : {10, 30, 100, 300, 1000}) {
    out.push_back({"spheres, mu 0.3", samples::spheres_with_contacts(contacts, 0.3, 1)});
    out.push_back({"spheres, mu 0.9", samples::spheres_with_contacts(contacts, 0.9, 2)});
  }
  for (const int side : {3, 6, 12, 20}) out.push_back({"disks", samples::disk_packing(side, side, 0.5, 1)});
  for (const int levels : {3, 10, 40}) out.push_back({"boxes", samples::box_stack(levels, 0.6)});
  out.push_back({"bricks", samples::brick_wall(5, 5, 0.7)});
  return out;
}

TEST(InteriorPoint, reaches_1e10_in_fewer_than_30_iterations_from_10_to_1000_contacts) {
  for (const Case& c : cases()) {
    ConvexOptions options;
    options.tolerance = 1e-10;
    const ConvexResult global = solve_convex(c.problem, {}, options);
    EXPECT_EQ(global.status, ConvexStatus::optimal) << c.name << " " << c.problem.contacts() << " " << global.message;
    EXPECT_LE(global.certificate.gap, 1e-10) << c.name << " " << c.problem.contacts();
    EXPECT_LT(global.iterations, 30) << c.name << " " << c.problem.contacts();

    // Packings squeezed between walls have reactions without bound (margin 0): the local form, whose unknowns they are, is then ill-posed.
    if (check_existence(c.problem).verdict != Verdict::guaranteed_robust) continue;
    const ConvexResult local = solve_convex(reduce(c.problem).local(), {}, options);
    EXPECT_EQ(local.status, ConvexStatus::optimal) << c.name << " " << c.problem.contacts() << " " << local.message;
    EXPECT_LT(local.iterations, 30) << c.name << " " << c.problem.contacts();
    const double scale = 1 + std::abs(global.certificate.dual_objective);
    EXPECT_NEAR(local.certificate.dual_objective, global.certificate.dual_objective, 1e-8 * scale) << c.name;
  }
}

}  // namespace
}  // namespace cornet
