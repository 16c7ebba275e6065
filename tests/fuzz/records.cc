// Records of campaigns: reading them, and opening the file again to go on with it. Both must agree on what is a good line.
#include <cmath>

#include "campaign/record_file.h"
#include "cornet/campaign.h"
#include "fuzz/target.h"

namespace cornet::fuzz {

bool run_records(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::string start = file.path() + ": ";
  campaign::RecordSet all;
  const bool good = accepts(start, [&] { all = campaign::read_records({file.path()}, campaign::Detail::everything); });
  const bool brief = accepts(start, [&] { campaign::read_records({file.path()}, campaign::Detail::measures); });
  require(brief || !good, "a file that is good in detail and bad without");
  const std::string before = file.bytes();
  const bool resumed = accepts(start, [&] { campaign::RecordFile(file.path(), true); });
  const std::string after = file.bytes();
  require(resumed == brief, "a file that can be read but not gone on with, or the other way round");
  require(std::string_view(before).starts_with(after), "opening a file of records changed more than its torn end");
  if (!good) return false;
  for (const campaign::Record& record : all.records) {
    const std::string line = campaign::to_line(record);
    require(line == campaign::to_line(campaign::parse_line(line, campaign::Detail::everything)), "a record that changes on its way");
  }
  return true;
}

}  // namespace cornet::fuzz
