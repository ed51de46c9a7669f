#include "tools/state_file.h"

#include "traces/trace_writer.h"

namespace vramlab::tools {

StatesAtMoment states_at(replay::ReplaySource& source, const Moment& moment,
                         const std::string& file, const replay::ReplayWatch& first_watch) {
  StatesAtMoment at;
  const auto keep_state = [&at](replay::DeviceReplay& device) {
    at.states.push_back({device.device(), device.take_snapshot(), device.history(), device.stacks(),
                         device.request_stacks()});
  };
  replay::ReplayWatch watch = first_watch;
  if (moment.kind == replay::MomentKind::end) {
    watch.at_end = keep_state;
    at.report = source.run(watch);
    return at;
  }
  at.report = source.run(watch);
  replay::ReplayWatch until;
  until.until = last_events(moment, at.report, file);
  until.at_end = keep_state;
  source.run(until);
  return at;
}

void write_snapshot_file(traces::OutputFile& output, const StatesAtMoment& at,
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
