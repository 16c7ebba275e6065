// Scenes made by code, each with size parameters, and the fifteen test sets of the survey made from them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cornet/export.h"
#include "cornet/options.h"
#include "cornet/sim_scene.h"

namespace cornet::sim {

struct SceneParameter {
  std::string name;
  double value = 0;  ///< default
  double lower = 0, upper = 0;
  bool integer = false;
  std::string what;
};

using SceneValues = std::map<std::string, double>;

struct SceneInfo {
  std::string name;
  std::string what;  ///< one line
  std::vector<SceneParameter> parameters;
  std::function<Scene(const SceneValues&)> make;
};

CORNET_API const std::vector<SceneInfo>& scenes();

/// Throws InvalidOption on an unknown name, an unknown parameter or a value out of its range.
CORNET_API Scene make_scene(const std::string& name, const OptionTexts& settings = {});

}  // namespace cornet::sim
