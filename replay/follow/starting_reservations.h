// Which reservations of addresses there were at the start: the mapped pieces, put together by
// stream, kind and pool, with the unmapped addresses between and behind them.
#pragma once

#include <vector>

#include "replay/follow/backward_run.h"

namespace vramlab::replay {

struct StartingReservation {
  allocator::Address base;
  allocator::StreamId stream;
  allocator::PoolKind kind = allocator::PoolKind::small;
  std::optional<allocator::PoolId> pool;
  bool kind_is_guessed = false;
  /// Mapped ranges by address, those that touch joined.
  std::map<allocator::Address, allocator::Bytes> mapped;

  allocator::Address end_of_mapped() const {
    return mapped.rbegin()->first + mapped.rbegin()->second;
  }
};

/// What an expandable segment reserves at the least: nine eighths of the most memory that the
/// device was seen to have.
allocator::Bytes least_reservation(const DeviceHistory& history);

/// `kinds`: as request_kinds() gives them. By ascending base.
std::vector<StartingReservation> find_reservations(
    const DeviceHistory& history, RewoundState& rewound,
    const traces::LongSequence<allocator::PoolKind>& kinds, const allocator::Settings& settings);

}  // namespace vramlab::replay
