// The existence criterion with its margin (existence.h; seeds 000 §4–5 and 002 §4.3–4.6), as linear programs in the plane and second-order
// cone programs in space, solved by the interior-point method of convex/conic_qp.h:
//
//   (A)    max t ≤ 1:  Hᵀv + w/|w| − t e_N ∈ K*
//   (A')   max t ≤ 1: (Hᵀv + w/|w|)_N − t ≥ 0              only when (A) fails
//
// u − t e_N ∈ K* reads u_N − t ≥ μ‖u_T‖: two half-lines in the plane, the Lorentz cone of (u_N − t, μ u_T) in space; μ = 0 leaves u_N − t ≥ 0,
// μ = ∞ the equalities u_T = 0. The multipliers z give reactions r ∈ K with H r = 0. A verdict is taken from the two bounds that v and r give
// by themselves, recomputed here, and its certificate goes through verify.cc before anybody sees it.
//
// What makes it fast: contacts that decide nothing leave first (prune.h); the optimisation stops at the first v with Hᵀv inside K*, since a
// multiple of it serves every w (Ker(H) ∩ K = {0}); and with w = 0, where t is 0 or 1, at the first r that proves 0.
//
// Inside means by more than the tolerance times the largest velocity: what needs velocities a million times the imposed ones counts as
// boundary, not as robust.
//
// The theorem asks for a positive definite M. It holds for unsymmetric ones too: for fixed s the cone program becomes a strongly monotone
// variational inequality on the same set, its solution is unique, bounded and continuous in s, and Brouwer's theorem applies as before.
#include "cornet/existence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "convex/conic_qp.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "existence/margin_program.h"
#include "existence/projections.h"
#include "existence/prune.h"
#include "linalg/sparse.h"
#include "linalg/symmetry.h"

namespace cornet {
namespace {

using namespace existence;

constexpr double kWellInside = 1e-4;  // depth against the largest velocity at which the optimisation may stop early

using Clock = std::chrono::steady_clock;

// What one program found: bounds of t that v and r prove by themselves.
struct Bounds {
  bool every_w = false;  // Hᵀv inside K* was met: a solution exists whatever w is
  double lower = -kInfinity, upper = kInfinity;
  Vector v, r, lambda;
  bool equalities_contradict = false;
};

class Checker {
 public:
  Checker(const Problem& problem, const ExistenceOptions& options)
      : problem_(problem), options_(options), k_(kinematics_of(problem)), start_(Clock::now()) {
    scale_ = largest_contact(k_.w, k_.dim);
    if (k_.b.size() > 0) scale_ = std::max(scale_, k_.b.lpNorm<Eigen::Infinity>());
    if (!(scale_ > 0)) scale_ = 1;
    w_ = k_.w / scale_;
    b_ = k_.b / scale_;
    frictionless_ = std::all_of(k_.mu.begin(), k_.mu.end(), [](double mu) { return mu == 0; });
    out_.tolerance = options.tolerance;
  }

  Existence run() {
    add_notes();
    decide();
    out_.time = elapsed();
    out_.sentence = sentence();
    ExistenceCertificate& c = out_.certificate;
    c.verified = verify_existence(problem_, out_.verdict, c, options_.tolerance, &c.residual);
    if (!c.verified)
      throw Error(fmt::format("existence could not be decided: the certificate of the verdict {} ({}) does not verify, violation {:.1e}",
                              to_string(out_.verdict), c.kind, c.residual));
    return out_;
  }

 private:
  void add_notes() {
    if (k_.local) {
      out_.notes.push_back("local form: the test uses W and q, since W and Hᵀ have the same range and q − w lies in it");
      asymmetry_ = relative_asymmetry(k_.B);
      if (asymmetry_ > 1e-8)
        out_.notes.push_back(
            fmt::format("W is unsymmetric, ‖W − Wᵀ‖/‖W‖ = {:.1e}: the verdict holds if W = HᵀM⁻¹H with a positive definite (unsymmetric) M",
                        asymmetry_));
    }
    const long infinite = std::count(k_.mu.begin(), k_.mu.end(), kInfinity);
    if (infinite > 0) out_.notes.push_back(fmt::format("{} contacts with μ = ∞: K* asks for u_T = 0 there", infinite));
    int empty = 0;
    for (int c = 0; c < k_.contacts(); ++c) {
      bool any = false;
      for (int j = 0; j < k_.dim; ++j)
        for (SparseRows::InnerIterator e(k_.B, c * k_.dim + j); e; ++e) any = any || e.value() != 0;
      empty += !any;
    }
    if (empty > 0) out_.notes.push_back(fmt::format("{} contacts have no degree of freedom (zero columns of H): u = w there", empty));
  }

  void decide() {
    if (k_.contacts() == 0) {
      const Bounds b = equalities_only();
      if (b.equalities_contradict) return impossible(b, "bilateral_constraints", -kInfinity);
      return holds(Verdict::guaranteed_robust, 1, "no_contacts", "velocity", b.v, {}, {});
    }
    if (options_.shortcuts && (prune() || full_column_rank())) return;
    Bounds b = solve(w_, b_, false);
    const bool dependent = equalities_dependent();
    // Hᵀv + w = 0 is in K*, whatever the optimisation got to.
    if (b.lower < 0 && !(b.upper < -options_.tolerance) && !b.equalities_contradict && rigid_external_motion()) {
      b.lower = 0;
      b.v = v_rigid_;
    }
    const char* reason = frictionless_ ? "frictionless" : "margin";
    if (b.every_w && !dependent && !frictionless_) reason = "trivial_kernel";
    if (b.lower > options_.tolerance && !dependent) return holds(Verdict::guaranteed_robust, b.lower, reason, "velocity", b.v, {}, {});
    if (b.lower >= -options_.tolerance) {
      Vector v = b.v;
      if (rigid_external_motion()) {
        reason = "rigid_external_motion";
        v = v_rigid_;
      }
      const bool have_r = b.upper <= options_.tolerance;
      return holds(Verdict::guaranteed, b.lower <= options_.tolerance ? b.lower : 0.0, reason, have_r ? "boundary" : "velocity", v,
                   have_r ? b.r : Vector(), have_r ? b.lambda : Vector());
    }
    if (!(b.upper < -options_.tolerance) && !b.equalities_contradict)
      throw Error(fmt::format("existence could not be decided: the margin lies between {:.2e} and {:.2e}, the optimisation got no further",
                              b.lower, b.upper));
    const double t = b.equalities_contradict ? -kInfinity : b.upper;  // what r proves
    if (frictionless_) {
      if (proved_impossible(b, reason, t)) return;
      return criterion_fails(b, "margin", t, true);
    }
    // (A) fails; is it hopeless? Perhaps the reactions that show it are normal already.
    Bounds normal = b;
    for (Eigen::Index i = 0; i < normal.r.size(); ++i)
      if (i % k_.dim != 0) normal.r[i] = 0;
    if ((b.r - normal.r).lpNorm<Eigen::Infinity>() <= 1e-8 * b.r.lpNorm<Eigen::Infinity>()) {
      const char* why = normal.r.norm() <= 1e-8 * normal.lambda.norm() ? "bilateral_constraints" : "necessary_condition";
      if (proved_impossible(normal, why, t)) return;
    }
    const Bounds n = solve(w_, b_, true);
    const bool fails = n.equalities_contradict || n.upper < -options_.tolerance;
    if (fails) {
      if (proved_impossible(n, n.equalities_contradict ? "bilateral_constraints" : "necessary_condition", t)) return;
    } else if (!(n.lower >= -options_.tolerance)) {
      out_.notes.push_back("whether the necessary condition (A') holds could not be decided: the problem may even be impossible");
    }
    criterion_fails(b, reason, t, fails);
  }

  // b.r keeps the contacts from opening and proves no more; `nearly`: that there is no solution was nearly proved.
  void criterion_fails(const Bounds& b, const char* reason, double margin, bool nearly) {
    if (nearly)
      out_.notes.push_back(
          "the necessary condition (A') fails within the tolerance, but H or W is nearly singular: there may be solutions with huge "
          "reactions");
    out_.verdict = Verdict::not_guaranteed;
    out_.margin = margin;
    out_.reason = reason;
    out_.certificate = {};
    certificate("reaction", {}, b.r, b.lambda);
  }

  bool proved_impossible(const Bounds& b, const char* reason, double margin) {
    impossible(b, reason, margin);
    if (verifies()) return true;
    impossible(nearer_to_balance(b), reason, margin);
    return verifies();
  }

  // The normal reactions that count, and λ, changed as little as it takes to be in balance.
  Bounds nearer_to_balance(Bounds b) const {
    const double least = 1e-6 * b.r.lpNorm<Eigen::Infinity>();
    std::vector<Eigen::Index> counted;
    for (Eigen::Index i = 0; i < b.r.size(); ++i)
      if (i % k_.dim == 0 && b.r[i] > least) counted.push_back(i);
      else b.r[i] = 0;
    std::vector<Eigen::Triplet<double>> entries;
    int column = 0;
    const auto add = [&](const SparseRows& a, Eigen::Index i) {
      for (SparseRows::InnerIterator e(a, i); e; ++e) entries.emplace_back(static_cast<int>(e.col()), column, e.value());
      ++column;
    };
    for (const Eigen::Index i : counted) add(k_.B, i);
    for (int i = 0; i < k_.GT.rows(); ++i) add(k_.GT, i);
    SparseRows A(k_.B.cols(), column);
    A.setFromTriplets(entries.begin(), entries.end());
    Vector balance = k_.B.transpose() * b.r, step;
    if (k_.GT.rows() > 0) balance += k_.GT.transpose() * b.lambda;
    least_squares(A, -balance, SparseRows(0, column), Vector(), step, 1e-4);  // further it would come to r = 0 by rounding
    for (std::size_t k = 0; k < counted.size(); ++k) b.r[counted[k]] += step[static_cast<Eigen::Index>(k)];
    if (k_.GT.rows() > 0) b.lambda += step.tail(k_.GT.rows());
    return b;
  }

  bool verifies() const { return verify_existence(problem_, out_.verdict, out_.certificate, options_.tolerance); }

  void holds(Verdict verdict, double margin, const char* reason, const char* kind, const Vector& v, const Vector& r, const Vector& lambda) {
    out_.verdict = verdict;
    out_.margin = margin;
    out_.reason = reason;
    certificate(kind, v, r, lambda);
  }
  void impossible(const Bounds& b, const char* reason, double margin) {
    out_.verdict = Verdict::impossible;
    out_.margin = margin;
    out_.reason = reason;
    certificate("normal_reaction", {}, b.r, b.lambda);
  }
  void certificate(const char* kind, const Vector& v, const Vector& r, const Vector& lambda) {
    out_.certificate.kind = kind;
    out_.certificate.lambda = to_std(lambda);
    if (!pruning_) {
      out_.certificate.v = to_std(v.size() > 0 ? Vector(scale_ * v) : v);
      out_.certificate.r = to_std(r);
      return;
    }
    if (v.size() == k_.B.cols()) out_.certificate.v = to_std(Vector(scale_ * pruning_->lift(full_B_, full_w_, v, 1)));
    if (r.size() == 0) return;
    out_.certificate.r.assign(static_cast<std::size_t>(full_w_.size()), 0.0);
    for (std::size_t c = 0; c < pruning_->kept().size(); ++c)
      for (int i = 0; i < k_.dim; ++i)
        out_.certificate.r[static_cast<std::size_t>(pruning_->kept()[c]) * k_.dim + i] = r[static_cast<Eigen::Index>(c) * k_.dim + i];
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // Maximises t. Velocities and data are divided by |w|.
  Bounds solve(const Vector& w, const Vector& bilateral, bool normal_only) {
    Bounds out;
    const int n = static_cast<int>(k_.B.cols());
    const bool homogeneous = w.isZero(0) && bilateral.isZero(0);
    if (!normal_only && options_.shortcuts && symmetric_local() && search_velocity(out)) return out;
    const MarginProgram program = margin_program(k_, w, bilateral, normal_only);
    const Vector zero_w = Vector::Zero(w.size()), zero_b = Vector::Zero(bilateral.size());
    double entry = 0;  // largest entry of B
    for (Eigen::Index e = 0; e < k_.B.nonZeros(); ++e) entry = std::max(entry, std::abs(k_.B.valuePtr()[e]));
    enum class Found { nothing, every_w, margin, kernel } found = Found::nothing;
    Vector v0;
    const bool equalities_hold = satisfies_equalities(normal_only, w, bilateral, v0);
    const auto watcher = [&](const ConicProgress& g) {
      if (options_.interrupt && *options_.interrupt) throw Error("existence: interrupted");
      if (elapsed() > options_.time_limit)
        throw Error(fmt::format("existence could not be decided within the time limit of {:.3g} s", options_.time_limit));
      const Depth d = depth_of(k_, g.point->x.head(n), zero_w, zero_b, normal_only);
      if (equalities_hold && d.least > kWellInside * d.largest && d.least > 1e3 * d.noise && d.equality <= 1e-10 * d.largest) {
        found = Found::every_w;
        out.v = g.point->x.head(n) / d.least;  // t = 1 for w = 0
        return false;
      }
      // A positive margin to three digits is enough.
      const double t = -g.primal_objective;
      if (!homogeneous && t > 10 * options_.tolerance && g.dual_residual <= 1e-4 && g.gap <= 1e-3 * t) {
        const Depth with_w = depth_of(k_, g.point->x.head(n), w, bilateral, normal_only);
        if (with_w.noise <= 0.1 * options_.tolerance && with_w.least >= 0.99 * std::min(t, 1.0) &&
            with_w.least > options_.tolerance * with_w.largest && with_w.equality <= 1e-10) {
          found = Found::margin;
          out.v = g.point->x.head(n);
          out.lower = std::min(with_w.least, 1.0);
          out.upper = std::min(-g.dual_objective, 1.0);
          return false;
        }
      }
      // With w = 0 any r ≠ 0 in K and in balance ends the search.
      if (homogeneous && g.primal_objective > -kWellInside) {
        reactions_of(k_, program, g.point->z, normal_only, out.r, out.lambda);
        Vector balance = k_.B.transpose() * out.r;
        if (k_.GT.rows() > 0) balance += k_.GT.transpose() * out.lambda;
        if (balance.lpNorm<Eigen::Infinity>() <= 0.5 * options_.tolerance * entry * out.r.lpNorm<Eigen::Infinity>()) {
          found = Found::kernel;
          return false;
        }
      }
      return true;
    };
    ConicOptions options;
    options.tolerance = 1e-2 * options_.tolerance;
    solver_.analyse(program.qp);
    const ConicOutcome outcome = solver_.solve(program.qp, options, nullptr, watcher);
    out_.iterations += outcome.iterations;
    if (found == Found::every_w) {
      out.v = with_every_w(out.v, v0, w, normal_only);
      out.lower = out.upper = 1;
      out.every_w = true;
      return out;
    }
    if (found == Found::margin) return out;
    if (found == Found::kernel) {
      out.v.setZero(n);
      out.lower = out.upper = 0;
      return out;
    }
    reactions_of(k_, program, outcome.point.z, normal_only, out.r, out.lambda);
    if (outcome.status == ConicStatus::primal_infeasible) {
      out.equalities_contradict = true;
      return out;
    }
    out.v = outcome.point.x.head(n);
    Depth d = depth_of(k_, out.v, w, bilateral, normal_only);
    if (d.noise > 0.1 * options_.tolerance) {  // v has drifted along the kernel of B: the smallest v with the same u
      const LeastSquares smallest(k_.B, symmetric_local());
      if (smallest.usable()) out.v = smallest.solve(k_.B * out.v);
      d = depth_of(k_, out.v, w, bilateral, normal_only);
    }
    if (d.equality <= 1e-8 * std::max(1.0, d.largest) && d.noise <= 0.1 * options_.tolerance) {
      out.lower = std::min(d.least, 1.0);
      if (out.lower > 0 && out.lower <= options_.tolerance * d.largest) out.lower = 0;  // velocities out of proportion
    }
    // The upper bound that r gives: t Σ r_N ≤ wᵀr (+ bᵀλ), and t ≤ 1.
    double normal = 0;
    for (int c = 0; c < k_.contacts(); ++c) normal += out.r[static_cast<Eigen::Index>(c) * k_.dim];
    const double work = w.dot(out.r) + bilateral.dot(out.lambda);
    const double t = outcome.point.x[n];
    out.upper = t > 0.999 || !(normal > 0) ? 1.0 : std::min(1.0, work / normal);
    return out;
  }

  bool symmetric_local() const { return k_.local && !pruning_ && asymmetry_ < 1e-8; }

  // The quick search; equalities are left to the interior-point method. In global form the first iterate of that method is the same
  // least-squares answer.
  bool search_velocity(Bounds& out) {
    if (k_.GT.rows() > 0 || std::count(k_.mu.begin(), k_.mu.end(), kInfinity) > 0) return false;
    const auto v = search_opening_velocity(k_.B, k_.dim, k_.mu, kWellInside);
    if (!v) return false;
    const Depth d = depth_of(k_, *v, Vector::Zero(w_.size()), b_, false);
    out.v = with_every_w(*v / d.least, Vector::Zero(k_.B.cols()), w_, false);
    out.lower = out.upper = 1;
    out.every_w = true;
    return true;
  }

  // v₀ with Gᵀv₀ + b = 0 and u_T = 0 where μ = ∞.
  bool satisfies_equalities(bool normal_only, const Vector& w, const Vector& bilateral, Vector& v0) const {
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> rhs;
    const auto add = [&](const SparseRows& a, int i, double value) {
      for (SparseRows::InnerIterator e(a, i); e; ++e)
        entries.emplace_back(static_cast<int>(rhs.size()), static_cast<int>(e.col()), e.value());
      rhs.push_back(-value);
    };
    for (int c = 0; c < k_.contacts() && !normal_only; ++c)
      for (int j = 1; j < k_.dim && k_.mu[c] == kInfinity; ++j) add(k_.B, c * k_.dim + j, w[c * k_.dim + j]);
    for (int i = 0; i < k_.GT.rows(); ++i) add(k_.GT, i, bilateral[i]);
    SparseRows A(static_cast<int>(rhs.size()), k_.B.cols());
    A.setFromTriplets(entries.begin(), entries.end());
    return least_squares(A, as_vector(rhs), SparseRows(0, k_.B.cols()), Vector(), v0);
  }

  // v such that Bv + w − e_N is in K*: v₀, plus the homogeneous direction (t = 1 for w = 0) as long as w needs it.
  Vector with_every_w(const Vector& direction, const Vector& v0, const Vector& w, bool normal_only) const {
    const Vector u = k_.B * v0 + w;
    double need = 1;
    for (int c = 0; c < k_.contacts(); ++c) {
      const double* x = u.data() + static_cast<std::ptrdiff_t>(c) * k_.dim;
      const double mu = normal_only || k_.mu[c] == kInfinity ? 0.0 : k_.mu[c];
      need = std::max(need, 1 - x[0] + mu * tail_norm(x, k_.dim));
    }
    return v0 + need * direction;
  }

  // Gᵀv + b = 0 alone.
  Bounds equalities_only() {
    if (k_.GT.rows() > 0) return solve(w_, b_, true);
    Bounds b;
    b.v.setZero(k_.B.cols());
    return b;
  }

  // Removes the contacts that decide nothing. True when none is left: then the columns of H are independent.
  bool prune() {
    std::vector<bool> fixed(static_cast<std::size_t>(k_.B.cols()), false);
    for (int i = 0; i < k_.GT.rows(); ++i)
      for (SparseRows::InnerIterator e(k_.GT, i); e; ++e) fixed[static_cast<std::size_t>(e.col())] = true;
    Pruning pruning(k_.B, k_.dim, fixed);
    if (pruning.nothing()) return false;
    full_B_ = k_.B;
    full_w_ = w_;
    if (pruning.kept().empty() && k_.GT.rows() == 0) {
      const Vector v = pruning.lift(full_B_, full_w_, Vector::Zero(pruning.kept_columns()), 1);
      holds(Verdict::guaranteed_robust, 1, "full_column_rank", "velocity", v, {}, {});
      return true;
    }
    const int kept = static_cast<int>(pruning.kept().size());
    std::vector<Eigen::Triplet<double>> entries, g_entries;
    Vector w(kept * k_.dim);
    std::vector<double> mu;
    for (int c = 0; c < kept; ++c) {
      const int old = pruning.kept()[static_cast<std::size_t>(c)];
      mu.push_back(k_.mu[static_cast<std::size_t>(old)]);
      for (int i = 0; i < k_.dim; ++i) {
        w[c * k_.dim + i] = w_[old * k_.dim + i];
        for (SparseRows::InnerIterator e(k_.B, old * k_.dim + i); e; ++e)
          if (e.value() != 0) entries.emplace_back(c * k_.dim + i, pruning.column_of(static_cast<int>(e.col())), e.value());
      }
    }
    for (int i = 0; i < k_.GT.rows(); ++i)
      for (SparseRows::InnerIterator e(k_.GT, i); e; ++e)
        g_entries.emplace_back(i, pruning.column_of(static_cast<int>(e.col())), e.value());
    SparseRows B(kept * k_.dim, pruning.kept_columns()), GT(k_.GT.rows(), pruning.kept_columns());
    B.setFromTriplets(entries.begin(), entries.end());
    GT.setFromTriplets(g_entries.begin(), g_entries.end());
    k_.B.swap(B);  // Eigen 3.4 copies a sparse matrix that is moved
    k_.GT.swap(GT);
    k_.mu = std::move(mu);
    k_.w = scale_ * w;
    w_ = w;
    pruning_.emplace(std::move(pruning));
    if (kept == 0) {
      const Bounds b = equalities_only();
      if (b.equalities_contradict) impossible(b, "bilateral_constraints", -kInfinity);
      else holds(Verdict::guaranteed_robust, 1, "full_column_rank", "velocity", b.v, {}, {});
      return true;
    }
    return false;
  }

  // B Bᵀ without small pivots: every relative velocity can be had, e_N − w among them (finite elements with node contacts).
  bool full_column_rank() {
    if (k_.GT.rows() > 0 || k_.B.rows() > k_.B.cols() || k_.B.rows() == 0) return false;
    const ScaledFactor factor(k_.local ? symmetric_part(k_.B) : SparseColumns(SparseRows(k_.B * SparseRows(k_.B.transpose()))));
    if (!(factor.least_pivot > 1e-9)) return false;
    Vector target = -w_;
    for (int c = 0; c < k_.contacts(); ++c) target[static_cast<Eigen::Index>(c) * k_.dim] += 1;
    Vector v = Vector::Zero(k_.B.cols());
    for (int pass = 0; pass < 3; ++pass) {
      const Vector step = factor.solve(Vector(target - k_.B * v));
      v += k_.local ? step : Vector(k_.B.transpose() * step);
    }
    if (!((target - k_.B * v).lpNorm<Eigen::Infinity>() <= 1e-9)) return false;
    holds(Verdict::guaranteed_robust, 1, "full_column_rank", "velocity", v, {}, {});
    return true;
  }

  // Bv + w = 0, Gᵀv + b = 0.
  bool rigid_external_motion() { return least_squares(k_.B, -w_, k_.GT, -b_, v_rigid_); }

  // With μ = ∞ or bilateral constraints, dependent equalities make w lie in a plane: a perturbation can leave it, so nothing is robust.
  bool equalities_dependent() {
    std::vector<Eigen::Triplet<double>> entries;
    int rows = 0;
    for (int c = 0; c < k_.contacts(); ++c)
      if (k_.mu[c] == kInfinity)
        for (int j = 1; j < k_.dim; ++j, ++rows)
          for (SparseRows::InnerIterator e(k_.B, c * k_.dim + j); e; ++e) entries.emplace_back(rows, static_cast<int>(e.col()), e.value());
    if (rows == 0) return false;
    SparseRows T(rows, k_.B.cols());
    T.setFromTriplets(entries.begin(), entries.end());
    if (ScaledFactor(SparseColumns(SparseRows(T * SparseRows(T.transpose())))).least_pivot > 1e-12) return false;
    out_.notes.push_back(
        "the equalities u_T = 0 of the contacts with μ = ∞ depend on each other: small changes of the data can contradict them");
    return true;
  }

  std::string sentence() const {
    switch (out_.verdict) {
      case Verdict::guaranteed_robust: return "A solution exists, and still exists under small changes of the data.";
      case Verdict::guaranteed:
        return "Within the tolerance a solution exists, but a small change of the imposed velocities can leave the problem without this "
               "guarantee.";
      case Verdict::not_guaranteed:
        return "The criterion fails: a solution may or may not exist; the given reactions keep each other in balance and resist the "
               "imposed "
               "motion.";
      case Verdict::impossible:
        if (out_.reason == "bilateral_constraints") return "No solution exists: the bilateral constraints contradict each other.";
        return "No solution exists: the imposed motion makes some bodies penetrate, whatever the reactions are.";
    }
    return {};
  }

  const Problem& problem_;
  const ExistenceOptions& options_;
  Kinematics k_;
  Clock::time_point start_;
  double scale_ = 1;
  Vector w_, b_;  // divided by scale_
  Vector v_rigid_;
  std::optional<Pruning> pruning_;
  SparseRows full_B_;  // before pruning
  Vector full_w_;
  bool frictionless_ = false;
  double asymmetry_ = 0;  // of a local W, relative
  ConicSolver solver_;
  Existence out_;
};

// The theorem needs xᵀMx > 0.
void require_positive_definite(const GlobalProblem& problem) {
  const SparseColumns M = to_columns(problem.M);
  if (ScaledFactor(symmetric_part(M)).least_pivot > 1e-14) return;
  throw InvalidProblem("M: found a matrix that is not positive definite, expected xᵀMx > 0 (the existence theorem needs it)");
}

// W = HᵀM⁻¹H with such an M has xᵀWx ≥ 0.
void require_semidefinite(const LocalProblem& problem) {
  if (positive_semidefinite(to_columns(problem.W))) return;
  throw InvalidProblem("W: found a matrix that is not positive semi-definite, expected xᵀWx ≥ 0 (the existence theorem needs it)");
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::guaranteed_robust: return "guaranteed_robust";
    case Verdict::guaranteed: return "guaranteed";
    case Verdict::not_guaranteed: return "not_guaranteed";
    case Verdict::impossible: return "impossible";
  }
  return "?";
}

Existence check_existence(const Problem& problem, const ExistenceOptions& options) {
  validate(problem);
  if (const auto* local = std::get_if<LocalProblem>(&problem)) require_semidefinite(condense(*local));
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) require_positive_definite(*global);
  return Checker(problem, options).run();
}

}  // namespace cornet
