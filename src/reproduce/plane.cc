// Rigid bodies in the plane: see plane.h.
#include "reproduce/plane.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/harness.h"

namespace cornet::reproduction {
namespace {

Point tangent(Point n) { return {-n.y, n.x}; }

// The column of H for direction e at point p: force and torque.
void add_column(Eigen::MatrixXd& h, int body, int column, const PlaneBody& b, Point p, Point e, double sign) {
  if (body == kWorld) return;
  h(3 * body, column) += sign * e.x;
  h(3 * body + 1, column) += sign * e.y;
  h(3 * body + 2, column) += sign * ((p.x - b.centre.x) * e.y - (p.y - b.centre.y) * e.x);
}

}  // namespace

int PlaneScene::add_disk(Point centre, double radius, double density) {
  const double mass = density * std::numbers::pi * radius * radius;
  bodies.push_back({centre, radius, mass, 0.5 * mass * radius * radius, {}});
  return static_cast<int>(bodies.size()) - 1;
}

void PlaneScene::touch_disks(double mu) {
  const int count = static_cast<int>(bodies.size());
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < a; ++b) {
      const PlaneBody &first = bodies[static_cast<std::size_t>(a)], &second = bodies[static_cast<std::size_t>(b)];
      const double dx = first.centre.x - second.centre.x, dy = first.centre.y - second.centre.y, distance = std::hypot(dx, dy);
      if (std::abs(distance - first.radius - second.radius) > 1e-9) continue;
      const Point n{dx / distance, dy / distance};
      contacts.push_back({a, b, {second.centre.x + second.radius * n.x, second.centre.y + second.radius * n.y}, n, mu, {}});
    }
}

void PlaneScene::touch_wall(Point on, Point normal, double mu, Point velocity) {
  for (int a = 0; a < static_cast<int>(bodies.size()); ++a) {
    const PlaneBody& body = bodies[static_cast<std::size_t>(a)];
    const double distance = (body.centre.x - on.x) * normal.x + (body.centre.y - on.y) * normal.y;
    if (std::abs(distance - body.radius) > 1e-9) continue;
    const Point at{body.centre.x - body.radius * normal.x, body.centre.y - body.radius * normal.y};
    contacts.push_back({a, kWorld, at, normal, mu, velocity});
  }
}

GlobalProblem PlaneScene::problem(const std::string& name, double step, double gravity) const {
  const int n = 3 * static_cast<int>(bodies.size()), nc = static_cast<int>(contacts.size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n), h = Eigen::MatrixXd::Zero(n, 2 * nc);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n), w = Eigen::VectorXd::Zero(2 * nc);
  for (int k = 0; k < n / 3; ++k) {
    const PlaneBody& body = bodies[static_cast<std::size_t>(k)];
    m(3 * k, 3 * k) = m(3 * k + 1, 3 * k + 1) = body.mass;
    m(3 * k + 2, 3 * k + 2) = body.inertia;
    f[3 * k] = body.mass * body.velocity.x;
    f[3 * k + 1] = body.mass * (body.velocity.y - step * gravity);
  }
  std::vector<double> mu;
  for (int k = 0; k < nc; ++k) {
    const PlaneContact& contact = contacts[static_cast<std::size_t>(k)];
    for (int c = 0; c < 2; ++c) {
      const Point e = c == 0 ? contact.normal : tangent(contact.normal);
      add_column(h, contact.a, 2 * k + c, bodies[static_cast<std::size_t>(contact.a)], contact.point, e, 1);
      if (contact.b != kWorld) add_column(h, contact.b, 2 * k + c, bodies[static_cast<std::size_t>(contact.b)], contact.point, e, -1);
      else w[2 * k + c] = -(contact.external.x * e.x + contact.external.y * e.y);
    }
    mu.push_back(contact.mu);
  }
  GlobalProblem out = global_problem(2, m, h, f, w, mu);
  out.name = name;
  return out;
}

Point PlaneScene::force(int k, const std::vector<double>& r) const {
  const Point n = contacts[static_cast<std::size_t>(k)].normal, t = tangent(n);
  const double rn = r[static_cast<std::size_t>(2 * k)], rt = r[static_cast<std::size_t>(2 * k + 1)];
  return {rn * n.x + rt * t.x, rn * n.y + rt * t.y};
}

void draw_disks(svg::Plot& plot, const PlaneScene& scene) {
  for (const PlaneBody& body : scene.bodies) {
    if (body.radius == 0) continue;
    plot.circle(body.centre, body.radius, {svg::colour::kGrey, 1, "#F3EAD8", "", 1});
    plot.line({body.centre, {body.centre.x + body.radius, body.centre.y}}, svg::stroke("#BBAA88", 1));
  }
}

void draw_force_chains(svg::Plot& plot, const PlaneScene& scene, const std::vector<double>& r, const std::string& colour) {
  double strongest = 0;
  for (int k = 0; k < static_cast<int>(scene.contacts.size()); ++k) {
    const Point f = scene.force(k, r);
    strongest = std::max(strongest, std::hypot(f.x, f.y));
  }
  for (int k = 0; k < static_cast<int>(scene.contacts.size()); ++k) {
    const Point f = scene.force(k, r);
    const double strength = std::hypot(f.x, f.y);
    if (strength < 1e-3 * strongest) continue;
    const PlaneContact& contact = scene.contacts[static_cast<std::size_t>(k)];
    const double length = 0.9 * scene.bodies[static_cast<std::size_t>(contact.a)].radius;
    const Point e{f.x / strength * length, f.y / strength * length}, p = contact.point;
    plot.line({{p.x - (contact.b == kWorld ? 0 : e.x), p.y - (contact.b == kWorld ? 0 : e.y)}, {p.x + e.x, p.y + e.y}},
              svg::stroke(colour, 0.5 + 6 * strength / strongest));
  }
}

void draw_wall(svg::Plot& plot, Point a, Point b, Point normal) {
  plot.line({a, b}, svg::stroke(svg::colour::kBlack, 2.5));
  const double length = std::hypot(b.x - a.x, b.y - a.y), scale = (plot.x_high() - plot.x_low()) / 60;
  const int count = std::max(1, static_cast<int>(length / scale));
  const Point along{(b.x - a.x) / length, (b.y - a.y) / length};
  for (int k = 0; k < count; ++k) {
    const double t = (k + 0.5) * length / count;
    const Point p{a.x + t * along.x, a.y + t * along.y};
    plot.line({p, {p.x - scale * (normal.x + 0.7 * along.x), p.y - scale * (normal.y + 0.7 * along.y)}},
              svg::stroke(svg::colour::kGrey, 1));
  }
}

}  // namespace cornet::reproduction
