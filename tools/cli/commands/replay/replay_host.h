// How the pinned host memory of a replay is printed, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/replayer/pinned_replay.h"

namespace vramlab::tools {

std::string host_text(const replay::HostReport& host);
nlohmann::ordered_json host_json(const replay::HostReport& host);

}  // namespace vramlab::tools
