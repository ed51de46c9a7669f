// How much memory a recording took, what it shows of how much there was, and on how much it is
// replayed.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_history.h"
#include "replay/recording/starting_state.h"
#include "replay/replayer/recorded_course.h"
#include "replay/replayer/replay_conditions.h"

namespace vramlab::replay {

/// The memory that a program could reserve all the time, if one amount explains every refusal
/// although no out-of-memory tells it; nothing if nothing was refused. It is all of the device's
/// memory, or else no more than it reserved. `released_otherwise`: events that show that a call's
/// releases followed no refusal.
std::optional<Bytes> steady_limit(const ExplainedHistory& explained,
                                  const std::set<std::size_t>& released_otherwise,
                                  Bytes device_memory);

// MemoryOfOthers: how much memory others must have held for a device to grant and refuse what a
// recording shows. A request that released memory before it got some was refused first.

class MemoryOfOthers {
 public:
  /// `memory`: of the device that it is replayed on.
  MemoryOfOthers(const DeviceHistory& history, const PlacedHistory& placed, Bytes memory);

  /// The memory that others hold from this call on, where it changes. Calls come in order.
  /// `released_otherwise`: as above.
  std::optional<Bytes> follow(const RecordedCall& call,
                              const std::set<std::size_t>& released_otherwise);

 private:
  struct Sums {
    Bytes released;
    Bytes got;
    bool was_refused = true;
  };
  Sums sums_of(const RecordedCall& call, const std::set<std::size_t>& released_otherwise) const;

  const DeviceHistory& history_;
  const PlacedHistory& placed_;
  Bytes memory_;
  Bytes reserved_;
  /// The memory that the program may hold.
  Bytes limit_;
  bool maps_memory_;
  /// The device has exactly what the program could have.
  bool needs_no_others_;
};

/// Mapped, and in classic segments.
Bytes reserved_at(const StartingState& start);

/// The memory that a recording's device had, as far as the recording tells.
struct RecordedMemory {
  Bytes peak_reserved;
  Bytes peak_requested;
  /// The least memory on which everything that was granted fits and what was refused does not;
  /// nothing where nothing was refused.
  std::optional<Bytes> bound;
  /// All that the program could have, if every out-of-memory tells the same.
  std::optional<Bytes> total;
  /// All that the program could have, as a dry run notes it where that was too little for a
  /// request.
  std::optional<Bytes> noted_limit = {};
  RecordedCounts counts = {};
};
RecordedMemory recorded_memory(const DeviceHistory& history, const PlacedHistory& placed);

/// True if only what was there when it was recorded is asked for.
bool is_as_recorded(const ReplayConditions& conditions);

struct ChosenMemory {
  Bytes memory;
  /// As DeviceReport::memory_origin.
  std::string origin;
};
/// How much memory a recording is replayed on. `shown_device`: as its expandable segments show.
ChosenMemory choose_memory(const RecordedMemory& recorded, std::optional<Bytes> shown_device,
                           const ReplayConditions& conditions);

/// The memory that the recorded device had beside the memory that the failed requests tell, as far
/// as the addresses of its expandable segments, which go by the size of the device, show it.
Bytes kept_beside(const RecordedMemory& recorded, std::optional<Bytes> shown_device);

}  // namespace vramlab::replay
