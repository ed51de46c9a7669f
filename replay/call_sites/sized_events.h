// Sized events: a recording of any format as events of memory, with each block as large as it was.
// A history shows that by where its blocks were; a program by a replay under its own options, which
// takes as long as `vramlab replay`. This is the one source of allocated bytes by call site.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/memory_events.h"

namespace vramlab::replay {

struct SizedEvents {
  /// The number of a program's events, across its devices.
  std::optional<std::uint64_t> event_count;
  /// Sentences about all that is not sure.
  std::vector<std::string> notes;
};

/// Gives all of a recording. Sizes are those of requests where a history is none that an allocator
/// can have made, and for a program's pinned memory: sizes_are_known() is not called then. Throws
/// InputError.
SizedEvents pass_sized_events(Recording& recording, MemoryEventSink& sink);

}  // namespace vramlab::replay
