// OrderedPool: a pool of stream-ordered memory, as cudaMallocAsync and cudaFreeAsync use it. What
// NVIDIA documents of it, and what we decided where nobody says it, is in
// docs/reference/ordered_memory.md.
//
// Memory is the device's in units; each is given back, or moved to other addresses, as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "streams/happens_before/free_order.h"
#include "streams/memory/free_gaps.h"
#include "streams/memory/simulated_memory.h"
#include "streams/ordered_pool/ordered_pool_rules.h"
#include "streams/ordered_pool/pool_holes.h"

namespace vramlab::streams {

class OrderedPool {
 public:
  /// A pool of that device; its memory and the order must outlive the pool.
  OrderedPool(const OrderedPoolRules& rules, std::uint32_t device, SimulatedMemory& memory,
              FreeOrder& order);

  /// cudaMallocAsync. Nothing where memory is short. Requires: more than 0 bytes.
  std::optional<Address> allocate(Bytes size, StreamId stream);
  /// cudaFreeAsync. Requires: it was allocated here and not freed.
  void free(Address at, StreamId stream);
  /// cudaFree: all that used it is known to be done.
  void free_at_once(Address at);
  /// The host waited for a stream, an event or the device.
  void host_waited() { trim_to(rules_.release_threshold); }
  /// cudaMemPoolTrimTo: gives back whole units that nothing needs until no more than this is held.
  void trim_to(Bytes kept);

  Bytes reserved() const { return rules_.unit * units_; }
  Bytes used() const { return used_; }
  const OrderedPoolCounts& counts() const { return counts_; }

 private:
  StreamAt stream_at(StreamId stream) const { return {device_, stream}; }
  PieceUse use_of(const FreePoint& point, const NextOnStream& next) const;
  Address hand_out(AddressRange range);
  std::optional<AddressRange> place_units(Bytes size);
  std::optional<AddressRange> wait_for_others(Bytes size, StreamAt stream);
  Bytes take_back(Address at);
  std::vector<Address> free_units();
  void unmap_unit(Address at);

  OrderedPoolRules rules_;
  std::uint32_t device_;
  SimulatedMemory& memory_;
  FreeOrder& order_;
  AddressRange addresses_;
  FreeGaps gaps_;
  PoolHoles holes_;
  /// Sizes of what is in use, rounded.
  std::unordered_map<std::uint64_t, Bytes> in_use_;
  Bytes used_;
  std::uint64_t units_ = 0;
  OrderedPoolCounts counts_;
};

}  // namespace vramlab::streams
