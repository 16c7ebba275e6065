// Contacts of solids.
//
//   node – piece   every node of a surface against the rigid pieces
//   node – face    the nodes of one solid against the faces of another: on the face the point is ξ, η with x(ξ, η) = Σ N_i x_i nearest to the
//                  node; its four nodes carry the shares N_i of the reaction. The finer solid has the nodes, of about equal ones the earlier
//   face – piece   where a piece is small enough to pass between the nodes: its touches with the surface as a mesh of triangles, unless a node
//                  near by touches it. Not for planes and meshes
#include <algorithm>
#include <cmath>

#include "sim/mesh.h"
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

constexpr double kFiner = 1.5;     // times smaller faces
constexpr double kCovered = 0.25;  // of the size of a face: so near a node stands for the face

bool inside(const Bounds& box, const Vector& p, double margin) {
  return (p.array() >= box.lower.array() - margin).all() && (p.array() <= box.upper.array() + margin).all();
}

std::array<Vector, 4> corners(const SolidState& s, int face) {
  std::array<Vector, 4> x;
  for (int k = 0; k < 4; ++k) x[k] = s.position(s.faces[face][k]);
  return x;
}

NodeShares at_node(const SolidState& s, int node) {
  NodeShares n;
  n.count = 1;
  n.share[0] = 1;
  n.dof[0] = s.node_dof[node] < 0 ? -1 : s.dof + s.node_dof[node];
  return n;
}

NodeShares on_face(const SolidState& s, int face, const std::array<double, 4>& share) {
  NodeShares n;
  n.count = 4;
  for (int k = 0; k < 4; ++k) {
    const int dof = s.node_dof[s.faces[face][k]];
    n.dof[k] = dof < 0 ? -1 : s.dof + dof;
    n.share[k] = share[k];
  }
  return n;
}

// Where the surface of a solid is now.
struct Place {
  Bounds all;
  std::vector<Bounds> faces;
  std::shared_ptr<const TriangleMesh> mesh;  // when it is needed; triangles 2f and 2f + 1 are those of face f
};

Place place_of(const SolidState& s) {
  Place out;
  out.faces.resize(s.faces.size());
  for (std::size_t f = 0; f < s.faces.size(); ++f) {
    for (const Vector& x : corners(s, static_cast<int>(f))) out.faces[f].add(x);
    out.all.add(out.faces[f].lower);
    out.all.add(out.faces[f].upper);
  }
  return out;
}

}  // namespace

std::shared_ptr<const TriangleMesh> surface_mesh(const SolidState& s) {
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < s.rest.size(); ++k) points.push_back(array(s.position(static_cast<int>(k))));
  std::vector<std::array<int, 3>> triangles;
  for (const auto& f : s.faces) {
    triangles.push_back({f[0], f[1], f[2]});
    triangles.push_back({f[0], f[2], f[3]});
  }
  return make_mesh(points, triangles);
}

// Every point of a solid that is nearer than the way of a step and `extra`, and not deeper than half an edge.
void World::solid_touches(double h, double extra, const SolidSink& sink) {
  const int bodies_count = static_cast<int>(bodies.size()), pieces = static_cast<int>(colliders.size());
  const int solids_count = static_cast<int>(solids.size());
  const double fall = h * h * vector(scene.gravity).norm();
  int all_nodes = pieces;  // keys of nodes follow those of the pieces, those of faces follow all nodes
  std::vector<Place> places;
  std::vector<double> margins;
  for (const SolidState& s : solids) {
    all_nodes += static_cast<int>(s.rest.size());
    places.push_back(place_of(s));
    double fastest = 0;
    for (int node : s.surface) fastest = std::max(fastest, s.velocity(node).norm());
    margins.push_back(h * fastest + fall + (s.position_form ? s.spacing / 4 : 0) + extra);
  }
  std::vector<std::vector<Vector>> touched(static_cast<std::size_t>(solids_count) * pieces);  // by nodes
  int numbered = pieces;
  for (int i = 0; i < solids_count; ++i) {
    const SolidState& s = solids[i];
    const double margin = margins[i], depth = 0.5 * s.spacing;
    for (int node : s.surface) {
      const Vector p = s.position(node);
      ActiveContact c;
      c.a = bodies_count + i;
      c.key_a = numbered + node;
      c.local = Vector::Zero();
      PointDistance d;
      for (int k = 0; k < pieces; ++k) {
        const double reach = margin + margin_[colliders[k].body];
        const bool sheet = colliders[k].geometry->kind == ShapeKind::mesh;
        if (!inside(colliders[k].bounds, p, sheet ? std::max(reach, depth) : reach) || !point_distance(p, colliders[k], reach, depth, d))
          continue;
        c.b = colliders[k].body;
        c.key_b = k;
        c.n = d.normal;
        c.gap = d.distance;
        c.point = (p + d.nearest) / 2;
        c.shares_a = static_cast<int>(shares.size());
        c.shares_b = -1;
        shares.push_back(at_node(s, node));
        touched[static_cast<std::size_t>(i) * pieces + k].push_back(p);
        sink(c);
      }
      for (int j = 0; j < solids_count; ++j) {
        const SolidState& other = solids[j];
        // Has i the nodes?
        const bool finer = other.face_size > kFiner * s.face_size, coarser = s.face_size > kFiner * other.face_size;
        if (j == i || !(finer || (j > i && !coarser))) continue;
        const double reach = std::max(margin + fall, std::min(depth, s.spacing)) + 0.02 * other.face_size;
        if (!inside(places[j].all, p, reach)) continue;
        OnFace best;
        int found = -1;
        for (std::size_t f = 0; f < other.faces.size(); ++f) {
          if (!inside(places[j].faces[f], p, reach)) continue;
          OnFace foot;
          if (!project_on_face(p, corners(other, static_cast<int>(f)), margin + fall, foot) || foot.gap < -depth) continue;
          if (foot.normal.dot(s.outward[node]) > -0.1) continue;  // a node on an edge touches the face that looks at it
          if (found >= 0 && std::abs(foot.gap) >= std::abs(best.gap) - 1e-12) continue;
          best = foot;
          found = static_cast<int>(f);
        }
        if (found < 0) continue;
        c.b = bodies_count + j;
        c.key_b = all_nodes + j;
        c.n = best.normal;
        c.gap = best.gap;
        c.point = best.point;
        c.shares_a = static_cast<int>(shares.size());
        shares.push_back(at_node(s, node));
        c.shares_b = static_cast<int>(shares.size());
        shares.push_back(on_face(other, found, best.share));
        sink(c);
      }
    }
    numbered += static_cast<int>(s.rest.size());
  }
  for (int i = 0; i < solids_count; ++i)
    for (int k = 0; k < pieces; ++k) {
      const Collider& piece = colliders[k];
      if (piece.geometry->kind == ShapeKind::plane || piece.geometry->kind == ShapeKind::mesh) continue;
      Bounds near = piece.bounds;
      near.grow(margins[i] + margin_[piece.body]);
      if (!near.touches(places[i].all)) continue;
      if (!places[i].mesh) places[i].mesh = surface_mesh(solids[i]);
      face_touches(i, k, all_nodes + i, margins[i] + margin_[piece.body], places[i].mesh, touched[static_cast<std::size_t>(i) * pieces + k],
                   sink);
    }
}

void World::face_touches(int solid, int piece, int key, double margin, const std::shared_ptr<const TriangleMesh>& mesh,
                         const std::vector<Vector>& touched, const SolidSink& sink) {
  const SolidState& s = solids[solid];
  const Rigid& body = bodies[colliders[piece].body];
  auto geometry = std::make_shared<Geometry>();
  geometry->kind = ShapeKind::mesh;
  geometry->mesh = mesh;
  Collider surface;
  surface.geometry = geometry;
  std::vector<Touch> touches;
  collide_mesh(colliders[piece], surface, margin, CollideOptions{scene.dim, scene.contact_points}, touches);
  ActiveContact c;
  c.a = static_cast<int>(bodies.size()) + solid;
  c.b = colliders[piece].body;
  c.key_a = key;
  c.key_b = piece;
  for (const Touch& t : touches) {
    const Vector on_face_of_s = t.point - t.gap / 2 * t.normal;
    const auto covered = [&](const Vector& node) { return (node - on_face_of_s).norm() < kCovered * s.face_size; };
    if (std::any_of(touched.begin(), touched.end(), covered)) continue;
    // The face it lies on.
    OnFace best;
    int found = -1;
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
      OnFace foot;
      if (!project_on_face(on_face_of_s, corners(s, static_cast<int>(f)), 1e300, foot)) continue;
      if (found >= 0 && std::abs(foot.gap) >= std::abs(best.gap)) continue;
      best = foot;
      found = static_cast<int>(f);
    }
    if (found < 0) continue;
    c.n = -t.normal;  // from the piece to the solid
    c.gap = t.gap;
    c.point = t.point;
    c.local = body.R.transpose() * (t.point - body.x);
    c.shares_a = static_cast<int>(shares.size());
    c.shares_b = -1;
    shares.push_back(on_face(s, found, best.share));
    sink(c);
  }
}

void World::solid_contacts(double h, std::vector<ActiveContact>& out) {
  solid_touches(h, 0, [&](ActiveContact& c) { finish(c, h, out); });
}

}  // namespace cornet::sim
