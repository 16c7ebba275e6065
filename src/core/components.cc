#include "core/components.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cornet/error.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

using Dense = Component::Dense;

/// Union–find over the nodes 0 … size−1.
class Partition {
 public:
  explicit Partition(int size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(int a, int b) { parent_[find(a)] = find(b); }

 private:
  std::vector<int> parent_;
};

/// Columns of the dense g that are linearly independent (sorted); throws when a dropped one contradicts the others.
std::vector<int> independent_columns(const Dense& g, const Eigen::VectorXd& b) {
  Eigen::ColPivHouseholderQR<Dense> qr(g);
  qr.setThreshold(1e-10);
  const Eigen::Index rank = qr.rank(), dropped = g.cols() - rank;
  const auto& order = qr.colsPermutation().indices();
  // Dropped columns are g_kept C with R11 C = R12, so Gᵀv + b = 0 is consistent iff their b is Cᵀ b_kept.
  const Dense C =
      qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(Dense(qr.matrixR().topRightCorner(rank, dropped)));
  const Eigen::VectorXd permuted = qr.colsPermutation().transpose() * b;
  if ((permuted.tail(dropped) - C.transpose() * permuted.head(rank)).norm() > 1e-9 * b.norm())
    throw InvalidProblem("G, b: found bilateral constraints that contradict each other, expected a consistent system Gᵀv + b = 0");
  std::vector<int> kept(order.data(), order.data() + rank);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

// A probe with a known answer shows singularity whatever the units of the rows are, which a condition number does not.
template <class Matrix>
bool Component::probe(const Matrix& a) const {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(size());
  Eigen::VectorXd x = a * ones;
  solve(x.data());
  return (x - ones).cwiseAbs().maxCoeff() < 1e-2;
}

bool Component::factorise(const Dense& a, bool symmetric) {
  cholesky_.reset();
  lu_.reset();
  if (symmetric && constraints.empty()) {
    cholesky_ = std::make_unique<Eigen::LLT<Dense>>(a);
    if (cholesky_->info() != Eigen::Success) return false;
  } else {
    lu_ = std::make_unique<Eigen::PartialPivLU<Dense>>(a);
    work_.resize(size());
  }
  return probe(a);
}

bool Component::factorise(const SparseColumns& a, bool symmetric) {
  sparse_cholesky_.reset();
  supernodal_lu_.reset();
  sparse_lu_.reset();
  if (symmetric && constraints.empty()) {
    sparse_cholesky_ = std::make_unique<SupernodalCholesky>();
    sparse_cholesky_->analyse(a);
    return sparse_cholesky_->factorise(a) && sparse_cholesky_->replaced_pivots() == 0 && probe(a);
  }
  if (constraints.empty()) {
    supernodal_lu_ = std::make_unique<SupernodalLu>();
    supernodal_lu_->analyse(a);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(size());
    Eigen::VectorXd x = a * ones;
    if (supernodal_lu_->factorise(a) && supernodal_lu_->replaced_pivots() == 0) {
      supernodal_lu_->solve(x.data());
      if ((x - ones).cwiseAbs().maxCoeff() < 1e-10) return true;
    }
    supernodal_lu_.reset();
  }
  sparse_lu_ = std::make_unique<Eigen::SparseLU<SparseColumns>>();
  sparse_lu_->compute(a);
  return sparse_lu_->info() == Eigen::Success && probe(a);
}

void Component::solve(double* x) const {
  Eigen::Map<Eigen::VectorXd> rhs(x, size());
  if (cholesky_) {
    cholesky_->solveInPlace(rhs);
  } else if (lu_) {
    work_.noalias() = lu_->permutationP() * rhs;
    lu_->matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work_);
    lu_->matrixLU().triangularView<Eigen::Upper>().solveInPlace(work_);
    rhs = work_;
  } else if (sparse_cholesky_) {
    sparse_cholesky_->solve(x);
  } else if (supernodal_lu_) {
    supernodal_lu_->solve(x);
  } else {
    rhs = sparse_lu_->solve(Eigen::VectorXd(rhs));
  }
}

Dense Component::congruence(const SparseColumns& h) const {
  Dense y(h);
  if (cholesky_) {
    cholesky_->matrixL().solveInPlace(y);
    Dense w(h.cols(), h.cols());
    w.triangularView<Eigen::Lower>() = y.transpose() * y;
    w.triangularView<Eigen::StrictlyUpper>() = w.transpose();
    return w;
  }
  for (Eigen::Index j = 0; j < y.cols(); ++j) {
    poll(2 * cost());
    solve(y.col(j).data());
  }
  Dense w = SparseColumns(h.transpose()) * y;
  if (sparse_cholesky_) w = (0.5 * (w + w.transpose())).eval();
  return w;
}

double Component::cost() const {
  const double n = size();
  if (cholesky_ || lu_) return n * n;
  if (sparse_cholesky_) return 2.0 * static_cast<double>(sparse_cholesky_->factor_entries());
  if (supernodal_lu_) return static_cast<double>(supernodal_lu_->factor_entries());
  return static_cast<double>(sparse_lu_->nnzL() + sparse_lu_->nnzU());
}

Components::Components(const GlobalProblem& problem) : Components(problem, Symbolic{}) { factorise_all(); }

Components::Components(const GlobalProblem& problem, Symbolic)
    : dim(problem.dim),
      M(to_columns(problem.M)),
      H(to_columns(problem.H)),
      G(problem.G ? to_columns(*problem.G) : SparseColumns(problem.dofs(), 0)),
      f(as_vector(problem.f)),
      w(as_vector(problem.w)),
      b(as_vector(problem.b)) {
  split();
}

// Finds the components of the graph of M and G.
namespace {

// Neighbouring or interlaced components without joints that fit together into `rows` degrees of freedom become one: a diagonal M has one per degree of
// freedom, an inertia about two axes two with a gap, and a rigid body is cheaper as a whole.
void join_runs(Partition& partition, int n, int p, int rows) {
  std::vector<int> first(n + p, -1), last(n + p, -1), joined;
  for (int k = 0; k < n + p; ++k) {
    const int root = partition.find(k);
    if (first[root] < 0) first[root] = k;
    last[root] = k;
  }
  for (int k = 0, filled = rows; k < n;) {
    int end = k;  // of the components that begin with k
    bool whole = true;
    for (int j = k; j <= end && whole; ++j) {
      const int root = partition.find(j);
      whole = first[root] >= k && last[root] < n;  // no gap and no joint
      if (whole) end = std::max(end, last[root]);
    }
    const int size = end - k + 1;
    if (!whole || size > rows) {
      filled = rows;
      k = whole ? end + 1 : k + 1;
      continue;
    }
    for (int j = k + 1; j <= end; ++j) joined.push_back(j);
    const bool fits = filled + size <= rows;
    if (fits) joined.push_back(k);
    filled = (fits ? filled : 0) + size;
    k = end + 1;
  }
  for (int k : joined) partition.join(k - 1, k);
}

}  // namespace

void Components::split() {
  const int n = static_cast<int>(M.rows()), p = static_cast<int>(G.cols());
  Partition partition(n + p);
  for (int j = 0; j < n; ++j)
    for (SparseColumns::InnerIterator it(M, j); it; ++it)
      if (it.value() != 0) partition.join(static_cast<int>(it.row()), j);
  for (int j = 0; j < p; ++j)
    for (SparseColumns::InnerIterator it(G, j); it; ++it)
      if (it.value() != 0) partition.join(static_cast<int>(it.row()), n + j);
  join_runs(partition, n, p, dim == 3 ? 6 : 3);
  std::vector<int> number(n + p, -1);
  part_of.resize(n);
  place.resize(n);
  for (int k = 0; k < n + p; ++k) {
    const int root = partition.find(k);
    if (number[root] < 0) {
      number[root] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    auto& c = parts[number[root]];
    if (k < n) {
      part_of[k] = number[root];
      place[k] = static_cast<int>(c.dofs.size());
      c.dofs.push_back(k);
    } else {
      c.constraints.push_back(k - n);
    }
  }
}

// The entries of A_c in local numbering.
template <class Add>
void Components::entries(const Component& c, Add&& add) const {
  for (int j : c.dofs)
    for (SparseColumns::InnerIterator it(M, j); it; ++it)
      if (it.value() != 0) add(place[it.row()], place[j], it.value());
  const int dofs = static_cast<int>(c.dofs.size());
  for (std::size_t k = 0; k < c.constraints.size(); ++k)
    for (SparseColumns::InnerIterator it(G, c.constraints[k]); it; ++it) {
      add(place[it.row()], dofs + static_cast<int>(k), -c.joint_unit * it.value());
      add(dofs + static_cast<int>(k), place[it.row()], c.joint_unit * it.value());
    }
}

// Masses of 1e-12 with joints of size one are a regular system in bad units.
double Components::unit_of_joints(const Component& c) const {
  double mass = 0, joint = 0;
  for (int j : c.dofs)
    for (SparseColumns::InnerIterator it(M, j); it; ++it) mass = std::max(mass, std::abs(it.value()));
  for (int j : c.constraints)
    for (SparseColumns::InnerIterator it(G, j); it; ++it) joint = std::max(joint, std::abs(it.value()));
  const double unit = std::exp2(std::round(std::log2(mass / joint)));
  return std::isnormal(unit) ? unit : 1;
}

bool Components::factorise(Component& c, bool symmetric) const {
  c.joint_unit = unit_of_joints(c);
  if (c.small()) {
    Dense a = Dense::Zero(c.size(), c.size());
    entries(c, [&](int i, int j, double x) { a(i, j) += x; });
    return c.factorise(a, symmetric);
  }
  std::vector<Eigen::Triplet<double, int>> list;
  entries(c, [&](int i, int j, double x) { list.emplace_back(i, j, x); });
  SparseColumns a(c.size(), c.size());
  a.setFromTriplets(list.begin(), list.end());
  return c.factorise(a, symmetric);
}

void Components::factorise_all() {
  const SparseColumns Mt = M.transpose();
  for (auto& c : parts) {
    // ‖M_c − M_cᵀ‖ against ‖M_c‖; columns of M and Mᵀ are sorted, so equal patterns are compared entry by entry.
    double difference = 0, total = 0;
    for (int j : c.dofs) {
      SparseColumns::InnerIterator a(M, j), t(Mt, j);
      while (a || t) {
        const bool first = a && (!t || a.row() <= t.row()), second = t && (!a || t.row() <= a.row());
        const double x = first ? a.value() : 0.0, y = second ? t.value() : 0.0;
        difference += (x - y) * (x - y);
        total += x * x;
        if (first) ++a;
        if (second) ++t;
      }
    }
    const bool symmetric = difference <= 1e-28 * total;
    poll(500.0 + (c.small() ? std::pow(static_cast<double>(c.size()), 3) : 0.0));
    if (factorise(c, symmetric)) continue;
    if (c.constraints.empty())
      throw InvalidProblem(
          fmt::format("M: found a block that is not positive definite or is singular (the {} degrees of freedom connected to number {}), "
                      "expected a positive definite matrix",
                      c.dofs.size(), c.dofs.front()));
    // Redundant joints: keep an independent set of their columns.
    Dense g = Dense::Zero(static_cast<int>(c.dofs.size()), static_cast<int>(c.constraints.size()));
    Eigen::VectorXd gb(static_cast<int>(c.constraints.size()));
    for (std::size_t k = 0; k < c.constraints.size(); ++k) {
      gb[static_cast<int>(k)] = b[c.constraints[k]];
      for (SparseColumns::InnerIterator it(G, c.constraints[k]); it; ++it) g(place[it.row()], static_cast<int>(k)) = it.value();
    }
    std::vector<int> kept;
    for (int k : independent_columns(g, gb)) kept.push_back(c.constraints[k]);
    c.constraints = kept;
    if (!factorise(c, symmetric))
      throw InvalidProblem(
          fmt::format("M, G: found a singular constrained system (the component of degree of freedom {}), expected a regular one",
                      c.dofs.empty() ? -1 : c.dofs.front()));
  }
}

void Components::solve(const Eigen::VectorXd& force, Eigen::VectorXd& v, Eigen::VectorXd& lambda) const {
  v.setZero(M.rows());
  lambda.setZero(G.cols());
  Eigen::VectorXd x;
  for (const auto& c : parts) {
    x.resize(c.size());
    const int dofs = static_cast<int>(c.dofs.size());
    for (int k = 0; k < dofs; ++k) x[k] = force[c.dofs[k]];
    for (std::size_t k = 0; k < c.constraints.size(); ++k) x[dofs + static_cast<int>(k)] = -c.joint_unit * b[c.constraints[k]];
    c.solve(x.data());
    for (int k = 0; k < dofs; ++k) v[c.dofs[k]] = x[k];
    for (std::size_t k = 0; k < c.constraints.size(); ++k) lambda[c.constraints[k]] = c.joint_unit * x[dofs + static_cast<int>(k)];
  }
}

SparseColumns Components::contact_columns(int part, const std::vector<int>& contacts) const {
  std::vector<Eigen::Triplet<double, int>> list;
  for (std::size_t a = 0; a < contacts.size(); ++a)
    for (int c = 0; c < dim; ++c)
      for (SparseColumns::InnerIterator it(H, contacts[a] * dim + c); it; ++it)
        if (part_of[it.row()] == part) list.emplace_back(place[it.row()], static_cast<int>(a) * dim + c, it.value());
  SparseColumns h(parts[part].size(), static_cast<int>(contacts.size()) * dim);
  h.setFromTriplets(list.begin(), list.end());
  return h;
}

template <int D>
Bodies<D>::Bodies(const Components& components) {
  const int count = static_cast<int>(components.parts.size()), contacts = static_cast<int>(components.H.cols()) / D;
  std::vector<int> body_of_part(count, -1);
  int bodies = 0;
  for (int part = 0; part < count; ++part)
    if (const Component& c = components.parts[part]; c.size() <= kRows && c.constraints.empty()) body_of_part[part] = bodies++;
  // Contacts of every body and of every other component: count, then fill, contact by contact so that the lists are sorted.
  std::vector<int> last(bodies, -1), other(count, -1);
  start.assign(bodies + 1, 0);
  const auto visit = [&](auto&& first_time) {
    std::fill(last.begin(), last.end(), -1);
    for (int a = 0; a < contacts; ++a)
      for (int j = a * D; j < a * D + D; ++j)
        for (SparseColumns::InnerIterator it(components.H, j); it; ++it) {
          const int body = body_of_part[components.part_of[it.row()]];
          if (body < 0 || last[body] == a) continue;
          last[body] = a;
          first_time(body, a);
        }
  };
  visit([&](int body, int) { ++start[body + 1]; });
  for (int k = 0; k < bodies; ++k) start[k + 1] += start[k];
  contact.resize(start[bodies]);
  std::vector<int> next(start.begin(), start.end() - 1);
  visit([&](int body, int a) { contact[next[body]++] = a; });
  for (int a = 0; a < contacts; ++a)
    for (int j = a * D; j < a * D + D; ++j)
      for (SparseColumns::InnerIterator it(components.H, j); it; ++it) {
        const int part = components.part_of[it.row()];
        if (body_of_part[part] >= 0) continue;
        if (other[part] < 0) {
          other[part] = static_cast<int>(parts.size());
          parts.push_back(part);
          lists.emplace_back();
        }
        auto& list = lists[other[part]];
        if (list.empty() || list.back() != a) list.push_back(a);
      }
  // The rows of H, in the order of the contacts.
  h.assign(contact.size() * kBlock + 1, 0.0);
  std::copy(start.begin(), start.end() - 1, next.begin());
  std::fill(last.begin(), last.end(), -1);
  for (int a = 0; a < contacts; ++a)
    for (int j = 0; j < D; ++j)
      for (SparseColumns::InnerIterator it(components.H, a * D + j); it; ++it) {
        const int body = body_of_part[components.part_of[it.row()]];
        if (body < 0) continue;
        if (last[body] != a) {
          last[body] = a;
          ++next[body];
        }
        h[static_cast<std::size_t>(next[body] - 1) * kBlock + components.place[it.row()] * D + j] += it.value();
      }
  // M⁻¹: folded into h where M = L Lᵀ, kept otherwise.
  unsymmetric.assign(bodies, -1);
  for (int part = 0; part < count; ++part)
    if (body_of_part[part] >= 0 && components.parts[part].lu()) unsymmetric[body_of_part[part]] = 0;
  for (int& index : unsymmetric)
    if (index == 0) {
      index = static_cast<int>(inverse.size());
      inverse.push_back(Inverse::Zero());
    }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, D, Eigen::RowMajor, kRows, D>;
  for (int part = 0; part < count; ++part) {
    const int body = body_of_part[part];
    if (body < 0) continue;
    const Component& c = components.parts[part];
    const int size = c.size();
    if (unsymmetric[body] >= 0) {
      for (int k = 0; k < size; ++k) {
        Eigen::VectorXd x = Eigen::VectorXd::Unit(size, k);
        c.solve(x.data());
        inverse[unsymmetric[body]].block(0, k, size, 1) = x;
      }
      continue;
    }
    for (int k = start[body]; k < start[body + 1]; ++k) {
      Eigen::Map<Rows> rows(h.data() + static_cast<std::size_t>(k) * kBlock, size, D);
      const auto& L = c.cholesky()->matrixLLT();
      for (int i = 0; i < size; ++i) {
        for (int l = 0; l < i; ++l) rows.row(i) -= L(i, l) * rows.row(l);
        rows.row(i) /= L(i, i);
      }
    }
  }
}

template struct Bodies<2>;
template struct Bodies<3>;

}  // namespace cornet
