// Writes trajectories: chunks (chunks.h) of the scene, the steps and, now and then, the state.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cornet/error.h"
#include "cornet/sim_record.h"
#include "sim/bytes.h"
#include "sim/chunks.h"

namespace cornet::sim {
namespace {

std::string frame_bytes(const Simulation& simulation, const StepReport& report) {
  ByteWriter out;
  const Scene& scene = simulation.scene();
  out.put(report.step);
  out.put(report.time);
  out.put(static_cast<int>(report.status));
  out.put(report.error);
  out.put(report.iterations);
  const Energy& e = report.energy;
  for (double x : {e.kinetic, e.potential, e.friction, e.impact, e.driven, e.viscous, report.penetration}) out.put(x);
  out.put(static_cast<int>(scene.bodies.size()));
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const BodyState b = simulation.body(static_cast<int>(k));
    for (double x : b.pose.position) out.put(static_cast<float>(x));
    for (double x : b.pose.orientation) out.put(static_cast<float>(x));
    out.put(static_cast<float>(std::hypot(b.velocity[0], b.velocity[1], b.velocity[2])));
  }
  ByteWriter nodes;
  int count = 0;
  for (std::size_t k = 0; k < scene.solids.size(); ++k)
    for (const Vec3& p : simulation.nodes(static_cast<int>(k)))
      for (double x : p) {
        nodes.put(static_cast<float>(x));
        ++count;
      }
  out.put(count);
  std::string bytes = out.take() + nodes.take();
  const auto& contacts = simulation.contacts();
  out.put(report.step == 0 ? 0 : static_cast<int>(contacts.size()));
  if (report.step > 0)
    for (const Contact& c : contacts) {
      out.put(c.a);
      out.put(c.b);
      for (double x : c.point) out.put(static_cast<float>(x));
      for (double x : c.reaction) out.put(static_cast<float>(x / scene.dt));
      out.put(static_cast<int>(c.status));
    }
  return bytes + out.take();
}

}  // namespace

struct Recorder::Impl {
  std::string path;
  std::ofstream out;
  long last = -1;

  void write(const std::string& bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    if (!out) throw IoError(fmt::format("{}: cannot be written (disk full?); readable up to step {}", path, last));
  }
};

Recorder::Recorder() : impl_(std::make_unique<Impl>()) {}
Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder::Recorder(const std::string& path, const Simulation& simulation) : Recorder() {
  impl_->path = path;
  impl_->out.open(path, std::ios::binary | std::ios::trunc);
  if (!impl_->out) throw IoError(fmt::format("{}: cannot be written", path));
  StepReport start;
  start.step = simulation.steps();
  start.time = simulation.time();
  start.energy = simulation.energy();
  impl_->write(kRecordMagic + chunk("SCEN", to_text(simulation.scene())) + chunk("STEP", frame_bytes(simulation, start)) +
               chunk("STAT", simulation.checkpoint()));
  impl_->last = start.step;
}

std::pair<Recorder, Simulation> Recorder::resume(const std::string& path) {
  const RecordedState last = last_state(path);
  Simulation simulation = [&] {
    try {
      Simulation out(parse_scene(last.scene));
      out.restore(last.bytes);
      return out;
    } catch (const InvalidProblem& error) {
      throw InvalidProblem(fmt::format("{}: {}", path, error.what()));
    } catch (const IoError& error) {
      throw IoError(fmt::format("{}: {}", path, error.what()));
    }
  }();
  std::filesystem::resize_file(path, last.end);
  Recorder recorder;
  recorder.impl_->path = path;
  recorder.impl_->last = simulation.steps();
  recorder.impl_->out.open(path, std::ios::binary | std::ios::app);
  if (!recorder.impl_->out) throw IoError(fmt::format("{}: cannot be written", path));
  return {std::move(recorder), std::move(simulation)};
}

void Recorder::add(const Simulation& simulation, const StepReport& report) {
  impl_->write(chunk("STEP", frame_bytes(simulation, report)));
  impl_->last = report.step;
  if (report.step % simulation.scene().checkpoint_every == 0) impl_->write(chunk("STAT", simulation.checkpoint()));
}

}  // namespace cornet::sim
