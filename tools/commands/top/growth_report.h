// What `vramlab top --growth` prints.
#pragma once

#include <cstdint>
#include <string>

#include "replay/holders/growth.h"

namespace vramlab::tools {

struct GrowthOutcome {
  std::string file;
  replay::FoundGrowth found;
  /// Sites to show of each device; 0 for all.
  std::uint64_t limit = 0;
};

std::string growth_text(const GrowthOutcome& outcome);
/// With a line break at its end.
std::string growth_json(const GrowthOutcome& outcome);

}  // namespace vramlab::tools
