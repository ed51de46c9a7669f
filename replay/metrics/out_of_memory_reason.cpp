#include "replay/metrics/out_of_memory_reason.h"

#include <algorithm>
#include <cstdint>

#include "allocator/options/size_rules.h"
#include "replay/metrics/largest_requests.h"

namespace vramlab::replay {
namespace {

constexpr std::size_t most_blocks_to_free = 64;

/// Counts a free block that the request did not get.
void count_hole(const SnapshotSegment& segment, const SnapshotBlock& hole,
                const FragmentationRules& rules, OutOfMemoryReason& reason) {
  if (segment.pool != reason.lane.pool) {
    reason.free_in_other_pools += hole.size;
  } else if (segment.kind != reason.lane.kind) {
    reason.free_in_other_half += hole.size;
  } else if (segment.stream != reason.lane.stream) {
    reason.free_on_other_streams += hole.size;
  } else if (segment.is_expandable && !rules.settings.expandable_segments) {
    reason.passed_over += hole.size;
  } else if (hole.size < reason.refused.rounded) {
    return;
  } else if (is_oversize_mismatch(hole.size, reason.refused.rounded, rules.settings)) {
    reason.kept_by_split_limit += hole.size;
  } else {
    reason.is_of_unknown_pool = true;
  }
}

/// How much memory is missing on the device, or within the share that is allowed.
std::optional<Bytes> shortfall_of(const OutOfMemoryReason& reason, const StateFigures& total) {
  const auto missing = [&](Bytes there) {
    return reason.device_size > there ? reason.device_size - there : Bytes{};
  };
  std::optional<Bytes> shortfall;
  if (reason.refused.device_free)
    shortfall = missing(*reason.refused.device_free + total.releasable);
  if (reason.allowed) {
    const Bytes held = total.reserved - total.releasable;
    const Bytes left = *reason.allowed - std::min(*reason.allowed, held);
    shortfall = std::max(shortfall.value_or(Bytes{}), missing(left));
  }
  return shortfall;
}

/// The addresses of a new expandable segment, if they are too few for the request. More than the
/// device has left is short of memory, however many addresses a segment may have.
std::optional<Bytes> exceeded_reserve_of(const OutOfMemoryReason& reason,
                                         const FragmentationRules& rules, Bytes reserved) {
  const Settings& settings = rules.settings;
  if (!settings.expandable_segments || !settings.expandable_reserve) return std::nullopt;
  // The device has at least so much memory, where the rules do not tell its size.
  const Bytes device_total = reason.refused.device_free.value_or(Bytes{}) + reserved;
  const Bytes addresses = rules.new_reservation.value_or(
      allocator::addresses_for(device_total, settings.expandable_reserve));
  const bool is_exceeded = allocator::is_beyond(reason.refused.rounded, addresses, settings);
  if (!is_exceeded || reason.device_size > device_total) return std::nullopt;
  return addresses;
}

/// The fewest blocks that give back enough, the largest amounts first.
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
  RefusedRequest refused{
      state.moment ? state.moment->event : 0, std::nullopt, event.size, event.stream,
      state.failed_pool.value_or(event.pool), std::nullopt};
  // An address of 0 is that of an event which does not say it.
  if (event.address.value > 0) refused.device_free = Bytes{event.address.value};
  return refused;
}

OutOfMemoryReason explain_out_of_memory(const DeviceState& state, const RefusedRequest& refused) {
  const Settings& settings = state.rules.settings;
  const Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  OutOfMemoryReason reason;
  reason.refused = refused;
  reason.lane = {refused.pool, allocator::pool_kind_of(refused.rounded), refused.stream};
  reason.device_size = device_size_for_miss(refused.rounded, settings);
  for (const LaneFigures& lane : found.lanes)
    if (lane.lane == reason.lane) reason.in_lane = lane.figures;
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::inactive) count_hole(segment, block, state.rules, reason);
  reason.allowed = state.rules.allowed;
  reason.exceeded_reserve = exceeded_reserve_of(reason, state.rules, found.total.reserved);
  if (reason.exceeded_reserve) return reason;
  if (settings.expandable_segments && reason.refused.device_free && !reason.allowed) {
    // Free memory at the end of a segment is grown, so less than a whole segment is requested.
    const Bytes possible = reason.in_lane.largest_possible.value_or(Bytes{});
    const Bytes unit = expandable_unit(reason.lane.kind, settings);
    reason.shortfall = round_up(refused.rounded - std::min(refused.rounded, possible), unit);
  } else {
    reason.shortfall = shortfall_of(reason, found.total);
  }
  if (reason.shortfall == Bytes{}) {
    reason.shortfall.reset();
    reason.is_limited_by_unknown_share = true;
  }
  if (reason.shortfall) reason.enough_to_free = blocks_to_free(state, *reason.shortfall);
  return reason;
}

}  // namespace vramlab::replay
