// Which reservations of addresses there were at the start: the mapped pieces, put together by
// stream, kind and pool, with the unmapped addresses between and behind them.
#pragma once

#include <vector>

#include "replay/recording/backward_run.h"

namespace vramlab::replay {

struct StartingReservation {
  Address base;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  std::optional<PoolId> pool;
  bool kind_is_guessed = false;
  /// Mapped ranges by address, those that touch joined.
  std::map<Address, Bytes> mapped;

  Address end_of_mapped() const { return mapped.rbegin()->first + mapped.rbegin()->second; }
};

/// What an expandable segment reserves at the least: nine eighths of the most memory that the
/// device was seen to have.
Bytes least_reservation(const DeviceHistory& history);

/// `kinds`: as request_kinds() gives them. By ascending base.
std::vector<StartingReservation> find_reservations(const DeviceHistory& history,
                                                   RewoundState& rewound,
                                                   const traces::LongSequence<PoolKind>& kinds,
                                                   const allocator::Settings& settings);

}  // namespace vramlab::replay
