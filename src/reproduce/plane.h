// Rigid bodies in the plane for drawings that must match their problem: dofs (x, y, rotation) per body, one time step under gravity,
//
//   M v = H r + f,  f = M v_k + h F,   u = Hᵀ v + w
//
// A contact at p with normal n (pointing to body a) has the frame (n, t), t = n turned by +90°. External objects move with a given velocity
// at p, which enters w with its sign turned.
#pragma once

#include <string>
#include <vector>

#include "cornet/problem.h"
#include "reproduce/svg.h"

namespace cornet::reproduction {

using svg::Point;

constexpr int kWorld = -1;

struct PlaneContact {
  int a = 0, b = kWorld;
  Point point, normal;
  double mu = 0;
  Point external;  ///< velocity of the external object at the point, where b = kWorld
};

struct PlaneBody {
  Point centre;
  double radius = 0;  ///< of disks
  double mass = 1, inertia = 1;
  Point velocity;
};

struct PlaneScene {
  std::vector<PlaneBody> bodies;
  std::vector<PlaneContact> contacts;

  int add_disk(Point centre, double radius, double density = 1);

  /// Contacts between all pairs of disks that touch.
  void touch_disks(double mu);
  /// Contacts of all disks that touch the line through `on` with the unit normal, which moves with `velocity`.
  void touch_wall(Point on, Point normal, double mu, Point velocity = {});

  GlobalProblem problem(const std::string& name, double step, double gravity) const;

  /// The reaction of contact k on its body a, as a vector of the plane.
  Point force(int k, const std::vector<double>& r) const;
};

/// Disks with a spoke, and nothing else.
void draw_disks(svg::Plot& plot, const PlaneScene& scene);

/// Reactions as lines through the contacts, as thick as they are strong: the usual picture of force chains.
void draw_force_chains(svg::Plot& plot, const PlaneScene& scene, const std::vector<double>& r, const std::string& colour);

/// A wall: a thick line with hatching on the side away from `normal`.
void draw_wall(svg::Plot& plot, Point a, Point b, Point normal);

}  // namespace cornet::reproduction
