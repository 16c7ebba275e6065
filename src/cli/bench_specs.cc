// The specifications in campaigns/, as they are when the program is built.
#include "cli/bench.h"
#include "cli/embed.h"

CORNET_EMBED(cornet_campaign_quick, CORNET_CAMPAIGNS "/quick.json");
CORNET_EMBED(cornet_campaign_table6, CORNET_CAMPAIGNS "/survey-table6.json");
CORNET_EMBED(cornet_campaign_families, CORNET_CAMPAIGNS "/families.json");
CORNET_EMBED(cornet_campaign_between, CORNET_CAMPAIGNS "/between-families.json");

namespace cornet::cli {

const std::vector<ShippedSpec>& shipped_specs() {
  static const std::vector<ShippedSpec> all = {
      {"quick", {cornet_campaign_quick, cornet_campaign_quick_end}},
      {"survey-table6", {cornet_campaign_table6, cornet_campaign_table6_end}},
      {"families", {cornet_campaign_families, cornet_campaign_families_end}},
      {"between-families", {cornet_campaign_between, cornet_campaign_between_end}},
  };
  return all;
}

}  // namespace cornet::cli
