#include "replay/recording/starting_state.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "replay/recording/starting_reservations.h"

namespace vramlab::replay {

namespace {

/// A block whose rest may be its own or a free block.
struct OpenBlock {
  Address end_of_request;
  /// The next block or the end of the segment.
  Address end_of_room;
  std::optional<Address> landing;
};

class ExtentFinder {
 public:
  ExtentFinder(const DeviceHistory& history, const RewoundState& rewound,
               const allocator::Settings& settings)
      : history_(history), rewound_(rewound), settings_(settings) {}

  BlockExtents find() {
    for (auto at = rewound_.blocks.begin(); at != rewound_.blocks.end(); ++at) look_at(at);
    watch_landings();
    for (const auto& [address, block] : done_) settle(address, block);
    for (const auto& [address, block] : open_) settle(address, block);
    return std::move(extents_);
  }

 private:
  using BlockPlace = std::map<Address, StartingBlock>::const_iterator;

  void look_at(BlockPlace at) {
    const auto& [address, block] = *at;
    if (block.exact_size) {
      extents_.sizes[address] = *block.exact_size;
      return;
    }
    const Bytes rounded = round_request(block.requested, settings_);
    extents_.sizes[address] = rounded;
    auto segment = rewound_.classic.upper_bound(address);
    if (segment == rewound_.classic.begin()) return;
    --segment;
    const Address segment_end = segment->first + segment->second.size;
    if (address >= segment_end || segment->second.kind == PoolKind::small) return;
    const auto next = std::next(at);
    const Address end_of_room =
        next != rewound_.blocks.end() && next->first < segment_end ? next->first : segment_end;
    if (end_of_room > address + rounded) open_[address] = {address + rounded, end_of_room, {}};
  }

  /// The first request that is placed behind an open block while it lives shows where its rest
  /// ends.
  void watch_landings() {
    for (const AllocatorEvent& event : history_.events) {
      if (open_.empty()) return;
      if (event.action == Action::alloc) note_landing(event.address);
      if (event.action != Action::free_completed) continue;
      if (const auto freed = open_.find(event.address); freed != open_.end())
        done_.insert(open_.extract(freed));
    }
  }

  void note_landing(Address at) {
    auto open = open_.upper_bound(at);
    if (open == open_.begin()) return;
    --open;
    OpenBlock& block = open->second;
    if (at >= block.end_of_room || at < block.end_of_request) return;
    block.landing = at;
    done_.insert(open_.extract(open));
  }

  void settle(Address address, const OpenBlock& block) {
    const Bytes room = block.end_of_room - block.end_of_request;
    Bytes& size = extents_.sizes[address];
    if (block.landing && *block.landing - block.end_of_request <= allocator::large_remainder) {
      size = *block.landing - address;
      return;
    }
    if (size >= settings_.max_split_size || room <= allocator::large_remainder)
      size += room;
    else if (!block.landing)
      ++extents_.assumed_count;
  }

  const DeviceHistory& history_;
  const RewoundState& rewound_;
  const allocator::Settings& settings_;
  BlockExtents extents_;
  std::map<Address, OpenBlock> open_;
  std::map<Address, OpenBlock> done_;
};

}  // namespace

BlockExtents find_extents(const DeviceHistory& history, const RewoundState& rewound,
                          const allocator::Settings& settings) {
  return ExtentFinder(history, rewound, settings).find();
}

namespace {

class SegmentBuilder {
 public:
  SegmentBuilder(const RewoundState& rewound, const BlockExtents& extents)
      : rewound_(rewound), extents_(extents) {}

  /// Blocks and the gaps between them, each gap one block.
  void fill(GivenSegment& segment, Address begin, Address end, GivenUse gap) const {
    Address at = begin;
    for (auto block = rewound_.blocks.lower_bound(begin);
         block != rewound_.blocks.end() && block->first < end; ++block) {
      if (block->first < at) continue;
      add_gap(segment, block->first - at, gap);
      const Bytes size = std::min(extents_.sizes.at(block->first), end - block->first);
      segment.blocks.push_back({size, block->second.requested,
                                block->second.is_waiting ? GivenUse::waiting : GivenUse::live});
      at = block->first + size;
    }
    add_gap(segment, end - at, gap);
  }

  static void add_gap(GivenSegment& segment, Bytes size, GivenUse use) {
    if (size > Bytes{0}) segment.blocks.push_back({size, Bytes{0}, use});
  }

 private:
  const RewoundState& rewound_;
  const BlockExtents& extents_;
};

GivenSegment classic_segment(Address base, const StartingClassic& classic,
                             const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = base;
  segment.stream = classic.stream;
  segment.kind = classic.kind;
  segment.pool = classic.pool.value_or(default_pool);
  builder.fill(segment, base, base + classic.size, GivenUse::free);
  return segment;
}

GivenSegment reserved_segment(const StartingReservation& start, Bytes unit, Bytes reservation,
                              const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = start.base;
  segment.stream = start.stream;
  segment.kind = start.kind;
  segment.pool = start.pool.value_or(default_pool);
  segment.is_expandable = true;
  segment.unit = unit;
  Address at = start.base;
  for (const auto& [address, size] : start.mapped) {
    SegmentBuilder::add_gap(segment, address - at, GivenUse::unmapped);
    builder.fill(segment, address, address + size, GivenUse::free);
    at = address + size;
  }

  const Bytes used = at - start.base;
  if (const Bytes all = round_up(reservation, unit); all > used)
    SegmentBuilder::add_gap(segment, all - used, GivenUse::unmapped);
  return segment;
}

}  // namespace

traces::LongSequence<PoolKind> request_kinds(const DeviceHistory& history,
                                             const allocator::Settings& settings) {
  traces::LongSequence<PoolKind> kinds(history.events.place());
  const auto fill_until = [&kinds](std::size_t end, PoolKind kind) {
    while (kinds.size() < end) kinds.push_back(kind);
  };
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent event = history.events[i];
    if (event.action == Action::alloc && event.size < allocator::request_limit)
      fill_until(i + 1, allocator::pool_kind_of(round_request(event.size, settings)));
    if (event.action == Action::oom) fill_until(i + 1, allocator::pool_kind_of(event.size));
  }

  fill_until(history.events.size(), PoolKind::large);
  return kinds;
}

StartingState find_starting_state(const DeviceHistory& history, const allocator::Settings& settings,
                                  Bytes reservation) {
  RewoundState rewound = run_backwards(history);
  const BlockExtents extents = find_extents(history, rewound, settings);
  const traces::LongSequence<PoolKind> kinds = request_kinds(history, settings);
  const SegmentBuilder builder(rewound, extents);
  std::map<Address, std::pair<GivenSegment, std::optional<PoolId>>> by_base;
  for (const auto& [base, classic] : rewound.classic)
    by_base[base] = {classic_segment(base, classic, builder), classic.pool};
  for (const StartingReservation& one : find_reservations(history, rewound, kinds, settings))
    by_base[one.base] = {
        reserved_segment(one, expandable_unit(one.kind, settings), reservation, builder), one.pool};
  StartingState state;
  state.assumed_extent_count = extents.assumed_count;
  state.contradiction = rewound.contradiction;
  for (auto& [base, segment] : by_base) {
    state.segments.push_back(std::move(segment.first));
    state.known_pools.push_back(segment.second);
  }

  return state;
}

Bytes mapped_size(const GivenSegment& segment) {
  Bytes mapped;
  for (const GivenBlock& block : segment.blocks)
    if (block.use != GivenUse::unmapped) mapped += block.size;
  return mapped;
}

std::map<Address, Bytes> requested_at_start(const StartingState& start) {
  std::map<Address, Bytes> requested;
  for (const GivenSegment& segment : start.segments) {
    Address at = segment.base;
    for (const GivenBlock& block : segment.blocks) {
      requested[at] = block.requested;
      at = at + block.size;
    }
  }

  return requested;
}

}  // namespace vramlab::replay
