#include "traces/formats/read_snapshot.h"

#include "allocator/words/check.h"
#include "traces/json/snapshot_json.h"
#include "traces/logs/profiler_json.h"
#include "traces/logs/rmm_log.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {

SnapshotFacts read_trace(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) {
  SnapshotSink& sink = sinks.recorded;
  switch (trace.format) {
    case TraceFormat::snapshot_pickle: {
      const PickleFacts facts = read_snapshot_pickle(*trace.source, trace.file, tables, sink);
      return {facts, std::nullopt, facts.bytes};
    }
    case TraceFormat::snapshot_json:
      return {std::nullopt, std::nullopt,
              read_snapshot_json(*trace.source, trace.file, tables, sink).bytes};
    case TraceFormat::native_text:
      return {std::nullopt, std::nullopt,
              read_native_text(*trace.source, trace.file, tables, sinks)};
    case TraceFormat::native_binary:
      return {std::nullopt, std::nullopt,
              read_native_binary(*trace.source, trace.file, tables, sinks)};
    case TraceFormat::torch_profiler: {
      const LogReading log = read_profiler_json(*trace.source, trace.file, tables, sinks.program);
      return {std::nullopt, log.facts, log.bytes};
    }
    case TraceFormat::rmm_log: {
      const LogReading log = read_rmm_log(*trace.source, trace.file, tables, sinks.program);
      return {std::nullopt, log.facts, log.bytes};
    }
  }
  check_failed("every format has a reader", __FILE__, __LINE__);
}

SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink) {
  RefusedProgram program(trace.file, "what takes snapshots only");
  return read_trace(trace, tables, {sink, program});
}

}  // namespace vramlab::traces
