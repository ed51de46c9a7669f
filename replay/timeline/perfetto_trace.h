// What a recording shows over time, written as a Perfetto trace: the timelines of its devices, its
// failed requests and its annotations, merged by time.
#pragma once

#include <vector>

#include "replay/timeline/annotation_spans.h"
#include "replay/timeline/memory_timeline.h"
#include "traces/json/perfetto_writer.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// The names of the spans are of this table.
void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer);

}  // namespace vramlab::replay
