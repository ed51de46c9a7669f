// The figures of a state for people: what could be used or given back, holes, and who pins what.
#pragma once

#include <string>

#include "replay/state/device_state.h"
#include "replay/state/pinners.h"

namespace vramlab::tools {

/// Such as `large`, or `small of pool (1, 0)`.
std::string pool_name(allocator::PoolId pool, allocator::PoolKind kind);

/// Lines under the device's, before its map.
std::string figures_text(const replay::Fragmentation& fragmentation);
/// Lines after the map: holes by size, and the pinners that strand most.
std::string holes_text(const replay::DeviceState& state);
std::string pinners_text(const replay::DeviceState& state, const traces::SnapshotTables& tables,
                         std::size_t limit);

/// Where and how long ago the block at an address was asked for, as far as is known.
std::string origin_text(const replay::DeviceState& state, allocator::Address at,
                        const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
