// A solver of your own under cornet's limits and certificate: the fixed point r ← P_K(r − ρ(u + g(u))), u = W r + q, on a dense local
// problem. It obeys Monitor (tolerance, iterations, time, interruption) and is judged by certify() like every other solver.
#include <cornet/certificate.h>
#include <cornet/reduce.h>
#include <cornet/samples.h>
#include <cornet/solver.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

class FixedPoint : public cornet::Solver {
 public:
  cornet::Termination solve(const cornet::Problem& any, cornet::Iterate& x, cornet::Monitor& monitor) override {
    const auto* problem = std::get_if<cornet::LocalProblem>(&any);
    if (!problem || problem->dim != 3) {
      monitor.set_message("takes local problems in space");
      return cornet::Termination::unsupported;
    }
    double diagonal = 0, norm_q = 0;  // ρ = 1 / (a bound on the largest eigenvalue of W)
    std::vector<double> row_sum(problem->q.size());
    for (int c = 0; c < problem->W.cols; ++c)
      for (int k = problem->W.p[c]; k < problem->W.p[c + 1]; ++k) row_sum[problem->W.i[k]] += std::abs(problem->W.x[k]);
    for (double sum : row_sum) diagonal = std::max(diagonal, sum);
    for (double value : problem->q) norm_q = std::hypot(norm_q, value);
    const double rho = 1 / diagonal;

    for (;;) {
      const std::vector<double> u = cornet::velocities(*problem, x.r);
      double change = 0;
      for (int a = 0; a < problem->contacts(); ++a) {
        double* r = &x.r[3 * a];
        const double mu = problem->mu[a];
        double z[3] = {r[0] - rho * (u[3 * a] + mu * std::hypot(u[3 * a + 1], u[3 * a + 2])), r[1] - rho * u[3 * a + 1],
                       r[2] - rho * u[3 * a + 2]};
        const double t = std::hypot(z[1], z[2]);  // project z on the cone ‖z_T‖ ≤ mu z_N
        if (mu * t <= -z[0]) z[0] = z[1] = z[2] = 0;
        else if (t > mu * z[0]) {
          const double normal = (z[0] + mu * t) / (1 + mu * mu);
          z[0] = normal, z[1] *= mu * normal / t, z[2] *= mu * normal / t;
        }
        for (int k = 0; k < 3; ++k) change = std::hypot(change, z[k] - r[k]), r[k] = z[k];
      }
      const double residual = change / rho / norm_q;
      if (residual <= monitor.tolerance()) return cornet::Termination::converged;
      if (const auto stop = monitor.step(residual)) return *stop;
    }
  }
};

int main() {
  const cornet::Problem problem = cornet::reduce(cornet::samples::box_stack(2, 0.7)).local();
  cornet::Iterate x;
  x.r.assign(3 * contacts(problem), 0.0);
  cornet::Monitor monitor({.tolerance = 1e-7, .time_limit = 10, .max_iterations = 1000000});
  const cornet::Termination word = FixedPoint().solve(problem, x, monitor);
  const cornet::Certificate proof = cornet::certify(problem, x);
  std::printf("it says %s after %ld iterations; the certificate says %.1e\n", to_string(word), monitor.iterations(), proof.error);
  return proof.error < 1e-5 ? 0 : 1;
}
