#include "tests/support/kit/generated.h"

#include "tests/support/kit/collected_bytes.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::support {

std::string generated_file(const traces::WorkloadRequest& request, traces::TraceFormat format) {
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(format, output, tables);
  generate_workload(request, tables, writer->sinks().program);
  writer->finish();
  return output.bytes;
}

GeneratedEvents::GeneratedEvents(const traces::WorkloadRequest& request) {
  generate_workload(request, tables, *this);
}

std::vector<traces::ProgramEvent> GeneratedEvents::mallocs_below(const std::string& file) const {
  std::vector<traces::ProgramEvent> found;
  for (const traces::ProgramEvent& event : events) {
    if (event.kind != traces::ProgramEventKind::malloc) continue;
    for (const traces::FrameId frame : tables.stacks.frames(event.stack))
      if (tables.texts.text(tables.frames.frame(frame).filename) == file) {
        found.push_back(event);
        break;
      }
  }
  return found;
}

}  // namespace vramlab::support
