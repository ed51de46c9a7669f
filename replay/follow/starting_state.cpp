#include "replay/follow/starting_state.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "replay/follow/block_extents.h"
#include "replay/follow/reservations_then.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::Bytes;
using allocator::GivenSegment;
using allocator::GivenUse;
using allocator::PoolKind;

class SegmentBuilder {
 public:
  SegmentBuilder(const StateThen& then, const BlockExtents& extents)
      : then_(then), extents_(extents) {}

  /// Blocks and the gaps between them, each gap one block.
  void fill(GivenSegment& segment, Address begin, Address end, GivenUse gap) const {
    Address at = begin;
    for (auto block = then_.blocks.lower_bound(begin);
         block != then_.blocks.end() && block->first < end; ++block) {
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
  const StateThen& then_;
  const BlockExtents& extents_;
};

GivenSegment classic_segment(Address base, const ClassicThen& classic,
                             const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = base;
  segment.stream = classic.stream;
  segment.kind = classic.kind;
  segment.pool = classic.pool.value_or(allocator::default_pool);
  builder.fill(segment, base, base + classic.size, GivenUse::free);
  return segment;
}

GivenSegment reserved_segment(const ReservationThen& then, Bytes unit, Bytes reservation,
                              const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = then.base;
  segment.stream = then.stream;
  segment.kind = then.kind;
  segment.pool = then.pool.value_or(allocator::default_pool);
  segment.is_expandable = true;
  segment.unit = unit;
  Address at = then.base;
  for (const auto& [address, size] : then.mapped) {
    SegmentBuilder::add_gap(segment, address - at, GivenUse::unmapped);
    builder.fill(segment, address, address + size, GivenUse::free);
    at = address + size;
  }
  const Bytes used = at - then.base;
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
    const allocator::AllocatorEvent event = history.events[i];
    if (event.action == Action::alloc && event.size < allocator::request_limit)
      fill_until(i + 1, allocator::pool_kind_of(round_request(event.size, settings)));
    if (event.action == Action::oom) fill_until(i + 1, allocator::pool_kind_of(event.size));
  }
  fill_until(history.events.size(), PoolKind::large);
  return kinds;
}

StartingState find_starting_state(const DeviceHistory& history, const allocator::Settings& settings,
                                  Bytes reservation) {
  StateThen then = run_backwards(history);
  const BlockExtents extents = find_extents(history, then, settings);
  const traces::LongSequence<PoolKind> kinds = request_kinds(history, settings);
  const SegmentBuilder builder(then, extents);
  std::map<Address, std::pair<GivenSegment, std::optional<allocator::PoolId>>> by_base;
  for (const auto& [base, classic] : then.classic)
    by_base[base] = {classic_segment(base, classic, builder), classic.pool};
  for (const ReservationThen& one : find_reservations(history, then, kinds, settings))
    by_base[one.base] = {
        reserved_segment(one, expandable_unit(one.kind, settings), reservation, builder), one.pool};
  StartingState state;
  state.assumed_extent_count = extents.assumed_count;
  state.contradiction = then.contradiction;
  for (auto& [base, segment] : by_base) {
    state.segments.push_back(std::move(segment.first));
    state.known_pools.push_back(segment.second);
  }
  return state;
}

std::map<allocator::Address, allocator::Bytes> requested_at_start(const StartingState& start) {
  std::map<allocator::Address, allocator::Bytes> requested;
  for (const allocator::GivenSegment& segment : start.segments) {
    allocator::Address at = segment.base;
    for (const allocator::GivenBlock& block : segment.blocks) {
      requested[at] = block.requested;
      at = at + block.size;
    }
  }
  return requested;
}

}  // namespace vramlab::replay
