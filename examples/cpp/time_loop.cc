// A time loop of your own around the solver: a puck of 1 kg slides on a floor, pushed by a growing force. Global form (M, H, f, w), one
// Session that keeps the workspace of the solver, each step started from the reactions of the one before.
#include <cornet/result.h>

#include <cmath>
#include <cstdio>

int main() {
  const double mass = 1, gravity = 9.81, mu = 0.4, h = 0.01;
  cornet::GlobalProblem problem;
  problem.M = {.rows = 3, .cols = 3, .p = {0, 1, 2, 3}, .i = {0, 1, 2}, .x = {mass, mass, mass}};
  problem.H = {.rows = 3, .cols = 3, .p = {0, 1, 2, 3}, .i = {2, 0, 1}, .x = {1, 1, 1}};  // contact frame: normal z, tangents x and y
  problem.w = {0, 0, 0};
  problem.mu = {mu};

  cornet::Session session;  // default solver and tolerance
  cornet::Iterate guess;
  double velocity[3] = {0, 0, 0}, position = 0;
  for (int step = 1; step <= 100; ++step) {
    const double push = 8 * (step * h);  // N, along x
    problem.f = {mass * velocity[0] + h * push, mass * velocity[1], mass * velocity[2] - h * mass * gravity};
    const cornet::Result result = session.solve(problem, guess);
    if (!result.solved()) {
      std::fprintf(stderr, "step %d: %s\n", step, result.message.c_str());
      return 1;
    }
    for (int k = 0; k < 3; ++k) velocity[k] = result.x.v[k];
    position += h * velocity[0];
    if (step % 20 == 0)
      std::printf("t = %.2f s: push %.2f N, friction %.3f N, %-5s x = %.4f m\n", step * h, push, -result.x.r[1] / h,
                  to_string(result.certificate.status[0]), position);
    guess = result.x;
  }
  // It sticks until the push exceeds mu·m·g = 3.924 N (step 50), then slides: v = Σ h (push − mu m g)/m.
  double expected = 0;
  for (int step = 50; step <= 100; ++step) expected += h * (8 * step * h - mu * mass * gravity) / mass;
  std::printf("velocity %.6f m/s, expected %.6f m/s\n", velocity[0], expected);
  return std::abs(velocity[0] - expected) < 1e-6 ? 0 : 1;
}
