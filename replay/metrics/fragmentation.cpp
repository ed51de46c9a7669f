#include "replay/metrics/fragmentation.h"

#include <algorithm>
#include <map>

#include "allocator/options/size_rules.h"
#include "replay/metrics/largest_requests.h"
#include "replay/metrics/release_parts.h"

namespace vramlab::replay {

void RequestSizes::add(Bytes request, StreamId stream) {
  if (request >= allocator::request_limit) return;
  ++counts_[{stream, round_request(request, settings_)}];
}

void RequestSizes::add_all(const traces::LongSequence<AllocatorEvent>& history) {
  for (const AllocatorEvent& event : history)
    if (event.action == Action::alloc) add(event.size, event.stream);
}

namespace {

void add_block(const SnapshotSegment& segment, const SnapshotBlock& block, StateFigures& figures) {
  ++figures.blocks;
  switch (block.state) {
    case BlockState::active_allocated:
      ++figures.live_blocks;
      figures.allocated += block.size;
      figures.requested += block.requested;
      return;
    case BlockState::active_pending_free:
      figures.waiting += block.size;
      figures.requested += block.requested;
      return;
    case BlockState::inactive:
      ++figures.holes;
      figures.free += block.size;
      figures.largest_free = std::max(figures.largest_free, block.size);
      if (!segment.is_expandable && segment.blocks.size() > 1) figures.inactive_split += block.size;
      return;
  }
}

void add_segment(const SnapshotSegment& segment, const FragmentationRules& rules,
                 StateFigures& figures) {
  ++figures.segments;
  for (const SnapshotBlock& block : segment.blocks) {
    add_block(segment, block, figures);
    figures.reserved += block.size;
  }
  Bytes& goes_to =
      is_taken_by_release(segment.pool, rules) ? figures.releasable : figures.pool_held;
  for (const ReleasePart& part : release_parts(segment, unit_of(segment, rules)))
    if (part.is_releasable()) goes_to += part.idle;
}

/// How much more may be held.
Bytes left_of(const std::optional<Bytes>& allowed, Bytes held) {
  if (!allowed) return allocator::unlimited;
  return *allowed - std::min(*allowed, held);
}

/// What a request can have before and after everything cached is released for it.
class Ladder {
 public:
  Ladder(const FragmentationRules& rules, Bytes reserved, Bytes releasable)
      : rules_(rules),
        left_now_(left_of(rules.allowed, reserved)),
        left_then_(left_of(rules.allowed, reserved - releasable)),
        releasable_(releasable) {}

  LaneView now(std::span<const SnapshotSegment* const> lane) const {
    return {lane, rules_, left_now_};
  }
  std::optional<Bytes> largest_request(std::span<const SnapshotSegment* const> lane) const {
    if (!rules_.device_free) return std::nullopt;
    const NewMemory kept{Cached::kept, *rules_.device_free};
    const NewMemory released{Cached::released, *rules_.device_free + releasable_};
    return std::max({largest_cached_request(now(lane)), largest_new_request(now(lane), kept),
                     largest_new_request({lane, rules_, left_then_}, released)});
  }

 private:
  const FragmentationRules& rules_;
  Bytes left_now_;
  Bytes left_then_;
  Bytes releasable_;
};

std::optional<Bytes>& keep_larger(std::optional<Bytes>& sum, const std::optional<Bytes>& part) {
  if (part && (!sum || *part > *sum)) sum = part;
  return sum;
}

}  // namespace

bool is_taken_by_release(PoolId pool, const FragmentationRules& rules) {
  return pool == default_pool || rules.freeable_pools.contains(pool);
}

const std::pair<const Address, Reservation>* reservation_of(const SnapshotSegment& run,
                                                            const FragmentationRules& rules) {
  const auto behind = rules.reservations.upper_bound(run.address);
  if (behind == rules.reservations.begin()) return nullptr;
  const auto& before = *std::prev(behind);
  return run.address < before.first + before.second.size ? &before : nullptr;
}

Bytes unit_of(const SnapshotSegment& run, const FragmentationRules& rules) {
  const auto* reservation = reservation_of(run, rules);
  return reservation != nullptr ? reservation->second.unit
                                : expandable_unit(run.kind, rules.settings);
}

StateFigures& operator+=(StateFigures& sum, const StateFigures& part) {
  sum.allocated += part.allocated;
  sum.waiting += part.waiting;
  sum.requested += part.requested;
  sum.reserved += part.reserved;
  sum.free += part.free;
  sum.inactive_split += part.inactive_split;
  sum.releasable += part.releasable;
  sum.pool_held += part.pool_held;
  sum.largest_free = std::max(sum.largest_free, part.largest_free);
  sum.largest_cached = std::max(sum.largest_cached, part.largest_cached);
  keep_larger(sum.largest_possible, part.largest_possible);
  if (part.usable) sum.usable = sum.usable.value_or(Bytes{}) + *part.usable;
  sum.segments += part.segments;
  sum.blocks += part.blocks;
  sum.live_blocks += part.live_blocks;
  sum.holes += part.holes;
  return sum;
}

Fragmentation find_fragmentation(const Snapshot& snapshot, const FragmentationRules& rules) {
  std::map<LaneName, std::vector<const SnapshotSegment*>> segments;
  for (const SnapshotSegment& segment : snapshot.segments)
    segments[{segment.pool, segment.kind, segment.stream}].push_back(&segment);
  Fragmentation found;
  Bytes reserved;
  Bytes releasable;
  for (const auto& [lane, of_lane] : segments) {
    LaneFigures& added = found.lanes.emplace_back(LaneFigures{lane, {}});
    for (const SnapshotSegment* segment : of_lane) add_segment(*segment, rules, added.figures);
    reserved += added.figures.reserved;
    releasable += added.figures.releasable;
  }
  const Ladder ladder(rules, reserved, releasable);
  for (LaneFigures& lane : found.lanes) {
    const auto& of_lane = segments.at(lane.lane);
    lane.figures.largest_cached = largest_cached_request(ladder.now(of_lane));
    lane.figures.largest_possible = ladder.largest_request(of_lane);
    if (rules.requests) lane.figures.usable = usable_bytes(ladder.now(of_lane));
    found.total += lane.figures;
  }
  keep_larger(found.total.largest_possible, ladder.largest_request({}));
  if (rules.requests && !found.total.usable) found.total.usable = Bytes{};
  return found;
}

std::map<std::pair<PoolId, PoolKind>, StateFigures> by_pool(const Fragmentation& fragmentation) {
  std::map<std::pair<PoolId, PoolKind>, StateFigures> pools;
  for (const auto& [lane, figures] : fragmentation.lanes) pools[{lane.pool, lane.kind}] += figures;
  return pools;
}

std::map<StreamId, StateFigures> by_stream(const Fragmentation& fragmentation) {
  std::map<StreamId, StateFigures> streams;
  for (const auto& [lane, figures] : fragmentation.lanes) streams[lane.stream] += figures;
  return streams;
}

MetricValues state_metrics(const StateFigures& figures) {
  MetricValues values;
  const auto add = [&values](std::string_view name, Bytes bytes) {
    values.push_back({name, static_cast<std::int64_t>(bytes.count)});
  };
  const auto add_count = [&values](std::string_view name, std::uint64_t count) {
    values.push_back({name, static_cast<std::int64_t>(count)});
  };
  add("allocated", figures.allocated);
  add("waiting", figures.waiting);
  add("active", figures.active());
  add("requested", figures.requested);
  add("rounding_waste", figures.rounding_waste());
  add("reserved", figures.reserved);
  add("free", figures.free);
  add("inactive_split", figures.inactive_split);
  add("releasable", figures.releasable);
  add("pool_held", figures.pool_held);
  add("stranded", figures.stranded());
  add("largest_free", figures.largest_free);
  add("largest_cached", figures.largest_cached);
  if (figures.largest_possible) add("largest_possible", *figures.largest_possible);
  const Bytes beside = figures.free - figures.largest_free;
  values.push_back({"external_fragmentation", ratio_of(beside.count, figures.free.count)});
  if (figures.usable)
    values.push_back({"usable_share", ratio_of(figures.usable->count, figures.free.count)});
  add_count("segments", figures.segments);
  add_count("blocks", figures.blocks);
  add_count("live_blocks", figures.live_blocks);
  add_count("holes", figures.holes);
  return values;
}

}  // namespace vramlab::replay
