// Checks of the test sets of the survey.
#pragma once

#include <gtest/gtest.h>

#include "cornet/certificate.h"
#include "cornet/sim_sets.h"

namespace cornet::sim {

// The table prints densities with two digits: half a unit of the last one.
inline constexpr double kPrinted = 0.005;

/// True, so that the next problem comes.
inline bool in_range(const TestSet& s, const GlobalProblem& p) {
  validate(p);
  EXPECT_GE(p.dofs(), s.dofs_min) << s.name;
  EXPECT_LE(p.dofs(), s.dofs_max) << s.name;
  EXPECT_GE(p.contacts(), s.contacts_min) << p.name;
  EXPECT_LE(p.contacts(), s.contacts_max) << p.name;
  const double density = 3.0 * p.contacts() / p.dofs();
  EXPECT_GE(density, s.density_min - kPrinted) << p.name;
  EXPECT_LE(density, s.density_max + kPrinted) << p.name;
  for (double mu : p.mu) EXPECT_EQ(mu, s.mu) << s.name;
  return true;
}

/// Makes `count` problems whose answers all obey the tolerance of the set; at most one may be without.
inline void certified_answers(const TestSet& s, int count) {
  int answers = 0;
  const int made = generate(s.name, count, 1, [&](const GlobalProblem& p, const Iterate& answer, int) {
    if (!answer.r.empty()) {
      ++answers;
      EXPECT_LE(certify(p, answer).error, s.tolerance) << p.name;
    }
    return in_range(s, p);
  });
  EXPECT_EQ(made, count) << s.name;
  EXPECT_GE(answers, count - 1) << s.name;
}

}  // namespace cornet::sim
