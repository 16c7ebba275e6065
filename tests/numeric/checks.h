// What must hold for every solver on every problem, whatever the problem is:
//
//   ends       no exception; the time limit is kept; a documented status
//   finite     no NaN in any output, no infinity in the answer
//   true       `solved` only when the error, recomputed here in long double, is at most the tolerance
//   possible   `solved` never where the verdict is "impossible", unless what it proves is less than an error up to the tolerance hides at contacts
//              with a huge μ (a penetration p is an error of p/√(1+μ²)); `no_solution` never where somebody has a solution that is one in units of its
//              own too: in units in which r counts for little against u, err ≤ tolerance says little about r ("by units")
//   complete   where existence is guaranteed and somebody finds a solution – enumeration, the convex relaxation, another solver – auto finds one,
//              unless its reactions are so large against ‖q‖ that doubles cannot hold them on the cone closely enough: "beyond double"
//
// The error here is a third hand beside certificate.cc and checks/certify.py: dense, long double, from the formulas alone.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cornet/convex.h"
#include "cornet/enumerate.h"
#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "numeric/draw.h"

namespace cornet::numeric {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// u = W r + q for the reactions of a problem, and what rounding of long double may have added to it.
struct Velocities {
  RealVector u, q;
  Real rounding = 0;
  bool known = true;  ///< false when the linear system is too close to singular for a word
};

inline Velocities velocities(const Drawn& d, const std::vector<double>& reactions) {
  const auto real = [](const auto& a) { return a.template cast<Real>().eval(); };
  const RealVector r = real(test::vec(reactions));
  const Eigen::Index m = r.size(), n = d.global ? d.M.rows() : 0, p = d.global ? d.G.cols() : d.V.cols();
  Velocities v;
  RealMatrix A = RealMatrix::Zero(n + p, n + p), B(n + p, m), C(m, n + p);  // u = D r + C y + o, A y = B r + c
  RealVector c(n + p), o;
  RealMatrix D = RealMatrix::Zero(m, m);
  if (d.global) {
    A.topLeftCorner(n, n) = real(d.M);
    A.topRightCorner(n, p) = -real(d.G);
    A.bottomLeftCorner(p, n) = real(d.G).transpose();
    B.topRows(n) = real(d.H);
    B.bottomRows(p).setZero();
    C.leftCols(n) = real(d.H).transpose();
    C.rightCols(p).setZero();
    c << real(d.f), -real(d.b);
    o = real(d.w);
  } else {
    A = real(d.R);
    B = -real(d.V).transpose();
    C = real(d.V);
    c = -real(d.s);
    D = real(d.W);
    o = real(d.q);
  }
  RealVector from_r = D * r;
  v.q = o;
  v.rounding = (D.cwiseAbs() * r.cwiseAbs()).norm() + r.norm();
  if (n + p > 0) {
    const Eigen::FullPivLU<RealMatrix> lu(A);
    v.known = lu.rank() == n + p && lu.rcond() > 1e-13L;
    const RealVector y_r = lu.solve(B * r), y_c = lu.solve(c);
    from_r += C * y_r;
    v.q += C * y_c;
    v.rounding += C.norm() * (y_r.norm() + y_c.norm()) / std::max<Real>(lu.rcond(), 1e-19L);
  }
  v.u = from_r + v.q;
  v.rounding = (v.rounding + v.q.norm()) * 1.1e-19L * static_cast<Real>(m + n + 1);
  return v;
}

/// What rounding of the reactions alone, ε‖r‖ where there is friction, does to the error.
inline double rounding_of_reactions(const Drawn& d, const Result& result) {
  double sum = 0;
  for (int a = 0; a < d.contacts(); ++a)
    if (const double mu = d.mu[static_cast<std::size_t>(a)]; mu > 0 && std::isfinite(mu))
      sum += test::vec(result.x.r).segment(d.dim * a, d.dim).squaredNorm();
  return 2.2e-16 * std::sqrt(sum) / std::max(result.certificate.norm_q, 2.3e-16);
}

/// The same problem in units in which W and q are of size one, up to a factor of two: u in units of β, r in units of β / ‖W‖.
inline Drawn in_own_units(Drawn d) {
  const Eigen::VectorXd probe = Eigen::VectorXd::Ones(d.dim * d.contacts());
  const Velocities v = velocities(d, test::list(probe));
  const auto power = [](Real size) { return size > 0 ? std::exp2(std::round(static_cast<double>(std::log2(size)))) : 1.0; };
  const double beta = power(v.q.norm()), gamma = beta / power((v.u - v.q).norm() / static_cast<Real>(probe.norm()));
  if (d.global) {
    d.M *= beta / gamma;
    d.f /= gamma;
    d.w /= beta;
    d.b /= beta;
  } else {
    d.W *= gamma / beta;
    d.q /= beta;
    d.V *= std::sqrt(gamma / beta);
    d.s /= std::sqrt(gamma * beta);
  }
  return d;
}

/// One complaint: who did what.
struct Complaint {
  std::string solver;
  std::string what;
};

struct Counts {
  long problems = 0, runs = 0, solved = 0, guaranteed = 0, due = 0, due_solved = 0, beyond_double = 0, by_units = 0, impossible = 0,
       undecided = 0;
  double latest = -1e9;                   ///< largest time beyond a limit, s
  std::map<std::string, double> seconds;  ///< spent in each solver
};

struct Bounds {
  double tolerance = 1e-8;
  double time = 2;         ///< s, for every solver but auto
  double auto_time = 20;   ///< s, where a solution exists
  double doubtful = 0.05;  ///< s, for auto where none need exist: it uses all of its time
  long iterations = 300;   ///< for every solver but auto
  double grace = 1;        ///< s beyond the time limit before it is a complaint: the machine may be busy
};

inline bool finite(const std::vector<double>& a) {
  return std::all_of(a.begin(), a.end(), [](double x) { return std::isfinite(x); });
}

/// Why an answer is wrong, or nothing.
inline std::string wrong(const Drawn& d, const Result& result) {
  const Iterate& x = result.x;
  if (!finite(x.r) || !finite(x.u) || !finite(x.v) || !finite(x.lambda)) return "an answer that is not finite";
  if (std::isnan(result.certificate.error) || std::isnan(result.certificate.natural_map)) return "a certificate with NaN";
  for (const auto& [key, value] : result.statistics)
    if (std::isnan(value)) return "statistics with NaN: " + key;
  for (const Stage& stage : result.stages)
    if (std::isnan(stage.error) || std::isnan(stage.time)) return "a stage with NaN: " + stage.method;
  if (!result.solved()) return "";
  if (!(result.certificate.error <= result.tolerance)) return "solved above the tolerance by its own certificate";
  const Velocities v = velocities(d, x.r);
  if (!v.known) return "";
  // The certificate leaves rounding up to 1e-8 uncounted; long double has its own, for which the data are no more than double.
  const Real norm = v.q.norm(), unit = norm > 2.3e-16L ? norm : 1,
             error = test::LawIn<Real>::residual(d.dim, test::vec(x.r).cast<Real>(), v.u, d.mu);
  if (error > (result.tolerance + 1.1e-8L) * unit + v.rounding)
    return "solved with error " + std::to_string(static_cast<double>(std::log10(error / unit))) + " (log10), rounding " +
           std::to_string(static_cast<double>(std::log10(v.rounding / unit)));
  return "";
}

inline std::string guarded(const std::function<std::string()>& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return std::string("an exception: ") + e.what();
  }
}

/// Solves with one solver and complains.
inline std::string run(const Drawn& d, const Problem& problem, const std::string& solver, bool guaranteed, const Bounds& limits,
                       Counts& counts, std::optional<Result>& kept) {
  return guarded([&]() -> std::string {
    const SolverInfo& info = find_solver(solver);
    const bool automatic = solver == "auto";
    RunOptions options;
    options.solver = solver;
    options.tolerance = limits.tolerance;
    options.time_limit = !automatic ? limits.time : guaranteed ? limits.auto_time : limits.doubtful;
    options.max_iterations = automatic ? 0 : std::min(limits.iterations, info.max_iterations);
    const auto start = std::chrono::steady_clock::now();
    Result result = solve(problem, options);
    const double beyond = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - options.time_limit;
    ++counts.runs;
    counts.solved += result.solved();
    counts.latest = std::max(counts.latest, beyond);
    counts.seconds[solver] += beyond + options.time_limit;
    if (beyond > limits.grace) return "ended " + std::to_string(beyond) + " s after its time limit";
    if (!automatic && result.iterations > options.max_iterations)
      return std::to_string(result.iterations) + " iterations, limit " + std::to_string(options.max_iterations);
    std::string complaint = wrong(d, result);
    kept = std::move(result);
    return complaint;
  });
}

/// The solvers beside auto whose turn it is at this seed.
inline std::vector<std::string> others_for(std::uint64_t seed, std::size_t count) {
  std::vector<std::string> ids;
  const auto& all = solvers();
  for (std::size_t k = 0; ids.size() < std::min(count, all.size() - 1); ++k)
    if (const std::string& id = all[(seed * count + k) % all.size()].id; id != "auto") ids.push_back(id);
  return ids;
}

/// A certified solution found without any solver of contact problems, or nothing.
inline bool solution_known(const Problem& problem, double tolerance) {
  if (why_not_enumerable(problem).empty() && contacts(problem) <= 8) {
    EnumerationOptions options;
    options.time_limit = 2;
    options.all = false;
    options.tolerance = tolerance;
    for (const EnumeratedSolution& s : enumerate_solutions(problem, options).solutions)
      if (certify(problem, s.x).error <= tolerance) return true;
  }
  ConvexOptions options;
  options.time_limit = 2;
  options.tolerance = std::min(1e-10, tolerance);
  const ConvexResult relaxed = solve_convex(problem, {}, options);
  return relaxed.status != ConvexStatus::infeasible && finite(relaxed.x.r) && certify(problem, relaxed.x).error <= tolerance;
}

/// Whether a proof of impossibility excludes errors up to the tolerance as well: it has normal reactions r in balance, so that Σ r_N p ≥ |wᵀr + bᵀλ| for the
/// penetrations p of any velocities, and a penetration is an error of p/√(1+μ²) at least.
inline bool beyond_tolerance(const Problem& problem, const ExistenceCertificate& proof, const Result& result) {
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const LocalProblem local = global ? LocalProblem{} : condense(std::get<LocalProblem>(problem));
  const std::vector<double>&w = global ? global->w : local.q, &mu = global ? global->mu : local.mu;
  double work = 0, hidden = 0;
  for (std::size_t k = 0; k < w.size(); ++k) work += w[k] * proof.r[k];
  for (std::size_t k = 0; k < proof.lambda.size(); ++k) work += global->b[k] * proof.lambda[k];
  for (std::size_t a = 0; a < mu.size(); ++a)
    if (const double r_N = proof.r[a * w.size() / mu.size()]; r_N > 0) hidden += r_N * std::hypot(1.0, mu[a]);
  return -work > result.tolerance * result.certificate.norm_q * hidden;
}

/// Everything that must hold, with auto and the given other solvers.
inline std::vector<Complaint> check(const Drawn& d, const std::vector<std::string>& others, const Bounds& limits, Counts& counts) {
  std::vector<Complaint> complaints;
  const Problem problem = d.problem();
  const auto note = [&](const std::string& solver, const std::string& what) {
    if (!what.empty()) complaints.push_back({solver, what});
  };
  ++counts.problems;

  std::optional<Existence> existence;
  try {
    ExistenceOptions options;
    options.time_limit = 5;
    existence = check_existence(problem, options);
  } catch (const InvalidProblem& e) {
    note("existence", std::string("refused: ") + e.what());
    return complaints;
  } catch (const Error&) {
    ++counts.undecided;  // documented: it may not decide within its limits
  } catch (const std::exception& e) {
    note("existence", std::string("an exception: ") + e.what());
  }
  const bool impossible = existence && existence->verdict == Verdict::impossible;
  const bool guaranteed = existence && existence->verdict <= Verdict::guaranteed;
  counts.impossible += impossible;
  counts.guaranteed += guaranteed;

  std::vector<std::string> ids = others;
  ids.insert(ids.begin(), "auto");
  std::vector<std::string> solved_by;
  std::string denied_by;
  bool auto_solved = false, beyond_double = false;
  for (const std::string& id : ids) {
    std::optional<Result> result;
    note(id, run(d, problem, id, guaranteed, limits, counts, result));
    if (!result) continue;
    if (result->solved()) solved_by.push_back(id);
    if (impossible && result->solved() && beyond_tolerance(problem, existence->certificate, *result))
      note(id, "solved what is called impossible");
    if (result->status == Status::no_solution) denied_by = id;
    if (id != "auto") continue;
    auto_solved = result->solved();
    beyond_double = !auto_solved && rounding_of_reactions(d, *result) > 0.1 * limits.tolerance;
  }
  bool known = false;
  if (guaranteed) note("convex or enumerate", guarded([&] { return known = solution_known(problem, limits.tolerance), ""; }));
  counts.beyond_double += known && beyond_double;
  known = known && !beyond_double;
  counts.due += known;
  counts.due_solved += known && auto_solved;
  if (known && !auto_solved) note("auto", "not solved although a solution is known");
  if (!solved_by.empty() && guaranteed && !auto_solved && !beyond_double) note("auto", "not solved although " + solved_by.back() + " did");
  if (!denied_by.empty() && known) note(denied_by, "no_solution although one is known");
  if (!denied_by.empty() && !known && !solved_by.empty()) {
    const Drawn own = in_own_units(d);
    std::string firm;
    for (const std::string& id : solved_by) {
      std::optional<Result> result;
      Counts ignored;
      note(id, run(own, own.problem(), id, true, limits, ignored, result));
      if (result && result->solved()) firm = id;
    }
    counts.by_units += firm.empty();
    if (!firm.empty()) note(denied_by, "no_solution although " + firm + " has one");
  }
  return complaints;
}

}  // namespace cornet::numeric
