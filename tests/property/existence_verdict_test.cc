// check_existence on random problems whose answer is known by construction, in global and in local form.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <random>

#include "cornet/existence.h"
#include "cornet/reduce.h"
#include "linalg/sparse.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Built { inside, boundary, reaction, normal_reaction };

struct Instance {
  GlobalProblem problem;
  Built built;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }
  Eigen::VectorXd normals(int n) {
    Eigen::VectorXd x(n);
    for (double& e : x) e = normal();
    return x;
  }

  Instance make(Built built) {
    const int d = uniform(0, 1) < 0.5 ? 2 : 3;
    const int nc = static_cast<int>(uniform(1, 13));
    const int n = static_cast<int>(uniform(1, 25));
    Instance out{GlobalProblem{}, built};
    GlobalProblem& p = out.problem;
    p.dim = d;
    for (int a = 0; a < nc; ++a) {
      const double kind = uniform(0, 1);
      p.mu.push_back(kind < 0.15 ? 0.0 : uniform(0.05, 2));
    }
    if (built == Built::reaction) p.mu[0] = uniform(0.2, 2);
    // μ = ∞ where the equalities it brings stay independent.
    if (built == Built::inside && n > d * nc && nc > 1) p.mu[1] = kInfinity;

    Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(n, d * nc, [this] { return uniform(0, 1) < 0.6 ? normal() : 0.0; });
    Eigen::VectorXd r = Eigen::VectorXd::Zero(d * nc), k = Eigen::VectorXd::Zero(d * nc);
    const auto r_at = [&](int a) { return r.segment(a * d, d); };
    const auto k_at = [&](int a) { return k.segment(a * d, d); };
    for (int a = 0; a < nc; ++a) {
      const Eigen::VectorXd t = normals(d - 1).normalized();
      if (built == Built::inside) {
        const double slip = p.mu[a] == kInfinity ? 0.0 : uniform(0, 1);
        k_at(a)[0] = (p.mu[a] == kInfinity ? 0.0 : p.mu[a] * slip) + uniform(0.1, 1);
        k_at(a).tail(d - 1) = slip * t;
        continue;
      }
      // Reactions in K that are in balance once the column of contact 0 is set below.
      int where = a == 0 ? 1 : static_cast<int>(uniform(0, 3));  // 0: none, 1: inside K, 2: on its boundary
      if (built == Built::reaction && p.mu[a] == 0) where = 0;
      if (where > 0) {
        r_at(a)[0] = uniform(0.2, 1);
        if (built != Built::normal_reaction)
          r_at(a).tail(d - 1) = (where == 2 ? 1.0 : built == Built::reaction ? 0.9 : 0.5) * p.mu[a] * r_at(a)[0] * t;
      }
      if (built == Built::boundary) {
        const double beta = uniform(0, 1);
        if (where == 0) {
          k_at(a)[0] = p.mu[a] * beta + uniform(0, 1);
          k_at(a).tail(d - 1) = beta * t;
        } else if (where == 2) {
          k_at(a)[0] = p.mu[a] * beta;
          k_at(a).tail(d - 1) = -beta * t;
          if (p.mu[a] == 0) k_at(a).tail(d - 1) = beta * t;
        }
      } else if (built == Built::normal_reaction) {
        k_at(a) = normals(d);
        k_at(a)[0] = where > 0 ? -uniform(0.1, 1) : normal();
      } else {
        // (A') holds with room, (A) fails: normal velocities positive, tangential ones against r.
        k_at(a)[0] = uniform(0.05, 0.2);
        k_at(a).tail(d - 1) = -uniform(2, 4) / (0.1 + p.mu[a]) * t;
      }
    }
    if (built != Built::inside) {  // H r = 0
      const Eigen::VectorXd rest = H * r - H.col(0) * r[0];
      H.col(0) = -rest / r[0];
    }
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [this] { return normal(); });
    const double scale = std::pow(10.0, uniform(-3, 3));
    p.M = from_columns(SparseColumns((A * A.transpose() + Eigen::MatrixXd::Identity(n, n)).sparseView()));
    p.H = from_columns(SparseColumns(H.sparseView()));
    p.f = to_std(normals(n));
    p.w = to_std(Eigen::VectorXd(scale * (k - H.transpose() * normals(n))));
    return out;
  }

 private:
  std::mt19937 random_;
};

Verdict expected(Built built) {
  switch (built) {
    case Built::inside: return Verdict::guaranteed_robust;
    case Built::boundary: return Verdict::guaranteed;
    case Built::reaction: return Verdict::not_guaranteed;
    case Built::normal_reaction: return Verdict::impossible;
  }
  return Verdict::impossible;
}

void expect_known_answer(const Problem& problem, Built built, int number) {
  for (const bool shortcuts : {true, false}) {
    ExistenceOptions options;
    options.shortcuts = shortcuts;
    const Existence e = check_existence(problem, options);
    EXPECT_EQ(e.verdict, expected(built)) << form_name(problem) << " instance " << number << ": built as " << static_cast<int>(built)
                                          << ", found " << to_string(e.verdict) << " with margin " << e.margin << " (" << e.reason << ")";
    EXPECT_TRUE(e.certificate.verified);
    EXPECT_TRUE(verify_existence(problem, e.verdict, e.certificate));
    if (built == Built::boundary) {
      EXPECT_LE(std::abs(e.margin), e.tolerance);
    }
  }
}

TEST(ExistenceProperty, thousand_instances_with_known_answers_get_the_right_verdict) {
  Maker maker(20261115);
  for (int i = 0; i < 1000; ++i) {
    const Instance instance = maker.make(static_cast<Built>(i % 4));
    expect_known_answer(instance.problem, instance.built, i);
  }
}

TEST(ExistenceProperty, the_local_form_gets_the_same_verdict) {
  Maker maker(7);
  for (int i = 0; i < 200; ++i) {
    const Instance instance = maker.make(static_cast<Built>(i % 4));
    expect_known_answer(reduce(instance.problem).local(), instance.built, i);
  }
}

TEST(ExistenceProperty, a_spoilt_certificate_does_not_verify) {
  Maker maker(11);
  int spoilt = 0;
  for (int i = 0; i < 100; ++i) {
    const Instance instance = maker.make(static_cast<Built>(i % 4));
    Existence e = check_existence(instance.problem);
    ExistenceCertificate& c = e.certificate;
    if (c.kind == "velocity") {
      if (instance.problem.size() == 0) continue;
      // Turned round, the velocities close the contacts; with w = 0 they would be as good as before only if u = 0.
      for (double& x : c.v) x = -3 * x - 1;
    } else {
      for (double& x : c.r) x = -x;
    }
    if (!verify_existence(instance.problem, e.verdict, c)) ++spoilt;
  }
  EXPECT_GE(spoilt, 95);
}

}  // namespace
}  // namespace cornet
