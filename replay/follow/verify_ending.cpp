// What is compared once a recorded history is through.
#include "replay/follow/verify_run.h"

#include <algorithm>

#include "allocator/words/id_names.h"

namespace vramlab::replay {

using allocator::Address;
using allocator::AllocatorEvent;

void VerifyRun::count_segment_calls() {
  SegmentCallCounts& counts = fidelity_.segment_calls;
  counts.total = static_cast<std::uint64_t>(
      std::ranges::count_if(input_.history.events, is_segment_call, &AllocatorEvent::action));
  counts.wrong += device_.wrong_count();
  const std::uint64_t others = counts.taken + counts.wrong;
  counts.explained = counts.total > others ? counts.total - others : 0;
}

void VerifyRun::compare_final_blocks() {
  std::map<Address, allocator::SnapshotBlock> replayed;
  for (const allocator::SnapshotSegment& segment : engine_.take_snapshot().segments)
    for (const allocator::SnapshotBlock& block : segment.blocks) replayed[block.address] = block;
  for (const allocator::SnapshotSegment& segment : input_.history.final_segments) {
    for (const allocator::SnapshotBlock& block : segment.blocks) {
      ++fidelity_.final_blocks.total;
      const auto found = replayed.find(block.address);
      const bool is_same = found != replayed.end() && found->second.size == block.size &&
                           found->second.state == block.state &&
                           (block.state == allocator::BlockState::inactive ||
                            found->second.requested == block.requested);
      if (is_same)
        ++fidelity_.final_blocks.exact;
      else
        note(input_.history.events.size(), "the final block of " + format_bytes(block.size) +
                                               " at " + name_of(block.address) + " differs");
      if (found != replayed.end()) replayed.erase(found);
    }
  }
  fidelity_.final_blocks.total += replayed.size();
  for (const auto& [address, block] : replayed)
    note(input_.history.events.size(), "the replay ends with a block of " +
                                           format_bytes(block.size) + " at " + name_of(address) +
                                           " that was not recorded");
}

}  // namespace vramlab::replay
