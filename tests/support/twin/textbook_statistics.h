// The counters of the textbook twin, changed as the specification's table says.
#pragma once

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/snapshot.h"

namespace vramlab::tests {

/// Adds to a counter; a negative amount is booked as a decrease, 0 not at all.
void book(allocator::StatisticValue& counter, std::int64_t amount);
/// The same for `all` and the pool's own kind.
void book(allocator::PooledStatistic& statistic, allocator::PoolKind kind, std::int64_t amount);

/// A size as an increase or as a decrease.
std::int64_t plus(allocator::Bytes size);
std::int64_t minus(allocator::Bytes size);

void reset_peaks(allocator::StatisticValues& values);
void reset_accumulated(allocator::StatisticValues& values);

}  // namespace vramlab::tests
