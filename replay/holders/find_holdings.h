// Who held memory at a moment, of any recording: a snapshot with or without its history, a native
// trace, a log. The file is read once, as a stream.
#pragma once

#include <string>
#include <vector>

#include "replay/holders/holdings.h"
#include "traces/formats/open_trace.h"

namespace vramlab::replay {

struct FoundHoldings {
  std::vector<DeviceHoldings> devices;
  bool is_program = false;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// The tables receive what the blocks refer to. `allocated_after`: only what was allocated after
/// this event. Throws InputError, also where there is no such moment.
FoundHoldings find_holdings(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                            const Moment& moment,
                            std::optional<std::uint64_t> allocated_after = {});

}  // namespace vramlab::replay
