// The figures of a memory timeline, as `vramlab info` shows them, and the answer of `vramlab
// explain`: the kinds of memory at the peak.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/kit/explanation_report.h"
#include "traces/logs/memory_timeline.h"

namespace vramlab::tools {

std::string memory_timeline_text(const traces::MemoryTimeline& timeline);
nlohmann::ordered_json memory_timeline_json(const traces::MemoryTimeline& timeline);
AnswerText memory_timeline_answer(const traces::MemoryTimeline& timeline);

}  // namespace vramlab::tools
