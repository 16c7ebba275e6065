#include "solvers/ipm_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/stop.h"

namespace cornet {
namespace {

constexpr double kPenalty = 1e7;  // 1/δ of joints, relative to M; refinement removes the difference
// Stands for 0 in the tangential part of E at contacts with μ = ∞, relative to A, which alone may be singular: sticking in more ways than bodies can move.
constexpr double kRough = 1e-7;
constexpr int kRefinements = 6;
constexpr double kReachWork = 1e4;  // a contact's or a body's share in the pattern, as operations: a few microseconds

double rough_size(double w) { return w > 0 ? w : 1; }

// Seconds per contact and iteration: scaling, projections, products, and on the graph of bodies its share in the matrix.
constexpr double kContact = 1.5e-6, kContactOfBodies = 5e-7;
constexpr double kShare = 3e-7;  // seconds per contact of a Newton step: its share in the matrix

// The degrees of freedom as blocks: rigid bodies when every component has the same size of 3 or 6 and no joints, single ones otherwise.
int block_size(const Components& parts) {
  const int d = parts.parts.empty() ? 1 : parts.parts.front().size();
  if (d != 3 && d != 6) return 1;
  for (const auto& part : parts.parts)
    if (part.size() != d || !part.constraints.empty()) return 1;
  return d;
}

}  // namespace

template <int D>
double IpmMatrix<D>::seconds() const {
  return factor_seconds(flops(), entries()) + contact_seconds() * contacts();
}

template <int D>
double IpmMatrix<D>::contact_seconds() const {
  return kContact;
}

template <int D>
double GlobalIpmMatrix<D>::contact_seconds() const {
  return pattern_.d == kBody ? kContactOfBodies : kContact;
}

template <int D>
double IpmMatrix<D>::solve(const Eigen::VectorXd& f, Eigen::VectorXd& d) {
  const double norm = f.norm();
  precondition(f, d);
  if (!(norm > 0)) return 0;
  residual(f, d, rest_);
  double error = rest_.norm() / norm;
  for (int k = 0; k < kRefinements && error > 1e-14; ++k) {
    precondition(rest_, more_);
    trial_ = d + more_;
    residual(f, trial_, next_rest_);
    const double now = next_rest_.norm() / norm;
    if (!(now < 0.5 * error)) break;
    d.swap(trial_);
    rest_.swap(next_rest_);
    error = now;
  }
  return error;
}

template <int D>
void LocalIpmMatrix<D>::set(const LocalSystem<D>& system) {
  system_ = &system;
  const auto& W = system.W;
  pattern_.d = D;
  pattern_.start.resize(static_cast<std::size_t>(W.columns()) + 1);
  pattern_.row.resize(static_cast<std::size_t>(W.blocks()));
  diagonal_.resize(static_cast<std::size_t>(W.columns()));
  pattern_.start[0] = 0;
  for (int b = 0; b < W.columns(); ++b) {
    pattern_.start[b + 1] = W.column_end(b);
    for (int k = W.column_begin(b); k < W.column_end(b); ++k) {
      pattern_.row[k] = W.row(k);
      if (W.row(k) == b) diagonal_[b] = k;
    }
  }
  lu_.analyse(pattern_);
}

template <int D>
void LocalIpmMatrix<D>::scale(const std::vector<Vec<D>>& S) {
  const auto& W = system_->W;
  A_.resize(static_cast<std::size_t>(W.blocks()) * D * D);
  for (int b = 0; b < W.columns(); ++b)
    for (int k = W.column_begin(b); k < W.column_end(b); ++k) {
      Eigen::Map<Mat<D>> block(A_.data() + static_cast<std::size_t>(k) * D * D);
      block = S[W.row(k)].asDiagonal() * W.block(k) * S[b].asDiagonal();
    }
}

template <int D>
bool LocalIpmMatrix<D>::factorise(const std::vector<Mat<D>>& E, const std::vector<Mat<D>>&) {
  E_ = &E;
  A_plus_E_ = A_;
  rough_ = false;
  for (std::size_t a = 0; a < E.size(); ++a) {
    Eigen::Map<Mat<D>> block(A_plus_E_.data() + static_cast<std::size_t>(diagonal_[a]) * D * D);
    block += E[a];
    if (mu()[a] < std::numeric_limits<double>::infinity()) continue;
    rough_ = true;
    for (int i = 1; i < D; ++i) block(i, i) += kRough * rough_size(diagonal(static_cast<int>(a))(i, i));
  }
  return lu_.factorise(A_plus_E_.data());
}

template <int D>
void LocalIpmMatrix<D>::precondition(const Eigen::VectorXd& f, Eigen::VectorXd& d) {
  d.resize(f.size());
  lu_.solve(f.data(), d.data(), kExact);
}

template <int D>
void LocalIpmMatrix<D>::residual(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& rest) {
  const auto& W = system_->W;
  rest = f;
  for (int b = 0; b < W.columns(); ++b) {
    const Vec<D> part = d.template segment<D>(b * D);
    for (int k = W.column_begin(b); k < W.column_end(b); ++k)
      rest.template segment<D>(W.row(k) * D) -= Eigen::Map<const Mat<D>>(A_.data() + static_cast<std::size_t>(k) * D * D) * part;
    rest.template segment<D>(b * D) -= (*E_)[b] * part;
  }
}

template <int D>
GlobalIpmMatrix<D>::GlobalIpmMatrix(const GlobalProblem& problem) : operator_(problem) {
  const Components& parts = operator_.components();
  const int n = static_cast<int>(parts.M.rows()), d = pattern_.d = block_size(parts);
  place_.resize(n);
  for (int i = 0; i < n; ++i) place_[i] = d == 1 ? i : parts.part_of[i] * d + parts.place[i];
  const auto reach = [&](const SparseColumns& columns, int first, int count) {
    poll(kReachWork);
    Reach out;
    for (int c = first; c < first + count; ++c)
      for (SparseColumns::InnerIterator it(columns, c); it; ++it) out.nodes.push_back(place_[it.row()] / d);
    std::sort(out.nodes.begin(), out.nodes.end());
    out.nodes.erase(std::unique(out.nodes.begin(), out.nodes.end()), out.nodes.end());
    out.H.setZero(static_cast<int>(out.nodes.size()) * d, count);
    for (int c = first; c < first + count; ++c)
      for (SparseColumns::InnerIterator it(columns, c); it; ++it) {
        const int k = place_[it.row()];
        const auto at = std::lower_bound(out.nodes.begin(), out.nodes.end(), k / d) - out.nodes.begin();
        out.H(at * d + k % d, c - first) += it.value();
      }
    return out;
  };
  for (int a = 0; a < operator_.contacts(); ++a) contacts_.push_back(reach(parts.H, a * D, D));
  for (const auto& part : parts.parts)
    for (int c : part.constraints) constraints_.push_back(reach(parts.G, c, 1));
  build_pattern(place_);
  lu_.analyse(pattern_);
}

// Blocks of M, G Gᵀ and H Hᵀ, the values of the first two, and where each contact adds its share.
template <int D>
void GlobalIpmMatrix<D>::build_pattern(const std::vector<int>& place) {
  const SparseColumns& M = operator_.components().M;
  const int d = pattern_.d, nodes = static_cast<int>(place.size()) / d;
  std::vector<std::vector<int>> rows(nodes);
  for (int j = 0; j < M.outerSize(); ++j)
    for (SparseColumns::InnerIterator it(M, j); it; ++it) {
      rows[place[j] / d].push_back(place[it.row()] / d);
      rows[place[it.row()] / d].push_back(place[j] / d);
    }
  for (const auto* list : {&contacts_, &constraints_})
    for (const auto& reach : *list)
      for (int j : reach.nodes) rows[j].insert(rows[j].end(), reach.nodes.begin(), reach.nodes.end());
  pattern_.start.assign(1, 0);
  pattern_.row.clear();
  for (int j = 0; j < nodes; ++j) {
    poll(kReachWork);
    rows[j].push_back(j);
    std::sort(rows[j].begin(), rows[j].end());
    rows[j].erase(std::unique(rows[j].begin(), rows[j].end()), rows[j].end());
    pattern_.row.insert(pattern_.row.end(), rows[j].begin(), rows[j].end());
    pattern_.start.push_back(static_cast<int>(pattern_.row.size()));
    rows[j] = {};
  }
  const auto block = [&](int i, int j) {
    const auto begin = pattern_.row.begin() + pattern_.start[j], end = pattern_.row.begin() + pattern_.start[j + 1];
    return static_cast<long>(std::lower_bound(begin, end, i) - pattern_.row.begin());
  };
  for (auto* list : {&contacts_, &constraints_})
    for (auto& reach : *list)
      for (int j : reach.nodes)
        for (int i : reach.nodes) reach.block.push_back(block(i, j));
  shares_ = 0;
  for (const auto& reach : contacts_) shares_ += static_cast<double>(reach.H.rows()) * static_cast<double>(reach.H.rows());

  base_.assign(static_cast<std::size_t>(pattern_.values()), 0.0);
  double largest = 0;
  for (int j = 0; j < M.outerSize(); ++j)
    for (SparseColumns::InnerIterator it(M, j); it; ++it) {
      const int row = place[it.row()], column = place[j];
      base_[block(row / d, column / d) * d * d + (column % d) * d + row % d] += it.value();
      largest = std::max(largest, std::abs(it.value()));
    }
  for (const auto& reach : constraints_) {
    const double norm = reach.H.squaredNorm();
    if (norm > 0) add(reach, Eigen::MatrixXd::Constant(1, 1, kPenalty * largest / norm), base_);
  }
}

// values += H core Hᵀ.
template <int D>
void GlobalIpmMatrix<D>::add(const Reach& reach, const Eigen::MatrixXd& core, std::vector<double>& values) const {
  const int d = pattern_.d, nodes = static_cast<int>(reach.nodes.size());
  const Eigen::MatrixXd share = reach.H * core * reach.H.transpose();
  for (int j = 0; j < nodes; ++j)
    for (int i = 0; i < nodes; ++i) {
      double* to = values.data() + reach.block[j * nodes + i] * d * d;
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) to[c * d + r] += share(i * d + r, j * d + c);
    }
}

template <int D>
void GlobalIpmMatrix<D>::add_contact(const Reach& reach, const Mat<D>& core, std::vector<double>& values) const {
  if (pattern_.d != kBody) return add(reach, core, values);
  const int nodes = static_cast<int>(reach.nodes.size());
  for (int j = 0; j < nodes; ++j) {
    const Eigen::Matrix<double, D, kBody> right = core * reach.H.template block<kBody, D>(j * kBody, 0).transpose();
    for (int i = 0; i < nodes; ++i)
      Eigen::Map<Eigen::Matrix<double, kBody, kBody>>(values.data() + reach.block[j * nodes + i] * kBody * kBody).noalias() +=
          reach.H.template block<kBody, D>(i * kBody, 0) * right;
  }
}

// force += H r of one contact, and u = Hᵀ v.
template <int D>
void GlobalIpmMatrix<D>::push(const Reach& reach, const Vec<D>& r, Eigen::VectorXd& force) const {
  const int d = pattern_.d;
  for (std::size_t k = 0; k < reach.nodes.size(); ++k) {
    const int row = static_cast<int>(k) * d;
    if (d == kBody) force.template segment<kBody>(reach.nodes[k] * d).noalias() += reach.H.template block<kBody, D>(row, 0) * r;
    else force.segment(reach.nodes[k] * d, d) += reach.H.middleRows(row, d) * r;
  }
}

template <int D>
Vec<D> GlobalIpmMatrix<D>::pull(const Reach& reach, const Eigen::VectorXd& v) const {
  const int d = pattern_.d;
  Vec<D> u = Vec<D>::Zero();
  for (std::size_t k = 0; k < reach.nodes.size(); ++k) {
    const int row = static_cast<int>(k) * d;
    if (d == kBody) u.noalias() += reach.H.template block<kBody, D>(row, 0).transpose() * v.template segment<kBody>(reach.nodes[k] * d);
    else u += reach.H.middleRows(row, d).transpose() * v.segment(reach.nodes[k] * d, d);
  }
  return u;
}

template <int D>
bool GlobalIpmMatrix<D>::factorise(const std::vector<Mat<D>>& E, const std::vector<Mat<D>>& E_inverse) {
  E_ = &E;
  inverse_ = E_inverse;
  values_ = base_;
  sign_ = 1;
  for (int a = 0; a < contacts(); ++a) {
    if (!(mu()[a] < std::numeric_limits<double>::infinity()))
      for (int i = 1; i < D; ++i) inverse_[a](i, i) = 1 / (kRough * rough_size(diagonal(a)(i, i)));
    if (inverse_[a].determinant() < 0) sign_ = -sign_;
    add_contact(contacts_[a], S_[a].asDiagonal() * inverse_[a] * S_[a].asDiagonal(), values_);
  }
  return lu_.factorise(values_.data());
}

template <int D>
void GlobalIpmMatrix<D>::residual(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& rest) {
  const auto m = d.size();
  r_.resize(m);
  u_.resize(m);
  rest.resize(m);
  for (int a = 0; a < contacts(); ++a) r_.template segment<D>(a * D) = S_[a].cwiseProduct(d.template segment<D>(a * D));
  operator_.velocities(r_.data(), u_.data());
  for (int a = 0; a < contacts(); ++a)
    for (int i = 0; i < D; ++i) u_[a * D + i] -= q()[a * D + i];
  for (int a = 0; a < contacts(); ++a)
    rest.template segment<D>(a * D) =
        f.template segment<D>(a * D) - S_[a].cwiseProduct(u_.template segment<D>(a * D)) - (*E_)[a] * d.template segment<D>(a * D);
}

// d = (Ĥᵀ M⁻¹ Ĥ + E)⁻¹ f by the factors of M + Ĥ E⁻¹ Ĥᵀ, from g = E⁻¹ f: d = g − E⁻¹ Ĥᵀ (M + Ĥ E⁻¹ Ĥᵀ)⁻¹ Ĥ g.
template <int D>
void GlobalIpmMatrix<D>::condensed(const std::vector<Vec<D>>& S, const Eigen::VectorXd& g, Eigen::VectorXd& d) {
  force_.setZero(pattern_.size());
  v_.resize(pattern_.size());
  d.resize(g.size());
  for (int a = 0; a < contacts(); ++a) push(contacts_[a], S[a].cwiseProduct(g.template segment<D>(a * D)), force_);
  lu_.solve(force_.data(), v_.data(), 1e-14);
  for (int a = 0; a < contacts(); ++a)
    d.template segment<D>(a * D) = g.template segment<D>(a * D) - inverse_[a] * S[a].cwiseProduct(pull(contacts_[a], v_));
}

template <int D>
void GlobalIpmMatrix<D>::precondition(const Eigen::VectorXd& f, Eigen::VectorXd& d) {
  g_.resize(f.size());
  for (int a = 0; a < contacts(); ++a) g_.template segment<D>(a * D) = inverse_[a] * f.template segment<D>(a * D);
  condensed(S_, g_, d);
}

template <int D>
bool GlobalIpmMatrix<D>::newton_factors(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B) {
  values_ = base_;
  inverse_.resize(contacts());
  A_inverse_.resize(contacts());
  ones_.assign(contacts(), Vec<D>::Ones());
  for (int a = 0; a < contacts(); ++a) {
    A_inverse_[a] = A[a].inverse();
    inverse_[a] = A_inverse_[a] * B[a];
    if (!B[a].isZero(0)) add_contact(contacts_[a], inverse_[a], values_);
  }
  return lu_.factorise(values_.data());
}

template <int D>
bool GlobalIpmMatrix<D>::newton_solve(const Eigen::VectorXd& c, Eigen::VectorXd& d) {
  g_.resize(c.size());
  for (int a = 0; a < contacts(); ++a) g_.template segment<D>(a * D) = A_inverse_[a] * c.template segment<D>(a * D);
  condensed(ones_, g_, d);
  return d.allFinite();
}

template <int D>
bool GlobalIpmMatrix<D>::newton_step(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c,
                                     Eigen::VectorXd& d) {
  return newton_factors(A, B) && newton_solve(c, d);
}

template <int D>
bool GlobalIpmMatrix<D>::solve_damped(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c, double shift,
                                      int refinements, Eigen::VectorXd& d) {
  damped_ = A;
  for (int a = 0; a < contacts(); ++a) {
    const double size = (A[a] + B[a] * diagonal(a)).cwiseAbs().maxCoeff();
    damped_[a].diagonal().array() += shift * (size > 0 ? size : 1);
  }
  if (!newton_factors(damped_, B) || !newton_solve(c, d)) return false;
  u_.resize(c.size());
  newton_rest_.resize(c.size());
  const auto rest = [&] {  // c − (A + B W) d
    operator_.velocities(d.data(), u_.data());
    for (int a = 0; a < contacts(); ++a) {
      const Vec<D> Wd = u_.template segment<D>(a * D) - Eigen::Map<const Vec<D>>(q().data() + a * D);
      newton_rest_.template segment<D>(a * D) = c.template segment<D>(a * D) - A[a] * d.template segment<D>(a * D) - B[a] * Wd;
    }
    return newton_rest_.norm();
  };
  for (double before = rest(); refinements > 0 && before > 0; --refinements) {
    if (!newton_solve(newton_rest_, correction_)) break;
    d += correction_;
    const double now = rest();
    if (!(now <= 0.5 * before)) {
      if (!(now <= before)) d -= correction_;
      break;
    }
    before = now;
  }
  return d.allFinite();
}

template <int D>
double GlobalIpmMatrix<D>::step_seconds() const {
  return factor_seconds(flops(), entries()) + kShare * contacts();
}

template <int D>
void IpmForms<D>::set(const Problem& problem, const LocalSystem<D>& system) {
  const auto* global = std::get_if<GlobalProblem>(&problem);
  if (global && global->dofs() < global->size()) {
    set(*global);
    return add(system);
  }
  contacts_.set(system);
  seconds_ = seconds_on_contacts_ = contacts_.seconds();
  bodies_.reset();
}

template <int D>
void IpmForms<D>::set(const GlobalProblem& problem) {
  contacts_ = LocalIpmMatrix<D>();
  bodies_.emplace(problem);
  seconds_ = bodies_->seconds();
  seconds_on_contacts_ = std::numeric_limits<double>::infinity();
}

template <int D>
void IpmForms<D>::add(const LocalSystem<D>& system) {
  seconds_on_contacts_ = least_seconds_on_contacts(static_cast<double>(system.W.blocks()), system.contacts());
  if (seconds_on_contacts_ >= seconds_) return;
  contacts_.set(system);
  seconds_on_contacts_ = contacts_.seconds();
  if (seconds_on_contacts_ >= seconds_) return;
  seconds_ = seconds_on_contacts_;
  bodies_.reset();
}

template <int D>
double IpmForms<D>::least_seconds_on_bodies(const GlobalProblem& problem) {
  return kContactOfBodies * problem.contacts();
}

template <int D>
double IpmForms<D>::least_seconds_on_contacts(double blocks, int contacts) {
  return factor_seconds(0, blocks * D * D) + kContact * contacts;
}

template <int D>
double IpmForms<D>::blocks_per_contact(const GlobalProblem& problem) {
  constexpr double kFreedoms = D == 3 ? 6 : 3;
  return 4 * kFreedoms * problem.contacts() / std::max(1, problem.dofs());
}

template <int D>
void IpmForms<D>::clear() {
  contacts_ = LocalIpmMatrix<D>();
  bodies_.reset();
  seconds_ = seconds_on_contacts_ = 0;
}

template class IpmMatrix<2>;
template class IpmMatrix<3>;
template class LocalIpmMatrix<2>;
template class LocalIpmMatrix<3>;
template class GlobalIpmMatrix<2>;
template class GlobalIpmMatrix<3>;
template class IpmForms<2>;
template class IpmForms<3>;

}  // namespace cornet
