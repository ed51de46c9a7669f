// A recorded history as a program: what was asked for and given back, in order, without what the
// allocator answered, so that it can be replayed under other conditions. What the file does not say
// comes from what following it brought to light: pools, emptied caches, frees that waited. A
// release of everything that may have been a refused request's is left to the request.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/follow/verify.h"
#include "traces/values/program_event.h"

namespace vramlab::replay {

/// A segment that is there before the first event.
struct StartingSegment {
  allocator::GivenSegment segment;
  /// Of each block; 0 of those that nobody holds.
  std::vector<std::uint64_t> ids;
  /// Of each block, where the recording tells: of those that are still there at its end.
  std::vector<traces::StackId> stacks;
};

struct HistoryProgram {
  std::vector<StartingSegment> start;
  /// So many of the events below say what was so at the start: pools, frees that waited.
  std::size_t start_event_count = 0;
  std::vector<traces::ProgramEvent> events;
  /// Of each program event: the entry of the device's trace that it comes from.
  std::vector<std::size_t> origins;
  /// Frees of what was not there: they are left out.
  std::uint64_t unmatched_frees = 0;
  /// Requests that failed: they are tried, and given back at once.
  std::uint64_t failed_requests = 0;
};

/// How much of the device is left for the program.
enum class MemoryLeft : std::uint8_t {
  /// All of it.
  all,
  /// At each request as much as explains that it was granted or refused, as if others held the
  /// rest.
  as_recorded,
};

/// `memory`: of the device that it is replayed on.
HistoryProgram program_of(const DeviceHistory& history, const ExplainedHistory& explained,
                          MemoryLeft left, allocator::Bytes memory);

}  // namespace vramlab::replay
