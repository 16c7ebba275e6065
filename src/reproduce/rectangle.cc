// A rigid rectangle on two cylinders, the left one fixed, the right one moving (seed 000 §5.7, Fig. 7). Both contact normals are
// vertical, so Ker(H) is spanned by opposite tangential forces, r = (0, 1, 0, −1), which no cone contains: Ker(H) ∩ K = {0}. Then a
// solution exists for every w, and when the rectangle sticks its contact forces are not unique: any multiple of the kernel can be added
// that stays in the cones.
#include <fmt/format.h>

#include <cmath>

#include "cornet/enumerate.h"
#include "cornet/existence.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kWeight = 9.81, kMu = 0.5, kHalf = 1.2, kHeight = 0.5;

// Statics in the units of a force: f is the weight.
PlaneScene on_cylinders(Point right_velocity) {
  PlaneScene scene;
  scene.bodies.push_back({{0, kHeight}, 0, 1, (4 * kHalf * kHalf + 4 * kHeight * kHeight) / 3, {}});
  scene.contacts.push_back({0, kWorld, {-kHalf, 0}, {0, 1}, kMu, {}});
  scene.contacts.push_back({0, kWorld, {kHalf, 0}, {0, 1}, kMu, right_velocity});
  return scene;
}

void draw(Report& report, const PlaneScene& scene, const std::vector<std::vector<double>>& sets) {
  svg::Canvas canvas(900, 430);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    svg::Plot plot(canvas, {20 + 440 * static_cast<double>(k), 40, 420, 370}, {-2.2, 2.2, ""}, {-1.2, 2.7, ""},
                   k == 0 ? "One set of contact forces" : "Another, with the same motion", true, svg::Plot::Look::bare);
    for (const double x : {-kHalf, kHalf}) {
      plot.circle({x, -0.5}, 0.5, {svg::colour::kGrey, 1.5, "#E8EDF2", "", 1});
      // The friction cone.
      plot.polygon({{x, 0}, {x + kMu * 1.6, 1.6}, {x - kMu * 1.6, 1.6}}, svg::fill(svg::colour::kSky, 0.25), x < 0 ? "friction cones" : "");
    }
    plot.polygon({{-kHalf - 0.5, 0}, {kHalf + 0.5, 0}, {kHalf + 0.5, 2 * kHeight}, {-kHalf - 0.5, 2 * kHeight}},
                 {svg::colour::kGrey, 1.5, "#F3EAD8", "", 0.7});
    for (int c = 0; c < 2; ++c) {
      const Point at = scene.contacts[static_cast<std::size_t>(c)].point, f = scene.force(c, sets[k]);
      plot.arrow(at, {at.x + 0.25 * f.x, at.y + 0.25 * f.y}, svg::stroke(svg::colour::kRed, 3), c == 0 ? "contact force" : "");
    }
    plot.arrow({0, kHeight}, {0, kHeight - 0.25 * kWeight / 2}, svg::stroke(svg::colour::kBlue, 3), "half of the weight");
    plot.text({-kHalf, -0.5}, "fixed", {12}, 0, 5);
    plot.text({kHalf, -0.5}, "moving", {12}, 0, 5);
    plot.legend(svg::Corner::top_right);
  }
  report.figures.push_back({"rectangle.svg", "A rectangle on two cylinders: two sets of contact forces for one motion.", canvas.str()});
}

}  // namespace

void rectangle(Report& report) {
  const PlaneScene scene = on_cylinders({0, 0});
  const GlobalProblem rest = scene.problem("rectangle", 1, kWeight);
  const Eigen::MatrixXd h = dense(rest.H);
  const Eigen::MatrixXd kernel = Eigen::FullPivLU<Eigen::MatrixXd>(h).kernel();
  expect_near(report, "dimension of Ker(H)", 1, static_cast<double>(kernel.cols()), 0);
  Eigen::VectorXd k = kernel.col(0).normalized();
  if (k[1] > 0) k = -k;
  expect_at_most(report, "distance of the kernel to (0, −1, 0, 1)/√2", 1e-12, (k - Eigen::Vector4d(0, -1, 0, 1) * std::sqrt(0.5)).norm());
  const auto in_cones = [](const Eigen::VectorXd& r) { return std::abs(r[1]) <= kMu * r[0] && std::abs(r[3]) <= kMu * r[2]; };
  expect_false(report, "the kernel or its negative lies in K", in_cones(k) || in_cones(-k));

  const Existence found = check_existence(rest);
  expect_same(report, "verdict, cylinders at rest", "guaranteed_robust", to_string(found.verdict));
  expect_same(report, "argument of the check", "trivial_kernel", found.reason);
  // Every motion of the right cylinder, and every w at all.
  Random random(3);
  int robust = 0, verified = 0, solved = 0;
  const int count = 100;
  for (int trial = 0; trial < count; ++trial) {
    GlobalProblem problem = on_cylinders({random.normal(), random.normal()}).problem("rectangle", 1, kWeight);
    if (trial % 2 == 1)
      for (double& x : problem.w) x = random.normal();
    const Existence e = check_existence(problem);
    robust += e.verdict == Verdict::guaranteed_robust;
    verified += verify_existence(problem, e.verdict, e.certificate);
    solved += solve_to(problem, 1e-9).solved();
  }
  expect_all(report, "random w: existence guaranteed_robust", count, robust);
  expect_all(report, "random w: certificate verified by separate code", count, verified);
  expect_all(report, "random w: solved to 1e-9", count, solved);

  // Two sets of forces, from two starting points.
  const double half = kWeight / 2;
  const std::vector<std::vector<double>> sets = {solve_to(rest, 1e-11, "", {half, 0.9 * kMu * half, half, -0.9 * kMu * half}).x.r,
                                                 solve_to(rest, 1e-11, "", {half, -0.9 * kMu * half, half, 0.9 * kMu * half}).x.r};
  for (const auto& r : sets)
    expect_at_most(report, fmt::format("certified error of r = ({:.3f}, {:.3f}, {:.3f}, {:.3f})", r[0], r[1], r[2], r[3]), 1e-11,
                   error_of(rest, vec(r)));
  expect_at_least(report, "distance between the two sets over the weight", 0.1, (vec(sets[0]) - vec(sets[1])).norm() / kWeight);
  expect_at_most(report, "‖H (r − r′)‖ over the weight: same motion", 1e-9, (h * (vec(sets[0]) - vec(sets[1]))).norm() / kWeight);
  const Enumeration all = enumerate_solutions(rest);
  expect_true(report, "one velocity with non-unique forces, by enumeration of all cases",
              all.complete && all.solutions.size() == 1 && !all.solutions.front().unique_reactions);
  draw(report, scene, sets);
}

}  // namespace cornet::reproduction
