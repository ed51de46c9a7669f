#include "replay/cases/segment_map.h"

#include <algorithm>
#include <span>

#include "allocator/words/ids.h"
#include "replay/cases/difference_text.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

constexpr std::size_t segments_beside = 1;
constexpr std::size_t blocks_beside = 4;

struct Excerpt {
  std::size_t begin;
  std::size_t end;
};

/// The items around a place, so many on each side of it, clipped to the list.
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
