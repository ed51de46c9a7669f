// What is compared once a recorded history is through.
#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/types/bytes_and_ids.h"
#include "replay/recording/verify_run.h"

namespace vramlab::replay {

void VerifyRun::count_segment_calls() {
  SegmentCallCounts& counts = fidelity_.segment_calls;
  counts.total = static_cast<std::uint64_t>(
      std::ranges::count_if(history_.events, is_segment_call, &AllocatorEvent::action));
  counts.wrong += device_.wrong_count();
  const std::uint64_t others = counts.taken + counts.wrong;
  counts.explained = counts.total > others ? counts.total - others : 0;
}

namespace {

using SegmentTraits = std::tuple<Bytes, StreamId, PoolKind, bool>;

std::map<Address, SegmentTraits> by_address(const std::vector<SnapshotSegment>& segments) {
  std::map<Address, SegmentTraits> found;
  for (const SnapshotSegment& one : segments)
    found[one.address] = {one.total_size, one.stream, one.kind, one.is_expandable};
  return found;
}

}  // namespace

/// All but their pools, whose names the file and the replay choose differently.
void VerifyRun::compare_final_segments(const std::vector<SnapshotSegment>& replayed) {
  const auto recorded = by_address(history_.final_segments);
  const auto made = by_address(replayed);
  fidelity_.final_segments.total = std::max(recorded.size(), made.size());
  for (const auto& [address, traits] : recorded) {
    const auto same = made.find(address);
    if (same != made.end() && same->second == traits)
      ++fidelity_.final_segments.exact;
    else
      note(history_.events.size(), "the final segment at " + name_of(address) + " differs");
  }
  if (made.size() > recorded.size())
    note(history_.events.size(), "the replay ends with " + std::to_string(made.size()) +
                                     " segments, the recording with " +
                                     std::to_string(recorded.size()));
}

void VerifyRun::compare_final_blocks() {
  std::map<Address, SnapshotBlock> replayed;
  const std::vector<SnapshotSegment> segments = engine_.take_snapshot().segments;
  compare_final_segments(segments);
  for (const SnapshotSegment& segment : segments)
    for (const SnapshotBlock& block : segment.blocks) replayed[block.address] = block;
  for (const SnapshotSegment& segment : history_.final_segments) {
    for (const SnapshotBlock& block : segment.blocks) {
      ++fidelity_.final_blocks.total;
      const auto found = replayed.find(block.address);
      const bool is_same =
          found != replayed.end() && found->second.size == block.size &&
          found->second.state == block.state &&
          (block.state == BlockState::inactive || found->second.requested == block.requested);
      if (is_same)
        ++fidelity_.final_blocks.exact;
      else
        note(history_.events.size(), "the final block of " + format_bytes(block.size) + " at " +
                                         name_of(block.address) + " differs");
      if (found != replayed.end()) replayed.erase(found);
    }
  }
  fidelity_.final_blocks.total += replayed.size();
  for (const auto& [address, block] : replayed)
    note(history_.events.size(), "the replay ends with a block of " + format_bytes(block.size) +
                                     " at " + name_of(address) + " that was not recorded");
}

}  // namespace vramlab::replay
