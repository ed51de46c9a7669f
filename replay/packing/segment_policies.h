// SegmentPolicy: the base of policies that cut blocks out of segments and join free neighbours.
// They differ in the free range that a request gets: the lowest one (first fit), or one of the next
// class of sizes (TLSF).
//
// Each arena has segments of its own, for requests of any size. Segments are kept until the device
// has no more memory; then those without a block go back, of all arenas, and the device is asked
// once more.
#pragma once

#include <map>
#include <unordered_map>

#include "replay/packing/free_ranges.h"
#include "replay/packing/policies.h"

namespace vramlab::replay {

class SegmentPolicy : public Policy {
 public:
  std::optional<Address> malloc(const PolicyRequest& request) final;
  void free(std::uint64_t id) final;
  std::vector<streams::AddressRange> memory_of(std::uint64_t id) const final;
  PolicyReport report() const final { return {}; }
  void cache_emptied(PoolId pool) override {
    if (pool == default_pool) release_free_segments();
  }

  /// Gives back all segments without a block.
  void release_free_segments();

 protected:
  /// `key`: how find() finds free ranges by their size.
  SegmentPolicy(streams::MemoryDevice& device, SizeKey key) : device_(device), key_(key) {}

 private:
  struct Arena {
    FreeRanges free;
    /// From begin to end.
    std::map<std::uint64_t, std::uint64_t> segments;
  };
  struct Block {
    FreeRange range;
    Arena* arena = nullptr;
  };

  /// A free range of at least this size; empty where the policy finds none.
  virtual std::optional<FreeRange> find(const FreeRanges& free, std::uint64_t size) const = 0;

  Arena& arena_of(const ArenaName& name);
  std::optional<FreeRange> grow(Arena& arena, std::uint64_t size, StreamId stream);

  streams::MemoryDevice& device_;
  SizeKey key_;
  std::map<ArenaName, Arena> arenas_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, Block> live_;
};

/// First fit, for policies that leave to it the requests for which they have no better idea.
std::unique_ptr<SegmentPolicy> make_first_fit(streams::MemoryDevice& device);

/// The size of the block for a request: whole minimum blocks.
std::uint64_t block_size_of(Bytes request);

}  // namespace vramlab::replay
