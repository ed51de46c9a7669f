#include "tools/state_file.h"

#include "traces/trace_writer.h"

namespace vramlab::tools {
namespace {

/// Where nothing limits the memory of a device, what is left of it says nothing.
void forget_boundless_memory(StatesAtMoment& at) {
  for (replay::DeviceState& state : at.states)
    for (const replay::DeviceReport& device : at.report.devices)
      if (device.device == state.device && device.memory_origin.empty())
        state.rules.device_free.reset();
}

}  // namespace

StatesAtMoment states_at(replay::ReplaySource& source, const Moment& moment,
                         const std::string& file, const replay::ReplayWatch& first_watch) {
  StatesAtMoment at;
  const auto keep_state = [&at](replay::DeviceReplay& device) {
    at.states.push_back(state_of(device));
  };
  replay::ReplayWatch watch = first_watch;
  if (moment.kind == replay::MomentKind::end) {
    watch.at_end = keep_state;
    at.report = source.run(watch);
    forget_boundless_memory(at);
    return at;
  }
  at.report = source.run(watch);
  replay::ReplayWatch until;
  if (moment.kind == replay::MomentKind::time)
    until.until_ns = time_of(moment, at.report, file);
  else
    until.until = last_events(moment, at.report, file);
  until.at_end = keep_state;
  source.run(until);
  forget_boundless_memory(at);
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
