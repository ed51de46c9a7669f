// The first difference of two snapshots, and values of recorded cases as text, so that expected and
// actual can stand beside each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "allocator/types/snapshot.h"

namespace vramlab::replay {

/// A run and a recorded case differ here, or two snapshots do.
struct Difference {
  /// Such as `results[12]` or `final_stats.segment.all`.
  std::string where = {};
  std::string expected = {};
  std::string actual = {};
  /// The call that caused it; -1 for the settings at the start, nothing where it shows at the end.
  std::optional<std::int64_t> call = {};
  /// The place in memory to look at.
  std::optional<Address> address = {};
  /// For a difference in the trace, whose call the answers alone do not tell.
  std::optional<std::size_t> trace_entry = {};
};

/// The first; `where` is such as `[2].blocks[5]`, to stand after the snapshot's own name.
std::optional<Difference> find_difference(const Snapshot& expected, const Snapshot& actual);

std::string text_of(const AllocatorEvent& event);
std::string text_of(const SnapshotBlock& block);
/// Without its blocks.
std::string text_of(const SnapshotSegment& segment);
std::string text_of(const StatisticValue& value);

/// A snapshot near one address: the segment that holds it, its neighbours, and the blocks around
/// it. Several lines, each with a line break; the block that holds the address is marked.
std::string segment_map(const Snapshot& snapshot, Address around);

}  // namespace vramlab::replay
