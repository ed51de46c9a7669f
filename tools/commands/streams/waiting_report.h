// What `vramlab streams` says of a recording, as text and as JSON.
#pragma once

#include <string>

#include "replay/waiting/recorded_waiting.h"

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

}  // namespace vramlab::tools
