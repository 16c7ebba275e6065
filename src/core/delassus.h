// u = W r + q as first-order methods need it: a product, the diagonal blocks W^αα, nothing else. Two operators with the same members:
//
//   ExplicitOperator   W stored by blocks (a local problem)
//   GlobalOperator     u = Hᵀ A (H r + f) + w by components of a global problem, W is never formed
//
// Per rigid body one pass over its contacts gathers p = L⁻¹H r, a second one scatters u += (L⁻¹H)ᵀ p while the same numbers are still in the
// cache (M = L Lᵀ; with an unsymmetric M: H, M⁻¹, Hᵀ). That reads 6·D numbers per body and contact, where W has D² per pair of contacts
// on one body: less from four contacts per body on. A flexible body or a mechanism takes its factorisation, or its dense share of W when
// that is smaller. The product allocates nothing (but see Component::solve). One object serves one thread.
#pragma once

#include <vector>

#include "core/components.h"
#include "core/local_system.h"
#include "core/rounding.h"
#include "linalg/small.h"

namespace cornet {

template <int D>
class ExplicitOperator {
 public:
  static constexpr int kDim = D;
  ExplicitOperator(const LocalSystem<D>& system) : system_(system) {}  // a local system is an operator

  int contacts() const { return system_.contacts(); }
  std::size_t size() const { return system_.size(); }
  const std::vector<double>& mu() const { return system_.mu; }
  double norm_q() const { return system_.norm_q; }
  Mat<D> diagonal(int a) const { return system_.W.diagonal(a); }
  double norm_bound() const { return system_.W.norm_bound(); }
  /// u = W r + q.
  void velocities(const double* r, double* u) const { system_.W.times(r, system_.q.data(), u); }
  /// The same, summed in extended precision.
  void exact_velocities(const double* r, std::vector<long double>& u) const;
  /// |W| |r| + |q|.
  void sizes(const double* r, std::vector<double>& out) const { sizes_of_velocities(system_, r, out); }
  const LocalSystem<D>& system() const { return system_; }

 private:
  const LocalSystem<D>& system_;
};

template <int D>
void ExplicitOperator<D>::exact_velocities(const double* r, std::vector<long double>& u) const {
  u.assign(system_.q.begin(), system_.q.end());
  for (int j = 0; j < system_.contacts(); ++j)
    for (int k = system_.W.column_begin(j); k < system_.W.column_end(j); ++k) {
      const auto block = system_.W.block(k);
      long double* target = u.data() + static_cast<std::size_t>(system_.W.row(k)) * D;
      for (int l = 0; l < D; ++l) {
        const long double x = r[static_cast<std::size_t>(j) * D + l];
        for (int i = 0; i < D; ++i) target[i] += block(i, l) * x;
      }
    }
}

template <int D>
class GlobalOperator {
 public:
  static constexpr int kDim = D;
  /// Throws InvalidProblem when M or the constrained system is singular.
  explicit GlobalOperator(const GlobalProblem& problem);

  int contacts() const { return static_cast<int>(mu_.size()); }
  std::size_t size() const { return q_.size(); }
  const std::vector<double>& mu() const { return mu_; }
  const std::vector<double>& q() const { return q_; }
  double norm_q() const { return norm_q_; }
  const Mat<D>& diagonal(int a) const { return diagonal_[static_cast<std::size_t>(a)]; }
  /// An upper bound of ‖W‖: the largest sum of ‖W^αβ‖ over the contacts β that share a body with α.
  double norm_bound() const;
  /// u = W r + q.
  void velocities(const double* r, double* u) const;

  /// The same of rigid bodies, summed in extended precision.
  void exact_velocities(const double* r, std::vector<long double>& u) const;

  /// Whether all components that touch a contact are rigid bodies.
  bool rigid() const { return parts_.empty(); }
  /// |Hᵀ| |M⁻¹| |H| |r| + |q|, of rigid bodies (with M = L Lᵀ by L⁻¹H, as the product): what its rounding is relative to.
  void sizes(const double* r, std::vector<double>& out) const;

  const Components& components() const { return components_; }
  int bodies() const { return bodies_.size(); }

 private:
  /// A component that is no rigid body.
  struct Part {
    int component;
    std::vector<int> contacts;
    SparseColumns h;        // in its own numbering
    Eigen::MatrixXd block;  // its share of W, or empty: by solves
  };
  using Product = void (*)(const Bodies<D>& bodies, const double* r, double* u);
  static Product fastest_product();

  Components components_;
  Bodies<D> bodies_;
  std::vector<Part> parts_;
  std::vector<double> q_, mu_;
  std::vector<Mat<D>> diagonal_;
  double norm_q_ = 1;
  Product product_ = fastest_product();
  mutable Eigen::VectorXd force_, reaction_, velocity_;
};

extern template class GlobalOperator<2>;
extern template class GlobalOperator<3>;

}  // namespace cornet
