#include "replay/cases/difference_text.h"

#include "allocator/words/ids.h"

namespace vramlab::replay {
namespace {

std::string sizes_text(const SnapshotSegment& segment) {
  return "total " + std::to_string(segment.total_size.count) + ", allocated " +
         std::to_string(segment.allocated_size.count) + ", active " +
         std::to_string(segment.active_size.count) + ", requested " +
         std::to_string(segment.requested_size.count);
}

}  // namespace

std::string text_of(const AllocatorEvent& event) {
  const std::string place = event.action == Action::oom
                                ? std::to_string(event.address.value) + " free"
                                : name_of(event.address);
  return std::string(action_name(event.action)) + ", " + place + ", " +
         std::to_string(event.size.count) + ", stream " + std::to_string(event.stream.value);
}

std::string text_of(const SnapshotBlock& block) {
  return name_of(block.address) + ", " + std::to_string(block.size.count) + ", requested " +
         std::to_string(block.requested.count) + ", " + std::string(block_state_name(block.state));
}

std::string text_of(const SnapshotSegment& segment) {
  return name_of(segment.address) + ", " + sizes_text(segment) + ", stream " +
         std::to_string(segment.stream.value) + ", " + std::string(pool_kind_name(segment.kind)) +
         ", pool " + name_of(segment.pool) + (segment.is_expandable ? ", expandable" : ", classic");
}

std::string text_of(const StatisticValue& value) {
  return "current " + std::to_string(value.current) + ", peak " + std::to_string(value.peak) +
         ", allocated " + std::to_string(value.allocated) + ", freed " +
         std::to_string(value.freed);
}

}  // namespace vramlab::replay
