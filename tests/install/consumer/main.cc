// A sphere of unit mass falls on the ground at 1 m/s and slides at 3 m/s: one contact, W = I, μ = 0.5. It keeps sliding:
// r = (1, −0.5, 0), u = (0, 2.5, 0).
#include <cmath>
#include <cstdio>

#include <cornet/io.h>
#include <cornet/result.h>

int main() {
  cornet::LocalProblem problem;
  problem.W = {.rows = 3, .cols = 3, .p = {0, 1, 2, 3}, .i = {0, 1, 2}, .x = {1, 1, 1}};
  problem.q = {-1, 3, 0};
  problem.mu = {0.5};
  cornet::Result result = cornet::solve(problem);
  cornet::write("sphere.hdf5", problem, result.x);
  double error = cornet::certify(cornet::read("sphere.hdf5"), result.x).error;
  std::printf("%s by %s, error %.1e, r = (%g, %g, %g)\n", to_string(result.status), result.solver.c_str(), error, result.x.r[0],
              result.x.r[1], result.x.r[2]);
  return result.solved() && error <= 1e-8 && std::abs(result.x.r[1] + 0.5) < 1e-7 ? 0 : 1;
}
