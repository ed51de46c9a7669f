// Records of pinned memory: HostStatistics holds the counters, HostHistory the ring of entries.
// Both are told by PinnedAllocator and decide nothing. Active blocks are counted for each bucket,
// and since 2.15 for each pool, which is why their peak can be above any value that the sum ever
// had.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "allocator/types/host_values.h"

namespace vramlab::allocator {

class HostStatistics {
 public:
  void block_made(Bytes size);
  void block_gone(Bytes size);
  /// `pool`: the pool whose counters the block is counted in.
  void handed_out(PoolId pool, Bytes size);
  void free_completed(PoolId pool, Bytes size);
  /// The counters of a pool that is gone are the default pool's from now on.
  void pool_gone(PoolId pool);
  void obtaining_took(std::uint64_t us) { add(alloc_time_, us); }
  void releasing_took(std::uint64_t us) { add(free_time_, us); }

  void reset_peak();
  void reset_accumulated();
  HostStatisticValues values() const;

 private:
  struct Bucket {
    StatisticValue active_requests;
    StatisticValue active_bytes;
  };
  using Buckets = std::array<Bucket, host_bucket_count>;

  Bucket& bucket_for(PoolId pool, Bytes size);
  static void add(Buckets& sum, const Buckets& part);
  static void add(HostTimes& times, std::uint64_t us);
  /// Calls `change` with each counter.
  template <typename Change>
  void for_each_counter(Change change);

  StatisticValue allocations_;
  StatisticValue allocated_bytes_;
  Buckets in_default_pool_{};
  std::map<PoolId, Buckets> in_private_pools_;
  std::array<std::uint64_t, host_bucket_count> made_{};
  HostTimes alloc_time_;
  HostTimes free_time_;
};

/// How history is to be recorded from now on.
struct HostRecording {
  bool enabled = false;
  HostStackLevel level = HostStackLevel::never;
  /// How many entries are kept; 0 counts as 1.
  std::uint64_t limit = 1;
  bool clear = false;
};

/// The ring of entries about pinned memory; it knows which calls keep their stacks.
class HostHistory {
 public:
  void set(const HostRecording& recording);
  bool is_on() const { return is_on_; }

  /// The stack if a request, or a free, keeps it; empty otherwise.
  MaybeHostStack of_request(HostStack stack) const;
  MaybeHostStack of_free(HostStack stack) const;
  /// Adds an entry if recording is on, with its stack only where the level says so.
  void record(HostEvent event);

  /// All entries, the oldest first.
  std::vector<HostEvent> events() const;
  std::size_t size() const { return ring_.size(); }

 private:
  bool is_on_ = false;
  HostStackLevel level_ = HostStackLevel::never;
  std::uint64_t limit_ = 1;
  std::vector<HostEvent> ring_;
  /// The entry that is replaced next.
  std::size_t position_ = 0;
};

}  // namespace vramlab::allocator
