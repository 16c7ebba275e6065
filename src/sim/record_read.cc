// Reads what record.cc writes. A chunk with the right checksum may still be wrong: every count is held against the bytes there are, and
// every frame against the scene.
#include <fmt/format.h>

#include "cornet/error.h"
#include "cornet/sim_record.h"
#include "sim/bytes.h"
#include "sim/chunks.h"

namespace cornet::sim {
namespace {

constexpr std::size_t kBodyBytes = 8 * sizeof(float);
constexpr std::size_t kContactBytes = 3 * sizeof(int) + 6 * sizeof(float);

Frame read_frame(const std::string& bytes, const Scene& scene) {
  ByteReader in(bytes);
  Frame f;
  in.get(f.step);
  in.get(f.time);
  in.get(f.status);
  in.get(f.error);
  in.get(f.iterations);
  Energy& e = f.energy;
  for (double* x : {&e.kinetic, &e.potential, &e.friction, &e.impact, &e.driven, &e.viscous, &f.penetration}) in.get(*x);
  f.bodies.resize(in.get_count(kBodyBytes));
  if (f.bodies.size() != scene.bodies.size())
    throw IoError(fmt::format("found {} bodies, expected the {} of the scene", f.bodies.size(), scene.bodies.size()));
  for (Frame::Placement& p : f.bodies) {
    for (float& x : p.position) in.get(x);
    for (float& x : p.orientation) in.get(x);
    in.get(p.speed);
  }
  f.nodes.resize(in.get_count(sizeof(float)));
  for (float& x : f.nodes) in.get(x);
  f.contacts.resize(in.get_count(kContactBytes));
  const int participants = static_cast<int>(scene.bodies.size() + scene.solids.size());
  for (Frame::Point& c : f.contacts) {
    in.get(c.a);
    in.get(c.b);
    for (float& x : c.position) in.get(x);
    for (float& x : c.force) in.get(x);
    in.get(c.status);
    for (const int body : {c.a, c.b})
      if (body < 0 || body >= participants)
        throw IoError(fmt::format("found a contact of body {}, expected 0 to {}", body, participants - 1));
    if (c.status < 0 || c.status > 2) throw IoError(fmt::format("found {} as the status of a contact, expected 0 to 2", c.status));
  }
  in.finish();
  return f;
}

}  // namespace

Record read_record(const std::string& path) {
  Chunks chunks(path);
  Record out;
  std::string tag, content;
  bool scene = false;
  while (chunks.next(tag, content)) {
    const auto place = [&] { return fmt::format("{}: chunk {} that ends at byte {}: ", path, tag, chunks.position()); };
    try {
      if (tag == "SCEN") {
        if (scene) throw IoError("found a second scene, expected one");
        out.scene = parse_scene(content);
        scene = true;
      } else if (tag == "STEP") {
        if (!scene) throw IoError("found a step, expected the scene before it");
        out.frames.push_back(read_frame(content, out.scene));
      }
    } catch (const InvalidProblem& error) {
      throw InvalidProblem(place() + error.what());
    } catch (const IoError& error) {
      throw IoError(place() + error.what());
    }
  }
  if (!scene || out.frames.empty()) throw IoError(fmt::format("{}: found no whole step, expected a scene and its steps", path));
  if (!chunks.whole()) out.warning = fmt::format("the end of the record is not whole; read up to step {}", out.frames.back().step);
  return out;
}

}  // namespace cornet::sim
