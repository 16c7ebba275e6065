// What newton-ipm needs of the problem's matrix: products, and steps (A + E) d = f for block-diagonal E.
//
//   A = S W S with a diagonal S (ipm_system.h),   E^α a D×D block per contact
//
// Two forms with the same members:
//
//   LocalIpmMatrix    W is there by blocks: A + E on the contact graph is factorised, m = D·nc unknowns
//   GlobalIpmMatrix   W = Hᵀ M⁻¹ H of a global problem is never formed. With Ĥ = H S,
//                       (M + Ĥ E⁻¹ Ĥᵀ) v = Ĥ E⁻¹ f,   d = E⁻¹ (f − Ĥᵀ v)
//                     on the graph of bodies, n unknowns: 3 to 5 times fewer in dense packings, with far less fill. Joints enter as
//                     G Gᵀ/δ with a small δ
//
// Contacts with μ = ∞, which leave A + E singular where bodies stick in more ways than they can move, get a small δ in both forms.
//
// Which of the two is faster depends on the packing: IpmForms predicts it from the analysis of both.
//
// Every solve is refined with residuals of (A + E) d = f itself, which removes δ again.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "core/delassus.h"
#include "core/local_system.h"
#include "linalg/contact_lu.h"

namespace cornet {

template <int D>
class IpmMatrix {
 public:
  virtual ~IpmMatrix() = default;

  virtual int contacts() const = 0;
  virtual const std::vector<double>& mu() const = 0;
  virtual const std::vector<double>& q() const = 0;
  virtual double norm_q() const = 0;
  virtual Mat<D> diagonal(int a) const = 0;
  /// u = W r + q.
  virtual void velocities(const double* r, double* u) const = 0;

  /// For the scaling S, before the first factorisation.
  virtual void scale(const std::vector<Vec<D>>& S) = 0;
  /// Whether factorise() wants E⁻¹, which is infinite in the tangential part of contacts with μ = ∞ (0 is handed over there).
  virtual bool wants_inverse() const { return false; }
  /// False: not finite, nothing to solve with. E must stay as it is until the last solve().
  virtual bool factorise(const std::vector<Mat<D>>& E, const std::vector<Mat<D>>& E_inverse) = 0;
  /// (A + E) d = f; returns the relative residual.
  virtual double solve(const Eigen::VectorXd& f, Eigen::VectorXd& d);
  /// Sign of det(A + E), ±1.
  virtual int determinant_sign() const = 0;
  /// Predicted flops of one factorisation, and numbers that it adds up and keeps.
  virtual double flops() const = 0;
  virtual double entries() const = 0;
  /// Predicted, of an iteration of newton-ipm (linalg/supernodal.h, factor_seconds).
  double seconds() const;

 protected:
  virtual double contact_seconds() const;
  /// Solves with the factors, which may be those of a matrix with small δ added.
  virtual void precondition(const Eigen::VectorXd& f, Eigen::VectorXd& d) = 0;
  /// rest = f − (A + E) d.
  virtual void residual(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& rest) = 0;

 private:
  Eigen::VectorXd rest_, more_, trial_, next_rest_;
};

template <int D>
class LocalIpmMatrix : public IpmMatrix<D> {
 public:
  /// `system` must outlive the object. The analysis of the pattern is kept when the next system has the same one.
  void set(const LocalSystem<D>& system);

  int contacts() const override { return system_->contacts(); }
  const std::vector<double>& mu() const override { return system_->mu; }
  const std::vector<double>& q() const override { return system_->q; }
  double norm_q() const override { return system_->norm_q; }
  Mat<D> diagonal(int a) const override { return system_->W.diagonal(a); }
  void velocities(const double* r, double* u) const override { system_->W.times(r, system_->q.data(), u); }
  void scale(const std::vector<Vec<D>>& S) override;
  bool factorise(const std::vector<Mat<D>>& E, const std::vector<Mat<D>>& E_inverse) override;
  double solve(const Eigen::VectorXd& f, Eigen::VectorXd& d) override {
    return rough_ ? IpmMatrix<D>::solve(f, d) : lu_.solve(f.data(), d.data(), kExact);
  }
  int determinant_sign() const override { return lu_.factors().determinant_sign(); }
  double flops() const override { return lu_.factors().flops(); }
  double entries() const override { return static_cast<double>(lu_.factors().factor_entries()); }

 protected:
  void precondition(const Eigen::VectorXd& f, Eigen::VectorXd& d) override;
  void residual(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& rest) override;

 private:
  static constexpr double kExact = 1e-14;

  const LocalSystem<D>* system_ = nullptr;
  const std::vector<Mat<D>>* E_ = nullptr;
  bool rough_ = false;  // whether a contact has μ = ∞
  BlockPattern pattern_;
  std::vector<long> diagonal_;        // index of the diagonal block of each contact
  std::vector<double> A_, A_plus_E_;  // values of the blocks
  ContactLu lu_;
};

template <int D>
class GlobalIpmMatrix : public IpmMatrix<D> {
 public:
  /// Throws InvalidProblem when M or the constrained system is singular.
  explicit GlobalIpmMatrix(const GlobalProblem& problem);

  int contacts() const override { return operator_.contacts(); }
  const std::vector<double>& mu() const override { return operator_.mu(); }
  const std::vector<double>& q() const override { return operator_.q(); }
  double norm_q() const override { return operator_.norm_q(); }
  Mat<D> diagonal(int a) const override { return operator_.diagonal(a); }
  void velocities(const double* r, double* u) const override { operator_.velocities(r, u); }
  void scale(const std::vector<Vec<D>>& S) override { S_ = S; }
  bool wants_inverse() const override { return true; }
  bool factorise(const std::vector<Mat<D>>& E, const std::vector<Mat<D>>& E_inverse) override;
  int determinant_sign() const override { return sign_ * lu_.factors().determinant_sign(); }
  double flops() const override { return lu_.factors().flops(); }
  double entries() const override { return static_cast<double>(lu_.factors().factor_entries()) + shares_; }
  const GlobalOperator<D>& delassus() const { return operator_; }

  /// A step of a nonsmooth Newton method, (A + B W) d = c with block-diagonal A and B, A regular (damped): the step above with E⁻¹ = A⁻¹B, which
  /// exists where E does not. The last factorise() is lost.
  bool newton_step(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c, Eigen::VectorXd& d);
  /// The same with factors of A + B W + δ, δ^α = `shift` times the largest entry of the diagonal block, and at most `refinements` corrections
  /// towards A + B W, as NewtonSystem (linalg/newton_system.h).
  bool solve_damped(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B, const Eigen::VectorXd& c, double shift, int refinements,
                    Eigen::VectorXd& d);
  /// Its predicted seconds.
  double step_seconds() const;

 protected:
  double contact_seconds() const override;
  void precondition(const Eigen::VectorXd& f, Eigen::VectorXd& d) override;
  void residual(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& rest) override;

 private:
  // The rows of H that one contact (or G, one constraint) touches, by blocks of K, dense.
  struct Reach {
    std::vector<int> nodes;
    Eigen::MatrixXd H;        // d·nodes × D, or × 1
    std::vector<long> block;  // of (i, j), i fastest, among the blocks of K
  };

  void build_pattern(const std::vector<int>& node_of);
  static constexpr int kBody = D == 3 ? 6 : 3;  // a rigid body as one node

  void add(const Reach& reach, const Eigen::MatrixXd& core, std::vector<double>& values) const;
  void add_contact(const Reach& reach, const Mat<D>& core, std::vector<double>& values) const;  // the same
  void push(const Reach& reach, const Vec<D>& r, Eigen::VectorXd& force) const;
  Vec<D> pull(const Reach& reach, const Eigen::VectorXd& v) const;
  bool newton_factors(const std::vector<Mat<D>>& A, const std::vector<Mat<D>>& B);
  bool newton_solve(const Eigen::VectorXd& c, Eigen::VectorXd& d);
  void condensed(const std::vector<Vec<D>>& S, const Eigen::VectorXd& g, Eigen::VectorXd& d);

  GlobalOperator<D> operator_;
  std::vector<int> place_;  // of a degree of freedom among the unknowns of K
  std::vector<Reach> contacts_, constraints_;
  double shares_ = 0;  // numbers that the contacts add to the matrix
  BlockPattern pattern_;
  std::vector<double> base_, values_;  // M + G Gᵀ/δ, and with the contacts
  std::vector<Vec<D>> S_, ones_;
  const std::vector<Mat<D>>* E_ = nullptr;
  std::vector<Mat<D>> inverse_, A_inverse_, damped_;
  int sign_ = 1;  // of det E
  ContactLu lu_;
  Eigen::VectorXd r_, u_, g_, v_, force_, newton_rest_, correction_;
};

/// The form with the shorter predicted iteration.
template <int D>
class IpmForms {
 public:
  /// Analyses the matrix of `system`, which must outlive the object's use, and where `problem` is global and has fewer degrees of freedom than contact
  /// unknowns also the one on bodies.
  void set(const Problem& problem, const LocalSystem<D>& system);
  /// On the graph of bodies alone, without W.
  void set(const GlobalProblem& problem);
  /// After that, with the W of the same problem: the form of contacts too, unless W alone has too many numbers.
  void add(const LocalSystem<D>& system);
  void clear();

  IpmMatrix<D>& matrix() { return bodies_ ? static_cast<IpmMatrix<D>&>(*bodies_) : contacts_; }
  /// Null: the form of contacts.
  GlobalIpmMatrix<D>* bodies() { return bodies_ ? &*bodies_ : nullptr; }
  /// Of one iteration of newton-ipm, by a model of current processors: the same on all of them.
  double seconds() const { return seconds_; }
  /// The same in the form of contacts, at least; infinite before it is looked at.
  double seconds_on_contacts() const { return seconds_on_contacts_; }

  /// Bounds from sizes, before any analysis: of an iteration on bodies, without the factorisation; of one on the contacts, whose factors have more entries than
  /// W; and the blocks of W per contact, for rigid bodies, two to a contact, that all had as many.
  static double least_seconds_on_bodies(const GlobalProblem& problem);
  static double least_seconds_on_contacts(double blocks, int contacts);
  static double blocks_per_contact(const GlobalProblem& problem);

 private:
  LocalIpmMatrix<D> contacts_;
  std::optional<GlobalIpmMatrix<D>> bodies_;
  double seconds_ = 0, seconds_on_contacts_ = 0;
};

extern template class IpmMatrix<2>;
extern template class IpmMatrix<3>;
extern template class LocalIpmMatrix<2>;
extern template class LocalIpmMatrix<3>;
extern template class GlobalIpmMatrix<2>;
extern template class GlobalIpmMatrix<3>;
extern template class IpmForms<2>;
extern template class IpmForms<3>;

}  // namespace cornet
