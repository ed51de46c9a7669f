// The figures of a memory timeline, as `vramlab info` shows them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "traces/logs/memory_timeline.h"

namespace vramlab::tools {

std::string memory_timeline_text(const traces::MemoryTimeline& timeline);
nlohmann::ordered_json memory_timeline_json(const traces::MemoryTimeline& timeline);

}  // namespace vramlab::tools
