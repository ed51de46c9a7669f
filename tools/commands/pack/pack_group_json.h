// The parts of a packing's JSON that `pack` and `capacity` have in common.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/commands/pack/pack_report.h"

namespace vramlab::tools {

nlohmann::ordered_json pack_groups_json(const PackOutcome& outcome);

}  // namespace vramlab::tools
