// A deformable solid whose contacts are at its nodes, at most one per node (seed 002 §4.5.5): every node can be given a velocity of its
// own, H has full column rank and a solution exists for every μ and every w. The solid is a lattice of point masses and springs, squeezed
// and sheared between two plates that come together, which crushes a rigid body (crushed-ball): M = m I + h² K, one implicit step.
#include <fmt/format.h>

#include <cmath>

#include "cornet/existence.h"
#include "reproduce/harness.h"
#include "reproduce/plane.h"
#include "reproduce/table.h"

namespace cornet::reproduction {
namespace {

constexpr double kStep = 0.01, kStiffness = 2000, kMass = 0.1;

struct Lattice {
  int dim = 2;
  std::vector<Eigen::VectorXd> nodes;
  std::vector<std::pair<int, int>> springs;
  std::vector<int> bottom, top;
};

// `across` cells in the horizontal directions, `up` cells in the vertical one (the last coordinate); neighbours at most a diagonal apart.
Lattice make_lattice(int dim, int across, int up) {
  Lattice out;
  out.dim = dim;
  const int depth = dim == 3 ? across : 0;
  for (int k = 0; k <= up; ++k)
    for (int j = 0; j <= depth; ++j)
      for (int i = 0; i <= across; ++i) {
        const int node = static_cast<int>(out.nodes.size());
        Eigen::VectorXd x(dim);
        x[0] = i;
        if (dim == 3) x[1] = j;
        x[dim - 1] = k;
        for (int other = 0; other < node; ++other)
          if ((out.nodes[static_cast<std::size_t>(other)] - x).cwiseAbs().maxCoeff() < 1.5) out.springs.emplace_back(other, node);
        out.nodes.push_back(x);
        if (k == 0) out.bottom.push_back(node);
        if (k == up) out.top.push_back(node);
      }
  return out;
}

// Plates: the lower one rises, the upper one comes down and moves sideways. Every contact has the plate's normal and the horizontal axes.
GlobalProblem squeezed(const Lattice& lattice, double mu) {
  const int d = lattice.dim, n = d * static_cast<int>(lattice.nodes.size());
  const int nc = static_cast<int>(lattice.bottom.size() + lattice.top.size());
  Eigen::MatrixXd m = kMass * Eigen::MatrixXd::Identity(n, n), h = Eigen::MatrixXd::Zero(n, d * nc);
  for (const auto& [a, b] : lattice.springs) {
    const Eigen::VectorXd e = (lattice.nodes[static_cast<std::size_t>(b)] - lattice.nodes[static_cast<std::size_t>(a)]).normalized();
    const Eigen::MatrixXd k = kStep * kStep * kStiffness * e * e.transpose();
    m.block(d * a, d * a, d, d) += k;
    m.block(d * b, d * b, d, d) += k;
    m.block(d * a, d * b, d, d) -= k;
    m.block(d * b, d * a, d, d) -= k;
  }
  Eigen::VectorXd w = Eigen::VectorXd::Zero(d * nc), f = Eigen::VectorXd::Zero(n);
  int contact = 0;
  for (const bool lower : {true, false})
    for (const int node : lower ? lattice.bottom : lattice.top) {
      h(d * node + d - 1, d * contact) = lower ? 1 : -1;
      for (int t = 1; t < d; ++t) h(d * node + t - 1, d * contact + t) = 1;
      w[d * contact] = -1;  // the plate comes nearer with 1 m/s
      if (!lower) w[d * contact + 1] = -2;
      ++contact;
    }
  return global_problem(d, m, h, f, w, std::vector<double>(static_cast<std::size_t>(nc), mu));
}

void draw(Report& report, const Lattice& lattice) {
  svg::Canvas canvas(1000, 300);
  int panel = 0;
  for (const double mu : {0.0, 0.4, kInfinity}) {
    const GlobalProblem problem = squeezed(lattice, mu);
    const Result result = solve_to(problem, 1e-9);
    svg::Plot plot(canvas, {10.0 + 330 * panel, 40, 310, 240}, {-1, 7.6, ""}, {-0.8, 4.8, ""}, fmt::format("μ = {}", short_number(mu)),
                   true, svg::Plot::Look::bare);
    draw_wall(plot, {-0.8, 0.4}, {7.2, 0.4}, {0, 1});
    draw_wall(plot, {7.2, 3.6}, {-0.8, 3.6}, {0, -1});
    const double stretch = 0.4;
    const auto moved = [&](int node) {
      const auto k = static_cast<std::size_t>(node);
      return Point{lattice.nodes[k][0] + stretch * result.x.v[2 * k], lattice.nodes[k][1] + stretch * result.x.v[2 * k + 1]};
    };
    for (const auto& [a, b] : lattice.springs) plot.line({moved(a), moved(b)}, svg::stroke("#88AACC", 1.2));
    double strongest = 0;
    for (const double x : result.x.r) strongest = std::max(strongest, std::abs(x));
    int contact = 0;
    for (const bool lower : {true, false})
      for (const int node : lower ? lattice.bottom : lattice.top) {
        const auto k = static_cast<std::size_t>(contact++);
        const double normal = result.x.r[2 * k] / strongest, tangent = result.x.r[2 * k + 1] / strongest;
        const Point p = moved(node);
        plot.arrow(p, {p.x + 1.2 * tangent, p.y + 1.2 * (lower ? normal : -normal)}, svg::stroke(svg::colour::kRed, 1.8));
        plot.markers({p}, svg::fill(svg::colour::kBlack), 2.5);
      }
    if (panel == 0) plot.arrow({4.4, 4.3}, {6.4, 4.3}, svg::stroke(svg::colour::kBlue, 2));
    ++panel;
  }
  report.figures.push_back({"deformable.svg",
                            "A lattice of springs squeezed and sheared between two plates: velocities (exaggerated) and reactions.",
                            canvas.str()});
}

}  // namespace

void deformable(Report& report) {
  for (const int dim : {2, 3}) {
    const Lattice lattice = dim == 2 ? make_lattice(2, 6, 4) : make_lattice(3, 3, 2);
    for (const double mu : {0.0, 0.1, 1.0, 10.0, kInfinity}) {
      const GlobalProblem problem = squeezed(lattice, mu);
      const Existence found = check_existence(problem);
      const std::string with = fmt::format(", d = {}, {} contacts, μ = {}", dim, problem.contacts(), short_number(mu));
      expect_same(report, "verdict" + with, "guaranteed_robust", to_string(found.verdict));
      expect_true(report, "certificate verified by separate code" + with, verify_existence(problem, found.verdict, found.certificate));
      expect_at_most(report, "certified error of the solution" + with, 1e-8, solve_to(problem, 1e-8).certificate.error);
    }
    const GlobalProblem problem = squeezed(lattice, 1);
    const Eigen::MatrixXd h = dense(problem.H);
    expect_near(report, fmt::format("rank of H, d = {}: all its columns", dim), static_cast<double>(h.cols()),
                static_cast<double>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(h).rank()), 0);
  }
  draw(report, make_lattice(2, 6, 4));
}

}  // namespace cornet::reproduction
