// OrderedPool: a pool of stream-ordered memory, as cudaMallocAsync and cudaFreeAsync use it. Facts
// that NVIDIA documents about it, and our decisions where it documents none, are in
// docs/reference/ordered_memory.md.
//
// Memory is the device's in units; each is given back, or moved to other addresses, as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "allocator/types/bytes_and_ids.h"
#include "streams/happens_before/free_order.h"
#include "streams/memory/free_gaps.h"
#include "streams/memory/simulated_memory.h"
#include "streams/ordered_pool/pool_holes.h"

namespace vramlab::streams {

/// The attributes of a pool, with the defaults of CUDA.
struct OrderedPoolRules {
  /// Memory that is held above it is given back when the host waits for the device.
  Bytes release_threshold{0};
  bool follows_events = true;
  bool is_opportunistic = true;
  bool adds_dependencies = true;
  Bytes unit{32ULL << 20};
  Bytes alignment{512};
};

/// The sources from which requests were served.
struct OrderedPoolCounts {
  /// Requests served from free memory of the pool, where it lay.
  std::uint64_t reused = 0;
  /// From free units in new places, with new units where these were not enough.
  std::uint64_t moved = 0;
  /// From new units only.
  std::uint64_t grown = 0;
  /// By making the stream wait for another.
  std::uint64_t made_to_wait = 0;
  std::uint64_t units_created = 0;
  std::uint64_t units_moved = 0;
  std::uint64_t units_released = 0;
};

class OrderedPool {
 public:
  /// A pool of that device; its memory and the order must outlive the pool.
  OrderedPool(const OrderedPoolRules& rules, std::uint32_t device, SimulatedMemory& memory,
              FreeOrder& order);

  /// cudaMallocAsync. Empty where memory is short. Requires: more than 0 bytes.
  std::optional<Address> allocate(Bytes size, StreamId stream);
  /// cudaFreeAsync. Requires: it was allocated here and not freed.
  void free(Address at, StreamId stream);
  /// cudaFree: all work on the memory is known to be done.
  void free_at_once(Address at);
  /// The host waited for a stream, an event or the device.
  void host_waited() { trim_to(rules_.release_threshold); }
  /// cudaMemPoolTrimTo: gives back whole free units until no more than this is held.
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
  /// Rounded sizes of memory in use, by address.
  std::unordered_map<std::uint64_t, Bytes> in_use_;
  Bytes used_;
  std::uint64_t units_ = 0;
  OrderedPoolCounts counts_;
};

}  // namespace vramlab::streams
