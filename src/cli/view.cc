// cornet view RECORD -o PAGE.html: the record of a simulation as one page with a 3D player, nothing to load from anywhere.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <memory>

#include "cli/command.h"
#include "cli/embed.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/error.h"
#include "cornet/sim_record.h"

// The page, its script and three.js, as they are on disk when the program is built.
CORNET_EMBED(cornet_viewer_page, CORNET_WEB "/viewer.html");
CORNET_EMBED(cornet_viewer_script, CORNET_WEB "/viewer.js");
CORNET_EMBED(cornet_viewer_three, CORNET_THREE);

namespace cornet::cli {
namespace {

struct Arguments {
  std::string record, output;
  int every = 0;
};

constexpr std::size_t kFrames = 600;  // enough to look smooth, small enough to load

std::string base64(const std::vector<float>& values) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  const std::size_t size = values.size() * sizeof(float);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t k = 0; k < size; k += 3) {
    const unsigned a = bytes[k], b = k + 1 < size ? bytes[k + 1] : 0, c = k + 2 < size ? bytes[k + 2] : 0;
    out += letters[a >> 2];
    out += letters[(a & 3) << 4 | b >> 4];
    out += k + 1 < size ? letters[(b & 15) << 2 | c >> 6] : '=';
    out += k + 2 < size ? letters[c & 63] : '=';
  }
  return out;
}

Json surface_json(const sim::Surface& surface, bool smooth) {
  std::vector<float> points;
  for (const sim::Vec3& p : surface.points)
    for (double x : p) points.push_back(static_cast<float>(x));
  std::vector<int> triangles;
  for (const auto& t : surface.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  return Json{{"points", base64(points)}, {"triangles", triangles}, {"smooth", smooth}};
}

// Where the moving bodies are: middle and size of what there is to see.
void frame_view(const sim::Record& record, Json& out) {
  double lower[3] = {1e300, 1e300, 1e300}, upper[3] = {-1e300, -1e300, -1e300};
  const auto add = [&](const float* p) {
    for (int i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], static_cast<double>(p[i]));
      upper[i] = std::max(upper[i], static_cast<double>(p[i]));
    }
  };
  for (const sim::Frame* f : {&record.frames.front(), &record.frames.back()}) {
    for (std::size_t k = 0; k < f->bodies.size(); ++k)
      if (record.scene.bodies[k].kind == sim::BodyKind::dynamic) add(f->bodies[k].position);
    for (std::size_t k = 0; k + 2 < f->nodes.size(); k += 3) add(&f->nodes[k]);
  }
  double size = 0;
  for (int i = 0; i < 3; ++i) size = std::max(size, upper[i] - lower[i]);
  for (const sim::Body& b : record.scene.bodies)
    if (b.kind == sim::BodyKind::dynamic && size < 1e-9) size = std::max({b.shape.radius, b.shape.size[0], 0.1});
  out["centre"] = {(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2};
  out["size"] = std::max(1.2 * size, 0.5);
}

std::string page_data(const sim::Record& record, int every) {
  const sim::Scene& scene = record.scene;
  Json out{{"name", scene.name}, {"what", scene.what}, {"dim", scene.dim}, {"bodies", Json::array()}, {"surfaces", Json::array()}};
  frame_view(record, out);
  std::map<std::string, std::size_t> known;  // bodies of the same shape share their surface
  for (const sim::Body& body : scene.bodies) {
    sim::Scene alone;
    alone.bodies = {body};
    alone.bodies[0].pose = {};
    alone.bodies[0].name.clear();
    alone.bodies[0].velocity = alone.bodies[0].spin = {};
    const std::string key = sim::to_text(alone);
    const auto [it, fresh] = known.emplace(key, out["surfaces"].size());
    const bool smooth = body.shape.kind == sim::ShapeKind::sphere || body.shape.kind == sim::ShapeKind::capsule;
    if (fresh) {
      sim::Surface surface = sim::surface_of(body.shape, 3 * out["size"].get<double>());
      if (scene.dim == 2 && body.shape.kind == sim::ShapeKind::plane)  // seen from the side: a deep ribbon below the line
        for (sim::Vec3& p : surface.points) p = {p[0], p[1] > 0 ? 0.0 : -0.05 * out["size"].get<double>(), 0};
      out["surfaces"].push_back(surface_json(surface, smooth));
    }
    const bool container = body.kind != sim::BodyKind::dynamic && body.shape.kind != sim::ShapeKind::sphere;
    out["bodies"].push_back(Json{{"kind", to_string(body.kind)}, {"surface", it->second}, {"see_through", container && scene.dim == 3}});
  }
  std::vector<float> poses, nodes, contacts;
  for (const char* key : {"times", "steps", "counts", "kinetic", "solved"}) out[key] = Json::array();
  for (std::size_t k = 0; k < record.frames.size(); k += static_cast<std::size_t>(every)) {
    const sim::Frame& f = record.frames[k];
    out["times"].push_back(f.time);
    out["steps"].push_back(f.step);
    out["counts"].push_back(f.contacts.size());
    out["kinetic"].push_back(f.energy.kinetic);
    out["solved"].push_back(f.status == static_cast<int>(Status::solved));
    for (const auto& b : f.bodies) {
      poses.insert(poses.end(), b.position, b.position + 3);
      poses.insert(poses.end(), b.orientation, b.orientation + 4);
      poses.push_back(b.speed);
    }
    nodes.insert(nodes.end(), f.nodes.begin(), f.nodes.end());
    for (const auto& c : f.contacts) {
      contacts.insert(contacts.end(), c.position, c.position + 3);
      contacts.insert(contacts.end(), c.force, c.force + 3);
      for (int x : {c.status, c.a, c.b}) contacts.push_back(static_cast<float>(x));
    }
  }
  // Joints as lines from the bodies to the joint; the ends in the frames of the bodies, as they are at the start.
  out["joints"] = Json::array();
  for (const sim::Joint& joint : scene.joints) {
    const auto number = [&](const std::string& name) {
      for (std::size_t k = 0; k < scene.bodies.size(); ++k)
        if (scene.bodies[k].name == name) return static_cast<int>(k);
      return -1;
    };
    out["joints"].push_back(Json{{"a", number(joint.a)}, {"b", joint.b.empty() ? -1 : number(joint.b)}, {"point", joint.point}});
  }
  out["solids"] = Json::array();
  if (!scene.solids.empty()) {
    const sim::Simulation start(scene);  // for the faces of the meshes
    for (std::size_t k = 0; k < scene.solids.size(); ++k) {
      std::vector<int> triangles;
      for (const auto& f : start.faces(static_cast<int>(k)))
        for (int i : {0, 1, 2, 0, 2, 3}) triangles.push_back(f[i]);
      out["solids"].push_back(Json{{"nodes", start.nodes(static_cast<int>(k)).size()}, {"triangles", triangles}});
    }
  }
  out["poses"] = base64(poses);
  out["nodes"] = base64(nodes);
  out["contacts"] = base64(contacts);
  return escape_script(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

int run(const Command& command, const Arguments& arguments) {
  const InterruptGuard guard;
  Progress progress(command.quiet, InterruptGuard::flag());
  progress.stage("reading " + arguments.record);
  const sim::Record record = sim::read_record(arguments.record);
  if (!record.warning.empty()) warn(command, arguments.record, {record.warning});
  const int every = arguments.every > 0 ? arguments.every : static_cast<int>((record.frames.size() + kFrames - 1) / kFrames);
  std::string page(cornet_viewer_page, cornet_viewer_page_end);
  page = fill_page(std::move(page), "@TITLE@", escape_html(record.scene.name + " – cornet"));
  page = fill_page(std::move(page), "@THREE@", {cornet_viewer_three, cornet_viewer_three_end});
  page = fill_page(std::move(page), "@DATA@", page_data(record, every));
  page = fill_page(std::move(page), "@SCRIPT@", {cornet_viewer_script, cornet_viewer_script_end});
  progress.stage("writing " + arguments.output);
  std::ofstream out(arguments.output, std::ios::binary);
  out << page;
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", arguments.output));
  progress.stop();
  const std::size_t frames = (record.frames.size() + static_cast<std::size_t>(every) - 1) / static_cast<std::size_t>(every);
  if (command.json)
    print_json(Json{{"record", arguments.record},
                    {"output", arguments.output},
                    {"frames", frames},
                    {"bytes", page.size()},
                    {"warning", record.warning}});
  else if (!command.quiet)
    print(fmt::format("{}: {}, {} MB; open it in a browser\n", arguments.output, counted(static_cast<long>(frames), "frame"),
                      number(static_cast<double>(page.size()) / 1e6, 3)));
  return kDone;
}

}  // namespace

void add_view(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub =
      add_command(app, command, "view", "Turns the record of a simulation into a page with a 3D player.",
                  "One HTML file that needs no network: play, scrub, turn, colour by speed or contact status, contacts, force chains.",
                  "cornet simulate arch --record arch.rec\ncornet view arch.rec -o arch.html");
  sub->add_option("RECORD", arguments->record, "Written by cornet simulate --record.")->required();
  sub->add_option("--output,-o", arguments->output, "Page to write.")->required()->type_name("PAGE.html");
  sub->add_option("--every", arguments->every, "Every how many steps. Default: at most 600 frames.")
      ->check(in_range({1, 1e9}, true))
      ->type_name("K");
  sub->callback([&command, arguments] {
    command.paths = {arguments->record, arguments->output};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
