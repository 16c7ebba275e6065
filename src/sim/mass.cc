// Volume, centre and inertia of shapes of density 1, about their own centre of mass.
//
// A polyhedron is a sum of tetrahedra (0, a, b, c) over its faces: ∫ x xᵀ = det/120 · ( Σ p pᵀ + s sᵀ ), s = a + b + c, p ∈ {a, b, c};
// J = tr(S) 1 − S with S = ∫ x xᵀ about the centre.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cornet/error.h"
#include "sim/geometry.h"

namespace cornet::sim {
namespace {

constexpr double kPi = std::numbers::pi;

// Volume, first and second moments about the origin.
struct Moments {
  double volume = 0;
  Vector first = Vector::Zero();
  Matrix second = Matrix::Zero();
};

MassProperties from_moments(const Moments& m) {
  MassProperties out;
  out.volume = m.volume;
  out.centre = m.first / m.volume;
  const Matrix s = m.second - m.volume * out.centre * out.centre.transpose();
  out.inertia = s.trace() * Matrix::Identity() - s;
  return out;
}

Moments of_polytope(const Polytope& p) {
  Moments m;
  for (const auto& face : p.faces)
    for (std::size_t k = 2; k < face.size(); ++k) {
      const Vector &a = p.corners[face[0]], &b = p.corners[face[k - 1]], &c = p.corners[face[k]];
      const double det = a.dot(b.cross(c));
      const Vector s = a + b + c;
      m.volume += det / 6;
      m.first += det / 24 * s;
      m.second += det / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  return m;
}

// In the plane: triangles (0, a, b).
Moments of_polygon(const Polytope& p) {
  Moments m;
  for (const auto& side : p.faces) {
    const Vector &a = p.corners[side[0]], &b = p.corners[side[1]];
    const double det = a[0] * b[1] - a[1] * b[0];
    const Vector s = a + b;
    m.volume += det / 2;
    m.first += det / 6 * s;
    m.second += det / 24 * (a * a.transpose() + b * b.transpose() + s * s.transpose());
  }
  return m;
}

MassProperties diagonal(double volume, double x, double y, double z) {
  MassProperties out;
  out.volume = volume;
  out.inertia = Vector(x, y, z).asDiagonal();
  return out;
}

}  // namespace

MassProperties mass_properties(const Shape& shape, const std::string& where) {
  const double r = shape.radius, l = shape.length;
  switch (shape.kind) {
    case ShapeKind::sphere: {
      const double v = 4.0 / 3 * kPi * r * r * r, j = 0.4 * v * r * r;
      return diagonal(v, j, j, j);
    }
    case ShapeKind::disk: return diagonal(kPi * r * r, 0, 0, kPi * r * r * r * r / 2);
    case ShapeKind::box: {
      const Vec3& s = shape.size;
      const double v = s[0] * s[1] * s[2];
      return diagonal(v, v / 12 * (s[1] * s[1] + s[2] * s[2]), v / 12 * (s[0] * s[0] + s[2] * s[2]), v / 12 * (s[0] * s[0] + s[1] * s[1]));
    }
    case ShapeKind::cylinder: {
      const double v = kPi * r * r * l, j = v * (3 * r * r + l * l) / 12;
      return diagonal(v, j, j, v * r * r / 2);
    }
    case ShapeKind::capsule: {
      const double vc = kPi * r * r * l, vs = 4.0 / 3 * kPi * r * r * r;
      const double z = vc * r * r / 2 + 0.4 * vs * r * r;
      // Two half balls, their centres of mass 3r/8 beyond the ends of the cylinder.
      const double x = vc * (3 * r * r + l * l) / 12 + vs * (0.4 * r * r + l * l / 4 + 3.0 / 8 * l * r);
      return diagonal(vc + vs, x, x, z);
    }
    case ShapeKind::hull: return from_moments(of_polytope(hull_polytope(shape.points, where)));
    case ShapeKind::polygon: {
      MassProperties out = from_moments(of_polygon(polygon_polytope(shape.points, where)));
      return out;
    }
    case ShapeKind::compound: {
      MassProperties out;
      std::vector<MassProperties> parts;
      for (std::size_t k = 0; k < shape.parts.size(); ++k) {
        const ShapePart& part = shape.parts[k];
        MassProperties p = mass_properties(part.shape, fmt::format("{}/parts/{}", where, k));
        const Matrix R = rotation(part.pose).toRotationMatrix();
        p.centre = vector(part.pose.position) + R * p.centre;
        p.inertia = R * p.inertia * R.transpose();
        out.volume += p.volume;
        out.centre += p.volume * p.centre;
        parts.push_back(p);
      }
      if (parts.empty()) throw InvalidProblem(fmt::format("{}/parts: found none, expected at least one", where));
      out.centre /= out.volume;
      for (const MassProperties& p : parts) {
        const Vector d = p.centre - out.centre;
        out.inertia += p.inertia + p.volume * (d.squaredNorm() * Matrix::Identity() - d * d.transpose());
      }
      return out;
    }
    case ShapeKind::plane:
    case ShapeKind::mesh: break;
  }
  throw InvalidProblem(fmt::format("{}: found a {} as a dynamic body, expected a shape with a volume", where, to_string(shape.kind)));
}

}  // namespace cornet::sim
