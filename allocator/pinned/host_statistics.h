// HostStatistics: the counters of pinned memory. Active blocks are counted for each bucket, which
// is why their peak can be above any value that the sum ever had.
#pragma once

#include <array>

#include "allocator/pinned/host_block.h"

namespace vramlab::allocator {

class HostStatistics {
 public:
  void block_made(Bytes size);
  void block_gone(Bytes size);
  void handed_out(Bytes size);
  void free_completed(Bytes size);
  void obtaining_took(std::uint64_t us) { add(alloc_time_, us); }
  void releasing_took(std::uint64_t us) { add(free_time_, us); }

  void reset_peak();
  void reset_accumulated();
  HostStatisticValues values() const;

 private:
  struct Bucket {
    StatisticValue active_requests;
    StatisticValue active_bytes;
    std::uint64_t made = 0;
  };
  static void add(HostTimes& times, std::uint64_t us);
  /// Calls it with each counter.
  template <typename Change>
  void for_each_counter(Change change);

  StatisticValue allocations_;
  StatisticValue allocated_bytes_;
  std::array<Bucket, host_bucket_count> buckets_{};
  HostTimes alloc_time_;
  HostTimes free_time_;
};

}  // namespace vramlab::allocator
