#include "replay/conformance/snapshot_differences.h"

#include <algorithm>
#include <span>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {
namespace {

std::string sizes_text(const SnapshotSegment& segment) {
  return "total " + std::to_string(segment.total_size.count) + ", allocated " +
         std::to_string(segment.allocated_size.count) + ", active " +
         std::to_string(segment.active_size.count) + ", requested " +
         std::to_string(segment.requested_size.count);
}

/// The first place where two lists differ, with "nothing" for the shorter one.
template <typename Item>
std::optional<Difference> first_difference(const std::vector<Item>& expected,
                                           const std::vector<Item>& actual) {
  const auto [left, right] = std::ranges::mismatch(expected, actual);
  if (left == expected.end() && right == actual.end()) return std::nullopt;
  return Difference{.where = "[" + std::to_string(left - expected.begin()) + "]",
                    .expected = left == expected.end() ? "nothing" : text_of(*left),
                    .actual = right == actual.end() ? "nothing" : text_of(*right),
                    .address = left == expected.end() ? right->address : left->address};
}

SnapshotSegment without_blocks(SnapshotSegment segment) {
  segment.blocks.clear();
  return segment;
}

std::string stack_number_text(const MaybeHostStack& stack) {
  return stack ? "stack " + std::to_string(stack->value) : "no stack";
}

constexpr std::size_t segments_beside = 1;
constexpr std::size_t blocks_beside = 4;

struct Excerpt {
  std::size_t begin;
  std::size_t end;
};

/// The items around a place, `beside` of them on each side, clipped to the list.
Excerpt around_place(std::size_t place, std::size_t beside, std::size_t size) {
  return {place - std::min(place, beside), std::min(size, place + beside + 1)};
}

/// The last item that begins at or before the address; 0 where all begin after it.
template <typename Item>
std::size_t place_of(const std::vector<Item>& items, Address address) {
  const auto after = std::ranges::upper_bound(items, address, {}, &Item::address);
  return after == items.begin() ? 0 : static_cast<std::size_t>(after - items.begin()) - 1;
}

std::string left_out(std::size_t count, const char* what) {
  return count == 0 ? "" : "      (" + std::to_string(count) + " " + what + ")\n";
}

std::string blocks_text(const SnapshotSegment& segment, Address around) {
  const std::size_t place = place_of(segment.blocks, around);
  const Excerpt shown = around_place(place, blocks_beside, segment.blocks.size());
  std::string text = left_out(shown.begin, "blocks before");
  for (std::size_t i = shown.begin; i < shown.end; ++i) {
    const SnapshotBlock& block = segment.blocks[i];
    const bool holds = block.address <= around && around < block.address + block.size;
    text += (holds ? "    > " : "      ") + text_of(block) + "\n";
  }
  return text + left_out(segment.blocks.size() - shown.end, "blocks after");
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

std::string text_of(const HostEvent& event) {
  return std::string(action_name(event.action)) + " " + name_of(event.address) + " " +
         std::to_string(event.size.count) + " pool " + name_of(event.pool) + " " +
         stack_number_text(event.stack);
}

std::string text_of(const HostBlockState& block) {
  return name_of(block.address) + " " + std::to_string(block.size.count) +
         (block.allocated ? " allocated"
          : block.active  ? " waiting"
                          : " free") +
         " pool " + name_of(block.pool) + " " + stack_number_text(block.stack);
}

std::optional<Difference> find_difference(const Snapshot& expected, const Snapshot& actual) {
  auto difference = first_difference(expected.segments, actual.segments);
  if (!difference) return std::nullopt;
  const auto [left, right] = std::ranges::mismatch(expected.segments, actual.segments);
  // The segments themselves say more than their first differing blocks, where they differ.
  if (left == expected.segments.end() || right == actual.segments.end() ||
      without_blocks(*left) != without_blocks(*right))
    return difference;
  auto in_blocks = first_difference(left->blocks, right->blocks);
  in_blocks->where = difference->where + ".blocks" + in_blocks->where;
  return in_blocks;
}

std::string segment_map(const Snapshot& snapshot, Address around) {
  if (snapshot.segments.empty()) return "  no segments\n";
  const std::size_t place = place_of(snapshot.segments, around);
  const Excerpt shown = around_place(place, segments_beside, snapshot.segments.size());
  std::string text;
  for (std::size_t i = shown.begin; i < shown.end; ++i) {
    const SnapshotSegment& segment = snapshot.segments[i];
    text += "  " + text_of(segment) + "\n";
    if (i == place) text += blocks_text(segment, around);
  }
  return text;
}

}  // namespace vramlab::replay
