#include "replay/moments/out_of_memory_story.h"

#include <algorithm>
#include <cstdint>

#include "allocator/options/size_rules.h"
#include "replay/state/largest_requests.h"

namespace vramlab::replay {
namespace {

constexpr std::size_t most_blocks_to_free = 64;

/// Counts a free block that the request did not get.
void count_hole(const SnapshotSegment& segment, const SnapshotBlock& hole,
                const FragmentationRules& rules, OutOfMemoryStory& story) {
  if (segment.pool != story.lane.pool) {
    story.free_in_other_pools += hole.size;
  } else if (segment.kind != story.lane.kind) {
    story.free_in_other_half += hole.size;
  } else if (segment.stream != story.lane.stream) {
    story.free_on_other_streams += hole.size;
  } else if (segment.is_expandable && !rules.settings.expandable_segments) {
    story.passed_over += hole.size;
  } else if (hole.size >= story.refused.rounded &&
             is_oversize_mismatch(hole.size, story.refused.rounded, rules.settings)) {
    story.kept_by_split_limit += hole.size;
  }
}

/// What is missing to what has to be asked of the device, or to the share that is allowed.
std::optional<Bytes> shortfall_of(const OutOfMemoryStory& story, const StateFigures& total) {
  const auto missing = [&](Bytes there) {
    return story.device_size > there ? story.device_size - there : Bytes{};
  };
  std::optional<Bytes> shortfall;
  if (story.refused.device_free) shortfall = missing(*story.refused.device_free + total.releasable);
  if (story.allowed) {
    const Bytes held = total.reserved - total.releasable;
    const Bytes left = *story.allowed - std::min(*story.allowed, held);
    shortfall = std::max(shortfall.value_or(Bytes{}), missing(left));
  }
  return shortfall;
}

/// Those that give back most for what they hold come first.
std::vector<Pinner> blocks_to_free(const DeviceState& state, Bytes enough) {
  std::vector<Pinner> candidates = find_pinners(state.snapshot, state.rules, SIZE_MAX);
  std::erase_if(candidates, [](const Pinner& pinner) { return pinner.released_alone == Bytes{}; });
  std::ranges::stable_sort(candidates, [](const Pinner& a, const Pinner& b) {
    return a.released_alone > b.released_alone;
  });
  Bytes released;
  std::size_t count = 0;
  while (count < candidates.size() && released < enough)
    released += candidates[count++].released_alone;
  if (released < enough || count > most_blocks_to_free) return {};
  candidates.resize(count);
  return candidates;
}

}  // namespace

std::optional<RefusedRequest> refused_by(const DeviceState& state) {
  if (state.history.empty() || state.history.back().action != Action::oom) return std::nullopt;
  const AllocatorEvent& event = state.history.back();
  RefusedRequest refused{state.moment ? state.moment->event : 0,
                         std::nullopt,
                         event.size,
                         event.stream,
                         event.pool,
                         std::nullopt};
  // An address of 0 is that of an event which does not say it.
  if (event.address.value > 0) refused.device_free = Bytes{event.address.value};
  return refused;
}

OutOfMemoryStory tell_out_of_memory(const DeviceState& state, const RefusedRequest& refused) {
  const Settings& settings = state.rules.settings;
  const Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  OutOfMemoryStory story;
  story.refused = refused;
  story.lane = {refused.pool, allocator::pool_kind_of(refused.rounded), refused.stream};
  story.device_size = device_size_for_miss(refused.rounded, settings);
  for (const LaneFigures& lane : found.lanes)
    if (lane.lane == story.lane) story.in_lane = lane.figures;
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::inactive) count_hole(segment, block, state.rules, story);
  story.allowed = state.rules.allowed;
  if (settings.expandable_segments && story.refused.device_free && !story.allowed) {
    // What is free at the end of a segment is grown, so less than a segment is asked for.
    const Bytes possible = story.in_lane.largest_possible.value_or(Bytes{});
    const Bytes unit = expandable_unit(story.lane.kind, settings);
    story.shortfall = round_up(refused.rounded - std::min(refused.rounded, possible), unit);
  } else {
    story.shortfall = shortfall_of(story, found.total);
  }
  if (story.shortfall == Bytes{}) {
    story.shortfall.reset();
    story.is_limited_by_unknown_share = true;
  }
  if (story.shortfall) story.enough_to_free = blocks_to_free(state, *story.shortfall);
  return story;
}

}  // namespace vramlab::replay
