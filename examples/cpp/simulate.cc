// Simulates a scene of the library, looks at every step, and stops when the bodies have come to rest: a block thrown along the ground at
// v = 2 m/s stops after v/(mu g) at v²/(2 mu g).
#include <cornet/sim.h>
#include <cornet/sim_library.h>

#include <cstdio>

int main() {
  cornet::sim::Scene scene = cornet::sim::make_scene("sliding-block", {{"speed", "2"}, {"mu", "0.3"}});
  scene.tolerance = 1e-9;

  cornet::sim::Simulation simulation(scene);
  const int steps = static_cast<int>(scene.duration / scene.dt);
  for (int k = 0; k < steps; ++k) {
    const cornet::sim::StepReport report = simulation.step();
    if (!report.ok()) {
      std::fprintf(stderr, "step %ld: %s\n", report.step, report.message.c_str());
      return 1;
    }
    if (report.step % 20 == 0)
      std::printf("t = %.2f s: %3d contacts (%d stick, %d slide), error %.0e, kinetic energy %.2e J\n", report.time, report.contacts,
                  report.stick, report.slide, report.error, report.energy.kinetic);
    if (report.step > 10 && report.contacts > 0 && report.energy.kinetic < 1e-12) break;
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const cornet::sim::BodyState body = simulation.body(static_cast<int>(b));
    std::printf("%-10s at (%.3f, %.3f, %.3f) m\n", scene.bodies[b].name.c_str(), body.centre[0], body.centre[1], body.centre[2]);
  }
  return 0;
}
