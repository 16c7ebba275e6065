// Contacts of solids: every node of a surface against rigid pieces, and against the faces of the solids that come later in the scene. On a
// face the point is ξ, η with x(ξ, η) = Σ N_i x_i nearest to the node; its four nodes carry the shares N_i of the reaction.
#include <algorithm>
#include <cmath>

#include "sim/world.h"

namespace cornet::sim {
namespace {

constexpr int kCorner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

struct OnFace {
  double xi = 0, eta = 0, gap = 0;
  Vector normal, point;
  std::array<double, 4> share{};
};

// Newton on the two tangent equations; false when the foot point is not on the face.
bool project_on_face(const Vector& p, const std::array<Vector, 4>& x, double margin, OnFace& out) {
  double xi = 0, eta = 0;
  Vector foot, dx, dy;
  for (int it = 0; it < 20; ++it) {
    foot.setZero();
    dx.setZero();
    dy.setZero();
    for (int k = 0; k < 4; ++k) {
      const double a = 1 + kCorner[k][0] * xi, b = 1 + kCorner[k][1] * eta;
      out.share[k] = a * b / 4;
      foot += out.share[k] * x[k];
      dx += kCorner[k][0] * b / 4 * x[k];
      dy += kCorner[k][1] * a / 4 * x[k];
    }
    const Vector d = p - foot;
    const double a = dx.dot(dx), b = dx.dot(dy), c = dy.dot(dy), det = a * c - b * b;
    if (!(det > 0)) return false;
    const double e = d.dot(dx), f = d.dot(dy);
    const double sx = (c * e - b * f) / det, sy = (a * f - b * e) / det;
    xi += sx;
    eta += sy;
    if (std::abs(xi) > 3 || std::abs(eta) > 3) return false;
    if (std::abs(sx) + std::abs(sy) < 1e-14) break;
  }
  // A node a hair beyond the border still rests on it.
  constexpr double kBorder = 1.02;
  if (std::abs(xi) > kBorder || std::abs(eta) > kBorder) return false;
  xi = std::clamp(xi, -1.0, 1.0);
  eta = std::clamp(eta, -1.0, 1.0);
  foot.setZero();
  for (int k = 0; k < 4; ++k) {
    out.share[k] = (1 + kCorner[k][0] * xi) * (1 + kCorner[k][1] * eta) / 4;
    foot += out.share[k] * x[k];
  }
  out.xi = xi;
  out.eta = eta;
  out.normal = dx.cross(dy).normalized();
  out.gap = out.normal.dot(p - foot);
  out.point = (p + foot) / 2;
  return out.gap <= margin;
}

}  // namespace

void World::solid_contacts(double h, std::vector<ActiveContact>& out) {
  const int bodies_count = static_cast<int>(bodies.size()), pieces = static_cast<int>(colliders.size());
  const double fall = h * h * vector(scene.gravity).norm();
  int numbered = pieces;  // keys of nodes follow those of the pieces, those of faces follow all nodes
  int all_nodes = pieces;
  for (const SolidState& s : solids) all_nodes += static_cast<int>(s.rest.size());
  const auto at_node = [](const SolidState& s, int node) {
    NodeShares n;
    n.count = 1;
    n.share[0] = 1;
    n.dof[0] = s.node_dof[node] < 0 ? -1 : s.dof + s.node_dof[node];
    return n;
  };
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const SolidState& s = solids[i];
    double fastest = 0;
    for (int node : s.surface) fastest = std::max(fastest, s.velocity(node).norm());
    const double margin = h * fastest + fall + (s.position_form ? s.spacing / 4 : 0);
    std::vector<Bounds> around(solids.size());
    for (std::size_t j = i + 1; j < solids.size(); ++j) {
      for (int node : solids[j].surface) around[j].add(solids[j].position(node));
      around[j].grow(margin + s.spacing);
    }
    for (int node : s.surface) {
      const Vector p = s.position(node);
      ActiveContact c;
      c.a = bodies_count + static_cast<int>(i);
      c.key_a = numbered + node;
      c.local = Vector::Zero();
      PointDistance d;
      for (int k = 0; k < pieces; ++k) {
        if (!point_distance(p, colliders[k], margin + margin_[colliders[k].body], d)) continue;
        c.b = colliders[k].body;
        c.key_b = k;
        c.n = d.normal;
        c.gap = d.distance;
        c.point = (p + d.nearest) / 2;
        c.shares_a = static_cast<int>(shares.size());
        c.shares_b = -1;
        shares.push_back(at_node(s, node));
        finish(c, h, out);
      }
      int faces = all_nodes;
      for (std::size_t j = i + 1; j < solids.size(); ++j) {
        const SolidState& other = solids[j];
        const Bounds& box = around[j];
        const bool near = (p.array() >= box.lower.array()).all() && (p.array() <= box.upper.array()).all();
        OnFace best;
        int found = -1;
        for (std::size_t f = 0; near && f < other.faces.size(); ++f) {
          std::array<Vector, 4> x;
          for (int k = 0; k < 4; ++k) x[k] = other.position(other.faces[f][k]);
          OnFace foot;
          if (!project_on_face(p, x, margin + fall, foot) || foot.gap < -0.5 * s.spacing) continue;
          if (foot.normal.dot(s.outward[node]) > -0.1) continue;  // a node on an edge touches the face that looks at it
          if (found >= 0 && std::abs(foot.gap) >= std::abs(best.gap) - 1e-12) continue;
          best = foot;
          found = static_cast<int>(f);
        }
        if (found >= 0) {
          NodeShares n;
          n.count = 4;
          for (int k = 0; k < 4; ++k) {
            const int node_dof = other.node_dof[other.faces[found][k]];
            n.dof[k] = node_dof < 0 ? -1 : other.dof + node_dof;
            n.share[k] = best.share[k];
          }
          c.b = bodies_count + static_cast<int>(j);
          c.key_b = faces;
          c.n = best.normal;
          c.gap = best.gap;
          c.point = best.point;
          c.shares_a = static_cast<int>(shares.size());
          shares.push_back(at_node(s, node));
          c.shares_b = static_cast<int>(shares.size());
          shares.push_back(n);
          finish(c, h, out);
        }
        ++faces;
      }
    }
    numbered += static_cast<int>(s.rest.size());
  }
}

}  // namespace cornet::sim
