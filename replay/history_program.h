// A recorded history as a program: what was asked for and given back, in order, without what the
// allocator answered, so that it can be replayed under other conditions. What the file does not say
// comes from what following it brought to light: pools, emptied caches, frees that waited.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/verify.h"
#include "traces/program_event.h"

namespace vramlab::replay {

/// A segment that is there before the first event.
struct StartingSegment {
  allocator::GivenSegment segment;
  /// Of each block; 0 of those that nobody holds.
  std::vector<std::uint64_t> ids;
};

struct HistoryProgram {
  std::vector<StartingSegment> start;
  std::vector<traces::ProgramEvent> events;
  /// Of each program event: the entry of the device's trace that it comes from.
  std::vector<std::size_t> origins;
  /// Releases of everything that a refused request may have made: they are left to the replay.
  std::uint64_t releases_left_to_requests = 0;
  /// Requests that failed: they are tried, and given back at once.
  std::uint64_t failed_requests = 0;
};

enum class AmbiguousReleases : std::uint8_t {
  /// Done where they were recorded.
  as_recorded,
  /// Left to the requests, which make them where memory is short.
  left_to_requests,
};

HistoryProgram program_of(const DeviceHistory& history, const ExplainedHistory& explained,
                          AmbiguousReleases ambiguous);

}  // namespace vramlab::replay
