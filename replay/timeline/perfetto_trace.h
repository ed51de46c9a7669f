// PerfettoTrace: the timelines of a recording's devices, its failed requests and its annotations,
// merged by time and written for ui.perfetto.dev.
#pragma once

#include <vector>

#include "replay/timeline/memory_timeline.h"
#include "traces/json/perfetto_writer.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// `texts` has the names of the spans.
void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer);

}  // namespace vramlab::replay
