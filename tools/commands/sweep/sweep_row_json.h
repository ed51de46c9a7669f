// A row of a sweep as JSON, wherever one is printed.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/whatif/sweep_row.h"

namespace vramlab::tools {

nlohmann::ordered_json sweep_row_json(const replay::SweepRow& row);

}  // namespace vramlab::tools
