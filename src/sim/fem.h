// Linear elastic solids of 8-node hexahedra.
//
//   dynamic        [M + hθC + h²θ²K] v⁺ = M v + h F − h K q − h(1−θ)(C + hθK) v + H r,    q⁺ = q + h (θ v⁺ + (1−θ) v)
//   quasi-static   h (C + hK) v⁺ = h (F − K q) + H r,                                      q⁺ = q + h v⁺
//
// In the position form a contact of a quasi-static solid obeys gap + h u_N ≥ 0, that is w_N = gap/h: nothing overlaps at the end of the
// step, whatever its length. q: displacements of the nodes, r: impulses. Consistent mass, 2×2×2 Gauss points, C = α M + β K. Clamped nodes have no dofs.
#pragma once

#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "sim/types.h"

namespace cornet::sim {

using Sparse = Eigen::SparseMatrix<double>;  // by columns

struct HexMesh {
  std::vector<Vector> nodes;
  std::vector<std::array<int, 8>> elements;  ///< bottom face counter-clockwise, then the top face above it
};

struct SolidState {
  int dof = 0;   ///< first velocity in v
  int size = 0;  ///< number of velocities
  int material = 0;
  bool quasi_static = false, position_form = false;
  std::vector<Vector> rest;               ///< nodes without load
  std::vector<int> node_dof;              ///< first of three, in the numbering of the solid; −1: clamped
  std::vector<std::array<int, 4>> faces;  ///< of the surface, counter-clockwise from outside
  std::vector<Vector> outward;            ///< per node: mean of the normals of its faces at rest; zero inside
  std::vector<int> surface;               ///< nodes of the surface
  double spacing = 0;                     ///< shortest edge of the surface
  double face_size = 0;                   ///< root of the mean area of the faces
  Sparse M, K, C;
  Eigen::VectorXd load;  ///< weight of the nodes
  // state
  Eigen::VectorXd q, v;

  Vector position(int node) const { return node_dof[node] < 0 ? rest[node] : Vector(rest[node] + q.segment<3>(node_dof[node])); }
  Vector velocity(int node) const { return node_dof[node] < 0 ? Vector(Vector::Zero()) : Vector(v.segment<3>(node_dof[node])); }
};

HexMesh structured_mesh(const Vec3& size, const std::array<int, 3>& divisions);
HexMesh half_ball_mesh(double radius, double half_core, int edge, int shells, double grading);
HexMesh read_gmsh(const std::string& path);

/// Throws InvalidProblem; `where` starts the message.
SolidState make_solid(const Solid& solid, const Vec3& gravity, const std::string& where);

/// The left side of a step.
Sparse step_matrix(const SolidState& solid, double h, double theta);
/// The right side of a step without reactions.
Eigen::VectorXd step_load(const SolidState& solid, double h, double theta);

}  // namespace cornet::sim
