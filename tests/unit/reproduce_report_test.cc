// The harness of the experiments: comparisons, the table by name, the references that the experiments bring along.
#include <gtest/gtest.h>

#include <set>

#include "cornet/error.h"
#include "cornet/samples.h"
#include "reproduce/active_set.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using namespace reproduction;

TEST(Report, IsRightWhenEveryRowIs) {
  Report report;
  EXPECT_FALSE(report.ok());  // nothing compared, nothing reproduced
  EXPECT_TRUE(expect_near(report, "a", 1, 1.05, 0.1));
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(expect_near(report, "b", 1, 1.05, 0.01));
  EXPECT_FALSE(report.ok());
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(std::get<double>(report.rows[1].found), 1.05);
}

TEST(Report, ComparisonsCanFail) {
  Report report;
  EXPECT_TRUE(expect_at_most(report, "", 2, 2));
  EXPECT_FALSE(expect_at_most(report, "", 2, 2.1));
  EXPECT_TRUE(expect_at_least(report, "", 2, 2));
  EXPECT_FALSE(expect_at_least(report, "", 2, 1.9));
  EXPECT_TRUE(expect_same(report, "", "stick", "stick"));
  EXPECT_FALSE(expect_same(report, "", "stick", "slide"));
  EXPECT_TRUE(expect_true(report, "", true));
  EXPECT_FALSE(expect_true(report, "", false));
  EXPECT_TRUE(expect_false(report, "", false));
  EXPECT_FALSE(expect_false(report, "", true));
  EXPECT_TRUE(expect_all(report, "", 3, 3));
  EXPECT_FALSE(expect_all(report, "", 3, 2));
  // What is not a number never holds.
  EXPECT_FALSE(expect_near(report, "", 1, test::kNan, 1));
  EXPECT_FALSE(expect_at_most(report, "", 1, test::kNan));
  EXPECT_FALSE(expect_at_least(report, "", 1, test::kNan));
}

TEST(Experiments, HaveDistinctNamesAndAnUnknownOneIsRefused) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    EXPECT_FALSE(experiment.seed.empty());
    EXPECT_FALSE(experiment.what.empty());
  }
  const std::string message = test::message_of<InvalidOption>([] { reproduce("inclin"); });
  EXPECT_TRUE(test::contains(message, "found 'inclin'")) << message;
  EXPECT_TRUE(test::contains(message, "did you mean incline?")) << message;
}

TEST(Experiments, AReportIsComplete) {
  const Report report = reproduce("sliding-block");
  EXPECT_EQ(report.experiment.name, "sliding-block");
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.figures.size(), 1u);
  EXPECT_EQ(report.figures[0].file, "sliding-block.svg");
  EXPECT_TRUE(test::contains(report.figures[0].content, "</svg>"));
  EXPECT_GT(report.time, 0);
}

TEST(Dense, AgreesWithEveryStorage) {
  test::Random random(4);
  const Eigen::MatrixXd a = test::random_matrix(5, 7, random, 0.4);
  for (const Storage storage : {Storage::csc, Storage::csr, Storage::triplet}) EXPECT_EQ(dense(test::sparse(a, storage)), a);
  EXPECT_EQ(dense(test::shuffled_duplicates(a, random)), a);
  EXPECT_EQ(test::dense(sparse(a)), a);
  EXPECT_EQ(dense(sparse(Eigen::MatrixXd::Zero(3, 2))), Eigen::MatrixXd::Zero(3, 2));
}

TEST(ActiveSet, HandExample) {
  // Two masses on a line above each other, the lower one on the floor, the upper one thrown down: they stop.
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(2, 4);
  h(0, 0) = 1;
  h(0, 2) = -1;
  h(1, 2) = 1;
  const GlobalProblem p = test::make_global(2, Eigen::Vector2d(1, 2).asDiagonal(), h, {0, -2}, {0, 0, 0, 0}, {0, 0});
  const QuadraticProgram found = frictionless_reference(p);
  EXPECT_NEAR(found.v.norm(), 0, 1e-12);
  EXPECT_NEAR(found.x[0], 2, 1e-12);
  EXPECT_NEAR(found.x[1], 2, 1e-12);
  EXPECT_LT(found.kkt, 1e-12);
  // Thrown up it flies.
  const GlobalProblem up = test::make_global(2, Eigen::Vector2d(1, 2).asDiagonal(), h, {0, 2}, {0, 0, 0, 0}, {0, 0});
  EXPECT_NEAR(frictionless_reference(up).v[1], 1, 1e-12);
  EXPECT_EQ(frictionless_reference(up).x.norm(), 0);
  GlobalProblem moving = p;
  moving.w[0] = -1;
  EXPECT_THROW(frictionless_reference(moving), InvalidProblem);
}

TEST(PlaneScene, AnswersLikeTheSampleOfTheSameMechanics) {
  // A disk on the floor: weight times h in the contact, and the velocity of a moving floor when that comes up.
  PlaneScene scene;
  scene.add_disk({0, 1}, 1);
  scene.touch_wall({0, 0}, {0, 1}, 0.5, {0, 0.3});
  ASSERT_EQ(scene.contacts.size(), 1u);
  const Result result = solve_to(scene.problem("disk", 0.01, 9.81), 1e-12);
  ASSERT_TRUE(result.solved());
  EXPECT_NEAR(result.x.v[1], 0.3, 1e-10);
  EXPECT_NEAR(scene.force(0, result.x.r).y, scene.bodies[0].mass * (0.3 + 0.0981), 1e-9);
  EXPECT_NEAR(scene.force(0, result.x.r).x, 0, 1e-12);
}

TEST(PlaneScene, FindsTheContactsThatTouch) {
  PlaneScene scene;
  scene.add_disk({0, 0}, 1);
  scene.add_disk({2, 0}, 1);
  scene.add_disk({0, 2.1}, 1);
  scene.touch_disks(0.3);
  ASSERT_EQ(scene.contacts.size(), 1u);
  EXPECT_NEAR(scene.contacts[0].point.x, 1, 1e-12);
  EXPECT_NEAR(scene.contacts[0].normal.x, 1, 1e-12);  // from the second body (0) to the first (1)
  EXPECT_EQ(scene.contacts[0].a, 1);
}

TEST(Random, IsTheSameEverywhere) {
  reproduction::Random random(1);
  EXPECT_EQ(random.unit(), 0.5665615751722809);
  double sum = 0, squares = 0;
  for (int k = 0; k < 20000; ++k) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.03);
}

}  // namespace
}  // namespace cornet
