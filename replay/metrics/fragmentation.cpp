#include "replay/metrics/fragmentation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include "allocator/options/size_rules.h"
#include "replay/metrics/largest_requests.h"

namespace vramlab::replay {
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

/// How much more memory may be held.
Bytes left_of(const std::optional<Bytes>& allowed, Bytes held) {
  if (!allowed) return allocator::unlimited;
  return *allowed - std::min(*allowed, held);
}

/// The largest requests that can be served before and after everything cached is released.
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

Address end_of(const SnapshotBlock& block) { return block.address + block.size; }

void count_blocks(const SnapshotSegment& segment, ReleasePart& part) {
  const Address end = part.at + part.size;
  part.end_block = part.first_block;
  for (; part.end_block < segment.blocks.size(); ++part.end_block) {
    const SnapshotBlock& block = segment.blocks[part.end_block];
    if (block.address >= end) break;
    if (block.state == BlockState::active_allocated) {
      ++part.live_blocks;
      continue;
    }
    part.idle += std::min(end, end_of(block)) - std::max(part.at, block.address);
  }
}

/// Adds equal shares of the part's idle memory to its live blocks; the remainder goes to the first.
void share_out(const SnapshotSegment& segment, const ReleasePart& part,
               std::vector<Pinner>& by_block) {
  const Bytes share{part.idle.count / part.live_blocks};
  std::uint64_t rest = part.idle.count % part.live_blocks;
  for (std::size_t i = part.first_block; i < part.end_block; ++i) {
    if (segment.blocks[i].state != BlockState::active_allocated) continue;
    Pinner& pinner = by_block[i];
    pinner.strands += share;
    if (rest > 0) {
      pinner.strands += Bytes{1};
      --rest;
    }
    pinner.beside = std::max(pinner.beside, part.live_blocks - 1);
    if (part.live_blocks == 1 && !part.is_broken_unit) pinner.released_alone += part.size;
  }
}

void describe(const SnapshotSegment& segment, const SnapshotBlock& block, Pinner& pinner) {
  pinner.lane = {segment.pool, segment.kind, segment.stream};
  pinner.is_expandable = segment.is_expandable;
  pinner.segment = segment.address;
  pinner.segment_size = segment.total_size;
  pinner.at = block.address;
  pinner.size = block.size;
  pinner.requested = block.requested;
}

void add_pinners(const SnapshotSegment& segment, const FragmentationRules& rules,
                 std::vector<Pinner>& found) {
  std::vector<Pinner> by_block(segment.blocks.size());
  for (const ReleasePart& part : release_parts(segment, unit_of(segment, rules)))
    if (part.live_blocks > 0) share_out(segment, part, by_block);
  for (std::size_t i = 0; i < by_block.size(); ++i) {
    if (by_block[i].strands == Bytes{}) continue;
    describe(segment, segment.blocks[i], by_block[i]);
    if (!is_taken_by_release(segment.pool, rules)) by_block[i].released_alone = {};
    found.push_back(by_block[i]);
  }
}

/// The size of all units from there on that lie in the block, or before it where no block is; of
/// one unit if that ends elsewhere.
Bytes whole_units(const SnapshotSegment& segment, std::size_t block, Address at, Bytes unit) {
  Address end = segment.address + segment.total_size;
  if (block < segment.blocks.size()) {
    const SnapshotBlock& next = segment.blocks[block];
    end = next.address > at ? next.address : end_of(next);
  }
  return unit * std::max<std::uint64_t>((end - at) / unit, 1);
}

bool strands_more(const Pinner& a, const Pinner& b) {
  return a.strands != b.strands ? a.strands > b.strands : a.at < b.at;
}

/// The state with the largest share; of equal shares the one that keeps memory.
char letter_of(const std::array<double, 3>& shares) {
  constexpr std::array<char, 3> letters = {'#', '~', '.'};
  const auto most = std::ranges::max_element(shares);
  return letters[static_cast<std::size_t>(most - shares.begin())];
}

}  // namespace

void RequestSizes::add(Bytes request, StreamId stream) {
  if (request >= allocator::request_limit) return;
  ++counts_[{stream, round_request(request, settings_)}];
}

void RequestSizes::add_all(const traces::LongSequence<AllocatorEvent>& history) {
  for (const AllocatorEvent& event : history)
    if (event.action == Action::alloc) add(event.size, event.stream);
}

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
    values.push_back({name, metric_of(bytes.count)});
  };
  const auto add_count = [&values](std::string_view name, std::uint64_t count) {
    values.push_back({name, metric_of(count)});
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

std::vector<ReleasePart> release_parts(const SnapshotSegment& segment, Bytes unit) {
  if (!segment.is_expandable) unit = segment.total_size;
  const Address end = segment.address + segment.total_size;
  std::vector<ReleasePart> parts;
  std::size_t first = 0;
  for (Address at = segment.address; at < end; at = parts.back().at + parts.back().size) {
    while (first < segment.blocks.size() && end_of(segment.blocks[first]) <= at) ++first;
    ReleasePart part;
    part.at = at;
    part.size = std::min(whole_units(segment, first, at, unit), end - at);
    part.first_block = first;
    part.is_broken_unit = part.size < unit;
    count_blocks(segment, part);
    parts.push_back(part);
  }
  return parts;
}

std::vector<Pinner> find_pinners(const Snapshot& snapshot, const FragmentationRules& rules,
                                 std::size_t limit) {
  std::vector<Pinner> found;
  for (const SnapshotSegment& segment : snapshot.segments) add_pinners(segment, rules, found);
  const std::size_t shown = std::min(limit, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(shown),
                            strands_more);
  found.resize(shown);
  return found;
}

std::vector<HoleClass> holes_by_size(const Snapshot& snapshot) {
  std::map<std::pair<PoolKind, Bytes>, HoleClass> classes;
  for (const SnapshotSegment& segment : snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != BlockState::inactive) continue;
      const Bytes from{std::bit_floor(block.size.count)};
      HoleClass& hole_class = classes[{segment.kind, from}];
      hole_class.kind = segment.kind;
      hole_class.from = from;
      ++hole_class.count;
      hole_class.bytes += block.size;
    }
  std::vector<HoleClass> found;
  for (const auto& [key, hole_class] : classes) found.push_back(hole_class);
  return found;
}

std::string occupancy_map(const SnapshotSegment& segment, std::size_t letters) {
  std::vector<std::array<double, 3>> shares(letters);
  const double width = static_cast<double>(segment.total_size.count) / static_cast<double>(letters);
  for (const SnapshotBlock& block : segment.blocks) {
    const auto begin = static_cast<double>((block.address - segment.address).count);
    const double end = begin + static_cast<double>(block.size.count);
    for (auto i = static_cast<std::size_t>(begin / width); i < letters; ++i) {
      const double left = std::max(begin, static_cast<double>(i) * width);
      const double right = std::min(end, static_cast<double>(i + 1) * width);
      if (right <= left) break;
      shares[i][static_cast<std::size_t>(block.state)] += right - left;
    }
  }
  std::string map;
  for (const auto& share : shares) map += letter_of(share);
  return map;
}

}  // namespace vramlab::replay
