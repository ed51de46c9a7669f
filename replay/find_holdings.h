// Who held memory at a moment, of any recording: a snapshot with or without its history, a native
// trace, a log. The file is read once, as a stream.
#pragma once

#include <string>
#include <vector>

#include "replay/holdings.h"
#include "traces/open_trace.h"

namespace vramlab::replay {

struct FoundHoldings {
  std::vector<DeviceHoldings> devices;
  bool is_program = false;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// The tables receive what the blocks refer to. Throws InputError, also where there is no such
/// moment.
FoundHoldings find_holdings(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                            const HoldingMoment& moment);

}  // namespace vramlab::replay
