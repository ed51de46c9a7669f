// Fragmentation of a running allocator: the rules that its snapshot does not say, and the stranded
// memory without taking a snapshot, so that it can be read at each new peak.
#pragma once

#include "allocator/caching_allocator.h"
#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {

/// `device_free`: the memory that the device has left. The sizes that the workload requests are
/// left out.
template <class Allocator>
FragmentationRules rules_of(const Allocator& engine, Bytes device_free) {
  const auto& core = engine.core();
  FragmentationRules rules{engine.settings(), device_free};
  rules.allowed = core.allowed;
  if (rules.settings.expandable_reserve)
    rules.new_reservation =
        allocator::addresses_for(core.device_total, rules.settings.expandable_reserve);
  for (const auto& [base, index] : core.segments.by_address())
    if (core.segments[index].is_expandable)
      rules.reservations[base] = {core.segments[index].size, core.segments[index].unit};
  for (const auto& [id, pool] : core.private_pools)
    if (pool->is_freeable()) rules.freeable_pools.insert(id);
  return rules;
}

/// Consecutive blocks that are free or waiting; their bytes outside whole units are stranded.
struct IdleRun {
  Bytes begin;
  Bytes end;
  Bytes stranded(Bytes unit) const {
    const std::uint64_t first = round_up(begin, unit).count;
    const std::uint64_t last = end / unit * unit.count;
    return end - begin - Bytes{last > first ? last - first : 0};
  }
};

struct StrandedMemory {
  Bytes bytes;
  /// How many segments and blocks had to be looked at.
  std::uint64_t looked_at = 0;
};

template <class Core>
StrandedMemory stranded_in(const Core& core, const allocator::Segment& segment) {
  using allocator::BlockUse;
  const Bytes unit = segment.is_expandable ? segment.unit : segment.size;
  StrandedMemory sum;
  IdleRun run;
  for (auto i = segment.first; i != allocator::BlockIndex::none; i = core.blocks[i].next) {
    const allocator::Block& block = core.blocks[i];
    const Bytes begin = block.address - segment.base;
    ++sum.looked_at;
    if (block.use() == BlockUse::free || block.use() == BlockUse::waiting) {
      if (run.end != begin) {
        sum.bytes += run.stranded(unit);
        run.begin = begin;
      }
      run.end = begin + block.size();
    }
  }
  sum.bytes += run.stranded(unit);
  return sum;
}

/// Memory that live blocks keep from being released (docs/guide/top_and_snapshot.md).
template <class Allocator>
StrandedMemory stranded_now(const Allocator& engine) {
  const auto& core = engine.core();
  const auto& counted = static_cast<const allocator::Statistics&>(engine.listeners());
  // While no free waits, the reference's own counter has the bytes of classic segments.
  const bool is_counted = engine.cross_stream_frees().is_idle();
  StrandedMemory sum;
  if (is_counted)
    sum.bytes.count = static_cast<std::uint64_t>(counted.current_inactive_split_bytes());
  if (is_counted && core.segments.expandable_count() == 0) return sum;
  for (const auto& [base, index] : core.segments.by_address()) {
    const allocator::Segment& segment = core.segments[index];
    ++sum.looked_at;
    if (!segment.is_expandable && is_counted) continue;
    const StrandedMemory added = stranded_in(core, segment);
    sum.bytes += added.bytes;
    sum.looked_at += added.looked_at;
  }
  return sum;
}

}  // namespace vramlab::replay
