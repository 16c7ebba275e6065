// Scene files: what is read must be written and read again without a change, and the simulator must take it or refuse it.
#include "cornet/sim_scene.h"
#include "fuzz/small_scene.h"
#include "fuzz/target.h"
#include "sim/world.h"

namespace cornet::fuzz {

bool run_scene(std::string_view bytes) {
  const MemoryFile file(bytes);
  sim::Scene scene;
  if (!accepts(file.path() + ": ", [&] { scene = sim::read_scene(file.path()); })) return false;
  const std::string text = sim::to_text(scene);
  require(text == sim::to_text(sim::parse_scene(text)), "a scene that changes on its way");
  if (small(scene)) accepts("/", [&] { sim::World world(scene); });
  return true;
}

}  // namespace cornet::fuzz
