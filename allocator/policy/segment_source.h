// SegmentSource: getting memory from the device, as a classic segment or by growing an expandable
// one, within the limits that are set; and giving classic segments back.
#pragma once

#include "allocator/policy/expandable_segments.h"

namespace vramlab::allocator {

enum class AttemptOutcome : std::uint8_t {
  got,
  /// Refused by the device or by the memory fraction.
  refused,
  /// Refused by the configured share of the device, before it was asked.
  rejected,
};

struct Attempt {
  AttemptOutcome outcome = AttemptOutcome::refused;
  /// Free, but in no free set.
  BlockIndex block = BlockIndex::none;
};

/// The last attempt of the ladder is counted as a retry.
enum class AttemptKind : bool { first, retry };

template <class L>
class SegmentSource {
 public:
  explicit SegmentSource(Core<L>& core) : core_(core), expandable_(core) {}

  Attempt try_get(Lane& lane, Bytes rounded, AttemptKind kind);
  /// Requires: the block is free and a whole classic segment.
  void release(BlockIndex index);
  void unmap(BlockIndex index) { expandable_.unmap(index); }
  /// How much memory try_get() would ask the device for. `lane`: null where there is none yet.
  Bytes memory_for(const Lane* lane, PoolId pool, Bytes rounded) const {
    if (!expands(pool != default_pool)) return device_size_for_miss(rounded, core_.settings);
    if (lane != nullptr) return expandable_.growth_for(*lane, rounded);
    return round_up(rounded, expandable_unit(pool_kind_of(rounded), core_.settings));
  }
  UnitRange units_inside(BlockIndex index) const { return expandable_.units_inside(index); }

 private:
  bool expands(bool is_private) const {
    return core_.settings.expandable_segments &&
           (!is_private || core_.version.private_segments == PrivateSegments::as_option_says);
  }
  bool expands(const Lane& lane) const { return expands(lane.pool->owner != nullptr); }
  BlockIndex allocate(Lane& lane, Bytes size);
  std::optional<Address> ask_device(Bytes size, StreamId stream);

  Core<L>& core_;
  ExpandableSegments<L> expandable_;
};

template <class L>
Attempt SegmentSource<L>::try_get(Lane& lane, Bytes rounded, AttemptKind kind) {
  if (kind == AttemptKind::retry) core_.listeners.retried();
  const Settings& settings = core_.settings;
  const Bytes device_size = device_size_for_miss(rounded, settings);
  const Bytes reserved_then = core_.reserved + core_.being_asked_for + device_size;
  if (core_.allowed && reserved_then > *core_.allowed) {
    core_.listeners.acted(rules::limit_refuses_before_device);
    if (expands(lane)) core_.listeners.acted(rules::limit_compares_classic_size);
    core_.margin.note([&](Bytes total) { return core_.allowed_on(total) >= reserved_then; });
    return {};
  }
  if (settings.throw_on_cudamalloc_oom) {
    const double share = settings.per_process_memory_fraction;
    if (reserved_then > share_of(share, core_.device_total)) {
      core_.margin.note([&](Bytes total) { return share_of(share, total) >= reserved_then; });
      core_.listeners.acted(rules::share_rejects_before_device);
      core_.listeners.attempt_rejected();
      return {AttemptOutcome::rejected, BlockIndex::none};
    }
  }
  const bool is_to_expand = expands(lane);
  if (is_to_expand != settings.expandable_segments)
    core_.listeners.acted(rules::private_segments_stay_classic);
  if (!is_to_expand) core_.listeners.acted(rules::miss_asks_for_a_segment);
  const BlockIndex block =
      is_to_expand ? expandable_.grow(lane, rounded) : allocate(lane, device_size);
  if (block == BlockIndex::none) return {};
  if (lane.pool->owner != nullptr) ++lane.pool->owner->segment_count;
  return {AttemptOutcome::got, block};
}

template <class L>
std::optional<Address> SegmentSource<L>::ask_device(Bytes size, StreamId stream) {
  core_.being_asked_for += size;
  try {
    const std::optional<Address> address = core_.device.allocate(size, stream);
    core_.being_asked_for -= size;
    return address;
  } catch (const DeviceError&) {
    core_.being_asked_for -= size;
    throw;
  }
}

template <class L>
BlockIndex SegmentSource<L>::allocate(Lane& lane, Bytes size) {
  const auto address = ask_device(size, lane.stream);
  if (!address) return BlockIndex::none;
  const BlockIndex whole = core_.create_segment(
      {*address, size, Bytes{0}, lane.index, BlockIndex::none, /*is_expandable=*/false});
  core_.reserved += size;
  core_.listeners.segment_got({*address, size, lane}, oversize_of(size, core_.settings));
  return whole;
}

template <class L>
void SegmentSource<L>::release(BlockIndex index) {
  const Block& block = core_.blocks[index];
  const Lane& lane = core_.lane_of(block);
  core_.listeners.acted(rules::segment_goes_to_device);
  core_.device.release(block.address);
  core_.leave_free_set(index);
  core_.reserved -= block.size();
  core_.listeners.segment_released({block.address, block.size(), lane},
                                   oversize_of(block.size(), core_.settings));
  if (PrivatePool* owner = lane.pool->owner; owner != nullptr && owner->segment_count > 0)
    --owner->segment_count;
  core_.destroy_segment(index);
}

}  // namespace vramlab::allocator
