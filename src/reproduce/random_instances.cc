// Random instances of the one-step problem (seed 001 §5.2, Tables 1 and 2): n contacts, m = 4n degrees of freedom, μ uniform in an
// interval.
//
// The paper takes M from matlab's sprandsym and H from sprandn and says no more. Here M is a diagonal of eigenvalues between ½ and 1,
// evenly spaced in the logarithm, turned by random Givens rotations until a tenth of its entries are non-zero; half of the entries of
// each column of H are normally distributed, the others zero; f is normally distributed. Everything is homogeneous in (f, w), so they are
// scaled to give the paper's φ(s_initial). The start is s = 0. Sparser H and worse conditioned M make the method fail more often
// (docs/reproduce.md).
//
// With w = 0 half of the contacts are closed at the solution. The paper's few iterations would fit instances in which most contacts open:
// then F hardly depends on s. So a second set has opening velocities w_N > 0, of normal distribution and four times the root mean square
// of Hᵀ M⁻¹ f.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/harness.h"
#include "reproduce/landscape.h"
#include "reproduce/svg.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

struct Instance {
  int contacts;
  double mu_min, mu_max;
  int iterations;  // of the paper, and its φ
  double initial, final;
};

const std::vector<Instance> kPlane = {{10, 0.5, 2, 1, 42.3, 3.1e-30},  {20, 0.5, 2, 2, 38.8, 8.4e-27},  {30, 0.5, 2, 3, 166.1, 1.6e-28},
                                      {40, 0.2, 3, 3, 184.6, 1.2e-27}, {50, 0.2, 3, 1, 303.9, 2.6e-27}, {60, 0.2, 3, 4, 610.8, 7.8e-29}};
const std::vector<Instance> kSpace = {{10, 0.5, 2, 2, 44.8, 2.2e-11},  {20, 0.5, 2, 2, 90.3, 1.6e-11},   {30, 0.5, 2, 2, 369.1, 9.0e-10},
                                      {40, 0.2, 3, 2, 414.4, 7.4e-15}, {50, 0.2, 3, 2, 1105.9, 1.7e-10}, {60, 0.2, 3, 4, 1287.3, 2.7e-9}};

constexpr double kMassDensity = 0.1, kContactDensity = 0.5, kLeastEigenvalue = 0.5;

Eigen::MatrixXd random_mass(int size, Random& random) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(size, size);
  for (int k = 0; k < size; ++k) m(k, k) = std::pow(kLeastEigenvalue, static_cast<double>(k) / (size - 1));
  const auto wanted = static_cast<Eigen::Index>(kMassDensity * size * size);
  while ((m.array() != 0).count() < wanted) {
    const int i = random.index(size), j = (i + 1 + random.index(size - 1)) % size;
    const double angle = random.uniform(0, 6.28318530717958648), c = std::cos(angle), s = std::sin(angle);
    const Eigen::RowVectorXd row = m.row(i);
    m.row(i) = c * row + s * m.row(j);
    m.row(j) = c * m.row(j) - s * row;
    const Eigen::VectorXd column = m.col(i);
    m.col(i) = c * column + s * m.col(j);
    m.col(j) = c * m.col(j) - s * column;
  }
  return 0.5 * (m + m.transpose());
}

// `opening`: w_N in units of the root mean square of the free velocities.
GlobalProblem make_problem(int dim, const Instance& instance, double opening, unsigned long long seed) {
  Random random(seed);
  const int n = 4 * instance.contacts, m = dim * instance.contacts;
  const Eigen::MatrixXd mass = random_mass(n, random);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n, m);
  const int filled = static_cast<int>(kContactDensity * n);
  for (int j = 0; j < m; ++j)
    for (int left = filled; left > 0;)
      if (double& x = h(random.index(n), j); x == 0) {
        x = random.normal();
        --left;
      }
  Eigen::VectorXd f(n);
  for (double& x : f) x = random.normal();
  std::vector<double> mu;
  for (int k = 0; k < instance.contacts; ++k) mu.push_back(random.uniform(instance.mu_min, instance.mu_max));
  GlobalProblem problem = global_problem(dim, mass, h, f, Eigen::VectorXd::Zero(m), mu);
  problem.name = fmt::format("random-{}d-{}", dim, instance.contacts);
  const double size = (h.transpose() * mass.llt().solve(f)).norm() / std::sqrt(static_cast<double>(m));
  for (int k = 0; k < instance.contacts; ++k) problem.w[static_cast<std::size_t>(dim * k)] = opening * size * std::abs(random.normal());
  const double phi = landscape(problem, std::vector<double>(static_cast<std::size_t>(instance.contacts), 0.0), 1e-10);
  for (std::vector<double>* load : {&problem.f, &problem.w})
    for (double& x : *load) x *= std::sqrt(instance.initial / phi);
  return problem;
}

double statistic(const Result& result, const char* name) {
  const auto it = result.statistics.find(name);
  return it == result.statistics.end() ? std::nan("") : it->second;
}

Result newton(const GlobalProblem& problem) {
  RunOptions options;
  options.solver = "aclm-newton";
  options.tolerance = problem.dim == 2 ? 1e-13 : 1e-11;
  options.keep_history = true;
  options.options = {{"start", "zero"}};
  return solve(problem, options);
}

// Iterations until φ is as small as the paper's.
long iterations_to(const Result& result, double phi) {
  for (const HistoryEntry& entry : result.history)
    if (entry.own_residual <= phi) return entry.iteration;
  return result.iterations;
}

void run(Report& report, int dim, const std::vector<Instance>& instances, double bound, const std::string& figure) {
  ReportTable table{fmt::format("Table {} of the paper (instances of its own) beside ours; #iter until φ ≤ {:.0e}", dim - 1, bound),
                    {">n", ">m", "μ", ">w_N", ">#iter", ">ours", ">φ(initial)", ">ours", ">φ(final)", ">ours"},
                    {}};
  svg::Canvas canvas(720, 460);
  svg::Plot plot(canvas, {}, {0, 10, "iteration"}, {1e-32, 1e4, "φ", true},
                 fmt::format("Newton on s = F(s), random instances, d = {}", dim));
  for (const double opening : {0.0, 4.0}) {
    std::vector<long> counts;
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const Instance& instance = instances[k];
      const GlobalProblem problem = make_problem(dim, instance, opening, 100 * static_cast<unsigned long long>(dim) + k);
      const Result result = newton(problem);
      const double initial = statistic(result, "phi_initial"), final = statistic(result, "phi_final");
      counts.push_back(iterations_to(result, bound));
      const std::string which = fmt::format("instance {}, n = {}, w_N {} 0", k + 1, instance.contacts, opening == 0 ? "=" : ">");
      expect_same(report, "status, " + which, "solved", to_string(result.status));
      expect_at_most(report, "φ(s_final), " + which, bound, final);
      table.rows.push_back({std::to_string(instance.contacts), std::to_string(problem.dofs()),
                            fmt::format("{}…{}", instance.mu_min, instance.mu_max), opening == 0 ? "0" : "> 0",
                            std::to_string(instance.iterations), std::to_string(counts.back()), short_number(instance.initial, 4),
                            short_number(initial, 4), short_number(instance.final, 2), short_number(final, 2)});
      std::vector<svg::Point> line = {{0, initial}};
      for (const HistoryEntry& entry : result.history)
        if (line.back().x < static_cast<double>(entry.iteration))
          line.push_back({static_cast<double>(entry.iteration), std::max(entry.own_residual, 1e-32)});
      const char* colour = svg::nth_colour(static_cast<int>(k));
      plot.line(line, svg::stroke(colour, 1.6, opening == 0 ? "" : "3 4"), opening == 0 ? fmt::format("n = {}", instance.contacts) : "");
      plot.markers(line, opening == 0 ? svg::fill(colour) : svg::Style{colour, 1.5, "#FFFFFF", "", 1}, 3.5);
    }
    std::sort(counts.begin(), counts.end());
    if (opening > 0) expect_at_most(report, "median of the iterations, w_N > 0", 4, static_cast<double>(counts[counts.size() / 2]));
    else expect_at_most(report, "largest number of iterations, w = 0", 10, static_cast<double>(counts.back()));
  }
  plot.line({{0, bound}, {10, bound}}, svg::stroke(svg::colour::kGrey, 1, "4 4"), fmt::format("{:.0e}", bound));
  report.tables.push_back(table);
  plot.legend(svg::Corner::top_right);
  report.figures.push_back(
      {figure, fmt::format("Convergence of φ on the random instances, d = {}: w = 0 (full), w_N > 0 (dashed).", dim), canvas.str()});

  // More of them than the paper has: where the method fails it must say so, and the default solver must do.
  int total = 0, solved = 0, rescued = 0;
  for (unsigned long long seed = 1000; seed < 1004; ++seed)
    for (const Instance& instance : instances) {
      const GlobalProblem problem = make_problem(dim, instance, 0, seed);
      const bool good = newton(problem).solved();
      ++total;
      solved += good;
      rescued += good || solve_to(problem, 1e-8).solved();
    }
  expect_all(report, fmt::format("{} more instances, w = 0: aclm-newton ({} of them) or {} solves", total, solved, kDefaultSolver), total,
             rescued);
}

}  // namespace

void random_2d(Report& report) { run(report, 2, kPlane, 1e-24, "random-2d.svg"); }
void random_3d(Report& report) { run(report, 3, kSpace, 1e-8, "random-3d.svg"); }

}  // namespace cornet::reproduction
