// The specifications in campaigns/, as they are when the program is built.
#include <string>

#include "cornet/campaign.h"

#define CORNET_EMBED(symbol, file)                                                                                       \
  __asm__(".section .rodata\n.global " #symbol "\n.global " #symbol "_end\n" #symbol ":\n.incbin \"" file "\"\n" #symbol \
          "_end:\n.byte 0\n.text\n");                                                                                    \
  extern "C" const char symbol[];                                                                                        \
  extern "C" const char symbol##_end[]
CORNET_EMBED(cornet_campaign_quick, CORNET_CAMPAIGNS "/quick.json");
CORNET_EMBED(cornet_campaign_table6, CORNET_CAMPAIGNS "/survey-table6.json");
CORNET_EMBED(cornet_campaign_families, CORNET_CAMPAIGNS "/families.json");
CORNET_EMBED(cornet_campaign_between, CORNET_CAMPAIGNS "/between-families.json");

namespace cornet::campaign {

const std::vector<ShippedSpec>& shipped_specs() {
  static const std::vector<ShippedSpec> all = {
      {"quick", {cornet_campaign_quick, cornet_campaign_quick_end}},
      {"survey-table6", {cornet_campaign_table6, cornet_campaign_table6_end}},
      {"families", {cornet_campaign_families, cornet_campaign_families_end}},
      {"between-families", {cornet_campaign_between, cornet_campaign_between_end}},
  };
  return all;
}

}  // namespace cornet::campaign
