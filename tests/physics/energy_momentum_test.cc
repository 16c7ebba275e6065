// Contacts never create energy (w = 0 or e ≤ 1) beyond the O(h) term of the time scheme, and a free collision keeps
// linear and angular momentum.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "cornet/samples.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// One step, w = 0: v⁺ᵀM (v⁺ − v_free) = rᵀu ≤ 0, so ½v⁺ᵀMv⁺ ≤ ½v_freeᵀMv_free − ½‖v⁺ − v_free‖²_M; equality without friction losses.
TEST(Energy, OneStepNeverGains) {
  int runs = 0, solved = 0;
  for (const double mu : {0.0, 0.3, 2.0, test::kInfinity})
    for (const GlobalProblem& p : {samples::sphere_lattice(3, 2, 2, mu, 1), samples::disk_packing(4, 4, mu, 2), samples::box_stack(3, mu),
                                   samples::brick_wall(2, 2, mu), samples::block_on_incline(3, 0.5, mu)}) {
      const MatrixXd m = test::dense(p.M);
      const VectorXd free = m.llt().solve(test::vec(p.f));
      const double before = 0.5 * free.dot(m * free);
      for (const std::string& solver : test::three_solvers()) {
        const Result result = test::solve_with(p, solver, 1e-8);
        ++runs;
        solved += result.solved();
        // The default solver must do all of these; another may give up on the hyperstatic ones with strong friction.
        if (solver == kDefaultSolver) {
          EXPECT_TRUE(result.solved()) << p.name << " mu " << mu << " " << to_string(result.status) << " " << result.certificate.error;
        }
        if (!result.solved()) continue;
        const VectorXd v = test::vec(result.x.v), change = v - free;
        const double after = 0.5 * v.dot(m * v), lost = 0.5 * change.dot(m * change);
        EXPECT_LE(after, before * (1 + 1e-7)) << p.name << " mu " << mu << " " << solver;
        EXPECT_LE(after, before - lost + 1e-6 * before) << p.name << " mu " << mu << " " << solver;
        if (mu == 0 || std::isinf(mu)) {
          EXPECT_NEAR(after, before - lost, 1e-6 * before) << p.name << " mu " << mu << " " << solver;
        }
        EXPECT_LE(test::vec(result.x.r).dot(test::vec(result.x.u)), 1e-6 * before) << p.name << " mu " << mu << " " << solver;
      }
    }
  EXPECT_GE(solved, runs * 9 / 10);
}

// A spinning ball thrown obliquely, bouncing with e = 0.7 and friction. In flight the scheme loses exactly ½ m g² h² per step. In a step
// with contact the kinetic energy falls, and the ball rises by h e|u_N⁻| without paying for it: the scheme's known O(h) term is
// m g h e |u_N⁻|.
TEST(Energy, BouncingSpinningBallNeverGains) {
  const double g = 9.81, mass = 0.5, radius = 0.1, mu = 0.4, e = 0.7, h = 0.002;
  MatrixXd frame = MatrixXd::Zero(6, 3), m = mass * MatrixXd::Identity(6, 6);
  frame(2, 0) = frame(0, 1) = frame(1, 2) = 1;
  frame(4, 1) = -radius;
  frame(3, 2) = radius;
  m.bottomRightCorner(3, 3) *= 0.4 * radius * radius;
  for (const std::string& solver : test::three_solvers()) {
    VectorXd v = VectorXd::Zero(6);
    v << 1, -0.5, 0, 20, 30, -5;
    double z = 0.4;  // above the floor
    int bounces = 0;
    const auto energy = [&] { return 0.5 * v.dot(m * v) + mass * g * z; };
    const double start = energy();
    double highest = 0;
    for (int step = 0; step < 1000; ++step) {
      const double before = energy(), normal = v[2];
      VectorXd f = m * v;
      f[2] -= h * mass * g;
      const VectorXd free = m.llt().solve(f);
      const bool contact = z + h * free[2] <= 0;
      if (contact) {
        const GlobalProblem p = test::make_global(3, m, frame, test::list(f), {e * std::min(0.0, normal), 0, 0}, {mu});
        const Result result = test::solve_with(p, solver, 1e-11);
        ASSERT_TRUE(result.solved()) << solver << " step " << step;
        v = test::vec(result.x.v);
        ++bounces;
      } else {
        v = free;
      }
      z += h * v[2];
      const double scheme = contact ? mass * g * h * e * std::max(0.0, -normal) : 0;
      EXPECT_LE(energy(), before + scheme + 1e-9) << solver << " step " << step;
      highest = std::max(highest, energy());
      if (!contact) {
        EXPECT_NEAR(energy(), before - 0.5 * mass * g * g * h * h, 1e-9);
      }
    }
    EXPECT_GT(bounces, 3);
    EXPECT_LE(highest, start);  // and over the whole flight nothing is gained
  }
}

// Two free spheres, oblique impact with spin, friction and restitution; no gravity, nothing else in the world.
TEST(Momentum, FreeCollisionConservesIt) {
  const std::array<double, 2> mass = {1.5, 0.4}, radius = {0.3, 0.2};
  const Vector3d normal = Vector3d(1, 0.5, -0.7).normalized(), tangent = normal.cross(Vector3d::UnitZ()).normalized();
  const std::array<Vector3d, 2> centre = {Vector3d(0.2, -0.1, 1) + radius[0] * normal, Vector3d(0.2, -0.1, 1) - radius[1] * normal};
  const Vector3d point(0.2, -0.1, 1);
  Eigen::Matrix3d frame;
  frame << normal, tangent, normal.cross(tangent);
  MatrixXd m = MatrixXd::Zero(12, 12), h = MatrixXd::Zero(12, 3);
  for (int body = 0; body < 2; ++body) {
    const auto b = static_cast<std::size_t>(body);
    m.block(6 * body, 6 * body, 3, 3) = mass[b] * Eigen::Matrix3d::Identity();
    m.block(6 * body + 3, 6 * body + 3, 3, 3) = 0.4 * mass[b] * radius[b] * radius[b] * Eigen::Matrix3d::Identity();
    for (int c = 0; c < 3; ++c) {
      const double sign = body == 0 ? 1 : -1;
      h.block(6 * body, c, 3, 1) = sign * frame.col(c);
      h.block(6 * body + 3, c, 3, 1) = sign * (point - centre[b]).cross(Vector3d(frame.col(c)));
    }
  }
  VectorXd v(12);
  v << -2, 0.3, 0.5, 3, -4, 5, 1, 0.2, -0.5, -7, 2, 9;
  const auto momentum = [&](const VectorXd& x) {
    Eigen::Matrix<double, 6, 1> total = Eigen::Matrix<double, 6, 1>::Zero();
    for (int body = 0; body < 2; ++body) {
      const auto b = static_cast<std::size_t>(body);
      const Vector3d linear = mass[b] * x.segment<3>(6 * body);
      total.head<3>() += linear;
      total.tail<3>() += centre[b].cross(linear) + 0.4 * mass[b] * radius[b] * radius[b] * x.segment<3>(6 * body + 3);
    }
    return total;
  };
  const double approach = (h.transpose() * v)[0], e = 0.6;
  ASSERT_LT(approach, 0);
  for (const double mu : {0.0, 0.2, 0.9, test::kInfinity})
    for (const std::string& solver : test::three_solvers()) {
      const Result result = test::solve_with(test::make_global(3, m, h, test::list(m * v), {e * approach, 0, 0}, {mu}), solver, 1e-12);
      ASSERT_TRUE(result.solved()) << solver << " " << mu << " " << to_string(result.status) << " " << result.certificate.error;
      const VectorXd after = test::vec(result.x.v);
      EXPECT_LT((momentum(after) - momentum(v)).norm(), 1e-12 * momentum(v).norm()) << solver << " " << mu;
      EXPECT_NEAR((h.transpose() * after)[0], -e * approach, 1e-9) << solver << " " << mu;
      EXPECT_LE(after.dot(m * after), v.dot(m * v)) << solver << " " << mu;
    }
}

}  // namespace
}  // namespace cornet
