// Numerical fuzzing (tests/numeric): some hundred random problems, and every problem that was once a finding, with every solver.
// `numeric_fuzz` runs as many as you like.
#include <gtest/gtest.h>

#include <filesystem>

#include "cornet/io.h"
#include "numeric/checks.h"
#include "support/sanitizer.h"

namespace cornet::numeric {
namespace {

void expect_no_complaint(const Drawn& d, const std::vector<std::string>& others, const std::string& who, Counts& counts, Bounds limits = {}) {
  limits.grace *= test::kSlower;
  for (const Complaint& c : check(d, others, limits, counts)) ADD_FAILURE() << who << ": " << c.solver << ": " << c.what;
}

TEST(NumericFuzz, RandomProblems) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const Drawn d = draw(seed);
    expect_no_complaint(d, others_for(seed, 3), std::to_string(seed) + " (" + d.words + ")", counts);
  }
  // The draw reaches what it is made for.
  EXPECT_GE(counts.guaranteed, 150);
  EXPECT_GE(counts.due, 80);
  EXPECT_GE(counts.impossible, 10);
  EXPECT_GE(counts.solved, 400);
}

TEST(NumericFuzz, FindingsStayMended) {
  Counts counts;
  Bounds limits;
  limits.auto_time = 3 * test::kSlower;  // on one of them nobody finds the solution
  for (const auto& entry : std::filesystem::directory_iterator(CORNET_NUMERIC_REGRESSIONS))
    if (entry.path().extension() == ".hdf5")
      expect_no_complaint(drawn_from(read(entry.path().string())), others_for(0, solvers().size()), entry.path().filename().string(),
                          counts, limits);
}

/// Other units, the same problem: the answer of the one is that of the other.
TEST(NumericFuzz, OwnUnitsAreTheSameProblem) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 5U, 8U, 13U, 21U, 34U}) {
    Drawn d = draw(seed);
    std::vector<double> r(static_cast<std::size_t>(d.dim * d.contacts()));
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = 1 + 0.1 * static_cast<double>(k % 7);
    const Drawn same = in_own_units(d);
    const Velocities here = velocities(d, r), zero = velocities(same, std::vector<double>(r.size(), 0.0));
    const Real beta = here.q.norm() / std::max<Real>(zero.q.norm(), 1e-300L);
    EXPECT_LE((zero.q * beta - here.q).norm(), 1e-14L * here.q.norm()) << d.words;
    const RealVector there = velocities(same, r).u - zero.q, mine = here.u - here.q;
    if (here.q.norm() > 0) {
      EXPECT_GE(zero.q.norm(), 0.7L) << d.words;
      EXPECT_LE(zero.q.norm(), 1.5L) << d.words;
    }
    if (mine.norm() > 1e-6L * here.q.norm()) {
      EXPECT_LE((there / there.norm() - mine / mine.norm()).norm(), 1e-9L) << d.words;  // W in another unit
    }
  }
}

/// The checks themselves: a wrong answer that calls itself solved is found.
TEST(NumericFuzz, SeesAWrongSolved) {
  std::uint64_t seed = 1;
  Drawn d = draw(seed);
  Result result = solve(d.problem(), {});
  while (!result.solved() || d.words.find("scales 1e0 1e0") == std::string::npos) {
    d = draw(++seed);
    result = solve(d.problem(), {});
  }
  ASSERT_EQ(wrong(d, result), "");
  Result shifted = result;
  shifted.x.r[0] += 1e-6 * (1 + std::abs(shifted.x.r[0]));
  EXPECT_NE(wrong(d, shifted), "");
  Result broken = result;
  broken.x.u.back() = test::kNan;
  EXPECT_NE(wrong(d, broken), "");
  Result proud = result;
  proud.certificate.error = 2 * proud.tolerance;
  EXPECT_NE(wrong(d, proud), "");
}

}  // namespace
}  // namespace cornet::numeric
