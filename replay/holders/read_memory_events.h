// Reads a file as events of memory, whether it is a recording or a program.
#pragma once

#include "replay/holders/iterations.h"
#include "replay/holders/memory_events.h"
#include "traces/formats/open_trace.h"

namespace vramlab::replay {

/// For one who looks at a recording and one who looks at a program; true where it is a program.
bool read_memory_events(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                        MemoryEventSink& recorded, MemoryEventSink& program);

/// Where the iterations of a program end, in one pass over its file.
IterationRule find_iterations(const std::string& path, const traces::ProgressListener& listener);

}  // namespace vramlab::replay
