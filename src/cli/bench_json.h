// Evaluations of campaigns as JSON (docs/json.md).
#pragma once

#include "cli/json.h"
#include "cornet/profile.h"

namespace cornet::cli {

Json evaluation_json(const campaign::Evaluation& evaluation);
Json insight_json(const campaign::Insight& insight);
Json growth_json(const std::vector<campaign::Growth>& growth);

}  // namespace cornet::cli
