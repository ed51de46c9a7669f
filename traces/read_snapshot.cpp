#include "traces/read_snapshot.h"

#include "allocator/check.h"
#include "traces/snapshot_json.h"

namespace vramlab::traces {

SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink) {
  switch (trace.format) {
    case TraceFormat::snapshot_pickle: {
      const PickleFacts facts = read_snapshot_pickle(*trace.source, trace.file, tables, sink);
      return {facts, facts.bytes};
    }
    case TraceFormat::snapshot_json:
      return {std::nullopt, read_snapshot_json(*trace.source, trace.file, tables, sink).bytes};
  }
  check_failed("every format has a reader", __FILE__, __LINE__);
}

}  // namespace vramlab::traces
