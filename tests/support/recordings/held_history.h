// Random recordings of one device, and the true holders of its memory after each entry: the list of
// all entries is walked through and a plain map kept, so that findings on the way can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "replay/call_sites/memory_events.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::tests {

enum class FreeEntries : std::uint8_t {
  /// `free_requested`, and `free_completed` at once or later.
  both,
  /// Only `free_completed`, as scripts and old versions write them.
  completed_only,
};

struct HeldHistory {
  std::vector<traces::TraceEntry> entries;
  /// The allocated blocks, by address: before the first entry, then after each. Blocks from before
  /// the first entry have no event and no time.
  std::vector<std::map<std::uint64_t, replay::LiveBlock>> truth;
  /// A segment for each block that is allocated or waits at the end.
  std::vector<traces::SegmentValue> final_segments;
};

/// A history of this many steps; the first steps are not in the recording.
HeldHistory random_held_history(std::uint64_t seed, FreeEntries frees, std::size_t steps,
                                std::size_t steps_before);

/// The entries and the segments, given to a reader's sink; the segments first or last.
void feed(const HeldHistory& history, traces::SnapshotSink& sink, bool segments_first);

}  // namespace vramlab::tests
