#include "replay/holders/read_memory_events.h"

#include "traces/formats/read_snapshot.h"

namespace vramlab::replay {

bool read_memory_events(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                        MemoryEventSink& recorded, MemoryEventSink& program) {
  RecordedMemoryEvents recorded_events(recorded);
  ProgramMemoryEvents program_events(trace.file, tables, program);
  traces::read_trace(trace, tables, {recorded_events, program_events});
  return program_events.event_count() > 0;
}

IterationRule find_iterations(const std::string& path, const traces::ProgressListener& listener) {
  traces::OpenTrace trace = traces::open_trace(path, listener);
  traces::SnapshotTables tables;
  IterationFinder recorded(tables);
  IterationFinder program(tables);
  return read_memory_events(trace, tables, recorded, program) ? program.rule() : recorded.rule();
}

}  // namespace vramlab::replay
