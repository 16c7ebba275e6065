// VTK XML PolyData as text: bodies with number, speed and kind; contacts with reaction, status and gap, and the force chains as lines
// between the centres of the bodies that press on each other.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cornet/error.h"
#include "cornet/sim_record.h"
#include "sim/types.h"

namespace cornet::sim {
namespace {

// A text file that appears whole or throws.
void save(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", path));
}

template <class Values>
std::string data_array(const char* type, const char* name, int components, const Values& values) {
  std::string out = fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">", type, name, components);
  for (const auto& x : values) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(x)>>) out += fmt::format("{:.9g} ", x);
    else out += fmt::format("{} ", x);
  }
  return out + "</DataArray>\n";
}

struct PolyData {
  std::vector<double> points;
  std::vector<int> connectivity, offsets;  ///< of polygons or lines
  std::string point_data, cell_data;
  const char* cells = "Polys";

  std::string text() const {
    const bool polygons = std::string(cells) == "Polys", lines = std::string(cells) == "Lines";
    const std::size_t count = points.size() / 3;
    std::string out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n";
    out +=
        fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
                    count, polygons || lines ? 0 : offsets.size(), lines ? offsets.size() : 0, polygons ? offsets.size() : 0);
    out += "<PointData>\n" + point_data + "</PointData>\n<CellData>\n" + cell_data + "</CellData>\n<Points>\n";
    out += data_array("Float64", "Points", 3, points) + "</Points>\n";
    out += fmt::format("<{}>\n", cells) + data_array("Int32", "connectivity", 1, connectivity) +
           data_array("Int32", "offsets", 1, offsets) + fmt::format("</{}>\n", cells);
    return out + "</Piece>\n</PolyData>\n</VTKFile>\n";
  }
};

}  // namespace

VtkWriter::VtkWriter(const std::string& folder, const Simulation& simulation) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot make this folder ({})", folder, error.message()));
  double extent = 1;
  const int count = static_cast<int>(simulation.scene().bodies.size());
  for (int k = 0; k < count; ++k)
    if (simulation.scene().bodies[k].kind == BodyKind::dynamic)
      for (double x : simulation.body(k).centre) extent = std::max(extent, 3 * std::abs(x));
  for (const Body& body : simulation.scene().bodies) surfaces_.push_back(surface_of(body.shape, extent));
  StepReport start;
  start.step = simulation.steps();
  start.time = simulation.time();
  add(simulation, start);
}

void VtkWriter::add(const Simulation& simulation, const StepReport& report) {
  write_bodies(simulation, fmt::format("{}/bodies_{:06}.vtp", folder_, report.step));
  write_contacts(simulation, fmt::format("{}/contacts_{:06}.vtp", folder_, report.step));
  steps_.emplace_back(report.time, report.step);
  write_index("bodies");
  write_index("contacts");
}

void VtkWriter::write_index(const char* name) const {
  std::string out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (const auto& [time, step] : steps_)
    out += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}_{:06}.vtp\"/>\n", time, name, step);
  save(fmt::format("{}/{}.pvd", folder_, name), out + "</Collection>\n</VTKFile>\n");
}

void VtkWriter::write_bodies(const Simulation& simulation, const std::string& path) const {
  PolyData out;
  std::vector<int> body, kind;
  std::vector<double> speed;
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    const BodyState state = simulation.body(static_cast<int>(k));
    const Rotation q = rotation(state.pose);
    // In the plane a half-space is drawn through its y axis.
    const int first = static_cast<int>(out.points.size() / 3);
    for (const Vec3& p : surfaces_[k].points) {
      const Vector x = vector(state.pose.position) + q * vector(p);
      out.points.insert(out.points.end(), x.data(), x.data() + 3);
    }
    for (const auto& t : surfaces_[k].triangles) {
      for (int i : t) out.connectivity.push_back(first + i);
      out.offsets.push_back(static_cast<int>(out.connectivity.size()));
      body.push_back(static_cast<int>(k));
      kind.push_back(static_cast<int>(simulation.scene().bodies[k].kind));
      speed.push_back(vector(state.velocity).norm());
    }
  }
  for (std::size_t k = 0; k < simulation.scene().solids.size(); ++k) {
    const auto nodes = simulation.nodes(static_cast<int>(k)), velocities = simulation.node_velocities(static_cast<int>(k));
    const int first = static_cast<int>(out.points.size() / 3);
    for (const Vec3& p : nodes) out.points.insert(out.points.end(), p.begin(), p.end());
    for (const auto& f : simulation.faces(static_cast<int>(k))) {
      for (int i : f) out.connectivity.push_back(first + i);
      out.offsets.push_back(static_cast<int>(out.connectivity.size()));
      body.push_back(static_cast<int>(surfaces_.size() + k));
      kind.push_back(0);
      double mean = 0;
      for (int i : f) mean += vector(velocities[i]).norm() / 4;
      speed.push_back(mean);
    }
  }
  out.cell_data = data_array("Int32", "body", 1, body) + data_array("Int32", "kind", 1, kind) + data_array("Float64", "speed", 1, speed);
  save(path, out.text());
}

void VtkWriter::write_contacts(const Simulation& simulation, const std::string& path) const {
  PolyData out;
  out.cells = "Lines";
  std::vector<double> force, gap, size;
  std::vector<int> status;
  const double h = simulation.scene().dt;
  const int bodies = static_cast<int>(simulation.scene().bodies.size());
  const auto& contacts = simulation.contacts();
  for (const Contact& c : contacts) {
    out.points.insert(out.points.end(), c.point.begin(), c.point.end());
    for (double x : c.reaction) force.push_back(x / h);
    gap.push_back(c.gap);
    status.push_back(static_cast<int>(c.status));
  }
  // Force chains: from the point to the centres of the bodies that can move.
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    for (int end : {c.a, c.b}) {
      if (end >= bodies || simulation.scene().bodies[end].kind != BodyKind::dynamic) continue;
      const Vec3 centre = simulation.body(end).centre;
      out.points.insert(out.points.end(), centre.begin(), centre.end());
      for (int m = 0; m < 3; ++m) force.push_back(0);
      gap.push_back(0);
      status.push_back(-1);
      out.connectivity.push_back(static_cast<int>(k));
      out.connectivity.push_back(static_cast<int>(out.points.size() / 3 - 1));
      out.offsets.push_back(static_cast<int>(out.connectivity.size()));
      size.push_back(vector(c.reaction).norm() / h);
    }
  }
  out.point_data =
      data_array("Float64", "reaction", 3, force) + data_array("Float64", "gap", 1, gap) + data_array("Int32", "status", 1, status);
  out.cell_data = data_array("Float64", "force", 1, size);
  save(path, out.text());
}

}  // namespace cornet::sim
