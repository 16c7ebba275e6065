// Trajectories on disk. A record is a sequence of chunks, each with its length and checksum: the scene, then one chunk per step, and from time
// to time the exact state. It is only ever appended to, so a kill leaves a record that is readable up to its last whole step. Layout:
// docs/simulator.md. The same scene gives the same bytes.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/sim.h"

namespace cornet::sim {

/// One step as recorded, in single precision where it is only looked at.
struct Frame {
  struct Placement {
    float position[3];     ///< of the frame of the shape
    float orientation[4];  ///< w, x, y, z
    float speed;           ///< of the centre of mass
  };
  struct Point {
    int a, b;  ///< bodies; solids follow the bodies
    float position[3];
    float force[3];  ///< reaction on a over the step length, N
    int status;      ///< 0 take-off, 1 stick, 2 slide
  };
  long step = 0;
  double time = 0;
  int status = 0;  ///< of the contact problem, as in Status
  double error = 0;
  long iterations = 0;
  Energy energy;
  double penetration = 0;
  std::vector<Placement> bodies;  ///< all bodies of the scene
  std::vector<float> nodes;       ///< positions of all nodes of all solids
  std::vector<Point> contacts;
};

class CORNET_API Recorder {
 public:
  /// Starts a new file; throws IoError.
  Recorder(const std::string& path, const Simulation& simulation);
  ~Recorder();

  /// Opens a record, restores its last state into a new simulation and cuts off what follows; the run then goes on as if never stopped.
  static std::pair<Recorder, Simulation> resume(const std::string& path);

  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  /// Appends a step, and the state where checkpoints are due. Throws IoError when the disk is full; what was written before stays readable.
  void add(const Simulation& simulation, const StepReport& report);

 private:
  Recorder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The whole record. A broken last chunk is left out and said in `warning`.
struct Record {
  Scene scene;
  std::vector<Frame> frames;  ///< frame 0 is the start
  std::string warning;
};

CORNET_API Record read_record(const std::string& path);

/// A surface of triangles.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
};
/// The surface of a shape in its own frame; a plane is a square of the given size.
CORNET_API Surface surface_of(const Shape& shape, double plane_size = 10);

/// Writes bodies, solids and contacts of every step as VTK files (.vtp) and the index bodies.pvd, contacts.pvd for ParaView.
class CORNET_API VtkWriter {
 public:
  VtkWriter(const std::string& folder, const Simulation& simulation);
  void add(const Simulation& simulation, const StepReport& report);

 private:
  void write_bodies(const Simulation& simulation, const std::string& path) const;
  void write_contacts(const Simulation& simulation, const std::string& path) const;
  void write_index(const char* name) const;
  std::string folder_;
  std::vector<Surface> surfaces_;
  std::vector<std::pair<double, long>> steps_;
};

}  // namespace cornet::sim
