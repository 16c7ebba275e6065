// Scene files: what is written is read again; every wrong value is refused with its path.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cornet/error.h"
#include "cornet/sim.h"
#include "cornet/sim_library.h"

namespace cornet::sim {
namespace {

std::string refusal(const std::string& text) {
  try {
    Simulation simulation(parse_scene(text));
  } catch (const InvalidProblem& error) {
    return error.what();
  } catch (const IoError& error) {
    return error.what();
  }
  return "accepted";
}

// A good scene with one value replaced.
std::string with(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json j = nlohmann::json::parse(R"({"dt": 0.01, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"kind": "plane"}},
    {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.1], "mass": 1}]})");
  j[nlohmann::json::json_pointer(pointer)] = value;
  return j.dump();
}

TEST(SceneFile, EveryLibrarySceneSurvivesAFile) {
  for (const SceneInfo& info : scenes()) {
    const Scene scene = make_scene(info.name);
    const std::string text = to_text(scene);
    EXPECT_EQ(to_text(parse_scene(text)), text) << info.name;
  }
}

TEST(SceneFile, WrongValuesAreNamedByTheirPath) {
  const std::vector<std::tuple<std::string, nlohmann::json, std::string>> cases = {
      {"/dt", 0, "/dt: found 0, expected seconds > 0"},
      {"/dt", -1, "/dt: found -1"},
      {"/dt", "10 ms", "/dt: found \"10 ms\", expected a number in SI units"},
      {"/dt", nullptr, "/dt: found null"},
      {"/units", "cm", "/units: found \"cm\""},
      {"/speed", 3, "/speed: found an unknown key"},
      {"/bodies/1/mass", -1, "/bodies/1/mass: found -1"},
      {"/bodies/1/masss", 1, "/bodies/1/masss: found an unknown key"},
      {"/bodies/1/shape/radius", 0, "/bodies/1/shape/radius: found 0"},
      {"/bodies/1/shape/kind", "ball", "/bodies/1/shape/kind: found \"ball\", expected one of sphere"},
      {"/bodies/1/shape/kind", "disk", "/bodies/1/shape/kind: found disk in a scene of dimension 3"},
      {"/bodies/1/position", {0, 0}, "accepted"},  // two numbers: z = 0, below
      {"/bodies/1/position", {0, 0, 0.1, 1}, "/bodies/1/position: found"},
      {"/bodies/1/position/2", 0.05, "deep in"},
      {"/bodies/1/orientation", {2, 0, 0, 0}, "/bodies/1/orientation: found 2"},
      {"/bodies/1/name", "ground", "/bodies/1/name: found \"ground\" a second time"},
      {"/bodies/1/shape", {{"kind", "hull"}, {"points", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}}, "/bodies/1/shape: found"},
      {"/mu", -0.1, "/mu: found -0.1"},
      {"/restitution", 1.5, "/restitution: found 1.5"},
      {"/theta", 0.2, "/theta: found 0.2"},
      {"/tolerance", 0, "/tolerance: found 0"},
      {"/dim", 4, "/dim: found 4"},
      {"/bodies", nlohmann::json::array(), "/bodies: found none"},
      {"/joints", {{{"a", "ball"}, {"b", "nobody"}}}, "/joints/0/b: found \"nobody\""},
      {"/joints", {{{"a", "ground"}}}, "/joints/0/a: found no dynamic body among \"ground\""},
      // Values that would do nothing.
      {"/bodies/1/shape/size", {1, 1, 1}, "/bodies/1/shape/size: found a value for a sphere"},
      {"/bodies/0/shape/radius", 1, "/bodies/0/shape/radius: found a value for a plane"},
      {"/bodies/0/velocity", {1, 0, 0}, "/bodies/0/velocity: found a value for a fixed body"},
      {"/bodies/0/spin", {1, 0, 0}, "/bodies/0/spin: found a value for a fixed body"},
      {"/bodies/1/motion", {{"velocity", {1, 0, 0}}}, "/bodies/1/motion: found a value for a dynamic body"},
      {"/bodies/0",
       {{"kind", "moving"}, {"shape", {{"kind", "plane"}}}, {"motion", {{"amplitude", {0, 0, 1}}}}},
       "/bodies/0/motion/frequency: found 0"},
      {"/pairs", {{{"a", "default"}, {"b", "steel"}}}, "/pairs/0/b: found \"steel\", expected a material of the scene: default"},
      {"/pairs",
       {{{"a", "default"}, {"b", "default"}}, {{"a", "default"}, {"b", "default"}}},
       "/pairs/1: found the pair default, default a second"},
      {"/solver", "gauss", "/solver: solver 'gauss' is unknown"},
      {"/solver_options", {{"omega", "1"}}, "/solver_options: found some without a solver"},
      {"/retry_solver", "gauss", "/retry_solver: solver 'gauss' is unknown"},
      {"/duration", 1e300, "/duration: found 1e+300, expected at most 1e15 steps"},
      {"/dt", 1e-300, "expected at most 1e15 steps"},
      {"/solids", {{{"mesh", "absent.msh"}}}, "/solids/0/mesh: absent.msh: cannot be read"},
      {"/solids", {{{"velocity", {0, 0, "infinity"}}}}, "/solids/0/velocity/2: found inf"},
      {"/solids", {{{"damping_mass", "infinity"}}}, "/solids/0/damping_mass: found inf"},
      {"/bodies/0/shape",
       {{"kind", "mesh"}, {"points", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {"triangles", {{0, 1, 2}}}},
       "belongs to one triangle"},
      {"/bodies/0/shape",
       {{"kind", "mesh"}, {"open", true}, {"points", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {"triangles", {{0, 1, 3}}}},
       "/bodies/0/shape/triangles/0: found vertex 3"},
      {"/bodies/0/shape",
       {{"kind", "mesh"}, {"open", true}, {"points", {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}}, {"triangles", {{0, 1, 2}}}},
       "without area"},
  };
  for (const auto& [pointer, value, expected] : cases) {
    if (expected == "accepted") continue;
    EXPECT_NE(refusal(with(pointer, value)).find(expected), std::string::npos)
        << pointer << " " << value << ": " << refusal(with(pointer, value));
  }
  EXPECT_NE(refusal("{").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("expected an object"), std::string::npos);
  EXPECT_EQ(refusal(with("/mu", 0.3)), "accepted");
}

TEST(SceneFile, EveryKeyOnce) {
  EXPECT_NE(refusal(R"({"dt": 0.01, "bodies": [{"shape": {"kind": "plane"}, "kind": "fixed", "kind": "fixed"}]})")
                .find("/bodies/0/kind: found this key a second time"),
            std::string::npos);
}

TEST(SceneFile, ThePlaneIsFlat) {
  const std::vector<std::pair<std::string, std::string>> cases = {{R"("position": [0, 1, 0.5])", "/bodies/0/position/2: found 0.5"},
                                                                  {R"("velocity": [0, 1, 0.5])", "/bodies/0/velocity/2: found 0.5"},
                                                                  {R"("spin": [1, 0, 0])", "/bodies/0/spin: found a turn out of the plane"},
                                                                  {R"("orientation": [0, 1, 0, 0])", "/bodies/0/orientation: found a turn"},
                                                                  {R"("spin": [0, 0, 1], "position": [0, 1])", "accepted"}};
  for (const auto& [key, expected] : cases)
    EXPECT_NE(refusal(R"({"dim": 2, "bodies": [{"shape": {"kind": "disk", "radius": 1}, )" + key + "}]}").find(expected), std::string::npos)
        << key;
}

// A solver of a file is a value of the file; one that a program gives is an option.
TEST(SceneFile, SolversAreCheckedBeforeTheFirstStep) {
  EXPECT_EQ(refusal(with("/solver", "nsgs-ac")), "accepted");
  Scene scene = make_scene("arch");
  scene.solver = "gauss";
  EXPECT_THROW(Simulation{scene}, InvalidOption);
}

TEST(SceneLibrary, ParametersMayBeAtTheirLowerEnds) {
  for (const SceneInfo& info : scenes())
    for (const SceneParameter& p : info.parameters) {
      if (info.name == "double-pendulum") continue;  // start and height depend on each other
      const Scene scene = make_scene(info.name, {{p.name, std::to_string(p.lower)}});
      EXPECT_NO_THROW({ const Simulation simulation(scene); }) << info.name << " " << p.name;
    }
}

TEST(SceneFile, OverlapIsPushedApartOnRequest) {
  nlohmann::json j = nlohmann::json::parse(with("/bodies/1/position/2", 0.05));
  j["separate_start"] = true;
  const Simulation simulation(parse_scene(j.dump()));
  EXPECT_GE(simulation.body(1).centre[2], 0.1 - 1e-3);
}

TEST(SceneLibrary, ParametersAreChecked) {
  EXPECT_THROW(make_scene("no such scene"), InvalidOption);
  EXPECT_THROW(make_scene("arch", {{"stones", "3"}}), InvalidOption);
  EXPECT_THROW(make_scene("arch", {{"blocks", "1"}}), InvalidOption);
  EXPECT_THROW(make_scene("arch", {{"blocks", "2.5"}}), InvalidOption);
  EXPECT_THROW(make_scene("arch", {{"mu", "nan"}}), InvalidOption);
  EXPECT_EQ(make_scene("arch", {{"blocks", "7"}}).bodies.size(), 8u);
}

}  // namespace
}  // namespace cornet::sim
