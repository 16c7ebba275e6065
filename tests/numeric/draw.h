// Random problems for the numerical fuzzing: every seed is one problem, the same on every machine.
//
//   local    W = A D Aᵀ + N,  D ≥ 0 diagonal, N skew with range N ⊂ range W; V, R, s now and then
//   global   M = L Lᵀ + skew,  H = A,  G now and then
//
// Sizes 1 to 60 contacts, more small ones than large; rank of A from 0 to full; μ of each contact from {0, tiny, usual, huge, ∞}; scales of
// the matrix, of the loads and of single contacts from 1e-12 to 1e12; duplicated contacts; loads with a known solution, loads drawn blindly,
// loads that contradict each other (equal contacts with opposite velocities), no load at all. No number is NaN.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <optional>
#include <string>

#include "cornet/problem.h"
#include "support/fixtures.h"

namespace cornet::numeric {

/// A problem as dense matrices, which are easy to cut down. `global` decides which fields count.
struct Drawn {
  int dim = 3;
  bool global = false;
  Eigen::MatrixXd W, V, R;      ///< local; V and R without columns when there are no bilateral constraints
  Eigen::MatrixXd M, H, G;      ///< global
  Eigen::VectorXd q, s;         ///< local
  Eigen::VectorXd f, w, b;      ///< global
  std::vector<double> mu;
  std::string words;            ///< what was drawn, for people

  int contacts() const { return static_cast<int>(mu.size()); }

  Problem problem() const {
    if (global) {
      GlobalProblem p = test::make_global(dim, M, H, test::list(f), test::list(w), mu);
      p.name = words;
      if (G.cols() > 0) {
        p.G = test::sparse(G);
        p.b = test::list(b);
      }
      return p;
    }
    LocalProblem p = test::make_local(dim, W, test::list(q), mu);
    p.name = words;
    if (V.cols() > 0) {
      p.V = test::sparse(V);
      p.R = test::sparse(R);
      p.s = test::list(s);
    }
    return p;
  }
};

inline Drawn drawn_from(const Problem& problem) {
  Drawn d;
  d.words = name(problem);
  d.dim = dimension(problem);
  if (const auto* p = std::get_if<GlobalProblem>(&problem)) {
    d.global = true;
    d.M = test::dense(p->M);
    d.H = test::dense(p->H);
    d.G = p->G ? test::dense(*p->G) : Eigen::MatrixXd(p->M.rows, 0);
    d.f = test::vec(p->f);
    d.w = test::vec(p->w);
    d.b = test::vec(p->b);
    d.mu = p->mu;
  } else {
    const auto& l = std::get<LocalProblem>(problem);
    d.W = test::dense(l.W);
    d.V = l.V ? test::dense(*l.V) : Eigen::MatrixXd(l.W.rows, 0);
    d.R = l.R ? test::dense(*l.R) : Eigen::MatrixXd(0, 0);
    d.q = test::vec(l.q);
    d.s = test::vec(l.s);
    d.mu = l.mu;
  }
  return d;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15ull + 1) {}

  Drawn operator()() {
    Drawn d;
    d.dim = chance(0.5) ? 2 : 3;
    d.global = chance(0.35);
    const int nc = std::min(60, static_cast<int>(std::exp(random_.uniform(0, std::log(61.0))))), m = d.dim * nc;
    draw_friction(d, nc);

    // Rows of A are the contacts' velocity directions; its columns span the range of W.
    const int full = m + 1, rank = chance(0.3) ? full : random_.index(full);
    Eigen::MatrixXd A = gaussian(m, rank);
    if (chance(0.3)) sparsify(A, d.dim);
    const bool duplicates = nc > 1 && chance(0.25);
    std::vector<int> twin(static_cast<std::size_t>(nc), -1);
    for (int c = 1; duplicates && c < nc; ++c)
      if (chance(0.4)) {
        twin[static_cast<std::size_t>(c)] = random_.index(c);
        A.middleRows(d.dim * c, d.dim) = A.middleRows(d.dim * twin[static_cast<std::size_t>(c)], d.dim);
      }
    const bool units = chance(0.15);  // contacts in unequal units
    for (int c = 0; units && c < nc; ++c) A.middleRows(d.dim * c, d.dim) *= std::pow(10.0, random_.uniform(-3, 3));

    const double asymmetry = chance(0.3) ? std::pow(10.0, random_.uniform(-3, 0)) : 0;
    const double matrix_scale = scale(), load_scale = scale();
    // N = A S Aᵀ with S skew: the range of W stays that of A.
    const auto skew = [&](int n) {
      const Eigen::MatrixXd x = gaussian(n, n);
      return Eigen::MatrixXd(asymmetry * (x - x.transpose()) / 2);
    };
    Eigen::VectorXd spread(rank);
    const double decades = chance(0.3) ? random_.uniform(0, 8) : 0;
    for (double& x : spread) x = std::pow(10.0, -decades * random_.unit());

    // u and r that obey the law, or noise, give the loads.
    const int loads = random_.index(4);
    Eigen::VectorXd r, u;
    obey(d, r, u);
    Eigen::VectorXd offset;  // of u − W r
    const Eigen::MatrixXd W = A * (Eigen::MatrixXd(spread.asDiagonal()) + skew(rank)) * A.transpose();
    if (loads == 0) offset = u - W * r;
    else if (loads == 1) offset = W * gaussian(m, 1).col(0);
    else if (loads == 2) offset = gaussian(m, 1).col(0);
    else offset = chance(0.2) ? Eigen::VectorXd(Eigen::VectorXd::Zero(m)) : Eigen::VectorXd(gaussian(m, 1).col(0).cwiseAbs() * -1.0);
    // Twins that are pulled apart: one must open at the speed at which the other closes.
    bool contradiction = false;
    for (int c = 0; c < nc; ++c)
      if (const int t = twin[static_cast<std::size_t>(c)]; t >= 0 && loads >= 2 && chance(0.5)) {
        offset.segment(d.dim * c, d.dim) = -offset.segment(d.dim * t, d.dim);
        contradiction = true;
      }

    const int joints = chance(0.12) ? 1 + random_.index(3) : 0;
    if (d.global) {
      const int n = std::max(1, rank);
      const Eigen::MatrixXd L = gaussian(n, n), x = gaussian(n, n);
      d.M = matrix_scale * (L * L.transpose() / n + 0.1 * Eigen::MatrixXd::Identity(n, n) + asymmetry * (x - x.transpose()) / 2);
      d.H = rank > 0 ? Eigen::MatrixXd(A.transpose()) : Eigen::MatrixXd(Eigen::MatrixXd::Zero(1, m));
      d.f = load_scale * matrix_scale * gaussian(n, 1).col(0);
      d.w = loads == 3 && chance(0.5) ? Eigen::VectorXd(Eigen::VectorXd::Zero(m)) : Eigen::VectorXd(load_scale * offset);
      d.G = gaussian(n, std::min(joints, n - 1));
      d.b = chance(0.5) ? Eigen::VectorXd(Eigen::VectorXd::Zero(d.G.cols())) : Eigen::VectorXd(load_scale * gaussian(d.G.cols(), 1).col(0));
    } else {
      d.W = matrix_scale * W;
      d.q = load_scale * offset;
      // [W V; Vᵀ R] = (A; C) (A; C)ᵀ as it comes from eliminating v with M = I; one positive matrix, so asymmetry and spread go.
      const int p = std::min(joints, rank);
      const Eigen::MatrixXd C = gaussian(p, rank);
      d.V = matrix_scale * A * C.transpose();
      d.R = matrix_scale * C * C.transpose();
      d.s = load_scale * gaussian(p, 1).col(0);
      if (p > 0) d.W = matrix_scale * A * A.transpose();
    }
    d.words = std::string(d.global ? "global " : "local ") + std::to_string(d.dim) + "d, " + std::to_string(nc) + " contacts, rank " +
              std::to_string(rank) + ", mu " + friction_ + (asymmetry > 0 ? ", unsymmetric" : "") + (duplicates ? ", duplicates" : "") +
              (contradiction ? ", contradiction" : "") + (units ? ", unequal units" : "") + (joints ? ", joints" : "") + ", loads " +
              std::to_string(loads) + ", scales " + power(matrix_scale) + " " + power(load_scale);
    return d;
  }

 private:
  bool chance(double probability) { return random_.unit() < probability; }

  double normal() { return std::sqrt(-2 * std::log1p(-random_.unit())) * std::cos(6.283185307179586 * random_.unit()); }

  Eigen::MatrixXd gaussian(Eigen::Index rows, Eigen::Index cols) {
    Eigen::MatrixXd a(rows, cols);
    for (Eigen::Index j = 0; j < cols; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) a(i, j) = normal();
    return a;
  }

  /// Half of them near one, the others anywhere in 1e-12 … 1e12.
  double scale() { return std::pow(10.0, chance(0.5) ? random_.uniform(-1, 1) : random_.uniform(-12, 12)); }

  static std::string power(double x) { return "1e" + std::to_string(static_cast<int>(std::lround(std::log10(x)))); }

  double coefficient(int kind) {
    switch (kind) {
      case 0: return 0;
      case 1: return std::pow(10.0, random_.uniform(-12, -4));
      case 2: return random_.uniform(0.05, 1.5);
      case 3: return std::pow(10.0, random_.uniform(1, 6));
      default: return test::kInfinity;
    }
  }

  void draw_friction(Drawn& d, int nc) {
    static const char* const names[] = {"zero", "tiny", "usual", "huge", "infinite"};
    const int one = chance(0.5) ? 2 : random_.index(5);
    const bool mixed = chance(0.3);
    friction_ = mixed ? "mixed" : names[one];
    for (int c = 0; c < nc; ++c) d.mu.push_back(coefficient(mixed ? random_.index(5) : one));
  }

  /// Each contact touches few columns of A.
  void sparsify(Eigen::MatrixXd& A, int dim) {
    const int bodies = std::max(1, static_cast<int>(A.cols()) / 3);
    for (Eigen::Index c = 0; c < A.rows() / dim; ++c) {
      const int first = random_.index(bodies), second = random_.index(bodies);
      for (Eigen::Index j = 0; j < A.cols(); ++j)
        if (j / 3 != first && j / 3 != second) A.block(c * dim, j, dim, 1).setZero();
    }
  }

  void obey(const Drawn& d, Eigen::VectorXd& r, Eigen::VectorXd& u) {
    const int nc = d.contacts(), dim = d.dim;
    r = u = Eigen::VectorXd::Zero(dim * nc);
    for (int c = 0; c < nc; ++c) {
      const double mu = d.mu[static_cast<std::size_t>(c)];
      Eigen::VectorXd t = gaussian(dim - 1, 1).col(0);
      t /= std::max(t.norm(), 1e-300);
      const int status = random_.index(3);
      const double size = random_.uniform(0.1, 1), share = random_.unit();
      const Eigen::Index at = dim * c;
      if (status == 0) {
        u[at] = size;
        if (std::isinf(mu)) r.segment(at + 1, dim - 1) = share * t;
        else u.segment(at + 1, dim - 1) = t;
        continue;
      }
      r[at] = size;
      if (std::isinf(mu)) r.segment(at + 1, dim - 1) = t;
      else if (status == 1) r.segment(at + 1, dim - 1) = share * mu * size * t;
      else {
        r.segment(at + 1, dim - 1) = mu * size * t;
        u.segment(at + 1, dim - 1) = -share * t;
      }
    }
  }

  test::Random random_;
  std::string friction_;
};

inline Drawn draw(std::uint64_t seed) { return Draw(seed)(); }

}  // namespace cornet::numeric
