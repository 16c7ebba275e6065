// Element matrices and assembly of 8-node hexahedra. Isotropic elasticity: σ = λ tr(ε) 1 + 2G ε, λ = Eν/((1+ν)(1−2ν)), G = E/(2(1+ν)).
#include "sim/fem.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cornet/error.h"

namespace cornet::sim {
namespace {

using Element = Eigen::Matrix<double, 24, 24>;
constexpr int kCorner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
// Faces of the element, counter-clockwise from outside.
constexpr int kFace[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// Stiffness, mass (density 1) and volume per node.
bool element(const std::array<Vector, 8>& x, double young, double poisson, Element& K, Element& M, std::array<double, 8>& share) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), shear = young / (2 * (1 + poisson));
  const double gauss = 1 / std::sqrt(3.0);
  K.setZero();
  M.setZero();
  share.fill(0);
  for (int point = 0; point < 8; ++point) {
    const Vector s(gauss * kCorner[point][0], gauss * kCorner[point][1], gauss * kCorner[point][2]);
    Eigen::Matrix<double, 8, 3> dN;
    Eigen::Matrix<double, 8, 1> N;
    for (int i = 0; i < 8; ++i) {
      const double a = 1 + kCorner[i][0] * s[0], b = 1 + kCorner[i][1] * s[1], c = 1 + kCorner[i][2] * s[2];
      N[i] = a * b * c / 8;
      dN.row(i) << kCorner[i][0] * b * c / 8, a * kCorner[i][1] * c / 8, a * b * kCorner[i][2] / 8;
    }
    Matrix J = Matrix::Zero();
    for (int i = 0; i < 8; ++i) J += x[i] * dN.row(i);
    const double det = J.determinant();
    if (!(det > 0)) return false;
    const Eigen::Matrix<double, 8, 3> B = dN * J.inverse();
    for (int i = 0; i < 8; ++i) {
      share[i] += N[i] * det;
      for (int j = 0; j < 8; ++j) {
        const Vector bi = B.row(i), bj = B.row(j);
        K.block<3, 3>(3 * i, 3 * j) +=
            det * (lambda * bi * bj.transpose() + shear * bj * bi.transpose() + shear * bi.dot(bj) * Matrix::Identity());
        M.block<3, 3>(3 * i, 3 * j) += det * N[i] * N[j] * Matrix::Identity();
      }
    }
  }
  return true;
}

// Faces that belong to one element only.
void find_surface(const HexMesh& mesh, SolidState& s) {
  std::map<std::array<int, 4>, std::pair<int, std::array<int, 4>>> faces;
  for (const auto& e : mesh.elements)
    for (const auto& f : kFace) {
      const std::array<int, 4> nodes = {e[f[0]], e[f[1]], e[f[2]], e[f[3]]};
      std::array<int, 4> key = nodes;
      std::sort(key.begin(), key.end());
      auto& entry = faces[key];
      ++entry.first;
      entry.second = nodes;
    }
  std::vector<char> on(mesh.nodes.size(), 0);
  s.spacing = 1e300;
  for (const auto& [key, entry] : faces)
    if (entry.first == 1) {
      s.faces.push_back(entry.second);
      for (int k = 0; k < 4; ++k) {
        on[entry.second[k]] = 1;
        s.spacing = std::min(s.spacing, (mesh.nodes[entry.second[k]] - mesh.nodes[entry.second[(k + 1) % 4]]).norm());
      }
    }
  s.outward.assign(mesh.nodes.size(), Vector::Zero());
  double area = 0;
  for (const auto& f : s.faces) {
    const Vector n = (s.rest[f[2]] - s.rest[f[0]]).cross(s.rest[f[3]] - s.rest[f[1]]);
    area += n.norm() / 2;
    for (int node : f) s.outward[node] += n.normalized();
  }
  s.face_size = std::sqrt(area / static_cast<double>(s.faces.size()));
  for (Vector& n : s.outward)
    if (n.norm() > 0) n.normalize();
  for (std::size_t i = 0; i < on.size(); ++i)
    if (on[i]) s.surface.push_back(static_cast<int>(i));
}

}  // namespace

HexMesh structured_mesh(const Vec3& size, const std::array<int, 3>& n) {
  HexMesh mesh;
  const auto node = [&](int i, int j, int k) { return (k * (n[1] + 1) + j) * (n[0] + 1) + i; };
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) mesh.nodes.emplace_back(size[0] * i / n[0], size[1] * j / n[1], size[2] * k / n[2]);
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        mesh.elements.push_back({node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k), node(i, j, k + 1),
                                 node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)});
  return mesh;
}

// Half a cube of equal elements; around its sides and below it shells that turn into half spheres, thicker and thicker outwards.
HexMesh half_ball_mesh(double radius, double half, int edge, int shells, double grading) {
  HexMesh mesh = structured_mesh({2 * half, 2 * half, half}, {edge, edge, edge / 2});
  for (Vector& p : mesh.nodes) p -= Vector(half, half, half);
  std::vector<std::array<int, 4>> quads;  // of the inner surface of the next shell, counter-clockwise from outside
  for (const auto& e : mesh.elements)
    for (const auto& f : kFace) {
      const std::array<int, 4> quad{e[f[0]], e[f[1]], e[f[2]], e[f[3]]};
      for (const auto& [axis, value] : {std::pair(0, -half), {0, half}, {1, -half}, {1, half}, {2, -half}}) {
        const auto on_side = [&, axis = axis, value = value](int k) { return std::abs(mesh.nodes[k][axis] - value) < 1e-9 * half; };
        if (std::all_of(quad.begin(), quad.end(), on_side)) quads.push_back(quad);
      }
    }
  const std::vector<Vector> core = mesh.nodes;
  double thickness = 0, all = 0;
  for (int s = 0; s < shells; ++s) all += std::pow(grading, s);
  std::vector<int> inner(core.size()), outer(core.size(), -1);
  std::iota(inner.begin(), inner.end(), 0);
  for (int s = 0; s < shells; ++s) {
    thickness += std::pow(grading, s);
    const double t = thickness / all;
    std::fill(outer.begin(), outer.end(), -1);
    for (const auto& quad : quads) {
      std::array<int, 8> element;
      for (int k = 0; k < 4; ++k) {
        const Vector& p = core[quad[k]];
        if (outer[quad[k]] < 0) {
          outer[quad[k]] = static_cast<int>(mesh.nodes.size());
          mesh.nodes.push_back((1 - t) * p + t * radius * p.normalized());
        }
        element[k] = inner[quad[k]];
        element[4 + k] = outer[quad[k]];
      }
      mesh.elements.push_back(element);
    }
    inner = outer;
  }
  return mesh;
}

namespace {

HexMesh mesh_of(const Solid& solid, const std::string& where) {
  if (!solid.mesh.empty()) try {
      return read_gmsh(solid.mesh);
    } catch (const IoError& error) {
      throw IoError(fmt::format("{}/mesh: {}", where, error.what()));
    }
  if (solid.form == "half-ball") return half_ball_mesh(solid.size[0], solid.size[1], solid.divisions[0], solid.divisions[1], solid.grading);
  return structured_mesh(solid.size, solid.divisions);
}

}  // namespace

SolidState make_solid(const Solid& solid, const Vec3& gravity, const std::string& where) {
  const HexMesh mesh = mesh_of(solid, where);
  SolidState s;
  s.quasi_static = solid.quasi_static;
  s.position_form = solid.quasi_static && solid.position_form;
  const int count = static_cast<int>(mesh.nodes.size());

  // Clamped faces of the bounding box, in the frame of the mesh.
  Bounds box;
  for (const Vector& p : mesh.nodes) box.add(p);
  const double size = (box.upper - box.lower).norm();
  s.node_dof.assign(count, 0);
  for (const std::string& face : solid.clamped) {
    if (face == "r+") {
      for (int i = 0; i < count; ++i)
        if (mesh.nodes[i].norm() >= (1 - 1e-9) * solid.size[0]) s.node_dof[i] = -1;
      continue;
    }
    const int axis = face[0] - 'x';
    const double value = face[1] == '-' ? box.lower[axis] : box.upper[axis];
    for (int i = 0; i < count; ++i)
      if (std::abs(mesh.nodes[i][axis] - value) <= 1e-9 * size) s.node_dof[i] = -1;
  }
  for (int i = 0; i < count; ++i)
    if (s.node_dof[i] == 0) {
      s.node_dof[i] = s.size;
      s.size += 3;
    }
  const Matrix R = rotation(solid.pose).toRotationMatrix();
  for (const Vector& p : mesh.nodes) s.rest.push_back(vector(solid.pose.position) + R * p);
  find_surface(mesh, s);

  std::vector<Eigen::Triplet<double>> k, m;
  s.load = Eigen::VectorXd::Zero(s.size);
  Element Ke, Me;
  std::array<double, 8> share;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    std::array<Vector, 8> x;
    for (int i = 0; i < 8; ++i) x[i] = s.rest[mesh.elements[e][i]];
    if (!element(x, solid.young, solid.poisson, Ke, Me, share))
      throw InvalidProblem(fmt::format("{}: element {} is turned inside out, expected hexahedra of positive volume", where, e));
    for (int i = 0; i < 8; ++i) {
      const int di = s.node_dof[mesh.elements[e][i]];
      if (di < 0) continue;
      for (int a = 0; a < 3; ++a) s.load[di + a] += solid.density * share[i] * gravity[a];
      for (int j = 0; j < 8; ++j) {
        const int dj = s.node_dof[mesh.elements[e][j]];
        if (dj < 0) continue;
        for (int a = 0; a < 3; ++a) {
          m.emplace_back(di + a, dj + a, solid.density * Me(3 * i + a, 3 * j + a));
          for (int b = 0; b < 3; ++b) k.emplace_back(di + a, dj + b, Ke(3 * i + a, 3 * j + b));
        }
      }
    }
  }
  s.K.resize(s.size, s.size);
  s.M.resize(s.size, s.size);
  s.K.setFromTriplets(k.begin(), k.end());
  s.M.setFromTriplets(m.begin(), m.end());
  s.C = solid.damping_mass * s.M + solid.damping_stiffness * s.K;
  s.q = Eigen::VectorXd::Zero(s.size);
  s.v = Eigen::VectorXd::Zero(s.size);
  for (int i = 0; i < count; ++i)
    if (s.node_dof[i] >= 0) s.v.segment<3>(s.node_dof[i]) = vector(solid.velocity);
  return s;
}

Sparse step_matrix(const SolidState& s, double h, double theta) {
  Sparse A = s.quasi_static ? Sparse(h * s.C + h * h * s.K) : Sparse(s.M + h * theta * s.C + h * h * theta * theta * s.K);
  return A;
}

Eigen::VectorXd step_load(const SolidState& s, double h, double theta) {
  if (s.quasi_static) return h * (s.load - s.K * s.q);
  const Eigen::VectorXd Kv = s.K * s.v;
  return s.M * s.v + h * (s.load - s.K * s.q) - h * (1 - theta) * (s.C * s.v + h * theta * Kv);
}

}  // namespace cornet::sim
