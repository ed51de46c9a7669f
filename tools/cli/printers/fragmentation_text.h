// The figures of a state, as text and as JSON: usable and releasable memory, holes and pinners.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/metrics/device_state.h"
#include "replay/metrics/fragmentation.h"

namespace vramlab::tools {

/// Such as `large`, or `small of pool (1, 0)`.
std::string pool_name(PoolId pool, PoolKind kind);

/// The lines below a device's heading, before its map.
std::string figures_text(const replay::Fragmentation& fragmentation);
/// The lines after the map: holes by size, and the pinners that strand most.
std::string holes_text(const replay::DeviceState& state);
std::string pinners_text(const replay::DeviceState& state, const traces::SnapshotTables& tables,
                         std::size_t limit);

/// Such as `train.py:12 step`; empty if it is not known.
std::string call_site_text(const replay::DeviceState& state, Address at,
                           const traces::SnapshotTables& tables);
/// The call site and the age of the block at an address, as far as they are known.
std::string origin_text(const replay::DeviceState& state, Address at,
                        const traces::SnapshotTables& tables);

/// Adds `metrics`, `pools`, `streams`, `holes` and `pinners`, at most so many of them, to a device.
void add_fragmentation(nlohmann::ordered_json& device, const replay::DeviceState& state,
                       const traces::SnapshotTables& tables, std::size_t pinner_limit);

nlohmann::ordered_json pinner_json(const replay::DeviceState& state, const replay::Pinner& pinner,
                                   const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
