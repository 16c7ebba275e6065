// From records to figures: performance profiles (Dolan, Moré 2002) and what else can be read off a campaign. Pure functions.
//
//   t(p, s)  cost of solver s on problem p, ∞ when it did not solve it
//   r(p, s) = t(p, s) / min over s of t(p, s)
//   ρ_s(τ)  = share of the problems with r(p, s) ≤ τ
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cornet/campaign.h"
#include "cornet/export.h"

namespace cornet::campaign {

/// Costs of all solvers on all problems; each is positive, or ∞.
struct Costs {
  std::vector<std::string> solvers;
  std::vector<double> values;  ///< problem by problem, one value per solver

  std::size_t problems() const { return solvers.empty() ? 0 : values.size() / solvers.size(); }
  double operator()(std::size_t problem, std::size_t solver) const { return values[problem * solvers.size() + solver]; }
};

/// ρ of one solver: a step function that jumps to rho[k] at tau[k]; tau increases and starts at 1 or later.
struct CORNET_API Curve {
  std::string solver;
  std::vector<double> tau;
  std::vector<double> rho;

  double at(double ratio) const;  ///< ρ(τ)
};

/// Problems that nobody solves count. Throws InvalidOption on a cost that is not positive.
CORNET_API std::vector<Curve> performance_profile(const Costs& costs);

/// exp(mean of log(t + shift)) − shift; NaN of no values.
CORNET_API double shifted_geometric_mean(const std::vector<double>& values, double shift);

enum class Measure { time, iterations, products };
CORNET_API const char* to_string(Measure measure);

/// Which records to look at. Names may have * and ?; empty lists mean all.
struct Selection {
  Measure by = Measure::time;
  std::vector<std::string> solvers;   ///< labels
  std::vector<std::string> families;  ///< of solvers
  std::vector<std::string> sets;      ///< of problems
  std::vector<double> tolerances;
};

/// How one solver, or the best of one family on each problem, did on some problems.
struct Score {
  std::string name;
  std::string family;
  long instances = 0;
  long solved = 0;
  long wins = 0;          ///< fewest cost of all, ties count for each
  long false_claims = 0;  ///< said to have converged, and the certificate disagrees
  double mean = 0;        ///< shifted geometric mean; a failed run counts with the limit of its instance
  double failure_rate() const { return instances ? 1 - static_cast<double>(solved) / static_cast<double>(instances) : 0; }
};

struct SetScores {
  std::string set;
  double tolerance = 0;
  std::vector<Score> solvers;  ///< in the order of Evaluation::solvers
};

struct Evaluation {
  Measure by = Measure::time;
  double shift = 0;             ///< of the geometric means: 1 ms, 10 iterations, 10 products
  long records = 0;             ///< selected
  long superseded = 0;          ///< older records of the same solver and instance
  long instances = 0;           ///< problem × tolerance, on which every solver ran
  long incomplete = 0;          ///< left out because some solver did not run on them
  long unsolved = 0;            ///< by everybody
  std::vector<Score> solvers;   ///< as they first appear in the records
  std::vector<Score> families;  ///< each the best of its solvers, in hindsight
  std::vector<SetScores> sets;
  std::vector<Curve> curves;  ///< of the solvers
  std::vector<Curve> family_curves;
  std::vector<std::string> notes;  ///< what was left out, for people
};

/// Throws InvalidOption when nothing is selected or no instance is left.
CORNET_API Evaluation evaluate(const std::vector<Record>& records, const Selection& selection = {});

/// One way to split the problems in classes, with the family that wins in each.
struct Explanation {
  std::string variable;  ///< "sliding contacts", "rank ratio" …
  /// Share of the uncertainty about the winning family that the classes remove (mutual information over entropy), less what shuffled
  /// classes remove on average; 0: nothing, 1: all. NaN when there are too few data.
  double explained = 0;
  struct Class {
    double lower = 0, upper = 0;
    std::vector<long> wins;  ///< per family
  };
  std::vector<Class> classes;  ///< thirds of the problems
};

struct Insight {
  std::vector<std::string> families;
  std::vector<Explanation> explanations;  ///< the best first
  struct Advice {
    std::string situation;  ///< "full rank, up to 100 contacts, tolerance 1e-08"
    long instances = 0;
    std::string solver;
    long solved = 0;
    double mean = 0;          ///< seconds, shifted geometric mean
    std::string alternative;  ///< the next one of another family
    long alternative_solved = 0;
    double alternative_mean = 0;
  };
  std::vector<Advice> advice;
};

/// Does the mix of contact statuses explain which family wins, and which solver should one use?
CORNET_API Insight learn(const std::vector<Record>& records, const Selection& selection = {});

/// Fits time = c · contacts^p on the solved runs of a solver. NaN with fewer than three sizes.
struct Growth {
  std::string solver;
  double exponent = 0;
  double factor = 0;
  long runs = 0;
};
CORNET_API std::vector<Growth> growth(const std::vector<Record>& records, const Selection& selection = {});

/// The data of the report page: one JSON object (docs/campaigns.md).
CORNET_API std::string report_data(const std::vector<Record>& records, const std::string& title);

}  // namespace cornet::campaign
