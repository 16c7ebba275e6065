// A problem from your own matrices: a block in the plane, m = 2 kg, J = 0.5 kg m², stands on two feet at (±0.5, −0.5) m from its centre
// and moves at (1, −0.1) m/s. One time step h = 0.01 s under gravity: W = Hᵀ M⁻¹ H, q = Hᵀ (v + h g), normal component first.
#include <cornet/result.h>

#include <cstdio>

int main() {
  const double inverse_mass[3] = {1 / 2.0, 1 / 2.0, 1 / 0.5};  // x, y, rotation
  const double free_velocity[3] = {1, -0.1 - 0.01 * 9.81, 0};
  const double feet[2][2] = {{-0.5, -0.5}, {0.5, -0.5}};
  double H[3][4];  // columns: normal and tangent of each foot
  for (int k = 0; k < 2; ++k) {
    const double normal[3] = {0, 1, feet[k][0]}, tangent[3] = {1, 0, -feet[k][1]};
    for (int i = 0; i < 3; ++i) H[i][2 * k] = normal[i], H[i][2 * k + 1] = tangent[i];
  }

  cornet::LocalProblem problem;
  problem.dim = 2;
  problem.mu = {0.3, 0.3};
  problem.q.assign(4, 0);
  problem.W.rows = problem.W.cols = 4;
  problem.W.storage = cornet::Storage::csr;
  problem.W.p = {0};
  for (int a = 0; a < 4; ++a) {
    for (int i = 0; i < 3; ++i) problem.q[a] += H[i][a] * free_velocity[i];
    for (int b = 0; b < 4; ++b) {
      double entry = 0;
      for (int i = 0; i < 3; ++i) entry += H[i][a] * inverse_mass[i] * H[i][b];
      problem.W.i.push_back(b);
      problem.W.x.push_back(entry);
    }
    problem.W.p.push_back(static_cast<int>(problem.W.x.size()));
  }

  const cornet::Result result = cornet::solve(problem);
  std::printf("%s\n", result.message.c_str());
  for (int k = 0; k < 2; ++k)
    std::printf("foot %d: %-8s r = (%.4f, %.4f) N s, u = (%.4f, %.4f) m/s\n", k, to_string(result.certificate.status[k]), result.x.r[2 * k],
                result.x.r[2 * k + 1], result.x.u[2 * k], result.x.u[2 * k + 1]);
  return result.solved() ? 0 : 1;
}
