// Chunks: tag (4 letters), length of the content (8 bytes), content, CRC-32 of tag and content (4 bytes), after the 8 letters "CORNETR1".
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "cornet/error.h"
#include "cornet/sim_record.h"
#include "sim/bytes.h"

namespace cornet::sim {
namespace {

constexpr char kMagic[] = "CORNETR1";

std::uint32_t crc(const std::string& bytes, std::uint32_t start = 0) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t k = 0; k < 256; ++k) {
      std::uint32_t x = k;
      for (int bit = 0; bit < 8; ++bit) x = x & 1 ? 0xEDB88320u ^ (x >> 1) : x >> 1;
      out[k] = x;
    }
    return out;
  }();
  std::uint32_t x = ~start;
  for (char c : bytes) x = table[(x ^ static_cast<unsigned char>(c)) & 0xFF] ^ (x >> 8);
  return ~x;
}

std::string chunk(const char* tag, const std::string& content) {
  ByteWriter out;
  const std::string name(tag, 4);
  std::string bytes = name;
  out.put(static_cast<std::uint64_t>(content.size()));
  bytes += out.take() + content;
  out.put(crc(content, crc(name)));
  return bytes + out.take();
}

// The chunks of a file, one after the other; stops at the first one that is not whole.
class Chunks {
 public:
  explicit Chunks(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) throw IoError(fmt::format("{}: cannot be read", path));
    char magic[8] = {};
    in_.read(magic, 8);
    if (in_.gcount() != 8 || std::memcmp(magic, kMagic, 8) != 0)
      throw IoError(fmt::format("{}: found no record of a simulation, expected a file that starts with {}", path, kMagic));
    end_ = static_cast<std::uint64_t>(std::filesystem::file_size(path));
    at_ = 8;
  }

  bool next(std::string& tag, std::string& content) {
    if (at_ + 16 > end_) return false;
    tag.resize(4);
    std::uint64_t size = 0;
    in_.read(tag.data(), 4);
    in_.read(reinterpret_cast<char*>(&size), 8);
    if (!in_ || size > end_ - at_ - 16) return false;
    content.resize(size);
    in_.read(content.data(), static_cast<std::streamsize>(size));
    std::uint32_t sum = 0;
    in_.read(reinterpret_cast<char*>(&sum), 4);
    if (!in_ || sum != crc(content, crc(tag))) return false;
    at_ += 16 + size;
    return true;
  }

  std::uint64_t position() const { return at_; }  ///< behind the last whole chunk
  bool whole() const { return at_ == end_; }

 private:
  std::string path_;
  std::ifstream in_;
  std::uint64_t at_ = 0, end_ = 0;
};

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

Frame read_frame(const std::string& bytes) {
  ByteReader in(bytes);
  Frame f;
  in.get(f.step);
  in.get(f.time);
  in.get(f.status);
  in.get(f.error);
  in.get(f.iterations);
  Energy& e = f.energy;
  for (double* x : {&e.kinetic, &e.potential, &e.friction, &e.impact, &e.driven, &e.viscous, &f.penetration}) in.get(*x);
  f.bodies.resize(in.get<int>());
  for (Frame::Placement& p : f.bodies) {
    for (float& x : p.position) in.get(x);
    for (float& x : p.orientation) in.get(x);
    in.get(p.speed);
  }
  f.nodes.resize(in.get<int>());
  for (float& x : f.nodes) in.get(x);
  f.contacts.resize(in.get<int>());
  for (Frame::Point& c : f.contacts) {
    in.get(c.a);
    in.get(c.b);
    for (float& x : c.position) in.get(x);
    for (float& x : c.force) in.get(x);
    in.get(c.status);
  }
  return f;
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
  impl_->write(kMagic + chunk("SCEN", to_text(simulation.scene())) + chunk("STEP", frame_bytes(simulation, start)) +
               chunk("STAT", simulation.checkpoint()));
  impl_->last = start.step;
}

std::pair<Recorder, Simulation> Recorder::resume(const std::string& path) {
  std::string tag, content, scene, state;
  std::uint64_t end = 0;
  {
    Chunks chunks(path);
    while (chunks.next(tag, content)) {
      if (tag == "SCEN") scene = content;
      if (tag == "STAT") {
        state = content;
        end = chunks.position();
      }
    }
  }
  if (scene.empty() || state.empty()) throw IoError(fmt::format("{}: found no state to go on from, expected a record with one", path));
  Simulation simulation(parse_scene(scene));
  simulation.restore(state);
  std::filesystem::resize_file(path, end);
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

Record read_record(const std::string& path) {
  Chunks chunks(path);
  Record out;
  std::string tag, content;
  bool scene = false;
  while (chunks.next(tag, content)) {
    if (tag == "SCEN") {
      out.scene = parse_scene(content);
      scene = true;
    } else if (tag == "STEP") {
      out.frames.push_back(read_frame(content));
    }
  }
  if (!scene || out.frames.empty()) throw IoError(fmt::format("{}: found no whole step, expected a scene and its steps", path));
  if (!chunks.whole()) out.warning = fmt::format("the end of the record is not whole; read up to step {}", out.frames.back().step);
  return out;
}

}  // namespace cornet::sim
