// The promises of the interior-point engine: a relative gap of 1e-10 and fewer than 30 iterations from ten to a thousand contacts, in both
// forms, and the same answer in both.
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
    // Packings squeezed between walls have a margin of 0 and reactions without bound: no interior on one side, fewer digits.
    const bool well_posed = check_existence(c.problem).verdict == Verdict::guaranteed_robust;
    ConvexOptions options;
    options.tolerance = well_posed ? 1e-10 : 1e-7;
    const ConvexResult global = solve_convex(c.problem, {}, options);
    const ConvexResult local = solve_convex(reduce(c.problem).local(), {}, options);
    for (const ConvexResult* result : {&global, &local}) {
      EXPECT_EQ(result->status, ConvexStatus::optimal) << c.name << " " << c.problem.contacts() << " " << result->message;
      EXPECT_LE(result->certificate.gap, options.tolerance) << c.name << " " << c.problem.contacts();
      if (well_posed) {
        EXPECT_LT(result->iterations, 30) << c.name << " " << c.problem.contacts();
      }
    }
    const double scale = 1 + std::abs(global.certificate.dual_objective);
    EXPECT_NEAR(local.certificate.dual_objective, global.certificate.dual_objective, 100 * options.tolerance * scale) << c.name;
  }
}

}  // namespace
}  // namespace cornet
