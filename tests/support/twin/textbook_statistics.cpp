#include "tests/support/twin/textbook_statistics.h"

#include <algorithm>

namespace vramlab::tests {
namespace {

using allocator::PooledStatistic;
using allocator::StatisticValue;
using allocator::StatisticValues;

template <typename Change>
void for_each_counter(StatisticValues& values, Change change) {
  for (PooledStatistic* statistic :
       {&values.allocation, &values.segment, &values.active, &values.inactive_split,
        &values.allocated_bytes, &values.reserved_bytes, &values.active_bytes,
        &values.inactive_split_bytes, &values.requested_bytes}) {
    change(statistic->all);
    change(statistic->small_pool);
    change(statistic->large_pool);
  }
  change(values.oversize_allocations);
  change(values.oversize_segments);
}

}  // namespace

void book(StatisticValue& counter, std::int64_t amount) {
  counter.current += amount;
  counter.peak = std::max(counter.peak, counter.current);
  if (amount > 0) counter.allocated += amount;
  if (amount < 0) counter.freed -= amount;
}

void book(PooledStatistic& statistic, allocator::PoolKind kind, std::int64_t amount) {
  book(statistic.all, amount);
  book(kind == allocator::PoolKind::small ? statistic.small_pool : statistic.large_pool, amount);
}

std::int64_t plus(allocator::Bytes size) { return static_cast<std::int64_t>(size.count); }
std::int64_t minus(allocator::Bytes size) { return -plus(size); }

void reset_peaks(StatisticValues& values) {
  for_each_counter(values, [](StatisticValue& counter) { counter.peak = counter.current; });
}

void reset_accumulated(StatisticValues& values) {
  for_each_counter(values, [](StatisticValue& counter) { counter.allocated = counter.freed = 0; });
  for (std::int64_t* count :
       {&values.num_alloc_retries, &values.num_ooms, &values.num_sync_all_streams,
        &values.num_device_alloc, &values.num_device_free, &values.num_oom_rejections})
    *count = 0;
}

}  // namespace vramlab::tests
