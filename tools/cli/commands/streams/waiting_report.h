// The output of `vramlab streams` about frees that waited for streams: how much memory they kept,
// at which call sites, and what would help, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/stream_waits/recorded_waiting.h"

namespace vramlab::tools {

struct WaitingOutcome {
  std::string file;
  replay::RecordedWaiting waiting;
  /// Call sites, streams and releases to show in the text, the costliest; 0 for all.
  std::uint64_t shown = 10;
};

std::string waiting_text(const WaitingOutcome& outcome);

/// Everything, whatever `shown` says.
std::string waiting_json(const WaitingOutcome& outcome);
nlohmann::ordered_json waiting_devices_json(const WaitingOutcome& outcome);

}  // namespace vramlab::tools
