// The figures of a state as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/state/device_state.h"
#include "replay/state/pinners.h"

namespace vramlab::tools {

/// `metrics`, `pools`, `streams`, `holes` and `pinners`, at most so many of them, added to a
/// device.
void add_fragmentation(nlohmann::ordered_json& device, const replay::DeviceState& state,
                       const traces::SnapshotTables& tables, std::size_t pinner_limit);

nlohmann::ordered_json pinner_json(const replay::DeviceState& state, const replay::Pinner& pinner,
                                   const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
