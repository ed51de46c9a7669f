#include "tests/support/recordings/case_history.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {

using traces::ProgramEventKind;

traces::RecordedCase bundled_case(const std::string& name) {
  return traces::read_recorded_case(support::source_dir() + "/tests/conformance/" + name +
                                    ".json.gz");
}

replay::RecordedHistory history_of(const traces::RecordedCase& recorded, std::size_t first) {
  const traces::RecordedAnswers& answers = recorded.expected;
  replay::RecordedHistory history;
  replay::DeviceHistory& device = history.devices.emplace_back();
  device.traits.requests_frees = true;
  device.traits.names_pools = answers.trace_pools.has_value();
  for (std::size_t i = first; i < answers.trace.size(); ++i) {
    const traces::RecordedEvent& entry = answers.trace[i];
    allocator::AllocatorEvent event{entry.action, entry.address, entry.size, entry.stream, {}, i};
    if (answers.trace_pools) event.pool.user = (*answers.trace_pools)[i];
    device.events.push_back(event);
  }
  device.final_segments = answers.final_snapshot.segments;
  return history;
}

replay::DeviceFidelity fidelity_of(const replay::RecordedHistory& history,
                                   const traces::RecordedCase& recorded) {
  const traces::RecordedProgram& program = recorded.program;
  replay::SettingsInForce settings;
  settings.settings = parse_settings({}, program.config, *program.version).settings;
  return explain(history.devices.front(), {*program.version, false, settings}).fidelity;
}

bool is_replayable(const traces::RecordedCase& recorded) {
  for (const traces::ProgramEvent& call : recorded.program.calls) {
    if (call.kind == ProgramEventKind::options || call.kind == ProgramEventKind::restore)
      return false;
    // A snapshot does not say which pools lend their memory or hand out whole blocks.
    if (call.kind == ProgramEventKind::pool_create && (call.use_on_oom || call.no_split))
      return false;
  }
  return true;
}

}  // namespace vramlab::tests
