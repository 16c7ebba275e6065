// Records of simulations: the frames, and the state from which a run goes on. The checksums of the chunks are put right first, so that the
// content of a changed chunk is read and not only refused.
#include "cornet/sim_record.h"
#include "fuzz/small_scene.h"
#include "fuzz/target.h"
#include "sim/checkpoint.h"
#include "sim/chunks.h"

namespace cornet::fuzz {
namespace {

// Chunks that fit the file, each with the checksum that belongs to it; what does not fit stays as it is.
std::string with_checksums(std::string_view bytes) {
  std::string out(bytes);
  std::size_t at = 8;
  while (at + 16 <= out.size()) {
    std::uint64_t size = 0;
    out.copy(reinterpret_cast<char*>(&size), 8, at + 4);
    if (size > out.size() - at - 16) break;
    const std::string whole = sim::chunk(out.substr(at, 4), out.substr(at + 12, size));
    out.replace(at, whole.size(), whole);
    at += whole.size();
  }
  return out;
}

bool read(std::string_view bytes) {
  const MemoryFile file(bytes);
  sim::Record record;
  if (!accepts(file.path() + ": ", [&] { record = sim::read_record(file.path()); })) return false;
  require(!record.frames.empty(), "a record without a frame");
  sim::RecordedState state;
  accepts(file.path() + ": ", [&] { state = sim::last_state(file.path()); });
  if (!small(record.scene) || state.bytes.empty()) return true;
  accepts("", [&] {
    sim::World world(sim::parse_scene(state.scene));
    sim::load(state.bytes, world);
    require(sim::save(world) == state.bytes, "a state that changes on its way");
  });
  return true;
}

}  // namespace

bool run_trajectory(std::string_view bytes) {
  const bool good = read(bytes);
  read(with_checksums(bytes));
  return good;
}

}  // namespace cornet::fuzz
