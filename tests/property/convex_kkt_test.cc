// What the inner solvers find satisfies the optimality conditions of its problem, written here contact by contact from the mathematics, on
// random matrices of full and deficient rank; and all four methods find the same u (W r is unique although r need not be).
#include <gtest/gtest.h>

#include "cornet/samples.h"
#include "solvers/inner.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

constexpr double kTight = 1e-11;
constexpr double kLoose = 1e-7;  // a rank-deficient W makes r less sure than the error of the natural map

template <int D, class Law>
std::vector<double> solved_by(InnerMethod method, const LocalSystem<D>& system, const Law& law) {
  InnerOptions options;
  options.method = method;
  InnerSolver<D, Law> solver(options);
  solver.prepare(system);
  std::vector<double> r(system.size(), 0.0);
  Monitor monitor({kTight, 60, 1000});
  EXPECT_EQ(solver.solve(system, law, {kTight, 2000000}, r, monitor), Termination::converged) << static_cast<int>(method);
  return r;
}

template <int D>
std::vector<double> velocities(const LocalSystem<D>& system, const std::vector<double>& r) {
  std::vector<double> u(system.size());
  system.W.times(r.data(), system.q.data(), u.data());
  return u;
}

// The methods agree on F; `check(α, r, u)` tests the conditions of one contact.
template <int D, class Law, class Check>
void every_method(const LocalSystem<D>& system, const Law& law, Check check) {
  std::vector<double> first;
  for (auto method : {InnerMethod::gauss_seidel, InnerMethod::fixed_point, InnerMethod::extragradient, InnerMethod::projected_gradient}) {
    SCOPED_TRACE(static_cast<int>(method));
    const std::vector<double> r = solved_by(method, system, law), u = velocities(system, r);
    for (int a = 0; a < system.contacts(); ++a) check(a, contact<D>(r.data(), a), contact<D>(u.data(), a));
    std::vector<double> F(u.size());
    for (int a = 0; a < system.contacts(); ++a) contact<D>(F.data(), a) = law.shifted(a, contact<D>(u.data(), a));
    if (first.empty()) first = F;
    EXPECT_LT((test::vec(F) - test::vec(first)).norm(), kLoose * system.norm_q);
  }
}

// 0 ≤ a ⊥ b ≥ 0.
void complementary(double a, double b, double scale) {
  EXPECT_GE(a, -kLoose * scale);
  EXPECT_GE(b, -kLoose * scale);
  EXPECT_LE(std::min(a, b), kLoose * scale);
}

// −u_T normal to the disk of the given radius at r_T.
template <int D>
void on_disk(const Vec<D>& r, const Vec<D>& u, double radius, double scale) {
  const double r_T = tangent_norm<D>(r), u_T = tangent_norm<D>(u);
  if (!(radius < test::kInfinity)) {
    EXPECT_LE(u_T, kLoose * scale);
    return;
  }
  EXPECT_LE(r_T, radius * (1 + 1e-12) + 1e-300);
  if (u_T <= kLoose * scale) return;
  EXPECT_NEAR(r_T, radius, kLoose * scale);
  double product = 0;
  for (int i = 1; i < D; ++i) product += r[i] * u[i];
  EXPECT_NEAR(product, -r_T * u_T, kLoose * scale * scale);
}

template <int D>
void all_laws(int contacts, int rank, double mu_max, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Iterate known;
  const LocalSystem<D> system(samples::random_local(D, contacts, rank, 0, mu_max, 0, seed, known));
  const double scale = std::max(1.0, system.norm_q);
  test::Random random(seed + 100);
  std::vector<double> radius(system.mu.size()), s(system.mu.size());
  for (int a = 0; a < contacts; ++a) {
    radius[a] = a % 4 == 0 ? 0.0 : a % 4 == 1 && rank >= D * contacts ? test::kInfinity : random.uniform(0, 1);
    s[a] = random.uniform(0, 0.5);
  }

  every_method(system, CylinderLaw<D>{radius.data()}, [&](int a, const Vec<D>& r, const Vec<D>& u) {
    complementary(r[0], u[0], scale);
    on_disk<D>(r, u, radius[a], scale);
  });

  std::vector<double> given(known.r);
  every_method(system, NormalLaw<D>{given.data()}, [&](int a, const Vec<D>& r, const Vec<D>& u) {
    complementary(r[0], u[0], scale);
    for (int i = 1; i < D; ++i) EXPECT_EQ(r[i], given[static_cast<std::size_t>(a * D + i)]);
  });

  every_method(system, TangentLaw<D>{given.data(), radius.data()}, [&](int a, const Vec<D>& r, const Vec<D>& u) {
    EXPECT_EQ(r[0], given[static_cast<std::size_t>(a * D)]);
    on_disk<D>(r, u, radius[a], scale);
  });

  every_method(system, ConeLaw<D>{system.mu.data(), s.data()}, [&](int a, const Vec<D>& r, Vec<D> u) {
    u[0] += s[a];
    const CoulombCone<D> cone{system.mu[a]};
    EXPECT_TRUE(cone.contains(r, kLoose * scale));
    EXPECT_TRUE(cone.contains_dual(u, kLoose * scale));
    EXPECT_NEAR(r.dot(u), 0, kLoose * scale * scale);
  });
}

TEST(ConvexKkt, FullRankInSpace) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) all_laws<3>(8, 24, 1, seed);
}

TEST(ConvexKkt, FullRankInThePlaneWithInfiniteFriction) {
  for (std::uint64_t seed = 11; seed <= 15; ++seed) all_laws<2>(8, 16, test::kInfinity, seed);
}

TEST(ConvexKkt, DeficientRank) {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) all_laws<3>(8, 16, 1, seed);
  for (std::uint64_t seed = 31; seed <= 34; ++seed) all_laws<2>(10, 14, 1, seed);
}

}  // namespace
}  // namespace cornet
