// Reduction of a global problem to its contacts and the way back.
//
// The graph of M and G falls into connected components: one rigid body, one flexible body, or one mechanism of jointed bodies each. Per
// component c, with its degrees of freedom and constraints,
//
//   A_c = [ M_c  −G_c ]      W = Σ_c H_cᵀ A_c⁻¹ H_c,      v_c = A_c⁻¹ (H_c r + f_c, −b_c)
//         [ G_cᵀ   0  ]
//
// so rigid bodies cost 6×6 factorisations and W gets its contact-graph sparsity without any symbolic work. Small components are factorised
// densely (Cholesky when M_c is symmetric and unconstrained: W is then symmetric to the last bit), large ones sparsely. Redundant but
// consistent columns of G are dropped after a rank-revealing QR; their multipliers are 0.
#include "cornet/reduce.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <limits>
#include <numeric>

#include "cornet/error.h"
#include "linalg/sparse.h"

namespace cornet {
namespace {

using Dense = Eigen::MatrixXd;

constexpr int kDenseLimit = 128;  // components up to this size are factorised densely
constexpr int kChunk = 64;        // right-hand sides solved at once for a large component

/// A factorised component: A_c x = rhs for several right-hand sides.
class Component {
 public:
  std::vector<int> dofs;         // global indices of its degrees of freedom
  std::vector<int> constraints;  // global indices of its kept columns of G

  int size() const { return static_cast<int>(dofs.size() + constraints.size()); }

  /// `a` is A_c. Returns false when it is singular to working accuracy.
  bool factorise(const SparseColumns& a, bool symmetric) {
    const bool small = size() <= kDenseLimit, definite = symmetric && constraints.empty();
    cholesky_.reset();
    lu_.reset();
    sparse_cholesky_.reset();
    sparse_lu_.reset();
    bool done = true;
    if (small && definite) {
      cholesky_ = std::make_unique<Eigen::LLT<Dense>>(Dense(a));
      done = cholesky_->info() == Eigen::Success;
    } else if (small) {
      lu_ = std::make_unique<Eigen::PartialPivLU<Dense>>(Dense(a));
    } else if (definite) {
      sparse_cholesky_ = std::make_unique<Eigen::SimplicialLLT<SparseColumns>>(a);
      done = sparse_cholesky_->info() == Eigen::Success;
    } else {
      sparse_lu_ = std::make_unique<Eigen::SparseLU<SparseColumns>>();
      sparse_lu_->compute(a);
      done = sparse_lu_->info() == Eigen::Success;
    }
    if (!done) return false;
    // A probe with a known answer shows singularity whatever the units of the rows are, which a condition number does not.
    const Dense ones = Dense::Ones(size(), 1);
    const double distance = (solve(a * ones) - ones).cwiseAbs().maxCoeff();
    return distance < 1e-2;
  }

  Dense solve(const Dense& rhs) const {
    if (cholesky_) return cholesky_->solve(rhs);
    if (lu_) return lu_->solve(rhs);
    if (sparse_cholesky_) return sparse_cholesky_->solve(rhs);
    return sparse_lu_->solve(rhs);
  }

  /// hᵀ A_c⁻¹ h, symmetric to the last bit where the factorisation allows.
  Dense congruence(const SparseColumns& h) const {
    if (cholesky_) {
      const Dense y = cholesky_->matrixL().solve(Dense(h));
      return y.transpose() * y;
    }
    const SparseColumns ht = h.transpose();
    Dense w(h.cols(), h.cols());
    for (Eigen::Index j = 0; j < h.cols(); j += kChunk) {
      const Eigen::Index width = std::min<Eigen::Index>(kChunk, h.cols() - j);
      w.middleCols(j, width) = ht * solve(Dense(h.middleCols(j, width)));
    }
    if (sparse_cholesky_) w = (0.5 * (w + w.transpose())).eval();
    return w;
  }

 private:
  std::unique_ptr<Eigen::LLT<Dense>> cholesky_;
  std::unique_ptr<Eigen::PartialPivLU<Dense>> lu_;
  std::unique_ptr<Eigen::SimplicialLLT<SparseColumns>> sparse_cholesky_;
  std::unique_ptr<Eigen::SparseLU<SparseColumns>> sparse_lu_;
};

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

struct Reduction::Impl {
  LocalProblem local;
  SparseColumns H;
  SparseColumns M;
  SparseColumns G;
  Eigen::VectorXd f, w, b;
  std::vector<Component> components;

  void split();
  void factorise_all();
  SparseColumns system(const Component& c, const std::vector<int>& place) const;
  void build_w(int dim);
  void solve(const Eigen::VectorXd& force, Eigen::VectorXd& v, Eigen::VectorXd& lambda) const;
};

// Finds the components of the graph of M and G.
void Reduction::Impl::split() {
  const int n = static_cast<int>(M.rows()), p = static_cast<int>(G.cols());
  Partition partition(n + p);
  for (int j = 0; j < n; ++j)
    for (SparseColumns::InnerIterator it(M, j); it; ++it)
      if (it.value() != 0) partition.join(static_cast<int>(it.row()), j);
  for (int j = 0; j < p; ++j)
    for (SparseColumns::InnerIterator it(G, j); it; ++it)
      if (it.value() != 0) partition.join(static_cast<int>(it.row()), n + j);
  std::vector<int> number(n + p, -1);
  for (int k = 0; k < n + p; ++k) {
    const int root = partition.find(k);
    if (number[root] < 0) {
      number[root] = static_cast<int>(components.size());
      components.emplace_back();
    }
    auto& c = components[number[root]];
    if (k < n) c.dofs.push_back(k);
    else c.constraints.push_back(k - n);
  }
}

// A_c in local numbering; place[k] is the local index of dof k.
SparseColumns Reduction::Impl::system(const Component& c, const std::vector<int>& place) const {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j : c.dofs)
    for (SparseColumns::InnerIterator it(M, j); it; ++it)
      if (it.value() != 0) entries.emplace_back(place[it.row()], place[j], it.value());
  const int dofs = static_cast<int>(c.dofs.size());
  for (std::size_t k = 0; k < c.constraints.size(); ++k)
    for (SparseColumns::InnerIterator it(G, c.constraints[k]); it; ++it) {
      entries.emplace_back(place[it.row()], dofs + static_cast<int>(k), -it.value());
      entries.emplace_back(dofs + static_cast<int>(k), place[it.row()], it.value());
    }
  SparseColumns a(c.size(), c.size());
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

void Reduction::Impl::factorise_all() {
  std::vector<int> place(M.rows(), -1);
  for (auto& c : components) {
    for (std::size_t k = 0; k < c.dofs.size(); ++k) place[c.dofs[k]] = static_cast<int>(k);
    const SparseColumns a = system(c, place);
    const SparseColumns mass = a.topLeftCorner(static_cast<int>(c.dofs.size()), static_cast<int>(c.dofs.size()));
    const bool symmetric = c.dofs.empty() || (mass - SparseColumns(mass.transpose())).norm() <= 1e-14 * mass.norm();
    if (c.factorise(a, symmetric)) continue;
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
    if (!c.factorise(system(c, place), symmetric))
      throw InvalidProblem(
          fmt::format("M, G: found a singular constrained system (the component of degree of freedom {}), expected a regular one",
                      c.dofs.empty() ? -1 : c.dofs.front()));
  }
}

// W = Σ_c H_cᵀ A_c⁻¹ H_c.
void Reduction::Impl::build_w(int dim) {
  std::vector<int> component_of(M.rows()), place(M.rows());
  for (std::size_t k = 0; k < components.size(); ++k)
    for (std::size_t l = 0; l < components[k].dofs.size(); ++l) {
      component_of[components[k].dofs[l]] = static_cast<int>(k);
      place[components[k].dofs[l]] = static_cast<int>(l);
    }
  // Columns of H per component, whole contacts at a time so that W has full d×d blocks.
  std::vector<std::vector<int>> contacts_of(components.size());
  for (int j = 0; j < H.cols(); ++j)
    for (SparseColumns::InnerIterator it(H, j); it; ++it) {
      auto& list = contacts_of[component_of[it.row()]];
      if (list.empty() || list.back() != j / dim) list.push_back(j / dim);
    }
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t k = 0; k < components.size(); ++k) {
    auto& list = contacts_of[k];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.empty()) continue;
    std::vector<Eigen::Triplet<double, int>> h_entries;
    for (std::size_t a = 0; a < list.size(); ++a)
      for (int c = 0; c < dim; ++c)
        for (SparseColumns::InnerIterator it(H, list[a] * dim + c); it; ++it)
          if (component_of[it.row()] == static_cast<int>(k))
            h_entries.emplace_back(place[it.row()], static_cast<int>(a) * dim + c, it.value());
    SparseColumns h(components[k].size(), static_cast<int>(list.size()) * dim);
    h.setFromTriplets(h_entries.begin(), h_entries.end());
    const Dense block = components[k].congruence(h);
    for (std::size_t b_ = 0; b_ < list.size(); ++b_)
      for (std::size_t a = 0; a < list.size(); ++a)
        for (int cj = 0; cj < dim; ++cj)
          for (int ci = 0; ci < dim; ++ci)
            entries.emplace_back(list[a] * dim + ci, list[b_] * dim + cj,
                                 block(static_cast<int>(a) * dim + ci, static_cast<int>(b_) * dim + cj));
  }
  SparseColumns W(H.cols(), H.cols());
  W.setFromTriplets(entries.begin(), entries.end());
  local.W = from_columns(W);
}

// M v − G λ = force, Gᵀ v = −b.
void Reduction::Impl::solve(const Eigen::VectorXd& force, Eigen::VectorXd& v, Eigen::VectorXd& lambda) const {
  v.setZero(M.rows());
  lambda.setZero(G.cols());
  for (const auto& c : components) {
    Dense rhs(c.size(), 1);
    const int dofs = static_cast<int>(c.dofs.size());
    for (int k = 0; k < dofs; ++k) rhs(k, 0) = force[c.dofs[k]];
    for (std::size_t k = 0; k < c.constraints.size(); ++k) rhs(dofs + static_cast<int>(k), 0) = -b[c.constraints[k]];
    const Dense x = c.solve(rhs);
    for (int k = 0; k < dofs; ++k) v[c.dofs[k]] = x(k, 0);
    for (std::size_t k = 0; k < c.constraints.size(); ++k) lambda[c.constraints[k]] = x(dofs + static_cast<int>(k), 0);
  }
}

Reduction::Reduction(const GlobalProblem& problem) : impl_(std::make_unique<Impl>()) {
  validate(problem);
  auto& d = *impl_;
  d.M = to_columns(problem.M);
  d.H = to_columns(problem.H);
  d.G = problem.G ? to_columns(*problem.G) : SparseColumns(problem.dofs(), 0);
  d.f = as_vector(problem.f);
  d.w = as_vector(problem.w);
  d.b = as_vector(problem.b);
  d.split();
  d.factorise_all();
  d.local.dim = problem.dim;
  d.local.mu = problem.mu;
  d.local.name = problem.name;
  d.local.info = problem.info;
  Eigen::VectorXd v, lambda;
  d.solve(d.f, v, lambda);
  d.local.q = to_std(d.H.transpose() * v + d.w);
}

Reduction::~Reduction() = default;
Reduction::Reduction(Reduction&&) noexcept = default;
Reduction& Reduction::operator=(Reduction&&) noexcept = default;

const LocalProblem& Reduction::local() const {
  if (impl_->local.W.p.empty()) impl_->build_w(impl_->local.dim);
  return impl_->local;
}

Iterate Reduction::expand(const Iterate& local) const {
  const auto& d = *impl_;
  Eigen::VectorXd v, lambda;
  d.solve(d.H * as_vector(local.r) + d.f, v, lambda);
  Iterate x;
  x.r = local.r;
  x.u = to_std(d.H.transpose() * v + d.w);
  x.v = to_std(v);
  x.lambda = to_std(lambda);
  return x;
}

}  // namespace cornet
