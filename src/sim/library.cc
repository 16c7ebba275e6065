#include "sim/library.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cornet/error.h"

namespace cornet::sim {

Shape sphere(double radius) {
  Shape s;
  s.kind = ShapeKind::sphere;
  s.radius = radius;
  return s;
}

Shape box(double x, double y, double z) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = {x, y, z};
  return s;
}

Shape capsule(double radius, double length) {
  Shape s = sphere(radius);
  s.kind = ShapeKind::capsule;
  s.length = length;
  return s;
}

Shape cylinder(double radius, double length) {
  Shape s = capsule(radius, length);
  s.kind = ShapeKind::cylinder;
  return s;
}

Shape hull(const std::vector<Vector>& points) {
  Shape s;
  s.kind = ShapeKind::hull;
  for (const Vector& p : points) s.points.push_back(array(p));
  return s;
}

Shape disk(double radius) {
  Shape s = sphere(radius);
  s.kind = ShapeKind::disk;
  return s;
}

Shape polygon(const std::vector<Vector>& points) {
  Shape s = hull(points);
  s.kind = ShapeKind::polygon;
  return s;
}

Shape plane() {
  Shape s;
  s.kind = ShapeKind::plane;
  return s;
}

Body dynamic(const std::string& name, const Shape& shape, const Vector& position, const Rotation& orientation) {
  Body b;
  b.name = name;
  b.shape = shape;
  b.pose = {array(position), array(orientation)};
  return b;
}

Body fixed(const std::string& name, const Shape& shape, const Vector& position, const Rotation& orientation) {
  Body b = dynamic(name, shape, position, orientation);
  b.kind = BodyKind::fixed;
  return b;
}

Body half_space(const std::string& name, const Vector& point, const Vector& normal, int dim) {
  if (dim == 2) return fixed(name, plane(), point, about(Vector::UnitZ(), std::atan2(-normal[0], normal[1])));
  return fixed(name, plane(), point, Rotation::FromTwoVectors(Vector::UnitZ(), normal).normalized());
}

Scene on_ground(double mu) {
  Scene s;
  s.mu = mu;
  s.bodies = {half_space("ground", Vector::Zero(), Vector::UnitZ())};
  return s;
}

Scene many_bodies(double mu, double dt, double duration, double tolerance) {
  Scene s;
  s.mu = mu;
  s.dt = dt;
  s.duration = duration;
  s.tolerance = tolerance;
  s.theta = 1;
  s.slop = 1e-3;
  s.solver = "nsgs-ac";
  return s;
}

void add_container(Scene& s, double x, double y) {
  s.bodies.push_back(half_space("ground", Vector::Zero(), Vector::UnitZ()));
  s.bodies.push_back(half_space("west", Vector(-x / 2, 0, 0), Vector::UnitX()));
  s.bodies.push_back(half_space("east", Vector(x / 2, 0, 0), -Vector::UnitX()));
  s.bodies.push_back(half_space("south", Vector(0, -y / 2, 0), Vector::UnitY()));
  s.bodies.push_back(half_space("north", Vector(0, y / 2, 0), -Vector::UnitY()));
}

const std::vector<SceneInfo>& scenes() {
  static const std::vector<SceneInfo> all = [] {
    std::vector<SceneInfo> out;
    for (auto& group : {closed_form_scenes(), granular_scenes(), masonry_scenes(), mechanism_scenes(), elastic_scenes()})
      out.insert(out.end(), group.begin(), group.end());
    return out;
  }();
  return all;
}

Scene make_scene(const std::string& name, const OptionTexts& settings) {
  for (const SceneInfo& info : scenes()) {
    if (info.name != name) continue;
    SceneValues values;
    for (const SceneParameter& p : info.parameters) values[p.name] = p.value;
    for (const auto& [key, text] : settings) {
      const SceneParameter* found = nullptr;
      std::string list;
      for (const SceneParameter& p : info.parameters) {
        if (p.name == key) found = &p;
        list += (list.empty() ? "" : ", ") + p.name;
      }
      if (!found) throw InvalidOption(fmt::format("scene '{}' has no parameter '{}', expected one of {}", name, key, list));
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool number = error == std::errc() && end == text.data() + text.size();
      if (!number || !(value >= found->lower && value <= found->upper) || (found->integer && value != std::floor(value)))
        throw InvalidOption(fmt::format("parameter '{}' of scene '{}': found '{}', expected {} in [{:g}, {:g}]", key, name, text,
                                        found->integer ? "a whole number" : "a number", found->lower, found->upper));
      values[key] = value;
    }
    Scene scene = info.make(values);
    scene.name = info.name;
    scene.what = info.what;
    validate(scene);
    return scene;
  }
  std::string list;
  for (const SceneInfo& info : scenes()) list += (list.empty() ? "" : ", ") + info.name;
  throw InvalidOption(fmt::format("unknown scene '{}', expected one of {}", name, list));
}

}  // namespace cornet::sim
