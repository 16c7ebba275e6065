#include "core/active_rank.h"

#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>

#include "linalg/sparse.h"

namespace cornet {
namespace {

using Matrix = Eigen::MatrixXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double kSmallPivot = 1e-10;  // of the largest pivot: zero
constexpr double kStill = 1e-7;        // velocity of a normed reaction of the kernel that counts as none
constexpr double kThreshold = 1e-6;    // τ
constexpr double kMostEntries = 2e7;

// S (m×k), E (k×m) and the diagonal term of the turning rows, all scaled.
struct Linearised {
  SparseColumns S, E;
  Eigen::VectorXd turning;
};

Linearised linearise(const LocalProblem& problem, const Eigen::VectorXd& scale, const std::vector<double>& r, const std::vector<double>& u,
                     const std::vector<ContactStatus>& status) {
  const int d = problem.dim;
  Triplets S, E;
  std::vector<double> turning;
  // One unknown: its reaction and the equation on du, both vectors over the components of contact a.
  const auto add = [&](int a, const Eigen::Vector3d& reaction, const Eigen::Vector3d& equation, double term) {
    const int k = static_cast<int>(turning.size());
    for (int i = 0; i < d; ++i) {
      if (reaction[i] != 0) S.emplace_back(a * d + i, k, scale[a] * reaction[i]);
      if (equation[i] != 0) E.emplace_back(k, a * d + i, scale[a] * equation[i]);
    }
    turning.push_back(term * scale[a] * scale[a]);
  };
  const auto unit = [](int i) { return Eigen::Vector3d(Eigen::Vector3d::Unit(i)); };
  for (int a = 0; a < problem.contacts(); ++a) {
    const auto at = static_cast<std::size_t>(a);
    const double mu = problem.mu[at], *r_a = r.data() + at * static_cast<std::size_t>(d),
                 *u_a = u.data() + at * static_cast<std::size_t>(d);
    if (status[at] == ContactStatus::take_off) {
      for (int i = 1; i < d && std::isinf(mu); ++i) add(a, unit(i), unit(i), 0);
    } else if (mu == 0) {
      add(a, unit(0), unit(0), 0);
    } else if (status[at] == ContactStatus::stick) {
      for (int i = 0; i < d; ++i) add(a, unit(i), unit(i), 0);
    } else {
      const double tangent = d == 2 ? std::abs(r_a[1]) : std::hypot(r_a[1], r_a[2]),
                   slip = d == 2 ? std::abs(u_a[1]) : std::hypot(u_a[1], u_a[2]);
      Eigen::Vector3d e(0, r_a[1] / tangent, d == 3 ? r_a[2] / tangent : 0.0);
      if (!e.allFinite()) e = unit(1);
      add(a, Eigen::Vector3d(unit(0) + mu * e), unit(0), 0);
      if (d == 3) {
        const Eigen::Vector3d t(0, -e[2], e[1]);
        add(a, t, t, tangent > 0 ? slip / tangent : 0.0);
      }
    }
  }
  Linearised out;
  const auto k = static_cast<Eigen::Index>(turning.size());
  out.S.resize(problem.size(), k);
  out.S.setFromTriplets(S.begin(), S.end());
  out.E.resize(k, problem.size());
  out.E.setFromTriplets(E.begin(), E.end());
  out.turning = Eigen::Map<const Eigen::VectorXd>(turning.data(), k);
  return out;
}

void by_pivoted_qr(const SparseColumns& C, const SparseColumns& WS, ActiveRank& out) {
  const Eigen::ColPivHouseholderQR<Matrix> qr{Matrix(C)};
  const Eigen::Index k = C.cols();
  const Eigen::VectorXd pivots = qr.matrixQR().diagonal().cwiseAbs();
  const double zero = kSmallPivot * pivots.maxCoeff();
  Eigen::Index rank = 0;
  while (rank < k && pivots[rank] > zero) ++rank;
  out.rank = static_cast<int>(rank);
  out.reactions_unique = rank == k;
  if (out.reactions_unique) return;
  Matrix kernel(k, k - rank);
  kernel.topRows(rank) =
      -qr.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(qr.matrixQR().topRightCorner(rank, k - rank));
  kernel.bottomRows(k - rank).setIdentity();
  kernel = qr.colsPermutation() * kernel;
  const Matrix moved = WS * kernel;
  for (Eigen::Index j = 0; j < kernel.cols(); ++j) out.velocities_unique &= moved.col(j).norm() <= kStill * kernel.col(j).norm();
}

// Number of eigenvalues of a symmetric matrix above `threshold`, −1 when the factors are not finite.
int eigenvalues_above(SparseColumns A, double threshold) {
  SparseColumns identity(A.rows(), A.cols());
  identity.setIdentity();
  A -= threshold * identity;
  const Eigen::SimplicialLDLT<SparseColumns> ldl(A);
  if (ldl.info() != Eigen::Success || !ldl.vectorD().allFinite()) return -1;
  return static_cast<int>((ldl.vectorD().array() > 0).count());
}

void by_inertia(const SparseColumns& C, const SparseColumns& WS, ActiveRank& out) {
  const auto products = [](const SparseColumns& a) {  // entries of aᵀ a, at most
    const SparseColumns rows = a.transpose();
    double sum = 0;
    for (Eigen::Index j = 0; j < rows.outerSize(); ++j) {
      const double n = rows.outerIndexPtr()[j + 1] - rows.outerIndexPtr()[j];
      sum += n * n;
    }
    return sum;
  };
  if (products(C) + products(WS) > kMostEntries) return;
  SparseColumns normal = C.transpose() * C;
  const double largest = normal.diagonal().maxCoeff(), threshold = kThreshold * kThreshold * largest;
  out.rank = eigenvalues_above(normal, threshold);
  if (out.rank < 0) return;
  out.reactions_unique = out.rank == C.cols();
  if (out.reactions_unique) return;
  normal += SparseColumns(WS.transpose() * WS);
  const int together = eigenvalues_above(normal, threshold);
  if (together >= 0) out.velocities_unique = together <= out.rank;
}

}  // namespace

ActiveRank active_rank(const LocalProblem& problem, const std::vector<double>& r, const std::vector<double>& u,
                       const std::vector<ContactStatus>& status, int dense_limit) {
  const SparseColumns W = to_columns(problem.W);
  // 1/√w with the mean diagonal w of each contact.
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(problem.contacts());
  for (int a = 0; a < problem.contacts(); ++a) {
    double trace = 0;
    for (int i = 0; i < problem.dim; ++i) trace += W.coeff(a * problem.dim + i, a * problem.dim + i);
    if (trace > 0) scale[a] = 1 / std::sqrt(trace / problem.dim);
  }
  const Linearised l = linearise(problem, scale, r, u, status);
  ActiveRank out;
  out.unknowns = static_cast<int>(l.turning.size());
  if (out.unknowns == 0) {
    out.rank = 0;
    return out;
  }
  SparseColumns WS = W * l.S, C = l.E * WS;
  SparseColumns turning(C.rows(), C.cols());
  turning.setIdentity();
  turning.diagonal() = l.turning;
  C += turning;
  // Velocities of each contact in the same scale.
  const auto d = static_cast<Eigen::Index>(problem.dim);
  for (Eigen::Index j = 0; j < WS.outerSize(); ++j)
    for (SparseColumns::InnerIterator it(WS, j); it; ++it) it.valueRef() *= scale[it.row() / d];
  if (out.unknowns <= dense_limit) by_pivoted_qr(C, WS, out);
  else by_inertia(C, WS, out);
  return out;
}

}  // namespace cornet
