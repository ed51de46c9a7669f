#include "tools/kit/state_file.h"

#include "traces/formats/make_trace_writer.h"

namespace vramlab::tools {

void write_snapshot_file(traces::OutputFile& output, const replay::StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables) {
  const auto writer =
      make_trace_writer(output.name().ends_with(".json") ? traces::TraceFormat::snapshot_json
                                                         : traces::TraceFormat::snapshot_pickle,
                        output, tables);
  write_states(at.states, settings, writer->sinks().recorded);
  writer->finish();
  output.finish();
}

}  // namespace vramlab::tools
