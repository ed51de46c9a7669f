// Statistics as values: what the counters of one allocator say at one moment. Collecting them is
// statistics.h's business.
#pragma once

#include <cstdint>

namespace vramlab::allocator {

/// One counter: its value now, the highest it had, and the sums of its increases and decreases.
struct StatisticValue {
  std::int64_t current = 0;
  std::int64_t peak = 0;
  std::int64_t allocated = 0;
  std::int64_t freed = 0;
  friend bool operator==(const StatisticValue&, const StatisticValue&) = default;
};

/// Private pools count as small or large.
struct PooledStatistic {
  StatisticValue all;
  StatisticValue small_pool;
  StatisticValue large_pool;
  friend bool operator==(const PooledStatistic&, const PooledStatistic&) = default;
};

struct StatisticValues {
  PooledStatistic allocation;
  PooledStatistic segment;
  PooledStatistic active;
  PooledStatistic inactive_split;
  PooledStatistic allocated_bytes;
  PooledStatistic reserved_bytes;
  PooledStatistic active_bytes;
  PooledStatistic inactive_split_bytes;
  PooledStatistic requested_bytes;
  StatisticValue oversize_allocations;
  StatisticValue oversize_segments;
  std::int64_t num_alloc_retries = 0;
  std::int64_t num_ooms = 0;
  std::int64_t num_sync_all_streams = 0;
  std::int64_t num_device_alloc = 0;
  std::int64_t num_device_free = 0;
  std::int64_t num_oom_rejections = 0;
  friend bool operator==(const StatisticValues&, const StatisticValues&) = default;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::StatisticValue, allocator::StatisticValues;
}  // namespace vramlab
