// The separate check of an existence certificate: sums over the entries of the problem's own matrices and the definition of the cones,
// nothing of the optimisation.
//
//   velocity, boundary         u = Hᵀv + w:  u_N ≥ μ‖u_T‖ (μ = ∞: u_T = 0, u_N ≥ 0),  Gᵀv + b = 0      strictly for guaranteed_robust
//   boundary, reaction, …      ‖r_T‖ ≤ μ r_N,  H r + G λ = 0,  wᵀr + bᵀλ = 0 or < 0,  r_T = 0 for normal_reaction
//
// A violation is measured against the sum of the absolute values that made the number: what rounding alone can do is then 1e-15, whatever
// the units.
//
// Impossible: normal reactions r with ‖H r‖ = ε instead of 0 still prove that any solution has vᵀ(H r) ≥ |wᵀr|, that is velocities v (local form:
// reactions) of |wᵀr|/ε times their scale at least. Where that is less than 1e8, H or W may be nearly singular and such a solution a valid answer
// in doubles, the rounding of W r being 1e-8 of it; then the verdict does not verify.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/existence.h"
#include "cornet/reduce.h"

namespace cornet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sum and sum of absolute values, entry by entry.
struct Sums {
  std::vector<double> value, size;
  explicit Sums(std::size_t n) : value(n, 0.0), size(n, 0.0) {}
  void add(std::size_t i, double term) {
    value[i] += term;
    size[i] += std::abs(term);
  }
};

template <class Visit>
void for_each_entry(const SparseMatrix& a, Visit visit) {
  if (a.storage == Storage::triplet) {
    for (std::size_t k = 0; k < a.x.size(); ++k) visit(a.i[k], a.p[k], a.x[k]);
    return;
  }
  const int lines = a.storage == Storage::csc ? a.cols : a.rows;
  for (int line = 0; line < lines; ++line)
    for (int k = a.p[line]; k < a.p[line + 1]; ++k) a.storage == Storage::csc ? visit(a.i[k], line, a.x[k]) : visit(line, a.i[k], a.x[k]);
}

void add_product(const SparseMatrix& a, const std::vector<double>& x, Sums& out) {
  for_each_entry(a, [&](int i, int j, double value) { out.add(i, value * x[j]); });
}
void add_transposed_product(const SparseMatrix& a, const std::vector<double>& x, Sums& out) {
  for_each_entry(a, [&](int i, int j, double value) { out.add(j, value * x[i]); });
}
void add_vector(const std::vector<double>& x, Sums& out) {
  for (std::size_t k = 0; k < x.size(); ++k) out.add(k, x[k]);
}

constexpr double kProof = 10, kProofOfNone = 1e8;  // work against violation

double tail_norm(const double* u, int dim) { return dim == 2 ? std::abs(u[1]) : std::hypot(u[1], u[2]); }

struct Check {
  double violation = 0;            // largest relative violation
  double least_depth = kInfinity;  // smallest (u_N − μ‖u_T‖) relative to the sizes behind it
  void violated(double by, double size) {
    if (by > 0) violation = std::max(violation, size > 0 ? by / size : kInfinity);
    if (std::isnan(by)) violation = kInfinity;
  }
};

// Velocities u against K*.
void check_dual_cone(int dim, const std::vector<double>& mu, const Sums& u, Check& check) {
  // Where μ = 0 the tangential velocity is free and no measure of anything.
  const auto size_of = [&](std::size_t a) {
    const auto first = u.size.begin() + static_cast<std::ptrdiff_t>(a) * dim;
    return *std::max_element(first, first + (mu[a] == 0 ? 1 : dim));
  };
  double largest = 0;
  for (std::size_t a = 0; a < mu.size(); ++a) largest = std::max(largest, size_of(a));
  for (std::size_t a = 0; a < mu.size(); ++a) {
    const double* x = u.value.data() + a * dim;
    const double size = size_of(a);
    const double scale = std::max(size, 1e-9 * largest);  // for the depth; violations are judged against the fastest contact, and below
                                                          // against w
    const double tail = tail_norm(x, dim);
    if (mu[a] == kInfinity) {
      check.violated(tail, largest);
      check.violated(-x[0], largest);
      check.least_depth = std::min(check.least_depth, scale > 0 ? x[0] / scale : 0);
    } else {
      const double friction = mu[a] == 0 ? 0 : mu[a] * tail;
      check.violated(friction - x[0], largest * (1 + mu[a]));
      check.least_depth = std::min(check.least_depth, scale > 0 ? (x[0] - friction) / (scale * (1 + mu[a])) : 0);
    }
  }
}

void check_cone(int dim, const std::vector<double>& mu, const std::vector<double>& r, bool normal_only, Check& check) {
  double size = 0;
  for (double x : r) size = std::max(size, std::abs(x));
  for (std::size_t a = 0; a < mu.size(); ++a) {
    const double* x = r.data() + a * dim;
    const double tail = tail_norm(x, dim);
    check.violated(-x[0], size);
    if (normal_only || mu[a] == 0) check.violated(tail, size);
    else if (mu[a] < kInfinity) check.violated(tail - mu[a] * std::max(x[0], 0.0), size * (1 + mu[a]));
  }
}

// Largest |value| against the largest sum of absolute values, or against `least` when that is larger.
void check_zero(const Sums& s, double least, Check& check) {
  double size = least;
  for (double x : s.size) size = std::max(size, x);
  for (double x : s.value) check.violated(std::abs(x), size);
}

}  // namespace

bool verify_existence(const Problem& problem, Verdict verdict, const ExistenceCertificate& certificate, double tolerance,
                      double* residual) {
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const LocalProblem local = global ? LocalProblem{} : condense(std::get<LocalProblem>(problem));
  const SparseMatrix& kinematics = global ? global->H : local.W;
  const std::vector<double>& w = global ? global->w : local.q;
  const std::vector<double>& mu = global ? global->mu : local.mu;
  const int dim = global ? global->dim : local.dim;
  const std::size_t m = w.size();
  Check check;
  bool claims = true;

  const bool needs_v = certificate.kind == "velocity" || certificate.kind == "boundary";
  const bool needs_r = certificate.kind == "boundary" || certificate.kind == "reaction" || certificate.kind == "normal_reaction";
  if (!needs_v && !needs_r) claims = false;
  if (needs_v && claims) {
    Sums u(m);
    if (certificate.v.size() != static_cast<std::size_t>(global ? global->M.rows : local.W.cols)) return false;
    if (global) add_transposed_product(kinematics, certificate.v, u);
    else add_product(kinematics, certificate.v, u);
    add_vector(w, u);
    check_dual_cone(dim, mu, u, check);
    // Against the imposed velocities, not only against velocities that may be huge: rounding must not decide, and depths count in units of w.
    double largest_w = 0, noise = 0, deepest = 0;
    for (double x : w) largest_w = std::max(largest_w, std::abs(x));
    for (std::size_t a = 0; a < mu.size(); ++a) {
      const double* x = u.value.data() + a * dim;
      const double friction = mu[a] == 0 ? 0.0 : mu[a] == kInfinity ? 0.0 : mu[a] * tail_norm(x, dim);
      deepest = std::max(deepest, friction - x[0]);
      for (int i = 0; i < dim; ++i) noise = std::max(noise, 1e-15 * u.size[a * dim + i]);
    }
    if (largest_w > 0) {
      check.violated(deepest, std::max(largest_w, 1e-300));
      claims = claims && noise <= tolerance * largest_w;
    }
    if (global && global->G) {
      Sums g(global->b.size());
      add_transposed_product(*global->G, certificate.v, g);
      add_vector(global->b, g);
      check_zero(g, 0, check);
    }
    // Strictly inside by more than rounding can do.
    if (verdict == Verdict::guaranteed_robust) claims = claims && (mu.empty() || check.least_depth > 1e-13);
  }
  if (needs_r && claims) {
    if (certificate.r.size() != m) return false;
    check_cone(dim, mu, certificate.r, certificate.kind == "normal_reaction", check);
    Sums balance(static_cast<std::size_t>(global ? kinematics.rows : kinematics.cols));
    if (global) add_product(kinematics, certificate.r, balance);
    else add_transposed_product(kinematics, certificate.r, balance);  // r is orthogonal to the range of W
    Sums work(1);
    for (std::size_t k = 0; k < m; ++k) work.add(0, w[k] * certificate.r[k]);
    if (global && global->G && !certificate.lambda.empty()) {
      if (certificate.lambda.size() != global->b.size()) return false;
      add_product(*global->G, certificate.lambda, balance);
      for (std::size_t k = 0; k < global->b.size(); ++k) work.add(0, global->b[k] * certificate.lambda[k]);
    }
    // A column of H that is zero up to rounding is judged against the others.
    double entry = 0, reaction = 0;
    for (double x : kinematics.x) entry = std::max(entry, std::abs(x));
    for (double x : certificate.r) reaction = std::max(reaction, std::abs(x));
    check_zero(balance, entry * reaction, check);
    if (certificate.kind == "boundary") {
      double largest_w = 0, sum_r = 0;
      for (double x : w) largest_w = std::max(largest_w, std::abs(x));
      for (double x : certificate.r) sum_r += std::abs(x);
      check.violated(std::abs(work.value[0]), std::max(work.size[0], largest_w * sum_r));
      claims = claims && std::any_of(certificate.r.begin(), certificate.r.end(), [](double x) { return x != 0; });
    } else {
      const double proof = verdict == Verdict::impossible ? kProofOfNone : kProof;
      claims = claims && work.value[0] < 0 && -work.value[0] > proof * check.violation * work.size[0];
    }
  }
  if (residual) *residual = check.violation;
  return claims && check.violation <= tolerance;
}

}  // namespace cornet
